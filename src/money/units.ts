import { type Amount, type Asset, DECIMALS } from './amount.ts';
import { decimalText, scaledInteger, trimDecimal, type WireNumber, wireNumber, wireNumberText } from './decimal.ts';

/**
 * How an amount is written on the wire. Source: interface (Amount units) and the contract's field rows.
 * naira: a number of Naira. kobo: an integer. token: a number or string of tokens.
 * base: an integer of millionths of a token. decimal-string: a string of tokens (or Naira) with all decimals.
 */
export type MoneyUnit = 'naira' | 'kobo' | 'token' | 'base' | 'decimal-string';

/** Returns the number of decimals a wire unit allows: 0 if the wire unit is the smallest unit. */
function wireScale(unit: MoneyUnit, asset: Asset): number {
  return unit === 'kobo' || unit === 'base' ? 0 : DECIMALS[asset];
}

/** Formats an amount in its wire unit: `5000.00` Naira, `500000` kobo, `1.500000` tokens, `1500000` base. */
export function toWireText(value: Amount, unit: MoneyUnit): string {
  return decimalText(value.minor, wireScale(unit, value.asset));
}

/** Converts an amount to an exact JSON number in its wire unit. */
export function toWireNumber(value: Amount, unit: MoneyUnit): WireNumber {
  return wireNumber(toWireText(value, unit));
}

/** Parses an amount in its wire unit; undefined if it is not a number or is finer than the asset's smallest unit. */
export function fromWire(value: WireNumber | string, unit: MoneyUnit, asset: Asset): Amount | undefined {
  const text = typeof value === 'string' ? value : wireNumberText(value);
  const minor = scaledInteger(text, wireScale(unit, asset));
  return minor === undefined ? undefined : { asset, minor };
}

/** Formats an amount in its wire unit for people: `5000 naira`, `500000 kobo`. */
export function wireForPeople(value: Amount, unit: MoneyUnit): string {
  const name = unit === 'decimal-string' ? 'token' : unit;
  return `${trimDecimal(toWireText(value, unit))} ${name}`;
}

/** A figure of a response that does not say its unit: tokens or base units. It is printed as it came. */
export interface UnknownFigure {
  readonly value: string;
  readonly unit: 'unknown';
}

export function isUnknownFigure(value: unknown): value is UnknownFigure {
  if (typeof value !== 'object' || value === null) return false;
  const { value: text, unit } = value as Partial<UnknownFigure>;
  return typeof text === 'string' && unit === 'unknown';
}
