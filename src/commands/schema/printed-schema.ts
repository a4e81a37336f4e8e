import type * as z from 'zod/mini';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { FieldMeta } from '../../contract/fields.ts';
import { elementOf, shapeOf, unwrap } from '../../contract/rows.ts';
import { valuesOf } from '../../derive/describe.ts';
import type { JsonSchema } from '../../derive/schema.ts';
import { DECIMALS } from '../../money/amount.ts';
import { withoutPageFields } from '../../present/content.ts';
import type { Fields, Form, Kind, PrintedResponse, PrintedWork, Prints } from '../../present/prints.ts';

const ASSETS = Object.keys(DECIMALS);
const DIGITS = '^-?\\d+(\\.\\d+)?$';

/** Returns the JSON Schema of the document that a command prints. Fields that it does not name are allowed. */
export function printedSchema(prints: Prints): JsonSchema {
  if ('either' in prints) return { anyOf: prints.either.map(printedSchema) };
  if ('form' in prints) return ofForm(prints.form);
  return 'start' in prints ? ofWork(prints) : ofResponse(prints);
}

// Documents that a command makes itself.

const KINDS: Readonly<Record<Kind, () => JsonSchema>> = {
  text: () => ({ type: 'string' }),
  time: () => ({ type: 'string', format: 'date-time' }),
  number: () => ({ type: 'number' }),
  'whole number': () => ({ type: 'integer' }),
  flag: () => ({ type: 'boolean' }),
  amount: () => amount({ enum: ASSETS }),
  pagination: () => PAGINATION,
  any: () => ({}),
};

function ofForm(form: Form): JsonSchema {
  if (typeof form === 'string') return KINDS[form]();
  if (!isTuple(form)) return object(ofFields(form));
  const [word, ...parts] = form;
  if (word === 'one of') return { type: 'string', enum: parts };
  const [first = {}, second = {}] = (parts as Form[]).map(ofForm);
  if (word === 'list of') return { type: 'array', items: first };
  return word === 'null or' ? orNull(first) : { anyOf: [first, second] };
}

const isTuple = (form: Exclude<Form, string>): form is Extract<Form, readonly unknown[]> => Array.isArray(form);

function ofFields(fields: Fields): Property[] {
  return Object.entries(fields).map(([name, form]) => {
    const isRequired = !name.endsWith('?');
    return { name: isRequired ? name : name.slice(0, -1), schema: ofForm(form), isRequired };
  });
}

// Responses of the service.

