import type * as z from 'zod/mini';
import type { FieldMeta } from '../contract/fields.ts';
import { besides, figureOf } from '../contract/reading/units.ts';
import { elementOf, shapeOf, unwrap } from '../contract/rows.ts';
import {
  ASSET_LABEL,
  type Asset,
  amountForPeople,
  amountText,
  assetNamed,
  isAsset,
  isUnknownFigure,
  type MoneyUnit,
  STATED_DECIMALS,
  type StatedAsset,
} from '../money/amount.ts';
import {
  decimalText,
  isWireNumber,
  type RawNumber,
  scaledInteger,
  trimDecimal,
  type WireNumber,
  wireNumber,
  wireNumberText,
} from '../money/decimal.ts';
import { isKnown, type Known } from '../money/figure.ts';

/**
 * An amount as printed, with all decimals of the asset, whatever its wire unit: `{value: '5000.00', asset: 'NGN'}`. The asset
 * is null if it is not known. With an unknown unit, the value is as it was sent. A figure that is not known exactly says how far
 * it is known; the value is null if it is not known at all.
 */
export interface PlainAmount {
  readonly value: string | null;
  readonly asset: StatedAsset | null;
  readonly unit?: 'unknown';
  readonly known?: Known;
}

/** An amount in the smallest unit of its asset. */
interface ExactAmount {
  readonly asset: StatedAsset;
  readonly minor: bigint;
}

const AMOUNT_FIELDS: ReadonlySet<string> = new Set(['value', 'asset', 'unit', 'known']);

export function isPlainAmount(value: unknown): value is PlainAmount {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { value: text, asset, unit, known } = value as Record<string, unknown>;
  if (known !== undefined && !isKnown(known)) return false;
  if (
    !(typeof text === 'string' || (text === null && known !== undefined)) ||
    !Object.keys(value).every((name) => AMOUNT_FIELDS.has(name))
  )
    return false;
  const isAsset = asset === null || (typeof asset === 'string' && isStatedAsset(asset));
  return isAsset && (unit === undefined || unit === 'unknown');
}

function isStatedAsset(text: string): text is StatedAsset {
  return Object.hasOwn(STATED_DECIMALS, text);
}

/** Returns a printed amount as one to compute with; undefined for anything else, and if it, its unit or its asset is not known exactly. */
export function exactAmount(value: unknown): ExactAmount | undefined {
  if (!isPlainAmount(value) || value.asset === null || value.unit !== undefined) return undefined;
  if (value.value === null || value.known) return undefined;
  const minor = scaledInteger(value.value, STATED_DECIMALS[value.asset]);
  return minor === undefined ? undefined : { asset: value.asset, minor };
}

/** Adds what a later document says to an earlier one. Null and an uncertain amount replace nothing that is known. */
export function withKnown(earlier: PlainObject, later: PlainObject): PlainObject {
  const known = Object.entries(later).filter(([name, value]) => {
    const before = Object.hasOwn(earlier, name) ? (earlier[name] ?? null) : null;
    return value !== null && !(isUnknownAmount(value) && before !== null && !isUnknownAmount(before));
  });
  return { ...earlier, ...Object.fromEntries(known) };
}

const isUnknownAmount = (value: Plain) => isPlainAmount(value) && (value.unit !== undefined || value.asset === null);

/**
 * Formats a printed amount for people: `₦5,000.00`, `at least ₦5,000.00`, `not known`. A value that is no exact amount of the asset keeps its
 * digits.
 */
export function amountWords({ value, asset, unit, known }: PlainAmount): string {
  if (value === null) return 'not known';
  if (known) return `${known.is} ${amountWords({ value, asset })}`;
  if (unit !== undefined) return `${value} (unit ${asset ? `unknown, ${ASSET_LABEL[asset]}` : 'and asset unknown'})`;
  if (!asset) return `${value} (asset unknown)`;
  const minor = scaledInteger(value, STATED_DECIMALS[asset]);
  return minor === undefined ? `${value} ${ASSET_LABEL[asset]}` : amountForPeople({ asset, minor });
}

export interface PlainObject {
  readonly [name: string]: Plain;
}

