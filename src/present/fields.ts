import type * as z from 'zod/mini';
import { CliError } from '../base/errors.ts';
import { elementOf, shapeOf, unwrap } from '../contract/rows.ts';
import { printable } from '../money/amount.ts';
import { isWireNumber } from '../money/decimal.ts';
import { isPlainAmount, isPlainObject, isRecord, type Plain } from './plain.ts';

export type Path = readonly string[];

/** A leaf field of a row or document. An `object` leaf has unknown fields; lists are always leaves. */
export interface Leaf {
  readonly path: Path;
  readonly kind: 'amount' | 'number' | 'text' | 'list' | 'object';
}

/** Returns the fields of a schema, with those of `nests` merged into the fields around it. */
export function leavesOfSchema(schema: z.ZodMiniType, nests?: string): Leaf[] {
  const shape = shapeOf(unwrap(schema).schema) ?? {};
  return Object.entries(shape).flatMap(([name, field]): Leaf[] => {
    const leaves = leavesOfField(name, field);
    if (name !== nests || leaves.every((leaf) => leaf.path.length === 1)) return leaves;
    const inner = leaves.map((leaf) => ({ ...leaf, path: leaf.path.slice(1) }));
    return inner.filter(({ path: [first = ''] }) => first === nests || !Object.hasOwn(shape, first));
  });
}

function leavesOfField(name: string, field: z.ZodMiniType): Leaf[] {
  const { schema, meta } = unwrap(field);
  const path = [name];
  if (meta?.unit !== undefined && meta.asset !== undefined) return [{ path, kind: 'amount' }];
  if (elementOf(schema)) return [{ path, kind: 'list' }];
  const below = leavesOfSchema(schema);
  if (below.length > 0) return below.map((leaf) => ({ ...leaf, path: [name, ...leaf.path] }));
  if (meta?.type === 'object' || shapeOf(schema)) return [{ path, kind: 'object' }];
  if (meta?.type === 'array') return [{ path, kind: 'list' }];
  return [{ path, kind: meta?.type === 'number' || meta?.type === 'integer' ? 'number' : 'text' }];
}

/** Returns the fields of rows in order of first appearance. Fields that are always null count as text. */
export function leavesOfRows(rows: readonly Plain[]): Leaf[] {
  const found = new Map<string, Leaf>();
  const visit = (value: Plain, path: Path) => {
    if (isPlainObject(value) && Object.keys(value).length > 0) {
      for (const [name, field] of Object.entries(value)) visit(field, [...path, name]);
    } else {
      const key = JSON.stringify(path);
      const known = found.get(key);
      if (!known || known.kind === 'text') found.set(key, { path, kind: value === null ? 'text' : kindOf(value) });
    }
  };
  for (const row of rows) visit(row, []);
  const leaves = [...found.values()];
  // In one pass: the OpenAPI document has thousands of leaves.
  const parents = new Set(leaves.flatMap(({ path }) => path.map((_, length) => JSON.stringify(path.slice(0, length)))));
  return leaves.filter(({ path }) => !parents.has(JSON.stringify(path)));
}

function kindOf(value: Plain): Leaf['kind'] {
  if (isPlainAmount(value)) return 'amount';
  if (isWireNumber(value)) return 'number';
  if (Array.isArray(value)) return 'list';
  return isPlainObject(value) ? 'object' : 'text';
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((name, index) => path[index] === name);
}

/** Throws CliError usage if a name in `fields` does not match any of `leaves`. */
export function checkFields(fields: readonly string[], leaves: readonly Leaf[]): void {
  if (fields.length === 0) throw new CliError('usage', '--fields is empty; name at least one field');
  const unknown = fields.find((field) => !leaves.some((leaf) => reaches(leaf, field.split('.'))));
  if (unknown === undefined) return;
  const names = leaves.map((leaf) => printable(leaf.path.join('.')));
  throw new CliError('usage', `unknown field "${printable(unknown)}"; available fields: ${names.join(', ')}`);
}

function reaches(leaf: Leaf, path: Path): boolean {
  if (startsWith(leaf.path, path)) return true;
  if (!startsWith(path, leaf.path)) return false;
  const [part, ...deeper] = path.slice(leaf.path.length);
  return (
    leaf.kind === 'object' || (leaf.kind === 'amount' && deeper.length === 0 && (part === 'value' || part === 'asset'))
  );
}

/** Returns the leaves that `fields` select, in that order. An object name selects all its leaves. */
export function leavesOfFields(fields: readonly string[], leaves: readonly Leaf[]): Leaf[] {
  return fields.flatMap((field): Leaf[] => {
    const path = field.split('.');
    const below = leaves.filter((leaf) => startsWith(leaf.path, path));
    return below.length > 0 ? below : [{ path, kind: 'text' }];
  });
}

/** Returns the value at a path; undefined if any part of the path is missing. */
export function valueAt(row: Plain, path: Path): Plain | undefined {
  let value: Plain | undefined = row;
  for (const name of path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name] as Plain;
  }
  return value;
}

/** Returns a row with only these fields, in this order and with their nesting; missing fields are null. */
export function pick(row: Plain, paths: readonly Path[]): Plain {
  const heads = [...new Set(paths.map((path) => path[0] ?? ''))];
  return Object.fromEntries(
    heads.map((head): [string, Plain] => {
      const tails = paths.filter((path) => path[0] === head).map((path) => path.slice(1));
      const value = valueAt(row, [head]) ?? null;
      if (tails.some((tail) => tail.length === 0)) return [head, value];
      return [head, isPlainObject(value) || isPlainAmount(value) ? pick(value, tails) : null];
    }),
  );
}
