import { FIXED_COLUMNS, LATER_COLUMNS } from './chain.ts';
import type { Queries } from './store.ts';

/** The version of the exported lines. */
export const EXPORT_VERSION = 3;

type Line = Readonly<Record<string, unknown>>;

/** Rows read at a time, so that a long journal is not kept in memory. */
const BATCH = 1_000;

interface ExportOptions {
  /** Includes the key of the input digests. Whoever has it can test guesses of what was typed. */
  readonly withDigestKey: boolean;
}

/**
 * Yields the journal as lines of JSON, in pages: what it contains, its accounts, the operations without what their transitions
 * repeat, and the transitions with their hashes. All are of the moment that the queries see.
 */
export async function* exportedLines(
  queries: Queries,
  { withDigestKey }: ExportOptions,
): AsyncGenerator<readonly Line[]> {
  const count = async (table: string) =>
    Number((await queries.get<{ n: bigint }>(`SELECT count(*) AS n FROM ${table}`))?.n ?? 0n);
  const [operations, transitions] = [await count('operation'), await count('transition')];
  const key = (await queries.get<{ value: string }>(`SELECT value FROM setting WHERE name = 'digest-key'`))?.value;
  const digestKey = withDigestKey ? { digestKey: key } : {};
  yield [{ type: 'journal', version: EXPORT_VERSION, operations, transitions, ...digestKey }];
  const accounts = await queries.all('SELECT name, account FROM account_name ORDER BY name');
  yield accounts.map((row) => ({ type: 'account', ...row }));
  const columns = [...FIXED_COLUMNS, ...LATER_COLUMNS, 'process'].join(', ');
  yield* paged(queries, 'operation', `SELECT ${columns} FROM operation`, 'id', '');
  const link = 'sequence, operation_id, host, state, at, request_id, verdict, detail, result, hash';
  yield* paged(queries, 'transition', `SELECT ${link} FROM transition`, 'sequence', 0n);
}

async function* paged(
  queries: Queries,
  type: string,
  select: string,
  order: string,
  first: string | bigint,
): AsyncGenerator<readonly Line[]> {
  for (let after = first; ; ) {
    const rows = await queries.all(`${select} WHERE ${order} > ? ORDER BY ${order} LIMIT ?`, after, BATCH);
    after = (rows.at(-1)?.[order] ?? after) as string | bigint;
    if (rows.length > 0) yield rows.map((row) => ({ type, ...plainRow(row) }));
    if (rows.length < BATCH) return;
  }
}

/** Times and numbers are far below 2^53; an amount may not be, and is text. */
function plainRow(row: Readonly<Record<string, unknown>>): Line {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name, value]) => value !== null || !LATER_COLUMNS.includes(name))
      .map(([name, value]) => [
        name,
        typeof value !== 'bigint' ? value : name === 'minor' ? String(value) : Number(value),
      ]),
  );
}
