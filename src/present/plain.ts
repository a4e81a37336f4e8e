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
  return mergeNested(convert(data, schema, []), nests);
}

/** One row of a list as Plain. `root` is the data the row belongs to, where the row's ticker may stand. */
export function rowToPlain(row: unknown, element: Schema | undefined, root: unknown): Plain {
  return convert(row, element, [root]);
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

function convert(value: unknown, schema: Schema | undefined, around: Around): Plain {
  const { schema: inner, meta } = schema ? unwrap(schema) : { schema: undefined, meta: undefined };
  if (meta?.asset !== undefined) return moneyOf(value, meta, around) ?? convertAny(value);
  if (Array.isArray(value)) {
    const element = inner && elementOf(inner);
    return value.map((item) => convert(item, element, around));
  }
  const shape = inner && shapeOf(inner);
  return shape && isRecord(value) ? convertFields(value, shape, [...around, value]) : convertAny(value);
}

function convertFields(value: Record<string, unknown>, shape: Record<string, Schema>, around: Around): PlainObject {
  const present = Object.entries(value).filter(([, field]) => field !== undefined);
  const schemaOf = (name: string) => (Object.hasOwn(shape, name) ? shape[name] : undefined);
  return Object.fromEntries(present.map(([name, field]) => [name, convert(field, schemaOf(name), around)]));
}

/** Data that no schema describes. */
function convertAny(value: unknown): Plain {
  if (Array.isArray(value)) return value.map((item) => convertAny(item));
  if (typeof value === 'bigint') return wireNumber(value.toString());
  if (typeof value === 'string' || typeof value === 'boolean' || isWireNumber(value)) return value;
  if (!isRecord(value)) return null;
  const { asset, minor } = value;
  if (typeof minor === 'bigint' && typeof asset === 'string' && isAsset(asset)) return printed({ asset, minor });
  return convertFields(value, {}, []);
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
