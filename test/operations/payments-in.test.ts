import { describe, expect, test } from 'vitest';
import type { Exchange, HttpRequest } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
import { ACCOUNT_TO_PAY, refusal, success } from '../support/exchange.ts';
import { ACCOUNT, fakeClock, fakeWorld } from '../support/world.ts';

const NUMBER = ACCOUNT_TO_PAY.virtualAccount.accountNumber;
const payment = (id: string, amount: number, more: object = {}) => ({
  id,
  amount,
  type: 'user_onramp',
  virtualAccountNumber: NUMBER,
  status: 'processing',
  createdAt: '2026-01-05T09:10:00.000Z',
  depositor: { name: 'CHIDI OBI' },
  ...more,
});
const now = (status: string, virtualAccountStatus = 'active') => ({
  requestId: 'r-1',
  status,
  wallet: { virtualAccountStatus },
});

/** Waits for an onramp whose status and whose deposits are answered in turn; the last of each stays. */
async function waiting(
  states: readonly object[],
  paid: readonly (readonly object[])[],
  argv = ['onramp', 'status', 'r-1'],
) {
  const reads: HttpRequest[] = [];
  let statusReads = 0;
  const network: Exchange = async (request) => {
    if (request.url.endsWith('/getvirtualaccount')) return success(ACCOUNT_TO_PAY);
    if (request.url.includes('/deposits?')) {
      const deposits = paid[Math.min(reads.push(request), paid.length) - 1];
      return deposits ? success({ deposits, total: deposits.length }) : refusal(403, '03', 'not allowed');
    }
    return success(states[Math.min(++statusReads, states.length) - 1]);
  };
  const world = fakeWorld({ network, env: ACCOUNT, clock: fakeClock() });
  const code = await main([...argv, '--wait', '60s', '-o', 'json', '-q'], world);
  const stderr = world.stderr.text();
  return { code, stderr, reads, warnings: stderr.match(/^warning: .*$/gm) ?? [] };
}

const open = now('pending');
const many = (count: number) => Array.from({ length: count }, () => open);

describe('a wait for the payment of an onramp', () => {
  test('tells of a wrong amount, once, and goes on', async () => {
    const { code, warnings } = await waiting([...many(14), now('completed')], [[], [payment('d-1', 3)]]);
    expect({ code, warnings }).toEqual({
      code: 0,
      warnings: ['warning: ₦3.00 from CHIDI OBI arrived, but exactly ₦5.10 is due; the service refunds it'],
    });
  });

  test.each([
    ['of another account', { virtualAccountNumber: '7099363999' }],
    ['of the exact sum', { amount: 5.1 }],
    ['without an amount', { amount: undefined }],
    ['that the service took', { status: 'completed' }],
  ])('says nothing of a payment %s', async (_, more) => {
    const { warnings } = await waiting([...many(9), now('completed')], [[payment('d-1', 3, more)]]);
    expect(warnings).toEqual([]);
  });

  test('tells of a payment that came too late, and of one that the service rejected', async () => {
    const { warnings } = await waiting(
      [open, now('failed', 'expired')],
      [
        [payment('d-1', 5.1, { status: 'failed' })],
        [payment('d-2', 5.1, { createdAt: '2026-01-05T09:30:00.000Z' }), payment('d-1', 5.1, { status: 'failed' })],
      ],
    );
    expect(warnings).toEqual([
      "warning: ₦5.10 from CHIDI OBI arrived, but the service rejected it (status: failed); the sender's name may not be the user's; the service refunds it",
      'warning: ₦5.10 from CHIDI OBI arrived, but too late; the service refunds it',
    ]);
  });

  test('ends with 3 when the account is closed and only wrong payments came', async () => {
    const paid = [[payment('d-1', 3)]];
    const { code, stderr } = await waiting([open, now('pending', 'used')], paid);
    expect(code).toBe(3);
    expect(stderr).toContain('the onramp cannot complete: no valid payment arrived, and its account accepts no more');
    expect((await waiting([open], paid)).code).toBe(8);
  });

  test.each([
    ['the exact sum shows later in the list', [[payment('d-1', 3)], [payment('d-2', 5.1), payment('d-1', 3)]]],
    ['the list has more payments than were read', [Array.from({ length: 100 }, (_, at) => payment(`d-${at}`, 3))]],
    ['the service took another sum', [[payment('d-1', 5, { status: 'completed' })]]],
  ])('goes on when the account is closed and %s', async (_, paid) => {
    const { code } = await waiting(
      [...Array.from({ length: 14 }, () => now('pending', 'used')), now('completed')],
      paid,
    );
    expect(code).toBe(0);
  });

  test('reads the status also while the deposits take their time', async () => {
    const reads = { status: 0, deposits: 0 };
    const clock = fakeClock();
    const network: Exchange = async ({ url }) => {
      if (url.endsWith('/getvirtualaccount')) return success(ACCOUNT_TO_PAY);
      if (!url.includes('/deposits?')) return success(++reads.status && open);
      reads.deposits += 1;
      await clock.sleep(5_000, new AbortController().signal);
      return refusal(403, '03', 'not allowed');
    };
    const world = fakeWorld({ network, env: ACCOUNT, clock });
    expect(await main(['onramp', 'status', 'r-1', '--wait', '60s', '-q'], world)).toBe(8);
    expect(reads.status).toBeGreaterThan(1.5 * reads.deposits);
  });

  test('goes on when the closed account also received the exact sum', async () => {
    const { code } = await waiting(
      [now('pending', 'used'), now('pending', 'used'), now('completed', 'used')],
      [[payment('d-1', 3), payment('d-2', 5.1)]],
    );
    expect(code).toBe(0);
  });

  test('goes on if the deposits cannot be read, and reads them at most every 5 seconds', async () => {
    const { code, reads } = await waiting([...many(14), now('completed')], [[], []]);
    expect(code).toBe(0);
    expect(reads.length).toBeLessThanOrEqual(12);
    expect(reads[0]?.url).toContain('startDate=2026-01-05T08%3A55');
    expect((await waiting([...many(3), now('completed')], [])).code).toBe(0);
  });
});