/** A field of an object. */
interface Property {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

function ofResponse({ response: endpoint, lists = endpoint.lists, isRow, more = {} }: PrintedResponse): JsonSchema {
  const schema = endpoint.response();
  if (lists === undefined) return object([...ofProperties(schema, endpoint.nests), ...ofFields(more)]);
  const list = shapeOf(unwrap(schema).schema)?.[lists];
  const element = elementOf(list ? unwrap(list).schema : schema);
  const row = element ? ofSchema(element) : {};
  if (isRow) return orNull(row);
  const rows: Property = { name: lists, schema: { type: 'array', items: row }, isRequired: true };
  const around = propertiesOf(schema).filter(({ name }) => name !== lists);
  // As `listDocument` in present/content.ts: the result of a change is no list, so it has no position.
  if (endpoint.effect !== 'read' && lists === endpoint.lists) return object([...around, rows]);
  const position: Property = { name: 'pagination', schema: PAGINATION, isRequired: true };
  const named = Object.fromEntries(around.map((each) => [each.name, each]));
  return object([rows, position, ...Object.values(withoutPageFields(named))]);
}

/** The fields of a response, with those of the object `nests` in its place, as present/plain.ts prints them. */
function ofProperties(schema: z.ZodMiniType, nests: string | undefined): Property[] {
  const properties = propertiesOf(schema);
  const shape = shapeOf(unwrap(schema).schema) ?? {};
  const nested = nests === undefined ? undefined : shape[nests];
  if (!nested) return properties;
  const { schema: inner, required, nullable } = unwrap(nested);
  const isOuter = (name: string) => name !== nests && Object.hasOwn(shape, name);
  const inside = propertiesOf(inner)
    .filter(({ name }) => !isOuter(name))
    .map((each) => ({ ...each, isRequired: each.isRequired && required && !nullable }));
  return properties.flatMap((each) => (each.name === nests ? inside : [each]));
}

function propertiesOf(schema: z.ZodMiniType): Property[] {
  return Object.entries(shapeOf(unwrap(schema).schema) ?? {}).map(([name, field]) => ({
    name,
    schema: ofSchema(field),
    isRequired: unwrap(field).required,
  }));
}

/** A field of both endpoints has the form of either, since the value of the start stays until the status has one. */
function ofWork({ start, status, also }: PrintedWork): JsonSchema {
  const ofEndpoint = ({ response, nests }: Endpoint) => ofProperties(response(), nests);
  const added = also ? ofEndpoint(also.endpoint).filter(({ name }) => also.fields.includes(name)) : [];
  const all = [...ofEndpoint(start), ...added, ...ofEndpoint(status)];
  const properties = [...Map.groupBy(all, ({ name }) => name)].map(([name, found]): Property => {
    const schemas = new Map(found.map(({ schema }) => [JSON.stringify(schema), schema]));
    const [only = {}, ...others] = schemas.values();
    return { name, schema: orNull(others.length > 0 ? { anyOf: [only, ...others] } : only), isRequired: true };
  });
  return object(properties);
}

function ofSchema(given: z.ZodMiniType): JsonSchema {
  const { schema, meta, nullable } = unwrap(given);
  const found = ofPresent(schema, meta);
  return nullable ? orNull(found) : found;
}

function ofPresent(schema: z.ZodMiniType, meta: FieldMeta | undefined): JsonSchema {
  if (meta?.unit !== undefined && meta.asset !== undefined) return ofMoney(meta);
  const element = elementOf(schema);
  if (element) return { type: 'array', items: ofSchema(element) };
  if (shapeOf(schema)) return object(propertiesOf(schema));
  return { ...ofScalar(schema, meta), ...(meta?.rule ? { description: meta.rule } : {}) };
}

/** The types of the contract whose JSON type has another name. */
const TYPES: Readonly<Record<string, JsonSchema>> = {
  uuid: { type: 'string' },
  datetime: { type: 'string', format: 'date-time' },
};

function ofScalar(schema: z.ZodMiniType, meta: FieldMeta | undefined): JsonSchema {
  const { type, entries } = schema._zod.def as { readonly type: string; readonly entries?: object };
  const known = meta && valuesOf(meta);
  if (entries) return { type: 'string', enum: Object.values(entries) };
  // The service may add a value, such as a state of its work.
  if (known) return { type: 'string', examples: known };
  if (meta) return TYPES[meta.type] ?? { type: meta.type };
  return ['string', 'number', 'boolean', 'object', 'array'].includes(type) ? { type } : {};
}

function ofMoney({ unit, asset, isMasked, mayBeBase }: FieldMeta): JsonSchema {
  const money = amount(assetSchema(asset), isMasked ? {} : { pattern: DIGITS });
  if (!mayBeBase && unit !== 'base') return money;
  // The unit cannot always be determined from what the service sends. In the order book, the asset is then missing too.
  const { properties } = money;
  const withUnit = { ...money, properties: { ...(properties as object), unit: { const: 'unknown' } } };
  return mayBeBase ? { ...withUnit, required: ['value'] } : withUnit;
}

function amount(asset: JsonSchema, value: JsonSchema = { pattern: DIGITS }): JsonSchema {
  return { type: 'object', properties: { value: { type: 'string', ...value }, asset }, required: ['value', 'asset'] };
}

/** Null where nothing names the token. */
function assetSchema(asset: FieldMeta['asset']): JsonSchema {
  if (typeof asset === 'string') return { enum: [asset] };
  const isAlwaysKnown = asset !== undefined && 'byDefault' in asset;
  return { enum: isAlwaysKnown ? ASSETS : [...ASSETS, null] };
}

// Parts of schemas.

const wholeOrNull: JsonSchema = { type: ['integer', 'null'] };

const PAGINATION: JsonSchema = {
  type: 'object',
  properties: {
    total: wholeOrNull,
    limit: wholeOrNull,
    offset: wholeOrNull,
    hasMore: { type: ['boolean', 'null'] },
    after: { type: ['string', 'null'] },
  },
  required: ['total', 'limit', 'offset', 'hasMore', 'after'],
};

function object(all: readonly Property[]): JsonSchema {
  const required = all.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const properties = Object.fromEntries(all.map(({ name, schema }) => [name, schema]));
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, anyOf } = schema;
  if (Array.isArray(anyOf)) return anyOf.some(isNull) ? schema : { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  if (Array.isArray(type) || type === undefined) return schema;
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}

const isNull = ({ type }: JsonSchema) => type === 'null';
