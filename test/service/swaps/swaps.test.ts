import { describe, expect, test } from 'vitest';
import { sandboxDeposit } from '../../../src/contract/control.ts';
import { balanceAddress, balanceUser } from '../../../src/contract/endpoints/balances.ts';
import { setDefaultWallet } from '../../../src/contract/endpoints/default-wallets.ts';
import { onrampStatus } from '../../../src/contract/endpoints/onramp.ts';
import { listSwaps, startSwap, swapStatus, triggerSwap } from '../../../src/contract/endpoints/swaps.ts';
import type { Context } from '../../../src/service/context.ts';
import { fire, type Machine } from '../../../src/service/machine.ts';
import { swap as swapMachine } from '../../../src/service/swaps/machine.ts';
import { openSandbox, type TestSandbox } from '../../support/sandbox.ts';
import {
  balances,
  deactivate,
  expectSettledLedger,
  fund,
  offramp,
  onboardUser,
  pass,
  payIn,
  settle,
  startRamp,
  type User,
} from '../steps.ts';
import { managedAddress } from '../transfers/steps.ts';

const OUTSIDE = `0x${'5e'.repeat(20)}`;
const ELSEWHERE = `0x${'6f'.repeat(20)}`;
const USDC_FOR_7000 = '4.975124';

interface Row {
  readonly flags: {
    readonly autoSwap?: boolean;
    readonly sweepToOfframp?: boolean;
    readonly destinationAssetSwap?: string;
  };
  readonly hasExternal: boolean;
  /** Where the resulting asset ends up. */
  readonly where: 'generated' | 'managed' | 'external' | 'elsewhere';
  readonly asset: 'CNGN' | 'USDC';
}

/**
 * The four combinations of auto-swap and sweep, with and without an external default wallet, and the destination, which
 * only one of them uses.
 */
const ROWS: readonly Row[] = [
  { flags: {}, hasExternal: false, where: 'generated', asset: 'CNGN' },
  { flags: {}, hasExternal: true, where: 'external', asset: 'CNGN' },
  { flags: { destinationAssetSwap: ELSEWHERE }, hasExternal: false, where: 'generated', asset: 'CNGN' },
  { flags: { sweepToOfframp: true }, hasExternal: false, where: 'managed', asset: 'CNGN' },
  { flags: { sweepToOfframp: true }, hasExternal: true, where: 'external', asset: 'CNGN' },
  { flags: { autoSwap: true }, hasExternal: false, where: 'generated', asset: 'USDC' },
  { flags: { autoSwap: true }, hasExternal: true, where: 'generated', asset: 'USDC' },
  { flags: { autoSwap: true, destinationAssetSwap: ELSEWHERE }, hasExternal: false, where: 'elsewhere', asset: 'USDC' },
  { flags: { autoSwap: true, sweepToOfframp: true }, hasExternal: false, where: 'managed', asset: 'USDC' },
  {
    flags: { autoSwap: true, sweepToOfframp: true, destinationAssetSwap: ELSEWHERE },
    hasExternal: true,
    where: 'external',
    asset: 'USDC',
  },
];

/** Returns the balance of each possible destination, by place and asset. */
async function places(box: TestSandbox, user: User, generated: string) {
  return box.inside((context) => {
    const held = balances(context);
    const wallet = (sql: string, value: string | bigint) =>
      context.store.get<{ id: bigint }>(`SELECT id FROM wallet WHERE ${sql}`, value)?.id ?? -1n;
    const id = context.store.get<{ id: bigint }>('SELECT id FROM user WHERE user_id = ?', user.userId)?.id ?? -1n;
    const at = (walletId: bigint, asset: string) => held[`wallet/${walletId}/base ${asset}`] ?? 0n;
    const of = (asset: string) => ({
      generated: at(wallet('address = ?', generated), asset),
      managed: at(wallet(`kind = 'managed' AND user = ?`, id), asset),
      outside: held[`chain ${asset}`] ?? 0n,
    });
    return { CNGN: of('CNGN'), USDC: of('USDC') };
  });
}

