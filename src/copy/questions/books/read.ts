import type { Zone } from '../../../base/zone.ts';
import type { Queries } from '../../../journal/store.ts';
import type { Asset } from '../../../money/amount.ts';
import type { MonthClose } from '../../closes.ts';
import { type ContradictedBalance, contradictedAt } from '../../unlisted.ts';
import type { Span } from '../report/movements.ts';
import { spanOf } from '../report/periods.ts';
import { type Book, openingPostings } from './book.ts';
import { adjustmentsAfter, carriedAt, type LackingSet, totalled, without } from './closed.ts';
import { type BookDigests, digesting, recordsOf, statedIn } from './csv.ts';
import { CONVERSION } from './prices.ts';
import { acrossEndsOf, type BookSet, countedIn, type Posting, type SetName, setsIn, summed } from './sets.ts';

/** What in the books of a period is not proved. */
export interface Untied {
  /** The sets of which amounts are not known, and why. */
  readonly unknown: readonly LackingSet[];
  /** The sets that may have been in another period. */
  readonly across: readonly SetName[];
  /** The sets that do not sum to zero in an asset. */
  readonly unbalanced: readonly LackingSet[];
  /** Accounts that at the end have something else than their sets add up to. */
  readonly off: readonly (Posting & { readonly expected: bigint })[];
  /** Accounts of the books whose balance was read, and is not what their entries come to. */
  readonly contradicted: readonly ContradictedBalance[];
}

/** The books of a period, and what they lack, which is known when all sets were read. */
export interface ReadBook extends Book, Start, Closed {
  /** What the rows of the period move, on all accounts. */
  readonly moved: readonly Posting[];
  untied(): Untied;
  /** How many sets were read, and the digests of the books as CSV. */
  counted(): BookDigests & { readonly sets: number };
}

const keyOf = ({ account, asset }: Pick<Posting, 'account' | 'asset'>) => `${account} ${asset}`;

/** Postings of as many accounts as two lists have together, with the amounts of the first. */
const withAll = (postings: readonly Posting[], others: readonly Posting[]): readonly Posting[] => {
  const has = new Set(postings.map(keyOf));
  const missing = others.filter((each) => !has.has(keyOf(each))).map((each) => ({ ...each, minor: 0n }));
  return [...postings, ...missing].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
};

/** What a period begins with: the balances, and what came late for closed months, which counts in it. */
interface Start {
  readonly opening: readonly Posting[];
  readonly adjustments: readonly Posting[];
  /** The last closed month before it. */
  readonly after: string | undefined;
  /** The sets of closed months of which less is known than when they were closed, so that what came late is not known. */
  readonly lacking: readonly LackingSet[];
}

/**
 * What a period begins with. One that follows closed months begins with what they ended with. A closed month begins as it did when it was closed.
 */
async function startOf(
  queries: Queries,
  { from, since, until }: Span & Closed,
  closes: readonly MonthClose[],
): Promise<Start> {
  const now = await carriedAt(queries, from);
  const before = closes.filter((close) => close.until <= since);
  const [own, last] = [closes.find((close) => close.since === since && close.until === until), before.at(-1)];
  const opened = (carried: readonly Posting[]) => summed([...now, ...without(carried, totalled(now))]);
  if (own) return { opening: opened(own.opening), adjustments: own.adjustments, after: last?.month, lacking: [] };
  if (last?.until !== since) return { opening: now, adjustments: [], after: undefined, lacking: [] };
  const { postings: adjustments, lacking } = await adjustmentsAfter(queries, before);
  return { opening: opened(last.closing), adjustments, after: last.month, lacking };
}

type Closed = Pick<MonthClose, 'since' | 'until'>;

/** What came late for closed months, as a set of the month in which it counts. */
function adjustmentSet({ adjustments, after }: Start, since: string): readonly BookSet[] {
  if (adjustments.length === 0 || after === undefined) return [];
  const of = { bound: null, thing: 'adjustment', id: after, step: 'adjustment', userId: null, note: null, unknown: [] };
  return [{ at: since, ...of, postings: adjustments }];
}

/** A period whose books are read. */
export interface BookPeriod {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly title: string;
  readonly zone: Zone;
  /** The closed months of the account, oldest first. */
  readonly closes: readonly MonthClose[];
}

const DAY_MS = 86_400_000;

const iso = (ms: number): string => new Date(ms).toISOString();

