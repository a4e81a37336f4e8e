import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { SchemaLayout } from '../../src/journal/postgres/gate.ts';
import { serverAddressOf } from '../../src/journal/postgres/server-address.ts';
import { sessionOn } from '../../src/journal/postgres/session.ts';
import { tableOnServer } from '../../src/store/ddl.ts';
import { integer, prose, table } from '../../src/store/table.ts';
import { oneProcess } from '../support/journal-intent.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { fakeClock } from '../support/sandbox.ts';
import { stateFolder } from './support.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

const SETTING = table('setting', ['name'], { name: prose(), value: prose() });
const PAYMENT = table('payment', ['id'], { id: integer(), kobo: integer() });
const TAG = table('tag', ['payment'], { payment: integer(), text: prose() });

/** A made-up schema in its present version and in the next one. */
const PRESENT: SchemaLayout = {
  schema: 'made_up',
  version: 1,
  lock: 7,
  host: [],
  tables: [SETTING, PAYMENT],
  creation: [],
};
const NEXT: SchemaLayout = {
  ...PRESENT,
  version: 2,
  tables: [SETTING, PAYMENT, TAG],
  upgrades: { 1: `${tableOnServer(TAG)}; INSERT INTO tag SELECT id, 'kept' FROM payment` },
};

/** Opens a schema as a host does, until the test has finished. */
async function opened(url: string, layout: SchemaLayout) {
  const dir = stateFolder();
  const access = { dir, localPath: join(dir, 'journal.db'), password: async () => undefined };
  const world = { clock: fakeClock(), host: oneProcess() };
  const session = await sessionOn('copy', serverAddressOf(url), access, world, layout);
  onTestFinished(() => session.close());
  await session.run(async () => {});
  return session;
}

async function present(): Promise<string> {
  const url = server.newDatabase();
  await opened(url, PRESENT);
  server.sql(url, 'INSERT INTO made_up.payment VALUES (1, 100), (2, 200), (3, 300)');
  return url;
}

const versionIn = (url: string) => server.sql(url, `SELECT value FROM made_up.setting WHERE name = 'version'`);

test('the next version of a schema is made once by eight openers, and keeps its rows', async () => {
  const url = await present();
  await Promise.all(Array.from({ length: 8 }, () => opened(url, NEXT)));
  expect(versionIn(url)).toBe('2');
  expect(server.sql(url, `SELECT count(*) FROM made_up.tag WHERE text = 'kept'`)).toBe('3');
});

test('the next version of a schema is not made in part', async () => {
  const url = await present();
  const broken = { ...NEXT, upgrades: { 1: `${tableOnServer(TAG)}; INSERT INTO nothing VALUES (1)` } };
  await expect(opened(url, broken)).rejects.toThrow();
  expect([versionIn(url), server.sql(url, `SELECT to_regclass('made_up.tag') IS NULL`)]).toEqual(['1', 't']);
});

test.each([
  ['a newer version', NEXT, PRESENT, 'newer'],
  ['an older version that this one cannot upgrade', PRESENT, { ...NEXT, upgrades: {} }, 'older'],
])('a schema of %s is rejected and left as it is', async (_what, made, asked, problem) => {
  const url = server.newDatabase();
  await opened(url, made);
  await expect(opened(url, asked)).rejects.toMatchObject({ server: problem });
  expect(versionIn(url)).toBe(String(made.version));
});
