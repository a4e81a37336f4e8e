import { describe, expect, test } from 'vitest';
import { ipAllowlist } from '../../src/contract/endpoints/allowlist.ts';
import { getFees } from '../../src/contract/endpoints/fees.ts';
import { pass, productionKey, secondKey } from '../service/steps.ts';
import { openSandbox, type Reply, replyOf, START_MS, type TestSandbox } from '../support/sandbox.ts';

const HERE = '127.0.0.1';
const ELSEWHERE = '203.0.113.7';
const TTL_MS = 30_000;

const act = (box: TestSandbox, action: 'list' | 'add' | 'remove' | 'check', more: object = {}, key?: string) =>
  box.ask(ipAllowlist, { action, ...more }, key);
const add = (box: TestSandbox, ipAddress: string, more: object = {}) => act(box, 'add', { ipAddress, ...more });

/** Calls from an address. */
async function from(box: TestSandbox, address: string, path = '/v1/getfees', apiKey = box.apiKey): Promise<Reply> {
  return replyOf(await box.fetch('GET', path, undefined, { apiKey, address }));
}

const statusFrom = async (box: TestSandbox, address: string) => (await from(box, address)).status;

/** Opens a sandbox whose list is in force. */
async function openWith(...addresses: string[]): Promise<TestSandbox> {
  const box = await openSandbox();
  for (const address of addresses) await add(box, address);
  await pass(box, TTL_MS);
  return box;
}

describe('the responses', () => {
  test('have the fields of their action, and no others', async () => {
    await using box = await openSandbox();
    const keys = async (answer: Promise<object>) => Object.keys(await answer).sort();
    expect(await keys(add(box, HERE))).toEqual(['action', 'ipAddress', 'message', 'propagationTime', 'totalIps']);
    expect(await keys(act(box, 'list'))).toEqual(['action', 'ipAddresses', 'totalIps']);
    expect(await keys(act(box, 'check'))).toEqual(
      ['action', 'cacheInfo', 'isAllowed', 'matchedRule', 'note', 'totalConfiguredIps', 'yourIp'].sort(),
    );
    expect(await keys(act(box, 'remove', { index: 0 }))).toEqual(
      ['action', 'message', 'propagationTime', 'removed', 'totalIps'].sort(),
    );
  });

  test('never contain a complete address', async () => {
    await using box = await openSandbox();
    const responses = [
      await add(box, '203.0.113.7', { description: 'office' }),
      await add(box, '2001:db8:aaaa::/48'),
      await act(box, 'list'),
      await act(box, 'check'),
      await act(box, 'remove', { ipAddress: '203.0.113.7' }),
    ];
    expect(responses[0]).toMatchObject({ ipAddress: '203.0.*.*', totalIps: 1 });
    expect(responses[2]).toMatchObject({
      ipAddresses: [
        { index: 0, ip: '203.0.*.*', description: 'office' },
        { index: 1, ip: '2001:db8:*/48', description: null },
      ],
    });
    expect(responses[4]).toMatchObject({ removed: '203.0.*.*', totalIps: 1 });
    expect(JSON.stringify(responses)).not.toMatch(/113\.7|aaaa|127\.0\.0/);
  });
});

