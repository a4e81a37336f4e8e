import type * as z from 'zod/mini';
import type { Endpoint } from '../contract/endpoint.ts';
import { redact } from '../contract/redact.ts';
import { elementOf, fieldOf, shapeOf, unwrap } from '../contract/rows.ts';
import { nodeCrypto } from '../crypto/digest.ts';
import { isWireNumber, wireNumberText } from '../money/decimal.ts';
import { valueAt } from '../present/content.ts';
import { exactAmount, type Plain, rowConverter } from '../present/plain.ts';
import type { SqlValue } from '../sqlite/database.ts';
import { rowSplitter, type SplitRow } from './forms.ts';
import { type CopyColumn, type CopyTable, inRows, isFinal } from './tables.ts';

/** A row as the local copy has it. */
export interface CopyRow extends SplitRow {
  readonly id: string;
  readonly status: string | null;
  readonly createdAt: string | null;
  /** The same time; NaN if it is not known. */
  readonly createdMs: number;
  /** Whether its status may still change by itself. */
  readonly isOpen: boolean;
  /** Whether it has something personal. */
  readonly isPersonal: boolean;
  /** The values of the table's columns, in their order; an amount has two. */
  readonly values: readonly SqlValue[];
  /** The names of persons in it. */
  readonly names: readonly string[];
  /** The row in the form that -o json prints. */
  readonly row: Plain;
  /** Equal rows have equal digests. */
  readonly digest: string;
}

/** The part of a digest that is kept: 128 bits. */
const DIGEST_LENGTH = 22;

/** SQLite's and PostgreSQL's largest integer. */
const MAX_INTEGER = 2n ** 63n - 1n;

/** Returns a function that makes the rows of a table of those of a response, which `around` contains. */
export function rowMaker(
  table: CopyTable,
  endpoint: Endpoint,
): (rows: readonly unknown[], around: readonly unknown[]) => Plain[] {
  const element = elementIn(endpoint, table.rows);
  const isKnown = knownChecker(element);
  return (rows, around) => {
    const convert = rowConverter(element, around);
    return rows.map((row) => convert(isKnown(row) ? row : redact(element, row)));
  };
}

/** Returns the schema of a row in a response. */
function elementIn({ response }: Endpoint, rows: string): z.ZodMiniType {
  const list = fieldOf(unwrap(response()).schema, rows);
  const element = list && elementOf(unwrap(list).schema);
  if (!element) throw new Error(`no response has a list ${rows}`);
  return element;
}

/** Returns a function which says whether the contract knows every field of a value, and none is secret. */
function knownChecker(schema: z.ZodMiniType | undefined): (value: unknown) => boolean {
  const unwrapped = schema && unwrap(schema);
  if (!unwrapped || unwrapped.meta?.secret) return (value) => value === null || value === undefined;
  const element = elementOf(unwrapped.schema);
  const isItem = element && knownChecker(element);
  const shape = shapeOf(unwrapped.schema);
  const fields = new Map(Object.entries(shape ?? {}).map(([name, field]) => [name, knownChecker(field)]));
  return (value) => {
    if (Array.isArray(value)) return isItem !== undefined && value.every(isItem);
    if (typeof value !== 'object' || value === null || isWireNumber(value)) return true;
    for (const name of Object.keys(value))
      if (fields.get(name)?.((value as Readonly<Record<string, unknown>>)[name]) !== true) return false;
    return true;
  };
}

/** Reads a field of a row. */
type FieldReader = (row: Plain) => Plain | undefined;

/** Returns what reads a field, where a dot selects a nested one. */
function fieldReader(field: string): FieldReader {
  if (field === '') return () => undefined;
  const path = field.split('.');
  return path.length > 1
    ? (row) => valueAt(row, path)
    : (row) => (row as Readonly<Record<string, Plain | undefined>>)[field];
}

/**
 * Returns what makes the rows of a table. What is personal is left out of a row unless `hasPersonal`, which is given the time that the row
 * was made, or NaN. A list has up to a million rows, so what they have in common is worked out once.
 */
