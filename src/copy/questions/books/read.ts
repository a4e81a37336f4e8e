import type { Zone } from '../../../base/zone.ts';
import type { Queries } from '../../../journal/store.ts';
import type { Asset } from '../../../money/amount.ts';
import { partsOf, spanOf } from '../report/periods.ts';
import { type Book, isKept, OPENING, openingPostings } from './book.ts';
import { CONVERSION } from './prices.ts';
import { type BookSet, balancesBy, type Posting, setsIn, summed } from './sets.ts';

type Named = Pick<BookSet, 'thing' | 'id' | 'step' | 'unknown'>;

/** What in the books of a period is not proved. */
export interface Untied {
  /** The sets of which amounts are not known, and why. */
  readonly unknown: readonly Named[];
  /** The sets that do not sum to zero in an asset. */
  readonly unbalanced: readonly Named[];
  /** Accounts that at the end have something else than their sets add up to. */
  readonly off: readonly (Posting & { readonly expected: bigint })[];
}

/** The books of a period, and what they lack, which is known when all sets were read. */
export interface ReadBook extends Book {
  untied(): Untied;
}

const DAY_MS = 86_400_000;

const keyOf = ({ account, asset }: Pick<Posting, 'account' | 'asset'>) => `${account} ${asset}`;

/** Postings of as many accounts as two lists have together, with the amounts of the first. */
const withAll = (postings: readonly Posting[], others: readonly Posting[]): readonly Posting[] => {
  const has = new Set(postings.map(keyOf));
  const missing = others.filter((each) => !has.has(keyOf(each))).map((each) => ({ ...each, minor: 0n }));
  return [...postings, ...missing].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
};

/**
 * Reads the books of a period from a copy. The sets are read while they are written, day by day, within the transaction of `queries`.
 * Rejects with DatabaseError.
 */
export async function bookOf(
  queries: Queries,
  { sinceMs, untilMs, title }: { readonly sinceMs: number; readonly untilMs: number; readonly title: string },
  zone: Zone,
): Promise<ReadBook> {
  const span = spanOf(sinceMs, untilMs);
  const days = partsOf(sinceMs, untilMs, 'day', zone);
  const dayMs = (ms: number) => new Date(ms + zone.offsetMs(ms)).toISOString().slice(0, 10);
  const keptAt = async (to: string) =>
    summed((await balancesBy(queries, { to })).filter(({ account }) => isKept(account)));
  const [opening, kept] = [await keptAt(span.from), await keptAt(span.to)];
  const moved = await balancesBy(queries, span);
  const others = summed([
    ...openingPostings(opening).filter(({ account }) => account === OPENING),
    ...moved.filter(({ account }) => !isKept(account) && account !== CONVERSION),
  ]);
  const closing = withAll(
    [...kept, ...others],
    [...opening, ...moved.filter(({ account }) => account !== CONVERSION), ...openingPostings(opening)],
  );
  const found = { unknown: [] as Named[], unbalanced: [] as Named[] };
  let sums = summed(openingPostings(opening));
  async function* sets(): AsyncGenerator<BookSet> {
    for (const { sinceMs: from, untilMs: to } of days) {
      const ofDay: Posting[] = [];
      for await (const set of setsIn(queries, [spanOf(from, to)])) {
        const { thing, id, step, unknown } = set;
        if (unknown.length > 0) found.unknown.push({ thing, id, step, unknown });
        if (!isBalanced(set.postings)) found.unbalanced.push({ thing, id, step, unknown });
        ofDay.push(...set.postings);
        yield set;
      }
      sums = summed([...sums, ...ofDay]);
    }
  }
  return {
    title,
    days: {
      before: dayMs(sinceMs - DAY_MS),
      first: dayMs(sinceMs),
      last: dayMs(untilMs - 1),
      after: dayMs(untilMs - 1 + DAY_MS),
    },
    opening,
    closing,
    sets: sets(),
    dayOf: (at) => dayMs(Date.parse(at)),
    untied: () => {
      const expectedOf = new Map(sums.map((sum) => [keyOf(sum), sum.minor]));
      const off = closing.flatMap((each) => {
        const expected = expectedOf.get(keyOf(each)) ?? 0n;
        return expected === each.minor ? [] : [{ ...each, expected }];
      });
      return { ...found, off };
    },
  };
}

function isBalanced(postings: readonly Posting[]): boolean {
  const sums = new Map<Asset, bigint>();
  for (const { asset, minor } of postings) sums.set(asset, (sums.get(asset) ?? 0n) + minor);
  return [...sums.values()].every((minor) => minor === 0n);
}
