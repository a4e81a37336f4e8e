import type * as z from 'zod/mini';
import type { FieldMeta } from '../contract/fields.ts';
import { elementOf, shapeOf, unwrap } from '../contract/rows.ts';
import { meaningOf, valuesOf } from './describe.ts';

/** A JSON Schema as plain data. */
export type JsonSchema = { readonly [name: string]: unknown };

type Schema = z.ZodMiniType;

/** The parts of a zod check that JSON Schema can express. */
interface Check {
  readonly check: string;
  readonly pattern?: RegExp;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly value?: number;
}

interface Definition {
  readonly type: string;
  readonly catchall?: { readonly _zod: { readonly def: { readonly type: string } } };
  readonly checks?: readonly { readonly _zod: { readonly def: Check } }[];
}

const definitionOf = (schema: Schema) => schema._zod.def as unknown as Definition;

/** Returns the JSON Schema of a field, with its contract metadata. `without` names fields of an object to omit. */
export function jsonSchema(schema: Schema, without: readonly string[] = []): JsonSchema {
  const { schema: inner, meta, nullable } = unwrap(schema);
  const described = { ...typeOf(inner, meta, without), ...annotationsOf(meta) };
  return nullable ? orNull(described) : described;
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  return {
    ...schema,
    ...(typeof type === 'string' ? { type: [type, 'null'] } : {}),
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  };
}

function typeOf(schema: Schema, meta: FieldMeta | undefined, without: readonly string[]): JsonSchema {
  const shape = shapeOf(schema);
  if (shape) return objectOf(schema, shape, without);
  const element = elementOf(schema);
  const limits = limitsOf(schema);
  if (element) {
    const { minLength: minItems, maxLength: maxItems } = limits as { minLength?: number; maxLength?: number };
    return {
      type: 'array',
      items: jsonSchema(element),
      ...(minItems ? { minItems } : {}),
      ...(maxItems !== undefined && maxItems < Number.MAX_SAFE_INTEGER ? { maxItems } : {}),
    };
  }
  const values = meta && valuesOf(meta);
  if (values) {
    // A response may contain states that the contract does not know yet.
    const isClosed = definitionOf(schema).type === 'enum';
    return { type: 'string', ...(isClosed ? { enum: values } : { 'x-known-values': values }) };
  }
  return { ...plainTypeOf(meta), ...limits };
}

const PLAIN_TYPES: Readonly<Record<string, JsonSchema>> = {
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  object: { type: 'object' },
  array: { type: 'array' },
};

function plainTypeOf(meta: FieldMeta | undefined): JsonSchema {
  if (meta?.type === 'datetime') return { type: 'string', ...(meta.rule ? {} : { format: 'date-time' }) };
  return PLAIN_TYPES[meta?.type ?? ''] ?? { type: 'string' };
}

function objectOf(schema: Schema, shape: Record<string, Schema>, without: readonly string[]): JsonSchema {
  const entries = Object.entries(shape).filter(([name]) => !without.includes(name));
  const required = entries.filter(([, field]) => unwrap(field).required).map(([name]) => name);
  const isStrict = definitionOf(schema).catchall?._zod.def.type === 'never';
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, field]) => [name, jsonSchema(field)])),
    ...(required.length > 0 ? { required } : {}),
    ...(isStrict ? { additionalProperties: false } : {}),
  };
}

/** The limits that the schema itself checks. Custom checks appear in the description only. */
function limitsOf(schema: Schema): JsonSchema {
  const limits = (definitionOf(schema).checks ?? []).map(({ _zod }) => limitOf(_zod.def));
  const patterns = limits.flatMap(({ pattern }) => (pattern === undefined ? [] : [pattern]));
  const merged = Object.assign({}, ...limits) as JsonSchema;
  return patterns.length > 1 ? { ...merged, pattern: patterns.find((pattern) => pattern !== PRINTABLE) } : merged;
}

const PRINTABLE = '^[\\x20-\\x7e\\u00a0-\\uffff]+$';

function limitOf({ check, pattern, minimum, maximum, value }: Check): JsonSchema {
  if (check === 'string_format' && pattern && pattern.flags === '') return { pattern: pattern.source };
  if (check === 'min_length') return { minLength: minimum };
  if (check === 'max_length') return { maxLength: maximum };
  if (check === 'greater_than') return { minimum: value };
  if (check === 'less_than' && value !== Number.MAX_SAFE_INTEGER) return { maximum: value };
  return {};
}

/** What JSON Schema cannot express: a description, and the contract's metadata in `x-` extensions. */
function annotationsOf(meta: FieldMeta | undefined): JsonSchema {
  if (!meta) return {};
  const meaning = meaningOf(meta, undefined);
  return {
    ...(meaning ? { description: meaning } : {}),
    ...(meta.unit ? { 'x-unit': meta.unit } : {}),
    ...(meta.asset ? { 'x-asset': meta.asset } : {}),
    ...(meta.secret ? { format: 'password', 'x-secret': true } : {}),
    'x-source': meta.source,
  };
}
