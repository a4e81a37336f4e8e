import { type Amount, type Asset, amount } from '../money/amount.ts';
import type { WireNumber } from '../money/decimal.ts';
import { fromWire, isUnknownFigure, type MoneyUnit } from '../money/units.ts';
import type { ListRow } from './work.ts';

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

/** Naira that a sum of cNGN is worth; undefined if it has parts of a kobo. */
export const nairaOfCngn = (cngn: Amount | undefined): Amount | undefined =>
  cngn && cngn.minor % 10_000n === 0n ? amount('NGN', cngn.minor / 10_000n) : undefined;

export const cngnOfNaira = (naira: Amount | undefined) => naira && amount('CNGN', naira.minor * 10_000n);

/** How an amount of a row compares with the request's. `unsaid`: one of them is missing, or its unit is not known. */
type Match = 'equal' | 'other' | 'unsaid';

/** Compares an amount of a row with the request's. */
export function amountMatch(value: unknown, unit: MoneyUnit, wanted: Amount | undefined): Match {
  return matchOf(wanted && amountAt(value, unit, wanted.asset), wanted);
}

/** Compares two amounts. */
export function matchOf(found: Amount | undefined, wanted: Amount | undefined): Match {
  if (!found || !wanted) return 'unsaid';
  return isSameAmount(found, wanted) ? 'equal' : 'other';
}

/** The tag that a request carries in a text. */
const TAG = /\[fr-[0-9a-f]{8}\]/;

/** Whether a text of a row may be the request's, which the service may have cut. A tag that the request did not send is another request's. */
export function agreesText(row: unknown, sent: unknown): boolean {
  if (typeof row !== 'string') return true;
  if (typeof sent !== 'string') return !TAG.test(row);
  const [one, other] = [plainText(row), plainText(sent)];
  return one.startsWith(other) || other.startsWith(one);
}

/** Whether a text contains a tag, in whatever case and with whatever spaces the service shows it. */
export const hasTag = (text: string | null | undefined, tag: string | undefined): boolean =>
  tag !== undefined && plainText(text ?? '').includes(plainText(tag));

const plainText = (text: string): string => text.toLowerCase().replace(/\s+/g, '');

/** An order book figure of a row, and the amount of the request. */
type Figure = readonly [value: unknown, wanted: Amount | undefined];

/** Compares order book figures. If the service does not say their unit, it is the one in which all of them are equal. */
export function figuresMatch(figures: readonly Figure[]): Match {
  const isEqualIn = (unit: MoneyUnit) =>
    figures.every(
      ([value, wanted]) => amountMatch(isUnknownFigure(value) ? value.value : value, unit, wanted) === 'equal',
    );
  const isUnitKnown = figures.every(([value]) => !isUnknownFigure(value));
  if (isEqualIn('decimal-string') || (!isUnitKnown && isEqualIn('base'))) return 'equal';
  return figures.every(([value, wanted]) => wanted && (isUnknownFigure(value) || typeof value === 'string'))
    ? 'other'
    : 'unsaid';
}

/** Whether a text that the request lacks makes a row prove less. */
export const said = (text: unknown): Match => (typeof text === 'string' ? 'equal' : 'unsaid');

/** Whether two bank codes are equal. The service knows banks by codes of two lengths, which cannot be compared. */
export const agreesBankCode = (one: unknown, other: unknown): boolean =>
  String(one ?? '').length !== String(other ?? '').length || agrees(one, other);

/**
 * Returns whether a row says what the request said. `amounts` must be equal to prove it, and if one is not said, a person decides; `others` say
 * nothing where one side lacks them.
 */
export function compared(amounts: readonly Match[], others: readonly boolean[]): Pick<ListRow, 'isLike' | 'isPartial'> {
  return { isLike: others.every(Boolean) && !amounts.includes('other'), isPartial: amounts.includes('unsaid') };
}
