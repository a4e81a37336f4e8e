import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { serverAddressOf } from '../../src/journal/postgres/server-address.ts';
import { openPostgresStore } from '../../src/journal/postgres/store.ts';
import { openSharedStore } from '../../src/webhooks/inbox/postgres/store.ts';
import { temporaryFolder } from '../support/built.ts';
import { oneProcess } from '../support/journal-intent.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { countingIds, fakeClock } from '../support/sandbox.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

const SETTING = `SELECT current_setting('synchronous_commit') AS value`;

interface Settings {
  inForce(): Promise<unknown>;
  ofReads(): Promise<unknown>;
  close(): Promise<void>;
}

/** The stores whose last write must not be lost: a payment, and a delivery that is never sent again. */
const STORES: Record<string, (...opening: Parameters<typeof openPostgresStore>) => Promise<Settings>> = {
  journal: async (...opening) => {
    const { write, read, close } = await openPostgresStore(...opening);
    return { inForce: () => write((on) => on.get(SETTING)), ofReads: () => read((on) => on.get(SETTING)), close };
  },
  inbox: async (address, access, world) => {
    const { write, read, close } = await openSharedStore(address, access, 'https://service.example/v1', world);
    return { inForce: () => write((on) => on.get(SETTING)), ofReads: () => read((on) => on.get(SETTING)), close };
  },
};

describe.each(Object.entries(STORES))('the transactions of the %s', (name, open) => {
  test.each([
    ['off', 'on'],
    ['local', 'on'],
    ['on', 'on'],
    ['remote_write', 'remote_write'],
    ['remote_apply', 'remote_apply'],
  ])('where the server’s synchronous_commit is %s, are committed with %s', async (given, expected) => {
    const url = server.newDatabase();
    server.sql(url, `ALTER ROLE CURRENT_USER SET synchronous_commit = ${given}`);
    onTestFinished(() => {
      server.sql(url, 'ALTER ROLE CURRENT_USER RESET synchronous_commit');
    });
    const dir = temporaryFolder(onTestFinished);
    const access = { dir, localPath: join(dir, `${name}.db`), password: async () => undefined };
    const world = { clock: fakeClock(), ids: countingIds(), host: oneProcess() };
    const store = await open(serverAddressOf(url, 'the test'), access, world);
    onTestFinished(() => store.close());
    expect(await store.inForce()).toEqual({ value: expected });
    expect(await store.ofReads()).toEqual({ value: given });
  });
});
