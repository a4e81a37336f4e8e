/** A JSON Schema of the kind that `fiatrail schema` prints. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

/** Keywords that only describe. */
const ANNOTATIONS = new Set(['$schema', 'title', 'description', 'format', 'examples']);

/** Returns what is wrong with a value, each with its place. Throws Error for a keyword that this validator does not know. */
export function violations(schema: Schema, value: unknown, place = '$'): string[] {
  return Object.entries(schema).flatMap(([keyword, rule]) => {
    if (ANNOTATIONS.has(keyword)) return [];
    const check = CHECKS[keyword];
    if (!check) throw new Error(`unknown keyword ${keyword} at ${place}`);
    return check(rule, value, place);
  });
}

/** Returns a schema that allows no field that it does not name. */
export function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const { properties, ...others } = schema as Schema;
  const inside = Object.entries(others).map(([name, value]) => [name, closed(value)] as const);
  if (properties === undefined) return Object.fromEntries(inside) as T;
  const fields = Object.entries(properties as Schema).map(([name, value]) => [name, closed(value)] as const);
  return {
    ...Object.fromEntries(inside),
    properties: Object.fromEntries(fields),
    propertyNames: { enum: fields.map(([name]) => name) },
  } as T;
}

type Check = (rule: unknown, value: unknown, place: string) => string[];

const CHECKS: Readonly<Record<string, Check>> = {
  type: (rule, value, place) =>
    [rule].flat().some((type) => isOf(type, value)) ? [] : [`${place} is ${typeOf(value)}, not ${rule}`],
  enum: (rule, value, place) => ((rule as unknown[]).includes(value) ? [] : [`${place} is ${value}, none of ${rule}`]),
  const: (rule, value, place) => (rule === value ? [] : [`${place} is ${value}, not ${rule}`]),
  pattern: (rule, value, place) =>
    typeof value !== 'string' || new RegExp(rule as string, 'u').test(value)
      ? []
      : [`${place} is "${value}", unlike ${rule}`],
  required: (rule, value, place) =>
    isObject(value)
      ? (rule as string[]).filter((name) => !Object.hasOwn(value, name)).map((name) => `${place} lacks ${name}`)
      : [],
  properties: (rule, value, place) =>
    isObject(value)
      ? Object.entries(rule as Record<string, Schema>).flatMap(([name, schema]) =>
          Object.hasOwn(value, name) ? violations(schema, value[name], `${place}.${name}`) : [],
        )
      : [],
  propertyNames: (rule, value, place) =>
    isObject(value)
      ? Object.keys(value)
          .filter((name) => !(rule as { readonly enum: string[] }).enum.includes(name))
          .map((name) => `${place} has ${name}, which the schema does not name`)
      : [],
  items: (rule, value, place) =>
    Array.isArray(value) ? value.flatMap((item, index) => violations(rule as Schema, item, `${place}[${index}]`)) : [],
  anyOf: (rule, value, place) => {
    const each = (rule as Schema[]).map((schema) => violations(schema, value, place));
    return each.some((found) => found.length === 0) ? [] : [`${place} fits nothing: ${each.flat().join('; ')}`];
  },
};

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isOf(type: unknown, value: unknown): boolean {
  return type === 'integer' ? Number.isInteger(value) : type === typeOf(value);
}
