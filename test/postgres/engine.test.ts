import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { NEVER_SENT } from '../../src/journal/claims.ts';
import type { Intent } from '../../src/journal/intent.ts';
import type { Journal } from '../../src/journal/interface.ts';
import type { OperationState } from '../../src/journal/states.ts';
import { temporaryFolder } from '../support/built.ts';
import { INTENT, oneProcess, prepared, testJournal } from '../support/journal-intent.ts';
import { replaceClock, startPostgres, type TestServer } from '../support/postgres.ts';
import { countingIds, fakeClock } from '../support/sandbox.ts';
import { claimed, exportedFrom, openHost, stateFolder } from './support.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

const KEYED: Intent = { ...INTENT, idempotencyKey: 'fees-2026-11' };
const GUARDED: Intent = { ...INTENT, isGuarded: true };
const DAY_MS = 24 * 60 * 60_000;

async function through(journal: Journal, id: string, ...states: OperationState[]): Promise<void> {
  for (const state of states) await journal.append(id, state, state === 'resolved' ? { verdict: 'not-done' } : {});
}

/** Moves the server’s clock on, so that no process may be at work any more. */
const expire = (url: string) => moveClock(url, 120_000);

const moveClock = (url: string, byMs: number) =>
  replaceClock(server, url, `real_clock() + interval '${byMs} milliseconds'`);

/** The key of the digests, and the account’s key. */
const BEGINNING = 2;

const PROTECTED = ['entry', 'operation', 'account_name'];
/** Runs SQL as the owner of the tables could, with the triggers taken away meanwhile. */
const tampering = (sql: string) =>
  [
    ...PROTECTED.map((name) => `ALTER TABLE fiatrail.${name} DISABLE TRIGGER ALL`),
    sql,
    ...PROTECTED.map((name) => `ALTER TABLE fiatrail.${name} ENABLE TRIGGER ALL`),
  ].join('; ');

describe('an idempotency key', () => {
  test('is busy for other hosts until its time on the server is over, although its process cannot be seen', async () => {
    const url = server.newDatabase();
    const [first, second] = [await openHost(url), await openHost(url)];
    expect(await claimed(first, KEYED, 60_000)).toBe('ours');
    expect(await claimed(second, KEYED)).toBe('busy sent');
    // Two hosts with one name are two hosts: a folder is a host, and the process of the other one is never looked for here.
    expect(await claimed(first, KEYED)).toBe('unknown-outcome sent');
    expire(url);
    expect(await claimed(second, KEYED)).toBe('unknown-outcome sent');
  });

  test('of a host that ended before it sent is taken over, and its operation closed', async () => {
    const url = server.newDatabase();
    const [first, second] = [await openHost(url), await openHost(url)];
    const abandoned = await prepared(first, KEYED);
    expect(await claimed(second, KEYED)).toBe('busy prepared');
    expire(url);
    expect(await claimed(second, KEYED)).toBe('ours');
    expect((await first.find(abandoned))[0]).toMatchObject({ state: 'rejected', detail: NEVER_SENT });
  });

  test('is given once to eight connections that claim it at once, from four hosts', async () => {
    const url = server.newDatabase();
    const folders = Array.from({ length: 4 }, stateFolder);
    const hosts = await Promise.all([...folders, ...folders].map((dir) => openHost(url, { dir })));
    for (let round = 0; round < 10; round++) {
      const intent = { ...KEYED, idempotencyKey: `round-${round}` };
      const ends = await Promise.all(hosts.map((host) => claimed(host, intent, 60_000)));
      expect(ends.filter((end) => end === 'ours')).toHaveLength(1);
      expect(ends.filter((end) => !['ours', 'busy sent', 'unknown-outcome sent'].includes(end))).toEqual([]);
    }
    expect(await hosts[0]?.count()).toBe(10);
    expect((await hosts[0]?.verify())?.problem).toBeUndefined();
  });
});

