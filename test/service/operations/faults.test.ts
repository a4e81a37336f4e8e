import { describe, expect, test } from 'vitest';
import { controls } from '../../../src/contract/control.ts';
import { type Endpoint, pathParameters } from '../../../src/contract/endpoint.ts';
import type { FaultName } from '../../../src/contract/faults.ts';
import { endpoints } from '../../../src/contract/index.ts';
import { startOnramp } from '../../../src/contract/transactions.ts';
import { openSandbox, type Reply, type TestSandbox } from '../../support/sandbox.ts';
import { deactivate, fund, onboardUser, pass } from '../steps.ts';

/** Code and status of each fault, typed from the interface and the public table, not read from src. */
const ANSWERS: Readonly<Record<FaultName, [http: number, code: string]>> = {
  VALIDATION_ERROR: [400, '01'],
  INSUFFICIENT_BALANCE: [400, '01'],
  NOT_FOUND: [404, '02'],
  USER_NOT_FOUND: [404, '02'],
  NO_FUNDED_WALLET: [404, '02'],
  AUTHENTICATION_FAILED: [401, '03'],
  IP_BLOCKED: [403, '03'],
  RATE_LIMIT_EXCEEDED: [429, '04'],
  INTERNAL_ERROR: [500, '05'],
};

type Act = (box: TestSandbox) => Promise<Reply>;

const toBank = { accountNumber: '0123456789', bankCode: '000013', ticker: 'CNGN' };

async function offrampOf(box: TestSandbox, fundedNaira: number, request: object): Promise<Reply> {
  const user = await onboardUser(box);
  if (fundedNaira > 0) await fund(box, user, fundedNaira);
  return box.call('POST', '/cngnofframp', { userId: user.userId, ...toBank, ...request });
}

/** An input for every refusal the contract declares, in order of precedence within an endpoint. */
const declared: [endpoint: string, when: string, fault: FaultName, act: Act][] = [
  [
    'banks.add',
    'the account number does not have 10 digits',
    'VALIDATION_ERROR',
    (box) => box.call('POST', '/addbankaccount', { accountNumber: '123456789', bankCode: '000013' }),
  ],
  [
    'banks.add',
    'the bank knows no such account',
    'VALIDATION_ERROR',
    (box) => box.call('POST', '/addbankaccount', { accountNumber: '0000000000', bankCode: '000013' }),
  ],
  [
    'transactions.onramp',
    'a field is missing or wrong, such as an amount of 0',
    'VALIDATION_ERROR',
    (box) => box.call('POST', '/cngnonramp', { userId: 'nobody', amount: 0 }),
  ],
  [
    'transactions.onramp',
    'the user is unknown or not verified',
    'USER_NOT_FOUND',
    (box) => box.call('POST', '/cngnonramp', { userId: 'nobody', amount: 1 }),
  ],
  [
    'transactions.onramp-status',
    'no onramp has this request id',
    'NOT_FOUND',
    (box) => box.call('POST', '/cngnonrampstatus', { requestId: 'nothing' }),
  ],
  [
    'transactions.offramp',
    'a field is missing or wrong, such as a bank code with letters',
    'VALIDATION_ERROR',
    (box) => offrampOf(box, 0, { amount: 1, bankCode: 'GTB' }),
  ],
  [
    'transactions.offramp',
    'the user is unknown or not verified',
    'USER_NOT_FOUND',
    (box) => box.call('POST', '/cngnofframp', { userId: 'nobody', amount: 1, ...toBank }),
  ],
  [
    'transactions.offramp',
    'no wallet of the user holds anything',
    'NO_FUNDED_WALLET',
    (box) => offrampOf(box, 0, { amount: 1 }),
  ],
  [
    'transactions.offramp',
    'the user holds less than the amount on all networks',
    'INSUFFICIENT_BALANCE',
    (box) => offrampOf(box, 100, { amount: 101 }),
  ],
  [
    'transactions.offramp-status',
    'the request id is unknown',
    'NOT_FOUND',
    (box) => box.call('POST', '/cngnofframpstatus', { requestId: 'nothing' }),
  ],
  [
    'users.onboard',
    'the BVN is missing or not exactly 11 digits',
    'VALIDATION_ERROR',
    (box) => box.call('POST', '/onboarduser', {}),
  ],
  [
    'users.onboard',
    'the BVN belongs to a user already',
    'VALIDATION_ERROR',
    async (box) => {
      await onboardUser(box, '22222222222');
      return box.call('POST', '/onboarduser', { bvn: '22222222222' });
    },
  ],
  [
    'users.onboard',
    'the identity provider cannot verify the BVN or cannot be reached',
    'INTERNAL_ERROR',
    (box) => box.call('POST', '/onboarduser', { bvn: '00000000001' }),
  ],
  [
    'users.onboard-status',
    'the request id is unknown',
    'NOT_FOUND',
    (box) => box.call('POST', '/onboardstatus', { requestId: 'nothing' }),
  ],
  [
    'users.get-details',
    'the user is unknown or not verified',
    'NOT_FOUND',
    (box) => box.call('POST', '/getuserdetails', { userId: 'nobody' }),
  ],
  [
    'users.list',
    'the limit, status or sort value is out of range',
    'VALIDATION_ERROR',
    (box) => box.call('POST', '/listfintechusers', { limit: 101 }),
  ],
  [
    'virtual-accounts.get',
    'the request id has no bank account',
    'NOT_FOUND',
    (box) => box.call('POST', '/getvirtualaccount', { requestId: 'nothing' }),
  ],
  [
    'virtual-accounts.get',
    'the bank account is older than 30 minutes',
    'VALIDATION_ERROR',
    async (box) => {
      const { userId } = await onboardUser(box);
      const { requestId } = await box.ask(startOnramp, { userId, amount: 1 });
      await pass(box, 30 * 60_000);
      return box.call('POST', '/getvirtualaccount', { requestId });
    },
  ],
  [
    'wallets.list-user',
    'the user is unknown or not verified',
    'NOT_FOUND',
    (box) => box.call('POST', '/listuserwallets', { userId: 'nobody' }),
  ],
  ['wallets.balance-user', 'the user is unknown', 'NOT_FOUND', (box) => box.call('GET', '/balance/user/nobody')],
];

