import type * as z from 'zod/mini';
import {
  amountText,
  assetNamed,
  fromWire,
  isInUnit,
  isSmallest,
  isUnknownFigure,
  isZero,
  type MoneyUnit,
  printable,
  type UnknownFigure,
} from '../../money/amount.ts';
import { isJsonObject, isWireNumber, scaledInteger, type WireNumber, wireNumberText } from '../../money/decimal.ts';
import type { FieldMeta } from '../fields.ts';
import { elementOf, shapeOf, unwrap } from '../rows.ts';
import type { Fields } from './values.ts';

/**
 * What a response says of its amounts decides whether they are believed. One that cannot be in its documented unit, or beside
 * which the response names another unit or asset, becomes an unknown figure, which no code can take for a number.
 */

/** Called with a sentence for each thing in a response that is uncertain. */
export type OnUncertain = (sentence: string) => void;

type Figure = WireNumber | string | UnknownFigure;
/** The objects around a value, outermost first. */
type Around = readonly Fields[];
type Read = (value: unknown, around: Around, of: Response) => unknown;

interface Response {
  readonly group: Group;
  readonly onUncertain: OnUncertain;
}

/** Returns the data with each figure that cannot be believed as an unknown one. The names and types are the contract's. */
export function readUnits(schema: z.ZodMiniType, data: unknown, onUncertain: OnUncertain): unknown {
  return readerOf(schema, '')?.(data, [], { group: groupIn(schema, data), onUncertain }) ?? data;
}

/** Undefined if nothing in a schema has a unit. */
function readerOf(schema: z.ZodMiniType, name: string): Read | undefined {
  const { schema: inner, meta } = unwrap(schema);
  if (meta?.unit !== undefined && meta.unit !== 'percent')
    return (value, around, of) => figureIn(value, name, meta, around, of);
  const element = elementOf(inner);
  const item = element && readerOf(element, name);
  if (item) return (value, around, of) => (Array.isArray(value) ? value.map((each) => item(each, around, of)) : value);
  const shape = shapeOf(inner);
  return shape && objectReader(shape);
}

function objectReader(shape: Readonly<Record<string, z.ZodMiniType>>): Read | undefined {
  const fields = Object.entries(shape);
  const readers = fields.flatMap(([name, field]) => {
    const read = readerOf(field, name);
    return read ? [{ name, read }] : [];
  });
  const checks = fields.flatMap(([name, field]) => checksOf(name, unwrap(field).meta));
  if (readers.length === 0 && checks.length === 0) return undefined;
  return (value, around, of) => {
    if (!isJsonObject(value)) return value;
    const inside = [...around, value];
    let read: Record<string, unknown> | undefined;
    for (const { name, read: readField } of readers) {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      if (given === undefined || given === null) continue;
      const found = readField(given, inside, of);
      if (found === given) continue;
      read ??= { ...value };
      read[name] = found;
    }
    for (const check of checks) check(read ?? value, of.onUncertain);
    return read ?? value;
  };
}

/** What a field says of itself that others in its object, or its length, may contradict. */
function checksOf(name: string, meta: FieldMeta | undefined): ((data: Fields, onUncertain: OnUncertain) => void)[] {
  const { isAccountNumber, atLeast } = meta ?? {};
  return [
    ...(isAccountNumber
      ? [(data: Fields, onUncertain: OnUncertain) => checkDigits(name, data[name], onUncertain)]
      : []),
    ...(atLeast === undefined
      ? []
      : [(data: Fields, onUncertain: OnUncertain) => checkTotal(name, atLeast, data, onUncertain)]),
  ];
}

/** Bank account numbers have 10 digits. Source: interface. A number in JSON has lost its zeros. */
function checkDigits(name: string, value: unknown, onUncertain: OnUncertain): void {
  if (typeof value !== 'string' || !/^\d{1,9}$/.test(value)) return;
  onUncertain(`${name} has ${value.length} digits instead of 10; zeros at its start may be lost`);
}