/** The values that all formats print: JSON values, amounts, and numbers that keep their source text. */
export type Plain = null | boolean | number | string | RawNumber | readonly Plain[] | PlainObject | PlainAmount;

/** The enclosing objects, outermost first. The ticker of a money field is looked up in the nearest one that has it. */
type Around = readonly unknown[];

/**
 * Converts wire data to Plain: money fields become amounts, and the object named `nests` is merged with the fields around
 * it. Unknown fields are kept unchanged. `request` may name tickers that the data does not.
 */
export function toPlain(data: unknown, schema?: z.ZodMiniType, nests?: string, request?: unknown): Plain {
  return mergeNested(converterOf(schema)(data, [request]), nests);
}

/**
 * Returns a function that converts rows to Plain, reading the schema only once. `around` are the request and the data that
 * contains the rows, which may name their ticker.
 */
export function rowConverter(element: z.ZodMiniType | undefined, around: Around): (row: unknown) => Plain {
  const convert = converterOf(element);
  return (row) => convert(row, around);
}

/** Whether a value is an object with named fields, rather than an array, an amount or a raw number. */
export function isPlainObject(value: unknown): value is PlainObject {
  return isRecord(value) && !isPlainAmount(value);
}

/** Whether a value has fields: an object or an amount. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

type Convert = (value: unknown, around: Around) => Plain;

const NO_FIELDS: ReadonlyMap<string, Convert> = new Map();

function converterOf(schema: z.ZodMiniType | undefined): Convert {
  if (!schema) return convertAny;
  const { schema: inner, meta } = unwrap(schema);
  if (meta?.unit !== undefined && meta.asset !== undefined)
    return (value, around) => moneyOf(value, meta, around) ?? convertAny(value);
  const element = elementOf(inner);
  const shape = shapeOf(inner);
  if (!element && !shape) return convertAny;
  const convertItem = element ? converterOf(element) : convertAny;
  const fields = shape && new Map(Object.entries(shape).map(([name, field]) => [name, converterOf(field)]));
  return (value, around) => {
    if (Array.isArray(value)) return value.map((item) => convertItem(item, around));
    return fields && isRecord(value) ? convertFields(value, fields, [...around, value]) : convertAny(value);
  };
}

function convertFields(
  value: Record<string, unknown>,
  fields: ReadonlyMap<string, Convert>,
  around: Around,
): PlainObject {
  const present: Record<string, Plain> = {};
  for (const name of Object.keys(value)) {
    const field = value[name];
    if (field === undefined) continue;
    const plain = (fields.get(name) ?? convertAny)(field, around);
    // An assignment to this name would change the prototype.
    if (name === '__proto__') Object.defineProperty(present, name, { ...OWN, value: plain });
    else present[name] = plain;
  }
  return present;
}

/** A property as an assignment makes it. */
const OWN = { configurable: true, enumerable: true, writable: true } as const;

/** Converts data without a schema. */
function convertAny(value: unknown): Plain {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((item) => convertAny(item));
  if (typeof value === 'bigint') return wireNumber(value.toString());
  if (typeof value === 'boolean' || isWireNumber(value)) return value;
  if (!isRecord(value)) return null;
  const { asset, minor, known } = value;
  const isFigure = isKnown(known);
  if (typeof minor === 'bigint' && typeof asset === 'string' && isAsset(asset))
    return { value: amountText({ asset, minor }), asset, ...(isFigure ? { known } : {}) };
  if (minor === null && isFigure) return { value: null, asset: assetNamed(asset) ?? null, known };
  return convertFields(value, NO_FIELDS, []);
}

/** Replaces the object named `nests` with its fields. If a name occurs twice, the outer field wins. */
function mergeNested(data: Plain, nests: string | undefined): Plain {
  if (nests === undefined || !isPlainObject(data) || !Object.hasOwn(data, nests)) return data;
  const nested = data[nests];
  if (nested !== null && !isPlainObject(nested)) return data;
  const isOuter = (name: string) => name !== nests && Object.hasOwn(data, name);
  const inner = Object.entries(nested ?? {}).filter(([name]) => !isOuter(name));
  return Object.fromEntries(Object.entries(data).flatMap((entry) => (entry[0] === nests ? inner : [entry])));
}

