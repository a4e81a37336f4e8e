import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GRANTS } from '../../src/journal/postgres/schema.ts';
import { ROOT } from '../support/built.ts';
import { prepared } from '../support/journal-intent.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { openHost } from './support.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
  server.sql(
    server.newDatabase(),
    'CREATE ROLE fiatrail_host LOGIN; CREATE ROLE fiatrail_reader LOGIN; CREATE ROLE mallory LOGIN',
  );
});
afterAll(() => server?.stop());

const as = (role: string, url: string) => url.replace(/\/\/[^@]*@/, `//${role}@`);

/** A database whose tables its owner has made, with what the roles may do. */
async function granted(): Promise<string> {
  const url = server.newDatabase();
  await (await openHost(url)).close();
  server.sql(url, [...GRANTS.host, ...GRANTS.reader].join('; '));
  return url;
}

test('a host makes and ends payments with what it is granted, and owns nothing', async () => {
  const url = await granted();
  const host = await openHost(as('fiatrail_host', url));
  const moves = { asset: 'NGN', minor: 5n } as const;
  const id = await prepared(host, { idempotencyKey: 'k', moves });
  await host.append(id, 'sent');
  await host.record(id, 'accepted', { requestId: 'r' });
  await host.append(id, 'settled');
  const rotation = { operationId: 'rotation-1', keyLocation: 'f', oldFingerprint: '0a1b', pushes: [] };
  const account = { keyFingerprint: '0a1b', profile: 'sandbox', baseUrl: 'http://sandbox.invalid/v1' };
  const [operation] = await host.find(id);
  expect(operation).toMatchObject({ state: 'settled', moves });
  expect(rotation.oldFingerprint).toBe(account.keyFingerprint);
  await host.learnFintech(account, { id: 'fin', isLive: false });
  await host.requireLastLink();
  expect((await host.verify()).problem).toBeUndefined();
  expect([await host.isOwner(), await (await openHost(url)).isOwner()]).toEqual([false, true]);
});

test.each([
  ['take away what protects it', 'ALTER TABLE fiatrail.entry DISABLE TRIGGER ALL', 'must be owner'],
  ['change an entry', 'UPDATE fiatrail.entry SET at = 1', 'permission denied'],
  ['remove an entry', 'DELETE FROM fiatrail.entry', 'permission denied'],
  ['change a request', `UPDATE fiatrail.operation SET request = '{}'`, 'permission denied'],
])('a host cannot %s', async (_what, sql, says) => {
  const url = await granted();
  expect(() => server.sql(url, `SET ROLE fiatrail_host; ${sql}`)).toThrow(says);
});

test('a reader sees operations and no settings', async () => {
  const url = await granted();
  expect(server.sql(url, 'SET ROLE fiatrail_reader; SELECT count(*) FROM fiatrail.operation')).toContain('0');
  expect(() => server.sql(url, 'SET ROLE fiatrail_reader; SELECT * FROM fiatrail.setting')).toThrow(
    'permission denied',
  );
  await expect(openHost(as('fiatrail_reader', url))).rejects.toMatchObject({ server: 'forbidden' });
});

test.each([
  ['the schema', 'ALTER SCHEMA fiatrail OWNER TO mallory'],
  ['a table', 'ALTER TABLE fiatrail.operation OWNER TO mallory'],
  ['a function', 'ALTER FUNCTION fiatrail.reject() OWNER TO mallory'],
])('a journal of which a stranger owns %s is rejected', async (_what, sql) => {
  const url = await granted();
  server.sql(url, sql);
  await expect(openHost(as('fiatrail_host', url))).rejects.toMatchObject({ server: 'owner' });
});

test('a schema that a stranger made is not adopted', async () => {
  const url = server.newDatabase();
  server.sql(url, 'CREATE SCHEMA fiatrail AUTHORIZATION mallory');
  await expect(openHost(url)).rejects.toMatchObject({ server: 'owner' });
});

test('a trigger or a function that someone planted stops money', async () => {
  const url = await granted();
  const host = await openHost(as('fiatrail_host', url));
  await prepared(host);
  await host.requireLastLink();
  server.sql(
    url,
    `CREATE FUNCTION fiatrail.copy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
     CREATE TRIGGER copy AFTER INSERT ON fiatrail.operation FOR EACH ROW EXECUTE FUNCTION fiatrail.copy()`,
  );
  await expect(host.requireLastLink()).rejects.toThrow('was added to it');
  expect((await host.verify()).problem?.what).toContain('was added to it');
});

test('the page about several hosts has the statements of this version', () => {
  const page = readFileSync(join(ROOT, 'docs', 'journal.md'), 'utf8');
  for (const statement of [...GRANTS.host, ...GRANTS.reader]) expect(page).toContain(`${statement};`);
});
