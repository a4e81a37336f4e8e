import {
  autoSigningStats,
  autoSigningStatus,
  disableAutoSigning,
  enableAutoSigning,
  setAutoSigningThreshold,
} from '../../../../src/contract/endpoints/fx-auto-signing.ts';
import { orderBook, orderBookStats, orderBookToken } from '../../../../src/contract/endpoints/fx-book.ts';
import {
  createLimitOrder,
  createOrder,
  deleteOrder,
  listOrders,
  updateOrder,
} from '../../../../src/contract/endpoints/fx-orders.ts';
import { quote } from '../../../../src/contract/endpoints/fx-quotes.ts';
import { listTrades, marketOrder, trade, tradeStatus } from '../../../../src/contract/endpoints/fx-trades.ts';
import { fxSettings, registerMpc } from '../../../../src/contract/endpoints/fx-vault.ts';
import { isUnknownFigure } from '../../../../src/money/amount.ts';
import type { Reply, TestSandbox } from '../../../support/sandbox.ts';
import { pass, settle } from '../../steps.ts';
import type { Ask, Declared, GroupRows, Precedence } from './group.ts';

const order = {
  orderType: 'sell',
  baseCurrency: 'cNGN',
  quoteCurrency: 'USDC',
  price: '1350',
  minAmount: '1000',
  maxAmount: '5000',
} as const;
const limitOrder = {
  pair: 'CNGN-USDC',
  side: 'sell',
  price: '1300',
  spread: 0.5,
  minAmount: '1000',
  maxAmount: '5000',
} as const;
const buy = { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '5000' } as const;
const vault = {
  mpcVaultApiKey: 'a-secret-key',
  callbackClientSignerPublicKey: 'ssh-ed25519 AAAA ops',
  mpcClientSignerPrivateKey: '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n',
  vaultId: 'vault-of-ours',
  tokenWallets: { USDC: `0x${'1a'.repeat(20)}`, USDT: `0x${'1b'.repeat(20)}` },
  notificationEmails: ['ops@example.com'],
};

const post = (path: string, body: object) => (box: TestSandbox) => box.call('POST', path, body);

/** Removes all orders, so that only the caller's own are on the book. */
async function alone(box: TestSandbox): Promise<void> {
  await box.inside(({ store }) => store.run(`UPDATE fx_order SET state = 'paused'`));
  await box.ask(createLimitOrder, limitOrder);
}

/** The id of a seeded maker's order that gives stablecoin. */
async function makersOrder(box: TestSandbox): Promise<string> {
  const { sellOrders } = await box.ask(orderBook, { pair: 'CNGN-USDC' });
  return sellOrders?.[0]?.orderId ?? '';
}

async function deletedOrder(box: TestSandbox): Promise<string> {
  const { orderId } = await box.ask(createOrder, order);
  await box.ask(deleteOrder, { orderId });
  return orderId;
}

const emptyWallets = (box: TestSandbox) =>
  box.inside(({ store }) =>
    store.run(`UPDATE fx_order SET state = 'active', max_base = 6000000000000 WHERE fintech = 1`),
  );

