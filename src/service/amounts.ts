import { Fault } from '../contract/faults.ts';
import type { Amount, Asset } from '../money/amount.ts';
import type { WireNumber } from '../money/decimal.ts';
import { fromWire, toWireText } from '../money/units.ts';

/** A wire amount of Naira in kobo. Throws VALIDATION_ERROR for one finer than a kobo. */
export function koboOf(wire: WireNumber): bigint {
  const value = fromWire(wire, 'naira', 'NGN');
  if (!value) throw new Fault('VALIDATION_ERROR', 'amount: at most two decimals');
  return value.minor;
}

/** A wire amount that is in kobo. Throws VALIDATION_ERROR for a fraction of one. */
export function wholeKoboOf(wire: WireNumber): bigint {
  const value = fromWire(wire, 'kobo', 'NGN');
  if (!value) throw new Fault('VALIDATION_ERROR', 'amount: expected whole kobo');
  return value.minor;
}

/** An amount of whole tokens, as decimal text, in base units. Throws VALIDATION_ERROR for one finer than that. */
export function baseOfText(text: string, asset: Asset): bigint {
  const value = fromWire(text.replace(/^0+(?=\d)/, ''), 'decimal-string', asset);
  if (!value) throw new Fault('VALIDATION_ERROR', 'amount: at most 6 decimals');
  return value.minor;
}

/** An amount as the wire writes whole tokens. */
export const tokenText = (value: Amount) => toWireText(value, 'token');
