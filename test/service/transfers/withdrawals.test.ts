import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test, vi } from 'vitest';
import type { RequestOf } from '../../../src/contract/endpoint.ts';
import { balanceAddress, balanceUser } from '../../../src/contract/endpoints/balances.ts';
import { setExternalWalletStatus } from '../../../src/contract/endpoints/external-wallets.ts';
import { transferToWallet } from '../../../src/contract/endpoints/transfers.ts';
import { getFintechWallet } from '../../../src/contract/endpoints/wallets.ts';
import { listWithdrawals, withdrawAsset } from '../../../src/contract/endpoints/withdrawals.ts';
import { TOKENS } from '../../../src/money/amount.ts';
import { chain, post, walletAccount } from '../../../src/service/ledger.ts';
import { accountAt, walletAt } from '../../../src/service/wallets/wallets.ts';
import { openSandbox, type TestSandbox } from '../../support/sandbox.ts';
import { balances, expectSettledLedger, fund, onboardUser, pass, secondKey, settle } from '../steps.ts';
import { commit, eventsOf, managedAddress, OUTSIDE, refusal, register } from './steps.ts';

const MILLION = 1_000_000;

const held = async (box: TestSandbox, name: string) => (await box.inside(balances, 'read'))[name] ?? 0n;

interface Kept {
  readonly type: string;
  readonly state: string;
  readonly amount_base: bigint;
  readonly fee_base: bigint;
  readonly network: string;
}

function recordOf(box: TestSandbox, requestId: string | null | undefined): Promise<Kept | undefined> {
  const sql = 'SELECT type, state, amount_base, fee_base, network FROM withdrawal WHERE request_id = ?';
  return box.inside(({ store }) => store.get<Kept>(sql, requestId ?? ''), 'read');
}

describe('a fintech transfer', () => {
  const send = (box: TestSandbox, amount: number, more: { ticker?: 'CNGN' | 'USDC' | 'USDT'; note?: string } = {}) =>
    box.ask(transferToWallet, { destinationAddress: OUTSIDE, amount, ...more });
  const sendRefusal = (box: TestSandbox, amount: number, more: object = {}) =>
    refusal(box, 'POST', '/fintechtransfer', { destinationAddress: OUTSIDE, amount, ...more });

  test.each(TOKENS)('of %s completes at once and is free', async (ticker) => {
    await using box = await openSandbox();
    await register(box);
    const { smartWallet } = await box.ask(getFintechWallet, {});
    const before = await held(box, `chain ${ticker}`);
    const answer = await send(box, 5 * MILLION, { ticker });
    expect(answer).toMatchObject({
      smartWalletAddress: smartWallet.address,
      destinationAddress: OUTSIDE,
      destinationLabel: 'treasury',
      amount: '5000000',
      ticker,
      feeBreakdown: { requestedAmount: '5000000', totalFee: '0', netAmount: '5000000' },
    });
    expect((await held(box, `chain ${ticker}`)) - before).toBe(5_000_000n);
    expect(await recordOf(box, answer.requestId)).toEqual({
      type: 'fintech_self_transfer',
      state: 'completed',
      amount_base: 5_000_000n,
      fee_base: 0n,
      network: 'base',
    });
    await expectSettledLedger(box);
  });

  test('accepts the destination in any spelling, and reaches a wallet of the sandbox', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const address = await managedAddress(box, userId);
    await register(box, address);
    const destinationAddress = `0x${address.slice(2).toUpperCase()}`;
    await box.ask(transferToWallet, { destinationAddress, amount: 7 * MILLION });
    expect((await box.ask(balanceUser, { userId })).totalBalance).toBe('7.000000');
    expect(await held(box, 'chain CNGN')).toBe(0n);
    await expectSettledLedger(box);
  });

  test('emits an event with its note', async () => {
    await using box = await openSandbox();
    await register(box);
    const note = 'é'.repeat(500);
    const { requestId } = await send(box, MILLION, { note });
    expect(await eventsOf(box, requestId ?? '')).toMatchObject([
      {
        event: 'fintech.asset.transfer.completed',
        user_id: null,
        data: { amount: '1.000000', ticker: 'cNGN', destinationLabel: 'treasury', note },
      },
    ]);
  });

  test('leaves what active orders may take', async () => {
    await using box = await openSandbox();
    await register(box);
    await commit(box, 4_000_000n);
    await commit(box, 500_000n);
    expect(await sendRefusal(box, 500_000 * MILLION + 1)).toBe('400 05 The balance is too low');
    const { commitmentsSafeguarded } = await send(box, 500_000 * MILLION);
    expect(commitmentsSafeguarded).toEqual({
      activeOrders: 2,
      activeEscrows: 0,
      totalCommitted: String(4_500_000 * MILLION),
      remainingBalance: String(4_500_000 * MILLION),
    });
    expect(await sendRefusal(box, 1)).toBe('400 05 The balance is too low');
  });

  test('of stablecoin is not limited by orders, which draw on the vault', async () => {
    await using box = await openSandbox();
    await register(box);
    await box.inside(({ store }) => store.run(`UPDATE fx_order SET fintech = 1 WHERE gives = 'USDC'`));
    expect((await send(box, 2_000 * MILLION, { ticker: 'USDC' })).commitmentsSafeguarded).toMatchObject({
      totalCommitted: '0',
      remainingBalance: '0',
    });
  });

  test('can take the whole balance on Base, but not one base unit more', async () => {
    await using box = await openSandbox();
    await register(box);
    expect(await sendRefusal(box, 5_000_000 * MILLION + 1)).toBe('400 05 The balance is too low');
    expect(await sendRefusal(box, 5_000_000 * MILLION)).toBeUndefined();
    expect(await sendRefusal(box, 1)).toBe('400 05 The balance is too low');
    await expectSettledLedger(box);
  });

  test('succeeds only once when two request the full balance together', async () => {
    await using box = await openSandbox();
    await register(box);
    const all = 5_000_000 * MILLION;
    const both = await Promise.all([sendRefusal(box, all), sendRefusal(box, all)]);
    expect(both.sort()).toEqual(['400 05 The balance is too low', undefined]);
  });

  test('to a deactivated wallet is rejected until the wallet is reactivated', async () => {
    await using box = await openSandbox();
    await register(box);
    await box.ask(setExternalWalletStatus, { address: OUTSIDE, status: 'inactive' });
    const before = await box.inside(balances, 'read');
    expect(await sendRefusal(box, 1)).toBe('400 01 The request is not valid');
    expect(await box.inside(balances, 'read')).toEqual(before);
    await box.ask(setExternalWalletStatus, { address: OUTSIDE, status: 'active' });
    expect(await sendRefusal(box, 1)).toBeUndefined();
  });

  test('is rejected for a wallet that another fintech registered', async () => {
    await using box = await openSandbox();
    await register(box);
    const body = { destinationAddress: OUTSIDE, amount: 1 };
    expect((await box.call('POST', '/fintechtransfer', body, await secondKey(box))).status).toBe(400);
  });
});

