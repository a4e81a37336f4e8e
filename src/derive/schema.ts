import * as z from 'zod/mini';
import { problemsOf } from '../contract/check.ts';
import type { FieldMeta } from '../contract/fields.ts';
import { valuesOf } from '../contract/fields.ts';
import { unwrap } from '../contract/rows.ts';
import { type Asset, MAX_MINOR, toWireText } from '../money/amount.ts';
import { decimalText, wireNumber } from '../money/decimal.ts';
import { rulesOf } from './describe.ts';

/** Limits of an amount or a percentage, as JSON Schema keywords. */
interface Limits {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly pattern?: string;
}

const NO_LIMITS: Limits = {};

/** Plain digits, greater than 0. */
const POSITIVE = '^(?:0*[1-9]\\d*(?:\\.\\d+)?|0+\\.0*[1-9]\\d*)$';

/**
 * Returns the minimum of an amount in a request, or the range of a percentage. The contract has them as checks rather than
 * as data, so they are found by trying values. Fields of responses have no limits.
 */
export function limitsOf(schema: z.ZodMiniType, meta: FieldMeta): Limits {
  if (meta.unit === 'percent') return meta.type === 'number' ? limitsOfPercentage(schema) : NO_LIMITS;
  return limitsOfAmount(schema, meta);
}

function limitsOfAmount(schema: z.ZodMiniType, { unit, asset, type }: FieldMeta): Limits {
  // US dollars have a pattern of their own.
  if (unit === undefined || unit === 'percent' || asset === undefined || asset === 'USD') return NO_LIMITS;
  // A field that names its asset elsewhere has a token's decimals.
  const known: Asset = typeof asset === 'string' ? asset : 'CNGN';
  const textOf = (minor: bigint) => toWireText({ asset: known, minor }, unit);
  const accepts = (minor: bigint) =>
    problemsOf(schema, type === 'string' ? textOf(minor) : wireNumber(textOf(minor))).length === 0;
  if (accepts(-1n)) return NO_LIMITS;
  const leastMinor = least(accepts, MAX_MINOR[known]);
  if (type === 'string') return { pattern: patternFrom(textOf(leastMinor)) };
  return leastMinor === 1n ? { exclusiveMinimum: 0 } : { minimum: Number(textOf(leastMinor)) };
}

const SCALE = 6;
const FIFTY = 50n * 10n ** BigInt(SCALE);

/** Assumes that 50 percent is within the range, which has at most 6 decimals. */
function limitsOfPercentage(schema: z.ZodMiniType): Limits {
  const accepts = (scaled: bigint) => problemsOf(schema, wireNumber(decimalText(scaled, SCALE))).length === 0;
  if (accepts(-1n)) return NO_LIMITS;
  const minimum = least(accepts, FIFTY);
  const maximum = 2n * FIFTY - least((scaled) => accepts(2n * FIFTY - scaled), FIFTY);
  return { minimum: Number(decimalText(minimum, SCALE)), maximum: Number(decimalText(maximum, SCALE)) };
}

/** Returns the smallest accepted value, given that all from there to `most` are accepted. */
function least(accepts: (value: bigint) => boolean, maximum: bigint): bigint {
  let [from, to] = [0n, maximum];
  while (from < to) {
    const middle = (from + to) / 2n;
    if (accepts(middle)) to = middle;
    else from = middle + 1n;
  }
  return from;
}

/** Returns a pattern for decimal text. Only a minimum of 1, 10, 100 and so on can be part of it. */
function patternFrom(minimum: string): string {
  const zeros = /^1(0*)\.0+$/.exec(minimum)?.[1];
  return zeros === undefined ? POSITIVE : `^0*[1-9]\\d{${zeros.length},}(?:\\.\\d+)?$`;
}

/** A JSON Schema as plain data. */
export type JsonSchema = { readonly [name: string]: unknown };

/** A JSON Schema as zod made it, to be changed in place. */
type Draft = { -readonly [Name in keyof z.core.JSONSchema.BaseSchema]: z.core.JSONSchema.BaseSchema[Name] };

/** Called for each schema inside another, innermost first, but not for what only makes it optional or nullable. */
type Annotate = (schema: z.ZodMiniType, draft: Draft) => void;

/** Returns zod's own JSON Schema without limits that exclude nothing, as `annotate` changes it. */
export function annotatedSchema(schema: z.ZodMiniType, annotate: Annotate): Draft {
  const {
    $schema: _,
    '~standard': _standard,
    ...made
  } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: draft }) => {
      const { type } = zodSchema._zod.def;
      if (type === 'optional') return;
      if (type === 'nullable') return mergeNull(draft);
      dropDefaults(draft);
      annotate(zodSchema as unknown as z.ZodMiniType, draft);
    },
  });
  return made;
}

/**
 * Returns the JSON Schema of a field: zod's own, with the contract's metadata. `without` names fields of an object to omit.
 */
export function jsonSchema(schema: z.ZodMiniType, without: readonly string[] = []): JsonSchema {
  const made = annotatedSchema(schema, complete);
  return without.length > 0 ? omitFields(made, without) : made;
}

function omitFields({ properties = {}, required = [], ...rest }: Draft, without: readonly string[]): JsonSchema {
  const remaining = required.filter((name) => !without.includes(name));
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !without.includes(name))),
    ...(remaining.length > 0 ? { required: remaining } : {}),
  };
}

function complete(schema: z.ZodMiniType, draft: Draft): void {
  usePatterns(schema, draft);
  const { meta } = unwrap(schema);
  if (!meta) return;
  annotate(draft, meta, schema._zod.def.type === 'enum');
  Object.assign(draft, limitsOf(schema, meta));
}

/** `anyOf` with null as a second type, which is shorter. */
function mergeNull(draft: Draft): void {
  const [inner = {}] = (draft.anyOf ?? []) as Draft[];
  delete draft.anyOf;
  Object.assign(draft, inner);
  if (typeof inner.type === 'string') Object.assign(draft, { type: [inner.type, 'null'] });
  if (inner.enum) draft.enum = [...inner.enum, null];
  if (inner.anyOf) draft.anyOf = [...inner.anyOf, { type: 'null' }];
}

/** Limits that exclude nothing. */
function dropDefaults(draft: Draft): void {
  if (draft.minimum === Number.MIN_SAFE_INTEGER) delete draft.minimum;
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
  // A figure in a response may be an unknown one once it is read; on the wire it is a number or a string.
  if (meta.unit !== undefined && meta.type === 'string') draft.type = 'string';
  if (meta.type === 'datetime' && !meta.rule) draft.format = 'date-time';
  const values = isClosed ? undefined : valuesOf(meta);
  const rules = rulesOf(meta, undefined);
  Object.assign(draft, {
    ...(values ? { type: 'string', 'x-known-values': values } : {}),
    ...(rules ? { description: rules } : {}),
    ...(meta.unit ? { 'x-unit': meta.unit } : {}),
    ...(meta.asset ? { 'x-asset': meta.asset } : {}),
    ...(meta.secret ? { format: 'password', 'x-secret': true } : {}),
    'x-source': meta.source,
  });
}
