import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { INTENT, prepared } from '../support/journal-intent.ts';
import { startPooler } from '../support/pooler.ts';
import { OWNER, startPostgres, type TestServer } from '../support/postgres.ts';
import { claimed, exportedFrom, openHost } from './support.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres({ settings: ['log_statement=all'] });
});
afterAll(() => server?.stop());

/** A pooler for a new database, and the URL of the journal behind it. */
async function pooled() {
  const direct = server.newDatabase();
  const database = /journal_\d+/.exec(direct)?.[0] ?? '';
  const at = { socketPath: `${server.folder}/.s.PGSQL.5432`, user: OWNER, database };
  const pooler = await startPooler(at, onTestFinished);
  return { direct, pooler, url: `postgres://${OWNER}@/${database}?host=${pooler.folder}` };
}

test('a pooler that gives each transaction another connection changes nothing', async () => {
  const { url, pooler } = await pooled();
  const hosts = await Promise.all(Array.from({ length: 5 }, () => openHost(url)));
  for (let round = 0; round < 6; round++) {
    const ends = await Promise.all(
      hosts.map((host) => claimed(host, { ...INTENT, idempotencyKey: `round-${round}` }, 60_000)),
    );
    expect(ends.toSorted()).toEqual(['busy sent', 'busy sent', 'busy sent', 'busy sent', 'ours']);
  }
  const [first, second] = hosts;
  if (!first || !second) throw new Error('there are no hosts');
  const id = await prepared(first, { input: '["one"]' });
  await second.append(id, 'sent');
  await first.record(id, 'accepted', { requestId: 'w' });
  // A transaction that fails must leave nothing behind on its connection.
  await expect(second.append(id, 'sent')).rejects.toThrow('cannot become sent');
  await Promise.all(hosts.map((host) => host.requireLastLink()));
  // The head, the operations, three entries of each, the key of the digests, and the account’s key.
  expect(await exportedFrom(first)).toHaveLength(1 + 7 + 6 * 3 + 3 + 2);
  expect((await second.verify()).problem).toBeUndefined();
  expect(Math.min(...pooler.transactions)).toBeGreaterThan(10);
});

test('nothing that lasts longer than a transaction is left on a connection', async () => {
  const direct = server.newDatabase();
  const before = server.log().length;
  const host = await openHost(direct);
  const id = await prepared(host);
  await host.append(id, 'sent');
  await host.record(id, 'accepted', { requestId: 'w' });
  await host.requireLastLink();
  await host.verify();
  await host.accept();
  await exportedFrom(host);
  const statements = server.log().slice(before);
  expect(statements).toContain('pg_advisory_xact_lock');
  // Each is a setting, a lock, a subscription, a statement or a table of the session.
  expect(statements).not.toMatch(/(statement: |; )SET (?!LOCAL )/);
  expect(statements).not.toMatch(/set_config\([^)]*, *false\)/i);
  expect(statements).not.toMatch(/pg_(try_)?advisory_lock|LISTEN|PREPARE|TEMP TABLE|TEMPORARY|DECLARE|DISCARD/);
  // The driver names a statement that stays on its connection; one without a name is <unnamed> here.
  expect(statements).not.toMatch(/execute (?!<unnamed>)[^:\s]+:/);
});
