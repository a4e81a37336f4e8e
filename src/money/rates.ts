import { DECIMALS } from './amount.ts';
import { decimalText, scaledInteger, trimDecimal, type WireNumber, wireNumber, wireNumberText } from './decimal.ts';

/** A percentage as millionths of one percent: 1.7 percent is 1_700_000n. */
export type PercentMillionths = bigint;

const PERCENT_SCALE = 6;

export function percentFromWire(value: WireNumber): PercentMillionths | undefined {
  return scaledInteger(wireNumberText(value), PERCENT_SCALE);
}

/** `0.5` to 500_000n; undefined for what is no plain decimal, or has more than 6 decimals. */
export function percentFromText(text: string): PercentMillionths | undefined {
  return /^\d+(\.\d+)?$/.test(text) ? scaledInteger(text, PERCENT_SCALE) : undefined;
}

export function percentToWire(percent: PercentMillionths): WireNumber {
  return wireNumber(percentText(percent));
}

export function percentText(percent: PercentMillionths): string {
  return trimDecimal(decimalText(percent, PERCENT_SCALE));
}

/** `percent` of an amount in smallest units, half up. Both are at least 0. */
export function percentOfRoundHalfUp(minor: bigint, percent: PercentMillionths): bigint {
  const hundredPercent = 100n * 10n ** BigInt(PERCENT_SCALE);
  return (2n * minor * percent + hundredPercent) / (2n * hundredPercent);
}

const BASE_PER_KOBO = 10n ** BigInt(DECIMALS.CNGN - DECIMALS.NGN);

/** Naira to cNGN, one to one and exact: one kobo is 10,000 base units. */
export function cngnBaseFromKobo(kobo: bigint): bigint {
  return kobo * BASE_PER_KOBO;
}

/** cNGN to Naira, base units to kobo, exact: undefined for an amount that is finer than a kobo. */
export function wholeKoboFromCngnBase(base: bigint): bigint | undefined {
  return base % BASE_PER_KOBO === 0n ? base / BASE_PER_KOBO : undefined;
}
