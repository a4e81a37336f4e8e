import { CliError } from '../base/errors.ts';
import { printable } from '../money/amount.ts';
import { isWireNumber } from '../money/decimal.ts';
import { isPlainAmount, isPlainObject, isRecord, type Plain } from './plain.ts';

export type Path = readonly string[];

/** A leaf field of a row or document. An `object` leaf has unknown fields; lists are always leaves. */
export interface Leaf {
  readonly path: Path;
  readonly kind: 'amount' | 'number' | 'text' | 'list' | 'object';
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