function expectFault({ status, envelope }: Reply, fault: FaultName): void {
  expect([status, envelope.response_code]).toEqual(ANSWERS[fault]);
  expect(envelope.status).toBe('Error');
  expect(envelope.message).not.toBe('');
  expect(envelope.error).not.toBe('');
}

describe('a declared refusal', () => {
  test.each(declared)('%s: %s', async (_endpoint, _when, fault, act) => {
    await using box = await openSandbox();
    expectFault(await act(box), fault);
  });

  test('is produced above, each one of the contract', () => {
    const wanted = endpoints.flatMap(({ id, errors }) => errors.map(({ when, fault }) => `${id}: ${when}: ${fault}`));
    expect(declared.map(([id, when, fault]) => `${id}: ${when}: ${fault}`).sort()).toEqual(wanted.sort());
  });
});

/** Refusals that need what slice A lacks. Here so that the reader finds them; nothing produces them. */
const unproduced: Partial<Record<FaultName, string>> = {
  IP_BLOCKED: 'the allowlist and its endpoint are not there yet; every caller is let in',
};

/** A well-formed request of every endpoint, about nothing that exists. */
function requestOf(endpoint: Endpoint): [method: string, path: string, body: unknown] {
  const path = pathParameters(endpoint.path).reduce((so, name) => so.replace(`:${name}`, 'nobody'), endpoint.path);
  return [endpoint.method, path, endpoint.method === 'GET' ? undefined : {}];
}

const all = ([...endpoints, ...controls] as readonly Endpoint[]).map((endpoint) => ({ id: endpoint.id, endpoint }));

describe('every endpoint refuses', () => {
  test.each(all)('$id: a wrong key', async ({ endpoint }) => {
    await using box = await openSandbox();
    const [method, path, body] = requestOf(endpoint);
    expectFault(await box.call(method, path, body, 'sandbox_no_such_key'), 'AUTHENTICATION_FAILED');
  });

  const limited = all.filter(({ endpoint }) => endpoint.area !== 'control');

  test.each(limited)('$id: one request more than its limit', async ({ endpoint }) => {
    await using box = await openSandbox({ rateLimits: true });
    const [method, path, body] = requestOf(endpoint);
    const { max, windowSeconds } = endpoint.rateLimit;
    for (let count = 0; count < max; count++) expect((await box.call(method, path, body)).status).not.toBe(429);
    const reply = await box.call(method, path, body);
    expectFault(reply, 'RATE_LIMIT_EXCEEDED');
    // The clock stands at the beginning of a window.
    expect(reply.envelope.data).toMatchObject({ retry_after: windowSeconds });
  });

  test('nothing for a blocked address, with the reason above', () => {
    const produced = new Set<FaultName>([
      ...declared.map(([, , fault]) => fault),
      'AUTHENTICATION_FAILED',
      'RATE_LIMIT_EXCEEDED',
    ]);
    const missing = Object.keys(ANSWERS).filter((name) => !produced.has(name as FaultName));
    expect(missing).toEqual(Object.keys(unproduced));
  });
});

