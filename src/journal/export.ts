import { requireUnchanged } from './entries.ts';
import type { Queries } from './store.ts';
import { FIXED_COLUMNS } from './tables.ts';

/** The version of the exported lines. */
export const EXPORT_VERSION = 1;

type WrittenLine = Readonly<Record<string, unknown>>;

/** Rows read at a time, so that a long journal is not kept in memory. */
const BATCH = 1_000;

interface ExportOptions {
  /** Includes the key of the input digests. Whoever has it can test guesses of what was typed. */
  readonly withDigestKey: boolean;
}

/**
 * Yields the journal as lines of JSON, in pages: what it contains, the operations without what their entries repeat, and the entries with
 * their hashes. All are of the moment that the queries see.
 */
export async function* exportedLines(
  queries: Queries,
  { withDigestKey }: ExportOptions,
): AsyncGenerator<readonly WrittenLine[]> {
  const count = async (table: string) =>
    Number((await queries.get<{ n: bigint }>(`SELECT count(*) AS n FROM ${table}`))?.n ?? 0n);
  const [operations, entries] = [await count('operation'), await count('entry')];
  const key = (await queries.get<{ value: string }>(`SELECT value FROM setting WHERE name = 'digest-key'`))?.value;
  const digestKey = withDigestKey ? { digestKey: key } : {};
  yield [{ type: 'journal', version: EXPORT_VERSION, operations, entries, ...digestKey }];
  yield* paged(queries, 'operation', 'SELECT * FROM operation', 'id', '');
  yield* paged(queries, 'entry', 'SELECT * FROM entry', 'sequence', 0n);
}

async function* paged(
  queries: Queries,
  type: string,
  select: string,
  order: string,
  first: string | bigint,
): AsyncGenerator<readonly WrittenLine[]> {
  for (let after = first; ; ) {
    const rows = await queries.all(`${select} WHERE ${order} > ? ORDER BY ${order} LIMIT ?`, after, BATCH);
    after = (rows.at(-1)?.[order] ?? after) as string | bigint;
    if (type === 'operation') await requireUnchanged(queries, rows as unknown as readonly { readonly id: string }[]);
    if (rows.length > 0) yield rows.map((row) => ({ type, ...plainRow(type, row) }));
    if (rows.length < BATCH) return;
  }
}

/** The columns of an operation that are not computed from its entries. */
const FIXED: ReadonlySet<string> = new Set(FIXED_COLUMNS);

/** Times and numbers are far below 2^53; an amount may not be, and is text. What is null is left out. */
function plainRow(type: string, row: Readonly<Record<string, unknown>>): WrittenLine {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name, value]) => value !== null && (type === 'entry' || FIXED.has(name)))
      .map(([name, value]) => [
        name,
        typeof value !== 'bigint' ? value : name === 'minor' ? String(value) : Number(value),
      ]),
  );
}
