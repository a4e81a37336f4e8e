import type { Queries } from '../../../journal/store.ts';
import type { MonthClose } from '../../closes.ts';
import { firstCheckAt } from '../report/checks.ts';
import type { Span } from '../report/movements.ts';
import { isCarried, OPENING, openingPostings, USERS } from './book.ts';
import { type BookSet, balancesUntil, movedIn, type Posting, type SetName, summed, unknownIn } from './sets.ts';

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

/** A set of which an amount is not known, with the codes for why. */
export type LackingSet = SetName & Pick<BookSet, 'unknown'>;

/**
 * The sets of a closed month of which this copy does not know an amount that was known when the month was closed: it was made later, or its
 * balances and fee schedules were lost. Rejects with DatabaseError.
 */
export async function lackingIn(queries: Queries, close: MonthClose): Promise<readonly LackingSet[]> {
  const lacking = await unknownIn(queries, spanOfClose(close));
  const isNew = ({ known }: { readonly known: string }, all: readonly unknown[]) =>
    all.length > (close.accepted.find(({ code }) => code === known)?.sets ?? 0);
  return [...Map.groupBy(lacking, ({ known }) => known).values()].flatMap((all) =>
    all.flatMap(({ known, ...set }) => (isNew({ known }, all) ? [{ ...set, unknown: [known] }] : [])),
  );
}

/** What came late for closed months and is in no close yet: it counts in the month that is open. */
interface Adjustments {
  /** They sum to zero in each asset; empty if the copy knows less of a closed month than its close. */
  readonly postings: readonly Posting[];
  readonly lacking: readonly LackingSet[];
}

/** What balances alone say: a copy that was made later has all of it as what there was at first. */
const BY_BALANCES: readonly string[] = [OPENING, 'equity:unlisted'];

/** Returns what came late for closed months, which are all until a moment. Rejects with DatabaseError. */
export async function adjustmentsAfter(queries: Queries, closes: readonly MonthClose[]): Promise<Adjustments> {
  const late: Posting[] = [];
  const lacking: LackingSet[] = [];
  for (const close of closes) {
    const own = await lateIn(queries, close);
    if (own.length > 0) lacking.push(...(await lackingIn(queries, close)));
    late.push(...own, ...negated(close.adjustments));
  }
  if (lacking.length > 0) return { postings: [], lacking };
  const [first] = closes;
  // What the account had before the first month may have become something else, too.
  const before = first ? without(totalled(await carriedAt(queries, spanOfClose(first).from)), first.opening) : [];
  const all = [...late, ...openingPostings(before)];
  const isYounger = first !== undefined && ((await firstCheckAt(queries)) ?? '') >= first.until;
  const named = isYounger
    ? all.map((each) => (BY_BALANCES.includes(each.account) ? { ...each, account: OPENING } : each))
    : all;
  return { postings: summed(named), lacking };
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

/** What closes say of a period. */
export interface ClosedPeriod {
  /** With which it was closed; undefined if it is open. */
  readonly close: MonthClose | undefined;
  /** By what its rows differ from the close. */
  readonly late: readonly Posting[];
  /** Whether all that came late is in closes of later months. */
  readonly isCounted: boolean;
  /** If it is open and follows closed months: what came late for them, which counts in it, and the last one of them. */
  readonly adjustments: readonly Posting[];
  readonly after: string | undefined;
  /** The sets of closed months of which this copy knows less than their close. */
  readonly lacking: readonly LackingSet[];
}

/** Returns what closes say of a period. Rejects with DatabaseError. */
export async function closedPeriod(
  queries: Queries,
  closes: readonly MonthClose[],
  { since, until }: Pick<MonthClose, 'since' | 'until'>,
): Promise<ClosedPeriod> {
  const close = closes.find((each) => each.since === since && each.until === until);
  const before = closes.filter((each) => each.until <= since);
  const last = before.at(-1);
  if (close) {
    const late = await lateIn(queries, close);
    const lacking = late.length > 0 ? await lackingIn(queries, close) : [];
    const isCounted =
      late.length === 0 || (lacking.length === 0 && (await adjustmentsAfter(queries, closes)).postings.length === 0);
    return { close, late, isCounted, adjustments: [], after: last?.month, lacking };
  }
  if (last?.until !== since)
    return { close: undefined, late: [], isCounted: true, adjustments: [], after: undefined, lacking: [] };
  const { postings, lacking } = await adjustmentsAfter(queries, before);
  return { close: undefined, late: [], isCounted: true, adjustments: postings, after: last.month, lacking };
}
