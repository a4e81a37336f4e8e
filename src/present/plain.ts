import type * as z from 'zod/mini';
import type { FieldMeta } from '../contract/fields.ts';
import { elementOf, shapeOf, unwrap } from '../contract/rows.ts';
import { type Amount, type Asset, amountText, DECIMALS, isAsset } from '../money/amount.ts';
import { isWireNumber, type RawNumber, scaledInteger, wireNumber } from '../money/decimal.ts';
import { fromWire } from '../money/units.ts';

/** An amount as printed: `{value: '5000.00', asset: 'NGN'}`, every decimal of the asset, whatever unit travelled. */
export interface PlainAmount {
  readonly value: string;
  readonly asset: Asset;
}

export interface PlainObject {
  readonly [name: string]: Plain;
}

/** What every format prints: JSON values, amounts, and numbers that keep their text. */
export type Plain = null | boolean | number | string | RawNumber | readonly Plain[] | PlainObject | PlainAmount;

type Schema = z.ZodMiniType;

/** Objects from the outermost to the nearest: where the ticker of a money field is looked up, nearest first. */
type Around = readonly unknown[];

/**
 * Wire data as Plain: money fields of the schema become amounts, the object named `nests` is merged with the fields
 * around it. Money that cannot be read, and fields the schema does not know, stay as they came.
 */
export function toPlain(data: unknown, schema?: Schema, nests?: string): Plain {
  return mergeNested(converterOf(schema)(data, []), nests);
}

/**
 * What makes rows of a list Plain: the schema is read once for all of them. `root` is the data the rows belong to, where
 * their ticker may stand.
 */
export function rowConverter(element: Schema | undefined, root: unknown): (row: unknown) => Plain {
  const convert = converterOf(element);
  const around = [root];
  return (row) => convert(row, around);
}

/** True for an object with named fields: no array, amount or raw number. */
export function isPlainObject(value: unknown): value is PlainObject {
  return isRecord(value) && !isPlainAmount(value);
}

export function isPlainAmount(value: unknown): value is PlainAmount {
  return isRecord(value) && Object.keys(value).length === 2 && amountOf(value) !== undefined;
}

/** The money of a printed amount; undefined when `value` is none. */
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

/** Data that no schema describes. */
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

/** The fields of the object named `nests` take its place; on a clash the outer field wins. */
function mergeNested(data: Plain, nests: string | undefined): Plain {
  if (nests === undefined || !isPlainObject(data) || !Object.hasOwn(data, nests)) return data;
  const nested = data[nests];
  if (nested !== null && !isPlainObject(nested)) return data;
  const isOuter = (name: string) => name !== nests && Object.hasOwn(data, name);
  const inner = Object.entries(nested ?? {}).filter(([name]) => !isOuter(name));
  return Object.fromEntries(Object.entries(data).flatMap((entry) => (entry[0] === nests ? inner : [entry])));
}
