import { describe, expect, test } from 'vitest';
import { listPayouts } from '../../src/contract/endpoints/history.ts';
import { offrampStatus } from '../../src/contract/endpoints/offramp.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { balances, expectSettledLedger, fund, offramp, onboardUser, pass, settle } from './steps.ts';
import { eventsOf } from './transfer-steps.ts';

/** Test values that reach the states which ordinary requests never show. */
const IN_STEPS = '0000000011';
const CANCELLED = '0000000012';
const TRANSFER_FAILS = '0000000013';
const MINUTE_MS = 60_000;

async function startOfframp(box: TestSandbox, accountNumber: string) {
  const { userId } = await fundedUser(box);
  return offramp(box, userId, 50_000n, accountNumber);
}

async function fundedUser(box: TestSandbox) {
  const user = await onboardUser(box);
  await fund(box, user, 1000, { sweepToOfframp: true });
  return user;
}

const namesOf = async (box: TestSandbox, requestId: string) =>
  (await eventsOf(box, requestId)).map(({ event }) => event);

describe('an offramp', () => {
  const shown: [state: string, stage: string, transfer: string, listed: string][] = [
    ['pending', 'request', 'pending', 'pending'],
    ['processing', 'request', 'pending', 'processing'],
    ['bank_verification', 'verification', 'pending', 'processing'],
    ['transfer_pending', 'transfer', 'pending', 'processing'],
    ['transfer_confirmed', 'transfer', 'confirmed', 'processing'],
    ['payout_pending', 'payout', 'confirmed', 'processing'],
    ['completed', 'completed', 'confirmed', 'completed'],
  ];

  test('shows every state for one minute', async () => {
    await using box = await openSandbox();
    const started = await startOfframp(box, IN_STEPS);
    expect(started).toMatchObject({ status: 'pending', stage: 'request' });
    expect(started).not.toHaveProperty('transactionHash');
    for (const [status, stage, transfer, listed] of shown) {
      const found = await box.ask(offrampStatus, { requestId: started.requestId });
      expect(found).toMatchObject({ status, stage, tokenTransfer: { status: transfer } });
      expect(found.tokenTransfer?.transactionHash === null).toBe(transfer === 'pending');
      const { payouts } = await box.ask(listPayouts, {});
      expect(payouts?.[0]).toMatchObject({ id: started.requestId, status: listed });
      await pass(box, MINUTE_MS - 1);
      expect(await box.ask(offrampStatus, { requestId: started.requestId })).toMatchObject({ status });
      await pass(box, 1);
    }
    expect(await namesOf(box, started.requestId)).toEqual([
      'vault.return.transfer.confirmed',
      'vault.return.payout.completed',
    ]);
    await expectSettledLedger(box);
  });

  const ends: [account: string, state: string, events: string[]][] = [
    [CANCELLED, 'cancelled', []],
    [TRANSFER_FAILS, 'failed', ['vault.return.payout.failed']],
  ];

  test.each(ends)('to account %s ends as %s and returns the cNGN', async (account, state, events) => {
    await using box = await openSandbox();
    const { userId } = await fundedUser(box);
    const before = await box.inside(balances, 'read');
    const { requestId } = await offramp(box, userId, 50_000n, account);
    expect((await box.inside(balances, 'read'))['vault CNGN']).toBe(505_000_000n);
    await settle(box);
    expect(await box.ask(offrampStatus, { requestId })).toMatchObject({
      status: state,
      stage: state,
      tokenTransfer: { status: 'failed', transactionHash: null },
      payout: { status: 'failed', attempts: 0, transactionId: null },
    });
    const { payouts } = await box.ask(listPayouts, {});
    expect(payouts?.[0]).toMatchObject({ status: state, transferTxHash: null, payoutStatus: 'failed' });
    expect(await box.inside(balances, 'read')).toEqual(before);
    expect(await namesOf(box, requestId)).toEqual(events);
    await expectSettledLedger(box);
  });
});
