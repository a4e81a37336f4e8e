import { describe, expect, test } from 'vitest';
import { sandboxDeposit } from '../../src/contract/control.ts';
import { balanceAddress } from '../../src/contract/endpoints/balances.ts';
import { bridgeStatus, startBridge } from '../../src/contract/endpoints/bridge.ts';
import { feeWithdrawals, verifyWithdrawal, withdrawFees } from '../../src/contract/endpoints/fee-withdrawals.ts';
import { accumulatedFees } from '../../src/contract/endpoints/fees.ts';
import { fxSettings, registerMpc } from '../../src/contract/endpoints/fx-vault.ts';
import { listDeposits, listPayouts } from '../../src/contract/endpoints/history.ts';
import { offrampStatus } from '../../src/contract/endpoints/offramp.ts';
import { onrampStatus, startOnramp } from '../../src/contract/endpoints/onramp.ts';
import { payoutStatus } from '../../src/contract/endpoints/payouts.ts';
import { listSwaps, swapStatus } from '../../src/contract/endpoints/swaps.ts';
import { transferToWallet } from '../../src/contract/endpoints/transfers.ts';
import { getFintechAccount, getVirtualAccount } from '../../src/contract/endpoints/virtual-accounts.ts';
import { listWithdrawals, withdrawAsset } from '../../src/contract/endpoints/withdrawals.ts';
import { EXPIRED_KEY } from '../../src/service/values.ts';
import { testQueryPlans } from '../support/query-plans.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { balances, expectSettledLedger, fund, offramp, onboardUser, pass, payIn, settle, startRamp } from './steps.ts';
import { addAccount, eventsOf, managedAddress, OUTSIDE, payOut, register } from './transfers/steps.ts';

/** Test values that reach the states which ordinary requests never show. */
const IN_STEPS = '0000000011';
const CANCELLED = '0000000012';
const TRANSFER_FAILS = '0000000013';
const REVERSED = '0000000014';
const REVIEWED = '0000000015';
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** How far `settle` moves the clock. */
const SETTLED_MS = 10_000;

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

