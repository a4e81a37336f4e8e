import { describe, expect, test } from 'vitest';
import { accumulatedFees, getFees, manageFees, previewFees } from '../../../src/contract/endpoints/fees.ts';
import { startOnramp } from '../../../src/contract/endpoints/onramp.ts';
import { isoTime } from '../../../src/service/context.ts';
import { openSandbox, START_MS, type TestSandbox } from '../../support/sandbox.ts';
import { onboardUser, pass } from '../steps.ts';

const fee = (percentageFee: number, capFee: number, enabled = true) => ({ percentageFee, capFee, enabled });

/** Calls as a fintech that never set a fee: a seeded market maker. */
async function unconfigured(box: TestSandbox): Promise<void> {
  await box.inside(({ store }) => store.run('DELETE FROM fee_setting WHERE fintech = 1'));
}

describe('setting fees', () => {
  test('returns the complete configuration and an example', async () => {
    await using box = await openSandbox();
    const metadata = { description: 'spring prices', notes: 'agreed in March', lastUpdatedBy: 'ops@example.com' };
    expect(await box.ask(manageFees, { onrampFee: fee(1.5, 10_000), metadata })).toEqual({
      fintechId: (await box.ask(getFees, {})).fintechId,
      operation: 'updated',
      feeConfiguration: { onrampFee: fee(1.5, 10_000), offrampFee: fee(0.5, 50_000), metadata },
      exampleCalculation: {
        onramp: { amount: 1_000_000, fee: 10_000, capped: true },
        offramp: { amount: 1_000_000, fee: 5_000, capped: false },
      },
      timestamp: isoTime(START_MS),
      version: '1.0.0',
    });
  });

  test('leaves the other direction unchanged', async () => {
    await using box = await openSandbox();
    const before = await box.ask(getFees, {});
    box.clock.pass(1_000);
    await box.ask(manageFees, { offrampFee: fee(2, 7) });
    const after = await box.ask(getFees, {});
    expect(after.feeConfiguration?.onrampFee).toEqual(before.feeConfiguration?.onrampFee);
    expect(after.feeConfiguration?.offrampFee).toEqual(fee(2, 7));
    expect(after.timestamps).toEqual({ createdAt: isoTime(START_MS), updatedAt: isoTime(START_MS + 1_000) });
  });

  test('omits a direction that was never set', async () => {
    await using box = await openSandbox();
    await unconfigured(box);
    expect(await box.ask(getFees, {})).toMatchObject({ hasConfiguration: false });
    const { feeConfiguration, exampleCalculation } = await box.ask(manageFees, { offrampFee: fee(1, 1_000) });
    expect(Object.keys(feeConfiguration ?? {})).toEqual(['offrampFee', 'metadata']);
    expect(exampleCalculation).toEqual({ offramp: { amount: 1_000_000, fee: 1_000, capped: true } });
    expect(await box.ask(getFees, {})).toMatchObject({ hasConfiguration: true });
  });

  test('keeps omitted notes, and names who made the last change', async () => {
    await using box = await openSandbox();
    const { fintechId } = await box.ask(getFees, {});
    await box.ask(manageFees, { metadata: { description: 'first', notes: 'kept', lastUpdatedBy: 'ada' } });
    const { feeConfiguration } = await box.ask(manageFees, {
      onrampFee: fee(1, 1),
      metadata: { description: 'second' },
    });
    expect(feeConfiguration?.metadata).toEqual({ description: 'second', notes: 'kept', lastUpdatedBy: fintechId });
    expect((await box.ask(getFees, {})).feeConfiguration?.metadata).toEqual({
      description: 'second',
      lastUpdatedBy: fintechId,
    });
  });

  test.each([{}, { more: 1 }, []])('refuses %j', async (body) => {
    await using box = await openSandbox();
    expect((await box.call('PUT', '/managefees', body)).envelope.response_code).toBe('01');
  });

  test('changes nothing if one of the two is invalid', async () => {
    await using box = await openSandbox();
    const before = await box.ask(getFees, {});
    const reply = await box.call('PUT', '/managefees', { onrampFee: fee(1, 1), offrampFee: { enabled: true } });
    expect({ status: reply.status, ask: await box.ask(getFees, {}) }).toEqual({ status: 400, ask: before });
  });

  test.each([
    [fee(0, 0), 0],
    [fee(1.5, 0), 0],
    [fee(1.5, 50_000, false), 0],
    [fee(100, 10_000_000), 10_000],
    [fee(0.005, 100), 0.01],
    [fee(0.004_999, 100), 0],
  ])('applies from the next onramp: %j', async (onrampFee, naira) => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    await box.ask(manageFees, { onrampFee });
    const { feeBreakdown } = await box.ask(startOnramp, {
      userId,
      amount: onrampFee.percentageFee < 0.1 ? 1 * 100 : 10_000,
    });
    expect(feeBreakdown).toMatchObject({ fintechFee: naira });
  });
});