function checkTotal(name: string, part: string, data: Fields, onUncertain: OnUncertain): void {
  const [total, least] = [data[name], data[part]].map((value) => scaledInteger(textOf(value) ?? '', FINEST));
  if (total !== undefined && least !== undefined && total < least) onUncertain(`${name} is below ${part}`);
}

/** More decimals than any amount has. */
const FINEST = 40;

const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value;
  return isWireNumber(value) ? wireNumberText(value) : undefined;
};

function figureIn(
  value: unknown,
  name: string,
  meta: FieldMeta,
  around: Around,
  { group, onUncertain }: Response,
): unknown {
  const text = textOf(value);
  if (text === undefined) return value;
  const found = figureOf(value as WireNumber | string, meta, around);
  if (isUnknownFigure(found.figure)) {
    if (found.why) onUncertain(found.why(name));
    return found.figure;
  }
  // A masked figure has no digits to onUncertain.
  if (meta.mayBeBase === undefined || isZero(text) || text.includes('*')) return value;
  const read = group.read(text, meta.mayBeBase, around);
  if (isUnknownFigure(read)) onUncertain(UNKNOWN_UNIT);
  return read;
}

/** Said once for all figures of a response. */
const UNKNOWN_UNIT = 'the response does not say whether its amounts are in tokens or in base units; see unit "unknown"';

interface FoundFigure {
  readonly figure: Figure;
  /** Says what the response contradicts; undefined if it is the documents that leave the unit open. */
  readonly why?: (name: string) => string;
}

/**
 * Returns a figure as it stands, or as an unknown one if its text cannot be in the documented unit, or if the objects around it
 * name another unit or asset than the documented one.
 */
export function figureOf(value: WireNumber | string, meta: FieldMeta, around: Around): FoundFigure {
  const { unit, isMasked, isRequested } = meta;
  if (unit === undefined || unit === 'percent' || isRequested) return { figure: value };
  const text = textOf(value) ?? '';
  const other = otherAsset(meta, around) ?? undefined;
  const otherUnit = isZero(text) ? undefined : unitAround(meta, around);
  const isUnclear = meta.isUnitUnclear === true && !isZero(text) && !(text.includes('.') && !isSmallest(unit));
  const isUnnamed = isUnclear && wordAround(around) === undefined;
  const isReadable = (isMasked === true && /^[\d*]*\*[\d*]*$/.test(text)) || isInUnit(value, unit);
  const isContradicted = !isReadable || other !== undefined || otherUnit !== undefined;
  if (!isContradicted && !isUnnamed) return { figure: value };
  // A number of smallest units says nothing without the asset that it counts.
  const isUnitKnown = isReadable && otherUnit === undefined && !isUnnamed && !(other !== undefined && isSmallest(unit));
  const figure: Figure = {
    value: text,
    ...(other === undefined ? {} : { asset: null }),
    ...(isUnitKnown ? {} : { unit: 'unknown' }),
  };
  if (!isContradicted) return { figure };
  return {
    figure,
    why: (name) => {
      if (other !== undefined)
        return `${other} beside ${name}, which is documented in ${wordsOf(meta)}; see asset null`;
      if (otherUnit !== undefined)
        return `${otherUnit} beside ${name}, which is documented in ${wordsOf(meta)}; see unit "unknown"`;
      const form = isSmallest(unit) ? 'which have no decimal point' : 'as a plain decimal';
      return `${name} is "${printable(text)}", but is documented in ${UNIT_WORDS[unit]}, ${form}; see unit "unknown"`;
    },
  };
}

const UNIT_WORDS: Readonly<Record<MoneyUnit, string>> = {
  naira: 'Naira',
  kobo: 'kobo',
  token: 'tokens',
  base: 'base units',
  'decimal-string': 'whole units',
};

