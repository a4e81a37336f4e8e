import { describe, expect, test } from 'vitest';
import { ExchangeError } from '../../src/base/errors.ts';
import type { HttpResponse } from '../../src/base/world.ts';
import { onrampStatus } from '../../src/contract/endpoints/onramp.ts';
import { main } from '../../src/main.ts';
import { json, refusal, scripted, success, type Turn } from '../support/exchange.ts';
import { ACCOUNT, fakeClock, fakeWorld } from '../support/world.ts';

const STATUS = ['onramp', 'status', 'r-1', '-o', 'json'];
const now = (status: string): HttpResponse => success({ requestId: 'r-1', status });

async function waiting(argv: readonly string[], turns: readonly Turn[], interrupted?: AbortSignal) {
  const clock = fakeClock();
  const { exchange, requests } = scripted(...turns);
  const world = fakeWorld({ network: exchange, env: ACCOUNT, clock, ...(interrupted ? { interrupted } : {}) });
  const code = await main(argv, world);
  return { code, requests, sleeps: clock.sleeps, stdout: world.stdout.text(), stderr: world.stderr.text() };
}

describe('without --wait', () => {
  test.each(['requested', 'processing', 'completed', 'something new'])(
    'prints the status %s and succeeds',
    async (status) => {
      const { code, stdout, sleeps } = await waiting(STATUS, [now(status)]);
      expect({ code, status: JSON.parse(stdout).status, sleeps }).toEqual({ code: 0, status, sleeps: [] });
    },
  );

  test('prints the status failed and exits with 3', async () => {
    const { code, stdout } = await waiting(STATUS, [now('failed')]);
    expect({ code, status: JSON.parse(stdout).status }).toEqual({ code: 3, status: 'failed' });
  });

  test('reports the service’s reason for a rejection', async () => {
    const { stderr } = await waiting(STATUS, [refusal(404, '02', 'no such onramp')]);
    expect(stderr).toContain('the service rejected the request: no such onramp');
  });
});

