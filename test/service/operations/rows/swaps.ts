import { onrampStatus, startOnramp } from '../../../../src/contract/endpoints/onramp.ts';
import { listSwaps, startSwap, swapStatus, triggerSwap } from '../../../../src/contract/endpoints/swaps.ts';
import { listUserWallets } from '../../../../src/contract/endpoints/wallets.ts';
import type { TestSandbox } from '../../../support/sandbox.ts';
import { deactivate, fund, onboardUser, pass, payIn, startRamp, type User } from '../../steps.ts';
import type { Ask, Declared, GroupRows, Precedence } from './group.ts';

const post = (box: TestSandbox, path: string, body: object) => box.call('POST', path, body);

/** A user with this many Naira of cNGN in the managed wallet. */
async function fundedUser(box: TestSandbox, naira = 5000): Promise<User> {
  const user = await onboardUser(box);
  await fund(box, user, naira, { sweepToOfframp: true });
  return user;
}

const noOrders = (box: TestSandbox) => box.inside(({ store }) => store.run(`UPDATE fx_order SET state = 'paused'`));

const swap = { sellToken: 'CNGN', buyToken: 'USDC', amount: 1000 } as const;

const declared: readonly Declared[] = [
  [
    'swaps.trigger',
    'a field is missing or invalid, such as the wallet address',
    'VALIDATION_ERROR',
    (box) => post(box, '/swaptrigger', { walletAddress: 'abc', sellToken: 'CNGN' }),
  ],
  [
    'swaps.trigger',
    'the order book cannot fill the swap',
    'INSUFFICIENT_LIQUIDITY',
    async (box) => {
      const { walletAddress } = await fund(box, await onboardUser(box), 5000);
      await noOrders(box);
      return post(box, '/swaptrigger', { walletAddress, sellToken: 'CNGN', buyToken: 'USDC' });
    },
  ],
  [
    'swaps.create',
    'a field is missing or invalid, such as an amount of 0',
    'VALIDATION_ERROR',
    (box) => post(box, '/swap', { ...swap, userId: 'nobody', amount: 0 }),
  ],
  [
    'swaps.create',
    'the user is unknown or not verified',
    'USER_NOT_FOUND',
    (box) => post(box, '/swap', { ...swap, userId: 'nobody' }),
  ],
  [
    'swaps.create',
    'the balance of the source wallet is too low',
    'SHORT_BALANCE',
    async (box) => post(box, '/swap', { ...swap, userId: (await fundedUser(box)).userId, amount: 5000.000001 }),
  ],
  [
    'swaps.status',
    'no swap has this request id',
    'NOT_FOUND',
    (box) => box.call('GET', '/swapstatus?requestId=nothing'),
  ],
  [
    'swaps.history',
    'the status is unknown or a date is malformed',
    'VALIDATION_ERROR',
    (box) => box.call('GET', '/swaphistory?startDate=2026-02-30T99:00'),
  ],
];

