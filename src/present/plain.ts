import type * as z from 'zod/mini';
import type { FieldMeta } from '../contract/fields.ts';
import { elementOf, shapeOf, unwrap } from '../contract/rows.ts';
import {
  ASSET_LABEL,
  type Asset,
  amountForPeople,
  amountText,
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
  wireNumber,
  wireNumberText,
} from '../money/decimal.ts';

/**
 * An amount as printed, with all decimals of the asset, whatever its wire unit: `{value: '5000.00', asset: 'NGN'}`. The asset
 * is null if nothing names it. With an unknown unit, the value is as it was sent, and the asset may be missing.
 */
interface PlainAmount {
  readonly value: string;
  readonly asset?: StatedAsset | null;
  readonly unit?: 'unknown';
}

const AMOUNT_FIELDS: ReadonlySet<string> = new Set(['value', 'asset', 'unit']);

function isStatedAsset(text: string): text is StatedAsset {
  return Object.hasOwn(STATED_DECIMALS, text);
}

export function isPlainAmount(value: unknown): value is PlainAmount {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { value: text, asset, unit } = value as Record<string, unknown>;
  if (typeof text !== 'string' || !Object.keys(value).every((name) => AMOUNT_FIELDS.has(name))) return false;
  const isAsset = asset === null || (typeof asset === 'string' && isStatedAsset(asset));
  return unit === 'unknown' ? isAsset || asset === undefined : isAsset && unit === undefined;
}

/** Formats a printed amount for people: `₦5,000.00`. A value that is no exact amount of the asset keeps its digits. */
export function amountWords({ value, asset, unit }: PlainAmount): string {
  if (unit !== undefined) return `${value} (unit unknown${asset ? `, ${ASSET_LABEL[asset]}` : ''})`;
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
  const { asset, minor } = value;
  if (typeof minor === 'bigint' && typeof asset === 'string' && isAsset(asset))
    return { value: amountText({ asset, minor }), asset };
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
 * Converts the value of a money field; undefined if it is neither a number nor text. Text that is not a number, such as a
 * masked amount, is kept. `around` are the objects that may name the asset, outermost first.
 */
function moneyOf(
  value: unknown,
  { unit, asset: rule }: FieldMeta,
  around: readonly unknown[],
): PlainAmount | undefined {
  if (unit === undefined || unit === 'percent') return undefined;
  if (isUnknownFigure(value)) return { value: value.value, unit: 'unknown' };
  if (typeof value !== 'string' && !isWireNumber(value)) return undefined;
  const text = typeof value === 'string' ? value : wireNumberText(value);
  return inWholeUnits(text, unit, assetOf(rule, around));
}

/** The decimal places between a wire unit and whole Naira or tokens. */
const SHIFT: Readonly<Record<MoneyUnit, number>> = { naira: 0, kobo: 2, token: 0, base: 6, 'decimal-string': 0 };

/** More decimals than any amount has. */
const FINEST = 40;

function inWholeUnits(text: string, unit: MoneyUnit, asset: StatedAsset | null): PlainAmount {
  const shift = SHIFT[unit];
  const decimals = asset === null ? shift : STATED_DECIMALS[asset];
  const minor = scaledInteger(text, decimals - shift);
  if (minor !== undefined) return { value: decimalText(minor, decimals), asset };
  const finer = scaledInteger(text, FINEST);
  if (finer === undefined) return { value: text, asset };
  // A base unit cannot be divided, so a fraction of one was sent in another unit.
  if (unit === 'base') return { value: text, asset, unit: 'unknown' };
  return { value: trimDecimal(decimalText(finer, FINEST + shift)), asset };
}

/** Returns the asset of a money field, as the nearest object around it names it; null if none does. */
export function assetOf(rule: FieldMeta['asset'], around: readonly unknown[]): StatedAsset | null {
  if (rule === undefined || typeof rule === 'string') return rule ?? null;
  const nearest = (field: string) => nearestText(field, around);
  if ('field' in rule) return assetIn(nearest(rule.field)) ?? rule.byDefault ?? null;
  const stablecoin = assetIn(nearest('pair')?.split('-')[1]);
  if (rule.leg === 'stablecoin') return stablecoin ?? null;
  const side = nearest('side')?.toLowerCase();
  if (side !== 'buy' && side !== 'sell') return null;
  return (side === 'buy') === (rule.leg === 'offered') ? 'CNGN' : (stablecoin ?? null);
}

function assetIn(ticker: string | undefined): Asset | undefined {
  const symbol = ticker?.toUpperCase() ?? '';
  return isAsset(symbol) ? symbol : undefined;
}

/** Returns the text of a field in the nearest object that has it. */
function nearestText(field: string, around: readonly unknown[]): string | undefined {
  for (const object of around.toReversed()) {
    if (typeof object !== 'object' || object === null || !Object.hasOwn(object, field)) continue;
    const text = (object as Record<string, unknown>)[field];
    if (typeof text === 'string') return text;
  }
  return undefined;
}