describe("a payout of the account's own cNGN", () => {
  const payOutTo = async (box: TestSandbox, accountNumber: string) =>
    payOut(box, 100_000, await addAccount(box, accountNumber));
  const read = (box: TestSandbox, requestId: string) => box.ask(payoutStatus, { requestId });

  test('shows every state for one minute', async () => {
    await using box = await openSandbox();
    const requestId = await payOutTo(box, IN_STEPS);
    const states = ['pending', 'processing', 'transferring_cngn', 'initiating_payout', 'payout_processing'];
    for (const status of [...states, 'completed']) {
      expect(await read(box, requestId)).toMatchObject({ status });
      await pass(box, MINUTE_MS - 1);
      expect(await read(box, requestId)).toMatchObject({ status });
      await pass(box, 1);
    }
    await expectSettledLedger(box);
  });

  const early: [account: string, state: string, events: string[]][] = [
    [CANCELLED, 'cancelled', ['fintech.offramp.initiated']],
    [TRANSFER_FAILS, 'failed', ['fintech.offramp.initiated', 'fintech.offramp.failed']],
  ];

  test.each(early)('to account %s ends as %s and returns the cNGN and the fee', async (account, state, events) => {
    await using box = await openSandbox();
    const before = await box.inside(balances, 'read');
    const requestId = await payOutTo(box, account);
    expect((await box.inside(balances, 'read'))['vault CNGN']).toBe(1_004_000_000n);
    await settle(box);
    expect(await read(box, requestId)).toMatchObject({
      status: state,
      transferDetails: { txHash: null, status: 'failed' },
      payoutDetails: { status: 'failed' },
      completedAt: null,
    });
    expect(await box.inside(balances, 'read')).toEqual(before);
    expect(await namesOf(box, requestId)).toEqual(events);
    await expectSettledLedger(box);
  });

  test('has no burn details in its event if it failed before the transfer', async () => {
    await using box = await openSandbox();
    const requestId = await payOutTo(box, TRANSFER_FAILS);
    await settle(box);
    const { data } = (await eventsOf(box, requestId)).at(-1) ?? {};
    expect(data).not.toHaveProperty('burnDetails');
    expect(data).toMatchObject({ status: 'failed', error: { code: 'TRANSFER_FAILED' } });
  });

  test('is reversed an hour after it completed; the amount returns, the fee does not', async () => {
    await using box = await openSandbox();
    const before = await box.inside(balances, 'read');
    const requestId = await payOutTo(box, REVERSED);
    await box.call('POST', '/_sandbox/settle');
    expect(await read(box, requestId)).toMatchObject({ status: 'completed' });
    await pass(box, 60 * MINUTE_MS - 1);
    expect(await read(box, requestId)).toMatchObject({ status: 'completed' });
    await pass(box, 1);
    expect(await read(box, requestId)).toMatchObject({ status: 'reversed', payoutDetails: { status: 'failed' } });
    const after = await box.inside(balances, 'read');
    const changed = Object.keys(after).filter((key) => after[key] !== before[key]);
    expect(Object.fromEntries(changed.map((key) => [key, (after[key] ?? 0n) - (before[key] ?? 0n)]))).toEqual({
      [changed.find((key) => key.startsWith('wallet/')) ?? '']: -4_000_000n,
      'fees/platform/offramp NGN': 400n,
      'reserve NGN': -400n,
      'supply CNGN': 4_000_000n,
    });
    const { payouts } = await box.ask(listPayouts, {});
    expect(payouts?.[0]).toMatchObject({ status: 'failed', payoutStatus: 'failed' });
    await expectSettledLedger(box);
  });

  test('waits for a manual review, which settle approves', async () => {
    await using box = await openSandbox();
    const requestId = await payOutTo(box, REVIEWED);
    await settle(box);
    expect(await read(box, requestId)).toMatchObject({
      status: 'pending_manual_review',
      transferDetails: { status: 'confirmed' },
      payoutDetails: { status: 'pending' },
    });
    const { payouts } = await box.ask(listPayouts, {});
    expect(payouts?.[0]).toMatchObject({ status: 'pending' });
    await box.call('POST', '/_sandbox/settle');
    expect(await read(box, requestId)).toMatchObject({ status: 'completed' });
    await pass(box, 3 * DAY_MS);
    expect(await read(box, requestId)).toMatchObject({ status: 'completed' });
    await expectSettledLedger(box);
  });

  test('fails if nobody approves it within 3 days, and returns the cNGN and the fee', async () => {
    await using box = await openSandbox();
    const before = await box.inside(balances, 'read');
    const requestId = await payOutTo(box, REVIEWED);
    await settle(box);
    await pass(box, 3 * DAY_MS);
    expect(await read(box, requestId)).toMatchObject({ status: 'failed', transferDetails: { status: 'confirmed' } });
    expect((await eventsOf(box, requestId)).at(-1)).toMatchObject({
      event: 'fintech.offramp.failed',
      data: { error: { code: 'MANUAL_REVIEW_FAILED' }, burnDetails: { status: 'returned' } },
    });
    expect(await box.inside(balances, 'read')).toEqual(before);
    await expectSettledLedger(box);
  });
});

test('an auto-swap of 1401 cNGN is pending for a minute, then requested, and is then made', async () => {
  await using box = await openSandbox();
  const user = await onboardUser(box);
  const { requestId: onramp } = await fund(box, user, 1401, { autoSwap: true, assetSwap: 'USDC' });
  const { swaps } = await box.ask(listSwaps, {});
  const requestId = swaps[0]?.requestId ?? '';
  expect(await box.ask(swapStatus, { requestId })).toMatchObject({ status: 'pending' });
  expect(await box.ask(onrampStatus, { requestId: onramp })).toMatchObject({ status: 'swap_queued' });
  expect(swaps[0]).toMatchObject({ status: 'requested', triggerType: 'auto' });
  // Funded after 250 ms, delivered to the swap 150 ms later.
  await pass(box, MINUTE_MS - SETTLED_MS + 400);
  expect(await box.ask(swapStatus, { requestId })).toMatchObject({ status: 'requested' });
  await settle(box);
  expect(await box.ask(swapStatus, { requestId })).toMatchObject({ status: 'completed' });
  expect(await box.ask(onrampStatus, { requestId: onramp })).toMatchObject({ status: 'completed' });
  await expectSettledLedger(box);
});