const declared: readonly Declared[] = [
  ...(['/fx/orders', '/fx/limit-order'] as const).flatMap((path): Declared[] => {
    const [id, terms] = path === '/fx/orders' ? ['fx.create-order', order] : ['fx.create-limit-order', limitOrder];
    const when =
      path === '/fx/orders'
        ? 'minAmount is above maxAmount, or an amount or price is not greater than 0'
        : 'minAmount is above maxAmount';
    return [
      [id, when, 'VALIDATION_ERROR', post(path, { ...terms, minAmount: '5000.000001' })],
      [id, 'the spread is below 0.1 percent', 'VALIDATION_ERROR', post(path, { ...terms, spread: 0.09 })],
      [
        id,
        'the balance of the wallet that backs the order is too low',
        'UNDERFUNDED_ORDER',
        post(path, { ...terms, maxAmount: '999999999' }),
      ],
    ];
  }),
  [
    'fx.update-limit-order',
    'the order is unknown or belongs to another fintech',
    'NOT_FOUND',
    async (box) => box.call('PUT', '/fx/limit-order/update', { orderId: await makersOrder(box), price: '1' }),
  ],
  [
    'fx.update-limit-order',
    'the order is deleted',
    'VALIDATION_ERROR',
    async (box) => box.call('PUT', '/fx/limit-order/update', { orderId: await deletedOrder(box), price: '1' }),
  ],
  [
    'fx.update-limit-order',
    'no change is given',
    'VALIDATION_ERROR',
    async (box) => {
      const { orderId } = await box.ask(createOrder, order);
      return box.call('PUT', '/fx/limit-order/update', { orderId });
    },
  ],
  [
    'fx.delete-limit-order',
    'the order is unknown or belongs to another fintech',
    'NOT_FOUND',
    async (box) => box.call('DELETE', '/fx/limit-order/delete', { orderId: await makersOrder(box) }),
  ],
  [
    'fx.delete-limit-order',
    'the order is already deleted',
    'VALIDATION_ERROR',
    async (box) => box.call('DELETE', '/fx/limit-order/delete', { orderId: await deletedOrder(box) }),
  ],
  [
    'fx.list-limit-orders',
    'a filter value is unknown',
    'VALIDATION_ERROR',
    (box) => box.call('GET', '/fx/limit-orders?status=open'),
  ],
  ['fx.orderbook', 'the pair is missing or unknown', 'VALIDATION_ERROR', (box) => box.call('GET', '/fx/orderbook')],
  [
    'fx.orderbook-stats',
    'the pair is missing or unknown',
    'VALIDATION_ERROR',
    (box) => box.call('GET', '/fx/orderbook/stats?pair=CNGN-DAI'),
  ],
  [
    'fx.quote',
    'the amount is below 1000 cNGN or a field is invalid',
    'VALIDATION_ERROR',
    post('/fx/quote', { ...buy, cngnAmount: '999.999999' }),
  ],
  [
    'fx.quote',
    'the order book cannot fill the amount',
    'NO_LIQUIDITY',
    post('/fx/quote', { ...buy, cngnAmount: '9999999999' }),
  ],
  [
    'fx.quote',
    "only the caller's own orders could match",
    'SELF_TRADE',
    async (box) => {
      await alone(box);
      return box.call('POST', '/fx/quote', buy);
    },
  ],
  [
    'fx.trade',
    "no mode is complete, or the amount is outside the order's limits",
    'VALIDATION_ERROR',
    async (box) => box.call('POST', '/fx/trade', { orderId: await makersOrder(box), cngnAmount: '499' }),
  ],
  [
    'fx.trade',
    'the quote is unknown or older than 5 minutes',
    'INVALID_QUOTE',
    async (box) => {
      const { quote: made } = await box.ask(quote, buy);
      await pass(box, 5 * 60_000);
      return box.call('POST', '/fx/trade', { quoteId: made.quoteId });
    },
  ],
  [
    'fx.trade',
    'the order book cannot fill the amount',
    'NO_LIQUIDITY',
    post('/fx/trade', { ...buy, cngnAmount: '9999999999' }),
  ],
  ['fx.trade', 'the order is unknown', 'NOT_FOUND', post('/fx/trade', { orderId: 'nothing', cngnAmount: '1000' })],
  [
    'fx.trade',
    "only the caller's own orders could match",
    'SELF_TRADE',
    async (box) => {
      const { orderId } = await box.ask(createLimitOrder, limitOrder);
      return box.call('POST', '/fx/trade', { orderId, cngnAmount: '1000' });
    },
  ],
  ['fx.trade', 'the wallet balance is too low', 'UNFUNDED_TRADE', post('/fx/trade', { ...buy, cngnAmount: '5000001' })],
  [
    'fx.market-order',
    'the wallet balance is too low',
    'UNFUNDED_TRADE',
    post('/fx/market-order', { ...buy, cngnAmount: '5000001' }),
  ],
  [
    'fx.market-order',
    'a field is missing or invalid',
    'VALIDATION_ERROR',
    post('/fx/market-order', { ...buy, cngnAmount: '0' }),
  ],
  [
    'fx.market-order',
    'the order book cannot fill the amount',
    'NO_LIQUIDITY',
    post('/fx/market-order', { ...buy, cngnAmount: '9999999999' }),
  ],
  [
    'fx.market-order',
    "the order would trade against the caller's own orders",
    'SELF_TRADE',
    async (box) => {
      await alone(box);
      return box.call('POST', '/fx/market-order', buy);
    },
  ],
  [
    'fx.trade-status',
    'the trade is unknown or belongs to another fintech',
    'NOT_FOUND',
    (box) => box.call('GET', '/fx/trades/status?tradeId=nothing'),
  ],
  [
    'fx.list-trades',
    'the limit is above 100 or a filter value is unknown',
    'VALIDATION_ERROR',
    (box) => box.call('GET', '/fx/trades?limit=101'),
  ],
  [
    'fx.register-mpc',
    'a required field is missing',
    'VALIDATION_ERROR',
    post('/fx/mpc/register', { ...vault, notificationEmails: undefined }),
  ],
  [
    'fx.auto-signing-threshold',
    'the value is missing or not a number',
    'VALIDATION_ERROR',
    post('/fx/auto-signing/threshold', { usdThreshold: 'much' }),
  ],
];

