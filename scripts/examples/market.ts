/** Swaps, bridge transactions, trades and orders. */
import { sandboxDeposit, sandboxFaultAdd } from '../../src/contract/control.ts';
import {
  bridgeNetworks,
  bridgeStatus,
  listBridges,
  quoteBridge,
  startBridge,
} from '../../src/contract/endpoints/bridge.ts';
import {
  autoSigningStats,
  autoSigningStatus,
  disableAutoSigning,
  enableAutoSigning,
  setAutoSigningThreshold,
} from '../../src/contract/endpoints/fx-auto-signing.ts';
import { orderBook, orderBookStats, orderBookToken } from '../../src/contract/endpoints/fx-book.ts';
import {
  createLimitOrder,
  createOrder,
  deleteOrder,
  listOrders,
  updateOrder,
} from '../../src/contract/endpoints/fx-orders.ts';
import { quote } from '../../src/contract/endpoints/fx-quotes.ts';
import { listTrades, marketOrder, trade, tradeStatus } from '../../src/contract/endpoints/fx-trades.ts';
import { fxSettings, registerMpc } from '../../src/contract/endpoints/fx-vault.ts';
import { listSwaps, startSwap, swapStatus, triggerSwap } from '../../src/contract/endpoints/swaps.ts';
import { ADDRESS, fund, OTHER_ADDRESS, type People, UNKNOWN_ID } from './people.ts';
import type { Recorder } from './recorder.ts';

export async function recordMarket(box: Recorder, people: People): Promise<void> {
  await recordSwaps(box, people);
  await recordBridge(box);
  await recordTrades(box);
  await recordOrders(box, people);
  // Last, because the wallets of the new vault are empty.
  await recordVault(box);
}

async function recordSwaps(box: Recorder, { userId }: People): Promise<void> {
  const swap = { userId, sellToken: 'CNGN', buyToken: 'USDC', amount: 5000, slippage: 2 } as const;
  await fund(box, userId, 40_000, { sweepToOfframp: true });
  const { requestId } = await box.ok(startSwap, swap);
  await box.pass();
  await box.ok(swapStatus, { requestId });
  await box.refused(swapStatus, 'no swap', { requestId: UNKNOWN_ID });
  await box.refused(startSwap, 'amount of 0', { ...swap, amount: 0 });
  await box.refused(startSwap, 'unknown or not verified', { ...swap, userId: UNKNOWN_ID });
  await box.refused(startSwap, 'too low', { ...swap, amount: 900_000 });
  const { walletAddress } = await fund(box, userId, 20_000);
  const triggered = { walletAddress, sellToken: 'CNGN', buyToken: 'USDC', amount: 5000 } as const;
  await box.ok(triggerSwap, triggered);
  await box.refused(triggerSwap, 'wallet address', { ...triggered, walletAddress: '0x1234' });
  await box.ok(sandboxFaultAdd, { endpoint: triggerSwap.id, kind: 'reject', name: 'INSUFFICIENT_LIQUIDITY' });
  await box.refused(triggerSwap, 'cannot fill', triggered);
  await box.pass();
  await box.ok(listSwaps, { limit: 1 });
  await box.refused(listSwaps, 'malformed', { status: 'lost' });
}

async function recordBridge(box: Recorder): Promise<void> {
  const bridge = { token: 'CNGN', fromNetwork: 'base', toNetwork: 'bsc', amount: '10000' } as const;
  await box.ok(quoteBridge, bridge);
  await box.refused(quoteBridge, 'unknown', { ...bridge, toNetwork: 'base' });
  const started = { ...bridge, fromAddress: ADDRESS, toAddress: OTHER_ADDRESS };
  const { requestId, receivableAddress } = await box.ok(startBridge, {
    ...started,
    callbackUrl: 'https://example.com/bridge',
  });
  await box.refused(startBridge, 'missing', { ...started, callbackUrl: 'http://example.com' });
  await box.ok(sandboxDeposit, {
    address: receivableAddress,
    asset: 'CNGN',
    amount: '10000',
    network: 'base',
    from: ADDRESS,
  });
  await box.pass(3_600_000);
  await box.ok(bridgeStatus, { requestId });
  await box.refused(bridgeStatus, 'unknown', { requestId: UNKNOWN_ID });
  await box.ok(bridgeNetworks, {});
  await box.ok(listBridges, { limit: 1 });
  await box.refused(listBridges, 'filter', { status: 'lost' });
}

async function recordVault(box: Recorder): Promise<void> {
  const key = '-----BEGIN OPENSSH PRIVATE KEY-----\nEXAMPLE\n-----END OPENSSH PRIVATE KEY-----\n';
  const vault = {
    mpcVaultApiKey: 'EXAMPLE',
    callbackClientSignerPublicKey: 'ssh-ed25519 EXAMPLE signer',
    mpcClientSignerPrivateKey: key,
    vaultId: 'vault-17',
    tokenWallets: { USDT: OTHER_ADDRESS, USDC: ADDRESS },
    notificationEmails: ['ops@example.com'],
  };
  await box.ok(registerMpc, vault);
  await box.refused(registerMpc, 'missing', { ...vault, vaultId: undefined });
  await box.pass(60_000);
  await box.ok(fxSettings, {});
}

