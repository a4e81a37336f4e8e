import * as z from 'zod/mini';
import type { FieldMeta } from '../contract/fields.ts';
import { unwrap } from '../contract/rows.ts';
import { meaningOf, valuesOf } from './describe.ts';
import { limitsOf } from './limits.ts';

/** A JSON Schema as plain data. */
export type JsonSchema = { readonly [name: string]: unknown };

/** A JSON Schema as zod made it, to be changed in place. */
type Draft = { -readonly [Name in keyof z.core.JSONSchema.BaseSchema]: z.core.JSONSchema.BaseSchema[Name] };

/**
 * Returns the JSON Schema of a field: zod's own, with the contract's metadata. `without` names fields of an object to omit.
 */
export function jsonSchema(schema: z.ZodMiniType, without: readonly string[] = []): JsonSchema {
  const {
    $schema: _,
    '~standard': _standard,
    ...made
  } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: draft }) => complete(zodSchema as unknown as z.ZodMiniType, draft),
  });
  return without.length > 0 ? omitFields(made, without) : made;
}

function omitFields({ properties = {}, required = [], ...rest }: Draft, without: readonly string[]): JsonSchema {
  const kept = required.filter((name) => !without.includes(name));
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !without.includes(name))),
    ...(kept.length > 0 ? { required: kept } : {}),
  };
}

/** Called for each schema inside, innermost first. */
function complete(schema: z.ZodMiniType, draft: Draft): void {
  const { type } = schema._zod.def;
  if (type === 'optional') return;
  if (type === 'nullable') mergeNull(draft);
  else {
    dropDefaults(draft);
    usePatterns(schema, draft);
    const { meta } = unwrap(schema);
    if (meta) annotate(draft, meta, type === 'enum');
    if (meta) Object.assign(draft, limitsOf(schema, meta));
  }
}

/** `anyOf` with null as a second type, which is shorter. */
function mergeNull(draft: Draft): void {
  const [inner = {}] = (draft.anyOf ?? []) as Draft[];
  delete draft.anyOf;
  Object.assign(draft, inner);
  if (typeof inner.type === 'string') Object.assign(draft, { type: [inner.type, 'null'] });
  if (inner.enum) draft.enum = [...inner.enum, null];
}

/** Limits that exclude nothing. */
function dropDefaults(draft: Draft): void {
  if (draft.maximum === Number.MAX_SAFE_INTEGER) delete draft.maximum;
  if (draft.maxItems === Number.MAX_SAFE_INTEGER) delete draft.maxItems;
  if (draft.minItems === 0) delete draft.minItems;
  if (draft.additionalProperties !== false) delete draft.additionalProperties;
  delete draft.format;
}

const PRINTABLE = '^[\\x20-\\x7e\\u00a0-\\uffff]+$';

/** JSON Schema patterns have no flags, so a pattern that needs one is left out; of two, the special one says more. */
function usePatterns(schema: z.ZodMiniType, draft: Draft): void {
  delete draft.allOf;
  delete draft.pattern;
  const checks = (schema._zod.def as z.core.$ZodTypeDef).checks ?? [];
  const patterns = checks.flatMap(({ _zod }) => {
    const { pattern } = _zod.def as { readonly pattern?: RegExp };
    return pattern?.flags === '' ? [pattern.source] : [];
  });
  const pattern = patterns.find((each) => each !== PRINTABLE) ?? patterns[0];
  if (pattern !== undefined) draft.pattern = pattern;
}

/** What zod does not know: types of exact numbers, states that are left open, and the contract's metadata in `x-` extensions. */
function annotate(draft: Draft, meta: FieldMeta, isClosed: boolean): void {
  if (meta.type === 'number' || meta.type === 'integer') draft.type = meta.type;
  if (meta.mayBeBase) draft.type = 'string';
  if (meta.type === 'datetime' && !meta.rule) draft.format = 'date-time';
  const values = isClosed ? undefined : valuesOf(meta);
  const meaning = meaningOf(meta, undefined);
  Object.assign(draft, {
    ...(values ? { type: 'string', 'x-known-values': values } : {}),
    ...(meaning ? { description: meaning } : {}),
    ...(meta.unit ? { 'x-unit': meta.unit } : {}),
    ...(meta.asset ? { 'x-asset': meta.asset } : {}),
    ...(meta.secret ? { format: 'password', 'x-secret': true } : {}),
    'x-source': meta.source,
  });
}
