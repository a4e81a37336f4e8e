import type { Queries } from '../journal/store.ts';
import { amountText, type StatedAsset } from '../money/amount.ts';
import { parseExactJson } from '../money/decimal.ts';
import { isPlainAmount, isPlainObject, type Plain, type PlainObject } from '../present/plain.ts';
import type { SqlValue } from '../sqlite/database.ts';
import { insertion } from '../store/table.ts';
import { columnsFor, FORMS, ownNames } from './schema.ts';
import { type CopyColumn, type CopyTable, inRows } from './tables.ts';

/**
 * A row is kept without what its columns say of it: as its form, and the values that no column has. The form is a JSON text with the names of its
 * fields, each with the column that says its value, or with 0 for the next value of the others. The rows of a list have few forms.
 */
export interface SplitRow {
  readonly form: string;
  /** The other values, as a JSON list. */
  readonly rest: string;
}

/** A field of a row: the column that says it, and the fields inside it. */
interface FieldNode {
  /** Its name, as it stands in a form. */
  readonly label: string;
  column?: NodeColumn;
  inner?: Map<string, FieldNode>;
}

const nodeNamed = (name: string): FieldNode => ({ label: `${JSON.stringify(name)}:` });

interface NodeColumn extends Pick<CopyColumn, 'name' | 'kind'> {
  /** Where its value is among those of the row. */
  readonly at: number;
}

/**
 * The columns by their fields. That of the status is not here, because an event may say another one than the row that was read, and what a sync
 * finds changed is told by what was read.
 */
function fieldTree(table: CopyTable): FieldNode {
  const whole = { ...nodeNamed(''), inner: new Map<string, FieldNode>() };
  let at = 0;
  const put = ({ name, kind, field }: Pick<CopyColumn, 'name' | 'kind' | 'field'>) => {
    const node = field.split('.').reduce<FieldNode>((around, part) => nodeIn(around, part), whole);
    node.column ??= { name, kind, at };
    at += columnsFor({ name, kind }).length;
  };
  put({ name: 'id', kind: 'text', field: table.id });
  put({ name: 'created_at', kind: 'time', field: table.createdAt });
  for (const column of inRows(table)) put(column);
  return whole;
}

/** Returns the node of a field inside another one. */
function nodeIn(around: FieldNode, name: string): FieldNode {
  around.inner ??= new Map();
  const found = around.inner.get(name) ?? nodeNamed(name);
  around.inner.set(name, found);
  return found;
}

/** The value that a column says a field has. An amount has two columns. */
function columnValue(kind: CopyColumn['kind'], value: SqlValue, asset: SqlValue): Plain {
  if (value === null) return null;
  if (kind === 'flag') return Number(value) === 1;
  if (kind !== 'amount') return String(value);
  return { value: amountText({ minor: BigInt(value), asset: asset as StatedAsset }), asset: asset as StatedAsset };
}

/** Whether a field is just what a column says of it. */
function isSame(value: Plain, field: Plain): boolean {
  if (value === field || !isPlainAmount(value) || !isPlainAmount(field)) return value === field;
  if (value.value !== field.value || value.asset !== field.asset) return false;
  const [first, , third] = Object.keys(field);
  return first === 'value' && third === undefined;
}

/** Returns what takes the values of columns out of a row: its id, the time that it was made, and those that the list's rows fill. */
export function rowSplitter(table: CopyTable): (row: Plain, values: readonly SqlValue[]) => SplitRow {
  const whole = fieldTree(table);
  return (row, values) => {
    const rest: Plain[] = [];
    const formOf = (value: Plain, { inner, column }: FieldNode): string => {
      if (inner && isPlainObject(value)) {
        let form = '';
        for (const name of Object.keys(value)) {
          const node = inner.get(name) ?? nodeNamed(name);
          form += `${form === '' ? '{' : ','}${node.label}${formOf(value[name] ?? null, node)}`;
        }
        return form === '' ? '{}' : `${form}}`;
      }
      if (column) {
        const { name, kind, at } = column;
        if (isSame(columnValue(kind, values[at] ?? null, values[at + 1] ?? null), value)) return `"${name}"`;
      }
      rest.push(value);
      return '0';
    };
    const form = formOf(row, whole);
    return { form, rest: JSON.stringify(rest) };
  };
}

/** The column with the form of a row. */
export const FORM_TEXT = 'form_text';

/** A row as a query finds it with `FORM`, or with `recordNames`. */
export type RowRecord = Readonly<Record<string, SqlValue>>;

/** What a query adds to all columns of a list for `rowReader`. */
export const FORM = `(SELECT text FROM ${FORMS.name} WHERE ${FORMS.name}.id = form) AS ${FORM_TEXT}`;

/** The columns that `rowReader` needs. */
export const recordNames = (table: CopyTable): readonly string[] => [
  'id',
  'created_at',
  ...ownNames(table),
  'rest',
  FORM,
];

type ReadField = (record: RowRecord, next: () => Plain) => Plain;

/** Returns what makes rows again of what was kept: undefined for one that only an event told of. */
export function rowReader(table: CopyTable): (record: RowRecord) => Plain | undefined {
  const kinds = new Map<unknown, CopyColumn['kind']>([
    ['id', 'text'],
    ['created_at', 'time'],
    ...inRows(table).map(({ name, kind }) => [name, kind] as const),
  ]);
  const readers = new Map<SqlValue, ReadField>();
  const readerOf = (form: Plain): ReadField => {
    if (isPlainObject(form)) {
      const fields = Object.entries(form).map(([name, inner]) => [name, readerOf(inner)] as const);
      return (record, next) => Object.fromEntries(fields.map(([name, read]) => [name, read(record, next)]));
    }
    const kind = kinds.get(form);
    if (kind === undefined) return (_, next) => next();
    const [name, asset] = kind === 'amount' ? [`${form}_minor`, `${form}_asset`] : [String(form), ''];
    return (record) => columnValue(kind, record[name] ?? null, record[asset] ?? null);
  };
  return (record) => {
    const form = record[FORM_TEXT];
    if (typeof form !== 'string') return undefined;
    let read = readers.get(form);
    if (!read) {
      read = readerOf(JSON.parse(form) as Plain);
      readers.set(form, read);
    }
    const rest = parseExactJson(String(record['rest'])) as Plain[];
    let used = 0;
    return read(record, () => rest[used++] ?? null);
  };
}

/** Returns the fields of a row; none if it is no object. */
export const fieldsOf = (row: Plain | undefined): PlainObject => (isPlainObject(row) ? row : {});

/** Returns the numbers of forms. Those that are not kept yet are written. */
export async function formNumbers(queries: Queries, forms: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  const texts = [...new Set(forms)];
  const marks = texts.map(() => '?').join(', ');
  const read = async () => {
    const sql = `SELECT id, text FROM ${FORMS.name} WHERE text IN (${marks})`;
    return new Map((await queries.all<{ id: bigint; text: string }>(sql, ...texts)).map(({ id, text }) => [text, id]));
  };
  const known = await read();
  const added = texts.filter((text) => !known.has(text)).map((text) => ({ text }));
  if (added.length === 0) return known;
  await queries.run(...insertion(FORMS, added));
  return read();
}