describe('an onramp of 1901 Naira', () => {
  // Half up: 1.7% is 32.317, 0.5% is 9.505 and 1.5% is 28.515.
  const inFull = {
    userRequestedAmount: 1901,
    fintechFeeAmount: 9.51,
    fintechFeePercentage: 0.5,
    fintechFeeCapped: false,
    platformFeeAmount: 32.32,
    platformFeePercentage: 1.7,
    platformFeeCapped: false,
    gatewayFeeAmount: 28.52,
    gatewayFeePercentage: 1.5,
    totalFeeAmount: 70.35,
    finalAmount: 1971.35,
    amountToWallet: 1901,
  };

  test('is charged a gateway fee, which is in every breakdown and total', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const started = await box.ask(startOnramp, { userId, amount: 1901 });
    expect(started.message).toBe('pay exactly ₦1,971.35 within 30 minutes');
    expect(started.feeBreakdown).toEqual({
      baseAmount: 1901,
      fintechFee: 9.51,
      platformFee: 32.32,
      gatewayFee: 28.52,
      totalFee: 70.35,
      totalAmount: 1971.35,
      breakdown: inFull,
    });
    const { virtualAccount } = await box.ask(getVirtualAccount, { requestId: started.requestId });
    expect(virtualAccount).toMatchObject({
      amount: 1971.35,
      baseAmount: 1901,
      feeAmount: 70.35,
      totalAmountWithFee: 1971.35,
      feeBreakdown: inFull,
    });
  });

  test('accepts only a payment that includes the gateway fee, and keeps that fee apart', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    const ramp = await startRamp(box, user.userId, 1901);
    const before = await box.inside(balances, 'read');
    const earned = async () => (await box.ask(accumulatedFees, {})).summary?.availableForWithdrawal;
    const earnedBefore = Number(await earned());
    expect(await payIn(box, ramp.accountNumber, 194_283n)).toMatchObject({ reason: 'amount_mismatch' });
    await settle(box);
    expect(await payIn(box, ramp.accountNumber, 197_135n)).toMatchObject({ outcome: 'accepted' });
    await settle(box);
    const after = await box.inside(balances, 'read');
    const changed = Object.keys(after).filter((key) => after[key] !== before[key]);
    const moved = Object.fromEntries(changed.map((key) => [key, (after[key] ?? 0n) - (before[key] ?? 0n)]));
    expect(moved).toEqual({
      'bank NGN': -197_135n,
      'fees/fintech/1/onramp NGN': 951n,
      'fees/gateway NGN': 2_852n,
      'fees/platform/onramp NGN': 3_232n,
      'reserve NGN': 190_100n,
      'supply CNGN': -1_901_000_000n,
      [changed.find((key) => key.startsWith('wallet/')) ?? '']: 1_901_000_000n,
    });
    expect(Number(await earned()) - earnedBefore).toBe(951);
    const { deposits } = await box.ask(listDeposits, { status: 'completed' });
    expect(deposits?.[0]).toMatchObject({ amount: 1971.35, fundingAmount: 1901, platformFee: 32.32 });
    await expectSettledLedger(box);
  });
});

test.each([1900.99, 1901.01, 19.01])('an onramp of %d Naira has no gateway fee', async (amount) => {
  await using box = await openSandbox();
  const { userId } = await onboardUser(box);
  const { requestId, feeBreakdown } = await box.ask(startOnramp, { userId, amount });
  const { virtualAccount } = await box.ask(getVirtualAccount, { requestId });
  expect(Object.keys(feeBreakdown)).toEqual(['baseAmount', 'fintechFee', 'platformFee', 'totalFee', 'totalAmount']);
  expect(virtualAccount.feeBreakdown).not.toHaveProperty('gatewayFeeAmount');
});

