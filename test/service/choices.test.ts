import { describe, expect, test } from 'vitest';
import { setExternalWalletStatus } from '../../src/contract/endpoints/external-wallets.ts';
import { disableAutoSigning } from '../../src/contract/endpoints/fx-auto-signing.ts';
import { orderBook, orderBookStats } from '../../src/contract/endpoints/fx-book.ts';
import { createOrder } from '../../src/contract/endpoints/fx-orders.ts';
import { quote } from '../../src/contract/endpoints/fx-quotes.ts';
import { marketOrder } from '../../src/contract/endpoints/fx-trades.ts';
import { fxSettings, registerMpc } from '../../src/contract/endpoints/fx-vault.ts';
import { onrampStatus, startOnramp } from '../../src/contract/endpoints/onramp.ts';
import { startSwap } from '../../src/contract/endpoints/swaps.ts';
import { listUsers } from '../../src/contract/endpoints/user-list.ts';
import { getDetails, onboard, onboardStatus } from '../../src/contract/endpoints/users.ts';
import { migrateUserWallets } from '../../src/contract/endpoints/wallet-migration.ts';
import { listUserWallets } from '../../src/contract/endpoints/wallets.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { freshBvn, fund, onboardUser, pass, startRamp } from './steps.ts';
import { eventsOf, managedAddress, OUTSIDE, refusal, register } from './transfers/steps.ts';

// Choices of the sandbox that docs/contributing/inferred.md lists and no other test is about.

const order = {
  orderType: 'sell',
  baseCurrency: 'cNGN',
  quoteCurrency: 'USDC',
  price: '1350',
  minAmount: '1000',
  maxAmount: '5000',
} as const;

test('objects whose fields are not documented are accepted and ignored', async () => {
  await using box = await openSandbox();
  const { userId } = await onboardUser(box);
  const account = { accountNumber: '0123456789', bankCode: '000013' };
  const plain = await box.call('POST', '/addbankaccount', account);
  const withMetadata = await box.call('POST', '/addbankaccount', { ...account, metadata: { team: { name: 'x' } } });
  expect(withMetadata).toEqual(plain);
  const migration = { userId: [userId], options: { chains: ['base'], retry: true } };
  expect((await box.ask(migrateUserWallets, migration)).skipped).toBe(1);
});

test('the older filters of token withdrawals are ignored', async () => {
  await using box = await openSandbox();
  const plain = await box.call('GET', '/withdrawals');
  expect(plain.status).toBe(200);
  expect(await box.call('GET', '/withdrawals?tokenType=USDC&sortOrder=asc')).toEqual(plain);
});

describe('the mock mode of the public sandbox', () => {
  test('is ignored: an onboarding starts and completes as without it', async () => {
    await using box = await openSandbox();
    const { status, envelope } = await box.call('POST', '/onboarduser?mockMode=async', { bvn: freshBvn() });
    expect({ status, state: envelope.data?.['status'] }).toEqual({ status: 200, state: 'processing' });
    await pass(box, 10_000);
    const requestId = String(envelope.data?.['requestId']);
    expect((await box.ask(onboardStatus, { requestId })).status).toBe('completed');
  });
});

describe('a user', () => {
  test('has a permanent account as soon as the onboarding completes', async () => {
    await using box = await openSandbox({ pace: 'real' });
    const { userHash, requestId } = await box.ask(onboard, { bvn: freshBvn() });
    await pass(box, 120_000);
    expect((await box.ask(onboardStatus, { requestId })).status).toBe('completed');
    expect((await box.ask(getDetails, { userId: userHash })).virtualAccounts).toHaveLength(1);
  });

  test('has no phone number and no date of birth', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const { envelope } = await box.call('POST', '/getuserdetails', { userId });
    expect(JSON.stringify(envelope.data)).toContain('firstName');
    expect(JSON.stringify(envelope.data)).not.toMatch(/phone|birth/i);
  });

  test('has an id of 64 digits that sorts by creation time', async () => {
    await using box = await openSandbox();
    const made: string[] = [];
    for (let count = 0; count < 5; count++) made.push((await onboardUser(box)).userId);
    expect(made.every((id) => /^[0-9a-f]{64}$/.test(id))).toBe(true);
    expect(made).toEqual(made.toSorted());
    const { users } = await box.ask(listUsers, { sortBy: 'createdAt', orderDirection: 'asc' });
    expect(users.map(({ userId }) => userId)).toEqual(made);
  });

  test('counts once when a migration names it twice', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const { totalProcessed, results } = await box.ask(migrateUserWallets, { userId: [userId, userId], force: true });
    expect({ totalProcessed, results: results?.length }).toEqual({ totalProcessed: 1, results: 1 });
  });
});

