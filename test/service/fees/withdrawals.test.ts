import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sandboxAdvance } from '../../../src/contract/control.ts';
import { feeWithdrawals, verifyWithdrawal, withdrawFees } from '../../../src/contract/endpoints/fee-withdrawals.ts';
import { accumulatedFees } from '../../../src/contract/endpoints/fees.ts';
import { checkLedger } from '../../../src/service/ledger.ts';
import { openSandbox, START_MS, type TestSandbox } from '../../support/sandbox.ts';
import { balances, fund, offramp, onboardUser, pass, payIn, secondKey, startRamp } from '../steps.ts';

const DAY_MS = 86_400_000;
const toBank = { bankAccountNumber: '0123456789', bankCode: '000013', accountName: 'HARMATTAN PAY' };
const REFUSING = '0000000009';

const withdraw = (box: TestSandbox, amount: number, more: object = {}) =>
  box.ask(withdrawFees, { ...toBank, amount, ...more });

/** The seeded fees of onramps and offramps, in kobo. */
const SEED = { onramp: 20_000_000, offramp: 5_000_000 };

async function summary(box: TestSandbox): Promise<Record<string, number>> {
  const { summary } = await box.ask(accumulatedFees, {});
  return summary as Record<string, number>;
}

const WITHDRAWN = `SELECT COALESCE(SUM(amount_kobo), 0) AS kobo FROM fee_withdrawal WHERE fintech = 1 AND state = 'completed'`;

/**
 * Asserts the three sums that hold at any moment. Source: public (the sums), interface (that the total is since
 * creation and includes withdrawn fees).
 */
async function expectIdentities(box: TestSandbox): Promise<void> {
  const of = await summary(box);
  const withdrawn = await box.inside(({ store }) => Number(store.get<{ kobo: bigint }>(WITHDRAWN)?.kobo), 'read');

  expect(of['totalAccumulatedFees']).toBe((of['onrampFees'] ?? 0) + (of['offrampFees'] ?? 0));
  expect(of['totalAccumulatedFees']).toBe((of['collectedFees'] ?? 0) + (of['pendingFees'] ?? 0) + withdrawn);
  expect(of['availableForWithdrawal']).toBe((of['collectedFees'] ?? 0) - (of['pendingWithdrawals'] ?? 0));
  expect(of['availableForWithdrawal']).toBeGreaterThanOrEqual(0);
}

