import type * as z from 'zod/mini';
import { isJsonObject, isWireNumber, wireNumberText } from '../../money/decimal.ts';
import type { FieldMeta } from '../fields.ts';
import { elementOf, shapeOf, unwrap } from '../rows.ts';
import { bareName, type Fields, isMissing, type Shape, withKnownNames } from './names.ts';

/** Brings the fields of an object into the contract's form. Unknown fields stay as they are. */
export function readFields(shape: Shape, data: Fields): Fields {
  const named = Object.entries(withKnownNames(shape, data));
  return Object.fromEntries(
    named.map(([name, value]) => [name, Object.hasOwn(shape, name) ? readValue(shape[name], value) : value]),
  );
}

function readValue(schema: z.ZodMiniType | undefined, value: unknown): unknown {
  if (!schema || isMissing(value)) return value;
  const { schema: inner, meta } = unwrap(schema);
  const element = elementOf(inner);
  if (element) return readList(element, value);
  const shape = shapeOf(inner);
  if (shape) {
    // An older form has only the text that names the object, such as the address of a wallet.
    if (typeof value === 'string' && meta?.shorthand !== undefined) return { [meta.shorthand]: value };
    return isJsonObject(value) ? readFields(shape, value) : value;
  }
  return meta ? readScalar(meta, value) : value;
}

/** A list of one object may stand as the object alone. */
function readList(element: z.ZodMiniType, value: unknown): unknown {
  const isAlone = isJsonObject(value) && shapeOf(unwrap(element).schema) !== undefined;
  if (isAlone) return [readValue(element, value)];
  return Array.isArray(value) ? value.map((each) => readValue(element, each)) : value;
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** Brings a value into the type of its field. The unit does not depend on the type: `"62500"` kobo are 62500 kobo. */
function readScalar({ type }: FieldMeta, value: unknown): unknown {
  switch (type) {
    case 'number':
    case 'integer':
      return typeof value === 'string' && NUMBER.test(value) ? exactNumber(value) : value;
    case 'boolean':
      return readFlag(value);
    case 'datetime':
      return readTime(value);
    default:
      return type.startsWith('enum[') ? readState(type, asText(value)) : asText(value);
  }
}

/** A number as its text, every digit kept. */
function asText(value: unknown): unknown {
  return isWireNumber(value) ? wireNumberText(value) : value;
}

function exactNumber(text: string): unknown {
  const value = Number(text);
  return String(value) === text ? value : JSON.rawJSON(text);
}

function readFlag(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.toLowerCase();
  if (text === 'true') return true;
  return text === 'false' ? false : value;
}

/** A state in the contract's spelling: `completed` for `COMPLETED`. A state that is not known stays as it is. */
function readState(type: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const known = type.slice('enum['.length, -1).split(',');
  return known.includes(value) ? value : (known.find((each) => bareName(each) === bareName(value)) ?? value);
}

/** Beyond this, a time in seconds would be after the year 5000, so the number counts milliseconds. */
const MAX_SECONDS = 100_000_000_000;

/** Reads a time in seconds or milliseconds, or an object of seconds and nanoseconds. Other text stays as it is. */
function readTime(value: unknown): unknown {
  if (isJsonObject(value)) {
    const seconds = integerIn(value['_seconds'] ?? value['seconds']);
    const nanoseconds = integerIn(value['_nanoseconds'] ?? value['nanoseconds'] ?? 0) ?? 0;
    return seconds === undefined ? value : isoTime(seconds * 1000 + Math.trunc(nanoseconds / 1e6), value);
  }
  const isCount = typeof value === 'string' ? /^\d{9,13}$/.test(value) : isWireNumber(value);
  const count = isCount ? integerIn(value) : undefined;
  if (count === undefined || count <= 0) return value;
  return isoTime(count < MAX_SECONDS ? count * 1000 : count, value);
}

function isoTime(timeMs: number, otherwise: unknown): unknown {
  const date = new Date(timeMs);
  return Number.isNaN(date.getTime()) ? otherwise : date.toISOString();
}

function integerIn(value: unknown): number | undefined {
  const text = asText(value);
  const number = typeof text === 'string' ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}
