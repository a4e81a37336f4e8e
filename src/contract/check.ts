import * as z from 'zod/mini';
import type { FieldMeta } from './fields.ts';
import { elementOf, fieldOf, unwrap } from './rows.ts';

/** One thing that is wrong with a request or an answer. It never repeats the value, which may be a secret. */
export interface Problem {
  /** Dotted name of the field; empty for the whole. */
  readonly field: string;
  /** What was expected, in words. */
  readonly expected: string;
}

const EXPECTED_TYPE: Readonly<Record<string, string>> = {
  string: 'text',
  uuid: 'text',
  datetime: 'a time in ISO 8601',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'an object',
};

/** What a field takes, in words: its rule, its values, or its type; with the unit of money. */
function expectationOf(meta: FieldMeta | undefined): string {
  if (!meta) return 'another value';
  const values = /^enum\[(.*)\]$/.exec(meta.type)?.[1];
  const what = values ? `one of ${values.replaceAll(',', ', ')}` : (EXPECTED_TYPE[meta.type] ?? meta.type);
  const isSaid = meta.unit === 'decimal-string' || meta.rule?.toLowerCase().includes(meta.unit ?? '');
  const unit = meta.unit && !isSaid ? ` in ${meta.unit}` : '';
  const withUnit = what + unit;
  return meta.rule && meta.rule !== what
    ? values || meta.type === 'boolean'
      ? meta.rule
      : `${withUnit}, ${meta.rule}`
    : withUnit;
}

/** The metadata of the field at a path inside a schema. */
function metaAt(schema: z.ZodMiniType, path: readonly PropertyKey[]): FieldMeta | undefined {
  let current: z.ZodMiniType | undefined = schema;
  let meta: FieldMeta | undefined;
  for (const key of path) {
    const inner: z.ZodMiniType | undefined = current && unwrap(current).schema;
    current = inner && (elementOf(inner) ?? fieldOf(inner, String(key)));
    // What stands in a list is what the list's own rule says.
    meta = current ? (unwrap(current).meta ?? (typeof key === 'number' ? meta : undefined)) : undefined;
  }
  return meta;
}

function problemOf(schema: z.ZodMiniType, issue: z.core.$ZodIssue, value: unknown): Problem {
  const field = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return { field: issue.keys.map(printableKey).join(', '), expected: 'no such field; leave it out' };
  }
  const isMissing = issue.code === 'invalid_type' && issue.path.length > 0 && valueAt(value, issue.path) === undefined;
  // A rule that can say more than its field's metadata says it here.
  const said = issue.code === 'custom' ? (issue.params?.['expected'] as string | undefined) : undefined;
  const meta = metaAt(schema, issue.path);
  const isLong = issue.code === 'too_big' && issue.origin === 'string' && meta?.rule === undefined;
  const expected = said ?? expectationOf(meta) + (isLong ? `, at most ${issue.maximum} characters` : '');
  return { field, expected: isMissing ? `a value: ${expected}` : expected };
}

function printableKey(key: string): string {
  return key.replace(/[^\x20-\x7e]/g, '?').slice(0, 60);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
}

/** Checks a value against a schema, changing nothing. No problems means it fits. */
export function problemsOf(schema: z.ZodMiniType, value: unknown): Problem[] {
  const result = z.safeParse(schema, value);
  return result.success ? [] : result.error.issues.map((issue) => problemOf(schema, issue, value));
}

/** `bvn: expected exactly 11 digits`. */
export function problemText({ field, expected }: Problem): string {
  return field ? `${field}: expected ${expected}` : `expected ${expected}`;
}