describe('a withdrawal', () => {
  test('locks its amount at once and deducts it from the collected fees on settlement, but never from the total', async () => {
    await using box = await openSandbox();
    const { status, amount, estimatedProcessingTime } = await withdraw(box, 1_000_000);
    expect({ status, amount, estimatedProcessingTime }).toEqual({
      status: 'pending',
      amount: 1_000_000,
      estimatedProcessingTime: '1 to 3 business days',
    });
    expect(await summary(box)).toMatchObject({
      totalAccumulatedFees: 25_000_000,
      onrampFees: SEED.onramp,
      collectedFees: 25_000_000,
      pendingWithdrawals: 1_000_000,
      availableForWithdrawal: 24_000_000,
    });
    await box.ask(sandboxAdvance, { durationMs: 5 * DAY_MS });
    expect(await summary(box)).toMatchObject({
      totalAccumulatedFees: 25_000_000,
      onrampFees: SEED.onramp,
      offrampFees: SEED.offramp,
      collectedFees: 24_000_000,
      pendingWithdrawals: 0,
      availableForWithdrawal: 24_000_000,
    });
  });

  test('draws on onramp fees first, then on offramp fees', async () => {
    await using box = await openSandbox();
    const amounts = [10_000_000, 9_999_000, 2_000];
    for (const amount of amounts) await withdraw(box, amount);
    expect(await box.inside(balances, 'read')).toMatchObject({
      'fees/fintech/1/offramp NGN': 4_999_000n,
      'fees/withdrawing/1/onramp NGN': 20_000_000n,
      'fees/withdrawing/1/offramp NGN': 1_000n,
    });
    await box.ask(sandboxAdvance, { durationMs: 5 * DAY_MS });
    expect(await box.inside(balances, 'read')).not.toHaveProperty(['fees/fintech/1/onramp NGN']);
    expect(await summary(box)).toMatchObject({
      onrampFees: SEED.onramp,
      offrampFees: SEED.offramp,
      collectedFees: 4_999_000,
    });
  });

  test('returns the amount to its sources if the bank rejects it', async () => {
    await using box = await openSandbox();
    await withdraw(box, 10_000_000);
    await withdraw(box, 9_999_000);
    const before = await box.inside(balances, 'read');
    const { withdrawalId } = await withdraw(box, 3_000, { bankAccountNumber: REFUSING });
    await box.ask(sandboxAdvance, { durationMs: 5 * DAY_MS });
    expect(await box.ask(verifyWithdrawal, { withdrawalId })).toMatchObject({
      status: 'failed',
      failureReason: expect.stringContaining('bank rejected'),
      processedAt: expect.any(String),
    });
    const after = await box.inside(balances, 'read');
    for (const code of ['fees/fintech/1/onramp NGN', 'fees/fintech/1/offramp NGN'])
      expect(after[code]).toBe(before[code]);
    await expectIdentities(box);
  });

  test.each([
    ['one second later', 1_000],
    ['in the same millisecond', 0],
  ])('gets a unique id %s', async (_when, afterMs) => {
    await using box = await openSandbox();
    const { fintechId } = await box.inside(
      ({ store }) =>
        store.get<{ fintechId: string }>('SELECT fintech_id AS fintechId FROM fintech') ?? { fintechId: '' },
    );
    const first = await withdraw(box, 1_000);
    box.clock.pass(afterMs);
    const second = await withdraw(box, 1_000);
    expect(first.withdrawalId).toBe(`FTW_${fintechId}_${START_MS}`);
    expect(second.withdrawalId).toBe(`FTW_${fintechId}_${START_MS + (afterMs || 1)}`);
  });

  test("gets another id than another fintech's in the same millisecond", async () => {
    await using box = await openSandbox();
    const { withdrawalId } = await withdraw(box, 1_000);
    const key = await secondKey(box);
    const other = await box.ask(withdrawFees, { ...toBank, amount: 1_000 }, key);
    expect(other.withdrawalId).not.toBe(withdrawalId);
    const found = await box.call('POST', '/verifywithdrawal', { withdrawalId }, key);
    expect({ status: found.status, response_code: found.envelope.response_code }).toEqual({
      status: 404,
      response_code: '02',
    });
    expect((await box.ask(feeWithdrawals, {}, key)).withdrawals.map((row) => row.withdrawalId)).toEqual([
      other.withdrawalId,
    ]);
  });

  test('names the account holder, and accepts any bank account', async () => {
    await using box = await openSandbox();
    const { message } = await withdraw(box, 1_000, { accountName: 'NOBODY IN PARTICULAR' });
    expect(message).toMatch(/^the withdrawal is on its way to the account of [A-Z ]+ at GUARANTY TRUST BANK$/);
    const { withdrawals } = await box.ask(feeWithdrawals, {});
    expect(withdrawals[0]).toMatchObject({ accountName: 'NOBODY IN PARTICULAR', bankCode: '000013' });
  });

  test('is found under the alternative name of its id', async () => {
    await using box = await openSandbox();
    const { withdrawalId } = await withdraw(box, 1_000);
    const reply = await box.call('POST', '/verifywithdrawal', { transactionReference: withdrawalId });
    expect(reply.envelope.data).toEqual({ withdrawalId, status: 'pending', processedAt: null, failureReason: null });
  });
});

