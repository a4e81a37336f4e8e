import { areEnds } from '../contract/compare.ts';
import { type Amount, type Asset, fromWire, isUnknownFigure, type MoneyUnit } from '../money/amount.ts';
import { isWireNumber, type WireNumber } from '../money/decimal.ts';
import { percentFromWire } from '../money/rates.ts';

/** How what a row or an event says compares with a request. */
export interface Likeness {
  /** Whether it says what the request said, and contradicts nothing of it. */
  readonly isLike: boolean;
  /** Whether it says too little to be proof: it may be the request, and a person decides. */
  readonly isPartial?: boolean | undefined;
}

/** A request as recorded: redacted, in wire form, with the terms that it only refers to. */
export type Wanted = Readonly<Record<string, unknown>>;

/** What an event says. Its numbers are exact. */
export interface EventContent {
  readonly userId: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Compares two percentages. */
export function percentMatch(one: unknown, other: unknown): Match {
  if (!isWireNumber(one) || !isWireNumber(other)) return 'unknown';
  return percentFromWire(one) === percentFromWire(other) ? 'equal' : 'other';
}

/** Parses a wire amount; undefined if it is missing or malformed. */
export function amountAt(value: unknown, unit: MoneyUnit, asset: Asset): Amount | undefined {
  return value === undefined || value === null ? undefined : fromWire(value as WireNumber | string, unit, asset);
}

/** Whether both amounts are known and equal. */
function isSameAmount(one: Amount | undefined, other: Amount | undefined): boolean {
  return one !== undefined && other !== undefined && one.asset === other.asset && one.minor === other.minor;
}

/** How an amount of a row compares with the request's. `unknown`: one of them is missing, or its unit is not known. */
export type Match = 'equal' | 'other' | 'unknown';

/** Compares an amount of a row with the request's. */
export function amountMatch(value: unknown, unit: MoneyUnit, wanted: Amount | undefined): Match {
  return matchOf(wanted && amountAt(value, unit, wanted.asset), wanted);
}

/** Compares two amounts. */
export function matchOf(found: Amount | undefined, wanted: Amount | undefined): Match {
  if (!found || !wanted) return 'unknown';
  return isSameAmount(found, wanted) ? 'equal' : 'other';
}

/** The tag that a request carries in a text. */
const TAG = /\[fr-[0-9a-f]{8}\]/i;

/** Whether a text of a row may be the request's, which the service may have cut. A tag that the request did not send is another request's. */
export function agreesText(row: unknown, sent: unknown): boolean {
  if (typeof row !== 'string') return true;
  if (typeof sent !== 'string') return !TAG.test(row);
  return areEnds(plainText(row), plainText(sent));
}

/** Whether a text contains a tag, in whatever case, and with whatever spaces and signs around it the service shows it. */
export function hasTag(text: string | null | undefined, tag: string | undefined): boolean {
  const plainTag = plainText(tag ?? '');
  return plainTag !== '' && plainText(text ?? '').includes(plainTag);
}

/** Banks cut texts, change their case and leave out signs. */
const plainText = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** An order book figure of a row, and the amount of the request. */
type ComparedFigure = readonly [value: unknown, wanted: Amount | undefined];

/** Compares order book figures. If the service does not say their unit, it is the one in which all of them are equal. */
export function figuresMatch(figures: readonly ComparedFigure[]): Match {
  const isUnitKnown = !figures.some(([value]) => isUnknownFigure(value));
  const units: readonly MoneyUnit[] = isUnitKnown ? ['decimal-string'] : ['decimal-string', 'base'];
  const inUnits = units.map((unit) =>
    allOf(figures.map(([value, wanted]) => amountMatch(isUnknownFigure(value) ? value.value : value, unit, wanted))),
  );
  return (['equal', 'unknown'] as const).find((match) => inUnits.includes(match)) ?? 'other';
}

/** What several comparisons say together. */
export const allOf = (matches: readonly Match[]): Match =>
  (['other', 'unknown'] as const).find((match) => matches.includes(match)) ?? 'equal';

/** Something that makes a row prove less if it is not known. */
export const knownMatch = (text: unknown): Match => (typeof text === 'string' ? 'equal' : 'unknown');

/**
 * Returns whether a row says what the request said. `amounts` must be equal to prove it, and if one is missing, a person decides; `others` say
 * nothing where one side lacks them.
 */
export function compared(amounts: readonly Match[], others: readonly boolean[]): Likeness {
  const match = allOf(amounts);
  return { isLike: others.every(Boolean) && match !== 'other', isPartial: match === 'unknown' };
}
