import { ANYWHERE } from '../contract/descriptions/anywhere.ts';
import { BY_OPERATION } from '../contract/descriptions/by-operation.ts';
import { OPERATIONS } from '../contract/descriptions/operations.ts';
import { type FieldOwner, sentences, withoutAbsence } from './describe.ts';
import type { JsonSchema } from './schema.ts';

/** Returns what an operation does, as sentences. Throws for an id without a description. */
export function aboutOperation(id: string): string {
  const about = OPERATIONS[id];
  if (about === undefined) throw new Error(`src/contract/descriptions has no description of the operation ${id}`);
  return about;
}

/**
 * Returns what a field means, as sentences: `['trade', 'status']` in `fx.trade`. A longer name is read before a shorter one, and of those
 * the text of the operation first. Throws for a field without a description.
 */
export function aboutField(owner: FieldOwner, path: readonly string[]): string {
  const names = path.flatMap((_, from) => {
    const name = path.slice(from).join('.');
    return owner.isRequest ? [`${name}?`, name] : [name];
  });
  const tables = tablesFor(owner.id);
  for (const name of names)
    for (const table of tables) {
      const about = Object.hasOwn(table, name) ? table[name] : undefined;
      if (about !== undefined) return about;
    }
  throw new Error(`src/contract/descriptions has no description of the field ${path.join('.')} of ${owner.id}`);
}

/** The tables for an operation or event, the most special one first. */
function tablesFor(id: string): readonly Readonly<Record<string, string>>[] {
  const ends = [...id.matchAll(/[.-]|$/g)].map(({ index }) => index).reverse();
  const special = ends.flatMap((end) => {
    const owner = id.slice(0, end);
    return Object.hasOwn(BY_OPERATION, owner) ? [BY_OPERATION[owner] ?? {}] : [];
  });
  return [...special, ANYWHERE];
}

/** Returns a schema in which each property says what it means before it says its unit and rule. */
export function describedSchema(schema: JsonSchema, owner: FieldOwner, path: readonly string[] = []): JsonSchema {
  const { properties, required = [], items } = schema as SchemaParts;
  const described = (name: string, property: JsonSchema) => {
    const own = [...path, name];
    const about = aboutField(owner, own);
    const isAlways = required.includes(name) && !isNullable(property);
    const { description: rules } = property;
    return {
      ...describedSchema(property, owner, own),
      description: sentences(isAlways ? withoutAbsence(about) : about, rules),
    };
  };
  const entries = properties && Object.entries(properties).map(([name, each]) => [name, described(name, each)]);
  return {
    ...schema,
    ...(entries && { properties: Object.fromEntries(entries) }),
    // Some tools take an object without properties for one that must be empty.
    ...(entries?.length === 0 && { additionalProperties: true }),
    ...(items && { items: describedSchema(items, owner, path) }),
  };
}

interface SchemaParts {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
}

const isNullable = ({ type }: JsonSchema) => Array.isArray(type) && type.includes('null');