describe('an onramp', () => {
  test('cannot swap in a wallet with a custom owner', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const request = { userId, amount: 500, owner: OUTSIDE, autoSwap: true, assetSwap: 'USDC' };
    const { status, envelope } = await box.call('POST', '/cngnonramp', request);
    expect({ status, error: envelope.error }).toEqual({
      status: 400,
      error: 'owner: the service cannot swap in a wallet with a custom owner',
    });
  });

  test('without a custom owner is service-managed', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const { requestId } = await startRamp(box, userId, 500);
    expect((await box.ask(onrampStatus, { requestId })).wallet?.owner).toBe('service-managed');
    const { wallets } = await box.ask(listUserWallets, { userId });
    expect(wallets?.some(({ owner }) => owner === 'service-managed')).toBe(true);
  });

  test('without auto-swap has cNGN as its target asset, whatever the request names', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const started = await box.ask(startOnramp, { userId, amount: 500, assetSwap: 'USDC', autoSwap: false });
    expect(started).toMatchObject({ autoSwapEnabled: false, targetAsset: 'CNGN' });
  });

  test('shows what the order book would give until the swap happens', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const { requestId } = await startRamp(box, userId, 5000, { autoSwap: true, assetSwap: 'USDC' });
    expect((await box.ask(onrampStatus, { requestId })).fxQuote).toMatchObject({ available: true, pair: 'CNGN-USDC' });
  });
});

test('an inactive external wallet is like any other address for a user’s withdrawal', async () => {
  await using box = await openSandbox();
  const user = await onboardUser(box);
  await fund(box, user, 100, { sweepToOfframp: true });
  await register(box);
  await box.ask(setExternalWalletStatus, { address: OUTSIDE, status: 'inactive' });
  const request = {
    userId: user.userId,
    amount: 5,
    ticker: 'CNGN',
    internalWallet: await managedAddress(box, user.userId),
    destinationWallet: OUTSIDE,
  } as const;
  const { status, envelope } = await box.call('POST', '/withdrawasset', { ...request, network: 'base' });
  expect({ status, error: envelope.error }).toEqual({ status: 200, error: undefined });
});

describe('an order', () => {
  test('of type sell gives cNGN, so that its side is buy; without a spread, it has none', async () => {
    await using box = await openSandbox();
    expect(await box.ask(createOrder, order)).toMatchObject({ side: 'buy', spread: 0 });
    expect(await box.ask(createOrder, { ...order, orderType: 'buy' })).toMatchObject({ side: 'sell' });
  });

  test('of a wallet that no longer covers it can be paused, or lowered to what is there', async () => {
    await using box = await openSandbox();
    const { orderId } = await box.ask(createOrder, order);
    await box.inside(({ store }) => store.run('UPDATE fx_order SET max_base = 9000000000000000 WHERE fintech = 1'));
    const change = (more: object) => refusal(box, 'PUT', '/fx/limit-order/update', { orderId, ...more });
    expect(await change({ price: '1351' })).toMatch(/^400 05/);
    expect(await change({ status: 'paused' })).toBeUndefined();
    expect(await change({ status: 'active', maxAmount: '4000' })).toBeUndefined();
  });

  test('counts the wallet behind it once in the statistics, however many orders it backs', async () => {
    await using box = await openSandbox();
    const read = async () => (await box.ask(orderBookStats, { pair: 'CNGN-USDC' })).stats;
    await box.ask(createOrder, order);
    const one = await read();
    await box.ask(createOrder, { ...order, price: '1340' });
    const two = await read();
    expect(two?.totalBuyLiquidity).toBe(one?.totalBuyLiquidity);
    expect(two?.buyOrderCount).toBe(Number(one?.buyOrderCount) + 1);
  });
});