describe('two concurrent withdrawals', () => {
  test('never take more than is available', async () => {
    await using box = await openSandbox();
    await withdraw(box, 10_000_000);
    const request = { ...toBank, amount: 8_000_000 };
    const replies = await Promise.all([1, 2].map(() => box.call('POST', '/feewithdrawal', request)));
    expect(replies.map(({ status }) => status)).toEqual([200, 400]);
    expect(await summary(box)).toMatchObject({ pendingWithdrawals: 18_000_000, availableForWithdrawal: 7_000_000 });
  });

  test('of the full amount leave nothing', async () => {
    await using box = await openSandbox();
    for (const amount of [10_000_000, 10_000_000, 5_000_000]) await withdraw(box, amount);
    expect(await summary(box)).toMatchObject({ availableForWithdrawal: 0, pendingWithdrawals: 25_000_000 });
    expect((await box.call('POST', '/feewithdrawal', { ...toBank, amount: 1_000 })).status).toBe(400);
  });
});

describe('settling', () => {
  /** Ordered on a Monday at 10:00 in Lagos. */
  test.each([
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 1],
  ])('withdrawal %d takes %d business days, to the millisecond', async (count, days) => {
    await using box = await openSandbox();
    for (let made = 1; made < count; made++) await withdraw(box, 1_000);
    const { withdrawalId } = await withdraw(box, 1_000);
    const status = async () => (await box.ask(verifyWithdrawal, { withdrawalId })).status;
    await pass(box, days * DAY_MS - 1);
    expect(await status()).toBe('pending');
    await pass(box, 1);
    expect(await status()).toBe('completed');
    expect((await box.ask(verifyWithdrawal, { withdrawalId })).processedAt).toBe(
      new Date(START_MS + days * DAY_MS).toISOString(),
    );
  });

  test.each(['instant', 'quick', 'real'] as const)('takes business days at the pace %s too', async (pace) => {
    await using box = await openSandbox({ pace });
    const { withdrawalId } = await withdraw(box, 1_000);
    await box.ask(sandboxAdvance, { durationMs: 5 * 60_000 });
    expect(await box.ask(verifyWithdrawal, { withdrawalId })).toMatchObject({ status: 'pending' });
    await box.ask(sandboxAdvance, { durationMs: 5 * DAY_MS });
    expect(await box.ask(verifyWithdrawal, { withdrawalId })).toMatchObject({ status: 'completed' });
  });

  test('is done after five days but never after five minutes, whenever it was ordered', async () => {
    const offset = fc.integer({ min: 0, max: 7 * DAY_MS });
    await fc.assert(
      fc.asyncProperty(offset, fc.integer({ min: 0, max: 2 }), async (offsetMs, before) => {
        await using box = await openSandbox();
        box.clock.pass(offsetMs);
        for (let made = 0; made < before; made++) await withdraw(box, 1_000);
        const { withdrawalId } = await withdraw(box, 1_000);
        await box.ask(sandboxAdvance, { durationMs: 5 * 60_000 });
        expect((await box.ask(verifyWithdrawal, { withdrawalId })).status).toBe('pending');
        await box.ask(sandboxAdvance, { durationMs: 5 * DAY_MS - 5 * 60_000 });
        expect((await box.ask(verifyWithdrawal, { withdrawalId })).status).toBe('completed');
      }),
      { numRuns: 25 },
    );
  });
});

