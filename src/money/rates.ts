import { type Asset, DECIMALS } from './amount.ts';
import { decimalText, scaledInteger, trimDecimal, type WireNumber, wireNumber, wireNumberText } from './decimal.ts';

/** A percentage as millionths of one percent: 1.7 percent is 1_700_000n. */
export type PercentMillionths = bigint;

const PERCENT_SCALE = 6;
export const HUNDRED_PERCENT: PercentMillionths = 100n * 10n ** BigInt(PERCENT_SCALE);

export function percentFromWire(value: WireNumber): PercentMillionths | undefined {
  return scaledInteger(wireNumberText(value), PERCENT_SCALE);
}

/** Parses a percentage: `0.5` is 500_000n. Returns undefined if it is not a plain decimal or has more than 6 decimals. */
export function percentFromText(text: string): PercentMillionths | undefined {
  return /^\d+(\.\d+)?$/.test(text) ? scaledInteger(text, PERCENT_SCALE) : undefined;
}

export function percentToWire(percent: PercentMillionths): WireNumber {
  return wireNumber(percentText(percent));
}

export function percentText(percent: PercentMillionths): string {
  return trimDecimal(decimalText(percent, PERCENT_SCALE));
}

/** Returns `percent` of an amount in smallest units, rounded half up. Neither may be negative. */
export function percentOfRoundHalfUp(minor: bigint, percent: PercentMillionths): bigint {
  return (2n * minor * percent + HUNDRED_PERCENT) / (2n * HUNDRED_PERCENT);
}

/** A share of an amount, in the same smallest unit. */
interface CappedShare {
  readonly minor: bigint;
  readonly beforeCapMinor: bigint;
  readonly isCapped: boolean;
}

/** Returns `percent` of an amount in smallest units, rounded half up, and at most `capMinor` if there is a cap. */
export function cappedPercentOf(minor: bigint, percent: PercentMillionths, capMinor: bigint | undefined): CappedShare {
  const beforeCapMinor = percentOfRoundHalfUp(minor, percent);
  const isCapped = capMinor !== undefined && beforeCapMinor > capMinor;
  return { minor: isCapped ? capMinor : beforeCapMinor, beforeCapMinor, isCapped };
}

const BASE_PER_KOBO = 10n ** BigInt(DECIMALS.CNGN - DECIMALS.NGN);

/** Converts Naira to cNGN at 1:1, exactly: 1 kobo is 10,000 base units. */
export function cngnBaseFromKobo(kobo: bigint): bigint {
  return kobo * BASE_PER_KOBO;
}

/** Converts cNGN base units to kobo, exactly; undefined if the amount is not a whole number of kobo. */
export function wholeKoboFromCngnBase(base: bigint): bigint | undefined {
  return base % BASE_PER_KOBO === 0n ? base / BASE_PER_KOBO : undefined;
}

/** Divides and rounds up; neither may be negative. */
export function ceilDivide(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

/**
 * Returns the price for a taker, in millionths of a cNGN for one stablecoin: the maker's price, moved by the spread against the
 * taker. A taker that gets stablecoin pays more cNGN for it; one that gets cNGN gets less. Rounds to millionths against the taker,
 * but never to zero. Source: public (seen live).
 */
export function takerPriceMicro(priceMicro: bigint, spread: PercentMillionths, makerGives: Asset): bigint {
  if (makerGives === 'CNGN') return (priceMicro * (HUNDRED_PERCENT - spread)) / HUNDRED_PERCENT || 1n;
  return ceilDivide(priceMicro * (HUNDRED_PERCENT + spread), HUNDRED_PERCENT);
}
