import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fiatrail, newHome, requireBuilt, temporaryFolder } from '../support/built.ts';
import { INTENT, prepared, testJournal } from '../support/journal-intent.ts';

beforeAll(requireBuilt);

/** `frjr` in ASCII: the application id that marks a file as a journal. */
const JOURNAL = 0x66726a72;

/** The tables of version 1. */
const VERSION_1 = `
CREATE TABLE operation (
  id TEXT PRIMARY KEY, state TEXT NOT NULL CHECK (state IN ('prepared', 'sent', 'accepted', 'refused', 'unknown')),
  profile TEXT NOT NULL, mode TEXT NOT NULL, base_url TEXT NOT NULL, endpoint TEXT NOT NULL, effect TEXT NOT NULL,
  command TEXT NOT NULL, summary TEXT NOT NULL, request TEXT NOT NULL, request_id TEXT, detail TEXT,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
PRAGMA application_id = ${JOURNAL};
`;

const IDS = Array.from({ length: 300 }, (_, index) => `01900000-0000-7000-8000-${String(index).padStart(12, '0')}`);

/** Creates a journal of any version with an operation for each of IDS and requests of `requestLength` characters. */
function makeJournal(path: string, version: number, requestLength = 2): void {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; ${VERSION_1} PRAGMA user_version = ${version}; BEGIN`);
  const insert = database.prepare(
    `INSERT INTO operation VALUES (?, 'accepted', 'sandbox', 'embedded', 'u', 'transactions.onramp', 'money', 'c', 's', ?, 'r', NULL, 1, 1)`,
  );
  for (const id of IDS) insert.run(id, '{}'.padEnd(requestLength));
  database.exec('COMMIT');
  database.close();
}

/** Reads the version, the tables and the number of operations of a file, and checks its integrity. */
function contentOf(path: string) {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const first = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
    const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).all();
    return {
      version: first('PRAGMA user_version'),
      tables: tables.map(({ name }) => name),
      operations: first('SELECT count(*) FROM operation'),
      check: first('PRAGMA integrity_check'),
    };
  } finally {
    database.close();
  }
}

const BEFORE = { version: 1, tables: ['operation'], operations: IDS.length, check: 'ok' };
const TABLES = ['account_name', 'operation', 'rotation', 'setting', 'spent', 'sqlite_sequence', 'tally', 'transition'];
const AFTER = { version: 6, tables: TABLES, operations: IDS.length, check: 'ok' };
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const open = (path: string) => testJournal({ path });

function journalOf(version: number) {
  const folder = temporaryFolder(onTestFinished);
  const path = join(folder, 'journal.db');
  makeJournal(path, version);
  return { folder, path, backup: `${path}.v1` };
}

describe('a journal of version 1', () => {
  test('is upgraded with all its rows and leaves a private backup', async () => {
    const { path, backup } = journalOf(1);
    const journal = await open(path);
    expect((await journal.list({ limit: 1_000 })).map(({ operationId }) => operationId)).toEqual(IDS.toReversed());
    journal.close();
    expect({ pathContent: contentOf(path), backupContent: contentOf(backup), mode: modeOf(backup) }).toEqual({
      pathContent: AFTER,
      backupContent: BEFORE,
      mode: '600',
    });
  });

  test('is upgraded despite the remains of an interrupted upgrade', async () => {
    const { path, backup, folder } = journalOf(1);
    writeFileSync(`${backup}.part`, 'half a copy', { mode: 0o644 });
    (await open(path)).close();
    expect({ content: contentOf(backup), mode: modeOf(backup) }).toEqual({ content: BEFORE, mode: '600' });
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('keeps an existing backup', async () => {
    const { path, backup } = journalOf(1);
    writeFileSync(backup, 'mine');
    (await open(path)).close();
    expect({ text: readFileSync(backup, 'utf8'), content: contentOf(path) }).toEqual({ text: 'mine', content: AFTER });
  });

  test('stays unchanged if no backup can be written', async () => {
    const { path, backup } = journalOf(1);
    mkdirSync(`${backup}.part`);
    await expect(open(path)).rejects.toThrow();
    expect({ content: contentOf(path), exists: existsSync(backup) }).toEqual({ content: BEFORE, exists: false });
  });

  test('is upgraded once by eight concurrent commands', async () => {
    const home = newHome(onTestFinished);
    mkdirSync(home.stateDir, { mode: 0o700 });
    const path = join(home.stateDir, 'journal.db');
    // Large, so that the backup takes long enough for the commands to overlap.
    makeJournal(path, 1, 100_000);
    const ends = await Promise.all(IDS.slice(0, 8).map((id) => fiatrail(home, ['ops', 'show', id, '-o', 'json'])));
    expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(ends.map(() => [0, '']));
    expect({ pathContent: contentOf(path), content: contentOf(`${path}.v1`), mode: modeOf(`${path}.v1`) }).toEqual({
      pathContent: AFTER,
      content: BEFORE,
      mode: '600',
    });
    expect(readdirSync(home.stateDir).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});

test('rejects a journal of a newer version and writes no backup', async () => {
  const { path, folder } = journalOf(7);
  const before = readFileSync(path);
  await expect(open(path)).rejects.toMatchObject({ name: 'DatabaseError', problem: 'newer', path });
  expect(readFileSync(path)).toEqual(before);
  expect(readdirSync(folder).filter((name) => /\.v\d/.test(name))).toEqual([]);
});

/** What versions 4 to 6 added to version 3, undone. */
const TO_VERSION_3 = `
ALTER TABLE operation DROP COLUMN baseline; DROP TABLE spent; ALTER TABLE operation DROP COLUMN asset; ALTER TABLE operation DROP COLUMN minor;
DROP TRIGGER operation_counted; DROP TABLE tally;
DROP INDEX operation_by_time; DROP INDEX operation_by_kind; DROP INDEX operation_by_state; DROP INDEX operation_by_state_kind;
DROP INDEX operation_in_doubt; DROP INDEX operation_in_doubt_by_kind; DROP INDEX operation_by_once_key;
CREATE INDEX operation_in_doubt ON operation (id) WHERE state IN ('sent', 'unknown');
CREATE INDEX operation_by_state ON operation (state, id);
CREATE INDEX operation_by_kind ON operation (kind, id);
PRAGMA user_version = 3;
`;

/** What version 6 added to version 5, undone. The account is that of the embedded sandbox, whatever its key. */
const TO_VERSION_5 = `
ALTER TABLE operation DROP COLUMN baseline; PRAGMA user_version = 5;
INSERT INTO account_name SELECT DISTINCT 'profile:sandbox http://sandbox.invalid/v1', account FROM operation WHERE true
  ON CONFLICT DO NOTHING;
`;

test('a journal of version 5 with doubts is upgraded once by eight commands, and time alone never ends its doubts', async () => {
  const home = newHome(onTestFinished);
  const path = join(home.stateDir, 'journal.db');
  const printed = async (...argv: string[]) => {
    const { stdout } = await fiatrail(home, [...argv, '-q', '-o', 'json']);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  mkdirSync(home.stateDir, { mode: 0o700 });
  const journal = await open(path);
  const ids: string[] = [];
  for (const onceKey of ['a', 'b']) {
    const id = await prepared(journal, { onceKey });
    await journal.append(id, 'sent');
    ids.push(id);
  }
  await journal.append(ids[1] ?? '', 'unknown', { result: JSON.stringify({ unseenSinceMs: 0 }) });
  journal.close();
  const database = new DatabaseSync(path);
  database.exec(TO_VERSION_5);
  database.close();

  const ends = await Promise.all(ids.flatMap((id) => Array(4).fill(id)).map((id) => printed('ops', 'show', id)));
  expect(ends.map(({ state, baseline }) => [state, baseline])).toEqual([
    ...Array(4).fill(['sent', null]),
    ...Array(4).fill(['unknown', null]),
  ]);
  expect([contentOf(path).version, contentOf(`${path}.v5`).version]).toEqual([6, 5]);
  expect(readdirSync(home.stateDir).filter((name) => name.endsWith('.part'))).toEqual([]);
  const found = async () => {
    const { operations } = (await printed('ops', 'reconcile')) as { operations: { found: string; next: string }[] };
    return operations;
  };
  const clock = {
    found: 'clock',
    next: expect.stringContaining('the service’s time when the request was sent is not known'),
  };
  expect(await found()).toMatchObject([clock, clock]);
  await printed('sandbox', 'advance', '1d');
  expect(await found()).toMatchObject([clock, clock]);
  expect((await fiatrail(home, ['ops', 'verify'])).code).toBe(0);
});

/** Lists the indexes of the operations with their columns. */
function indexesOf(path: string) {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database
      .prepare(`SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name`)
      .all();
  } finally {
    database.close();
  }
}

test('a journal of version 3 with an unknown outcome is upgraded: the same operations, chain, indexes and count as a new one', async () => {
  const path = join(temporaryFolder(onTestFinished), 'journal.db');
  const journal = await open(path);
  const doubt = await prepared(journal, { onceKey: 'k' });
  await journal.append(doubt, 'sent');
  await journal.append(doubt, 'unknown');
  await prepared(journal);
  const before = { list: await journal.list({ limit: 10 }), head: await journal.head(), indexes: indexesOf(path) };
  journal.close();
  const database = new DatabaseSync(path);
  database.exec(TO_VERSION_3);
  database.close();
  const upgraded = await open(path);
  expect({ list: await upgraded.list({ limit: 10 }), head: await upgraded.head(), indexes: indexesOf(path) }).toEqual(
    before,
  );
  expect((await upgraded.list({ limit: 10, state: 'in-doubt' })).map(({ operationId }) => operationId)).toEqual([
    doubt,
  ]);
  expect(await upgraded.count()).toBe(2);
  await upgraded.requireLastLink();
  expect((await upgraded.verify()).problem).toBeUndefined();
  expect((await upgraded.claim({ ...INTENT, onceKey: 'k' })).kind).toBe('doubt');
  upgraded.close();
  expect(existsSync(`${path}.v3`)).toBe(true);
});

test('a journal of version 2 with unknown outcomes is upgraded; they stay unknown, and end by a verdict', async () => {
  const { path } = journalOf(1);
  (await open(path)).close();
  const fresh = join(temporaryFolder(onTestFinished), 'journal.db');
  makeJournal(fresh, 2);
  const database = new DatabaseSync(fresh);
  const rotation = new DatabaseSync(path, { readOnly: true });
  const tables = rotation
    .prepare(`SELECT sql FROM sqlite_schema WHERE tbl_name = 'rotation' AND sql IS NOT NULL`)
    .all();
  rotation.close();
  for (const { sql } of tables) database.exec(String(sql));
  const [sent = '', unknown = ''] = IDS;
  database.prepare(`UPDATE operation SET state = 'sent', request_id = NULL WHERE id = ?`).run(sent);
  database
    .prepare(`UPDATE operation SET state = 'unknown', request_id = NULL, detail = 'late' WHERE id = ?`)
    .run(unknown);
  database.close();
  const journal = await open(fresh);
  expect((await journal.list({ limit: 10, state: 'in-doubt' })).map(({ operationId }) => operationId)).toEqual([
    unknown,
    sent,
  ]);
  expect(await journal.count()).toBe(IDS.length);
  expect(await journal.verify()).toMatchObject({
    operations: IDS.length,
    transitions: 2 * IDS.length,
    problem: undefined,
  });
  for (const id of [sent, unknown]) await journal.append(id, 'resolved', { verdict: 'not-done' });
  expect(await journal.list({ limit: 10, state: 'in-doubt' })).toEqual([]);
  journal.close();
});
