import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ExchangeError } from '../../src/base/errors.ts';
import { sandboxFaultAdd, sandboxFaultClear, sandboxFaultList } from '../../src/contract/control.ts';
import { offrampStatus } from '../../src/contract/endpoints/offramp.ts';
import { payoutStatus } from '../../src/contract/endpoints/payouts.ts';
import { FAULT_KINDS, type FaultKind, WEBHOOK_FAULTS } from '../../src/contract/sandbox.ts';
import { type ServedSandbox, serve } from '../../src/sandbox/serve.ts';
import { expectSettledLedger, fund, offramp, onboardUser, settle } from '../service/steps.ts';
import { payOut } from '../service/transfers/steps.ts';
import { countingIds, fakeClock, openSandbox, type TestSandbox, temporaryFolder } from '../support/sandbox.ts';

const ONBOARD = 'users.onboard';
const FEES = 'fees.get';

const add = (box: TestSandbox, endpoint: string, kind: FaultKind, times?: number) =>
  box.ask(sandboxFaultAdd, { endpoint, kind, times });

const rules = async (box: TestSandbox) => (await box.ask(sandboxFaultList, {})).faults;

const onboardings = (box: TestSandbox) =>
  box.inside(({ store }) => Number(store.get<{ n: bigint }>('SELECT COUNT(*) AS n FROM onboarding')?.n), 'read');

/** Returns the response, or the error of a dropped connection. */
async function outcomeOf(box: TestSandbox, method: string, url: string, body?: string) {
  return box.fetch(method, url, body).catch((error: unknown) => {
    if (error instanceof ExchangeError) return { dropped: true, sent: error.sent };
    throw error;
  });
}

/** By kind: whether the request is performed, and the outcome. */
const TABLE: readonly (readonly [kind: FaultKind, isDone: boolean, status: number | 'dropped'])[] = [
  ['lost-request', false, 'dropped'],
  ['lost-response', true, 'dropped'],
  ['slow', true, 200],
  ['http-500', false, 500],
  ['http-500-after', true, 500],
  ['http-502-html', false, 502],
  ['rate-limit', false, 429],
  ['malformed-json', true, 200],
  ['truncated', true, 200],
];

/** The kinds under which a request is performed. */
const DONE = TABLE.flatMap(([kind, isDone]) => (isDone ? [kind] : []));

const wallets = (box: TestSandbox) =>
  box.inside(
    ({ store }) => store.all<{ address: string }>('SELECT address FROM wallet ORDER BY id').map((row) => row.address),
    'read',
  );

const VAULT = {
  vaultId: 'vault-2',
  mpcVaultApiKey: 'an-api-key',
  mpcClientSignerPrivateKey: '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n',
  callbackClientSignerPublicKey: 'ssh-ed25519 AAAA ops',
  notificationEmails: ['ops@example.com'],
};

const isJson = (body: string) => {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
};