/** Sends 7,000 cNGN from outside, on Base. */
const giveCngn = (box: TestSandbox, address: string) =>
  box.ask(sandboxDeposit, { address, asset: 'CNGN', amount: '7000', network: 'base', from: ELSEWHERE });

describe('an onramp', () => {
  test.each(ROWS)(
    'with $flags and external wallet $hasExternal delivers $asset to the $where wallet',
    async ({ flags, hasExternal, where, asset }) => {
      await using box = await openSandbox();
      const user = await onboardUser(box);
      if (hasExternal) await box.ask(setDefaultWallet, { userId: user.userId, address: OUTSIDE, blockchain: 'base' });
      const outsideBefore = (await places(box, user, '')).USDC.outside;
      const { requestId, walletAddress } = await fund(box, user, 7000, {
        ...flags,
        ...(flags.autoSwap ? { assetSwap: 'USDC' as const } : {}),
      });
      const { status, finalAsset, swapCompleted } = await box.ask(onrampStatus, { requestId });
      expect({ status, finalAsset, swapCompleted }).toEqual({
        status: 'completed',
        finalAsset: asset,
        swapCompleted: flags.autoSwap === true,
      });
      const after = await places(box, user, walletAddress);
      const amount = asset === 'CNGN' ? 7_000_000_000n : BigInt(USDC_FOR_7000.replace('.', ''));
      const inside = where === 'generated' || where === 'managed';
      expect(after[asset]).toEqual({
        generated: where === 'generated' ? amount : 0n,
        managed: where === 'managed' ? amount : 0n,
        outside: (asset === 'USDC' ? outsideBefore : 0n) + (inside ? 0n : amount),
      });
      await expectSettledLedger(box);
    },
  );

  test('with sweep, and a swap of its wallet, deliver on the network of the default wallet', async () => {
    await using box = await openSandbox();
    const [user, other] = [await onboardUser(box), await onboardUser(box)];
    const address = await managedAddress(box, other.userId);
    await box.ask(setDefaultWallet, { userId: user.userId, address, blockchain: 'eth' });
    const { walletAddress } = await fund(box, user, 7000, {
      autoSwap: true,
      assetSwap: 'USDC',
      sweepToOfframp: true,
    });
    const there = async () =>
      (await box.ask(balanceAddress, { address, token: 'USDC', networks: ['base', 'eth'] })).networkBalances;
    expect(await there()).toMatchObject([
      { network: 'base', balance: '0.000000' },
      { network: 'eth', balance: USDC_FOR_7000 },
    ]);
    await giveCngn(box, walletAddress);
    await box.ask(triggerSwap, { walletAddress, sellToken: 'CNGN' });
    await settle(box);
    expect(await there()).toMatchObject([{ balance: '0.000000' }, { balance: '9.950248' }]);
  });

  test('keeps its cNGN and fails if the swap finds no orders', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await box.inside(({ store }) => store.run(`UPDATE fx_order SET state = 'paused'`));
    const { requestId, walletAddress } = await fund(box, user, 7000, { autoSwap: true, assetSwap: 'USDC' });
    expect((await box.ask(onrampStatus, { requestId })).status).toBe('failed');
    expect((await places(box, user, walletAddress)).CNGN.generated).toBe(7_000_000_000n);
    await box.inside(({ store }) => store.run(`UPDATE fx_order SET state = 'active'`));
    await box.ask(triggerSwap, { walletAddress, sellToken: 'CNGN' });
    await settle(box);
    expect((await places(box, user, walletAddress)).USDC.generated).toBe(4_975_124n);
  });

  test('shows a retried swap after it has delivered the asset', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await box.inside(({ store }) => store.run(`UPDATE fx_order SET state = 'paused'`));
    const { requestId, walletAddress } = await fund(box, user, 14_000, { autoSwap: true, assetSwap: 'USDC' });
    await box.inside(({ store }) => store.run(`UPDATE fx_order SET state = 'active'`));
    const shown = () => box.ask(onrampStatus, { requestId });
    const swapInto = async (buyToken: 'USDC' | 'USDT', amount: number) => {
      const swap = await box.ask(triggerSwap, { walletAddress, sellToken: 'CNGN', buyToken, amount });
      await settle(box);
      return (await box.ask(swapStatus, { requestId: swap.requestId })).txHash;
    };
    const minted = (await shown()).txHash;
    await swapInto('USDT', 7000);
    expect(await shown()).toMatchObject({ status: 'failed', swapCompleted: false, txHash: minted });
    const txHash = await swapInto('USDC', 7000);
    expect(await shown()).toMatchObject({
      status: 'failed',
      swapCompleted: true,
      finalAsset: 'USDC',
      txHash,
      completedAt: null,
    });
  });

  test.each([
    ['funded', 260],
    ['swap_queued', 410],
    ['swap_processing', 510],
  ])('keeps its cNGN when a swap is triggered while it is %s', async (state, afterMs) => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    const { accountNumber, totalKobo, requestId, walletAddress } = await startRamp(box, user.userId, 7000, {
      autoSwap: true,
      assetSwap: 'USDC',
    });
    // Extra tokens to sell, besides those that the onramp swaps.
    await giveCngn(box, walletAddress);
    await payIn(box, accountNumber, totalKobo);
    await pass(box, afterMs);
    expect((await box.ask(onrampStatus, { requestId })).status).toBe(state);
    const reply = await box.call('POST', '/swaptrigger', { walletAddress, sellToken: 'CNGN' });
    expect({ status: reply.status, response_code: reply.envelope.response_code }).toEqual({
      status: 400,
      response_code: '01',
    });
    await settle(box);
    expect((await box.ask(onrampStatus, { requestId })).status).toBe('completed');
    await box.ask(triggerSwap, { walletAddress, sellToken: 'CNGN' });
  });

  test('has nothing to swap if an offramp emptied its wallet', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    const { accountNumber, totalKobo, requestId } = await startRamp(box, user.userId, 1000, {
      autoSwap: true,
      assetSwap: 'USDC',
    });
    await payIn(box, accountNumber, totalKobo);
    await pass(box, 260);
    // 990.10 plus twice 0.5 percent of it.
    await offramp(box, user.userId, 99_010n);
    await settle(box);
    expect((await box.ask(onrampStatus, { requestId })).status).toBe('failed');
    await expectSettledLedger(box);
  });

  test('of a user who prefers USDC swaps by default, unless the request says otherwise', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    await box.call('POST', '/updateonrampasset', { userId, preferredAsset: 'USDC' });
    const start = async (more: object) =>
      (await box.call('POST', '/cngnonramp', { userId, amount: 100, ...more })).envelope.data;
    expect(await start({})).toMatchObject({ autoSwapEnabled: true, targetAsset: 'USDC' });
    expect(await start({ autoSwap: false })).toMatchObject({ autoSwapEnabled: false, targetAsset: 'CNGN' });
    expect(await start({ autoSwap: true, assetSwap: 'USDT' })).toMatchObject({
      autoSwapEnabled: true,
      targetAsset: 'USDT',
    });
  });
});

