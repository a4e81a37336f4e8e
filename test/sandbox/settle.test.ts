import { describe, expect, test } from 'vitest';
import { sandboxClock, sandboxPay, sandboxSettle, sandboxStatus } from '../../src/contract/control.ts';
import { verifyWithdrawal, withdrawFees } from '../../src/contract/endpoints/fee-withdrawals.ts';
import { disableAutoSigning } from '../../src/contract/endpoints/fx-auto-signing.ts';
import { trade, tradeStatus } from '../../src/contract/endpoints/fx-trades.ts';
import { offrampStatus, startOfframp } from '../../src/contract/endpoints/offramp.ts';
import { onrampStatus, startOnramp } from '../../src/contract/endpoints/onramp.ts';
import { payoutStatus } from '../../src/contract/endpoints/payouts.ts';
import { onboard, onboardStatus } from '../../src/contract/endpoints/users.ts';
import { getVirtualAccount } from '../../src/contract/endpoints/virtual-accounts.ts';
import { expectSettledLedger, fund, onboardUser, pass } from '../service/steps.ts';
import { payOut } from '../service/transfers/steps.ts';
import { openSandbox, START_MS, type TestSandbox } from '../support/sandbox.ts';

const settleNow = async (box: TestSandbox) => (await box.ask(sandboxSettle, {})).events;

describe('settle', () => {
  test('does nothing in a new sandbox', async () => {
    await using box = await openSandbox();
    expect(await box.ask(sandboxSettle, {})).toEqual({ events: 0, now: new Date(START_MS).toISOString() });
  });

  test('completes each kind of work at the pace real without moving the clock', async () => {
    await using box = await openSandbox({ pace: 'real' });
    const { requestId: onboarding, userHash: userId } = await box.ask(onboard, { bvn: '22222222222' });
    expect(await settleNow(box)).toBe(1);
    expect(await box.ask(onboardStatus, { requestId: onboarding })).toMatchObject({ status: 'completed' });

    const { requestId: onramp } = await box.ask(startOnramp, { userId, amount: 10_000 });
    expect(await settleNow(box)).toBe(1);
    const { virtualAccount } = await box.ask(getVirtualAccount, { requestId: onramp });
    const { accountNumber, totalAmountWithFee } = virtualAccount;
    await box.ask(sandboxPay, { accountNumber, amount: totalAmountWithFee as number, senderName: 'ANY PAYER' });
    expect(await settleNow(box)).toBe(2);
    expect(await box.ask(onrampStatus, { requestId: onramp })).toMatchObject({ status: 'completed' });

    const toBank = { accountNumber: '0123456789', bankCode: '000013', ticker: 'CNGN' };
    const { requestId: offramp } = await box.ask(startOfframp, { userId, amount: 100, ...toBank });
    const payout = await payOut(box, 10_000);
    expect(await settleNow(box)).toBeGreaterThan(2);
    expect(await box.ask(offrampStatus, { requestId: offramp })).toMatchObject({ status: 'completed' });
    expect(await box.ask(payoutStatus, { requestId: payout })).toMatchObject({ status: 'completed' });
    expect((await box.ask(sandboxClock, {})).now).toBe(new Date(START_MS).toISOString());
    await expectSettledLedger(box);
  });

  test('leaves windows open that only time ends', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const { requestId } = await box.ask(startOnramp, { userId, amount: 100 });
    await settleNow(box);
    expect(await box.ask(onrampStatus, { requestId })).toMatchObject({ status: 'pending' });
    expect(await box.ask(sandboxStatus, {})).toMatchObject({ pending: 1 });
    await pass(box, 30 * 60_000);
    expect(await box.ask(onrampStatus, { requestId })).toMatchObject({ status: 'failed' });
  });

  test('pays out fees regardless of business days', async () => {
    await using box = await openSandbox();
    const { withdrawalId } = await box.ask(withdrawFees, {
      amount: 100_000,
      bankAccountNumber: '0123456789',
      bankCode: '000013',
      accountName: 'HARMATTAN PAY',
    });
    expect(await settleNow(box)).toBe(1);
    expect(await box.ask(verifyWithdrawal, { withdrawalId })).toMatchObject({
      status: 'completed',
      processedAt: new Date(START_MS).toISOString(),
    });
  });

  test('approves a trade that waits for manual approval, and completes it', async () => {
    await using box = await openSandbox();
    await box.ask(disableAutoSigning, {});
    const { trade: made } = await box.ask(trade, { pair: 'CNGN-USDC', side: 'sell', cngnAmount: '14070' });
    const statusNow = async () => (await box.ask(tradeStatus, { tradeId: made.tradeId })).trade.status;
    await pass(box, 60_000);
    expect(await statusNow()).toBe('locked');
    expect(await settleNow(box)).toBe(3);
    expect(await statusNow()).toBe('completed');
    // The expiry of its lock, which no longer has an effect.
    expect(await box.ask(sandboxStatus, {})).toMatchObject({ openTrades: 0, pending: 1 });
  });

  test('can be repeated', async () => {
    await using box = await openSandbox();
    await fund(box, await onboardUser(box), 1000);
    expect(await settleNow(box)).toBe(0);
    await expectSettledLedger(box);
  });

  test('sets failing work aside and continues with the rest', async () => {
    await using box = await openSandbox();
    await box.ask(onboard, { bvn: '22222222222' });
    await box.inside(({ store }) =>
      store.run(
        `INSERT INTO due (due_at, machine, subject, event) SELECT due_at - 1, machine, subject + 1, event FROM due`,
      ),
    );
    expect(await settleNow(box)).toBe(1);
    expect(await box.ask(sandboxStatus, {})).toMatchObject({ users: 1, pending: 0 });
  });
});
