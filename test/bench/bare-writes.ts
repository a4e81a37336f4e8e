/**
 * The baseline for the sandbox's writes: a Hono server that writes the rows of recorded requests (record-writes.ts) with node:sqlite, in as
 * many commits, and prints their answers. It checks nothing but that each row was there. Usage: bare-writes.ts STATE RECORDED. Prints one line
 * {"url"} when it is ready.
 */
import { readFileSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import type { Change, Value } from './changeset.ts';
import type { RecordedRequest } from './record-writes.ts';

const [file = '', recordedFile = ''] = process.argv.slice(2);
const database = new DatabaseSync(file);
// References stay those of the recorded rows.
database.exec('PRAGMA foreign_keys = OFF; PRAGMA synchronous = NORMAL');

/** The rows of a run have keys of their own: this far from those of the run before. */
const STRIDE = 1_000n;

const columnsOf = (table: string) =>
  database
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => String(name));

/** The columns of a row that must differ in another one: of each unique index the last one if it is a number, or else the longest text. */
function uniqueColumns(table: string, columns: readonly string[], row: readonly Value[]): string[] {
  const indexes = database
    .prepare(`PRAGMA index_list(${table})`)
    .all()
    .filter((index) => index['unique'] === 1);
  const lengthOf = (name: string) => String(row[columns.indexOf(name)] ?? '').length;
  return indexes.map((index) => {
    const names = database
      .prepare(`PRAGMA index_info(${String(index['name'])})`)
      .all()
      .map(({ name }) => String(name));
    const last = names.at(-1) ?? '';
    if (typeof row[columns.indexOf(last)] === 'bigint') return last;
    return names.reduce((longest, name) => (lengthOf(name) > lengthOf(longest) ? name : longest), last);
  });
}

/** A statement, and how each of its values differs from run to run. */
interface Write {
  readonly statement: StatementSync;
  readonly values: readonly ((run: number) => Exclude<Value, undefined>)[];
}

const fixed = (value: Value) => () => value ?? null;
const moved = (value: Value) => (run: number) => {
  if (typeof value === 'bigint') return value + BigInt(run) * STRIDE;
  return typeof value === 'string' ? value.slice(0, -8) + String(run).padStart(8, '0') : (value ?? null);
};

const inserted = new Set<string>();
const rowOf = ({ table, isKey }: Change, row: readonly Value[]) =>
  [table, ...row.filter((_value, index) => isKey[index])].join(' ');

function writeOf(change: Change): Write {
  const { table, kind, isKey, before, after } = change;
  const columns = columnsOf(table);
  const isNew = inserted.has(rowOf(change, kind === 'insert' ? after : before));
  // The rowid is the key of most tables; a part of a longer key may be the id of a row that stays.
  const isLone = isKey.filter(Boolean).length === 1;
  const unique = uniqueColumns(table, columns, after);
  const keyOf = (value: Value, index: number) => {
    const isMoved = isNew && (isLone || unique.includes(columns[index] ?? '') || index === isKey.indexOf(true));
    return isMoved ? moved(value) : fixed(value);
  };
  const where = columns.flatMap((name, index) => (isKey[index] ? [`${name} = ?`] : [])).join(' AND ');
  const keys = before.flatMap((value, index) => (isKey[index] ? [keyOf(value, index)] : []));
  const prepare = (sql: string) => database.prepare(sql);
  if (kind === 'delete') return { statement: prepare(`DELETE FROM ${table} WHERE ${where}`), values: keys };
  if (kind === 'update') {
    const changed = columns.flatMap((name, index) =>
      after[index] === undefined ? [] : [{ name, value: after[index] }],
    );
    const set = changed.map(({ name }) => `${name} = ?`).join(', ');
    return {
      statement: prepare(`UPDATE ${table} SET ${set} WHERE ${where}`),
      values: [...changed.map(({ value }) => fixed(value)), ...keys],
    };
  }
  const values = after.map((value, index) => {
    if (isKey[index]) return keyOf(value, index);
    return unique.includes(columns[index] ?? '') ? moved(value) : fixed(value);
  });
  return { statement: prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`), values };
}

const read = (_name: string, value: { readonly integer?: string } | null) => {
  if (value?.integer === undefined) return value;
  return value.integer === '' ? undefined : BigInt(value.integer);
};
const recorded = JSON.parse(readFileSync(recordedFile, 'utf8'), read) as Record<string, RecordedRequest[]>;
const all = Object.values(recorded).flat();
for (const change of all.flatMap(({ commits }) => commits.flat()))
  if (change.kind === 'insert') inserted.add(rowOf(change, change.after));

const app = new Hono();
for (const [scenario, requests] of Object.entries(recorded))
  for (const [step, { method, answer, commits }] of requests.entries()) {
    const writes = commits.map((changes) => changes.map(writeOf));
    let runs = 0;
    app.on(method, `/${scenario.replaceAll(' ', '-')}/${step}`, async (context) => {
      if (method === 'POST') await context.req.json();
      runs += 1;
      for (const commit of writes) {
        database.exec('BEGIN IMMEDIATE');
        for (const { statement, values } of commit)
          if (statement.run(...values.map((value) => value(runs))).changes !== 1) throw new Error(statement.sourceSQL);
        database.exec('COMMIT');
      }
      return context.json(answer as object);
    });
  }
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
