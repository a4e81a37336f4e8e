import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TABLES as OF_JOURNAL } from '../../src/journal/tables.ts';
import { tableInFile, tableOnServer } from '../../src/store/ddl.ts';
import {
  filled,
  insertion,
  integer,
  type NewRow,
  optional,
  type RowOf,
  replacing,
  rowOf,
  table,
  text,
} from '../../src/store/table.ts';
import { TABLES as OF_INBOX, SHARED_TABLES } from '../../src/webhooks/inbox/tables.ts';

const KEPT = readFileSync(join(import.meta.dirname, 'kept-tables.sql'), 'utf8');

test('the tables of a journal and of an inbox are those of version 1, in both engines', () => {
  const made = {
    'a journal in a file': OF_JOURNAL.map((each) => tableInFile(each)),
    'a journal on a server': OF_JOURNAL.map(tableOnServer),
    'an inbox in a file': OF_INBOX.map((each) => tableInFile(each)),
    'an inbox on a server': SHARED_TABLES.map(tableOnServer),
  };
  const all = Object.entries(made).map(([what, tables]) => `-- ${what}\n${tables.map((sql) => `${sql};\n`).join('')}`);
  // What differs is another version: databases with the tables above are refused.
  expect(all.join('\n')).toBe(KEPT);
});

const PAYMENT = table('payment', ['id'], {
  id: filled(integer(), 'numbered'),
  account: text(),
  kobo: integer(),
  tries: filled(integer(), 0),
  note: optional(text()),
});

describe('a row', () => {
  test('is inserted with what it lacks as NULL, or as the database fills it', () => {
    const rows: readonly NewRow<typeof PAYMENT>[] = [
      { account: 'a', kobo: 5 },
      { account: 'b', kobo: 7n, note: 'n', tries: 2 },
    ];
    expect(insertion(PAYMENT, rows.slice(0, 1))).toEqual([
      'INSERT INTO payment (account, kobo, note) VALUES (?, ?, ?)',
      'a',
      5,
      null,
    ]);
    expect(insertion(PAYMENT, rows.slice(1), replacing(PAYMENT, ['kobo', 'note']))).toEqual([
      'INSERT INTO payment (account, kobo, tries, note) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET kobo = excluded.kobo, note = excluded.note',
      'b',
      7n,
      2,
      'n',
    ]);
  });

  test('and another are inserted together, in the order of the columns', () => {
    const rows = [
      { note: 'n', kobo: 1, account: 'a' },
      { account: 'b', kobo: 2 },
    ];
    expect(insertion(PAYMENT, rows)).toEqual([
      'INSERT INTO payment (account, kobo, note) VALUES (?, ?, ?), (?, ?, ?)',
      ...['a', 1, 'n', 'b', 2, null],
    ]);
  });

  test('is known as it will be read', () => {
    const row: RowOf<typeof PAYMENT> = rowOf(PAYMENT, { id: 1, account: 'a', kobo: 5, tries: 0 });
    expect(row).toEqual({ id: 1n, account: 'a', kobo: 5n, tries: 0n, note: null });
  });
});