test('a bridge that receives 1701 cNGN is pending, then fails and returns them', async () => {
  await using box = await openSandbox();
  const before = await box.inside(balances, 'read');
  const { requestId, receivableAddress } = await box.ask(startBridge, {
    token: 'CNGN',
    fromNetwork: 'base',
    toNetwork: 'eth',
    amount: '1701',
    fromAddress: OUTSIDE,
    toAddress: OUTSIDE,
    callbackUrl: 'https://hooks.example.com/bridge',
  });
  const sent = { asset: 'CNGN', amount: '1701', network: 'base', from: OUTSIDE } as const;
  await box.ask(sandboxDeposit, { address: receivableAddress, ...sent });
  await pass(box, 150);
  expect(await box.ask(bridgeStatus, { requestId })).toMatchObject({ status: 'pending' });
  expect((await box.inside(balances, 'read'))['bridging CNGN']).toBe(1_701_000_000n);
  await settle(box);
  expect(await box.ask(bridgeStatus, { requestId })).toMatchObject({ status: 'failed', actualAmount: null });
  expect((await eventsOf(box, requestId)).map(({ event, data }) => [event, data['reason']])).toEqual([
    ['bridge.failed', 'the tokens could not be released on the destination network and were returned'],
  ]);
  expect(await box.inside(balances, 'read')).toEqual(before);
});

test('a fee withdrawal to the account that shows every state is processing for a minute', async () => {
  await using box = await openSandbox();
  const to = { bankAccountNumber: IN_STEPS, bankCode: '000013', accountName: 'HARMATTAN PAY' };
  const { withdrawalId } = await box.ask(withdrawFees, { ...to, amount: 2_000 });
  const read = async () => (await box.ask(verifyWithdrawal, { withdrawalId })).status;
  // From Monday at 10:00 in Lagos, one business day.
  await pass(box, DAY_MS - MINUTE_MS - 1);
  expect(await read()).toBe('pending');
  await pass(box, 1);
  expect(await read()).toBe('processing');
  for (const [status, count] of [
    ['pending', 1],
    ['completed', 0],
  ] as const) {
    const { withdrawals } = await box.ask(feeWithdrawals, { status });
    expect(withdrawals.map((each) => each.status)).toEqual(Array.from({ length: count }, () => status));
  }
  await pass(box, MINUTE_MS);
  expect(await read()).toBe('completed');
  await expectSettledLedger(box);
});

test('an MPC vault named vault-rejected becomes inactive, until another one is registered', async () => {
  await using box = await openSandbox();
  const vault = {
    mpcVaultApiKey: 'a vault key',
    mpcClientSignerPrivateKey: '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n',
    callbackClientSignerPublicKey: 'ssh-ed25519 AAAA ops',
    tokenWallets: { USDT: `0x${'11'.repeat(20)}`, USDC: `0x${'22'.repeat(20)}` },
    notificationEmails: ['ops@example.com'],
  };
  const status = async () => (await box.ask(fxSettings, {})).mpcConfigStatus;
  await box.ask(registerMpc, { ...vault, vaultId: 'vault-rejected' });
  expect(await status()).toBe('pending');
  await settle(box);
  expect(await status()).toBe('inactive');
  await box.ask(registerMpc, { ...vault, vaultId: 'vault-2' });
  await settle(box);
  expect(await status()).toBe('active');
});

