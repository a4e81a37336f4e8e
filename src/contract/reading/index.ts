import type * as z from 'zod/mini';
import { isJsonObject, isWireNumber, wireNumberText } from '../../money/decimal.ts';
import type { Endpoint } from '../endpoint.ts';
import { elementOf, shapeOf, unwrap } from '../rows.ts';
import { type OnUncertain, readUnits } from './units.ts';
import { bareName, type Fields, fieldReader, isMissing, knownName, type Shape } from './values.ts';

/**
 * Returns the data of a success in the contract's form, whichever form it has: a list under another name or alone, paging
 * fields in another place, an object flat, nested or in a list, names in another spelling or from older forms, fields named
 * after the service, numbers as text, times as numbers. A form that is not known stays as it is. `onUncertain` is told what in it
 * cannot be believed. Source: public.
 */
export function readData(endpoint: Endpoint, data: unknown, onUncertain: OnUncertain = () => {}): unknown {
  const shape = shapeOf(endpoint.response()) ?? {};
  const { lists, otherNames = {} } = endpoint;
  const listed = Array.isArray(data) ? withoutBrackets(endpoint, data) : data;
  if (!isJsonObject(listed)) return listed;
  const named = withNames(otherNames, shape, withoutWrapper(endpoint, shape, listed));
  const whole = lists === undefined ? named : withPages(shape, withList(lists, shape, named));
  const read = fieldReader(shape)(withGroups(shape, withNested(endpoint, shape, whole)));
  return readUnits(endpoint.response(), read, onUncertain);
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
  const name = Object.keys(data).find((each) => bareName(each) === bareName(`${nests}s`)) ?? '';
  const plural = data[name];
  if (!Array.isArray(plural) || !isJsonObject(plural[0])) return data;
  const others = plural.length === 1 ? withoutMoved(shape, data, [name]) : data;
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
  const names = Object.keys(data);
  const stray = names.filter((name) => knownName(name, shape) === undefined && !INCIDENTAL.has(name));
  if (stray.length === 0) return data;
  const groups = Object.keys(shape).flatMap((name) => {
    const isThere = names.some((each) => knownName(each, shape) === name && data[each] !== undefined);
    const inner = isThere ? undefined : innerShape(shape[name]);
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
  const [only, ...more] = groups.filter(({ name }) => Object.hasOwn(made, name));
  // A field that says little alone, such as a state, belongs to the object that the fields around it make.
  const isOfGroup = (name: string) =>
    INCIDENTAL.has(name) && knownName(name, shape) === undefined && knownName(name, only?.inner ?? {}) !== undefined;
  const alone = only && more.length === 0 ? names.filter(isOfGroup) : [];
  if (only && alone.length > 0) made[only.name] = { ...made[only.name], ...picked(data, alone) };
  return moved.length === 0 ? data : { ...withoutMoved(shape, data, [...moved, ...alone]), ...made };
}

function innerShape(schema: z.ZodMiniType | undefined): Shape | undefined {
  return schema && shapeOf(unwrap(schema).schema);
}

/** Other names for what the contract says of a page, without case and separators. Source: public, inferred. */
const OTHER_NAMES = {
  total: ['total', 'totalcount', 'totalitems', 'totalrecords', 'totalrows', 'totalresults', 'totaldocs'],
  limit: ['limit', 'perpage', 'pagesize', 'itemsperpage'],
  offset: ['offset', 'skip'],
  currentPage: ['currentpage', 'page', 'pagenumber'],
  totalPages: ['totalpages', 'pages', 'pagecount', 'lastpage'],
  hasMore: ['hasmore', 'hasnextpage', 'hasnext'],
  nextCursor: ['nextcursor', 'next', 'nextpage', 'nextpagetoken', 'nextstartafter'],
} as const;

type PageFact = keyof typeof OTHER_NAMES;
type PageFacts = Partial<Record<PageFact, unknown>>;

/** The objects in which paging fields may stand. */
const CONTAINERS: ReadonlySet<string> = new Set(['pagination', 'paging', 'meta', 'page', 'pageinfo', 'pagemeta']);

/** Returns the fields of an object that describe its pages. */
export function pagingIn(data: Fields): Fields {
  const names: ReadonlySet<string> = new Set(Object.values(OTHER_NAMES).flat());
  return Object.fromEntries(
    Object.entries(data).filter(([name]) => CONTAINERS.has(bareName(name)) || names.has(bareName(name))),
  );
}

/** Fills the paging fields of the contract that the data has in another place or under another name. */
function withPages(shape: Shape, data: Fields): Fields {
  const { pagination } = shape;
  if (!pagination && !Object.keys(OTHER_NAMES).some((name) => Object.hasOwn(shape, name))) return data;
  const facts = pageFacts(data);
  if (Object.keys(facts).length === 0) return data;
  const inner = pagination && shapeOf(unwrap(pagination).schema);
  if (!inner) return filled(shape, data, facts);
  const given = data['pagination'];
  return { ...data, pagination: filled(inner, isJsonObject(given) ? given : {}, facts) };
}

function filled(shape: Shape, data: Fields, facts: PageFacts): Fields {
  const missing = Object.entries(facts).filter(([name]) => Object.hasOwn(shape, name) && isMissing(data[name]));
  return { ...data, ...Object.fromEntries(missing) };
}

function pageFacts(data: Fields): PageFacts {
  const facts: PageFacts = {};
  for (const object of [data, ...containersIn(data)])
    for (const [name, value] of Object.entries(object)) {
      const fact = factNamed(bareName(name));
      if (fact !== undefined && facts[fact] === undefined && isFact(fact, value)) facts[fact] = value;
    }
  return derived(facts);
}

function containersIn(data: Fields): Fields[] {
  return Object.entries(data).flatMap(([name, value]) =>
    CONTAINERS.has(bareName(name)) && isJsonObject(value) ? [value] : [],
  );
}

const factNamed = (bare: string) =>
  (Object.keys(OTHER_NAMES) as PageFact[]).find((fact) => (OTHER_NAMES[fact] as readonly string[]).includes(bare));

/** A number, or the text of one; `page` and `next` may also be objects and links. */
function isFact(fact: PageFact, value: unknown): boolean {
  if (fact === 'hasMore') return typeof value === 'boolean';
  if (fact === 'nextCursor') return value === null || typeof value === 'string' || isWireNumber(value);
  return numberIn(value) !== undefined;
}

/** Adds the offset of a page, and whether there are more, if other facts say so. */
function derived(facts: PageFacts): PageFacts {
  const [page, limit, pages] = [facts.currentPage, facts.limit, facts.totalPages].map(numberIn);
  const more = { ...facts };
  if (facts.offset === undefined && page !== undefined && limit !== undefined && page > 0)
    more.offset = (page - 1) * limit;
  if (facts.hasMore === undefined && page !== undefined && pages !== undefined) more.hasMore = page < pages;
  else if (facts.hasMore === undefined && facts.nextCursor !== undefined)
    more.hasMore = facts.nextCursor !== null && facts.nextCursor !== '';
  else if (facts.hasMore === undefined) {
    const [total, offset] = [facts.total, more.offset].map(numberIn);
    if (total !== undefined && offset !== undefined && limit !== undefined) more.hasMore = offset + limit < total;
  }
  return more;
}

function numberIn(value: unknown): number | undefined {
  const text = isWireNumber(value) ? wireNumberText(value) : value;
  const number = typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isNaN(number) ? undefined : number;
}