/** Requests with more than one thing wrong: what is said first. */
const precedence: [what: string, act: Act, fault: FaultName, said: RegExp][] = [
  [
    'a wrong key before a wrong field',
    (box) => box.call('POST', '/onboarduser', { bvn: 'x' }, 'sandbox_wrong'),
    'AUTHENTICATION_FAILED',
    /no fintech has this key/,
  ],
  [
    'a wrong field before an unknown user',
    (box) => box.call('POST', '/cngnonramp', { userId: 'nobody', amount: -1 }),
    'VALIDATION_ERROR',
    /^amount: expected/,
  ],
  [
    'autoSwap, which is not there yet, before an unknown user',
    (box) => box.call('POST', '/cngnonramp', { userId: 'nobody', amount: 1, autoSwap: true }),
    'VALIDATION_ERROR',
    /^autoSwap/,
  ],
  [
    'an owner with a sweep before an unknown user',
    (box) =>
      box.call('POST', '/cngnonramp', {
        userId: 'nobody',
        amount: 1,
        owner: `0x${'11'.repeat(20)}`,
        sweepToOfframp: true,
      }),
    'VALIDATION_ERROR',
    /^owner/,
  ],
  [
    'an inactive user',
    async (box) => {
      const { userId } = await onboardUser(box);
      await deactivate(box, userId);
      return box.call('POST', '/cngnonramp', { userId, amount: 1 });
    },
    'VALIDATION_ERROR',
    /inactive/,
  ],
  [
    'a wrong ticker before an unknown user',
    (box) => box.call('POST', '/cngnofframp', { userId: 'nobody', amount: 1, ...toBank, ticker: 'USDC' }),
    'VALIDATION_ERROR',
    /^ticker/,
  ],
  [
    'a fintech without a bank account before an unknown user',
    async (box) => {
      await box.inside(({ store }) => store.run('DELETE FROM bank_account'));
      return box.call('POST', '/cngnofframp', { userId: 'nobody', amount: 1, ...toBank });
    },
    'VALIDATION_ERROR',
    /bank account of the fintech/,
  ],
  [
    'an unknown user before an unknown bank',
    (box) => box.call('POST', '/cngnofframp', { userId: 'nobody', amount: 1, ...toBank, bankCode: '999999' }),
    'USER_NOT_FOUND',
    /no verified user/,
  ],
  [
    'an inactive user before an unknown bank',
    async (box) => {
      const { userId } = await onboardUser(box);
      await deactivate(box, userId);
      return box.call('POST', '/cngnofframp', { userId, amount: 1, ...toBank, bankCode: '999999' });
    },
    'VALIDATION_ERROR',
    /inactive/,
  ],
  [
    'an unknown bank before an empty wallet',
    (box) => offrampOf(box, 0, { amount: 1, bankCode: '999999' }),
    'VALIDATION_ERROR',
    /no bank has this code/,
  ],
  [
    'an account without a name before an empty wallet',
    (box) => offrampOf(box, 0, { amount: 1, accountNumber: '0000000000' }),
    'VALIDATION_ERROR',
    /does not resolve/,
  ],
  [
    'a BVN that is taken before a provider that cannot be reached',
    async (box) => {
      await onboardUser(box, '33333333333');
      return box.call('POST', '/onboarduser', { bvn: '33333333333' });
    },
    'VALIDATION_ERROR',
    /belongs to a user/,
  ],
  [
    'a network nobody knows',
    (box) => box.call('GET', '/balance/multi?networks=base,moon'),
    'VALIDATION_ERROR',
    /^networks/,
  ],
];

describe('of two things wrong, the first is said:', () => {
  test.each(precedence)('%s', async (_what, act, fault, said) => {
    await using box = await openSandbox();
    const reply = await act(box);
    expectFault(reply, fault);
    expect(reply.envelope.error).toMatch(said);
  });
});

describe('a BVN', () => {
  test('that failed may be tried again, and one under way may not', async () => {
    await using box = await openSandbox();
    const statuses = async () => (await box.call('POST', '/onboarduser', { bvn: '00000000000' })).status;
    expect(await statuses()).toBe(200);
    expect(await statuses()).toBe(400);
    await pass(box, 1000);
    expect(await statuses()).toBe(200);
  });

  test('is never said again in a refusal', async () => {
    await using box = await openSandbox();
    await onboardUser(box, '22222222222');
    const { envelope } = await box.call('POST', '/onboarduser', { bvn: '22222222222' });
    expect(JSON.stringify(envelope)).not.toContain('22222222222');
  });

  test('is in no table of the state file', async () => {
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

test('seeding users goes on after somebody typed some of its BVNs', async () => {
  await using box = await openSandbox();
  for (const bvn of ['90000000003', '90000000004', '90000000006']) await onboardUser(box, bvn);
  const { status, envelope } = await box.call('POST', '/_sandbox/seed', { users: 3 });
  expect([status, envelope.data]).toMatchObject([200, { users: 6 }]);
});