describe('an amount that fails', () => {
  test('of an onramp is refunded after the payment', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    const before = await box.inside(balances, 'read');
    const ramp = await startRamp(box, user.userId, 1801);
    await payIn(box, ramp.accountNumber, ramp.totalKobo);
    expect(await box.ask(onrampStatus, { requestId: ramp.requestId })).toMatchObject({ status: 'processing' });
    await pass(box, 250);
    expect(await box.ask(onrampStatus, { requestId: ramp.requestId })).toMatchObject({ status: 'failed' });
    expect((await box.inside(balances, 'read'))['refunds NGN']).toBe(ramp.totalKobo);
    await settle(box);
    const { deposits } = await box.ask(listDeposits, {});
    expect(deposits?.[0]).toMatchObject({ status: 'failed', fundingAmount: null, mintTxHash: null });
    expect(await namesOf(box, ramp.requestId)).toEqual(['virtual.account.created', 'payments.confirmed']);
    expect(await box.inside(balances, 'read')).toEqual(before);
    await expectSettledLedger(box);
  });

  test.each(['base', 'eth'] as const)('of a withdrawal to %s returns to the wallet, with the fee', async (network) => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await fund(box, user, 2000, { sweepToOfframp: true });
    const before = await box.inside(balances, 'read');
    const internalWallet = await managedAddress(box, user.userId);
    const request = { userId: user.userId, internalWallet, destinationWallet: OUTSIDE, amount: 1601 };
    const { requestId } = await box.ask(withdrawAsset, { ...request, ticker: 'CNGN', network });
    const listed = async () => (await box.ask(listWithdrawals, {})).withdrawals?.[0]?.status;
    expect(await listed()).toBe('pending');
    await settle(box);
    expect(await listed()).toBe('failed');
    expect(await namesOf(box, requestId ?? '')).toEqual(['fintech.user.asset.transfer.failed']);
    expect(await box.inside(balances, 'read')).toEqual(before);
    await expectSettledLedger(box);
  });

  test("of the account's own transfer returns to the account wallet", async () => {
    await using box = await openSandbox();
    await register(box);
    const before = await box.inside(balances, 'read');
    const { requestId } = await box.ask(transferToWallet, { destinationAddress: OUTSIDE, amount: 1_601_000_000 });
    expect((await box.inside(balances, 'read'))['bridging CNGN']).toBe(1_601_000_000n);
    await settle(box);
    expect((await box.ask(listWithdrawals, { status: 'failed' })).withdrawals).toMatchObject([{ requestId }]);
    expect((await eventsOf(box, requestId ?? '')).map(({ event, data }) => [event, Object.keys(data)])).toEqual([
      ['fintech.asset.transfer.failed', ['error', 'failedAt']],
    ]);
    expect(await box.inside(balances, 'read')).toEqual(before);
  });
});

describe('a deposit into a permanent account', () => {
  test('of 1501 Naira is pending for a minute, without money, then completes', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    const before = await box.inside(balances, 'read');
    await payIn(box, user.accountNumber, 150_100n, user.name);
    const listed = async () => (await box.ask(listDeposits, {})).deposits?.[0];
    expect(await listed()).toMatchObject({ status: 'pending', amount: 1501 });
    expect(await box.inside(balances, 'read')).toEqual(before);
    await pass(box, MINUTE_MS);
    expect(await listed()).toMatchObject({ status: 'processing' });
    await settle(box);
    const { id, ...ended } = (await listed()) ?? {};
    expect(ended).toMatchObject({ status: 'completed' });
    expect(await namesOf(box, String(id))).toEqual([
      'fintech.user.deposit.received',
      'fintech.user.deposit.funding.completed',
    ]);
    await expectSettledLedger(box);
  });

  test('of 1502 Naira is cancelled, and nothing ever arrives', async () => {
    await using box = await openSandbox();
    const { virtualAccount } = await box.ask(getFintechAccount, {});
    const before = await box.inside(balances, 'read');
    await payIn(box, virtualAccount.accountNumber, 150_200n, 'A BUSINESS');
    await pass(box, MINUTE_MS);
    const { deposits } = await box.ask(listDeposits, { status: 'cancelled' });
    expect(deposits).toMatchObject([{ amount: 1502, walletAddress: null }]);
    expect(await namesOf(box, String(deposits?.[0]?.id))).toEqual([]);
    expect(await box.inside(balances, 'read')).toEqual(before);
    await expectSettledLedger(box);
  });
});

test('a balance that cannot be read on one network is 0 there, with an error; the others are shown', async () => {
  await using box = await openSandbox();
  const { networkBalances, totalBalance } = await box.ask(balanceAddress, { address: `0x${'0'.repeat(36)}dEaD` });
  expect(totalBalance).toBe('0.000000');
  expect(networkBalances?.filter(({ error }) => error !== null)).toEqual([
    { network: 'bsc', balance: '0.000000', error: 'the network cannot be reached' },
  ]);
  expect(networkBalances?.length).toBeGreaterThan(1);
});

test('an expired API key is rejected, even after a reset', async () => {
  await using box = await openSandbox();
  const refused = { status: 401, envelope: { response_code: '03', error: 'the API key has expired' } };
  expect(await box.call('GET', '/getfees', undefined, EXPIRED_KEY)).toMatchObject(refused);
  await box.call('POST', '/_sandbox/reset', {});
  expect(await box.call('GET', '/getfees', undefined, EXPIRED_KEY)).toMatchObject(refused);
  expect(await box.call('GET', '/getfees')).toMatchObject({ status: 200 });
});

testQueryPlans();