const precedence: readonly Precedence[] = [
  [
    'one token twice before an unknown user',
    (box) => post(box, '/swap', { ...swap, userId: 'nobody', buyToken: 'CNGN' }),
    'VALIDATION_ERROR',
    /^buyToken/,
  ],
  [
    'an inactive user who swaps',
    async (box) => {
      const { userId } = await fundedUser(box);
      await deactivate(box, userId);
      return post(box, '/swap', { ...swap, userId });
    },
    'VALIDATION_ERROR',
    /inactive/,
  ],
  [
    'the wallet of another user',
    async (box) => {
      const { userId } = await fundedUser(box);
      const { walletAddress } = await fund(box, await onboardUser(box), 5000);
      return post(box, '/swap', { ...swap, userId, smartWalletAddress: walletAddress });
    },
    'VALIDATION_ERROR',
    /^smartWalletAddress: expected a wallet of this user/,
  ],
  [
    'an address without a wallet',
    (box) => post(box, '/swaptrigger', { walletAddress: `0x${'99'.repeat(20)}`, sellToken: 'CNGN' }),
    'VALIDATION_ERROR',
    /^walletAddress/,
  ],
  [
    'a managed wallet instead of an onramp’s',
    async (box) => {
      const { userId } = await fundedUser(box);
      const { wallets } = await box.ask(listUserWallets, { userId });
      const walletAddress = wallets?.[0]?.walletAddress;
      return post(box, '/swaptrigger', { walletAddress, sellToken: 'CNGN', buyToken: 'USDC' });
    },
    'VALIDATION_ERROR',
    /the wallet of an onramp/,
  ],
  [
    'a wallet with a custom owner',
    async (box) => {
      const owner = `0x${'0e'.repeat(20)}`;
      const { walletAddress } = await fund(box, await onboardUser(box), 5000, { owner });
      return post(box, '/swaptrigger', { walletAddress, sellToken: 'CNGN', buyToken: 'USDC' });
    },
    'VALIDATION_ERROR',
    /cannot sign/,
  ],
  [
    'selling cNGN from a wallet whose target is cNGN',
    async (box) => {
      const { walletAddress } = await fund(box, await onboardUser(box), 5000);
      return post(box, '/swaptrigger', { walletAddress, sellToken: 'CNGN' });
    },
    'VALIDATION_ERROR',
    /^buyToken/,
  ],
  [
    'more than the wallet holds before more than the book can fill',
    async (box) => {
      const { walletAddress } = await fund(box, await onboardUser(box), 5000);
      await noOrders(box);
      return post(box, '/swaptrigger', { walletAddress, sellToken: 'CNGN', buyToken: 'USDC', amount: 5001 });
    },
    'VALIDATION_ERROR',
    /^amount/,
  ],
  [
    'an end date before the start date',
    (box) => box.call('GET', '/swaphistory?startDate=2026-02-01&endDate=2026-01-01'),
    'VALIDATION_ERROR',
    /^startDate/,
  ],
  [
    'autoSwap without an asset',
    async (box) => {
      const { userId } = await onboardUser(box);
      return post(box, '/cngnonramp', { userId, amount: 1, autoSwap: true });
    },
    'VALIDATION_ERROR',
    /^assetSwap/,
  ],
];

/** An onramp with auto-swap, read in each of its states. */
async function walkAutoSwap(box: TestSandbox, ask: Ask): Promise<void> {
  const { userId } = await onboardUser(box);
  const { accountNumber, requestId, totalKobo } = await startRamp(box, userId, 7000, {
    autoSwap: true,
    assetSwap: 'USDT',
  });
  await payIn(box, accountNumber, totalKobo);
  for (let count = 0; count < 12; count++) {
    await ask(onrampStatus, { requestId });
    await pass(box, 100);
  }
  await ask(startOnramp, { userId, amount: 10, autoSwap: true, assetSwap: 'USDC' });
}

/** An auto-swap of the test amount is pending for a minute. */
async function walkPendingSwap(box: TestSandbox, ask: Ask): Promise<void> {
  const user = await onboardUser(box);
  await fund(box, user, 1401, { autoSwap: true, assetSwap: 'USDC' });
  const { swaps } = await box.ask(listSwaps, {});
  await ask(swapStatus, { requestId: swaps[0]?.requestId ?? '' });
}

async function walk(box: TestSandbox, ask: Ask): Promise<void> {
  await walkAutoSwap(box, ask);
  await walkPendingSwap(box, ask);
  const user = await fundedUser(box);
  const { walletAddress } = await fund(box, user, 5000);
  const triggered = await ask(triggerSwap, { walletAddress, sellToken: 'CNGN', buyToken: 'USDC' });
  const started = await ask(startSwap, { ...swap, userId: user.userId });
  await ask(listSwaps, {});
  const look = async () => {
    await ask(swapStatus, { requestId: triggered.requestId });
    await ask(swapStatus, { requestId: started.requestId });
  };
  await look();
  await pass(box, 100);
  await look();
  await pass(box, 300);
  await look();
  const failing = await ask(startSwap, { ...swap, userId: user.userId });
  await noOrders(box);
  await pass(box, 1000);
  await ask(swapStatus, { requestId: failing.requestId });
  await ask(listSwaps, { limit: 2, status: 'failed', startDate: '2020-01-01' });
}

export const rows: GroupRows = {
  declared,
  precedence,
  walk,
  unproduced: {},
  unreached: {},
};