describe('a rule', () => {
  test('of every kind is in the table above, or acts elsewhere', () => {
    const elsewhere = ['payout-fails', 'reject', ...WEBHOOK_FAULTS];
    expect([...TABLE.map(([kind]) => kind), ...elsewhere].sort()).toEqual([...FAULT_KINDS].sort());
  });

  test.each(TABLE)('%s: performed %s, HTTP %s', async (kind, isDone, status) => {
    await using box = await openSandbox();
    await add(box, ONBOARD, kind);
    const outcome = await outcomeOf(box, 'POST', '/v1/onboarduser', '{"bvn":"22222222222"}');
    expect(await onboardings(box)).toBe(isDone ? 1 : 0);
    if (status === 'dropped') expect(outcome).toEqual({ dropped: true, sent: true });
    else expect(outcome).toMatchObject({ status });
    const { body = '' } = outcome as { body?: string };
    expect(isJson(body)).toBe(
      !['lost-request', 'lost-response', 'http-502-html', 'malformed-json', 'truncated'].includes(kind),
    );
    // It is used up, and the next request succeeds.
    expect(await rules(box)).toEqual([]);
    const next = await box.call('POST', '/onboarduser', { bvn: '33333333333' });
    expect(next.status).toBe(200);
  });

  test.each(TABLE)('%s: applies to reads too', async (kind, _isDone, status) => {
    await using box = await openSandbox();
    await add(box, FEES, kind);
    const outcome = await outcomeOf(box, 'GET', '/v1/getfees');
    expect('status' in outcome ? outcome.status : 'dropped').toBe(status);
    expect(await rules(box)).toEqual([]);
    expect((await box.call('GET', '/getfees')).status).toBe(200);
  });

  test('applies as many times as it says, and counts down', async () => {
    await using box = await openSandbox();
    await add(box, FEES, 'http-500', 3);
    const seen: unknown[] = [];
    for (let count = 0; count < 4; count++) {
      const { status } = await box.call('GET', '/getfees');
      seen.push([status, (await rules(box)).map(({ times }) => times)]);
    }
    expect(seen).toEqual([
      [500, [2]],
      [500, [1]],
      [500, []],
      [200, []],
    ]);
  });

  test('is used up by a rejected request, and affects its response', async () => {
    await using box = await openSandbox();
    await add(box, ONBOARD, 'lost-response');
    expect(await outcomeOf(box, 'POST', '/v1/onboarduser', '{"bvn":"x"}')).toEqual({ dropped: true, sent: true });
    expect(await rules(box)).toEqual([]);
    expect(await onboardings(box)).toBe(0);
  });

  test.each(DONE)('%s: leaves nothing of a request that is rejected after it began', async (kind) => {
    await using box = await openSandbox();
    const [taken = ''] = await wallets(box);
    const before = await wallets(box);
    await add(box, 'fx.register-mpc', kind);
    // The first wallet is new, and made before the second one turns out to be another's.
    const body = { ...VAULT, tokenWallets: { USDC: `0x${'ab'.repeat(20)}`, USDT: taken } };
    await outcomeOf(box, 'POST', '/v1/fx/mpc/register', JSON.stringify(body));
    expect(await rules(box)).toEqual([]);
    expect(await wallets(box)).toEqual(before);
    const { status, envelope } = await box.call('POST', '/fx/mpc/register', body);
    expect([status, envelope.error]).toEqual([400, expect.stringMatching(/^tokenWallets.USDT: /)]);
  });

  test('is not used by an unauthenticated caller', async () => {
    await using box = await openSandbox();
    await add(box, FEES, 'http-500');
    expect((await box.call('GET', '/getfees', undefined, 'sandbox_wrong')).status).toBe(401);
    expect(await rules(box)).toHaveLength(1);
  });

  test('applies only to its endpoint, and never to controls', async () => {
    await using box = await openSandbox();
    await add(box, FEES, 'http-500', 100);
    expect((await box.call('GET', '/getaccumulatedfees')).status).toBe(200);
    for (const endpoint of ['sandbox.clock', 'sandbox.fault-list', 'nothing', '__proto__']) {
      const { status, envelope } = await box.call('POST', '/_sandbox/faults', { endpoint, kind: 'http-500' });
      expect({ status, error: envelope.error }).toEqual({ status: 400, error: expect.stringMatching(/^endpoint:/) });
    }
    expect((await box.call('GET', '/_sandbox/clock')).status).toBe(200);
  });

  test('applies in order of creation', async () => {
    await using box = await openSandbox();
    await add(box, FEES, 'http-500');
    await add(box, FEES, 'rate-limit');
    const statuses = [];
    for (let count = 0; count < 3; count++) statuses.push((await box.call('GET', '/getfees')).status);
    expect(statuses).toEqual([500, 429, 200]);
  });

  test('is removed when all are cleared', async () => {
    await using box = await openSandbox();
    await add(box, FEES, 'http-500');
    await add(box, ONBOARD, 'slow', 2);
    expect(await box.ask(sandboxFaultClear, {})).toEqual({ cleared: 2 });
    expect((await box.call('GET', '/getfees')).status).toBe(200);
  });

  test('for the rate limit does not count against it, and says to wait one second', async () => {
    await using box = await openSandbox({ rateLimits: true });
    await add(box, FEES, 'rate-limit', 100);
    for (let count = 0; count < 100; count++) {
      const { status, envelope } = await box.call('GET', '/getfees');
      expect({ status, response_code: envelope.response_code, data: envelope.data }).toEqual({
        status: 429,
        response_code: '04',
        data: { error: 'too many requests', retry_after: 1 },
      });
    }
    expect((await box.call('GET', '/getfees')).status).toBe(200);
  });

  test('slow takes three seconds of the clock', async () => {
    await using box = await openSandbox();
    await add(box, FEES, 'slow');
    const before = box.clock.now();
    await box.call('GET', '/getfees');
    expect(box.clock.now() - before).toBe(3_000);
  });

  test.each([{ kind: 'gone' }, { times: 0 }, { times: 1.5 }, { endpoint: '' }, { more: 1 }])(
    'with %o is rejected',
    async (more) => {
      await using box = await openSandbox();
      const body = { endpoint: FEES, kind: 'slow', ...more };
      expect((await box.call('POST', '/_sandbox/faults', body)).status).toBe(400);
    },
  );
});

