import { describe, expect, test } from 'vitest';
import { controls } from '../../../src/contract/control.ts';
import { type Endpoint, pathParameters } from '../../../src/contract/endpoint.ts';
import { endpoints } from '../../../src/contract/endpoints/index.ts';
import type { FaultName } from '../../../src/contract/faults.ts';
import { type Envelope, openSandbox, type Reply, type TestSandbox } from '../../support/sandbox.ts';
import { onboardUser, pass, productionKey } from '../steps.ts';
import { groups } from './rows/index.ts';

/** The status and code of each fault, copied from the interface and the public table, not from src. */
const ANSWERS: Readonly<Record<FaultName, [http: number, code: string]>> = {
  VALIDATION_ERROR: [400, '01'],
  INVALID_QUOTE: [400, '01'],
  INSUFFICIENT_BALANCE: [400, '01'],
  PENDING_TRANSACTIONS: [400, '01'],
  NOT_FOUND: [404, '02'],
  USER_NOT_FOUND: [404, '02'],
  BANK_ACCOUNT_NOT_FOUND: [404, '02'],
  NO_FUNDED_WALLET: [404, '02'],
  NO_LIQUIDITY: [404, '02'],
  AUTHENTICATION_FAILED: [401, '03'],
  IP_BLOCKED: [403, '03'],
  RATE_LIMIT_EXCEEDED: [429, '04'],
  INTERNAL_ERROR: [500, '05'],
  // Business refusals with code 05 use HTTP 400, as the specification's README decides.
  UNFUNDED_TRADE: [400, '01'],
  SHORT_BALANCE: [400, '05'],
  INSUFFICIENT_LIQUIDITY: [400, '05'],
  SELF_TRADE: [400, '05'],
  UNDERFUNDED_ORDER: [400, '05'],
};

const declared = groups.flatMap((group) => group.declared);
const precedence = groups.flatMap((group) => group.precedence);

/** Returns the detail of a refusal, wherever the envelope has it. */
function detailOf({ error, data }: Envelope): unknown {
  return error ?? data?.['error'];
}

function expectFault({ status, envelope }: Reply, fault: FaultName): void {
  const [expectedStatus, expectedCode] = ANSWERS[fault];
  expect({ status, code: envelope.response_code }).toEqual({ status: expectedStatus, code: expectedCode });
  const isFailed = fault === 'INSUFFICIENT_BALANCE' || fault === 'NO_FUNDED_WALLET';
  expect(envelope.status.toLowerCase()).toBe(isFailed ? 'failed' : 'error');
  expect(envelope.message).not.toBe('');
  expect(detailOf(envelope)).toMatch(/./);
}

describe('a declared rejection', () => {
  test.each(declared.map((row) => [...row] as const))('%s: %s', async (_endpoint, _when, fault, act) => {
    await using box = await openSandbox();
    expectFault(await act(box), fault);
  });

  test('is covered by an input above', () => {
    const wanted = endpoints.flatMap(({ id, errors }) => errors.map(({ when, fault }) => `${id}: ${when}: ${fault}`));
    expect(declared.map(([id, when, fault]) => `${id}: ${when}: ${fault}`).sort()).toEqual(wanted.sort());
  });
});

/** Builds a well-formed request to an endpoint, about nothing that exists. */
function requestOf(endpoint: Endpoint): [method: string, path: string, body: unknown] {
  const path = pathParameters(endpoint.path).reduce((so, name) => so.replace(`:${name}`, 'nobody'), endpoint.path);
  return [endpoint.method, path, endpoint.method === 'GET' ? undefined : {}];
}

/** Returns a key that the endpoint accepts: a production key where sandbox keys are created. */
async function keyFor(box: TestSandbox, { id }: Endpoint): Promise<string> {
  return id === 'management.create-sandbox-key' ? productionKey(box) : box.apiKey;
}

const all = ([...endpoints, ...controls] as readonly Endpoint[]).map((endpoint) => ({ id: endpoint.id, endpoint }));

