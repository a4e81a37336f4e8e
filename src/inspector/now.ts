import type { Row } from './source.ts';

/** A figure in words, or why it is not known. */
export interface NowFigure {
  readonly title: string;
  readonly text: string | null;
  readonly why: string | null;
}

/** Something that someone has to look at, and where it is listed. */
export interface NowNeed {
  readonly what: string;
  readonly count: number;
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

/** How many days today is compared with. */
export const DAYS_BEFORE = 14;
export const MOST_LATEST = 8;

/** The middle of what is known of the days before today. */
export function usualOf(days: readonly bigint[]): bigint | undefined {
  const sorted = days.toSorted((a, b) => (a < b ? -1 : Number(a > b)));
  return sorted[Math.floor(sorted.length / 2)];
}