test('a closing sandbox does not delay a slow response', async () => {
  const clock = fakeClock();
  clock.sleep = (_durationMs, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  const box = await openSandbox({ clock });
  await add(box, FEES, 'slow');
  const slow = box.fetch('GET', '/v1/getfees');
  while ((await rules(box)).length > 0);
  await box.close();
  expect((await slow).status).toBe(200);
});

describe('an injected payout failure', () => {
  test("refunds a user's payout, and the next one succeeds", async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await fund(box, user, 1000);
    await add(box, 'transactions.offramp', 'payout-fails');
    const [first, second] = [await offramp(box, user.userId, 10_000n), await offramp(box, user.userId, 10_000n)];
    await settle(box);
    expect((await box.ask(offrampStatus, first)).status).toBe('failed');
    expect((await box.ask(offrampStatus, second)).status).toBe('completed');
    await expectSettledLedger(box);
  });

  test('refunds a payout of the fintech', async () => {
    await using box = await openSandbox();
    await add(box, 'transactions.fintech-offramp', 'payout-fails');
    const requestId = await payOut(box, 10_000);
    await settle(box);
    expect((await box.ask(payoutStatus, { requestId })).status).toBe('failed');
    expect(await rules(box)).toEqual([]);
    await expectSettledLedger(box);
  });

  test('is rejected for an endpoint without payouts', async () => {
    await using box = await openSandbox();
    const { status } = await box.call('POST', '/_sandbox/faults', { endpoint: FEES, kind: 'payout-fails' });
    expect(status).toBe(400);
  });
});

/** Returns everything received over a socket, and whether the server closed it properly. */
function raw(served: ServedSandbox, path: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(served.url).port), '127.0.0.1').setEncoding('utf8');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
    socket.write(
      `GET /v1${path} HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${served.apiKey}\r\nConnection: close\r\n\r\n`,
    );
  });
}

describe('on a served sandbox', () => {
  async function openServed() {
    const folder = temporaryFolder();
    const clock = fakeClock();
    const waiting: (() => void)[] = [];
    // A sleep that ends when the test resolves it.
    clock.sleep = (_durationMs, signal) =>
      new Promise((resolve, reject) => {
        waiting.push(resolve);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    const served = await serve(
      { clock, ids: countingIds() },
      { path: folder.file('sandbox.db'), port: 0, rateLimits: false },
    );
    const headers = { 'x-api-key': served.apiKey, 'content-type': 'application/json' };
    const fault = (kind: FaultKind) =>
      fetch(new URL('/_sandbox/faults', served.url), {
        method: 'POST',
        headers,
        body: JSON.stringify({ endpoint: FEES, kind }),
      });
    return {
      served,
      waiting,
      fault,
      get: (path: string) => fetch(served.url + path, { headers }),
      [Symbol.asyncDispose]: async () => {
        await served.close();
        folder[Symbol.dispose]();
      },
    };
  }

  test.each(['lost-request', 'lost-response'] as const)('%s drops the connection without a byte', async (kind) => {
    await using open = await openServed();
    await open.fault(kind);
    expect(await raw(open.served, '/getfees')).toBe('');
    expect((await open.get('/getfees')).status).toBe(200);
  });

  test('truncated sends half of the promised length, then drops the connection', async () => {
    await using open = await openServed();
    const [, whole = ''] = (await raw(open.served, '/getfees')).split('\r\n\r\n');
    await open.fault('truncated');
    const [head = '', body = ''] = (await raw(open.served, '/getfees')).split('\r\n\r\n');
    expect(head).toContain(`content-length: ${whole.length}`);
    expect(body).toBe(whole.slice(0, Math.floor(whole.length / 2)));
  });

  test('slow does not delay other requests', async () => {
    await using open = await openServed();
    await open.fault('slow');
    const slow = open.get('/getfees');
    while (open.waiting.length === 0) expect((await open.get('/getaccumulatedfees')).status).toBe(200);
    expect((await open.get('/getfees')).status).toBe(200);
    open.waiting[0]?.();
    expect((await slow).status).toBe(200);
  });
});
