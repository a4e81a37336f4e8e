import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openCopyFile } from '../../src/copy/database.ts';
import { DatabaseError } from '../../src/sqlite/errors.ts';
import { openInbox } from '../../src/webhooks/inbox/inbox.ts';
import { prepared, testJournal } from '../support/journal-intent.ts';
import { fakeClock, temporaryFolder } from '../support/sandbox.ts';
import { fakeWorld } from '../support/world.ts';
import { deliveryOf, hostWith, onboarded, received } from '../webhooks/support.ts';

/** The files, the table of each that someone plants something in, and what writes to them. */
const FILES = {
  journal: {
    table: 'entry',
    column: 'state',
    index: 'entry_of',
    write: async (path: string) => {
      const journal = await testJournal({ path });
      try {
        await prepared(journal);
      } finally {
        await journal.close();
      }
    },
  },
  inbox: {
    table: 'event',
    column: 'body',
    index: 'event_by_signature',
    write: async (path: string) => {
      const inbox = await openInbox(path, { clock: fakeClock(), host: hostWith(1) });
      try {
        await inbox.list({ limit: 1 });
      } finally {
        await inbox.close();
      }
    },
  },
  copy: {
    table: 'stored_deposits',
    column: 'rest',
    index: 'deposits_open',
    write: async (path: string) => (await openCopyFile(path, fakeWorld())).close(),
  },
} as const;

type Kind = keyof typeof FILES;

const SEES = ['BEFORE', 'AFTER'].flatMap((when) =>
  ['INSERT', 'UPDATE', 'DELETE'].map((event): readonly [string, (of: (typeof FILES)[Kind]) => string, string] => [
    `a trigger ${when} ${event}`,
    ({ table }) => `CREATE TRIGGER planted ${when} ${event} ON ${table} BEGIN SELECT 1; END`,
    'trigger planted was added to it',
  ]),
);

const PLANTS: typeof SEES = [
  ...SEES,
  [
    'a view in place of a table',
    ({ table }) =>
      `PRAGMA legacy_alter_table = ON; ALTER TABLE ${table} RENAME TO hidden; CREATE VIEW ${table} AS SELECT * FROM hidden`,
    `its table`,
  ],
  ['one more table', () => 'CREATE TABLE planted (a TEXT)', 'table planted was added to it'],
  ['one more view', () => 'CREATE VIEW planted AS SELECT 1 AS a', 'view planted was added to it'],
  ['one more index', ({ table, column }) => `CREATE INDEX planted ON ${table} (${column})`, 'index planted was added'],
  ['an index that is gone', ({ index }) => `DROP INDEX ${index}`, 'is missing or another one'],
  ['one more column', ({ table }) => `ALTER TABLE ${table} ADD COLUMN planted TEXT DEFAULT 'x'`, 'its table'],
];

describe.each(Object.keys(FILES) as Kind[])('in the file of the %s', (kind) => {
  test.each(PLANTS)('%s stops what writes', async (_what, sql, says) => {
    using folder = temporaryFolder();
    const path = folder.file('some.db');
    await FILES[kind].write(path);
    const database = new DatabaseSync(path);
    database.exec(sql(FILES[kind]));
    database.close();
    const error = await FILES[kind].write(path).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(DatabaseError);
    expect(error).toMatchObject({ problem: 'changed', path });
    expect(String((error as DatabaseError).cause)).toContain(says);
  });
});

test('a listener notices what is planted while it has the file', async () => {
  using folder = temporaryFolder();
  const path = folder.file('inbox.db');
  const inbox = await openInbox(path, { clock: fakeClock(), host: hostWith(1) });
  await inbox.claim('here');
  expect(await inbox.touch()).toBe(true);
  const planted = new DatabaseSync(path);
  planted.exec('CREATE TRIGGER planted AFTER INSERT ON event BEGIN DELETE FROM event; END');
  planted.close();
  await expect(inbox.add([await received(deliveryOf(onboarded(1)))])).rejects.toMatchObject({ problem: 'changed' });
  await expect(inbox.touch()).rejects.toMatchObject({ problem: 'changed' });
  await inbox.close();
});
