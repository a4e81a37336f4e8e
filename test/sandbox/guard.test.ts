import { describe, expect, test } from 'vitest';
import { controls } from '../../src/contract/control.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import type { UnverifiedCaller } from '../../src/sandbox/guard.ts';
import { productionKey, secondKey } from '../service/steps.ts';
import { countingIds, fakeClock, openSandbox, replyOf, type TestSandbox, temporaryFolder } from '../support/sandbox.ts';

const MINUTE_MS = 60_000;

interface Keys {
  readonly box: TestSandbox;
  readonly revoked: string;
  readonly production: string;
}

/** Callers by what is wrong with their key; the last three are valid. */
const callers: [what: string, key: (keys: Keys) => string | undefined, status: number][] = [
  ['no key', () => undefined, 401],
  ['an empty key', () => '', 401],
  ['an unknown production key', ({ box }) => box.apiKey.replace('sandbox_', 'key-'), 401],
  ['a production key', ({ production }) => production, 401],
  ['a key without its prefix', ({ box }) => box.apiKey.replace('sandbox_', ''), 401],
  ['an unknown key', () => 'sandbox_000000000000000000000', 401],
  ['the start of a key', ({ box }) => box.apiKey.slice(0, -1), 401],
  ['a key with a suffix', ({ box }) => `${box.apiKey}0`, 401],
  ['a key with a space', ({ box }) => `${box.apiKey} `, 401],
  ['a key in capitals', ({ box }) => box.apiKey.toUpperCase(), 401],
  ['a pattern', () => 'sandbox_%', 401],
  ['a revoked key', ({ revoked }) => revoked, 401],
  ['the seeded key', ({ box }) => box.apiKey, 200],
];

async function openKeys(): Promise<Keys & AsyncDisposable> {
  const box = await openSandbox();
  const revoked = await secondKey(box);
  await box.inside(({ store }) => store.run('UPDATE api_key SET revoked_at = 1 WHERE key = ?', revoked));
  return { box, revoked, production: await productionKey(box), [Symbol.asyncDispose]: box.close };
}

const callerOf = (apiKey: string | undefined): UnverifiedCaller => ({ apiKey, address: '127.0.0.1' });

describe('a caller with', () => {
  test.each(callers)('%s', async (_what, keyOf, status) => {
    await using keys = await openKeys();
    const reply = replyOf(await keys.box.fetch('GET', '/v1/getfees', undefined, callerOf(keyOf(keys))));
    expect({ status: reply.status, response_code: reply.envelope.response_code }).toEqual({
      status,
      response_code: status === 200 ? '00' : '03',
    });
  });

  test.each(callers)('%s, at a control', async (_what, keyOf, status) => {
    await using keys = await openKeys();
    const { status: found } = await keys.box.fetch('GET', '/_sandbox/clock', undefined, callerOf(keyOf(keys)));
    expect(found).toBe(status);
  });

  test("a key without its kind's prefix, even if it is registered", async () => {
    await using box = await openSandbox();
    await box.inside(({ store }) => {
      store.run(`INSERT INTO api_key (key, kind, fintech, created_at) VALUES ('live_registered', 'sandbox', 1, 0)`);
      store.run(`INSERT INTO api_key (key, kind, fintech, created_at) VALUES ('sandbox_live', 'production', 1, 0)`);
    });
    for (const key of ['live_registered', 'sandbox_live']) {
      expect((await box.call('GET', '/getfees', undefined, key)).status).toBe(401);
      expect((await box.call('POST', '/createsandboxapikey', {}, key)).status).toBe(401);
    }
  });

  test('a production key, where sandbox keys are created, and a sandbox key there', async () => {
    await using box = await openSandbox();
    const make = (key: string) => box.call('POST', '/createsandboxapikey', {}, key);
    const [live, sandbox] = [await make(await productionKey(box)), await make(box.apiKey)];
    expect({ live: live.status, sandbox: sandbox.status }).toEqual({ live: 200, sandbox: 401 });
    await box.inside(({ store }) => store.run(`UPDATE api_key SET revoked_at = 1 WHERE kind = 'production'`));
    expect((await make(await productionKey(box))).status).toBe(401);
  });

  test('an invalid key changes nothing', async () => {
    await using box = await openSandbox();
    const before = await box.call('GET', '/_sandbox/status');
    await box.call('POST', '/_sandbox/seed', { users: 1 }, 'sandbox_wrong');
    await box.call('POST', '/_sandbox/advance', { durationMs: 1 }, 'sandbox_wrong');
    await box.call('POST', '/onboarduser', { bvn: '22222222222' }, 'sandbox_wrong');
    expect(await box.call('GET', '/_sandbox/status')).toEqual(before);
  });

  test('an invalid key is never repeated in the response', async () => {
    await using box = await openSandbox();
    const { body } = await box.fetch('GET', '/v1/getfees', undefined, callerOf('sandbox_my_secret'));
    expect(body).not.toContain('my_secret');
  });
});

/** `getfees` allows 60 requests per minute. */
const LIMIT = 60;

async function call(box: TestSandbox, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let count = 0; count < times; count++) statuses.push((await box.call('GET', '/getfees')).status);
  return statuses;
}

