import type { Queries } from '../../../journal/store.ts';
import type { MonthClose } from '../../closes.ts';
import type { Span } from '../report/movements.ts';
import { isCarried, openingPostings, USERS } from './book.ts';
import { balancesUntil, movedIn, type Posting, summed } from './sets.ts';

/** All users as one account: a close has no line for each. */
const ALL_USERS = USERS.slice(0, -1);

const withoutUsers = (account: string): string => (account.startsWith(USERS) ? ALL_USERS : account);

/** Postings with all users as one account. */
export const totalled = (postings: readonly Posting[]): readonly Posting[] =>
  summed(postings.map((each) => ({ ...each, account: withoutUsers(each.account) })));

const negated = (postings: readonly Posting[]): readonly Posting[] =>
  postings.map((each) => ({ ...each, minor: -each.minor }));

/** What one list of postings has and another one has not. */
export const without = (one: readonly Posting[], other: readonly Posting[]): readonly Posting[] =>
  summed([...one, ...negated(other)]);

/** The rows of a closed month, as its books count them. */
const spanOfClose = ({ since, until }: Pick<MonthClose, 'since' | 'until'>): Span => {
  const before = (at: string) => new Date(Date.parse(at) - 1).toISOString();
  return { from: before(since), to: before(until) };
};

/** What the rows of a closed month move today and did not when it was closed; empty if nothing came late. Rejects with DatabaseError. */
export async function lateIn(queries: Queries, close: MonthClose): Promise<readonly Posting[]> {
  return without(totalled(await movedIn(queries, spanOfClose(close))), close.moved);
}

/**
 * What came late for closed months and is in no close yet: it counts in the month that is open. It sums to zero in each asset. Rejects with
 * DatabaseError.
 */
export async function adjustmentsAfter(queries: Queries, closes: readonly MonthClose[]): Promise<readonly Posting[]> {
  const late: Posting[] = [];
  for (const close of closes) late.push(...(await lateIn(queries, close)), ...negated(close.adjustments));
  const [first] = closes;
  // What the account had before the first month may have become something else, too.
  const before = first ? without(totalled(await carriedAt(queries, spanOfClose(first).from)), first.opening) : [];
  return summed([...late, ...openingPostings(before)]);
}

/** The balances that accounts keep, at a moment. Rejects with DatabaseError. */
export const carriedAt = async (queries: Queries, to: string): Promise<readonly Posting[]> =>
  (await balancesUntil(queries, to)).filter(({ account }) => isCarried(account));

/** What a close records of the books of its month. */
export const partsOfClose = ({
  opening,
  adjustments,
  moved,
  closing,
}: Readonly<Record<'opening' | 'adjustments' | 'moved' | 'closing', readonly Posting[]>>): Pick<
  MonthClose,
  'opening' | 'adjustments' | 'moved' | 'closing'
> => ({
  opening: [...totalled(opening)],
  adjustments: [...adjustments],
  moved: [...totalled(moved)],
  closing: totalled(closing).filter(({ account }) => isCarried(account)),
});