const thrown = (box: TestSandbox, sql: string) => box.inside(({ store }) => store.run(sql));

async function tradeTwice(box: TestSandbox, first: object, second: object): Promise<Reply> {
  await box.call('POST', '/fx/trade', { ...first, idempotencyKey: 'once' });
  return box.call('POST', '/fx/trade', { ...second, idempotencyKey: 'once' });
}

const precedence: readonly Precedence[] = [
  [
    'both a quote and an order',
    post('/fx/trade', { quoteId: 'nothing', orderId: 'nothing' }),
    'VALIDATION_ERROR',
    /quoteId or orderId, not both/,
  ],
  ['an order without an amount', post('/fx/trade', { orderId: 'nothing' }), 'VALIDATION_ERROR', /^cngnAmount/],
  [
    'an incomplete request for every mode',
    post('/fx/trade', { pair: 'CNGN-USDC', side: 'buy' }),
    'VALIDATION_ERROR',
    /expected quoteId/,
  ],
  ['an amount below 1000', post('/fx/trade', { ...buy, cngnAmount: '999' }), 'VALIDATION_ERROR', /at least 1000/],
  [
    'an unapproved vault before any other problem of a trade',
    async (box) => {
      await thrown(box, `UPDATE fx_vault SET state = 'pending' WHERE fintech = 1`);
      return box.call('POST', '/fx/trade', { quoteId: 'nothing' });
    },
    'VALIDATION_ERROR',
    /MPC vault/,
  ],
  [
    'an unapproved vault before a minimum above the maximum',
    async (box) => {
      await thrown(box, `UPDATE fx_vault SET state = 'pending' WHERE fintech = 1`);
      return box.call('POST', '/fx/orders', { ...order, minAmount: '9000' });
    },
    'VALIDATION_ERROR',
    /MPC vault/,
  ],
  [
    'a minimum above the maximum before an underfunded wallet',
    post('/fx/orders', { ...order, minAmount: '9999999999', maxAmount: '999999999' }),
    'VALIDATION_ERROR',
    /^minAmount/,
  ],
  [
    'an idempotency key of another trade',
    (box) => tradeTwice(box, buy, { ...buy, cngnAmount: '5001' }),
    'VALIDATION_ERROR',
    /^idempotencyKey/,
  ],
  [
    'an underfunded wallet before an unknown destination',
    post('/fx/trade', { ...buy, cngnAmount: '5000001', destinationWalletAddress: `0x${'99'.repeat(20)}` }),
    'VALIDATION_ERROR',
    /not hold enough CNGN/,
  ],
  [
    'an unknown destination',
    post('/fx/trade', { ...buy, destinationWalletAddress: `0x${'99'.repeat(20)}` }),
    'VALIDATION_ERROR',
    /^destinationWalletAddress/,
  ],
  [
    'cNGN committed to own orders',
    async (box) => {
      await box.ask(createOrder, { ...order, maxAmount: '4999000' });
      return box.call('POST', '/fx/trade', buy);
    },
    'VALIDATION_ERROR',
    /not committed to its own orders/,
  ],
  [
    'a paused order',
    async (box) => {
      const orderId = await makersOrder(box);
      await thrown(box, `UPDATE fx_order SET state = 'paused'`);
      return box.call('POST', '/fx/trade', { orderId, cngnAmount: '1000' });
    },
    'NOT_FOUND',
    /no active order/,
  ],
  [
    'an order with an underfunded wallet',
    async (box) => {
      await emptyWallets(box);
      await thrown(box, 'UPDATE fx_order SET max_base = 9000000000000000 WHERE fintech <> 1');
      return box.call('POST', '/fx/trade', { orderId: await makersOrder(box), cngnAmount: '900000000' });
    },
    'NO_LIQUIDITY',
    /wallet behind the order/,
  ],
  [
    'a used quote',
    async (box) => {
      const { quote: made } = await box.ask(quote, buy);
      await box.ask(trade, { quoteId: made.quoteId });
      return box.call('POST', '/fx/trade', { quoteId: made.quoteId });
    },
    'INVALID_QUOTE',
    /has been used/,
  ],
  [
    'a quote whose order is paused',
    async (box) => {
      const { quote: made } = await box.ask(quote, buy);
      await thrown(box, `UPDATE fx_order SET state = 'paused'`);
      return box.call('POST', '/fx/trade', { quoteId: made.quoteId });
    },
    'NO_LIQUIDITY',
    /no longer on the book/,
  ],
  [
    'both amounts in a quote',
    post('/fx/quote', { ...buy, tokenAmount: '1' }),
    'VALIDATION_ERROR',
    /cngnAmount or tokenAmount, not both/,
  ],
  [
    'no amount in a quote',
    post('/fx/quote', { pair: buy.pair, side: buy.side }),
    'VALIDATION_ERROR',
    /expected cngnAmount or tokenAmount/,
  ],
  [
    'an amount of stablecoin worth less than the minimum in a quote',
    post('/fx/quote', { pair: buy.pair, side: buy.side, tokenAmount: '0.5' }),
    'VALIDATION_ERROR',
    /worth at least 1000 cNGN/,
  ],
  ['an unknown cursor', (box) => box.call('GET', '/fx/trades?startAfter=nothing'), 'VALIDATION_ERROR', /^startAfter/],
  [
    'a vault at the address of another wallet',
    async (box) => {
      const { tokenWallets } = await box.ask(fxSettings, {});
      const wallets = { USDC: tokenWallets?.cNGN ?? '', USDT: vault.tokenWallets.USDT };
      return box.call('POST', '/fx/mpc/register', { ...vault, tokenWallets: wallets });
    },
    'VALIDATION_ERROR',
    /^tokenWallets.USDC/,
  ],
  [
    'a vault while there are open trades',
    async (box) => {
      await box.ask(trade, buy);
      return box.call('POST', '/fx/mpc/register', vault);
    },
    'VALIDATION_ERROR',
    /open trades/,
  ],
];

