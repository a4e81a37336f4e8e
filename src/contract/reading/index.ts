import type * as z from 'zod/mini';
import { isJsonObject } from '../../money/decimal.ts';
import type { Endpoint } from '../endpoint.ts';
import { elementOf, shapeOf, unwrap } from '../rows.ts';
import { hasBookFigures, readBookUnits } from './book-units.ts';
import { type Fields, isMissing, knownName, type Shape } from './names.ts';
import { pagingIn, withPages } from './pages.ts';
import { fieldReader } from './values.ts';

/**
 * Returns the data of a success in the contract's form, whichever form it has: a list under another name or alone, paging
 * fields in another place, an object flat, nested or in a list, names in another spelling or from older forms, fields named
 * after the service, numbers as text, times as numbers. A form that is not known stays as it is. Source: public.
 */
export function readData(endpoint: Endpoint, data: unknown): unknown {
  const shape = shapeOf(endpoint.response()) ?? {};
  const { lists, otherNames = {} } = endpoint;
  const listed = Array.isArray(data) ? withoutBrackets(endpoint, data) : data;
  if (!isJsonObject(listed)) return listed;
  const named = withNames(otherNames, shape, withoutWrapper(endpoint, shape, listed));
  const whole = lists === undefined ? named : withPages(shape, withList(lists, shape, named));
  const read = fieldReader(shape)(withGroups(shape, withNested(endpoint, shape, whole)));
  const response = endpoint.response();
  return hasBookFigures(response) ? readBookUnits(response, read) : read;
}

/** A list stands under its name; the data of other endpoints may stand in a list of one. */
function withoutBrackets({ lists }: Endpoint, data: readonly unknown[]): unknown {
  if (lists !== undefined) return { [lists]: data };
  return data.length === 1 && isJsonObject(data[0]) ? data[0] : data;
}

/** Fields that many answers have and that are typical of no endpoint. */
const INCIDENTAL: ReadonlySet<string> = new Set(['status', 'message', 'version', 'note', 'type', 'timestamp', 'code']);

/** Whether data has a field that the contract has for this endpoint in particular, or the list of one that lists. */
export function isAbout(endpoint: Endpoint, data: Fields): boolean {
  const shape = shapeOf(endpoint.response()) ?? {};
  const hasList = endpoint.lists !== undefined && LIST_NAMES.some((name) => Array.isArray(data[name]));
  return hasList || Object.keys(data).some((name) => isKnown(name, endpoint, shape) && !INCIDENTAL.has(name));
}

function isKnown(name: string, { otherNames = {}, nests }: Endpoint, shape: Shape): boolean {
  const inner = nests === undefined ? undefined : innerShape(shape[nests]);
  return (
    knownName(name, shape) !== undefined ||
    (inner !== undefined && knownName(name, inner) !== undefined) ||
    Object.values(otherNames).some((others) => others.some((other) => other.split('.')[0] === name))
  );
}

const MAX_WRAPPERS = 3;

/** Takes the fields out of an object that the contract does not have, such as `data` or `swap`, if all is inside it. */
function withoutWrapper(endpoint: Endpoint, shape: Shape, data: Fields, depth = 0): Fields {
  if (depth === MAX_WRAPPERS || isAbout(endpoint, data)) return data;
  const inside = Object.entries(data).filter(([, value]) => isJsonObject(value)) as [string, Fields][];
  const [wrapper, ...others] = inside.filter(([, value]) => reaches(endpoint, value, MAX_WRAPPERS - depth));
  if (!wrapper || others.length > 0) return data;
  const [name, inner] = wrapper;
  const { [name]: _, ...rest } = data;
  return withoutWrapper(endpoint, shape, { ...rest, ...inner }, depth + 1);
}

function reaches(endpoint: Endpoint, data: Fields, depth: number): boolean {
  if (isAbout(endpoint, data) || (endpoint.lists !== undefined && rowsOf(data).length === 1)) return true;
  return depth > 0 && Object.values(data).some((value) => isJsonObject(value) && reaches(endpoint, value, depth - 1));
}