/**
 * Converts the value of a money field; undefined if it is neither a number nor text. `around` are the objects that may name the
 * asset, outermost first.
 */
function moneyOf(value: unknown, meta: FieldMeta, around: Around): PlainAmount | undefined {
  const { unit, asset: rule } = meta;
  if (unit === undefined || unit === 'percent') return undefined;
  if (typeof value !== 'string' && !isWireNumber(value) && !isUnknownFigure(value)) return undefined;
  const { figure } = isUnknownFigure(value) ? { figure: value } : figureOf(value, meta, around.filter(isRecord));
  if (!isUnknownFigure(figure)) return inWholeUnits(textOf(figure), unit, assetOf(rule, around, textOf(figure)));
  const asset = figure.asset === null ? null : assetOf(rule, around);
  return figure.unit === undefined
    ? inWholeUnits(figure.value, unit, asset)
    : { value: figure.value, asset, unit: 'unknown' };
}

const textOf = (value: WireNumber | string): string => (typeof value === 'string' ? value : wireNumberText(value));

/** The decimal places between a wire unit and whole Naira or tokens. */
const SHIFT: Readonly<Record<MoneyUnit, number>> = { naira: 0, kobo: 2, token: 0, base: 6, 'decimal-string': 0 };

/** Which token it is changes no decimals: all have six. */
const decimalsOf = (asset: StatedAsset | null, unit: MoneyUnit): number =>
  STATED_DECIMALS[asset ?? (unit === 'naira' || unit === 'kobo' ? 'NGN' : 'CNGN')];

/** More decimals than any amount has. */
const FINEST = 40;

function inWholeUnits(text: string, unit: MoneyUnit, asset: StatedAsset | null): PlainAmount {
  const shift = SHIFT[unit];
  const decimals = decimalsOf(asset, unit);
  const minor = scaledInteger(text, decimals - shift);
  if (minor !== undefined) return { value: decimalText(minor, decimals), asset };
  const finer = scaledInteger(text, FINEST);
  return { value: finer === undefined ? text : trimDecimal(decimalText(finer, FINEST + shift)), asset };
}

/** Returns the asset of a money field, as the nearest object around it names it; null if none does. `text` is its figure. */
export function assetOf(rule: FieldMeta['asset'], around: Around, text = ''): StatedAsset | null {
  if (rule === undefined || rule === null || typeof rule === 'string') return rule ?? null;
  if ('netOf' in rule) return netAsset(rule.netOf, text, around);
  if ('leg' in rule) return tokenNamed(nearestText(['pair'], around)?.split('-')[1]) ?? null;
  const named = nearestText([rule.field, ...besides(rule.field)], around);
  return named === undefined ? (rule.byDefault ?? null) : (tokenNamed(named) ?? null);
}

/**
 * Returns the asset of the only figure beside an amount of which it can be the rest after fees. Documented fees take up to half.
 * Source: inferred.
 */
function netAsset(fields: Readonly<Record<string, Asset>>, net: string, around: Around): Asset | null {
  const siblings = around.at(-1);
  const minor = scaledInteger(net, FINEST);
  if (!isRecord(siblings) || minor === undefined || minor <= 0n) return null;
  const possible = Object.entries(fields).flatMap(([name, asset]) => {
    const figure = siblings[name];
    const whole = typeof figure === 'string' ? scaledInteger(figure, FINEST) : undefined;
    return whole !== undefined && minor <= whole && whole <= 2n * minor ? [asset] : [];
  });
  return possible.length === 1 ? (possible[0] ?? null) : null;
}

function tokenNamed(ticker: string | undefined): Asset | undefined {
  const named = assetNamed(ticker);
  return named !== undefined && isAsset(named) ? named : undefined;
}

/** Returns the text of the first of some fields in the nearest object that has one. */
function nearestText(fields: readonly string[], around: Around): string | undefined {
  for (const object of around.toReversed()) {
    if (!isRecord(object)) continue;
    const name = fields.find((field) => Object.hasOwn(object, field) && typeof object[field] === 'string');
    if (name !== undefined) return object[name] as string;
  }
  return undefined;
}