const wordsOf = ({ unit, asset }: FieldMeta): string => {
  const words = UNIT_WORDS[unit as MoneyUnit];
  return typeof asset === 'string' ? `${words} of ${asset}` : words;
};

/** The fields in which a response names the asset of the amounts beside them. */
const ASSET_FIELDS = ['currency', 'asset', 'ticker', 'token', 'tokenSymbol'] as const;

/** A word that may be a symbol of an asset, unlike an address or an id. */
const SYMBOL = /^[a-z₦$]{1,6}$/i;

/** Returns the field around an amount that names another asset than the documented one, with what it says: `currency is "USD"`. */
function otherAsset({ asset: rule, isNamedAfterAsset }: FieldMeta, around: Around): string | undefined {
  if (rule === null || rule === undefined) return undefined;
  const isNamed = typeof rule === 'object' && 'field' in rule;
  if (typeof rule === 'object' && !isNamed) return undefined;
  const fields = isNamed ? [rule.field, ...besides(rule.field)] : ASSET_FIELDS;
  const objects = isNamedAfterAsset ? around.slice(-1) : around;
  const nearest = objects.findLast((object) => fields.some((name) => typeof object[name] === 'string'));
  if (!nearest) return undefined;
  const named = fields.flatMap((name) => {
    const text = nearest[name];
    return typeof text === 'string' && SYMBOL.test(text.trim()) ? [{ name, text, asset: assetNamed(text) }] : [];
  });
  // Where a field names the asset, the others must not name another one.
  const expected = isNamed ? named.find(({ name }) => name === rule.field)?.asset : rule;
  const first = expected ?? named.find(({ asset }) => asset !== undefined)?.asset;
  const other = named.find(({ asset }) => asset === undefined || asset !== first);
  return other && `${other.name} is "${printable(other.text)}"`;
}

/** The other fields that may name the asset which `field` names. */
export const besides = (field: string): readonly string[] =>
  (ASSET_FIELDS as readonly string[]).includes(field) ? ASSET_FIELDS.filter((name) => name !== field) : [];

/** The fields in which a response names the unit of the amounts beside them, and the words for each unit. Source: inferred. */
const UNIT_FIELDS = ['unit', 'units', 'amountUnit'] as const;

const WORDS: readonly (readonly [words: RegExp, units: readonly MoneyUnit[]])[] = [
  [/^kobo/i, ['kobo']],
  [/^(base|wei|micro|atomic)/i, ['base']],
  [/^(smallest|lowest|minor|subunit)/i, ['base', 'kobo']],
  [/^(naira|ngn|₦)/i, ['naira']],
  [/^(token|human|cngn|usdc|usdt)/i, ['token', 'decimal-string']],
  [/^(decimal|whole|major|standard)/i, ['token', 'decimal-string', 'naira']],
];

/** What else may be counted beside an amount. */
const NO_MONEY = /^(ms$|milliseconds?$|second|minute|hour|day|week|month|year|percent|bps|basis)/i;

/** Returns the nearest field around an amount that names a unit, and what it says. */
function wordAround(around: Around): { readonly named: string; readonly word: string } | undefined {
  const nearest = around.findLast((object) => UNIT_FIELDS.some((name) => typeof object[name] === 'string'));
  const named = nearest && UNIT_FIELDS.find((name) => typeof nearest[name] === 'string');
  const word = named === undefined ? '' : String(nearest?.[named]).trim();
  return named === undefined || word === '' || NO_MONEY.test(word) ? undefined : { named, word };
}

/** Returns the field around an amount that names another unit than the documented one, with what it says. */
function unitAround({ unit, mayBeBase }: FieldMeta, around: Around): string | undefined {
  const { named, word } = wordAround(around) ?? {};
  if (named === undefined || word === undefined) return undefined;
  const units = WORDS.find(([words]) => words.test(word))?.[1] ?? [];
  // Where base units are possible, the group of figures decides about every word.
  if (mayBeBase !== undefined && (units.length === 0 || units.includes('base'))) return undefined;
  return units.includes(unit as MoneyUnit) ? undefined : `${named} is "${printable(word)}"`;
}