type Withdrawal = Partial<RequestOf<typeof withdrawAsset>>;

/** A user with 100 cNGN in the managed wallet, and functions that withdraw from it. */
async function openWithUser() {
  const box = await openSandbox();
  const user = await onboardUser(box);
  await fund(box, user, 100, { sweepToOfframp: true });
  const from = { userId: user.userId, internalWallet: await managedAddress(box, user.userId) };
  const request = (more: Withdrawal) => ({
    ...from,
    destinationWallet: OUTSIDE,
    amount: 1,
    ticker: 'CNGN' as const,
    ...more,
  });
  return {
    box,
    user,
    withdraw: (more: Withdrawal) => box.ask(withdrawAsset, request(more)),
    withdrawRefusal: (more: Withdrawal) => refusal(box, 'POST', '/withdrawasset', request(more)),
    [Symbol.asyncDispose]: box.close,
  };
}

const SOLANA = 'So11111111111111111111111111111111111111112';
const BANTU = 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF';

describe('a user withdrawal', () => {
  test('on Base completes at once and is free', async () => {
    await using of = await openWithUser();
    const answer = await of.withdraw({ amount: 40.5 });
    expect(answer).toMatchObject({
      userId: of.user.userId,
      amount: '40.500000',
      destinationWallet: OUTSIDE,
      tokenSymbol: 'CNGN',
      network: 'base',
      networkDisplayName: 'Base',
      warnings: [],
      feeBreakdown: { requestedAmount: '40.500000', totalFee: '0.000000', netAmount: '40.500000' },
    });
    expect(await held(of.box, 'chain CNGN')).toBe(40_500_000n);
    expect((await of.box.ask(balanceUser, { userId: of.user.userId })).totalBalance).toBe('59.500000');
    expect(await recordOf(of.box, answer.requestId)).toMatchObject({
      type: 'fintech_user_withdrawal',
      state: 'completed',
    });
    expect(await eventsOf(of.box, answer.requestId ?? '')).toMatchObject([
      { event: 'fintech.user.asset.transfer.completed', user_id: of.user.userId, data: { amount: '40.500000' } },
    ]);
    await expectSettledLedger(of.box);
  });

  /** The bridge deducts 0.5 percent, rounded half up; 0.25 more for Ethereum, 0.1 more for Solana and Bantu. */
  const bridged: [
    network: 'bsc' | 'eth' | 'asc' | 'arc' | 'lisk' | 'sol' | 'xbn',
    to: string,
    amount: number,
    fee: bigint,
  ][] = [
    ['bsc', OUTSIDE, 100, 500_000n],
    ['eth', OUTSIDE, 0.0001, 1n],
    ['eth', OUTSIDE, 100, 750_000n],
    ['asc', OUTSIDE, 0.000099, 0n],
    ['arc', OUTSIDE, 0.000001, 0n],
    ['lisk', OUTSIDE, 0.0003, 2n],
    ['sol', SOLANA, 20, 120_000n],
    ['xbn', BANTU, 33.333333, 200_000n],
  ];

  test.each(bridged)('to %s %s of %d cNGN is pending while it is in the bridge', async (network, to, amount, fee) => {
    await using of = await openWithUser();
    const base = BigInt(Math.round(amount * MILLION));
    const { requestId, warnings } = await of.withdraw({ network, destinationWallet: to, amount });
    expect(warnings).toHaveLength(1);
    expect(await recordOf(of.box, requestId)).toEqual({
      type: 'fintech_user_withdrawal',
      state: 'pending',
      amount_base: base,
      fee_base: fee,
      network,
    });
    expect(await held(of.box, 'bridging CNGN')).toBe(base - fee);
    expect(await held(of.box, 'fees/platform/tokens CNGN')).toBe(fee);
    await pass(of.box, 299);
    expect(await eventsOf(of.box, requestId ?? '')).toEqual([]);
    await pass(of.box, 1);
    expect(await recordOf(of.box, requestId)).toMatchObject({ state: 'completed' });
    expect(await held(of.box, 'bridging CNGN')).toBe(0n);
    expect(await held(of.box, 'chain CNGN')).toBe(base - fee);
    const [event] = await eventsOf(of.box, requestId ?? '');
    expect(event).toMatchObject({ event: 'fintech.user.asset.transfer.completed', data: { network } });
    await expectSettledLedger(of.box);
  });

  test('to another network reaches a wallet of the sandbox there', async () => {
    await using of = await openWithUser();
    const other = await onboardUser(of.box);
    const destinationWallet = await managedAddress(of.box, other.userId);
    await of.withdraw({ network: 'eth', destinationWallet, amount: 100 });
    await settle(of.box);
    const { networkBalances } = await of.box.ask(balanceAddress, { address: destinationWallet });
    expect(networkBalances?.find(({ network }) => network === 'eth')?.balance).toBe('99.250000');
    expect(await held(of.box, 'chain CNGN')).toBe(0n);
    await expectSettledLedger(of.box);
  });

  test.each(['base', 'sol'] as const)('of stablecoin to %s leaves the sandbox', async (network) => {
    await using of = await openWithUser();
    await giveStablecoin(of.box, of.user.userId);
    const before = await held(of.box, 'chain USDC');
    const destinationWallet = network === 'sol' ? SOLANA : OUTSIDE;
    await of.withdraw({ ticker: 'USDC', network, destinationWallet, amount: 10 });
    await settle(of.box);
    const net = network === 'sol' ? 9_940_000n : 10_000_000n;
    expect((await held(of.box, 'chain USDC')) - before).toBe(net);
    await expectSettledLedger(of.box);
  });

  test('of stablecoin over the bridge reaches a wallet of the sandbox', async () => {
    await using of = await openWithUser();
    await giveStablecoin(of.box, of.user.userId);
    const address = await managedAddress(of.box, (await onboardUser(of.box)).userId);
    await of.withdraw({ ticker: 'USDC', network: 'bsc', destinationWallet: address, amount: 10 });
    await settle(of.box);
    expect(await of.box.ask(balanceAddress, { address, token: 'USDC' })).toMatchObject({ totalBalance: '9.950000' });
    await expectSettledLedger(of.box);
  });

  test('can take the whole balance, but not one base unit more', async () => {
    await using of = await openWithUser();
    expect(await of.withdrawRefusal({ amount: 100.000001 })).toBe('400 05 The balance is too low');
    expect(await of.withdrawRefusal({ amount: 100 })).toBeUndefined();
    expect(await of.withdrawRefusal({ amount: 0.000001 })).toBe('400 05 The balance is too low');
  });

  test('succeeds only once when two request the full balance together', async () => {
    await using of = await openWithUser();
    const both = await Promise.all([of.withdrawRefusal({ amount: 100 }), of.withdrawRefusal({ amount: 100 })]);
    expect(both.sort()).toEqual(['400 05 The balance is too low', undefined]);
  });

  test('draws on one wallet only', async () => {
    await using of = await openWithUser();
    const { walletAddress } = await fund(of.box, of.user, 50);
    expect(await of.withdrawRefusal({ amount: 120 })).toBe('400 05 The balance is too low');
    expect(
      await of.withdrawRefusal({ internalWallet: walletAddress.toUpperCase().replace('0X', '0x'), amount: 50 }),
    ).toBe(undefined);
  });

  test('finds nothing at the empty addresses on Bantu and Solana', async () => {
    await using of = await openWithUser();
    const sql = `SELECT address FROM wallet WHERE kind = 'multi_chain' ORDER BY id`;
    const own = await of.box.inside(({ store }) => store.all<{ address: string }>(sql), 'read');
    const refusals: unknown[] = [];
    for (const { address } of own) refusals.push(await of.withdrawRefusal({ internalWallet: address }));
    expect(refusals).toEqual(['400 05 The balance is too low', '400 05 The balance is too low']);
  });

  test("to the wallet's own address on another network moves tokens there", async () => {
    await using of = await openWithUser();
    const address = await managedAddress(of.box, of.user.userId);
    await of.withdraw({ network: 'bsc', destinationWallet: address, amount: 100 });
    await settle(of.box);
    const { totalBalance, networkBalances } = await of.box.ask(balanceAddress, { address, networks: ['base', 'bsc'] });
    expect({ totalBalance, balances: networkBalances?.map(({ balance }) => balance) }).toEqual({
      totalBalance: '99.500000',
      balances: ['0.000000', '99.500000'],
    });
  });

  test('from a balance on the destination network needs no bridge', async () => {
    await using of = await openWithUser();
    const address = await managedAddress(of.box, of.user.userId);
    await moveTo(of.box, address, 'bsc', 60_000_000n);
    const { feeBreakdown, warnings } = await of.withdraw({ network: 'bsc', amount: 60 });
    expect({ totalFee: feeBreakdown?.totalFee, warnings }).toEqual({ totalFee: '0.000000', warnings: [] });
    expect(await held(of.box, 'chain CNGN')).toBe(60_000_000n);
    // That network is empty now, so the next one comes from Base, over the bridge.
    expect((await of.withdraw({ network: 'bsc', amount: 40 })).feeBreakdown?.totalFee).toBe('0.200000');
    await settle(of.box);
    await expectSettledLedger(of.box);
  });

  test('draws on one network only, even if two together hold enough', async () => {
    await using of = await openWithUser();
    await moveTo(of.box, await managedAddress(of.box, of.user.userId), 'bsc', 50_000_000n);
    expect(await of.withdrawRefusal({ network: 'bsc', amount: 51 })).toBe('400 05 The balance is too low');
  });

  test("to the wallet's own address on a network goes over the bridge, even if the wallet has a balance there", async () => {
    await using of = await openWithUser();
    const address = await managedAddress(of.box, of.user.userId);
    await moveTo(of.box, address, 'bsc', 50_000_000n);
    await of.withdraw({ network: 'bsc', destinationWallet: address, amount: 50 });
    await settle(of.box);
    expect(await of.box.ask(balanceAddress, { address })).toMatchObject({ totalBalance: '99.750000' });
    await expectSettledLedger(of.box);
  });

  test('is rejected for another fintech', async () => {
    await using of = await openWithUser();
    const internalWallet = await managedAddress(of.box, of.user.userId);
    const body = { userId: of.user.userId, internalWallet, destinationWallet: OUTSIDE, amount: 1, ticker: 'CNGN' };
    expect((await of.box.call('POST', '/withdrawasset', body, await secondKey(of.box))).status).toBe(404);
  });
});

