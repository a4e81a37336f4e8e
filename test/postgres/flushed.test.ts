import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { serverAddressOf } from '../../src/journal/postgres/server-address.ts';
import { openPostgresStore } from '../../src/journal/postgres/store.ts';
import { temporaryFolder } from '../support/built.ts';
import { oneProcess } from '../support/journal-intent.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { countingIds, fakeClock } from '../support/sandbox.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

test.each([
  ['off', 'on'],
  ['local', 'on'],
  ['on', 'on'],
  ['remote_write', 'remote_write'],
  ['remote_apply', 'remote_apply'],
])('where the server’s synchronous_commit is %s, that of the journal is %s', async (given, expected) => {
  const url = server.newDatabase();
  server.sql(url, `ALTER ROLE CURRENT_USER SET synchronous_commit = ${given}`);
  onTestFinished(() => {
    server.sql(url, 'ALTER ROLE CURRENT_USER RESET synchronous_commit');
  });
  const dir = temporaryFolder(onTestFinished);
  const access = { dir, localPath: join(dir, 'journal.db'), password: async () => undefined };
  const world = { clock: fakeClock(), ids: countingIds(), host: oneProcess() };
  const store = await openPostgresStore(serverAddressOf(url, 'the test'), access, world);
  onTestFinished(() => store.close());
  const setting = `SELECT current_setting('synchronous_commit') AS value`;
  const inForce = await store.write((queries) => queries.get<{ value: string }>(setting));
  const ofReads = await store.read((queries) => queries.get<{ value: string }>(setting));
  expect({ inForce: inForce?.value, ofReads: ofReads?.value }).toEqual({ inForce: expected, ofReads: given });
});