const all = (status: number, times: number) => Array<number>(times).fill(status);

describe('the rate limit', () => {
  test('allows this many requests, then says when to come back', async () => {
    await using box = await openSandbox({ rateLimits: true });
    box.clock.pass(1);
    expect(await call(box, LIMIT)).toEqual(all(200, LIMIT));
    const reply = await box.call('GET', '/getfees');
    expect({ status: reply.status, response_code: reply.envelope.response_code }).toEqual({
      status: 429,
      response_code: '04',
    });
    expect(reply.envelope.data).toEqual({ error: 'too many requests', retry_after: 60 });
  });

  test.each([
    [0, 60],
    [1, 60],
    [1_000, 59],
    [30_500, 30],
    [59_000, 1],
    [59_999, 1],
  ])('%d ms into the window says %d seconds', async (atMs, seconds) => {
    await using box = await openSandbox({ rateLimits: true });
    await call(box, LIMIT);
    box.clock.pass(atMs);
    expect((await box.call('GET', '/getfees')).envelope.data).toMatchObject({ retry_after: seconds });
  });

  test('allows requests after the stated seconds, but not one millisecond earlier', async () => {
    await using box = await openSandbox({ rateLimits: true });
    box.clock.pass(12_345);
    await call(box, LIMIT);
    box.clock.pass(MINUTE_MS - 12_345 - 1);
    expect(await call(box, 1)).toEqual([429]);
    box.clock.pass(1);
    expect(await call(box, LIMIT + 1)).toEqual([...all(200, LIMIT), 429]);
  });

  test('is not extended by rejected requests', async () => {
    await using box = await openSandbox({ rateLimits: true });
    await call(box, LIMIT * 3);
    box.clock.pass(MINUTE_MS);
    expect(await call(box, 1)).toEqual([200]);
  });

  test('counts each endpoint separately', async () => {
    await using box = await openSandbox({ rateLimits: true });
    await call(box, LIMIT + 1);
    expect((await box.call('GET', '/getaccumulatedfees')).status).toBe(200);
  });

  test('counts requests rejected for other reasons', async () => {
    await using box = await openSandbox({ rateLimits: true });
    for (let count = 0; count < 100; count++) await box.call('POST', '/onboarduser', { bvn: 'wrong' });
    expect((await box.call('POST', '/onboarduser', { bvn: '22222222222' })).status).toBe(429);
  });

  test('does not count unauthenticated requests', async () => {
    await using box = await openSandbox({ rateLimits: true });
    for (let count = 0; count < LIMIT; count++) await box.call('GET', '/getfees', undefined, 'sandbox_wrong');
    expect(await call(box, 1)).toEqual([200]);
  });

  test('resets when the clock is advanced', async () => {
    await using box = await openSandbox({ rateLimits: true });
    await call(box, LIMIT + 1);
    await box.call('POST', '/_sandbox/advance', { durationMs: MINUTE_MS });
    expect(await call(box, 1)).toEqual([200]);
  });

  test('can be switched off and on again', async () => {
    await using box = await openSandbox({ rateLimits: true });
    await call(box, LIMIT);
    await box.call('POST', '/_sandbox/seed', { rateLimits: false });
    expect(await call(box, 2)).toEqual([200, 200]);
    await box.call('POST', '/_sandbox/seed', { rateLimits: true });
    expect(await call(box, 1)).toEqual([429]);
  });

  const limits = (controls as readonly Endpoint[]).map(({ method, path }) => ({ method, path }));

  test.each(limits)('does not apply to $method $path', async ({ method, path }) => {
    await using box = await openSandbox({ rateLimits: true });
    const replies: number[] = [];
    for (let count = 0; count < 150; count++) replies.push((await box.call(method, path, '[]')).status);
    expect(replies).not.toContain(429);
  });
});

describe('a clock that is set back', () => {
  const YEAR_MS = 365 * 86_400_000;

  async function countInFuture(box: TestSandbox): Promise<void> {
    await box.call('POST', '/_sandbox/advance', { durationMs: YEAR_MS });
    await call(box, LIMIT);
    await box.call('POST', '/_sandbox/reset', { rateLimits: true });
  }

  test('discards future counts in memory', async () => {
    await using box = await openSandbox({ rateLimits: true });
    await countInFuture(box);
    expect(await call(box, LIMIT + 1)).toEqual([...all(200, LIMIT), 429]);
    box.clock.pass(MINUTE_MS);
    expect(await call(box, LIMIT + 1)).toEqual([...all(200, LIMIT), 429]);
  });

  test('discards future counts in the file, where they would suppress later ones', async () => {
    using folder = temporaryFolder();
    const path = folder.file('sandbox.db');
    const clock = fakeClock();
    const first = await openSandbox({ path, clock, rateLimits: true });
    await countInFuture(first);
    await call(first, LIMIT - 1);
    await first.close();
    await using second = await openSandbox({ path, clock, ids: countingIds(2) });
    const rows = await second.inside(({ store }) => store.all('SELECT window_start FROM rate_window'), 'read');
    expect(rows.filter((row) => Number((row as { window_start: bigint }).window_start) > clock.now())).toEqual([]);
    expect(await call(second, 2)).toEqual([200, 429]);
  });

  test('replaces a future window that the file still has', async () => {
    using folder = temporaryFolder();
    const path = folder.file('sandbox.db');
    const clock = fakeClock();
    const first = await openSandbox({ path, clock, rateLimits: true });
    await first.inside(({ store }) =>
      store.run(`INSERT INTO rate_window VALUES (1, 'fees.get', ?, 60)`, clock.now() + YEAR_MS),
    );
    expect(await call(first, LIMIT - 1)).toEqual(all(200, LIMIT - 1));
    await first.close();
    await using second = await openSandbox({ path, clock, ids: countingIds(2) });
    expect(await call(second, 2)).toEqual([200, 429]);
  });
});

