import { type Asset, amountForPeople } from './amount.ts';

/** How far a figure is known that is not known exactly. */
export interface Known {
  /** `no`: not at all, so there is no amount. Otherwise the amount is the least or the most that it can be. */
  readonly is: 'at least' | 'at most' | 'no';
  /** The code of the reason. */
  readonly why: string;
  /** Since when such figures are known, ISO 8601 in UTC; null if no time says it. */
  readonly since: string | null;
  /** Of how many rows something is not known, where that is why. */
  readonly rows?: number;
}

/** Why a figure is not known, and since when such figures are. */
export type NotKnown = Omit<Known, 'is'>;

/** What a report says of an amount. An amount that is known is a figure without `known`. */
export interface Figure {
  /** Null if nothing says of which asset it is. */
  readonly asset: Asset | null;
  /** In the smallest unit; null if it is not known, and only then. */
  readonly minor: bigint | null;
  readonly known?: Known;
}

/** Returns a figure of which nothing is known. */
export const unknownFigure = (asset: Asset | null, reason: NotKnown): Figure => ({
  asset,
  minor: null,
  known: { ...reason, is: 'no' },
});

/** Returns the figure of something that is never negative, and of which a part is known. Of nothing, nothing is known. */
export const atLeast = (asset: Asset, minor: bigint, reason: NotKnown): Figure =>
  minor <= 0n ? unknownFigure(asset, reason) : { asset, minor, known: { ...reason, is: 'at least' } };

const OPPOSITE = { 'at least': 'at most', 'at most': 'at least', no: 'no' } as const;

/** Formats a figure for people: `₦5,000.00`, `at least ₦5,000.00`, `not known`. */
export function figureForPeople({ asset, minor, known }: Figure): string {
  if (asset === null || minor === null) return 'not known';
  const text = amountForPeople({ asset, minor });
  return known ? `${known.is} ${text}` : text;
}

/** Returns a figure with the other sign: what is at least 5 is at most -5. */
export function negated({ asset, minor, known }: Figure): Figure {
  const other = minor === null ? null : -minor;
  return known ? { asset, minor: other, known: { ...known, is: OPPOSITE[known.is] } } : { asset, minor: other };
}

/** Adds up figures of one asset. A sum is as known as its least known part; of a least and a most, nothing is known. */
export function sumOfFigures(asset: Asset, figures: readonly Figure[]): Figure {
  let minor = 0n;
  let known: Known | undefined;
  for (const each of figures) {
    if (each.minor === null || (known && each.known && known.is !== each.known.is))
      return unknownFigure(asset, each.known ?? { why: 'NOT_STATED', since: null });
    minor += each.minor;
    known ??= each.known;
  }
  return known ? { asset, minor, known } : { asset, minor };
}

const MOST_KNOWN: readonly string[] = ['at least', 'at most', 'no'];

/** Whether a value says how far a figure is known. */
export function isKnown(value: unknown): value is Known {
  if (typeof value !== 'object' || value === null) return false;
  const { is, why, since } = value as { readonly [name in keyof Known]?: unknown };
  const isTime = since === null || typeof since === 'string';
  return typeof is === 'string' && MOST_KNOWN.includes(is) && typeof why === 'string' && isTime;
}
