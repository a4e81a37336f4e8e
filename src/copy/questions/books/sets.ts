import type { Queries } from '../../../journal/store.ts';
import { type Asset, isAsset } from '../../../money/amount.ts';
import { BOOK_ENTRIES_BY_SET } from '../../schema.ts';
import type { Reason } from '../reasons.ts';
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
  /** The other end of the time in which it was; null if `at` is exact. */
  readonly bound: string | null;
  readonly thing: string;
  readonly id: string;
  readonly step: string;
  readonly userId: string | null;
  readonly note: string | null;
  readonly postings: readonly Posting[];
  /** The codes for why amounts of it are not known; empty if all are. */
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
  readonly bound: string | null;
}

/** The code for a time that is not exact. It says nothing of amounts, and matters where a period begins or ends. */
export const END_BETWEEN = 'END_BETWEEN';

/** Codes of sets whose amounts the books have: those of a time, and of a difference whose likely amount is accepted as such. */
const OF_OTHERS: readonly string[] = [END_BETWEEN, 'UNLISTED' satisfies Reason];

/** What there was before all rows is in no period: it is a balance at the start of each. */
const BEGUN = `step = 'opening'`;
const OF_PERIOD = `step <> 'opening'`;

/** What was taken comes before what was done with it, also within one moment. */
const ORDER = "at, thing, id, CASE step WHEN 'taken' THEN 0 ELSE 1 END, step, account, asset, amount_minor";

const assetOf = (name: string): Asset => {
  if (!isAsset(name)) throw new Error(`the books have an asset ${name}`);
  return name;
};

/** Yields the sets of a part of a period, oldest first; the same rows give the same order. Rejects with DatabaseError. */
async function* setsOfPart(queries: Queries, { from, to }: Span): AsyncGenerator<BookSet> {
  const rows = await queries.all<EntryRow>(
    `SELECT at, account, amount_minor, asset, thing, id, step, user_id, note, known, bound FROM ${BOOK_ENTRIES_BY_SET}
     WHERE at > ? AND at <= ? AND ${OF_PERIOD} ORDER BY ${ORDER}`,
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
    bound: rows.find((row) => row.bound !== null)?.bound ?? null,
    userId: rows.find((row) => row.user_id !== null)?.user_id ?? null,
    note: rows.find((row) => row.note !== null)?.note ?? null,
    postings: summed(
      rows.flatMap(({ account, asset, amount_minor: minor }) =>
        minor === null ? [] : [{ account, asset: assetOf(asset), minor }],
      ),
    ),
    unknown: [...new Set(rows.flatMap(({ known }) => (known === null || OF_OTHERS.includes(known) ? [] : [known])))],
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

/** What names a set: its row and its step. */
export type SetName = Pick<BookSet, 'thing' | 'id' | 'step'>;

/** A set that may have been in a period or not. */
interface AcrossEnd extends SetName {
  /** Whether it may have been after it, and not only before it. */
  readonly isAtEnd: boolean;
}

/**
 * Returns the sets that may have been in a period or not: only two ends of the time in which they were are known, and the period begins or ends
 * between these. Rejects with DatabaseError.
 */
export async function acrossEndsOf(queries: Queries, { from, to }: Span): Promise<readonly AcrossEnd[]> {
  const where = [
    'at <= ? AND bound > ?',
    'at > ? AND at <= ? AND (bound <= ? OR bound > ?)',
    'at > ? AND bound <= ?',
  ].map((each) => `SELECT at, bound, thing, id, step FROM ${BOOK_ENTRIES_BY_SET} WHERE bound IS NOT NULL AND ${each}`);
  const rows = await queries.all<SetName & { readonly later: bigint }>(
    `SELECT thing, id, step, max(CASE WHEN at > ? OR bound > ? THEN 1 ELSE 0 END) AS later
     FROM (${where.join(' UNION ALL ')}) AS across GROUP BY thing, id, step ORDER BY thing, id, step`,
    ...[to, to],
    ...[from, from],
    ...[from, to, from, to],
    ...[to, to],
  );
  return rows.map(({ later, ...set }) => ({ ...set, isAtEnd: Number(later) === 1 }));
}

/** Returns the sets of a period of which an amount is not known, with the code for why. Rejects with DatabaseError. */
export const unknownIn = (
  queries: Queries,
  { from, to }: Span,
): Promise<readonly (SetName & { readonly known: string })[]> =>
  queries.all(
    `SELECT DISTINCT thing, id, step, known FROM ${BOOK_ENTRIES_BY_SET}
     WHERE at > ? AND at <= ? AND ${OF_PERIOD} AND known IS NOT NULL AND known NOT IN ('${OF_OTHERS.join("', '")}') ORDER BY thing, id, step, known`,
    from,
    to,
  );

/** What moved on each account after one moment and until another, zero if it came to nothing: the database's own sums. Rejects with DatabaseError. */
export const movedIn = async (queries: Queries, span: Span): Promise<readonly Posting[]> =>
  (await countedIn(queries, span)).postings;

/** The same, and how many entries these are. Rejects with DatabaseError. */
export const countedIn = (
  queries: Queries,
  { from, to }: Span,
): Promise<{ readonly postings: readonly Posting[]; readonly entries: number }> =>
  sumsOf(queries, `at > ? AND at <= ? AND ${OF_PERIOD}`, from, to);

/** What each account has of all that was until a moment, with what there was before all rows. Rejects with DatabaseError. */
export const balancesUntil = async (queries: Queries, to: string): Promise<readonly Posting[]> =>
  summed([
    ...(await sumsOf(queries, `at <= ? AND ${OF_PERIOD}`, to)).postings,
    // The first balances that were read imply it, whenever they were read.
    ...(await sumsOf(queries, BEGUN)).postings,
  ]);

async function sumsOf(queries: Queries, where: string, ...values: readonly string[]) {
  const integer = queries.engine === 'sqlite' ? 'integer' : 'bigint';
  const rows = await queries.all<{ account: string; asset: string; minor: bigint | null; n: bigint }>(
    `SELECT account, asset, CAST(sum(amount_minor) AS ${integer}) AS minor, count(*) AS n FROM ${BOOK_ENTRIES_BY_SET}
     WHERE ${where} GROUP BY account, asset ORDER BY account, asset`,
    ...values,
  );
  const postings = rows.flatMap(({ account, asset, minor }): Posting[] =>
    minor === null ? [] : [{ account, asset: assetOf(asset), minor }],
  );
  return { postings, entries: rows.reduce((sum, { n }) => sum + Number(n), 0) };
}
