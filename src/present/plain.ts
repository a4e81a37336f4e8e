import type * as z from 'zod/mini';
import { elementOf, shapeOf, unwrap } from '../contract/rows.ts';
import { type Amount, amountText, isAsset } from '../money/amount.ts';
import { isWireNumber, type RawNumber, wireNumber } from '../money/decimal.ts';
import { isPlainAmount, moneyOf, type PlainAmount } from './money.ts';

interface PlainObject {
  readonly [name: string]: Plain;
}

/** The values that all formats print: JSON values, amounts, and numbers that keep their source text. */
export type Plain = null | boolean | number | string | RawNumber | readonly Plain[] | PlainObject | PlainAmount;

type Schema = z.ZodMiniType;

/** The enclosing objects, outermost first. The ticker of a money field is looked up in the nearest one that has it. */
type Around = readonly unknown[];

/**
 * Converts wire data to Plain: money fields become amounts, and the object named `nests` is merged with the fields around
 * it. Unknown fields are kept unchanged. `request` may name tickers that the data does not.
 */
export function toPlain(data: unknown, schema?: Schema, nests?: string, request?: unknown): Plain {
  return mergeNested(converterOf(schema)(data, [request]), nests);
}

/**
 * Returns a function that converts rows to Plain, reading the schema only once. `around` are the request and the data that
 * contains the rows, which may name their ticker.
 */
export function rowConverter(element: Schema | undefined, around: Around): (row: unknown) => Plain {
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

function converterOf(schema: Schema | undefined): Convert {
  if (!schema) return convertAny;
  const { schema: inner, meta } = unwrap(schema);
  if (meta?.unit !== undefined && meta.asset !== undefined)
    return (value, around) => moneyOf(value, meta, around) ?? convertAny(value);
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

function printed(money: Amount): PlainAmount {
  return { value: amountText(money), asset: money.asset };
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
