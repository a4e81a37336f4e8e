import type { Queries } from '../../../journal/store.ts';
import { type Asset, isAsset } from '../../../money/amount.ts';
import type { Span } from '../report/movements.ts';

/** An amount on an account of the books, in the smallest unit of its asset: positive if the account has more, negative if it has less or owes more. */
export interface Posting {
  readonly account: string;
  readonly asset: Asset;
  readonly minor: bigint;
}

/** The postings of one step of a thing. They sum to zero in each asset. */
export interface BookSet {
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly thing: string;
  readonly id: string;
  readonly step: string;
  readonly userId: string | null;
  readonly note: string | null;
  readonly postings: readonly Posting[];
  /** Why amounts of it are not known; empty if all are. */
  readonly unknown: readonly string[];
}

interface EntryRow {
  readonly at: string;
  readonly account: string;
  readonly amount_minor: bigint | null;
  readonly asset: string;
  readonly thing: string;
  readonly id: string;
  readonly step: string;
  readonly user_id: string | null;
  readonly note: string | null;
  readonly known: string | null;
}

/** What was taken comes before what was done with it, also within one moment. */
const ORDER = "at, thing, id, CASE step WHEN 'taken' THEN 0 ELSE 1 END, step, account, asset, amount_minor";

const assetOf = (name: string): Asset => {
  if (!isAsset(name)) throw new Error(`the books have an asset ${name}`);
  return name;
};

/** Yields the sets of a part of a period, oldest first; the same rows give the same order. Rejects with DatabaseError. */
async function* setsOfPart(queries: Queries, { from, to }: Span): AsyncGenerator<BookSet> {
  const rows = await queries.all<EntryRow>(
    `SELECT at, account, amount_minor, asset, thing, id, step, user_id, note, known FROM book_entries
     WHERE at > ? AND at <= ? ORDER BY ${ORDER}`,
    from,
    to,
  );
  for (let start = 0; start < rows.length; ) {
    const [first] = rows.slice(start, start + 1);
    if (!first) return;
    let end = start + 1;
    while (isOfSet(rows[end], first)) end++;
    yield setOf(first, rows.slice(start, end));
    start = end;
  }
}

const isOfSet = (row: EntryRow | undefined, { at, thing, id, step }: EntryRow): boolean =>
  row !== undefined && row.at === at && row.thing === thing && row.id === id && row.step === step;

function setOf({ at, thing, id, step }: EntryRow, rows: readonly EntryRow[]): BookSet {
  return {
    at,
    thing,
    id,
    step,
    userId: rows.find((row) => row.user_id !== null)?.user_id ?? null,
    note: rows.find((row) => row.note !== null)?.note ?? null,
    postings: summed(
      rows.flatMap(({ account, asset, amount_minor: minor }) =>
        minor === null ? [] : [{ account, asset: assetOf(asset), minor }],
      ),
    ),
    unknown: [...new Set(rows.flatMap(({ known }) => (known === null ? [] : [known])))],
  };
}

/** Adds up postings to one account in one asset; none of them is zero. Sorted by account and asset. */
export function summed(postings: readonly Posting[]): readonly Posting[] {
  const sums = new Map<string, Posting>();
  for (const each of postings) {
    const key = `${each.asset} ${each.account}`;
    sums.set(key, { ...each, minor: (sums.get(key)?.minor ?? 0n) + each.minor });
  }
  const order = ({ account, asset }: Posting) => `${account} ${asset}`;
  return [...sums.values()]
    .filter(({ minor }) => minor !== 0n)
    .sort((one, other) => (order(one) < order(other) ? -1 : 1));
}

/** Yields the sets of consecutive spans, of which one at a time is in memory. Rejects with DatabaseError. */
export async function* setsIn(queries: Queries, spans: readonly Span[]): AsyncGenerator<BookSet> {
  for (const span of spans) yield* setsOfPart(queries, span);
}

/** What moved on each account after one moment and until another, zero if it came to nothing: the database's own sums. Rejects with DatabaseError. */
export async function balancesBy(
  queries: Queries,
  { from, to }: Partial<Span>,
  condition = '1 = 1',
): Promise<readonly Posting[]> {
  const rows = await queries.all<{ account: string; asset: string; minor: bigint | null }>(
    `SELECT account, asset, CAST(sum(amount_minor) AS ${queries.engine === 'sqlite' ? 'integer' : 'bigint'}) AS minor FROM book_entries
     WHERE at > ? AND at <= ? AND ${condition} GROUP BY account, asset ORDER BY account, asset`,
    from ?? '',
    to ?? '~',
  );
  return rows.flatMap(({ account, asset, minor }) =>
    minor === null ? [] : [{ account, asset: assetOf(asset), minor }],
  );
}
