import * as z from 'zod/mini';
import { isJsonObject, parseJson, wireNumberText } from '../money/decimal.ts';
import { eachString } from '../money/json-text.ts';
import type { FieldMeta } from './fields.ts';
import { elementOf, fieldOf, shapeOf, unwrap } from './rows.ts';

/** A problem with a request or response. It never contains the value, which may be a secret. */
interface FieldProblem {
  /** Dotted name of the field; empty for the whole value. */
  readonly field: string;
  /** What was expected: `expected a whole number`; `missing; expected …`. */
  readonly message: string;
  /** Whether the field is missing or null, rather than wrong. */
  readonly isMissing: boolean;
  /** Whether it is a whole number that is too large for a double, in a response whose every digit is kept. */
  readonly isExactInteger: boolean;
}

const EXPECTED_TYPE: Readonly<Record<string, string>> = {
  string: 'a string',
  uuid: 'a string',
  datetime: 'an ISO 8601 time',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'an object',
};

/** Validates a value against a schema without changing it. Returns an empty list if it is valid. */
export function problemsOf(schema: z.ZodMiniType, value: unknown): FieldProblem[] {
  const result = z.safeParse(schema, value);
  return result.success ? [] : result.error.issues.map((issue) => problemOf(schema, issue, value));
}

/**
 * Returns `problemsOf` for many values of one schema, nearly all of which are valid: their fields are validated one by one, and none whose text was valid in
 * the value before. Whatever is not valid then is looked at as a whole.
 */
export function problemsFinder(schema: z.ZodMiniType): (value: unknown) => FieldProblem[] {
  const { checks, catchall } = schema._zod.def as {
    readonly checks?: readonly unknown[];
    readonly catchall?: z.ZodMiniType;
  };
  const shape = shapeOf(schema);
  const isPlain = shape && !checks?.length && (!catchall || catchall._zod.def.type === 'unknown');
  if (!isPlain) return (value) => problemsOf(schema, value);
  const fields = Object.entries(shape).map(([name, field]) => ({
    name,
    field: field._zod,
    valid: undefined as unknown,
  }));
  const isValid = (value: unknown) =>
    isJsonObject(value) &&
    fields.every((each) => {
      const given = value[each.name];
      if (typeof given === 'string' && given === each.valid) return true;
      if (given === undefined) return each.field.optin !== undefined;
      const ran = each.field.run({ value: given, issues: [] }, { async: false });
      if (ran instanceof Promise || ran.issues.length > 0) return false;
      each.valid = given;
      return true;
    });
  return (value) => (isValid(value) ? [] : problemsOf(schema, value));
}

/** Describes the values a field accepts: its type or values, its unit and its rule. */
function expectationOf(meta: FieldMeta | undefined): string {
  if (!meta) return 'a different value';
  const values = /^enum\[(.*)\]$/.exec(meta.type)?.[1];
  const isDecimal = meta.type === 'string' && meta.unit !== undefined;
  const type = values
    ? `one of ${values.replaceAll(',', ', ')}`
    : isDecimal
      ? 'a decimal string'
      : (EXPECTED_TYPE[meta.type] ?? meta.type);
  const isUnitNamed = meta.unit === 'decimal-string' || meta.rule?.toLowerCase().includes(meta.unit ?? '');
  const typeWithUnit = meta.unit && !isUnitNamed ? `${type} in ${meta.unit}` : type;
  if (!meta.rule || meta.rule === type) return typeWithUnit;
  // Of a text, the rule says all that is expected.
  return values || meta.type === 'boolean' || typeWithUnit === EXPECTED_TYPE['string']
    ? meta.rule
    : `${typeWithUnit}, ${meta.rule}`;
}

/** Returns the metadata of the field at a path in a schema. */
function metaAt(schema: z.ZodMiniType, path: readonly PropertyKey[]): FieldMeta | undefined {
  let current: z.ZodMiniType | undefined = schema;
  let meta: FieldMeta | undefined;
  for (const key of path) {
    const inner: z.ZodMiniType | undefined = current && unwrap(current).schema;
    current = inner && (elementOf(inner) ?? fieldOf(inner, String(key)));
    // Items without metadata are described by their list's metadata.
    meta = current ? (unwrap(current).meta ?? (typeof key === 'number' ? meta : undefined)) : undefined;
  }
  return meta;
}

function problemOf(schema: z.ZodMiniType, issue: z.core.$ZodIssue, value: unknown): FieldProblem {
  const field = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return {
      field: issue.keys.map(printableKey).join(', '),
      message: 'unknown field; leave it out',
      isMissing: false,
      isExactInteger: false,
    };
  }
  const found = valueAt(value, issue.path);
  const isAbsent = issue.code === 'invalid_type' && issue.path.length > 0 && found === undefined;
  // Custom checks may explain more than the field's metadata does.
  const detail = issue.code === 'custom' ? (issue.params?.['expected'] as string | undefined) : undefined;
  const meta = metaAt(schema, issue.path);
  const isLong = issue.code === 'too_big' && issue.origin === 'string' && meta?.rule === undefined;
  // U+0000 is a character of a string, so the type alone would not say what is wrong.
  const isUnprintable = issue.code === 'invalid_format' && /\p{Cc}/u.test(String(found));
  const limits = `${isLong ? `, at most ${issue.maximum} characters` : ''}${isUnprintable ? ', without control characters' : ''}`;
  const expected = detail ?? expectationOf(meta) + limits;
  return {
    field,
    message: `${isAbsent ? 'missing; ' : ''}expected ${expected}`,
    isMissing: (found === undefined || found === null) && typeof issue.path.at(-1) === 'string',
    isExactInteger: meta?.type === 'integer' && JSON.isRawJSON(found) && /^\d+$/.test(wireNumberText(found)),
  };
}