describe('every endpoint rejects', () => {
  test.each(all)('$id: a wrong key', async ({ endpoint }) => {
    await using box = await openSandbox();
    const [method, path, body] = requestOf(endpoint);
    expectFault(await box.call(method, path, body, 'sandbox_no_such_key'), 'AUTHENTICATION_FAILED');
  });

  const limited = all.filter(({ endpoint }) => endpoint.area !== 'control');

  test.each(limited)('$id: one request above its limit', async ({ endpoint }) => {
    await using box = await openSandbox({ rateLimits: true });
    const [method, path, body] = requestOf(endpoint);
    const { max, windowSeconds } = endpoint.rateLimit;
    let key = await keyFor(box, endpoint);
    for (let count = 0; count < max; count++) {
      const { status, envelope } = await box.call(method, path, body, key);
      expect([401, 429]).not.toContain(status);
      if (endpoint.id === 'management.regenerate-api-key') key = String(envelope.data?.['apiKey']);
    }
    const reply = await box.call(method, path, body, key);
    expectFault(reply, 'RATE_LIMIT_EXCEEDED');
    // The clock is at the start of a window.
    expect(reply.envelope.data).toMatchObject({ retry_after: windowSeconds });
  });

  const guarded = limited.filter(({ id }) => id !== 'management.ip-allowlist');

  test.each(guarded)('$id: an address that is not on the allowlist', async ({ endpoint }) => {
    await using box = await openSandbox();
    await box.call('POST', '/manageipallowlist', { action: 'add', ipAddress: '203.0.113.7' });
    await pass(box, 30_000);
    const [method, path, body] = requestOf(endpoint);
    expectFault(await box.call(method, path, body, await keyFor(box, endpoint)), 'IP_BLOCKED');
  });

  test('every other declared rejection is covered above', () => {
    const everywhere: FaultName[] = ['AUTHENTICATION_FAILED', 'IP_BLOCKED', 'RATE_LIMIT_EXCEEDED'];
    const produced = new Set<FaultName>([...declared.map(([, , fault]) => fault), ...everywhere]);
    expect(Object.keys(ANSWERS).filter((name) => !produced.has(name as FaultName))).toEqual([]);
  });
});

describe('the first of two problems is reported:', () => {
  test.each(precedence.map((row) => [...row] as const))('%s', async (_what, act, fault, detail) => {
    await using box = await openSandbox();
    const reply = await act(box);
    expectFault(reply, fault);
    expect(detailOf(reply.envelope)).toMatch(detail);
  });
});

describe('a BVN', () => {
  test('can be tried again after it failed, but not while it is pending', async () => {
    await using box = await openSandbox();
    const statuses = async () => (await box.call('POST', '/onboarduser', { bvn: '00000000000' })).status;
    expect(await statuses()).toBe(200);
    expect(await statuses()).toBe(400);
    await pass(box, 1000);
    expect(await statuses()).toBe(200);
  });

  test('is never repeated in a rejection', async () => {
    await using box = await openSandbox();
    await onboardUser(box, '22222222222');
    const { envelope } = await box.call('POST', '/onboarduser', { bvn: '22222222222' });
    expect(JSON.stringify(envelope)).not.toContain('22222222222');
  });

  test('is not stored in any table of the state file', async () => {
    await using box = await openSandbox();
    await onboardUser(box, '22222222222');
    const tables = await box.inside(
      ({ store }) =>
        store
          .all<{ name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
          .flatMap(({ name }) => store.all(`SELECT * FROM ${name}`))
          .flatMap((row) => Object.values(row)),
      'read',
    );
    expect(tables.filter((value) => String(value).includes('22222222222'))).toEqual([]);
  });
});

test('seeding users skips BVNs that are already in use', async () => {
  await using box = await openSandbox();
  for (const bvn of ['90000000003', '90000000004', '90000000006']) await onboardUser(box, bvn);
  const { status, envelope } = await box.call('POST', '/_sandbox/seed', { users: 3 });
  expect({ status, data: envelope.data }).toMatchObject({ status: 200, data: { users: 6 } });
});
