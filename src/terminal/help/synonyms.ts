/**
 * Words that people type, by the words that the pages have for the same thing. A search looks for both. What a word leads to as a
 * command is in meanings.ts.
 */
const TYPED: Readonly<Record<string, string>> = {
  alert: 'alarm, notify, warn, warning, pager, pagerduty, opsgenie, slack, telegram',
  allowlist: 'egress, firewall, gateway, nat, whitelist',
  'approver, profile': 'hire, joiner, leaver, starter',
  approver: 'colleague, coworker, teammate, employee, boss',
  'audit, journal': 'soc, soc2, iso27001, pci, auditor',
  'backup, export': 'move, migrate, migration',
  balance: 'cash, float, holdings, treasury',
  'bank code': 'swift, iban',
  'bank transfer, payout': 'ach, sepa, wire, remittance',
  'business day': 'weekend, holiday, saturday, sunday',
  cancel: 'undo, revert, rollback, abort, recall',
  cron: 'recurring, scheduled, scheduler',
  csv: 'excel, spreadsheet, sheet, xls, xlsx',
  deposit: 'incoming, inbound, credit, credited',
  'duplicate, once': 'double, twice',
  environment: 'env',
  fault: 'failure, outage, simulate',
  fee: 'discount, cost, price',
  inactive: 'dormant, idle, inactivity',
  limit: 'minimum, maximum, ceiling, allowance, cap',
  machine: 'laptop, computer, pc, mac, workstation',
  'onboard, user': 'aml, compliance, kyc, sanctions, screening',
  once: 'idempotency, idempotent, duplicate',
  'order book': 'liquidity',
  payout: 'debited, payroll, salary, wages, supplier, outgoing, outbound, debit, disbursement',
  pending: 'stuck',
  'rate limit': 'quota, throughput, throttled',
  'read-only': 'readonly, viewer',
  reconcile: 'reconciliation, unknown',
  report: 'statement, summary, accountant, accounting, bookkeeping, books, close, closing',
  script: 'automate, automation, bot, ai, agent, mcp, llm',
  secret: 'password, credential, token',
  'stuck, pending': 'waiting, delayed, late, hanging, hung, slow',
  stuck: 'lost, missing',
  'token, network': 'erc20, bep20, trc20, spl',
  units: 'kobo, decimals, precision, rounding',
  user: 'client, person',
  webhook: 'callback, notification, event, push',
};

const BY_TYPED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(TYPED).flatMap(([ours, typed]) =>
    typed.split(', ').map((word): [string, readonly string[]] => [word, ours.split(', ')]),
  ),
);

/** Returns what a word is called in the pages, if they have another word for it: `suppliers` is `payout`. */
export const synonymsOf = (word: string): readonly string[] =>
  BY_TYPED.get(word) ?? BY_TYPED.get(word.replace(/s$/, '')) ?? [];