/** Moves cNGN of a wallet from Base to another network. */
async function moveTo(box: TestSandbox, address: string, network: string, base: bigint): Promise<void> {
  await box.inside((context) => {
    const wallet = walletAt(context.store, address)?.id ?? 0n;
    post(context, 'test', 'bridged', [
      { account: walletAccount(wallet, 'base', 'CNGN'), minor: -base },
      { account: walletAccount(wallet, network, 'CNGN'), minor: base },
    ]);
  });
}

/** Deposits 50 USDC from outside into a user's managed wallet. */
async function giveStablecoin(box: TestSandbox, userId: string): Promise<void> {
  const address = await managedAddress(box, userId);
  await box.inside((context) => {
    post(context, 'test', 'gift', [
      { account: chain('USDC'), minor: -50_000_000n },
      { account: accountAt(context.store, address, 'base', 'USDC'), minor: 50_000_000n },
    ]);
  });
}

test('open withdrawals are counted by the index of open ones', async () => {
  await using box = await openSandbox();
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  await box.ask(listWithdrawals, { status: 'pending' });
  const [count = ''] = prepare.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes('FROM withdrawal'));
  prepare.mockRestore();
  const plan = box.service.store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${count}`, 1n, 'pending');
  expect(plan[0]?.detail).toBe('SEARCH withdrawal USING INDEX withdrawal_in_flight (fintech=?)');
});
