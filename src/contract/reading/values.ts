import type * as z from 'zod/mini';
import { isJsonObject, isWireNumber, trimDecimal, wireNumberText } from '../../money/decimal.ts';
import type { FieldMeta } from '../fields.ts';
import { PLATFORM } from '../paths.ts';
import { elementOf, shapeOf, unwrap } from '../rows.ts';

export type Fields = Readonly<Record<string, unknown>>;
export type Shape = Readonly<Record<string, z.ZodMiniType>>;

export const isMissing = (value: unknown) => value === undefined || value === null;

/** A name without case and separators, so that `request_id` and `RequestId` are `requestId`. */
export const bareName = (name: string) => name.replace(/[_\-\s]/g, '').toLowerCase();

/** Words that stand in front of fees of someone else, so that they cannot be the service's name. */
const OTHER_FEES =
  /^(fintech|gateway|processing|total|network|gas|bank|stamp|transfer|swap|bridge|user|base|net|final|onramp|offramp)$/;

/** Whether other fees are named after this word, so that those of a service of this name could not be distinguished from them. */
export const isOtherFee = (word: string) => OTHER_FEES.test(bareName(word));

/** Whether a bare name has the service's own name in place of `platform`: `acmefee` for `platformFee`. */
function isServiceNamed(bare: string, known: string): boolean {
  if (!known.startsWith(PLATFORM)) return false;
  const rest = bareName(known.slice(PLATFORM.length));
  if (rest === '' || bare.length <= rest.length || !bare.endsWith(rest)) return false;
  return !OTHER_FEES.test(bare.slice(0, -rest.length));
}

/**
 * Returns the contract's name of a field: its own name, or the known one that is spelled otherwise, or `platformFee` for
 * `acmeFee`. The service's name is known only to the service, so any word counts that is no other kind of fee.
 */
export function knownName(name: string, shape: Shape): string | undefined {
  if (Object.hasOwn(shape, name)) return name;
  const bare = bareName(name);
  const names = Object.keys(shape);
  return names.find((known) => bareName(known) === bare) ?? names.find((known) => isServiceNamed(bare, known));
}

/** Gives each field its name in the contract. The contract's own spelling wins if a field is there twice. */
function withKnownNames(shape: Shape, data: Fields): Fields {
  const names = Object.keys(data);
  if (names.every((name) => Object.hasOwn(shape, name))) return data;
  // A map, because a name may be `__proto__`.
  const read = new Map<string, unknown>();
  for (const name of names) {
    const known = knownName(name, shape);
    const isFree = known !== undefined && isMissing(data[known]) && isMissing(read.get(known));
    read.set(isFree ? known : name, data[name]);
  }
  return Object.fromEntries(read);
}

type ReadValue = (value: unknown) => unknown;

/**
 * Returns a function that brings the fields of an object into the contract's form. Unknown fields stay as they are. It reads
 * each schema once, because a list has many rows, and copies an object only if one of its values changes.
 */
export function fieldReader(shape: Shape): (data: Fields) => Fields {
  const readers = new Map<string, ReadValue>();
  const readerOf = (name: string): ReadValue => {
    let read = readers.get(name);
    if (!read) {
      read = valueReader(Object.hasOwn(shape, name) ? shape[name] : undefined);
      readers.set(name, read);
    }
    return read;
  };
  return (data) => {
    const named = withKnownNames(shape, data);
    let changed: Record<string, unknown> | undefined;
    for (const name of Object.keys(named)) {
      const value = named[name];
      const after = readerOf(name)(value);
      if (after === value) continue;
      changed ??= { ...named };
      changed[name] = after;
    }
    return changed ?? named;
  };
}

const unchanged: ReadValue = (value) => value;

function valueReader(schema: z.ZodMiniType | undefined): ReadValue {
  if (!schema) return unchanged;
  const read = presentReader(schema);
  return (value) => (isMissing(value) ? value : read(value));
}

/** Returns the reader of values that are not missing. */
function presentReader(schema: z.ZodMiniType): ReadValue {
  const { schema: inner, meta } = unwrap(schema);
  const element = elementOf(inner);
  if (element) return listReader(element, meta?.byKey);
  const shape = shapeOf(inner);
  if (!shape) return meta ? scalarReader(meta) : unchanged;
  const readObject = fieldReader(shape);
  const shorthand = meta?.shorthand;
  return (value) => {
    // An older form has only the text that names the object, such as the address of a wallet.
    if (typeof value === 'string' && shorthand !== undefined) return { [shorthand]: value };
    return isJsonObject(value) ? readObject(value) : value;
  };
}

/** A list of one object may stand as the object alone, and some lists as an object of their rows. */
function listReader(element: z.ZodMiniType, byKey: FieldMeta['byKey']): ReadValue {
  const shape = shapeOf(unwrap(element).schema);
  const read = valueReader(element);
  return (value) => {
    if (Array.isArray(value)) return value.map(read);
    if (!shape || !isJsonObject(value)) return value;
    const isRow = Object.keys(value).some((name) => knownName(name, shape) !== undefined);
    return isRow || byKey === undefined ? [read(value)] : rowsByKey(value, byKey).map(read);
  };
}

/** Returns the rows of an object that has each under the value of one of its fields. */
const rowsByKey = (rows: Fields, { key, value }: NonNullable<FieldMeta['byKey']>): Fields[] =>
  Object.entries(rows).map(([name, row]) => ({ [key]: name, ...(isJsonObject(row) ? row : { [value]: row }) }));

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * Brings a value into the type of its field. The unit does not depend on the type: `"62500"` kobo are 62500 kobo. An amount
 * keeps its digits, because a decimal point says something about the unit.
 */
function scalarReader({ type }: FieldMeta): ReadValue {
  switch (type) {
    case 'number':
      return (value) => (typeof value === 'string' && NUMBER.test(value) ? exactNumber(value) : value);
    case 'integer':
      return (value) => {
        const text = asText(value);
        return typeof text === 'string' && NUMBER.test(text) ? exactNumber(trimDecimal(text)) : value;
      };
    case 'boolean':
      return readFlag;
    case 'datetime':
      return readTime;
    default:
      return type.startsWith('enum[') ? stateReader(type) : asText;
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

/** Reads a state in the contract's spelling: `completed` for `COMPLETED`. A state that is not known stays as it is. */
function stateReader(type: string): ReadValue {
  const known = type.slice('enum['.length, -1).split(',');
  return (value) => {
    const text = asText(value);
    if (typeof text !== 'string' || known.includes(text)) return text;
    return known.find((each) => bareName(each) === bareName(text)) ?? text;
  };
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
