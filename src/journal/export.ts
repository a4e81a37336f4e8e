import type { Database } from '../sqlite/database.ts';
import { FIXED_COLUMNS } from './chain.ts';

/** The version of the exported lines. */
export const EXPORT_VERSION = 1;

type Line = Readonly<Record<string, unknown>>;

/** Rows read at a time, so that a long journal is not kept in memory. */
const BATCH = 1_000;

interface ExportOptions {
  /** Includes the key of the input digests. Whoever has it can test guesses of what was typed. */
  readonly withDigestKey: boolean;
}

/**
 * Yields the journal as lines of JSON, in pages: what it contains, its accounts, the operations without what their transitions
 * repeat, and the transitions with their hashes. All are of the same moment: the caller holds a read transaction.
 */
export function* exportedLines(store: Database, { withDigestKey }: ExportOptions): Generator<readonly Line[]> {
  const count = (table: string) => Number(store.get<{ n: bigint }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0n);
  const [operations, transitions] = [count('operation'), count('transition')];
  const key = store.get<{ value: string }>(`SELECT value FROM setting WHERE name = 'digest-key'`)?.value;
  const digestKey = withDigestKey ? { digestKey: key } : {};
  yield [{ type: 'journal', version: EXPORT_VERSION, operations, transitions, ...digestKey }];
  yield store.all('SELECT name, account FROM account_name ORDER BY name').map((row) => ({ type: 'account', ...row }));
  const columns = [...FIXED_COLUMNS, 'process'].join(', ');
  yield* paged(store, 'operation', `SELECT ${columns} FROM operation`, 'id', '');
  const link = 'sequence, operation_id, host, state, at, request_id, verdict, detail, result, hash';
  yield* paged(store, 'transition', `SELECT ${link} FROM transition`, 'sequence', 0n);
}

function* paged(
  store: Database,
  type: string,
  select: string,
  order: string,
  first: string | bigint,
): Generator<readonly Line[]> {
  for (let after = first; ; ) {
    const rows = store.all(`${select} WHERE ${order} > ? ORDER BY ${order} LIMIT ?`, after, BATCH);
    after = (rows.at(-1)?.[order] ?? after) as string | bigint;
    if (rows.length > 0) yield rows.map((row) => ({ type, ...plainRow(row) }));
    if (rows.length < BATCH) return;
  }
}

/** Times and numbers are far below 2^53. */
function plainRow(row: Readonly<Record<string, unknown>>): Line {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
  );
}