/**
 * Reads the books of a period from a copy. The sets are read while they are written, some at a time, within the transaction of `queries`.
 * Rejects with DatabaseError.
 */
export async function bookOf(
  queries: Queries,
  { sinceMs, untilMs, title, zone, closes }: BookPeriod,
): Promise<ReadBook> {
  const span = spanOf(sinceMs, untilMs);
  const dayMs = (ms: number) => iso(ms + zone.offsetMs(ms)).slice(0, 10);
  const closed = { since: iso(sinceMs), until: iso(untilMs) };
  const start = await startOf(queries, { ...span, ...closed }, closes);
  const first = adjustmentSet(start, closed.since);
  const { postings: moved, entries } = await countedIn(queries, span);
  const begun = summed([...openingPostings(start.opening), ...first.flatMap(({ postings }) => postings)]);
  const isAsserted = ({ account }: Posting) => account !== CONVERSION;
  const closing = withAll(summed([...begun, ...moved]), [...begun, ...moved]).filter(isAsserted);
  // What was not counted in the closed month before it is in this one.
  const across = (await acrossEndsOf(queries, span)).filter(({ isAtEnd }) => isAtEnd || start.after === undefined);
  // Late rows are in no balance of a closed month, and in none of an open one that this copy cannot adjust.
  const isRead = start.lacking.length === 0 && !closes.some(({ since }) => since === closed.since);
  const contradicted = isRead ? await contradictedAt(queries, span.to, closing) : [];
  const found = { unknown: [...start.lacking], unbalanced: [] as LackingSet[] };
  const sums = new Map<string, bigint>();
  const addUp = (postings: readonly Posting[]) => {
    for (const each of postings) sums.set(keyOf(each), (sums.get(keyOf(each)) ?? 0n) + each.minor);
  };
  addUp(openingPostings(start.opening));
  const days = {
    before: dayMs(sinceMs - DAY_MS),
    first: dayMs(sinceMs),
    last: dayMs(untilMs - 1),
    after: dayMs(untilMs - 1 + DAY_MS),
  };
  const dayOf = (at: string) => dayMs(Date.parse(at));
  const digests = digesting();
  for (const records of statedIn({ ...start, closing, days })) digests.state(records);
  let counted = 0;
  async function* sets(): AsyncGenerator<BookSet> {
    for await (const set of inTurn(first, setsIn(queries, evenParts(sinceMs, untilMs, entries)))) {
      const { thing, id, step, unknown, postings } = set;
      if (unknown.length > 0) found.unknown.push({ thing, id, step, unknown });
      if (!isBalanced(postings)) found.unbalanced.push({ thing, id, step, unknown });
      addUp(postings);
      counted++;
      digests.add(recordsOf(set, dayOf(set.at)));
      yield set;
    }
  }
  return {
    title,
    days,
    ...closed,
    ...start,
    moved,
    closing,
    sets: sets(),
    dayOf,
    counted: () => ({ ...digests.digests(), sets: counted }),
    untied: () => {
      const off = closing.flatMap((each) => {
        const expected = sums.get(keyOf(each)) ?? 0n;
        return expected === each.minor ? [] : [{ ...each, expected }];
      });
      return { ...found, across, off, contradicted };
    },
  };
}

async function* inTurn(first: readonly BookSet[], others: AsyncIterable<BookSet>): AsyncGenerator<BookSet> {
  yield* first;
  yield* others;
}

/** How many entries are in memory at once, if they are spread evenly. */
const ENTRIES_AT_ONCE = 5_000;

/** Cuts a period into as many parts as its entries need, of one length. A set is in one moment, so that no cut is within one. */
function evenParts(sinceMs: number, untilMs: number, entries: number): readonly Span[] {
  const stepMs = Math.max(1, Math.ceil((untilMs - sinceMs) / Math.ceil(Math.max(1, entries) / ENTRIES_AT_ONCE)));
  const count = Math.ceil((untilMs - sinceMs) / stepMs);
  return Array.from({ length: count }, (_, part) =>
    spanOf(sinceMs + part * stepMs, Math.min(untilMs, sinceMs + (part + 1) * stepMs)),
  );
}

function isBalanced(postings: readonly Posting[]): boolean {
  const sums = new Map<Asset, bigint>();
  for (const { asset, minor } of postings) sums.set(asset, (sums.get(asset) ?? 0n) + minor);
  return [...sums.values()].every((minor) => minor === 0n);
}
