import { type Amount, type Asset, DECIMALS } from './amount.ts';
import { decimalText, scaledInteger, trimDecimal, type WireNumber, wireNumber, wireNumberText } from './decimal.ts';

/**
 * How an amount travels. Source: interface (Amount units) and the contract's field rows.
 * naira: number of whole Naira. kobo: integer. token: number or text of whole tokens.
 * base: integer of millionths of a token. decimal-string: text of whole tokens (or Naira), all decimals.
 */
export type MoneyUnit = 'naira' | 'kobo' | 'token' | 'base' | 'decimal-string';

/** How many decimals of the asset one wire unit leaves: 0 where the wire carries the smallest unit itself. */
function wireScale(unit: MoneyUnit, asset: Asset): number {
  return unit === 'kobo' || unit === 'base' ? 0 : DECIMALS[asset];
}

/** The amount as the text its wire unit has: `5000.00` Naira, `500000` kobo, `1.500000` tokens, `1500000` base. */
export function toWireText(value: Amount, unit: MoneyUnit): string {
  return decimalText(value.minor, wireScale(unit, value.asset));
}

/** The amount as a JSON number in its wire unit, exact. */
export function toWireNumber(value: Amount, unit: MoneyUnit): WireNumber {
  return wireNumber(toWireText(value, unit));
}

/** A wire amount back to money; undefined when it is no number or finer than the asset's smallest unit. */
export function fromWire(value: WireNumber | string, unit: MoneyUnit, asset: Asset): Amount | undefined {
  const text = typeof value === 'string' ? value : wireNumberText(value);
  const minor = scaledInteger(text, wireScale(unit, asset));
  return minor === undefined ? undefined : { asset, minor };
}

/** The amount in its wire unit as a person would check it: `5000 naira`, `500000 kobo`. */
export function wireForPeople(value: Amount, unit: MoneyUnit): string {
  const name = unit === 'decimal-string' ? 'token' : unit;
  return `${trimDecimal(toWireText(value, unit))} ${name}`;
}
