import type * as z from 'zod/mini';
import { amountText } from '../../money/amount.ts';
import { isJsonObject } from '../../money/decimal.ts';
import { fromWire, isUnknownFigure, type UnknownFigure } from '../../money/units.ts';
import { elementOf, shapeOf, unwrap } from '../rows.ts';

/**
 * Order book figures are decimal strings, but base units in older forms and on some newer pages. The response says which by
 * a field that names the unit, or by a decimal point in one of its figures. Source: public, inferred.
 */

type BookUnit = 'token' | 'base';
type BookFigure = string | UnknownFigure;

/** The fields that may name the unit, and what they may say. */
const UNIT_FIELDS = ['unit', 'units', 'amountUnit', 'priceUnit'] as const;
const BASE_WORDS = /^(base|wei|smallest|lowest|minor|micro)/i;
const TOKEN_WORDS = /^(token|decimal|human|whole)/i;

/** Returns the data with its order book figures in tokens, or as unknown figures if it does not say their unit. */
export function readBookUnits(schema: z.ZodMiniType, data: unknown): unknown {
  const texts: string[] = [];
  mapFigures(schema, data, (text) => {
    texts.push(text);
    return text;
  });
  const counted = texts.filter((text) => !/^0+$/.test(text));
  const unit = namedUnit(data) ?? (counted.some((text) => !/^\d+$/.test(text)) ? 'token' : undefined);
  if (counted.length === 0 || unit === 'token') return data;
  return mapFigures(schema, data, (text) => (unit === 'base' ? inTokens(text) : { value: text, unit: 'unknown' }));
}

/** All tokens have six decimals. */
function inTokens(base: string): string {
  const value = fromWire(base, 'base', 'CNGN');
  return value ? amountText(value) : base;
}

/** The unit that a field of the data, or of an object or list in it, names. */
function namedUnit(data: unknown): BookUnit | undefined {
  if (Array.isArray(data)) return namedUnit(data[0]);
  if (!isJsonObject(data)) return undefined;
  const words = UNIT_FIELDS.flatMap((name) => (typeof data[name] === 'string' ? [data[name]] : []));
  if (words.some((word) => BASE_WORDS.test(word))) return 'base';
  if (words.some((word) => TOKEN_WORDS.test(word))) return 'token';
  for (const each of Object.values(data)) {
    const unit = namedUnit(each);
    if (unit) return unit;
  }
  return undefined;
}

/** Returns a copy of the data in which `change` was applied to each order book figure. */
function mapFigures(schema: z.ZodMiniType, value: unknown, change: (text: string) => BookFigure): unknown {
  const { schema: inner, meta } = unwrap(schema);
  if (meta?.mayBeBase) return typeof value === 'string' ? change(value) : value;
  const element = elementOf(inner);
  if (element && Array.isArray(value)) return value.map((each) => mapFigures(element, each, change));
  const shape = shapeOf(inner);
  if (!shape || !isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([name, each]) => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return [name, field ? mapFigures(field, each, change) : each];
  });
  return Object.fromEntries(fields);
}

/** Whether a schema has order book figures. */
export function hasBookFigures(schema: z.ZodMiniType): boolean {
  const { schema: inner, meta } = unwrap(schema);
  const element = elementOf(inner);
  return (
    meta?.mayBeBase === true ||
    (element !== undefined && hasBookFigures(element)) ||
    Object.values(shapeOf(inner) ?? {}).some(hasBookFigures)
  );
}

/** Whether data that was read has figures whose unit is unknown. */
export function hasUnknownFigures(schema: z.ZodMiniType, data: unknown): boolean {
  return hasBookFigures(schema) && contains(data);
}

function contains(value: unknown): boolean {
  return isUnknownFigure(value) || (typeof value === 'object' && value !== null && Object.values(value).some(contains));
}