describe('the platform fee on', () => {
  const tiers: [direction: 'onramp' | 'offramp', kobo: number, result: object][] = [
    // The worked example in public text.
    [
      'offramp',
      150_000,
      { feePercentage: 0.4, calculatedFee: 600, finalFee: 600, tierUsed: { minAmount: 100_000, maxAmount: 500_000 } },
    ],
    [
      'offramp',
      1,
      { feePercentage: 0.5, calculatedFee: 0, finalFee: 0, tierUsed: { minAmount: 0, maxAmount: 100_000 } },
    ],
    ['offramp', 99_999, { feePercentage: 0.5, calculatedFee: 500, finalFee: 500 }],
    ['offramp', 100_000, { feePercentage: 0.4, calculatedFee: 400, finalFee: 400 }],
    ['offramp', 499_999, { feePercentage: 0.4, calculatedFee: 2_000, finalFee: 2_000 }],
    ['offramp', 500_000, { feePercentage: 0.3, finalFee: 1_500, tierUsed: { minAmount: 500_000, maxAmount: null } }],
    ['offramp', 33_333_333, { calculatedFee: 100_000, finalFee: 100_000, wasCapped: false, appliedCap: null }],
    ['offramp', 33_333_500, { calculatedFee: 100_001, finalFee: 100_000, wasCapped: true, appliedCap: 100_000 }],
    // ₦520 at 1.7 percent and ₦5,000 at 1.5 percent are public examples.
    ['onramp', 52_000, { feePercentage: 1.7, calculatedFee: 884, finalFee: 884 }],
    ['onramp', 500_000, { feePercentage: 1.5, calculatedFee: 7_500, finalFee: 7_500 }],
    ['onramp', 100_000_000, { feePercentage: 1, calculatedFee: 1_000_000, finalFee: 500_000, appliedCap: 500_000 }],
  ];

  test.each(tiers)('%s of %d kobo', async (transactionType, amount, result) => {
    await using box = await openSandbox();
    const answer = await box.ask(previewFees, { amount, transactionType });
    expect(answer.input).toMatchObject({ amount, transactionType });
    expect(answer.result).toMatchObject({
      amount,
      transactionType,
      fixedFee: 0,
      usedFintechOverride: false,
      ...result,
    });
  });

  test.each([150_000.5, '150000', -1, 0])('refuses %j kobo', async (amount) => {
    await using box = await openSandbox();
    const reply = await box.call('POST', '/fees/platform/preview', { amount, transactionType: 'offramp' });
    expect(reply.envelope.response_code).toBe('01');
  });

  test("excludes the fintech's own fee", async () => {
    await using box = await openSandbox();
    const ask = () => box.ask(previewFees, { amount: 150_000, transactionType: 'offramp' });
    const before = await ask();
    await box.ask(manageFees, { offrampFee: fee(50, 1_000_000) });
    expect(await ask()).toEqual(before);
  });
});

test('accumulated fees of a fintech that never earned any', async () => {
  await using box = await openSandbox();
  await box.inside(({ store }) => store.run('DELETE FROM fee_tally'));
  await pass(box, 1);
  expect((await box.ask(accumulatedFees, {})).details).toMatchObject({
    lastUpdated: null,
    minimumWithdrawal: 1_000,
    maximumWithdrawal: 10_000_000,
  });
});
