import type * as z from 'zod/mini';
import { isJsonObject, isWireNumber, wireNumberText } from '../money/decimal.ts';
import { hasBookFigures, readBookUnits } from './book-units.ts';
import type { Endpoint } from './endpoint.ts';
import { PLATFORM } from './paths.ts';
import { elementOf, shapeOf, unwrap } from './rows.ts';

type Fields = Record<string, unknown>;
type Shape = Readonly<Record<string, z.ZodMiniType>>;

/**
 * Returns the data of a success in the contract's form, whichever documented form it has: a list under `items` or alone,
 * paging fields under `pagination`, an object flat, nested or in a list, older field names, fields named after the service,
 * times as seconds. A form that is not known stays as it is. Source: public.
 */
export function readData(endpoint: Endpoint, data: unknown): unknown {
  const shape = shapeOf(endpoint.response()) ?? {};
  const { lists } = endpoint;
  const listed = Array.isArray(data) && lists !== undefined ? { [lists]: data } : data;
  if (!isJsonObject(listed)) return listed;
  const renamed = withNames(endpoint.otherNames ?? {}, withPages(shape, lists, listed));
  const read = readFields(shape, withNested(endpoint, shape, renamed));
  const response = endpoint.response();
  return hasBookFigures(response) ? readBookUnits(response, read) : read;
}

const isMissing = (value: unknown) => value === undefined || value === null;

/** Takes the list from `items`, and the paging fields from `pagination`, unless they stand where the contract has them. */
function withPages(shape: Shape, lists: string | undefined, data: Fields): Fields {
  const read = { ...data };
  if (lists !== undefined && isMissing(read[lists]) && Array.isArray(read['items'])) read[lists] = read['items'];
  const pages = isJsonObject(read['pagination']) ? read['pagination'] : {};
  const nested = unwrapShape(shape['pagination']);
  if (nested) {
    if (isMissing(pages['hasMore']) && typeof pages['hasNextPage'] === 'boolean')
      read['pagination'] = { ...pages, hasMore: pages['hasNextPage'] };
    return read;
  }
  for (const name of ['total', 'limit', 'offset', 'hasMore'])
    if (Object.hasOwn(shape, name) && isMissing(read[name])) {
      const value = pages[name] ?? (name === 'hasMore' ? (pages['hasNextPage'] ?? read['hasNextPage']) : undefined);
      if (value !== undefined) read[name] = value;
    }
  return read;
}

/** Gives fields of older forms their name in the contract. A dotted name is a field of an object. */
function withNames(names: Readonly<Record<string, readonly string[]>>, data: Fields): Fields {
  const read = { ...data };
  for (const [name, others] of Object.entries(names)) {
    if (!isMissing(read[name])) continue;
    const value = others.map((other) => valueAt(read, other)).find((each) => !isMissing(each));
    if (value !== undefined) read[name] = value;
  }
  return read;
}

function valueAt(data: Fields, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (isJsonObject(at) ? at[name] : undefined), data);
}

/** Puts the fields of the nested object under its name when they stand beside it, or when it is the only one of a list. */
function withNested({ nests }: Endpoint, shape: Shape, data: Fields): Fields {
  const inner = nests === undefined ? undefined : unwrapShape(shape[nests]);
  if (nests === undefined || !inner || !isMissing(data[nests])) return data;
  const plural = data[`${nests}s`];
  if (Array.isArray(plural) && isJsonObject(plural[0])) return { ...data, [nests]: plural[0] };
  const own = Object.keys(data).filter((name) => Object.hasOwn(inner, name) || serviceNamed(name, inner) !== undefined);
  return own.length === 0 ? data : { ...data, [nests]: Object.fromEntries(own.map((name) => [name, data[name]])) };
}

function unwrapShape(schema: z.ZodMiniType | undefined): Shape | undefined {
  return schema && shapeOf(unwrap(schema).schema);
}

function readFields(shape: Shape, data: Fields): Fields {
  const read: Fields = {};
  for (const [name, value] of Object.entries(data)) {
    if (Object.hasOwn(shape, name)) read[name] = readValue(shape[name], value);
    else {
      const known = serviceNamed(name, shape);
      if (known !== undefined && isMissing(data[known])) read[known] = readValue(shape[known], value);
      else read[name] = value;
    }
  }
  return read;
}

/** Words that stand in front of fees of somebody else, so that they cannot be the service's name. */
const OTHER_FEES =
  /^(fintech|gateway|processing|total|network|gas|bank|stamp|transfer|swap|bridge|user|base|net|final|onramp|offramp)$/i;

/**
 * Returns the contract's name of a field that has the service's own name in front: `platformFee` for `acmeFee`. The name is
 * known only to the service, so any word counts that is no other kind of fee.
 */
function serviceNamed(name: string, shape: Shape): string | undefined {
  return Object.keys(shape).find((known) => {
    const rest = known.startsWith(PLATFORM) ? known.slice(PLATFORM.length) : '';
    return (
      rest !== '' && name.length > rest.length && name.endsWith(rest) && !OTHER_FEES.test(name.slice(0, -rest.length))
    );
  });
}

function readValue(schema: z.ZodMiniType | undefined, value: unknown): unknown {
  if (!schema || isMissing(value)) return value;
  const { schema: inner, meta } = unwrap(schema);
  const element = elementOf(inner);
  if (element) return Array.isArray(value) ? value.map((each) => readValue(element, each)) : value;
  const shape = shapeOf(inner);
  if (shape) {
    // An older form has only the text that names the object, such as the address of a wallet.
    if (typeof value === 'string' && meta?.shorthand !== undefined) return { [meta.shorthand]: value };
    return isJsonObject(value) ? readFields(shape, value) : value;
  }
  return meta?.type === 'datetime' ? readTime(value) : value;
}

/** Reads a time that is an object of seconds and nanoseconds. */
function readTime(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const seconds = numberIn(value['_seconds'] ?? value['seconds']);
  const nanoseconds = numberIn(value['_nanoseconds'] ?? value['nanoseconds'] ?? 0) ?? 0;
  if (seconds === undefined) return value;
  const date = new Date(seconds * 1000 + Math.trunc(nanoseconds / 1e6));
  return Number.isNaN(date.getTime()) ? value : date.toISOString();
}

function numberIn(value: unknown): number | undefined {
  if (!isWireNumber(value)) return undefined;
  const number = Number(wireNumberText(value));
  return Number.isSafeInteger(number) ? number : undefined;
}
