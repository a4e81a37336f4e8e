import { Fault } from '../../contract/faults.ts';
import type { WireNumber } from '../../money/decimal.ts';
import { fromWire } from '../../money/units.ts';

/** A wire amount of Naira in kobo. Throws VALIDATION_ERROR for one finer than a kobo. */
export function koboOf(wire: WireNumber): bigint {
  const value = fromWire(wire, 'naira', 'NGN');
  if (!value) throw new Fault('VALIDATION_ERROR', 'amount: at most two decimals');
  return value.minor;
}
