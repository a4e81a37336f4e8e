import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openJournal } from '../../src/journal/open.ts';
import { TRIGGERS, UPGRADES } from '../../src/journal/sqlite/schema.ts';
import { fiatrail, newHome, requireBuilt, temporaryFolder } from '../support/built.ts';
import { earlierLines, FILE_HEADS, JOURNAL, writeEarlier } from '../support/earlier-journal.ts';
import { oneProcess, prepared, testJournal } from '../support/journal-intent.ts';
import { countingIds, fakeClock } from '../support/sandbox.ts';

beforeAll(requireBuilt);

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
    const tables = database
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
      .all();
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
const TABLES = ['account_name', 'entry', 'operation', 'rotation', 'setting', 'spent', 'tally'];
const AFTER = { version: 8, tables: TABLES, operations: IDS.length, check: 'ok' };
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

  test('is upgraded once by concurrent commands', async () => {
    const home = newHome(onTestFinished);
    mkdirSync(home.stateDir, { mode: 0o700 });
    const path = join(home.stateDir, 'journal.db');
    // Large, so that the backup takes long enough for the commands to overlap.
    makeJournal(path, 1, 50_000);
    const ends = await Promise.all(IDS.slice(0, 4).map((id) => fiatrail(home, ['ops', 'show', id, '-o', 'json'])));
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
  const { path, folder } = journalOf(9);
  const before = readFileSync(path);
  await expect(open(path)).rejects.toMatchObject({ name: 'DatabaseError', problem: 'newer', path });
  expect(readFileSync(path)).toEqual(before);
  expect(readdirSync(folder).filter((name) => /\.v\d/.test(name))).toEqual([]);
});

test('a journal of version 6 with doubts is upgraded once by concurrent commands, and time alone never ends its doubts', async () => {
  const home = newHome(onTestFinished);
  const path = join(home.stateDir, 'journal.db');
  const printed = async (...argv: string[]) => {
    const { stdout } = await fiatrail(home, [...argv, '-q', '-o', 'json']);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  mkdirSync(home.stateDir, { mode: 0o700 });
  writeEarlier(path, 6);
  // The account is that of the embedded sandbox, whatever its key.
  const database = new DatabaseSync(path);
  database.exec(
    `INSERT INTO account_name SELECT DISTINCT 'profile:sandbox http://sandbox.invalid/v1', account FROM operation`,
  );
  database.close();
  const all = earlierLines('operation').map(({ id }) => String(id));
  const ends = await Promise.all(all.slice(0, 4).map((id) => printed('ops', 'show', id)));
  expect(ends.map(({ operationId }) => operationId)).toEqual(all.slice(0, 4));
  expect([contentOf(path).version, contentOf(`${path}.v6`).version]).toEqual([8, 6]);
  expect(readdirSync(home.stateDir).filter((name) => name.endsWith('.part'))).toEqual([]);
  const verified = await printed('ops', 'verify');
  expect(verified).toMatchObject({ problem: null, joint: { hosts: FILE_HEADS } });
  await printed('sandbox', 'advance', '1d');
  const { operations } = (await printed('ops', 'reconcile')) as { operations: { found: string; next: string }[] };
  const why = expect.stringContaining('the service’s time when the request was sent is not known');
  expect(operations).toMatchObject([{ found: 'unseen', next: why }]);
  expect((await fiatrail(home, ['ops', 'verify'])).code).toBe(0);
});

const OPERATION_UPDATE = TRIGGERS.find((each) => each.includes('TRIGGER operation_update'));

/** Everything that the tables are made with. */
function schemaOf(path: string) {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database
      .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type, name")
      .all();
  } finally {
    database.close();
  }
}