describe('clocks', () => {
  test.each([-DAY_MS, DAY_MS])('a host whose clock is off by %d ms keeps the same rules', async (offMs) => {
    const url = server.newDatabase();
    const clock = fakeClock(Date.now() + offMs);
    const [off, right] = [await openHost(url, { clock }), await openHost(url, { clock: fakeClock(Date.now()) })];
    const claim = await off.claim(KEYED, 30_000);
    expect(claim.kind).toBe('ours');
    // What this host compares with its own clock is in its own time; what the others see is in the server's.
    const isLate = () => claim.kind === 'ours' && claim.isLate();
    clock.pass(30_000);
    expect(isLate()).toBe(false);
    clock.pass(1);
    expect(isLate()).toBe(true);
    clock.set(clock.now() - 30_001);
    expect(await claimed(right, KEYED)).toBe('busy sent');
    const [operation] = await right.list({ limit: 1 });
    expect(Math.abs((operation?.busyUntil ?? 0) - 30_000 - Date.now())).toBeLessThan(DAY_MS / 2);
    expect(Math.abs(Date.parse(operation?.createdAt ?? '') - Date.now())).toBeLessThan(DAY_MS / 2);
    await right.append(operation?.operationId ?? '', 'accepted', { requestId: 'r' });
    expect(await claimed(off, { ...GUARDED, input: KEYED.input })).toBe('repeated accepted');
    expect((await off.verify()).problem).toBeUndefined();
  });
});

describe('what is found later', () => {
  test('work is taken once, and its end is recorded by the id of the service', async () => {
    const url = server.newDatabase();
    const [first, second] = [await openHost(url), await openHost(url)];
    const [one, two] = [await prepared(first, KEYED), await prepared(first, { ...KEYED, idempotencyKey: 'b' })];
    for (const id of [one, two]) await through(first, id, 'sent', 'unknown');
    const taken = await Promise.all([
      first.take(one, { requestId: 'w-1', detail: 'found' }),
      second.take(two, { requestId: 'w-1', detail: 'found' }),
    ]);
    expect(taken.toSorted()).toEqual([false, true]);
    expect(await second.isClaimed('w-1', 'another')).toBe(true);
    const work = { account: INTENT.account, endpoints: [INTENT.endpoint], requestId: 'w-1' };
    await second.ended(work, 'settled', {});
    await first.ended(work, 'settled', {});
    await first.ended({ ...work, endpoints: ['fx.trade'] }, 'failed', {});
    expect((await first.list({ limit: 9 })).map(({ state }) => state).toSorted()).toEqual(['settled', 'unknown']);
    await expect(first.append(taken[0] ? one : two, 'sent')).rejects.toThrow('cannot become sent');
  });
});

describe('sums', () => {
  const moving = (minor: bigint, more: Partial<Intent> = {}): Intent => ({
    ...INTENT,
    command: 'fiatrail fees withdraw',
    moves: { asset: 'NGN', minor },
    ...more,
  });
  const limits = [{ asset: 'NGN', period: 'day', maxMinor: 1_000n }] as const;

  test('are kept by eight connections that claim at once', async () => {
    const url = server.newDatabase();
    const hosts = await Promise.all(Array.from({ length: 8 }, () => openHost(url)));
    const ends = await Promise.all(hosts.map((host) => claimed(host, moving(300n, { limits }), 60_000)));
    expect(ends.toSorted()).toEqual([...Array(3).fill('ours'), ...Array(5).fill('over-limit')].toSorted());
  });
});