export function rowsOf(table: CopyTable, hasPersonal: (createdMs: number) => boolean): (whole: Plain) => CopyRow {
  const [idOf, statusOf, timeIn] = [table.id, table.status, table.createdAt].map(fieldReader) as [
    FieldReader,
    FieldReader,
    FieldReader,
  ];
  const columns = inRows(table).map((column) => ({ ...column, read: fieldReader(column.field) }));
  const personal = columns.filter(({ isPersonal }) => isPersonal);
  const named = columns.filter(({ isName }) => isName);
  const withoutPersonal = personalRemover(table);
  const split = rowSplitter(table);
  return (whole) => {
    const createdAt = zonedTime(timeIn(whole));
    const createdMs = Date.parse(createdAt ?? '');
    const row = hasPersonal(createdMs) ? whole : withoutPersonal(whole);
    const digest = nodeCrypto().hash('sha256', JSON.stringify(row), 'base64url').slice(0, DIGEST_LENGTH);
    const status = textOf(statusOf(row)) ?? null;
    const values: SqlValue[] = [];
    for (const { kind, read } of columns) addValues(values, kind, read(row));
    // A row without an id is known by its content alone.
    const id = textOf(idOf(row)) || `content:${digest}`;
    return {
      id,
      status,
      createdAt,
      createdMs,
      isOpen: table.done.length > 0 && !isFinal(table, status),
      isPersonal: personal.some(({ read }) => (read(row) ?? null) !== null),
      names: named.flatMap(({ read }) => textOf(read(row)) ?? []),
      values,
      row,
      digest,
      ...split(row, [id, createdAt, ...values]),
    };
  };
}

/** The fields of a row that stay when what is personal is removed: those that the table has columns for, and that are not personal. */
export function publicFieldsOf(table: CopyTable): ReadonlySet<string> {
  const { id, status, createdAt } = table;
  return new Set([id, status, createdAt, ...inRows(table).flatMap((each) => (each.isPersonal ? [] : [each.field]))]);
}

/** Returns what makes a row with only what the table has columns for, and nothing personal. */
function personalRemover(table: CopyTable): (row: Plain) => Plain {
  const fields = [...publicFieldsOf(table)].map((field) => ({ path: field.split('.'), read: fieldReader(field) }));
  return (row) => {
    const rest: Record<string, unknown> = {};
    for (const { path, read } of fields) {
      const value = read(row);
      if (value !== undefined) put(rest, path, value);
    }
    return rest as Plain;
  };
}

function put(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let inner = target;
  for (let at = 0; at < path.length - 1; at++) {
    const name = path[at] ?? '';
    const next = (inner[name] ?? {}) as Record<string, unknown>;
    inner[name] = next;
    inner = next;
  }
  inner[path.at(-1) ?? ''] = value;
}

/** Adds the values of a column; an amount has two. */
function addValues(values: SqlValue[], kind: CopyColumn['kind'], value: Plain | undefined): void {
  if (kind === 'amount') values.push(...amountOf(value));
  else if (kind === 'time') values.push(zonedTime(value));
  else if (kind === 'flag') values.push(typeof value === 'boolean' ? Number(value) : null);
  else values.push(textOf(value) ?? null);
}

function amountOf(value: Plain | undefined): readonly [SqlValue, SqlValue] {
  const { asset, minor } = exactAmount(value) ?? {};
  if (asset === undefined || minor === undefined || minor > MAX_INTEGER || minor < -MAX_INTEGER) return [null, null];
  return [minor, asset];
}

/** Returns a text, or a number as it came. */
function textOf(value: unknown): string | undefined {
  if (isWireNumber(value)) return wireNumberText(value);
  // PostgreSQL has no NUL in a text.
  if (typeof value !== 'string') return undefined;
  return value.includes('\0') ? value.replaceAll('\0', '') : value;
}

/** A time as it is kept. */
const IN_UTC = /^20\d\d-(0[1-9]|1[0-2])-([01]\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** A time that says its zone. Without one it is another time on each machine. */
const HAS_ZONE = /T.*(?:Z|[+-]\d\d:?\d\d)$/i;

/** Returns a time in UTC; null if it is none, or does not say its zone. */
export function zonedTime(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  if (IN_UTC.test(value)) return value;
  const atMs = HAS_ZONE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? null : new Date(atMs).toISOString();
}
