import { type Amount, type Asset, amount } from '../money/amount.ts';
import type { WireNumber } from '../money/decimal.ts';
import { fromWire, type MoneyUnit } from '../money/units.ts';

/** Whether two ids, addresses or names are equal; a value that is missing on either side says nothing. `*` masks characters. */
export function agrees(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return true;
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  if (a === b) return true;
  if (a.length !== b.length || !(a + b).includes('*')) return false;
  return [...a].every((character, index) => character === '*' || b[index] === '*' || character === b[index]);
}

/** Parses a wire amount; undefined if it is missing or malformed. */
export function amountAt(value: unknown, unit: MoneyUnit, asset: Asset): Amount | undefined {
  return value === undefined || value === null ? undefined : fromWire(value as WireNumber | string, unit, asset);
}

/** Whether both amounts are known and equal. */
export function isSameAmount(one: Amount | undefined, other: Amount | undefined): boolean {
  return one !== undefined && other !== undefined && one.asset === other.asset && one.minor === other.minor;
}

export const cngnOfNaira = (naira: Amount | undefined) => naira && amount('CNGN', naira.minor * 10_000n);