/** The names of the lists of objects in an object. */
function rowsOf(data: Fields): string[] {
  return Object.keys(data).filter((name) => {
    const value = data[name];
    return Array.isArray(value) && value.length > 0 && value.every(isJsonObject);
  });
}

/** Names that only a list of results has, also if it is empty. */
const LIST_NAMES = ['items', 'data', 'results', 'records', 'rows', 'list', 'content', 'docs', 'entries'] as const;

/** Gives the list its name in the contract: from a usual name, or from the only list of objects, or from a row alone. */
function withList(lists: string, shape: Shape, data: Fields): Fields {
  if (!isMissing(data[lists])) return data;
  const usual = LIST_NAMES.find((name) => Array.isArray(data[name]) && !Object.hasOwn(shape, name));
  const [only, ...others] = rowsOf(data).filter((name) => !Object.hasOwn(shape, name));
  const found = usual ?? (others.length === 0 ? only : undefined);
  if (found !== undefined) {
    const { [found]: rows, ...rest } = data;
    return { ...rest, [lists]: rows };
  }
  return isRow(lists, shape, data) ? { ...pagingIn(data), [lists]: [data] } : data;
}

/** Whether data is one row of the list: it has fields of a row, and none of the list. */
function isRow(lists: string, shape: Shape, data: Fields): boolean {
  const list = shape[lists];
  const element = list && elementOf(unwrap(list).schema);
  const row = element && innerShape(element);
  const names = Object.keys(data).filter((name) => !INCIDENTAL.has(name));
  if (!row || names.length === 0 || names.some((name) => knownName(name, shape) !== undefined)) return false;
  return names.some((name) => knownName(name, row) !== undefined);
}

/** Gives fields of older forms their name in the contract. A dotted name is a field of an object. */
function withNames(names: Readonly<Record<string, readonly string[]>>, shape: Shape, data: Fields): Fields {
  let read = data;
  for (const [name, others] of Object.entries(names)) {
    if (!isMissing(read[name])) continue;
    const other = others.find((each) => !isMissing(valueAt(read, each)));
    if (other !== undefined) read = { ...withoutMoved(shape, read, [other]), [name]: valueAt(read, other) };
  }
  return read;
}

function valueAt(data: Fields, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (isJsonObject(at) ? at[name] : undefined), data);
}

/** Puts the nested object under its name when it is the first of a list. */
function withNested({ nests }: Endpoint, shape: Shape, data: Fields): Fields {
  if (nests === undefined || !isMissing(data[nests])) return data;
  const plural = data[`${nests}s`];
  if (!Array.isArray(plural) || !isJsonObject(plural[0])) return data;
  const others = plural.length === 1 ? withoutMoved(shape, data, [`${nests}s`]) : data;
  return { ...others, [nests]: plural[0] };
}

const picked = (data: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, data[name]]));

/** The fields that stay in their place: all but the moved ones, which the contract has only in the new place. */
function withoutMoved(shape: Shape, data: Fields, moved: readonly string[]): Fields {
  return picked(
    data,
    Object.keys(data).filter((name) => Object.hasOwn(shape, name) || !moved.includes(name)),
  );
}

/** Puts fields that stand flat into the object in which the contract has them, if only one object has such a field. */
function withGroups(shape: Shape, data: Fields): Fields {
  const stray = Object.keys(data).filter((name) => !Object.hasOwn(shape, name) && !INCIDENTAL.has(name));
  if (stray.length === 0) return data;
  const groups = Object.keys(shape).flatMap((name) => {
    const inner = data[name] === undefined ? innerShape(shape[name]) : undefined;
    return inner ? [{ name, inner }] : [];
  });
  const made: Record<string, Fields> = {};
  const moved: string[] = [];
  for (const name of stray) {
    const [group, ...others] = groups.filter(({ inner }) => knownName(name, inner) !== undefined);
    if (!group || others.length > 0) continue;
    made[group.name] = { ...made[group.name], [name]: data[name] };
    moved.push(name);
  }
  return moved.length === 0 ? data : { ...withoutMoved(shape, data, moved), ...made };
}

function innerShape(schema: z.ZodMiniType | undefined): Shape | undefined {
  return schema && shapeOf(unwrap(schema).schema);
}