describe('reading', () => {
  test('lists newest first in pages, and finds by the start of an id', async () => {
    const url = server.newDatabase();
    const [first, second] = [await openHost(url), await openHost(url)];
    const ids: string[] = [];
    for (let count = 0; count < 7; count++) {
      moveClock(url, count * 1_000);
      ids.push(
        await prepared(count % 2 ? second : first, { idempotencyKey: `k-${count}`, profile: count < 3 ? 'a' : 'b' }),
      );
    }
    const page = await second.list({ limit: 3 });
    expect(page.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['k-6', 'k-5', 'k-4']);
    const next = await first.list({ limit: 3, after: page[2] });
    expect(next.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['k-3', 'k-2', 'k-1']);
    expect((await first.list({ limit: 9, profile: 'a' })).map(({ idempotencyKey }) => idempotencyKey)).toEqual([
      'k-2',
      'k-1',
      'k-0',
    ]);
    expect(await first.list({ limit: 9, givenIdempotencyKey: 'k-4' })).toMatchObject([
      { operationId: ids[4], host: /^host-1\// },
    ]);
    const [sixth] = await first.find(ids[5] ?? '');
    expect((await first.list({ limit: 9, sinceMs: Date.parse(sixth?.createdAt ?? '') })).length).toBe(2);
    expect((await first.find(ids[4] ?? ''))[0]?.idempotencyKey).toBe('k-4');
    expect(await first.find('nothing')).toEqual([]);
    expect(await first.count()).toBe(7);
    await through(first, ids[0] ?? '', 'sent');
    expect(await second.unknownOutcomes('a')).toBe(1);
    expect(
      (await second.list({ limit: 9, state: 'unknown-outcome', kind: 'money' })).map(({ operationId }) => operationId),
    ).toEqual([ids[0]]);
  });
});

describe('the chain', () => {
  /** Fills a journal from two hosts. */
  async function filled() {
    const url = server.newDatabase();
    const dir = stateFolder();
    const [first, second] = [await openHost(url, { dir }), await openHost(url, { name: 'host-2' })];
    for (const host of [first, second, first]) {
      const id = await prepared(host, { input: `["${Math.random()}"]` });
      await host.append(id, 'sent');
      await host.append(id, 'accepted', { requestId: id, result: '{"a":"\u2028 \u0001 ₦ \\\\ \ud83d\ude00"}' });
    }
    return { url, dir, first, second };
  }

  test('is one for all hosts, and verifies', async () => {
    const { first, second } = await filled();
    const verified = await first.verify((await second.head())?.hash);
    expect(verified).toMatchObject({ entries: BEGINNING + 9, operations: 3, problem: undefined });
    expect((await first.verify('no-such-head')).problem?.what).toContain('does not contain this checkpoint');
  });

  test.each([
    ['a changed detail', `UPDATE fiatrail.entry SET detail = 'x' WHERE sequence = 4`, 'entry 4, was changed'],
    ['a later time', `UPDATE fiatrail.entry SET at = at + 1 WHERE sequence = 7`, 'entry 7, was changed'],
    ['a deleted entry', `DELETE FROM fiatrail.entry WHERE sequence = 6`, 'entry 7, follows entry 5'],
    [
      'an entry cut from the end',
      `DELETE FROM fiatrail.entry WHERE sequence = 11`,
      'does not say what its entries say',
    ],
    ['another amount', `UPDATE fiatrail.operation SET asset = 'NGN', minor = 1`, 'entry 3, was changed'],
    ['another summary', `UPDATE fiatrail.operation SET summary = 'x'`, 'entry 3, was changed'],
    ['another state', `UPDATE fiatrail.operation SET state = 'rejected'`, 'does not say what its entries say'],
    ['another sum', `INSERT INTO fiatrail.spent VALUES ('a', 'NGN', 1, 'c', 5)`, 'the sums for the limits'],
  ])('shows %s that its owner wrote', async (_what, sql, expected) => {
    const { url, second } = await filled();
    server.sql(url, tampering(sql));
    expect((await second.verify()).problem?.what).toContain(expected);
  });

  test('stops every host when its last entry was changed, and the one that saw it when it was cut', async () => {
    const { url, first, second } = await filled();
    await first.requireLastLink();
    server.sql(url, tampering(`UPDATE fiatrail.entry SET detail = 'x' WHERE sequence = 11`));
    await expect(first.requireLastLink()).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' });
    await expect(second.requireLastLink()).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' });
    server.sql(url, tampering('DELETE FROM fiatrail.entry WHERE sequence = 11'));
    await expect(first.requireLastLink()).rejects.toMatchObject({ code: 'JOURNAL_CUT' });
    await expect(first.list({ limit: 9 })).rejects.toMatchObject({ code: 'JOURNAL_CHANGED' });
    expect(await first.count()).toBe(3);
  });

  test.each(['UPDATE fiatrail.entry SET at = 1', 'DELETE FROM fiatrail.entry', 'TRUNCATE fiatrail.entry'])(
    'cannot be changed: %s',
    async (sql) => {
      const { url, first } = await filled();
      expect(() => server.sql(url, sql)).toThrow('an entry never changes and is never deleted');
      expect((await first.verify()).problem).toBeUndefined();
    },
  );

  test('is read as of one moment while others write', async () => {
    const { first, second } = await filled();
    const pages = second.exported(true);
    const lines = [...((await pages.next()).value as object[])];
    await prepared(first, { input: '["later"]' });
    for await (const page of pages) lines.push(...page);
    expect(lines[0]).toMatchObject({ operations: 3, entries: BEGINNING + 9 });
    expect(lines.filter((line) => 'type' in line && line.type === 'entry')).toHaveLength(BEGINNING + 9);
  });

  test('cannot be copied as a file', async () => {
    const { first, dir } = await filled();
    await expect(first.backUp(`${dir}/copy.db`)).rejects.toMatchObject({ code: 'JOURNAL_ON_SERVER' });
  });
});

describe('a journal that moves', () => {
  const sqliteAt = (path: string, seed: number, clock = fakeClock()) =>
    testJournal({ path, ids: countingIds(seed), clock, host: { ...oneProcess(), isRunning: () => false } });
  const newPath = () => `${temporaryFolder(onTestFinished)}/journal.db`;

  /** Fills a journal with an operation in every state that matters, each under an idempotency key of that name. */
  async function fill(journal: Journal) {
    const ways = {
      unknownOutcome: ['sent', 'unknown'],
      lost: ['sent'],
      done: ['sent', 'accepted', 'settled'],
      free: ['rejected'],
    };
    for (const [idempotencyKey, states] of Object.entries(ways)) {
      const moves = { asset: 'NGN', minor: 5_000n } as const;
      const id = await prepared(journal, { ...INTENT, idempotencyKey, input: `["${idempotencyKey}"]`, moves });
      await through(journal, id, ...(states as OperationState[]));
    }
  }

  const again = (journal: Journal, idempotencyKey: string) =>
    claimed(journal, { ...INTENT, idempotencyKey, input: `["${idempotencyKey}"]` }, 60_000);

  async function expectMoved(journal: Journal) {
    expect((await journal.verify()).problem).toBeUndefined();
    const ends = [await again(journal, 'unknownOutcome'), await again(journal, 'lost'), await again(journal, 'done')];
    expect(ends).toEqual(['unknown-outcome unknown', 'unknown-outcome sent', 'done settled']);
    expect(await claimed(journal, { ...INTENT, idempotencyKey: 'done', input: '["x"]' })).toBe('other-input settled');
    expect(await again(journal, 'free')).toBe('ours');
    const unknownOutcomes = await journal.list({
      limit: 9,
      state: 'unknown-outcome',
      givenIdempotencyKey: 'unknownOutcome',
    });
    expect(unknownOutcomes[0]?.moves).toEqual({ asset: 'NGN', minor: 5_000n });
  }

  const importing = async (to: Journal, from: Journal) =>
    to.importFrom(
      (await exportedFrom(from)).map((line) => JSON.stringify(line)),
      [INTENT.account],
    );

  test('from SQLite to a server keeps unknownOutcomes and idempotency keys', async () => {
    const local = await sqliteAt(newPath(), 1);
    await fill(local);
    const url = server.newDatabase();
    expect(await importing(await openHost(url), local)).toEqual({ operations: 4, entries: BEGINNING + 15 });
    await local.close();
    // The key of the digests came with the import, and a journal reads it when it is opened.
    await expectMoved(await openHost(url));
  });

  test('from a server to SQLite keeps unknownOutcomes and idempotency keys', async () => {
    const remote = await openHost(server.newDatabase());
    await fill(remote);
    const path = newPath();
    const later = fakeClock(Date.now() + DAY_MS);
    const local = await sqliteAt(path, 2, later);
    expect(await importing(local, remote)).toEqual({ operations: 4, entries: BEGINNING + 15 });
    await local.close();
    const opened = await sqliteAt(path, 3, later);
    await expectMoved(opened);
    await opened.close();
  });

  test('is imported whole or not at all', async () => {
    const local = await sqliteAt(newPath(), 1);
    await fill(local);
    const lines = (await exportedFrom(local)).map((line) => JSON.stringify(line));
    const journal = await openHost(server.newDatabase());
    await expect(journal.importFrom(lines.slice(0, -1), [INTENT.account])).rejects.toThrow('the file is not whole');
    expect([await journal.count(), await exportedFrom(journal)]).toMatchObject([
      0,
      [{ operations: 0, entries: 1 }, {}],
    ]);
    await journal.importFrom(lines, [INTENT.account]);
    await expect(journal.importFrom(lines, [INTENT.account])).rejects.toThrow('the journal is not empty');
    await local.close();
  });
});

describe('the tables', () => {
  test('are created once by eight openers of an empty database', async () => {
    const url = server.newDatabase();
    const hosts = await Promise.all(Array.from({ length: 8 }, () => openHost(url)));
    await Promise.all(hosts.map((host, index) => prepared(host, { input: `["${index}"]` })));
    expect(await hosts[0]?.count()).toBe(8);
    const ids = server.sql(url, `SELECT count(*) FROM fiatrail.setting WHERE name = 'id'`);
    expect([ids, new Set(hosts.map((host) => host.digest('a'))).size]).toEqual(['1', 1]);
  });

  test.each([
    ['2', 'newer'],
    ['0', 'older'],
  ])('of version %s are rejected as %s, while a host has them open too', async (version, problem) => {
    const url = server.newDatabase();
    const journal = await openHost(url);
    await prepared(journal, KEYED);
    server.sql(url, `UPDATE fiatrail.setting SET value = '${version}' WHERE name = 'version'`);
    await expect(claimed(journal, GUARDED)).rejects.toMatchObject({ server: problem });
    await expect(journal.list({ limit: 1 })).rejects.toMatchObject({ server: problem });
    await expect(openHost(url)).rejects.toMatchObject({ server: problem });
    expect(server.sql(url, 'SELECT count(*) FROM fiatrail.operation')).toBe('1');
  });

  test.each([
    ['another table', 'CREATE TABLE fiatrail.orders (id int)'],
    ['settings of another program', 'CREATE TABLE fiatrail.setting (key text, data jsonb)'],
    ['settings without an id', 'CREATE TABLE fiatrail.setting (name text, value text)'],
    ['an id of another form', `CREATE TABLE fiatrail.setting AS SELECT 'id' AS name, 'main' AS value`],
  ])('of another program are rejected and left unchanged: %s', async (_what, sql) => {
    const url = server.newDatabase();
    server.sql(url, `CREATE SCHEMA fiatrail; ${sql}`);
    const tables = () =>
      server.sql(url, `SELECT relname FROM pg_class WHERE relnamespace = 'fiatrail'::regnamespace ORDER BY 1`);
    const before = tables();
    await expect(openHost(url)).rejects.toMatchObject({ server: 'foreign' });
    expect(tables()).toBe(before);
  });

  test('may be in a schema that someone created for them, with other names first in the search path', async () => {
    const url = server.newDatabase();
    server.sql(
      url,
      'CREATE SCHEMA fiatrail; CREATE TABLE public.operation (id int); CREATE TABLE public.setting (a int)',
    );
    const journal = await openHost(url);
    await prepared(journal, KEYED);
    expect([await journal.count(), server.sql(url, 'SELECT count(*) FROM public.operation')]).toEqual([1, '0']);
  });
});
