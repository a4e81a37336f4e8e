import { describe, expect, test } from 'vitest';
import { balanceUser } from '../../../src/contract/endpoints/balances.ts';
import { bridgeStatus, startBridge } from '../../../src/contract/endpoints/bridge.ts';
import { transferToWallet } from '../../../src/contract/endpoints/transfers.ts';
import { getFintechWallet } from '../../../src/contract/endpoints/wallets.ts';
import { withdrawAsset } from '../../../src/contract/endpoints/withdrawals.ts';
import { chain, post, walletAccount } from '../../../src/service/ledger.ts';
import { walletAt } from '../../../src/service/wallets/wallets.ts';
import { openSandbox, type TestSandbox } from '../../support/sandbox.ts';
import { balances, expectSettledLedger, fund, onboardUser, settle } from '../steps.ts';
import { managedAddress, OUTSIDE, refusal, register } from '../transfers/steps.ts';

const initiate = (box: TestSandbox, fromAddress: string, fromNetwork = 'base') =>
  box.ask(startBridge, {
    token: 'CNGN',
    fromNetwork,
    toNetwork: 'lisk',
    amount: '40',
    fromAddress,
    toAddress: OUTSIDE,
  });

const statusOf = (box: TestSandbox, requestId: string) => box.ask(bridgeStatus, { requestId });

/** A user with 100 cNGN in the managed wallet on Base. */
async function openWithUser() {
  const box = await openSandbox();
  const user = await onboardUser(box);
  await fund(box, user, 100, { sweepToOfframp: true });
  const internalWallet = await managedAddress(box, user.userId);
  const request = (destinationWallet: string, more: object = {}) => ({
    userId: user.userId,
    internalWallet,
    destinationWallet,
    amount: 40,
    ticker: 'CNGN' as const,
    ...more,
  });
  return {
    box,
    user,
    internalWallet,
    held: async () => (await box.ask(balanceUser, { userId: user.userId })).totalBalance,
    withdraw: (to: string) => box.ask(withdrawAsset, request(to)),
    withdrawRefusal: (to: string, more: object = {}) => refusal(box, 'POST', '/withdrawasset', request(to, more)),
    [Symbol.asyncDispose]: box.close,
  };
}

describe("a withdrawal to a bridge's receivable address", () => {
  test("counts as the bridge's deposit", async () => {
    await using of = await openWithUser();
    const { requestId, receivableAddress } = await initiate(of.box, of.internalWallet);
    await of.withdraw(`0x${receivableAddress.slice(2).toUpperCase()}`);
    expect(await of.box.inside(balances, 'read')).toMatchObject({ 'bridging CNGN': 40_000_000n });
    await settle(of.box);
    expect(await statusOf(of.box, requestId)).toMatchObject({ status: 'completed', actualAmount: '39.800000' });
    expect(await of.held()).toBe('60.000000');
    await expectSettledLedger(of.box);
  });

  test('from an unexpected wallet fails the bridge and is returned', async () => {
    await using of = await openWithUser();
    const { requestId, receivableAddress } = await initiate(of.box, OUTSIDE);
    await of.withdraw(receivableAddress);
    expect(await of.held()).toBe('60.000000');
    await settle(of.box);
    expect({ status: (await statusOf(of.box, requestId)).status, held: await of.held() }).toEqual({
      status: 'failed',
      held: '100.000000',
    });
    await expectSettledLedger(of.box);
  });

  test('is rejected if the bridge already has a deposit', async () => {
    await using of = await openWithUser();
    const { receivableAddress } = await initiate(of.box, of.internalWallet);
    await of.withdraw(receivableAddress);
    expect(await of.withdrawRefusal(receivableAddress)).toBe('400 01 The request is not valid');
    expect(await of.held()).toBe('60.000000');
  });

  test('of another token is rejected, and the bridge keeps waiting', async () => {
    await using of = await openWithUser();
    const { requestId, receivableAddress } = await initiate(of.box, of.internalWallet);
    await of.box.inside((context) => {
      const wallet = walletAt(context.store, of.internalWallet)?.id ?? 0n;
      post(context, 'test', 'gift', [
        { account: chain('USDC'), minor: -50_000_000n },
        { account: walletAccount(wallet, 'base', 'USDC'), minor: 50_000_000n },
      ]);
    });
    expect(await of.withdrawRefusal(receivableAddress, { ticker: 'USDC' })).toBe('400 01 The request is not valid');
    await of.withdraw(receivableAddress);
    await settle(of.box);
    expect((await statusOf(of.box, requestId)).status).toBe('completed');
  });

  test('is rejected if it would itself go over a bridge', async () => {
    await using of = await openWithUser();
    const { receivableAddress } = await initiate(of.box, of.internalWallet, 'bsc');
    expect(await of.withdrawRefusal(receivableAddress, { network: 'bsc' })).toBe('400 01 The request is not valid');
    expect(await of.held()).toBe('100.000000');
  });
});

describe("a fintech transfer to a bridge's receivable address", () => {
  const transfer = (box: TestSandbox, destinationAddress: string) =>
    box.ask(transferToWallet, { destinationAddress, amount: 40_000_000 });

  test("counts as the bridge's deposit", async () => {
    await using box = await openSandbox();
    const { smartWallet } = await box.ask(getFintechWallet, {});
    const { requestId, receivableAddress } = await initiate(box, smartWallet.address);
    await register(box, receivableAddress);
    await transfer(box, receivableAddress);
    await settle(box);
    expect((await statusOf(box, requestId)).status).toBe('completed');
    await expectSettledLedger(box);
  });

  test('is returned if the bridge expects another sender', async () => {
    await using box = await openSandbox();
    const before = await box.inside(balances, 'read');
    const { requestId, receivableAddress } = await initiate(box, OUTSIDE);
    await register(box, receivableAddress);
    await transfer(box, receivableAddress);
    await settle(box);
    expect((await statusOf(box, requestId)).status).toBe('failed');
    expect(await box.inside(balances, 'read')).toEqual(before);
  });
});