async function walkOrders(ask: Ask): Promise<void> {
  const { orderId } = await ask(createOrder, { ...order, spread: 0.2 });
  await ask(createOrder, { ...order, orderType: 'buy', quoteCurrency: 'USDT', maxAmount: '1000' });
  await ask(createLimitOrder, limitOrder);
  await ask(createLimitOrder, { ...limitOrder, side: 'buy', pair: 'CNGN-USDT' });
  const sell = await ask(createLimitOrder, limitOrder);
  await ask(updateOrder, { orderId: sell.orderId ?? '', maxAmount: '4000' });
  await ask(updateOrder, { orderId, status: 'paused' });
  await ask(updateOrder, { orderId, price: '1351', status: 'active' });
  await ask(updateOrder, { orderId, status: 'paused' });
  await ask(listOrders, { status: 'paused' });
  await ask(deleteOrder, { orderId });
  await ask(listOrders, {});
  for (const pair of ['CNGN-USDC', 'CNGN-USDT'] as const) {
    await ask(orderBook, { pair });
    await ask(orderBookStats, { pair });
  }
  await ask(orderBookToken, {});
}

async function walkTrades(box: TestSandbox, ask: Ask): Promise<void> {
  const { quote: made } = await ask(quote, { ...buy, pair: 'CNGN-USDT' });
  const { sellOrders } = await ask(orderBook, { pair: 'CNGN-USDC' });
  // One form of the answers writes prices in base units.
  // In some forms of the answer, prices are base units, and the answer does not say so.
  const textOf = (price: unknown) => (isUnknownFigure(price) ? price.value : price);
  const isBest = (price: unknown) => ['1400.000000', '1400000000'].includes(String(textOf(price)));
  const makers = sellOrders?.find(({ price }) => isBest(price))?.orderId ?? '';
  const started = [
    await ask(trade, { quoteId: made.quoteId }),
    await ask(trade, { orderId: makers, cngnAmount: '1000' }),
    await ask(trade, { ...buy, side: 'sell' }),
    ...(await Promise.all(['1301', '1303'].map((cngnAmount) => ask(trade, { ...buy, cngnAmount })))),
  ];
  await ask(marketOrder, buy);
  await ask(marketOrder, { ...buy, pair: 'CNGN', side: 'sell' });
  await ask(marketOrder, { ...buy, pair: 'CNGN-USDT' });
  const look = async () => {
    for (const { trade: each } of started) await ask(tradeStatus, { tradeId: each.tradeId });
  };
  await ask(quote, { ...buy, side: 'sell' });
  await look();
  // Locking, signing and confirming take 100, 200 and 250 ms.
  for (let count = 0; count < 8; count++) {
    await pass(box, 100);
    await look();
  }
  await pass(box, 7 * 60_000);
  await look();
  await ask(listTrades, {});
}

async function walk(box: TestSandbox, ask: Ask): Promise<void> {
  await ask(fxSettings, {});
  await walkOrders(ask);
  await walkTrades(box, ask);
  await ask(disableAutoSigning, {});
  await ask(setAutoSigningThreshold, { usdThreshold: '250.5' });
  await ask(fxSettings, {});
  await ask(enableAutoSigning, {});
  await ask(autoSigningStatus, {});
  await ask(autoSigningStats, { days: 2 });
  await ask(registerMpc, vault);
  await ask(fxSettings, {});
  await settle(box);
  await box.call('POST', '/_sandbox/seed', { pace: 'instant' });
  await ask(registerMpc, vault);
  await ask(registerMpc, { ...vault, vaultId: 'vault-rejected' });
  await settle(box);
  await ask(fxSettings, {});
}

export const rows: GroupRows = {
  declared,
  precedence,
  walk,
  unproduced: {},
  unreached: {
    // The signer runs or is stopped, but is never deleted.
    'fx.settings autoSigning.vmStatus': ['terminated'],
    // The approval comes later, so the response is always pending.
    'fx.register-mpc status': ['active'],
  },
};