test.each([6, 5, 4, 3])(
  'a journal of version %i is upgraded: the same operations and tables as a new one',
  async (version) => {
    const folder = temporaryFolder(onTestFinished);
    const path = join(folder, 'journal.db');
    const doubts = writeEarlier(path, version);
    const journal = await open(path);
    const fresh = await open(join(folder, 'fresh.db'));
    fresh.close();
    expect(schemaOf(path)).toEqual(schemaOf(join(folder, 'fresh.db')));
    expect(await journal.count()).toBe(earlierLines('operation').length);
    await journal.requireLastLink();
    const { problem, joint } = await journal.verify(FILE_HEADS['host-1']);
    // Up to version 5, the entries of these operations cover what the version did not have.
    if (version === 6) expect(problem).toBeUndefined();
    expect(joint?.hosts).toEqual(FILE_HEADS);
    if (version === 6) {
      const found = await journal.list({ limit: 100, state: 'in-doubt' });
      expect(found.map(({ operationId }) => operationId).toSorted()).toEqual(doubts.toSorted());
      expect(found.every(({ busyUntil }) => busyUntil > 0)).toBe(true);
      // What is recorded from here on follows the joint.
      for (const id of doubts) await journal.append(id, 'resolved', { verdict: 'not-done' });
      await prepared(journal, { idempotencyKey: 'new' });
      expect((await journal.verify()).problem).toBeUndefined();
    }
    journal.close();
    expect(existsSync(`${path}.v${version}`)).toBe(true);
  },
);

test('the digest of an input with a secret is removed by an upgrade, and nothing else can be put in its place', async () => {
  const path = join(temporaryFolder(onTestFinished), 'journal.db');
  writeEarlier(path, 6);
  const [first] = earlierLines('operation');
  const database = new DatabaseSync(path);
  database.exec(`UPDATE operation SET request = '{"bvn":"[redacted]"}' WHERE id = '${first?.['id']}'`);
  database.close();
  const warnings: string[] = [];
  const warn = async (text: string) => void warnings.push(text);
  const world = { clock: fakeClock(), ids: countingIds(), host: oneProcess() };
  const journal = await openJournal(path, world, { warn });
  expect(warnings).toEqual([expect.stringContaining('the BVNs of 1 onboarding can be computed; its older copies do')]);
  const [operation] = await journal.find(String(first?.['id']));
  expect(operation?.inputDigest).toBe('-');
  expect((await journal.verify()).problem).toBeUndefined();
  journal.close();
  const edited = new DatabaseSync(path);
  edited.exec(`DROP TRIGGER operation_update; UPDATE operation SET summary = 'x' WHERE id = '${first?.['id']}'`);
  edited.close();
  const after = await open(path);
  expect((await after.verify()).problem).toBeDefined();
  after.close();
});

test.each([
  ['a process', 'process = process + 1'],
  ['the time of a process in doubt', `busy_until = busy_until + 1`],
  ['a time that is over', `busy_until = 5`],
])('what the chains of hosts did not cover is covered from the upgrade on: %s', async (_what, sets) => {
  const path = join(temporaryFolder(onTestFinished), 'journal.db');
  writeEarlier(path, 6);
  (await open(path)).close();
  const edited = new DatabaseSync(path);
  edited.exec(`DROP TRIGGER operation_update; UPDATE operation SET ${sets}; ${OPERATION_UPDATE}`);
  edited.close();
  const journal = await open(path);
  expect((await journal.verify()).problem?.what).toMatch(/what (its|the) entries say/);
  journal.close();
});

test('a process of an earlier version that has the journal open records nothing in it after an upgrade', async () => {
  const path = join(temporaryFolder(onTestFinished), 'journal.db');
  writeEarlier(path, 6);
  const earlier = new DatabaseSync(path);
  const journal = await open(path);
  expect(() => earlier.exec(`INSERT INTO transition (operation_id) VALUES ('x')`)).toThrow('no such table');
  earlier.close();
  journal.close();
});

test('a journal of version 2 with unknown outcomes is upgraded; they stay unknown, and end by a verdict', async () => {
  const fresh = join(temporaryFolder(onTestFinished), 'journal.db');
  makeJournal(fresh, 2);
  const database = new DatabaseSync(fresh);
  database.exec(String(UPGRADES[1]));
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
    entries: 2 * IDS.length + 3,
    problem: undefined,
  });
  for (const id of [sent, unknown]) await journal.append(id, 'resolved', { verdict: 'not-done' });
  expect(await journal.list({ limit: 10, state: 'in-doubt' })).toEqual([]);
  journal.close();
});
