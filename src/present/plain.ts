import type * as z from 'zod/mini';
import type { FieldMeta } from '../contract/fields.ts';
import { elementOf, shapeOf, unwrap } from '../contract/rows.ts';
import { type Amount, type Asset, amountText, DECIMALS, isAsset } from '../money/amount.ts';
import { isWireNumber, type RawNumber, scaledInteger, wireNumber } from '../money/decimal.ts';
import { fromWire, isUnknownFigure, type UnknownFigure } from '../money/units.ts';

/** An amount as printed, with all decimals of the asset, whatever its wire unit: `{value: '5000.00', asset: 'NGN'}`. */
interface PlainAmount {
  readonly value: string;
  readonly asset: Asset;
}

interface PlainObject {
  readonly [name: string]: Plain;
}

/** The values that all formats print: JSON values, amounts, and numbers that keep their source text. */
export type Plain =
  | null
  | boolean
  | number
  | string
  | RawNumber
  | readonly Plain[]
  | PlainObject
  | PlainAmount
  | UnknownFigure;

type Schema = z.ZodMiniType;

/** The enclosing objects, outermost first. The ticker of a money field is looked up in the nearest one that has it. */
type Around = readonly unknown[];

/**
 * Converts wire data to Plain: money fields become amounts, and the object named `nests` is merged with the fields around
 * it. Unreadable money and unknown fields are kept unchanged.
 */
export function toPlain(data: unknown, schema?: Schema, nests?: string): Plain {
  return mergeNested(converterOf(schema)(data, []), nests);
}

/**
 * Returns a function that converts rows to Plain, reading the schema only once. `root` is the data that contains the rows
 * and may contain their ticker.
 */
export function rowConverter(element: Schema | undefined, root: unknown): (row: unknown) => Plain {
  const convert = converterOf(element);
  const around = [root];
  return (row) => convert(row, around);
}

/** Whether a value is an object with named fields, rather than an array, an amount, a figure or a raw number. */
export function isPlainObject(value: unknown): value is PlainObject {
  return isRecord(value) && !isPlainAmount(value) && !isUnknownFigure(value);
}

export function isPlainAmount(value: unknown): value is PlainAmount {
  return isRecord(value) && Object.keys(value).length === 2 && amountOf(value) !== undefined;
}

/** Converts a printed amount back to money; undefined if it is not an amount. */
export function amountOf(value: { readonly value?: unknown; readonly asset?: unknown }): Amount | undefined {
  const { asset, value: text } = value;
  if (typeof asset !== 'string' || !isAsset(asset) || typeof text !== 'string') return undefined;
  const minor = scaledInteger(text, DECIMALS[asset]);
  return minor === undefined ? undefined : { asset, minor };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

type Convert = (value: unknown, around: Around) => Plain;

const NO_FIELDS: ReadonlyMap<string, Convert> = new Map();

function converterOf(schema: Schema | undefined): Convert {
  if (!schema) return convertAny;
  const { schema: inner, meta } = unwrap(schema);
  if (meta?.asset !== undefined) return (value, around) => moneyOf(value, meta, around) ?? convertAny(value);
  const element = elementOf(inner);
  const convertItem = element ? converterOf(element) : convertAny;
  const shape = shapeOf(inner);
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
  const present: [string, Plain][] = [];
  for (const name of Object.keys(value)) {
    const field = value[name];
    if (field !== undefined) present.push([name, (fields.get(name) ?? convertAny)(field, around)]);
  }
  return Object.fromEntries(present);
}

/** Converts data without a schema. */
function convertAny(value: unknown): Plain {
  if (Array.isArray(value)) return value.map((item) => convertAny(item));
  if (typeof value === 'bigint') return wireNumber(value.toString());
  if (typeof value === 'string' || typeof value === 'boolean' || isWireNumber(value)) return value;
  if (!isRecord(value)) return null;
  const { asset, minor } = value;
  if (typeof minor === 'bigint' && typeof asset === 'string' && isAsset(asset)) return printed({ asset, minor });
  return convertFields(value, NO_FIELDS, []);
}

function moneyOf(value: unknown, meta: FieldMeta, around: Around): PlainAmount | undefined {
  const asset = typeof meta.asset === 'object' ? tickerIn(meta.asset.field, around) : meta.asset;
  if (asset === undefined || meta.unit === undefined || meta.unit === 'percent') return undefined;
  if (typeof value !== 'string' && !isWireNumber(value)) return undefined;
  const money = fromWire(value, meta.unit, asset);
  return money && printed(money);
}

function printed(money: Amount): PlainAmount {
  return { value: amountText(money), asset: money.asset };
}

function tickerIn(field: string, around: Around): Asset | undefined {
  for (const object of around.toReversed()) {
    const ticker = isRecord(object) && Object.hasOwn(object, field) ? object[field] : undefined;
    const symbol = typeof ticker === 'string' ? ticker.toUpperCase() : '';
    if (isAsset(symbol)) return symbol;
  }
  return undefined;
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