describe('with --wait', () => {
  const WAIT = [...STATUS, '--wait'];

  test('polls until the work is done', async () => {
    const { code, stdout, requests } = await waiting(WAIT, [
      now('requested'),
      now('processing'),
      now('processing'),
      now('completed'),
    ]);
    expect({ code, status: JSON.parse(stdout).status, requests: requests.length }).toEqual({
      code: 0,
      status: 'completed',
      requests: 4,
    });
  });

  test('reports each state once', async () => {
    const { stderr } = await waiting(WAIT, [now('requested'), now('processing'), now('processing'), now('completed')]);
    expect(stderr.match(/^the onramp .*$/gm)).toEqual([
      'the onramp is in progress (status: requested)',
      'the onramp is in progress (status: processing)',
      'the onramp completed',
    ]);
  });

  test('prints the status of failed work and exits with 3', async () => {
    const { code, stdout, stderr } = await waiting(WAIT, [now('processing'), now('failed')]);
    expect({ code, status: JSON.parse(stdout).status }).toEqual({ code: 3, status: 'failed' });
    expect(stderr).toContain('"category":"failed"');
  });

  test.each([
    ['failed', 'the offramp failed'],
    ['cancelled', 'the offramp failed (status: cancelled)'],
  ])('reports work that ended as %s', async (state, text) => {
    const { code, stderr } = await waiting(['offramp', 'status', 'r-1', '--wait'], [now('payout_pending'), now(state)]);
    expect({ code, progress: stderr.match(/^the offramp .*$/gm) }).toEqual({
      code: 3,
      progress: ['the offramp is in progress (status: payout_pending)', text],
    });
  });

  test('prints the status of pending work and exits with 8 when the time is up', async () => {
    const turns = Array.from({ length: 3 }, () => now('processing'));
    const { code, stdout, stderr, sleeps } = await waiting([...STATUS, '--wait', '200ms'], turns);
    expect({ code, status: JSON.parse(stdout).status }).toEqual({ code: 8, status: 'processing' });
    expect(sleeps.reduce((sum, each) => sum + each, 0)).toBe(200);
    expect(stderr).toContain('the onramp is still in progress after 200 ms (status: processing)');
    expect(stderr).toContain('check it later with: fiatrail onramp status r-1 --wait');
  });

  test.each([
    ['60s', '1 minute'],
    ['2m', '2 minutes'],
    ['90s', '90 seconds'],
    ['1s', '1 second'],
  ])('says how long it waited: %s is %s', async (time, text) => {
    const world = fakeWorld({ network: async () => now('processing'), env: ACCOUNT });
    expect(await main([...STATUS, '--wait', time], world)).toBe(8);
    expect(world.stderr.text()).toContain(`"the onramp is still in progress after ${text} (status: processing)"`);
  });

  test('fails like a read if the status can no longer be read', async () => {
    const { code, stderr } = await waiting(WAIT, [now('processing'), refusal(401, '03', 'no')]);
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringContaining('the service rejected the request: no'),
    });
  });

  const STARTED = success({ requestId: 'r-1', status: 'requested' });
  const START = ['onramp', 'create', 'u-1', '--amount', '5000', '--yes', '-o', 'json', '--wait'];
  const errorIn = (stderr: string) =>
    (JSON.parse(stderr.slice(stderr.indexOf('{'))) as { error: Record<string, unknown> }).error;

  test.each([
    ['is pending and exits with 8', '200ms', ['requested', 'requested', 'requested'], 8, 'PENDING'],
    ['failed and exits with 3', '10s', ['failed'], 3, 'FAILED'],
  ] as const)('reports the operation id of started work that %s', async (_, time, states, exit, errorCode) => {
    const { code, stderr } = await waiting([...START, time], [STARTED, ...states.map(now)]);
    expect({ code, error: errorIn(stderr) }).toEqual({
      code: exit,
      error: expect.objectContaining({ code: errorCode, operationId: expect.any(String) }),
    });
  });

  test('exits with 130 when a status read is interrupted and says that the work continues', async () => {
    const interrupted = new AbortController();
    const interruptedRead: Turn = () => {
      interrupted.abort();
      throw new ExchangeError('the request was aborted', true);
    };
    const { code, stderr } = await waiting(START, [STARTED, interruptedRead], interrupted.signal);
    expect({ code, error: errorIn(stderr) }).toEqual({
      code: 130,
      error: expect.objectContaining({ category: 'interrupted', operationId: expect.any(String) }),
    });
    expect(stderr).not.toContain('nothing was');
  });

  test('rejects an id given as the duration', async () => {
    const { code, stderr } = await waiting(['onramp', 'status', '--wait', 'r-1'], []);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--wait: invalid duration "r-1"') });
  });

  test('keeps polling after a response without a state', async () => {
    const { code } = await waiting(WAIT, [success({ requestId: 'r-1' }), now('completed')]);
    expect(code).toBe(0);
  });

  test('stays within the rate limit over a long time', async () => {
    const { max, windowSeconds } = onrampStatus.rateLimit;
    const count = max * 3;
    const turns = [...Array.from({ length: count }, () => now('processing')), now('completed')];
    const { sleeps } = await waiting(WAIT, turns);
    for (let first = 0; first + max <= sleeps.length; first++) {
      const windowMs = sleeps.slice(first, first + max).reduce((sum, each) => sum + each, 0);
      if (first > 10) expect(windowMs).toBeGreaterThan(windowSeconds * 1000);
    }
    expect(sleeps).toHaveLength(count);
  });

  test('exits with 130 on Ctrl-C and says that the work continues', async () => {
    const controller = new AbortController();
    const turn = () => {
      controller.abort();
      return now('processing');
    };
    const { code, stderr } = await waiting(WAIT, [turn], controller.signal);
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: expect.stringContaining('it continues without this command'),
    });
  });
});

describe('a payment with --wait', () => {
  const PAY = ['onramp', 'create', 'u', '--amount', '5', '--yes', '--wait', '-o', 'json'];
  const started = success({ requestId: 'r-1', status: 'requested', message: 'pay exactly ₦5.10' });

  test('prints the final status and sends the payment once', async () => {
    const { code, stdout, requests } = await waiting(PAY, [started, now('requested'), now('completed')]);
    const pays = requests.filter(({ url }) => url.endsWith('/cngnonramp'));
    expect({ code, status: JSON.parse(stdout).status, pays: pays.length }).toEqual({
      code: 0,
      status: 'completed',
      pays: 1,
    });
  });

  test('shows the account to pay', async () => {
    const { stderr } = await waiting([...PAY, '-q'], [started, now('completed')]);
    for (const line of [
      'pay exactly     ₦5.10',
      'account number  7099363912',
      'until           2026-01-05 10:30:00 +01',
    ])
      expect(stderr).toContain(`  ${line}\n`);
  });

  test('exits with 8 if only its status cannot be read', async () => {
    const { code, stderr } = await waiting(PAY, [started, json(200, 'no JSON')]);
    expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringContaining('fiatrail onramp status r-1 --wait') });
  });
});