describe('the allowlist', () => {
  test('stores an address once, however it is written', async () => {
    await using box = await openSandbox();
    await add(box, '127.0.0.1', { description: 'first' });
    await add(box, '::ffff:127.0.0.1');
    await add(box, '127.0.0.1/32', { description: 'second' });
    expect(await act(box, 'list')).toMatchObject({ totalIps: 1, ipAddresses: [{ description: 'second' }] });
  });

  test('renumbers entries after a removal', async () => {
    await using box = await openSandbox();
    for (const address of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) await add(box, address);
    expect(await act(box, 'remove', { index: 1 })).toMatchObject({ removed: 'index 1', totalIps: 2 });
    expect((await act(box, 'list')).ipAddresses?.map(({ ip }) => ip)).toEqual(['1.1.*.*', '3.3.*.*']);
    await act(box, 'remove', { index: 1 });
    expect((await act(box, 'list')).ipAddresses?.map(({ ip }) => ip)).toEqual(['1.1.*.*']);
    const gone = await box.call('POST', '/manageipallowlist', { action: 'remove', index: 1 });
    expect({ status: gone.status, response_code: gone.envelope.response_code }).toEqual({
      status: 404,
      response_code: '02',
    });
  });

  test('accepts an address that was removed', async () => {
    await using box = await openSandbox();
    await add(box, HERE);
    await act(box, 'remove', { ipAddress: HERE });
    expect(await add(box, HERE)).toMatchObject({ totalIps: 1 });
  });

  test('belongs to its fintech', async () => {
    await using box = await openWith(ELSEWHERE);
    const other = await secondKey(box);
    expect(await act(box, 'list', {}, other)).toMatchObject({ totalIps: 0 });
    expect((await from(box, HERE, '/v1/getfees', other)).status).toBe(200);
    const reply = await box.call('POST', '/manageipallowlist', { action: 'remove', ipAddress: ELSEWHERE }, other);
    expect(reply.status).toBe(404);
  });

  test.each([
    { action: 'add' },
    { action: 'add', ipAddress: '10.1.2.3/8' },
    { action: 'add', ipAddress: 'example.com' },
    { action: 'remove' },
    { action: 'remove', ipAddress: HERE, index: 0 },
    { action: 'remove', ipAddress: 'x' },
    { action: 'remove', index: -1 },
    { action: 'clear' },
    {},
  ])('refuses %j and stays unchanged', async (body) => {
    await using box = await openWith(HERE);
    expect((await box.call('POST', '/manageipallowlist', body)).envelope.response_code).toBe('01');
    expect(await act(box, 'list')).toMatchObject({ totalIps: 1 });
  });
});

describe('a caller is allowed', () => {
  test('by an empty list', async () => {
    await using box = await openSandbox();
    for (const address of [HERE, ELSEWHERE, '2001:db8::1', '']) expect(await statusFrom(box, address)).toBe(200);
  });

  test.each([
    ['127.0.0.1', '127.0.0.1', 200],
    ['127.0.0.1', '::ffff:127.0.0.1', 200],
    ['::ffff:127.0.0.1', '127.0.0.1', 200],
    ['127.0.0.1', '127.0.0.2', 403],
    ['127.0.0.1', '::1', 403],
    ['127.0.0.0/8', '127.255.0.3', 200],
    ['127.0.0.0/8', '128.0.0.1', 403],
    ['2001:db8::/32', '2001:DB8:1::1', 200],
    ['2001:db8::/32', '2001:db9::1', 403],
    ['127.0.0.1', '', 403],
    ['127.0.0.1', 'nonsense', 403],
    ['0.0.0.0/0', 'nonsense', 403],
  ])('by %s: %s gets status %d', async (entry, address, status) => {
    await using box = await openWith(entry);
    const reply = await from(box, address);
    expect({ status: reply.status, response_code: reply.envelope.response_code }).toEqual({
      status,
      response_code: status === 200 ? '00' : '03',
    });
  });

  test('by any of several entries', async () => {
    await using box = await openWith('1.1.1.1', '10.0.0.0/8', HERE);
    for (const address of ['1.1.1.1', '10.9.8.7', HERE]) expect(await statusFrom(box, address)).toBe(200);
    expect(await statusFrom(box, '1.1.1.2')).toBe(403);
  });
});