test('a market order and the order book token have both spellings of the envelope', async () => {
  await using box = await openSandbox();
  const order = await box.call('POST', '/fx/market-order', { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '5000' });
  const token = await box.call('GET', '/fx/orderbook-token');
  for (const { envelope } of [order, token])
    expect(envelope).toMatchObject({ status: 'Success', response_code: '00', responseCode: '00' });
});

test('a swap shows the slippage that was allowed in its event, and its id has a prefix', async () => {
  await using box = await openSandbox();
  const user = await onboardUser(box);
  await fund(box, user, 5000, { sweepToOfframp: true });
  const request = { userId: user.userId, sellToken: 'CNGN', buyToken: 'USDC', amount: 2000, slippage: 1.5 } as const;
  const { requestId } = await box.ask(startSwap, request);
  expect(requestId).toMatch(/^swap-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  await pass(box, 10_000);
  const completed = (await eventsOf(box, requestId)).find(({ event }) => event === 'swap.completed');
  expect(completed?.data).toMatchObject({ swapMetrics: { slippage: '1.5' } });
});

test('a market order on the pair CNGN trades the stablecoin that is better for the taker', async () => {
  await using box = await openSandbox();
  const ask = async (pair: 'CNGN-USDC' | 'CNGN-USDT') =>
    Number((await box.ask(quote, { pair, side: 'buy', cngnAmount: '5000' })).quote.price);
  const best = (await ask('CNGN-USDC')) <= (await ask('CNGN-USDT')) ? 'CNGN-USDC' : 'CNGN-USDT';
  const { trade } = await box.ask(marketOrder, { pair: 'CNGN', side: 'buy', cngnAmount: '5000' });
  expect(trade.pair).toBe(best);
  expect((await box.ask(orderBook, { pair: best })).sellOrders?.length).toBeGreaterThan(0);
});

describe('the MPC vault', () => {
  const vault = {
    mpcVaultApiKey: 'vault-key-invented',
    vaultId: 'vault-of-ours',
    callbackClientSignerPublicKey: 'ssh-ed25519 AA',
    mpcClientSignerPrivateKey: '-----BEGIN OPENSSH PRIVATE KEY-----\nQUJD\n-----END OPENSSH PRIVATE KEY-----\n',
    tokenWallets: { USDC: `0x${'1a'.repeat(20)}`, USDT: `0x${'1b'.repeat(20)}` },
    notificationEmails: ['ops@example.com'],
  };

  test('stores the first four characters of its secrets, and nothing more', async () => {
    await using box = await openSandbox();
    await box.ask(registerMpc, vault);
    const { mpcVaultApiKey, mpcClientSignerPrivateKey } = await box.ask(fxSettings, {});
    expect([mpcVaultApiKey, mpcClientSignerPrivateKey]).toEqual(['vaul********', '----********']);
    expect(await everything(box)).not.toMatch(/vault-key-invented|QUJD/);
  });

  test('must be approved before automatic signing is changed', async () => {
    await using box = await openSandbox();
    await box.ask(registerMpc, vault);
    expect(await refusal(box, 'POST', '/fx/auto-signing/enable', {})).toMatch(/^400 01/);
    await pass(box, 10_000);
    expect((await box.ask(disableAutoSigning, {})).autoSigning?.enabled).toBe(false);
  });
});

/** The text of every row of every table. */
function everything(box: TestSandbox): Promise<string> {
  return box.inside(({ store }) => {
    const tables = store.all<{ name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table'`);
    const rows = tables.map(({ name }) => store.all(`SELECT * FROM "${name}"`));
    return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  }, 'read');
}
