import type { List, Row } from './source.ts';

/** A figure in words, or why it is not known. */
export interface NowFigure {
  readonly title: string;
  readonly text: string | null;
  readonly why: string | null;
}

/** Something that someone has to look at, and where it is listed. */
export interface NowNeed {
  readonly what: string;
  /** Of how many; undefined for what is not counted. */
  readonly count?: number;
  readonly list?: string;
  readonly filters?: Readonly<Record<string, string>>;
  /** What to type. */
  readonly todo?: string;
}

/** What moved on each of the last days, today last; a day of which nothing is known has no value. */
interface NowVolume {
  readonly title: string;
  readonly asset: string;
  readonly today: string;
  readonly usual: string | null;
  readonly days: readonly (number | null)[];
}

/** The first page: how much there is, what needs someone, and what moved. */
export interface Now {
  readonly at: string;
  /** Whose account it is, and when this was known. */
  readonly of: string;
  readonly asOf: string | null;
  readonly balances: readonly { readonly asset: string; readonly parts: readonly NowFigure[] }[];
  readonly needs: readonly NowNeed[];
  readonly volumes: readonly NowVolume[];
  readonly list: string;
  readonly latest: readonly Row[];
}

/** What needs action if there is any: `1 event given up`, `3 events given up`. */
export const counted = (
  count: number,
  [one, many]: readonly [one: string, many: string],
  where: Omit<NowNeed, 'what' | 'count'>,
): NowNeed[] => (count === 0 ? [] : [{ what: count === 1 ? one : many, count, ...where }]);

const DAY_MS = 86_400_000;

/** The rows of a list that someone has to look at. */
export async function workNeeds(list: List, name: string, nowMs: number): Promise<NowNeed[]> {
  const ago = new Date(nowMs - DAY_MS).toISOString();
  const wanted: readonly (readonly [what: string, filters: Readonly<Record<string, string>>])[] = [
    ['waiting for you', { look: 'you' }],
    ['failed in the last 24 hours', { look: 'bad', since: ago }],
    ['under way for more than 24 hours', { look: 'open', until: ago }],
  ];
  const all = await Promise.all(
    wanted.map(async ([what, filters]) => {
      const { total } = await list.page({ text: '', state: '', from: 0, limit: 0, ...filters });
      return counted(total, [`transaction ${what}`, `transactions ${what}`], { list: name, filters });
    }),
  );
  return all.flat();
}

/** How many days today is compared with. */
export const DAYS_BEFORE = 14;
export const MOST_LATEST = 8;

/** The middle of what is known of the days before today. */
export function usualOf(days: readonly bigint[]): bigint | undefined {
  const sorted = days.toSorted((a, b) => (a < b ? -1 : Number(a > b)));
  return sorted[Math.floor(sorted.length / 2)];
}