function printableKey(key: string): string {
  return key.replace(/[^\x20-\x7e]/g, '?').slice(0, 60);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
}

/** Formats a problem: `bvn: expected exactly 11 digits`. */
export function problemText({ field, message }: Pick<FieldProblem, 'field' | 'message'>): string {
  return field ? `${field}: ${message}` : message;
}

/** The problems of a response. Of a long one, only the first are listed. */
interface ResponseProblems {
  readonly problems: readonly FieldProblem[];
  /** Whether all problems, listed or not, are missing fields. */
  readonly isOnlyIncomplete: boolean;
  /** Whether the time ran out before everything was checked. */
  readonly isLate: boolean;
}

/** A list with more items is checked item by item: the schema would keep every problem of all its items in memory. */
const LONG_LIST = 1_000;
/** Nobody reads more. */
const MAX_LISTED = 100;
const ITEMS_PER_LOOK_AT_THE_TIME = 1_000;

interface LongList {
  readonly path: string;
  readonly element: z.ZodMiniType;
  readonly items: readonly unknown[];
}

/** Validates a response of any length in little memory. Stops at the first wrong field of a long list, and once `isLate` says so. */
export function responseProblems(schema: z.ZodMiniType, value: unknown, isLate: () => boolean): ResponseProblems {
  const lists: LongList[] = [];
  const problems = wrongIn(schema, withoutLongLists(schema, value, '', lists));
  const result = (late = false) => ({
    problems,
    isOnlyIncomplete: problems.every(({ isMissing }) => isMissing),
    isLate: late,
  });
  for (let list = lists.pop(); list; list = lists.pop()) {
    for (const [index, item] of list.items.entries()) {
      if (index % ITEMS_PER_LOOK_AT_THE_TIME === 0 && isLate()) return result(true);
      const path = `${list.path}.${index}`;
      for (const problem of wrongIn(list.element, withoutLongLists(list.element, item, path, lists))) {
        const field = [path, problem.field].filter(Boolean).join('.');
        if (problems.length < MAX_LISTED || !problem.isMissing) problems.push({ ...problem, field });
        if (!problem.isMissing) return result();
      }
    }
  }
  return result();
}

/** A whole number that is too large for a double is right: every digit of a response is kept. */
const wrongIn = (schema: z.ZodMiniType, value: unknown): FieldProblem[] =>
  problemsOf(schema, value).filter(({ isExactInteger }) => !isExactInteger);

/** Whether a value of a schema may have a list in it that the schema knows. */
function hasLists(schema: z.ZodMiniType): boolean {
  const { schema: inner } = unwrap(schema);
  return elementOf(inner) !== undefined || Object.values(shapeOf(inner) ?? {}).some(hasLists);
}

/** Returns a value with its long lists emptied, and adds them to `lists`. A value without any is returned as it is. */
function withoutLongLists(schema: z.ZodMiniType, value: unknown, path: string, lists: LongList[]): unknown {
  const { schema: inner } = unwrap(schema);
  const element = elementOf(inner);
  const within = (name: string | number) => (path === '' ? `${name}` : `${path}.${name}`);
  if (element && Array.isArray(value)) {
    if (value.length <= LONG_LIST && !hasLists(element)) return value;
    if (value.length <= LONG_LIST)
      return unchangedOr(
        value,
        value.map((each, index) => withoutLongLists(element, each, within(index), lists)),
      );
    lists.push({ path, element, items: value });
    return [];
  }
  if (!isJsonObject(value)) return value;
  const emptied: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) {
    const field = typeof each === 'object' && each !== null ? fieldOf(inner, name) : undefined;
    const left = field ? withoutLongLists(field, each, within(name), lists) : each;
    if (left !== each) emptied[name] = left;
  }
  return Object.keys(emptied).length === 0 ? value : { ...value, ...emptied };
}

function unchangedOr(items: readonly unknown[], emptied: readonly unknown[]): readonly unknown[] {
  return items.every((item, index) => item === emptied[index]) ? items : emptied;
}

/** Counts the fields of all objects in a value. An object that a text writes with a key twice has fewer than the text. */
export function countFields(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + countFields(each), 0);
  if (!isJsonObject(value)) return 0;
  let sum = 0;
  for (const name of Object.keys(value)) sum += 1 + countFields(value[name]);
  return sum;
}

/** Separates a number from the key; no key of a service has it. */
const MARK = '\u0000';

/**
 * Returns a key that an object of a valid JSON text has twice, with different values: readers may take either one. A key
 * that is repeated with the same value harms nobody.
 */
export function contradictingKey(text: string): string | undefined {
  // With every repeated key renamed, the object has both values.
  let [renamed, done, count] = ['', 0, 0];
  eachString(text, ({ text: key, isRepeatedKey, start, end }) => {
    if (isRepeatedKey) {
      renamed += `${text.slice(done, start)}${JSON.stringify(`${count}${MARK}${key}`)}`;
      done = end;
      count += 1;
    }
    return true;
  });
  return count === 0 ? undefined : differingKey(parseJson(renamed + text.slice(done)));
}

/** Returns the first renamed key whose value is not that of the key it repeats. */
function differingKey(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  for (const [name, each] of Object.entries(fields)) {
    const mark = name.indexOf(MARK);
    const key = mark === -1 ? name : name.slice(mark + 1);
    if (mark !== -1 && JSON.stringify(each) !== JSON.stringify(fields[key])) return key;
    const inside = differingKey(each);
    if (inside !== undefined) return inside;
  }
  return undefined;
}
