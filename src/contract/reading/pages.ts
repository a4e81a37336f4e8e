import { isJsonObject, isWireNumber, wireNumberText } from '../../money/decimal.ts';
import { shapeOf, unwrap } from '../rows.ts';
import { bareName, type Fields, isMissing, type Shape } from './names.ts';

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
export function withPages(shape: Shape, data: Fields): Fields {
  const facts = pageFacts(data);
  if (Object.keys(facts).length === 0) return data;
  const pagination = shape['pagination'];
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