async function swapper(box: TestSandbox, naira = 10_000): Promise<User> {
  const user = await onboardUser(box);
  await fund(box, user, naira, { sweepToOfframp: true });
  return user;
}

const balance = async (box: TestSandbox, { userId }: User, token: 'CNGN' | 'USDC' | 'USDT') =>
  (await box.ask(balanceUser, { userId, token })).totalBalance;

describe('a swap', () => {
  test('there and back loses exactly the spread, twice', async () => {
    await using box = await openSandbox();
    const user = await swapper(box);
    const { userId } = user;
    await box.ask(startSwap, { userId, sellToken: 'CNGN', buyToken: 'USDC', amount: 10_000 });
    await settle(box);
    // 10,000 / 1,407.
    expect({ CNGN: await balance(box, user, 'CNGN'), USDC: await balance(box, user, 'USDC') }).toEqual({
      CNGN: '0.000000',
      USDC: '7.107320',
    });
    await box.ask(startSwap, { userId, sellToken: 'USDC', buyToken: 'CNGN', amount: 7.10732 });
    await settle(box);
    // 7.10732 x 1,383.05.
    expect({ CNGN: await balance(box, user, 'CNGN'), USDC: await balance(box, user, 'USDC') }).toEqual({
      CNGN: '9829.778926',
      USDC: '0.000000',
    });
    await expectSettledLedger(box);
  });

  test('from one stablecoin to the other goes through cNGN', async () => {
    await using box = await openSandbox();
    const user = await swapper(box);
    const { userId } = user;
    await box.ask(startSwap, { userId, sellToken: 'CNGN', buyToken: 'USDC', amount: 10_000 });
    await settle(box);
    await box.ask(startSwap, { userId, sellToken: 'USDC', buyToken: 'USDT', amount: 7 });
    await settle(box);
    // 7 x 1,383.05 / 1,407.
    expect({ USDC: await balance(box, user, 'USDC'), USDT: await balance(box, user, 'USDT') }).toEqual({
      USDC: '0.107320',
      USDT: '6.880845',
    });
  });

  test('is not executed beyond the maximum slippage, and returns the sold tokens', async () => {
    await using box = await openSandbox();
    const user = await swapper(box);
    const { requestId } = await box.ask(startSwap, {
      userId: user.userId,
      sellToken: 'CNGN',
      buyToken: 'USDC',
      amount: 5000,
      slippage: 1,
    });
    expect(await balance(box, user, 'CNGN')).toBe('5000.000000');
    await box.inside(({ store }) =>
      store.run(
        `UPDATE fx_order SET taker_price_micro = taker_price_micro * 102 / 100, rank_micro = rank_micro * 102 / 100 WHERE gives = 'USDC'`,
      ),
    );
    await settle(box);
    expect((await box.ask(swapStatus, { requestId })).status).toBe('failed');
    expect(await balance(box, user, 'CNGN')).toBe('10000.000000');
    const events = await box.inside(({ store }) =>
      store.all<{ data: string }>(`SELECT data FROM outbox WHERE event = 'swap.failed'`),
    );
    expect(events.map(({ data }) => JSON.parse(data).error.code)).toEqual(['SLIPPAGE_EXCEEDED']);
    expect(events.map(({ data }) => JSON.parse(data).metadata.pool)).toEqual([null]);
  });

  test.each([
    ['less by a part of the smallest unit', 1n, 'failed'],
    ['not less', 0n, 'completed'],
  ])('allows a slippage to the smallest unit: what it gets is %s', async (_what, more, status) => {
    await using box = await openSandbox();
    const { userId } = await swapper(box);
    const request = { userId, sellToken: 'CNGN', buyToken: 'USDC', amount: 5000, slippage: 1 } as const;
    const { requestId } = await box.ask(startSwap, request);
    // With 1% of slippage, all of what it gets are allowed for an expectation that is higher by a 99th, and no more.
    const expected = (base: bigint) => (base * 100n) / 99n + more;
    await box.inside(({ store }) => {
      const { base } = store.get<{ base: bigint }>('SELECT expected_out_base AS base FROM swap') ?? { base: 0n };
      store.run('UPDATE swap SET expected_out_base = ?', expected(base));
    });
    await settle(box);
    expect((await box.ask(swapStatus, { requestId })).status).toBe(status);
  });

  test('debits what it sells at once, so that cNGN is not swapped twice', async () => {
    await using box = await openSandbox();
    const { userId } = await swapper(box);
    const request = { userId, sellToken: 'CNGN', buyToken: 'USDT', amount: 6000 };
    const replies = [await box.call('POST', '/swap', request), await box.call('POST', '/swap', request)];
    expect(replies.map(({ status, envelope }) => [status, envelope.response_code])).toEqual([
      [200, '00'],
      [400, '05'],
    ]);
  });

  test('skips the orders of its own fintech', async () => {
    await using box = await openSandbox();
    const user = await swapper(box);
    const own = { pair: 'CNGN-USDC', side: 'sell', price: '1000', spread: 0.1, minAmount: '1', maxAmount: '1000000' };
    await box.call('POST', '/fx/limit-order', own);
    await box.ask(startSwap, { userId: user.userId, sellToken: 'CNGN', buyToken: 'USDC', amount: 10_000 });
    await settle(box);
    expect(await balance(box, user, 'USDC')).toBe('7.107320');
  });

  test("of an inactive user's onramp wallet is rejected", async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    const { walletAddress } = await fund(box, user, 1000);
    await deactivate(box, user.userId);
    const { status } = await box.call('POST', '/swaptrigger', { walletAddress, sellToken: 'CNGN', buyToken: 'USDC' });
    expect(status).toBe(400);
  });

  test('is listed once, newest first, page by page', async () => {
    await using box = await openSandbox();
    const { userId } = await swapper(box);
    const ids: string[] = [];
    for (const amount of [1000, 1001, 1002]) {
      ids.unshift((await box.ask(startSwap, { userId, sellToken: 'CNGN', buyToken: 'USDC', amount })).requestId);
    }
    const pages = [await box.ask(listSwaps, { limit: 2 }), await box.ask(listSwaps, { limit: 2, offset: 2 })];
    expect(pages.flatMap(({ swaps }) => swaps.map(({ requestId }) => requestId))).toEqual(ids);
    expect(pages.map(({ pagination }) => [pagination.total, pagination.hasMore])).toEqual([
      [3, true],
      [3, false],
    ]);
    expect((await box.ask(listSwaps, { offset: 50 })).swaps).toEqual([]);
  });
});

const TABLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  requested: { begun: 'processing' },
  queued: { begun: 'processing' },
  processing: { executed: 'completed' },
  completed: {},
  failed: {},
};

describe('the swap machine', () => {
  const steps = Object.keys(TABLE).flatMap((state) => ['begun', 'executed'].map((event) => [state, event] as const));

  test.each(steps)('%s, %s', async (state, event) => {
    await using box = await openSandbox();
    const { userId } = await swapper(box);
    const { requestId } = await box.ask(startSwap, { userId, sellToken: 'CNGN', buyToken: 'USDC', amount: 1000 });
    const ended = await box.inside((context) => {
      context.store.run('DELETE FROM due');
      context.store.run('UPDATE swap SET state = ? WHERE request_id = ?', state, requestId);
      return fireOn(context, requestId, event);
    });
    expect(ended).toBe(TABLE[state]?.[event] ?? state);
  });

  test('processing, executed, without orders', async () => {
    await using box = await openSandbox();
    const { userId } = await swapper(box);
    const { requestId } = await box.ask(startSwap, { userId, sellToken: 'CNGN', buyToken: 'USDC', amount: 1000 });
    const ended = await box.inside((context) => {
      context.store.run(`UPDATE fx_order SET state = 'deleted'`);
      context.store.run(`UPDATE swap SET state = 'processing' WHERE request_id = ?`, requestId);
      return fireOn(context, requestId, 'executed');
    });
    expect(ended).toBe('failed');
  });
});

function fireOn(context: Context, requestId: string, event: string): string {
  const row = () =>
    context.store.get<{ id: bigint; state: string }>('SELECT id, state FROM swap WHERE request_id = ?', requestId);
  fire(context, swapMachine as Machine<never>, row()?.id ?? 0n, event);
  return row()?.state ?? '';
}