async function recordTrades(box: Recorder): Promise<void> {
  const wanted = { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '50000' } as const;
  const tooMuch = '900000000';
  await box.ok(setAutoSigningThreshold, { usdThreshold: '500' });
  await box.refused(setAutoSigningThreshold, 'not a number', { usdThreshold: 'all' });
  await box.ok(enableAutoSigning, { enabled: true });
  const { quote: made } = await box.ok(quote, wanted);
  await box.refused(quote, 'below 1000', { ...wanted, cngnAmount: '10' });
  await box.refused(quote, 'cannot fill', { ...wanted, cngnAmount: tooMuch });
  const { trade: traded } = await box.ok(trade, { quoteId: made.quoteId, idempotencyKey: 'hedge-2026-01-05' });
  await box.ok(marketOrder, { ...wanted, idempotencyKey: 'market-2026-01-05' });
  await box.pass(60_000);
  await box.ok(tradeStatus, { tradeId: traded.tradeId });
  await box.refused(tradeStatus, 'unknown', { tradeId: UNKNOWN_ID });
  await box.ok(listTrades, { limit: 1 });
  await box.refused(listTrades, 'limit is above', { limit: 101 });
  await box.refused(trade, 'no mode', { pair: 'CNGN-USDC' });
  await box.refused(trade, 'older than 5 minutes', { quoteId: UNKNOWN_ID });
  await box.refused(trade, 'cannot fill', { ...wanted, cngnAmount: tooMuch });
  await box.refused(trade, 'order is unknown', { orderId: UNKNOWN_ID, cngnAmount: '5000' });
  await box.refused(trade, 'too low', { ...wanted, cngnAmount: '20000000' });
  await box.refused(marketOrder, 'missing', { ...wanted, pair: 'CNGN-NGN' });
  await box.refused(marketOrder, 'cannot fill', { ...wanted, cngnAmount: tooMuch });
  await box.refused(marketOrder, 'too low', { ...wanted, cngnAmount: '20000000' });
  await box.ok(orderBook, { pair: 'CNGN-USDC', limit: 1 });
  await box.ok(orderBookStats, { pair: 'CNGN-USDC' });
  for (const endpoint of [orderBook, orderBookStats]) await box.refused(endpoint, 'pair', { pair: 'CNGN-NGN' });
  await box.ok(orderBookToken, {});
  await box.ok(autoSigningStatus, {});
  await box.ok(autoSigningStats, { days: 1 });
  await box.ok(disableAutoSigning, { enabled: false });
}

async function recordOrders(box: Recorder, people: People): Promise<void> {
  const pair = { orderType: 'sell', baseCurrency: 'CNGN', quoteCurrency: 'USDC' } as const;
  const terms = { price: '1390', minAmount: '1000', maxAmount: '500000' };
  const { orderId } = await box.ok(createOrder, { ...pair, ...terms, spread: 0.5 });
  const limited = { pair: 'CNGN-USDC', side: 'buy', ...terms, spread: 0.5 } as const;
  await box.ok(createLimitOrder, limited);
  for (const [endpoint, order] of [
    [createOrder, { ...pair, ...terms, spread: 0.5 }],
    [createLimitOrder, limited],
  ] as const) {
    await box.refused(endpoint, 'minAmount is above', { ...order, minAmount: '900000' });
    await box.refused(endpoint, 'spread is below', { ...order, spread: 0.01 });
    await box.refused(endpoint, 'too low', { ...order, maxAmount: '90000000' });
  }
  await box.ok(updateOrder, { orderId, price: '1395', maxAmount: '250000' });
  await box.refused(updateOrder, 'unknown', { orderId: UNKNOWN_ID, price: '1395' });
  await box.refused(updateOrder, 'no change', { orderId });
  await box.ok(listOrders, { limit: 1 });
  await box.refused(listOrders, 'unknown', { status: 'lost' });
  await recordSelfTrades(box, people);
  await box.ok(deleteOrder, { orderId });
  await box.refused(deleteOrder, 'unknown', { orderId: UNKNOWN_ID });
  await box.refused(deleteOrder, 'already deleted', { orderId });
  await box.refused(updateOrder, 'is deleted', { orderId, price: '1395' });
}

/** Without the orders of the market makers, a swap that waits fails, and then only the account’s own order could match. */
async function recordSelfTrades(box: Recorder, { userId }: People): Promise<void> {
  await box.ok(startSwap, { userId, sellToken: 'CNGN', buyToken: 'USDC', amount: 1000 });
  const own = {
    pair: 'CNGN-USDC',
    side: 'sell',
    price: '1300',
    minAmount: '1000',
    maxAmount: '200000',
    spread: 0.1,
  } as const;
  for (const maker of [3, 4]) {
    const of = { apiKey: await box.keyOf(maker, 'sandbox'), isExample: false };
    for (const { orderId } of (await box.ok(listOrders, { status: 'active' }, of)).orders ?? [])
      await box.ok(updateOrder, { orderId: orderId ?? '', status: 'paused' }, of);
  }
  await box.pass();
  await box.ok(createLimitOrder, own);
  const wanted = { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '50000' };
  for (const endpoint of [quote, trade, marketOrder]) await box.refused(endpoint, 'own orders', wanted);
}