describe('a change takes effect', () => {
  test('30 seconds later, to the millisecond', async () => {
    await using box = await openSandbox();
    await add(box, ELSEWHERE);
    box.clock.set(START_MS + TTL_MS - 1);
    expect(await statusFrom(box, HERE)).toBe(200);
    box.clock.set(START_MS + TTL_MS);
    expect(await statusFrom(box, HERE)).toBe(403);
    expect(await statusFrom(box, ELSEWHERE)).toBe(200);
  });

  test('30 seconds after a removal, to the millisecond', async () => {
    await using box = await openWith(HERE, ELSEWHERE);
    await act(box, 'remove', { ipAddress: HERE });
    box.clock.pass(TTL_MS - 1);
    expect(await statusFrom(box, HERE)).toBe(200);
    box.clock.pass(1);
    expect(await statusFrom(box, HERE)).toBe(403);
  });

  test('together with others of the same moment, so that a replaced address is never missing', async () => {
    await using box = await openWith(HERE);
    await add(box, ELSEWHERE);
    await act(box, 'remove', { ipAddress: HERE });
    const statuses = async () => ({ here: await statusFrom(box, HERE), elsewhere: await statusFrom(box, ELSEWHERE) });
    box.clock.pass(TTL_MS - 1);
    expect(await statuses()).toEqual({ here: 200, elsewhere: 403 });
    box.clock.pass(1);
    expect(await statuses()).toEqual({ here: 403, elsewhere: 200 });
  });

  test('after the last entry is removed: every address is allowed again', async () => {
    await using box = await openWith(ELSEWHERE);
    expect(await statusFrom(box, HERE)).toBe(403);
    await act(box, 'remove', { index: 0 });
    await pass(box, TTL_MS);
    expect(await statusFrom(box, HERE)).toBe(200);
  });

  test('at once when the list is checked', async () => {
    await using box = await openSandbox();
    await add(box, ELSEWHERE);
    expect(await act(box, 'check')).toMatchObject({
      yourIp: '127.0.*.*',
      isAllowed: false,
      matchedRule: null,
      totalConfiguredIps: 1,
      cacheInfo: { ttlSeconds: 30, cacheRefreshed: true },
    });
    expect(await statusFrom(box, HERE)).toBe(403);
    await add(box, '127.0.0.0/8');
    expect(await act(box, 'check')).toMatchObject({ isAllowed: true, matchedRule: '127.0.*.*/8' });
    expect(await statusFrom(box, HERE)).toBe(200);
  });

  test('for the fintech that checked, but not for others', async () => {
    await using box = await openSandbox();
    const other = await secondKey(box);
    for (const key of [box.apiKey, other]) await act(box, 'add', { ipAddress: ELSEWHERE }, key);
    await act(box, 'check', {}, other);
    expect(await statusFrom(box, HERE)).toBe(200);
    expect((await from(box, HERE, '/v1/getfees', other)).status).toBe(403);
  });

  test('no sooner when the list is read', async () => {
    await using box = await openSandbox();
    await add(box, ELSEWHERE);
    await act(box, 'list');
    expect(await statusFrom(box, HERE)).toBe(200);
  });

  test('when the clock is advanced', async () => {
    await using box = await openSandbox();
    await add(box, ELSEWHERE);
    await box.call('POST', '/_sandbox/advance', { durationMs: TTL_MS });
    expect(await statusFrom(box, HERE)).toBe(403);
  });
});

describe('a blocked address', () => {
  test('can still manage the list and add itself', async () => {
    await using box = await openWith(ELSEWHERE);
    expect(await statusFrom(box, HERE)).toBe(403);
    await add(box, HERE);
    await act(box, 'check');
    expect(await box.ask(getFees, {})).toHaveProperty('fintechId');
  });

  test('can still use the sandbox controls', async () => {
    await using box = await openWith(ELSEWHERE);
    expect((await from(box, HERE, '/_sandbox/clock')).status).toBe(200);
  });

  test('learns nothing about the list', async () => {
    await using box = await openWith(ELSEWHERE);
    const { envelope } = await from(box, HERE);
    expect(envelope).toMatchObject({ response_code: '03', status: 'Error' });
    expect(JSON.stringify(envelope)).not.toContain('203');
  });

  test('is not allowed by a production key either', async () => {
    await using box = await openWith(ELSEWHERE);
    const reply = await box.call('POST', '/createsandboxapikey', {}, await productionKey(box));
    expect(reply.envelope.response_code).toBe('03');
    expect(reply.status).toBe(403);
  });

  test('with an invalid key gets the error for the key', async () => {
    await using box = await openWith(ELSEWHERE);
    expect((await from(box, HERE, '/v1/getfees', 'sandbox_wrong')).status).toBe(401);
  });

  test('is not counted against the rate limit', async () => {
    await using box = await openSandbox({ rateLimits: true });
    await add(box, ELSEWHERE);
    await act(box, 'check');
    for (let count = 0; count < 61; count++) expect(await statusFrom(box, HERE)).toBe(403);
    expect(await statusFrom(box, ELSEWHERE)).toBe(200);
  });
});
