import { isUnknownFigure, type MoneyUnit } from '../money/amount.ts';
import { isWireNumber, scaledInteger, wireNumberText } from '../money/decimal.ts';
import { matchesVisible, parseRange, parseVisible } from './cidr.ts';
import type { FieldMeta } from './fields.ts';
import { ledgerNetwork, NETWORKS, networkOf } from './networks.ts';

/** Whether two texts are equal, where `*` masks characters. A mask of another length hides an unknown number of characters. */
function isEqualMasked(a: string, b: string): boolean {
  if (a === b || !(a + b).includes('*')) return a === b;
  if (a.length === b.length)
    return [...a].every((character, index) => character === '*' || b[index] === '*' || character === b[index]);
  return areEnds(startOf(a), startOf(b)) && areEnds(reversed(endOf(a)), reversed(endOf(b)));
}

const startOf = (masked: string): string => masked.split('*', 1)[0] ?? '';
const endOf = (masked: string): string => masked.slice(masked.lastIndexOf('*') + 1);
const reversed = (text: string): string => [...text].reverse().join('');

/** Whether one of two texts is the beginning of the other. */
export const areEnds = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one);

/** Whether two ids, addresses or names are equal in any case; a value that is missing on either side says nothing. `*` masks characters. */
export function agrees(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return true;
  return isEqualMasked(one.toLowerCase(), other.toLowerCase());
}

/** Whether two networks are the same one, whatever the service calls them; one that is missing says nothing. */
export const agreesNetwork = (one: unknown, other: unknown): boolean => agrees(networkKey(one), networkKey(other));

function networkKey(name: unknown): unknown {
  if (typeof name !== 'string') return name;
  const network = networkOf(name) ?? NETWORKS.find((each) => each.name.toLowerCase() === name.toLowerCase());
  return network ? ledgerNetwork(network) : name;
}

/** Whether two bank codes are equal. The service knows banks by codes of two lengths, which cannot be compared. */
export const agreesBankCode = (one: unknown, other: unknown): boolean =>
  String(one ?? '').length !== String(other ?? '').length || agrees(one, other);

/** Whether two texts name the same tokens, or one of them only some: `CNGN-USDC` is a pair of `USDC` and `cNGN`. */
function agreesTokens(one: string, other: string): boolean {
  const [a, b] = [tokensIn(one), tokensIn(other)];
  return a.every((token) => b.includes(token)) || b.every((token) => a.includes(token));
}

/** Whether a range of addresses is the one that is shown, which may be masked and spelled otherwise. One that cannot be read says nothing. */
function agreesRange(asked: string, answered: string): boolean {
  const [range, shown] = [parseRange(asked), parseVisible(answered)];
  return !range || !shown || matchesVisible(range, shown);
}

const tokensIn = (text: string): readonly string[] => text.toUpperCase().match(/[A-Z0-9]+/g) ?? [];

/** Hexadecimal ids and addresses may differ in case; other ones may not. */
const HEX = /^(0x)?[\da-f*-]+$/i;

/** What the contract knows of a field of a request and of the field of the response that repeats it. */
export type ComparedMeta = Pick<FieldMeta, 'type' | 'unit' | 'asset' | 'names' | 'byDefault'>;

/**
 * Whether a value of a response repeats that of the request, as the fields' metadata says how to compare them. A value that is missing or cannot be read says
 * nothing.
 */
export function repeatsValue(
  asked: unknown,
  answered: unknown,
  ofAsked: ComparedMeta,
  ofAnswered: ComparedMeta,
): boolean {
  if (isUnit(ofAnswered.unit)) return repeatsAmount(asked, answered, ofAsked, ofAnswered);
  if (typeof asked === 'boolean' && typeof answered === 'boolean') return asked === answered;
  const [a, b] = [textOf(asked), textOf(answered)];
  if (a === undefined || b === undefined) return true;
  if (ofAnswered.unit === 'percent') return areEqual(scaledInteger(a, 6), scaledInteger(b, 6));
  const names = ofAsked.names ?? ofAnswered.names;
  if (names === 'network') return agreesNetwork(a, b);
  if (names === 'bank') return agreesBankCode(a, b);
  if (names === 'ip') return agreesRange(a, b);
  if (names === 'tokens') return agreesTokens(a, b);
  const isWord = [ofAsked, ofAnswered].some(({ type }) => type.startsWith('enum['));
  return isWord || (HEX.test(a) && HEX.test(b)) ? agrees(a, b) : isEqualMasked(a, b);
}

const isUnit = (unit: FieldMeta['unit']): unit is MoneyUnit => unit !== undefined && unit !== 'percent';

/** A text or a number as text; undefined if it is missing, empty or something else. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return isWireNumber(value) ? wireNumberText(value) : undefined;
}

const areEqual = (one: bigint | undefined, other: bigint | undefined): boolean =>
  one === undefined || other === undefined || one === other;

/** Whether the response's amount is the request's in one of the units that it may have. */
function repeatsAmount(asked: unknown, answered: unknown, ofAsked: ComparedMeta, ofAnswered: ComparedMeta): boolean {
  const wanted = textOf(asked);
  const unit = isUnit(ofAsked.unit) ? ofAsked.unit : ofAnswered.unit;
  const known = wanted !== undefined && isUnit(unit) ? millionthsIn(wanted, unit) : undefined;
  const found = amountsOf(answered, ofAnswered);
  return known === undefined || found.length === 0 || found.includes(known);
}

/** What a figure of a response may be, in millionths of a Naira or token: one value, or one for each documented unit if its unit is not known. */
function amountsOf(answered: unknown, { unit, asset }: ComparedMeta): readonly bigint[] {
  const text = isUnknownFigure(answered) ? answered.value : textOf(answered);
  if (text === undefined || text.includes('*') || !isUnit(unit)) return [];
  // Nothing is smaller than these units, so a point says that the figure is in another one.
  const isOther = (unit === 'base' || unit === 'kobo') && /[.e]/i.test(text);
  const units = isUnknownFigure(answered) || isOther ? UNITS[asset === 'NGN' ? 'naira' : 'token'] : [unit];
  return units.flatMap((each) => millionthsIn(text, each) ?? []);
}

/** The documented units of Naira and of tokens. Source: interface (Amount units). */
const UNITS = { naira: ['kobo', 'naira'], token: ['base', 'token'] } as const satisfies Record<
  string,
  readonly MoneyUnit[]
>;

/** How many decimals a unit has when it is written in millionths of a Naira or token. */
const UNIT_DECIMALS = { kobo: 4, base: 0, naira: 6, token: 6, 'decimal-string': 6 } as const satisfies Record<
  MoneyUnit,
  number
>;

export const millionthsIn = (text: string, unit: MoneyUnit): bigint | undefined =>
  scaledInteger(text, UNIT_DECIMALS[unit]);
