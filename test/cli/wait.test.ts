import { describe, expect, test } from 'vitest';
import { ExchangeError } from '../../src/base/exchange-error.ts';
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
    '%s is printed, and is no failure',
    async (status) => {
      const { code, stdout, sleeps } = await waiting(STATUS, [now(status)]);
      expect({ code, status: JSON.parse(stdout).status, sleeps }).toEqual({ code: 0, status, sleeps: [] });
    },
  );

  test('failed is printed, and is a failure: 3', async () => {
    const { code, stdout } = await waiting(STATUS, [now('failed')]);
    expect({ code, status: JSON.parse(stdout).status }).toEqual({ code: 3, status: 'failed' });
  });

  test('a refusal is the service’s own', async () => {
    const { stderr } = await waiting(STATUS, [refusal(404, '02', 'no such onramp')]);
    expect(stderr).toContain('the service rejected the request: no such onramp');
  });
});

describe('with --wait', () => {
  const WAIT = [...STATUS, '--wait'];

  test('the status is read until the work is done', async () => {
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

  test('each state is said once', async () => {
    const { stderr } = await waiting(WAIT, [now('requested'), now('processing'), now('processing'), now('completed')]);
    expect(stderr.match(/the onramp is \w+/g)).toEqual([
      'the onramp is requested',
      'the onramp is processing',
      'the onramp is completed',
    ]);
  });

  test('work that failed is printed, and ends in 3', async () => {
    const { code, stdout, stderr } = await waiting(WAIT, [now('processing'), now('failed')]);
    expect({ code, status: JSON.parse(stdout).status }).toEqual({ code: 3, status: 'failed' });
    expect(stderr).toContain('"category":"failed"');
  });

  test('work that goes on when the time is up is printed, and ends in 8', async () => {
    const turns = Array.from({ length: 3 }, () => now('processing'));
    const { code, stdout, stderr, sleeps } = await waiting([...STATUS, '--wait', '200ms'], turns);
    expect({ code, status: JSON.parse(stdout).status }).toEqual({ code: 8, status: 'processing' });
    expect(sleeps.reduce((sum, each) => sum + each, 0)).toBe(200);
    expect(stderr).toContain('fiatrail onramp status r-1 --wait');
  });

  test('a status that cannot be read any more ends as a read does', async () => {
    const { code, stderr } = await waiting(WAIT, [now('processing'), refusal(401, '03', 'no')]);
    expect([code, stderr]).toEqual([4, expect.stringContaining('the service rejected the request: no')]);
  });

  const STARTED = success({ requestId: 'r-1', status: 'requested' });
  const START = ['onramp', 'start', 'u-1', '--amount', '5000', '--yes', '-o', 'json', '--wait'];
  const errorIn = (stderr: string) =>
    (JSON.parse(stderr.slice(stderr.indexOf('{'))) as { error: Record<string, unknown> }).error;

  test.each([
    ['is still going on: 8', '200ms', ['requested', 'requested', 'requested'], 8, 'PENDING'],
    ['failed: 3', '10s', ['failed'], 3, 'FAILED'],
  ] as const)('what was started and %s, is told with the journal’s id', async (_, time, states, exit, errorCode) => {
    const { code, stderr } = await waiting([...START, time], [STARTED, ...states.map(now)]);
    expect({ code, error: errorIn(stderr) }).toEqual({
      code: exit,
      error: expect.objectContaining({ code: errorCode, operationId: expect.any(String) }),
    });
  });

  test('what was started and is interrupted while its status is read, goes on: 130', async () => {
    const interrupted = new AbortController();
    const interruptedRead: Turn = () => {
      interrupted.abort();
      throw new ExchangeError('the request was given up', true);
    };
    const { code, stderr } = await waiting(START, [STARTED, interruptedRead], interrupted.signal);
    expect({ code, error: errorIn(stderr) }).toEqual({
      code: 130,
      error: expect.objectContaining({ category: 'interrupted', operationId: expect.any(String) }),
    });
    expect(stderr).not.toContain('nothing was');
  });

  test('a time that swallowed the id is said to be none', async () => {
    const { code, stderr } = await waiting(['onramp', 'status', '--wait', 'r-1'], []);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--wait: invalid duration "r-1"')]);
  });

  test('a status without a state is waited for too', async () => {
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

  test('that is interrupted ends in 130, and says that the work goes on', async () => {
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

describe('money that is waited for', () => {
  const PAY = ['onramp', 'start', 'u', '--amount', '5', '--yes', '--wait', '-o', 'json'];
  const started = success({ requestId: 'r-1', status: 'requested', message: 'pay exactly ₦5.10' });

  test('prints the end, and leaves once', async () => {
    const { code, stdout, requests } = await waiting(PAY, [started, now('requested'), now('completed')]);
    const pays = requests.filter(({ url }) => url.endsWith('/cngnonramp'));
    expect({ code, status: JSON.parse(stdout).status, pays: pays.length }).toEqual({
      code: 0,
      status: 'completed',
      pays: 1,
    });
  });

  test('says where to pay', async () => {
    const { stderr } = await waiting(PAY, [started, now('completed')]);
    expect(stderr).toContain('pay exactly ₦5.10; show the account to pay with: fiatrail onramp account r-1');
  });

  test('is neither unsent nor in doubt when only its status cannot be read: 8', async () => {
    const { code, stderr } = await waiting(PAY, [started, json(200, 'no JSON')]);
    expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringContaining('fiatrail onramp status r-1 --wait') });
  });
});