describe('two sandboxes on one file', () => {
  async function openTwo(path: string) {
    const clock = fakeClock();
    const first = await openSandbox({ path, clock, rateLimits: true });
    const second = await openSandbox({ path, clock, ids: countingIds(2), rateLimits: true });
    return { clock, first, second };
  }

  test('share the count once one of them is closed', async () => {
    using folder = temporaryFolder();
    const { first, second } = await openTwo(folder.file('sandbox.db'));
    await using _second = second;
    await call(first, LIMIT - 10);
    await first.close();
    expect(await call(second, 11)).toEqual([...all(200, 10), 429]);
  });

  test('share the count once one of them has written', async () => {
    using folder = temporaryFolder();
    const { first, second } = await openTwo(folder.file('sandbox.db'));
    await using _first = first;
    await using _second = second;
    await call(first, LIMIT - 10);
    await first.call('POST', '/onboarduser', { bvn: '22222222222' });
    expect(await call(second, 11)).toEqual([...all(200, 10), 429]);
  });

  test('share the count while both keep writing', async () => {
    using folder = temporaryFolder();
    const { first, second } = await openTwo(folder.file('sandbox.db'));
    await using _first = first;
    await using _second = second;
    const order = (box: TestSandbox) => box.call('POST', '/fx/limit-order', {});
    const statuses: number[] = [];
    for (let round = 0; round < 30; round++) {
      statuses.push((await order(first)).status, (await order(second)).status);
    }
    const letThrough = statuses.filter((status) => status !== 429).length;
    // 30 a minute; either may have missed the other's last request.
    expect(letThrough).toBeGreaterThanOrEqual(30);
    expect(letThrough).toBeLessThanOrEqual(32);
  });

  test('add up what each of them counted', async () => {
    using folder = temporaryFolder();
    const path = folder.file('sandbox.db');
    const { clock, first, second } = await openTwo(path);
    await call(first, LIMIT / 2);
    await call(second, LIMIT / 2 - 1);
    await first.close();
    await second.close();
    await using third = await openSandbox({ path, clock, ids: countingIds(3) });
    expect(await call(third, 2)).toEqual([200, 429]);
  });

  test('do not restore an older window', async () => {
    using folder = temporaryFolder();
    const path = folder.file('sandbox.db');
    const { clock, first, second } = await openTwo(path);
    await call(first, LIMIT);
    clock.pass(MINUTE_MS);
    await call(second, LIMIT - 1);
    await second.close();
    // Its count belongs to the previous minute.
    await first.close();
    await using third = await openSandbox({ path, clock, ids: countingIds(3) });
    expect(await call(third, 2)).toEqual([200, 429]);
  });

  test('share the count while both only read, after 500 requests', async () => {
    using folder = temporaryFolder();
    const { first, second } = await openTwo(folder.file('sandbox.db'));
    await using _first = first;
    await using _second = second;
    await call(first, LIMIT);
    for (let count = 0; count < 500; count++) await first.call('GET', '/_sandbox/clock');
    expect(await call(second, 1)).toEqual([429]);
  });

  test('share the count if the request that saves it is rejected', async () => {
    using folder = temporaryFolder();
    const { first, second } = await openTwo(folder.file('sandbox.db'));
    await using _second = second;
    await call(first, LIMIT);
    await first.call('POST', '/onboarduser', { bvn: 'wrong' });
    await first.close();
    expect(await call(second, 1)).toEqual([429]);
  });

  test('keep reading when a window ends while the other one writes', async () => {
    using folder = temporaryFolder();
    const path = folder.file('sandbox.db');
    const clock = fakeClock();
    const ids = countingIds();
    let onUuid = () => {};
    const uuid = () => {
      onUuid();
      return ids.uuid();
    };
    await using first = await openSandbox({ path, clock, ids: { ...ids, uuid }, rateLimits: true });
    await using second = await openSandbox({ path, clock, ids: countingIds(2), rateLimits: true });
    await call(first, 1);
    clock.pass(MINUTE_MS);
    onUuid = () => {
      onUuid = () => {};
      second.service.store.transaction('write', () => second.service.store.run('UPDATE fintech SET updated_at = 1'));
    };
    // Two reads in one batch; the first creates an id, and the other process writes at that moment.
    const replies = await Promise.all([first.call('POST', '/getbankscode'), first.call('GET', '/getfees')]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  });
});