/**
 * Figures that the newest pages have in base units for one endpoint, and all others with a decimal point. The response says
 * which by a field around them that names the unit, or by a decimal point in one of its figures. Source: public, inferred.
 */
interface Group {
  read(text: string, kind: NonNullable<FieldMeta['mayBeBase']>, around: Around): string | UnknownFigure;
}

const GROUP_FIELDS = [...UNIT_FIELDS, 'priceUnit'] as const;

const isPointed = (text: string) => text.includes('.');
const unknown = (value: string): UnknownFigure => ({ value, unit: 'unknown' });

function groupIn(schema: z.ZodMiniType, data: unknown): Group {
  const texts = textsIn(schema, data).filter(({ text }) => !isZero(text));
  const pointed = texts.filter(({ text }) => isPointed(text));
  // Where the zeros of other figures are not left out, a figure without a point is in another unit than they are.
  const hasAllDecimals = pointed.length > 0 && pointed.every(({ text }) => /\.\d{6}$/.test(text));
  const isAlone = texts.every(({ kind }) => kind === 'with-others');
  return {
    read: (text, kind, around) => {
      const named = unitNamed(around);
      if (named === 'base') return isPointed(text) ? unknown(text) : inTokens(text);
      if (named === 'token') return text;
      if (kind === 'six-decimals' && !isPointed(text)) return unknown(text);
      if (pointed.length > 0) return hasAllDecimals && kind === true && !isPointed(text) ? unknown(text) : text;
      return isAlone ? text : unknown(text);
    },
  };
}

/** All tokens have six decimals. */
function inTokens(base: string): string | UnknownFigure {
  const value = fromWire(base, 'base', 'CNGN');
  return value ? amountText(value) : unknown(base);
}

/** The unit that the nearest object around a figure names. It says nothing of figures outside that object. */
function unitNamed(around: Around): 'token' | 'base' | undefined {
  const units = around.map((object) => {
    const words = GROUP_FIELDS.flatMap((name) => (typeof object[name] === 'string' ? [object[name].trim()] : []));
    return words.flatMap((word) => WORDS.find(([known]) => known.test(word))?.[1] ?? []);
  });
  const nearest = units.findLast((each) => each.length > 0) ?? [];
  if (nearest.includes('base')) return 'base';
  return nearest.includes('token') ? 'token' : undefined;
}

interface GroupText {
  readonly text: string;
  readonly kind: NonNullable<FieldMeta['mayBeBase']>;
}

type Collect = (value: unknown, into: GroupText[]) => void;

/** Returns the figures of the group in the data. */
function textsIn(schema: z.ZodMiniType, data: unknown): GroupText[] {
  const texts: GroupText[] = [];
  collectorOf(schema)?.(data, texts);
  return texts;
}

function collectorOf(schema: z.ZodMiniType): Collect | undefined {
  const { schema: inner, meta } = unwrap(schema);
  const kind = meta?.mayBeBase;
  if (kind !== undefined)
    return (value, into) => {
      if (typeof value === 'string') into.push({ text: value, kind });
    };
  const element = elementOf(inner);
  const item = element && collectorOf(element);
  if (item)
    return (value, into) => {
      if (Array.isArray(value)) for (const each of value) item(each, into);
    };
  const fields = Object.entries(shapeOf(inner) ?? {}).flatMap(([name, field]) => {
    const collect = collectorOf(field);
    return collect ? [{ name, collect }] : [];
  });
  if (fields.length === 0) return undefined;
  return (value, into) => {
    if (!isJsonObject(value)) return;
    for (const { name, collect } of fields) if (Object.hasOwn(value, name)) collect(value[name], into);
  };
}
