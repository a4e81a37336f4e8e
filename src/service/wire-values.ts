import { Fault } from '../contract/faults.ts';
import type { Asset } from '../money/amount.ts';
import { fromWire } from '../money/amount.ts';
import type { WireNumber } from '../money/decimal.ts';

/** Converts a wire amount of Naira to kobo. Throws VALIDATION_ERROR if it has a fraction of a kobo. */
export function koboOf(wire: WireNumber): bigint {
  const value = fromWire(wire, 'naira', 'NGN');
  if (!value) throw new Fault('VALIDATION_ERROR', 'amount: expected at most 2 decimals');
  return value.minor;
}

/** Converts a wire amount in kobo. Throws VALIDATION_ERROR if it has a fraction. */
export function wholeKoboOf(wire: WireNumber): bigint {
  const value = fromWire(wire, 'kobo', 'NGN');
  if (!value) throw new Fault('VALIDATION_ERROR', 'amount: expected a whole number of kobo');
  return value.minor;
}

/**
 * Converts decimal text of whole tokens to base units. Throws VALIDATION_ERROR if it has more decimals than the asset.
 */
export function baseOfText(text: string, asset: Asset): bigint {
  const value = fromWire(text.replace(/^0+(?=\d)/, ''), 'decimal-string', asset);
  if (!value) throw new Fault('VALIDATION_ERROR', 'amount: expected at most 6 decimals');
  return value.minor;
}

/** A time range in milliseconds since the epoch, inclusive at both ends; an undefined end is open. */
interface TimeRange {
  readonly fromMs: number | undefined;
  readonly untilMs: number | undefined;
}

/**
 * Returns the time range between two dates of a request; a date without a time is midnight UTC. Throws VALIDATION_ERROR
 * if the end is before the start.
 */
export function timeRangeOf(request: {
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
}): TimeRange {
  const { startDate, endDate } = request;
  const fromMs = startDate === undefined ? undefined : Date.parse(startDate);
  const untilMs = endDate === undefined ? undefined : Date.parse(endDate);
  if (fromMs !== undefined && untilMs !== undefined && fromMs > untilMs)
    throw new Fault('VALIDATION_ERROR', 'startDate: expected a time not after endDate');
  return { fromMs, untilMs };
}
