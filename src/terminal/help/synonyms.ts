/**
 * Words that people type, by the words that the pages have for the same thing. A search looks for both. What a word leads to as a
 * command is in meanings.ts.
 */
const TYPED: Readonly<Record<string, string>> = {
  alert: 'alarm, notify, notification, warn, warning, pager',
  approver: 'colleague, coworker, teammate, employee, boss',
  backup: 'move, migrate, migration',
  balance: 'funds, cash, holdings',
  cancel: 'undo, revert, rollback, abort, recall',
  cron: 'nightly, recurring, scheduled, scheduler',
  csv: 'excel, spreadsheet, sheet, xls, xlsx',
  deposit: 'incoming, inbound, credit, credited',
  duplicate: 'double, twice',
  environment: 'env',
  fee: 'discount, cost, price',
  fault: 'failure, outage, simulate',
  limit: 'maximum, ceiling, allowance',
  machine: 'laptop, computer, pc, mac, workstation',
  once: 'idempotency, idempotent, duplicate, double, twice',
  payout: 'payroll, salary, wages, supplier, outgoing, outbound, debit, disbursement',
  pending: 'stuck, waiting, delayed, late, hanging, slow',
  'read-only': 'readonly, viewer',
  reconcile: 'reconciliation, unknown',
  report: 'statement, summary, accountant, accounting, bookkeeping, books, close, closing',
  script: 'automate, automation, bot, ai, agent, mcp, llm',
  secret: 'password, credential, credentials, token',
  stuck: 'hanging, hung, slow, late, delayed, lost, missing',
  units: 'kobo, decimals, precision, rounding',
  user: 'customer, client, person, kyc',
  webhook: 'callback, notification, notify, event, push',
};

const BY_TYPED = Map.groupBy(
  Object.entries(TYPED).flatMap(([ours, typed]) => typed.split(', ').map((word) => ({ word, ours }))),
  ({ word }) => word,
);

/** Returns what a word is called in the pages, if they have another word for it: `suppliers` is `payout`. */
export const synonymsOf = (word: string): readonly string[] =>
  (BY_TYPED.get(word) ?? BY_TYPED.get(word.replace(/s$/, '')) ?? []).map(({ ours }) => ours);
