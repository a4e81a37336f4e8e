/**
 * Words that people type, by the words that the pages have for the same thing. A search looks for both. What a word leads to as a
 * command is in meanings.ts.
 */
const TYPED: Readonly<Record<string, string>> = {
  alert: 'alarm, notify, warn, warning, pager',
  approver: 'colleague, coworker, teammate, employee, boss',
  'backup, export': 'move, migrate, migration',
  balance: 'cash, holdings',
  cancel: 'undo, revert, rollback, abort, recall',
  cron: 'recurring, scheduled, scheduler',
  csv: 'excel, spreadsheet, sheet, xls, xlsx',
  deposit: 'incoming, inbound, credit, credited',
  'duplicate, once': 'double, twice',
  environment: 'env',
  fault: 'failure, outage, simulate',
  fee: 'discount, cost, price',
  limit: 'minimum, maximum, ceiling, allowance',
  machine: 'laptop, computer, pc, mac, workstation',
  once: 'idempotency, idempotent, duplicate',
  payout: 'debited, payroll, salary, wages, supplier, outgoing, outbound, debit, disbursement',
  'read-only': 'readonly, viewer',
  reconcile: 'reconciliation, unknown',
  report: 'statement, summary, accountant, accounting, bookkeeping, books, close, closing',
  script: 'automate, automation, bot, ai, agent, mcp, llm',
  secret: 'password, credential, token',
  stuck: 'lost, missing',
  'stuck, pending': 'waiting, delayed, late, hanging, hung, slow',
  pending: 'stuck',
  units: 'kobo, decimals, precision, rounding',
  user: 'client, person, kyc',
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