describe('the list of withdrawals', () => {
  test('is newest first, masks accounts, and has 20 rows per page', async () => {
    await using box = await openSandbox();
    const ids: (string | undefined)[] = [];
    for (let count = 0; count < 21; count++) ids.unshift((await withdraw(box, 1_000 + count)).withdrawalId);
    const { withdrawals, pagination } = await box.ask(feeWithdrawals, {});
    expect(withdrawals.map((row) => row.withdrawalId)).toEqual(ids.slice(0, 20));
    expect(pagination).toEqual({ count: 20, limit: 20, hasMore: true });
    expect(withdrawals.map((row) => row.bankAccountNumber)).toEqual(Array(20).fill('012345****'));
  });

  test.each([
    [1, 1, true],
    [2, 2, true],
    [3, 3, false],
    [Number.MAX_SAFE_INTEGER, 3, false],
  ])('with limit %d returns %d of three', async (limit, count, hasMore) => {
    await using box = await openSandbox();
    for (let made = 0; made < 3; made++) await withdraw(box, 1_000);
    const { pagination } = await box.ask(feeWithdrawals, { limit });
    expect(pagination).toEqual({ count, limit, hasMore });
  });

  test('filters by status', async () => {
    await using box = await openSandbox();
    await withdraw(box, 1_000);
    await withdraw(box, 2_000, { bankAccountNumber: REFUSING });
    await box.ask(sandboxAdvance, { durationMs: 5 * DAY_MS });
    await withdraw(box, 3_000, { narration: 'later' });
    const amounts = async (status?: 'pending' | 'completed' | 'failed') =>
      (await box.ask(feeWithdrawals, status ? { status } : {})).withdrawals.map(({ amount }) => amount);
    expect(await amounts()).toEqual([3_000, 2_000, 1_000]);
    expect(await amounts('pending')).toEqual([3_000]);
    expect(await amounts('completed')).toEqual([1_000]);
    expect(await amounts('failed')).toEqual([2_000]);
  });
});

/** Possible events for fees, in any order. */
type Step =
  | { readonly kind: 'withdraw'; readonly kobo: number; readonly account: string }
  | { readonly kind: 'earn'; readonly naira: number }
  | { readonly kind: 'pay-out'; readonly naira: number }
  | { readonly kind: 'pass'; readonly durationMs: number };

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('withdraw'),
      kobo: fc.integer({ min: 900, max: 10_000_100 }),
      account: fc.constantFrom('0123456789', REFUSING),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('earn'), naira: fc.integer({ min: 1, max: 90_000 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pay-out'), naira: fc.integer({ min: 1, max: 90_000 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('pass'), durationMs: fc.constantFrom(1, 100, 400, DAY_MS, 2 * DAY_MS) }),
  },
) as fc.Arbitrary<Step>;

test('no sequence of events breaks the sums of the fees or loses a withdrawal', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40, size: 'max' }), async (steps) => {
      await using box = await openSandbox();
      const user = await onboardUser(box);
      await fund(box, user, 100_000, { sweepToOfframp: true });
      const ramp = await startRamp(box, user.userId, 10);
      for (const taken of steps) {
        const before = await summary(box);
        if (taken.kind === 'pass') await pass(box, taken.durationMs);
        else if (taken.kind === 'earn') await payIn(box, user.accountNumber, BigInt(taken.naira * 100), user.name);
        else if (taken.kind === 'pay-out') await offramp(box, user.userId, BigInt(taken.naira * 100)).catch(() => {});
        else {
          const request = { ...toBank, amount: taken.kobo, bankAccountNumber: taken.account };
          const { status } = await box.call('POST', '/feewithdrawal', request);
          const isFine =
            taken.kobo >= 1_000 && taken.kobo <= Math.min(10_000_000, before['availableForWithdrawal'] ?? 0);
          expect(status).toBe(isFine ? 200 : 400);
        }
        await expectIdentities(box);
        expect(await box.inside(({ store }) => checkLedger(store).balanced, 'read')).toBe(true);
      }
      await payIn(box, ramp.accountNumber, ramp.totalKobo);
      await box.ask(sandboxAdvance, { durationMs: 10 * DAY_MS });
      const { pendingWithdrawals, pendingFees } = await summary(box);
      expect({ pendingWithdrawals, pendingFees }).toEqual({ pendingWithdrawals: 0, pendingFees: 0 });
      for (const { status } of (await box.ask(feeWithdrawals, { limit: 100 })).withdrawals) seen.add(status);
    }),
    { numRuns: Number(process.env['FIATRAIL_SOAK_RUNS'] ?? 5) },
  );
  expect([...seen].sort()).toEqual(['completed', 'failed']);
});
