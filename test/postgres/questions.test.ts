import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { EVENT_COLUMNS, OPERATION_COLUMNS } from '../../src/copy/questions/sql/views.ts';
import { SCHEMA } from '../../src/copy/schema.ts';
import { main } from '../../src/main.ts';
import { LISTS, movingService } from '../copy/moving-service.ts';
import { blocksOf } from '../docs/scripts.ts';
import { ROOT } from '../support/built.ts';
import { prepared } from '../support/journal-intent.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import * as sandbox from '../support/sandbox.ts';
import { ACCOUNT, fakeClock, fakeHost, fakeWorld } from '../support/world.ts';
import { deliveryOf, hostWith, NOW_MS, onboarded, received } from '../webhooks/support.ts';
import { openOn } from './inboxes.ts';
import { openHost } from './support.ts';

const PAGE = 'docs/data.md';

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

/** Makes a local copy with some rows of each list in a new database, and the reader that docs/data.md describes. */
async function copied() {
  const clock = fakeClock();
  const service = movingService(clock.now);
  for (const list of Object.keys(LISTS)) for (let each = 0; each < 5; each++) service.add(list);
  const url = server.newDatabase();
  const world = fakeWorld({
    clock,
    host: fakeHost(100, 'one'),
    network: (...given) => service.exchange(...given),
    env: { ...ACCOUNT, FIATRAIL_COPY_URL: url },
  });
  expect(await main(['sync', '-q'], world), world.stderr.text()).toBe(0);
  const [role = '', , views = ''] = blocksOf(PAGE, 'postgresql');
  // The role of another test's database is that of the whole server.
  server.sql(
    url,
    role.replace(
      /^CREATE ROLE (\w+) LOGIN;/,
      (made) => `DO $$ BEGIN ${made} EXCEPTION WHEN duplicate_object THEN END $$;`,
    ),
  );
  const asReader = (sql: string) => server.sql(url, `SET ROLE fiatrail_reader; SET search_path = ${SCHEMA}; ${sql}`);
  return { url, views, asReader };
}

/** As the page says that PostgreSQL writes what SQLite does. */
const onServer = (sql: string) =>
  sql.replace(
    /date\(([\w.]+), '\+1 hour'\)/g,
    (_, time) => `to_char(${time}::timestamp + interval '1 hour', 'YYYY-MM-DD')`,
  );

const QUERIES = [...readFileSync(join(ROOT, PAGE), 'utf8').matchAll(/^```sql\n(.*?)\n```$/gms)].map(([, sql = '']) =>
  onServer(sql),
);

test('a reader as docs/data.md makes one asks the questions of the page, and reads nothing else', async () => {
  const { asReader } = await copied();
  const asked = QUERIES.filter((sql) => !/\b(operations|events)\b/.test(sql));
  expect(asked.length).toBe(10);
  for (const sql of asked) expect(() => asReader(sql), sql).not.toThrow();
  expect(asReader('select count(*) from deposits')).toMatch(/^5$/m);
  expect(() => asReader('select * from stored_deposits')).toThrow('permission denied');
  expect(() => asReader('delete from deposits')).toThrow('permission denied');
});

test('beside a journal and an inbox, the views of docs/data.md say what fiatrail sql says of both', async () => {
  const { url, views, asReader } = await copied();
  const journal = await openHost(url);
  const signer = (name: string) => ({ name, role: 'signer', keyFingerprint: 'f', signedAt: 'now' }) as const;
  const author = { user: 'ada', host: 'h', approver: null };
  const paid = await prepared(journal, {
    idempotencyKey: 'rent',
    moves: { asset: 'NGN', minor: 50_000n },
    tag: '[fr-1]',
    authority: { plan: 'p', author, signers: [signer('bayo'), signer('chi, of "audit"')] },
  });
  await journal.append(paid, 'sent');
  await journal.append(paid, 'accepted', { requestId: 'request-1', result: '{}' });
  await journal.append(paid, 'settled', { detail: 'an event' });
  const doubtful = await prepared(journal, { authority: { plan: 'q', author, signers: [] } });
  await journal.append(doubtful, 'sent');
  await journal.append(doubtful, 'resolved', { verdict: 'completed', detail: 'a person' });

  const clock = sandbox.fakeClock(NOW_MS);
  const inbox = await openOn(url, { clock, host: hostWith(1) });
  onTestFinished(() => inbox.close());
  await inbox.forwardTo({ targets: ['http://127.0.0.1:1/a', 'http://127.0.0.1:1/b'] });
  const bodies = [onboarded(1), { ...onboarded(2), timestamp: new Date(NOW_MS).toISOString() }, '[1]', 'no JSON'];
  const sent = bodies.map((body, index) => deliveryOf(body, { sentAtMs: NOW_MS - index * 1001 }));
  await inbox.add(await Promise.all(sent.map((each) => received(each))));
  for (const [target, status] of [
    ['http://127.0.0.1:1/a', 200],
    ['http://127.0.0.1:1/b', 500],
  ] as const)
    for (const due of await inbox.forwards.due(target, 1)) await inbox.forwards.ended([[due, { status }]]);

  server.sql(url, views);
  const rowsOf = (view: string, order: string) =>
    JSON.parse(asReader(`SELECT jsonb_agg(each ORDER BY ${order}) FROM ${view} each`).trim().split('\n').at(-1) ?? '');
  const plain = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
  const operations = (await journal.list({ limit: 10 })).map((row) =>
    Object.fromEntries(OPERATION_COLUMNS.map(({ name, of }) => [name, plain(of(row))])),
  );
  const events = (await inbox.list({ limit: 10 })).map((row) =>
    Object.fromEntries(EVENT_COLUMNS.map(({ name, of }) => [name, plain(of(row))])),
  );
  expect([operations.length, events.length]).toEqual([2, 4]);
  expect(rowsOf('operations', 'created_at, id')).toEqual(operations.sort(by('created_at', 'id')));
  expect(rowsOf('events', 'number')).toEqual(events.sort(by('number')));

  for (const sql of QUERIES) expect(() => asReader(sql), sql).not.toThrow();
  for (const table of ['fiatrail.operation', 'fiatrail.setting', 'fiatrail_inbox.event'])
    expect(() => asReader(`select * from ${table}`), table).toThrow('permission denied');
});

/** Compares rows by columns. */
const by =
  (...columns: readonly string[]) =>
  (one: Record<string, unknown>, other: Record<string, unknown>): number =>
    columns
      .map((column) => [one[column], other[column]] as [string | number, string | number])
      .map(([a, b]) => (a < b ? -1 : a > b ? 1 : 0))
      .find((order) => order !== 0) ?? 0;
