import type { Contradiction } from '../base/errors.ts';
import {
  amountForPeople,
  isUnknownFigure,
  type MoneyUnit,
  STATED_DECIMALS,
  type StatedAsset,
} from '../money/amount.ts';
import { isJsonObject, isWireNumber, scaledInteger, wireNumberText } from '../money/decimal.ts';
import { matchesVisible, parseRange, parseVisible } from './cidr.ts';
import { type Endpoint, FAILS } from './endpoint.ts';
import type { FieldMeta } from './fields.ts';
import { ledgerNetwork, NETWORKS, networkOf } from './networks.ts';
import type { Fields } from './reading/values.ts';
import { elementOf, fieldOf, unwrap } from './rows.ts';

/** Whether one of two texts is the beginning of the other. */
export const areEnds = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one);

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
type ComparedMeta = Pick<FieldMeta, 'type' | 'unit' | 'asset' | 'names' | 'byDefault'>;

/**
 * Whether a value of a response repeats that of the request, as the fields' metadata says how to compare them. A value that is missing or cannot be read says
 * nothing.
 */
function repeatsValue(asked: unknown, answered: unknown, ofAsked: ComparedMeta, ofAnswered: ComparedMeta): boolean {
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
function textOf(value: unknown): string | undefined {
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

const millionthsIn = (text: string, unit: MoneyUnit): bigint | undefined => scaledInteger(text, UNIT_DECIMALS[unit]);

/** A field that the contract does not have: a term that the request only refers to. */
const UNKNOWN_FIELD: ComparedMeta = { type: 'string' };

/** Returns the fields of the response that repeat each field of the request, as pairs. */
export const repetitionsOf = ({ repeats = {} }: Pick<Endpoint, 'repeats'>): readonly (readonly [string, string])[] =>
  Object.entries(repeats).flatMap(([field, paths]) =>
    (typeof paths === 'string' ? [paths] : paths).map((path) => [field, path] as const),
  );

/**
 * Returns what a response in the contract's form says in place of what was asked; undefined if it contradicts nothing. `known` is the request with the terms that
 * it only refers to.
 */
export function contradictionIn(endpoint: Endpoint, known: Fields, data: unknown): Contradiction | undefined {
  const asked = new Map<string, string>();
  const answered: string[] = [];
  for (const [field, path] of repetitionsOf(endpoint)) {
    const ofAsked = metaAt(endpoint.request(), field) ?? UNKNOWN_FIELD;
    const ofAnswered = metaAt(endpoint.response(), path) ?? UNKNOWN_FIELD;
    const wanted = isNamedOtherwise(endpoint, field, known) ? [] : wantedAt(known, field, ofAsked);
    const found = valuesAt(data, path);
    if (wanted.length === 0 || found.length === 0) continue;
    if (wanted.some((one) => found.some((other) => repeatsValue(one, other, ofAsked, ofAnswered)))) continue;
    // Of a term, the response's field says in which unit it is.
    const ofWanted = ofAsked.unit === undefined ? ofAnswered : ofAsked;
    asked.set(field, `${field} ${wanted.map((each) => shown(each, ofWanted, known)).join(' or ')}`);
    answered.push(`${path} ${found.map((each) => shown(each, ofAnswered, aroundIn(data, path))).join(' and ')}`);
  }
  return answered.length === 0 ? undefined : { asked: [...asked.values()].join(', '), answered: answered.join(', ') };
}

/** Whether another name of the request has the same value, such as the address of a wallet in place of an id: then it is no id. */
function isNamedOtherwise({ synonyms = {}, repeats = {} }: Endpoint, field: string, known: Fields): boolean {
  return Object.entries(synonyms).some(
    ([other, name]) => name === field && Object.hasOwn(repeats, other) && known[other] === known[field],
  );
}

function wantedAt(known: Fields, field: string, { byDefault }: ComparedMeta): readonly unknown[] {
  const given = valuesAt(known, field);
  return given.length === 0 && byDefault !== undefined ? [byDefault] : given;
}

/** Returns the values of a field, of every item where there is a list; none if it is missing or empty. */
export function valuesAt(value: unknown, path: string): readonly unknown[] {
  let found: readonly unknown[] = [value];
  for (const name of path.split('.'))
    found = found.flatMap((each) => (isJsonObject(each) && Object.hasOwn(each, name) ? listed(each[name]) : []));
  return found.filter((each) => (each ?? '') !== '');
}

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Returns the metadata of a field by its dotted name; undefined if the contract does not have it. */
export function metaAt(schema: Parameters<typeof unwrap>[0], path: string): FieldMeta | undefined {
  let at: Parameters<typeof unwrap>[0] | undefined = schema;
  for (const name of path.split('.')) {
    const { schema: inner } = unwrap(at);
    at = fieldOf(elementOf(inner) ?? inner, name);
    if (!at) return undefined;
  }
  return unwrap(at).meta;
}

/** The fields around a field: those beside it win. */
function aroundIn(data: unknown, path: string): Fields {
  const names = path.split('.').slice(0, -1);
  const around = names.map((_, index) => valuesAt(data, names.slice(0, index + 1).join('.'))[0]);
  return Object.assign({}, ...[data, ...around].filter(isJsonObject)) as Fields;
}

/** The maximum length of a value in a message, in characters. */
const MAX_SHOWN = 200;

/** A value for people: an amount with its asset, if that is known. */
function shown(value: unknown, meta: ComparedMeta, around: Fields): string {
  if (isUnknownFigure(value)) return `${clean(value.value)} (in an unknown unit)`;
  if (typeof value === 'boolean') return String(value);
  const text = textOf(value) ?? JSON.stringify(value);
  return amountShown(text, meta, around) ?? clean(text);
}

const clean = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]+/gu, '').slice(0, MAX_SHOWN);

function amountShown(text: string, { unit, asset: rule }: ComparedMeta, around: Fields): string | undefined {
  if (unit === undefined || unit === 'percent' || rule === undefined || rule === null) return undefined;
  const asset = typeof rule === 'string' ? rule : 'field' in rule ? (around[rule.field] ?? rule.byDefault) : undefined;
  const millionths = millionthsIn(text, unit);
  if (!isStated(asset) || millionths === undefined) return undefined;
  const divisor = 10n ** BigInt(6 - STATED_DECIMALS[asset]);
  return millionths % divisor === 0n ? amountForPeople({ asset, minor: millionths / divisor }) : undefined;
}

const isStated = (asset: unknown): asset is StatedAsset =>
  typeof asset === 'string' && Object.hasOwn(STATED_DECIMALS, asset);

/**
 * Returns what a response says of itself that means that the work failed, such as `payout.status is failed`; undefined if it says nothing of the kind. The rows
 * of a list say nothing about the request.
 */
export function failureIn({ fails, lists, nests, area }: Endpoint, data: unknown): string | undefined {
  const rows = fails ?? (lists === undefined && area === undefined ? FAILS : {});
  for (const [field, values] of Object.entries(rows))
    for (const path of nests === undefined ? [field] : [`${nests}.${field}`, field]) {
      const found = valuesAt(data, path).find((each) => values.some((value) => isSame(value, each)));
      if (found !== undefined) return `${field} is ${String(found)}`;
    }
  return undefined;
}

const isSame = (one: string | boolean, other: unknown): boolean =>
  typeof one === 'string' && typeof other === 'string' ? one === other.toLowerCase() : one === other;
