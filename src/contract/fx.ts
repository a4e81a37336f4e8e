import { evmAddress } from './addresses.ts';
import { endpoint } from './endpoint.ts';
import {
  answer,
  anyCase,
  anyText,
  entry,
  fields,
  figure,
  flag,
  group,
  integer,
  list,
  maybe,
  moneyText,
  oneOf,
  optional,
  orNull,
  patterned,
  payText,
  percent,
  percentFrom,
  privateKey,
  type Source,
  stateOf,
  text,
  timestamp,
  usdText,
} from './fields.ts';

const pairs = ['CNGN-USDC', 'CNGN-USDT'] as const;
const sides = ['buy', 'sell'] as const;
const limits = { rateLimit: { max: 30, windowSeconds: 60 } } as const;
const quoteLimits = { rateLimit: { max: 60, windowSeconds: 60 } } as const;
const listLimits = { rateLimit: { max: 100, windowSeconds: 60 } } as const;

const pair = (source: Source) => oneOf(source, pairs);
const side = (source: Source) =>
  oneOf(source, sides, { rule: 'buy (the stablecoin, with cNGN) or sell (the stablecoin, for cNGN)' });
const makerSide = (source: Source) =>
  oneOf(source, sides, { rule: 'buy (stablecoin, giving cNGN) or sell (stablecoin, for cNGN)' });
const price = (source: Source) => payText(source, 'CNGN', { rule: 'above 0: cNGN for one stablecoin, as text' });
const orderAmount = (source: Source, rule: string) =>
  payText(source, 'CNGN', { rule: `above 0, in cNGN, as text; ${rule}` });
const orderSpread = (source: Source) => percentFrom(source, '0.1', '50');
const cngn = (source: Source) => moneyText(source, 'decimal-string', 'CNGN');
const usdc = (source: Source) => maybe(moneyText(source, 'decimal-string', 'USDC'));
const usdt = (source: Source) => maybe(moneyText(source, 'decimal-string', 'USDT'));
const liquidity = (source: Source) => figure(source, 'decimal-string', 'in what the order gives');
const known = (source: Source = 'public') => maybe(anyText(source));
const version = (source: Source) => maybe(anyText(source));

const invalidOrder = [
  {
    when: 'the minimum is above the maximum, or an amount or price is not above 0',
    fault: 'VALIDATION_ERROR',
    source: 'public',
  },
  { when: 'the spread is below 0.1 percent', fault: 'VALIDATION_ERROR', source: 'public' },
] as const;
const underfunded = {
  when: 'the wallet behind the order holds too little',
  fault: 'UNDERFUNDED_ORDER',
  source: 'public',
} as const;

/** An order as its maker sees it. */
const ownOrder = (states: readonly string[]) => ({
  orderId: known(),
  fintechId: known(),
  pair: maybe(stateOf('public', pairs)),
  side: maybe(stateOf('public', sides)),
  price: maybe(cngn('public')),
  spread: maybe(percent('public')),
  minAmount: maybe(cngn('public')),
  maxAmount: maybe(cngn('public')),
  availableLiquidity: maybe(liquidity('public')),
  status: maybe(stateOf('public', states)),
  createdAt: maybe(timestamp('public')),
  updatedAt: maybe(timestamp('public')),
});

export const createOrder = endpoint({
  ...limits,
  id: 'fx.create-order',
  method: 'POST',
  path: '/fx/orders',
  effect: 'money',
  summary: 'Put an order on the book',
  source: 'interface',
  request: () =>
    fields({
      orderType: oneOf('interface', ['sell', 'buy'], { rule: 'sell or buy, of the base currency' }),
      baseCurrency: patterned('interface', /^cngn$/i, 'cNGN'),
      quoteCurrency: patterned('interface', /^usd[ct]$/i, 'USDC or USDT'),
      price: price('interface'),
      minAmount: orderAmount('interface', 'not above maxAmount'),
      maxAmount: orderAmount('interface', 'not below minAmount'),
      spread: optional(orderSpread('public')),
    }),
  response: () =>
    answer({
      ...ownOrder(['active']),
      orderId: anyText('interface'),
      price: cngn('interface'),
      availableLiquidity: liquidity('interface'),
      status: stateOf('interface', ['active']),
      version: version('public'),
    }),
  errors: [...invalidOrder, underfunded],
});

/** The newer public path of the same. */
export const createLimitOrder = endpoint({
  ...limits,
  id: 'fx.create-limit-order',
  method: 'POST',
  path: '/fx/limit-order',
  effect: 'money',
  summary: 'Put an order on the book, by the newer path',
  source: 'public',
  request: () =>
    fields({
      pair: pair('public'),
      side: makerSide('public'),
      price: price('public'),
      spread: orderSpread('public'),
      minAmount: orderAmount('public', 'not above maxAmount'),
      maxAmount: orderAmount('public', 'not below minAmount'),
    }),
  response: () => answer({ ...ownOrder(['active']), pair: known(), version: version('public') }),
  errors: [
    { when: 'the minimum is above the maximum', fault: 'VALIDATION_ERROR', source: 'public' },
    { when: 'the spread is below 0.1 percent', fault: 'VALIDATION_ERROR', source: 'public' },
    underfunded,
  ],
});

const unknownOrder = {
  when: 'the order is unknown, or of another fintech',
  fault: 'NOT_FOUND',
  source: 'public',
  remedy: 'see your orders with: fiatrail fx orders list',
} as const;

export const updateOrder = endpoint({
  ...limits,
  id: 'fx.update-limit-order',
  method: 'PUT',
  path: '/fx/limit-order/update',
  aliases: [{ method: 'PUT', path: '/fx/orders/:orderId' }],
  effect: 'money',
  summary: 'Change, pause or resume an order',
  nests: 'order',
  source: 'public',
  request: () =>
    fields({
      orderId: text('public'),
      price: optional(price('public')),
      spread: optional(orderSpread('public')),
      minAmount: optional(orderAmount('public', 'not above maxAmount')),
      maxAmount: optional(orderAmount('public', 'not below minAmount')),
      status: optional(oneOf('public', ['active', 'paused'])),
    }),
  response: () =>
    answer({
      order: maybe(group('public', { ...ownOrder(['active', 'paused']), pair: known() })),
      version: version('public'),
    }),
  errors: [
    unknownOrder,
    { when: 'the order is deleted', fault: 'VALIDATION_ERROR', source: 'public' },
    { when: 'nothing is to be changed', fault: 'VALIDATION_ERROR', source: 'inferred' },
  ],
});

export const deleteOrder = endpoint({
  ...limits,
  id: 'fx.delete-limit-order',
  method: 'DELETE',
  path: '/fx/limit-order/delete',
  aliases: [{ method: 'DELETE', path: '/fx/orders/:orderId' }],
  effect: 'destructive',
  summary: 'Take an order off the book for good',
  source: 'public',
  request: () => fields({ orderId: text('public') }),
  response: () => answer({ orderId: known(), version: version('public') }),
  errors: [unknownOrder, { when: 'the order is deleted already', fault: 'VALIDATION_ERROR', source: 'public' }],
});

const orderStates = ['active', 'paused', 'deleted'] as const;

export const listOrders = endpoint({
  ...listLimits,
  id: 'fx.list-limit-orders',
  method: 'GET',
  path: '/fx/limit-orders',
  aliases: [{ method: 'GET', path: '/fx/orders/my-orders' }],
  effect: 'read',
  summary: 'List the orders of the account, newest first',
  lists: 'orders',
  source: 'public',
  request: () =>
    fields({
      status: optional(oneOf('public', orderStates)),
      pair: optional(pair('public')),
      limit: optional(integer('public', { min: 1, max: 100, rule: '1 to 100; 50 when left out' })),
      startAfter: optional(text('public', { rule: 'the id of the last order of the page before' })),
    }),
  response: () =>
    answer({
      orders: maybe(list('public', group('public', { ...ownOrder(orderStates), pair: known() }))),
      count: maybe(integer('public')),
      note: known(),
      version: version('public'),
    }),
  errors: [{ when: 'a filter value is outside its set', fault: 'VALIDATION_ERROR', source: 'inferred' }],
});

/** An order as everybody sees it: without its maker. */
const publicOrder = () =>
  group('public', {
    orderId: known(),
    price: maybe(cngn('public')),
    spread: maybe(percent('public')),
    minAmount: maybe(cngn('public')),
    maxAmount: maybe(cngn('public')),
    availableLiquidity: maybe(liquidity('public')),
    status: maybe(stateOf('public', ['active'])),
    updatedAt: maybe(timestamp('public')),
  });

const unknownPair = { when: 'the pair is missing or unknown', fault: 'VALIDATION_ERROR', source: 'inferred' } as const;

export const orderBook = endpoint({
  ...listLimits,
  id: 'fx.orderbook',
  method: 'GET',
  path: '/fx/orderbook',
  effect: 'read',
  summary: 'Show the order book of a pair',
  source: 'public',
  request: () =>
    fields({
      pair: pair('public'),
      limit: optional(integer('public', { min: 1, max: 100, rule: '1 to 100 orders a side; 20 when left out' })),
    }),
  response: () =>
    answer({
      pair: known(),
      buyOrders: maybe(list('public', publicOrder())),
      sellOrders: maybe(list('public', publicOrder())),
      note: known(),
      version: version('public'),
    }),
  errors: [unknownPair],
});

export const orderBookStats = endpoint({
  ...quoteLimits,
  id: 'fx.orderbook-stats',
  method: 'GET',
  path: '/fx/orderbook/stats',
  effect: 'read',
  summary: 'Show best prices and depth of a pair',
  nests: 'stats',
  source: 'public',
  request: () => fields({ pair: pair('public') }),
  response: () =>
    answer({
      pair: known(),
      stats: maybe(
        group('public', {
          pair: known(),
          totalActiveOrders: maybe(integer('public')),
          buyOrderCount: maybe(integer('public')),
          sellOrderCount: maybe(integer('public')),
          totalBuyLiquidity: maybe(figure('public', 'decimal-string', 'in what buy orders give: cNGN')),
          totalSellLiquidity: maybe(figure('public', 'decimal-string', 'in what sell orders give: the stablecoin')),
          bestBidPrice: maybe(cngn('public')),
          bestAskPrice: maybe(cngn('public')),
          spreadPercentage: maybe(percent('public')),
        }),
      ),
      version: version('public'),
    }),
  errors: [unknownPair],
});

export const orderBookToken = endpoint({
  ...limits,
  id: 'fx.orderbook-token',
  method: 'GET',
  path: '/fx/orderbook-token',
  effect: 'read',
  summary: 'Get a token for the live order book',
  envelope: 'camel',
  source: 'public',
  request: () => fields({}),
  response: () =>
    answer({
      token: maybe(anyText('public', { secret: true })),
      expiresIn: maybe(integer('public')),
      expiresAt: maybe(timestamp('public')),
      tradingPairs: maybe(list('public', anyText('public'))),
      firebaseConfig: maybe(group('public', { projectId: known(), databaseURL: known() })),
      usage: known(),
    }),
  errors: [],
});

const selfTrade = {
  when: "only the caller's own orders could match",
  fault: 'SELF_TRADE',
  source: 'interface',
} as const;
const noLiquidity = {
  when: 'the order book cannot fill the amount',
  fault: 'NO_LIQUIDITY',
  source: 'interface',
} as const;
const minimumRule = 'at least 1000 cNGN, as text';
const THOUSAND = 1_000_000_000n;
const cngnAmount = () => payText('interface', 'CNGN', { least: THOUSAND, rule: minimumRule });
const idempotencyKey = () => optional(text('interface', { rule: 'the same key gives the trade it gave before' }));
const destination = () => optional(evmAddress('interface'));

export const quote = endpoint({
  ...quoteLimits,
  id: 'fx.quote',
  method: 'POST',
  path: '/fx/quote',
  effect: 'read',
  isRecorded: true,
  summary: 'Ask what a trade would cost; the price holds for 5 minutes',
  nests: 'quote',
  source: 'interface',
  request: () =>
    fields({
      pair: oneOf('interface', ['CNGN-USDT', 'CNGN-USDC']),
      side: side('interface'),
      cngnAmount: cngnAmount(),
      tokenAmount: optional(
        payText('public', { field: 'pair' }, { rule: 'above 0, in stablecoin; not beside cngnAmount' }),
      ),
    }),
  response: () =>
    answer({
      quote: group('interface', {
        quoteId: anyText('interface'),
        pair: anyText('interface'),
        side: stateOf('interface', sides),
        cngnAmount: cngn('interface'),
        usdcAmount: usdc('interface'),
        usdtAmount: usdt('interface'),
        price: cngn('interface'),
        // The newest public answers leave both spreads out.
        spread: maybe(percent('interface')),
        matchedOrders: list(
          'interface',
          group('interface', {
            orderId: anyText('interface'),
            price: cngn('interface'),
            cngnAmount: cngn('interface'),
            usdcAmount: usdc('interface'),
            usdtAmount: usdt('interface'),
            spread: maybe(percent('interface')),
          }),
        ),
        expiresAt: timestamp('interface'),
      }),
      version: version('interface'),
    }),
  errors: [
    { when: 'the amount is below 1000, or a field is wrong', fault: 'VALIDATION_ERROR', source: 'public' },
    noLiquidity,
    { ...selfTrade, source: 'inferred' },
  ],
});

/** What every shape of a trade has. Of the two token amounts one is there, named by the pair. */
const tradeCore = () => ({
  tradeId: anyText('interface'),
  pair: anyText('interface'),
  side: stateOf('interface', sides),
  cngnAmount: cngn('interface'),
  usdcAmount: usdc('interface'),
  usdtAmount: usdt('interface'),
});

export const trade = endpoint({
  ...limits,
  id: 'fx.trade',
  method: 'POST',
  path: '/fx/trade',
  effect: 'money',
  starts: 'fx-trade',
  summary: 'Trade: by a quote, by an amount, or against one order',
  nests: 'trade',
  source: 'interface',
  request: () =>
    fields({
      quoteId: optional(text('interface')),
      pair: optional(pair('interface')),
      side: optional(side('interface')),
      cngnAmount: optional(payText('interface', 'CNGN', { rule: 'above 0, in cNGN, as text' })),
      orderId: optional(text('interface')),
      destinationWalletAddress: destination(),
      idempotencyKey: idempotencyKey(),
    }),
  response: () =>
    answer({
      trade: group('interface', {
        ...tradeCore(),
        orderId: maybe(anyText('interface')),
        price: cngn('interface'),
        platformFeePercentage: maybe(percent('interface')),
        status: stateOf('interface', ['pending']),
        lockId: anyText('interface'),
        expiresAt: timestamp('interface'),
        createdAt: timestamp('interface'),
      }),
      version: version('interface'),
    }),
  errors: [
    {
      when: 'no mode is complete, or the amount is outside the order’s bounds',
      fault: 'VALIDATION_ERROR',
      source: 'interface',
    },
    { when: 'the quote is unknown or older than 5 minutes', fault: 'INVALID_QUOTE', source: 'interface' },
    noLiquidity,
    {
      when: 'the order is unknown',
      fault: 'NOT_FOUND',
      source: 'public',
      remedy: 'see the book with: fiatrail fx book <pair>',
    },
    selfTrade,
    {
      when: 'the wallet holds too little',
      fault: 'VALIDATION_ERROR',
      source: 'inferred',
      remedy: 'see what the account holds with: fiatrail balances fintech',
    },
  ],
});

export const marketOrder = endpoint({
  ...limits,
  id: 'fx.market-order',
  method: 'POST',
  path: '/fx/market-order',
  effect: 'money',
  starts: 'fx-trade',
  summary: 'Trade at once at the best price of the book',
  nests: 'trade',
  envelope: 'camel',
  source: 'interface',
  request: () =>
    fields({
      pair: oneOf('interface', [...pairs, 'CNGN']),
      side: side('interface'),
      cngnAmount: cngnAmount(),
      destinationWalletAddress: destination(),
      idempotencyKey: idempotencyKey(),
    }),
  response: () =>
    answer({
      trade: group('interface', {
        ...tradeCore(),
        averagePrice: cngn('interface'),
        status: stateOf('interface', ['pending']),
        expiresAt: timestamp('interface'),
        createdAt: timestamp('interface'),
      }),
      version: version('interface'),
      note: known('interface'),
    }),
  errors: [
    { when: 'a field is missing or wrong', fault: 'VALIDATION_ERROR', source: 'interface' },
    noLiquidity,
    { ...selfTrade, when: "it would trade against the caller's own orders" },
  ],
});

const tradeStates = ['pending', 'locked', 'signing', 'settling', 'completed', 'failed', 'expired'] as const;
const netAmount = () => figure('interface', 'decimal-string', 'what arrives, in what the trade buys');

export const tradeStatus = endpoint({
  ...quoteLimits,
  id: 'fx.trade-status',
  method: 'GET',
  path: '/fx/trades/status',
  aliases: [
    { method: 'GET', path: '/fx/trade/status/:tradeId' },
    { method: 'GET', path: '/fx/trades/:tradeId' },
  ],
  effect: 'read',
  summary: 'Show how a trade stands',
  nests: 'trade',
  source: 'interface',
  request: () => fields({ tradeId: text('interface') }),
  response: () =>
    answer({
      trade: group('interface', {
        ...tradeCore(),
        price: cngn('interface'),
        fintechNetAmount: maybe(netAmount()),
        status: stateOf('interface', tradeStates),
        lockId: maybe(anyText('interface')),
        createdAt: timestamp('interface'),
        priceLockExpiresAt: maybe(timestamp('interface')),
        errorMessage: orNull(anyText('interface')),
        failedAt: orNull(timestamp('interface')),
      }),
      version: version('public'),
    }),
  errors: [
    {
      when: 'the trade is unknown, or of another fintech',
      fault: 'NOT_FOUND',
      source: 'interface',
      remedy: 'see your trades with: fiatrail fx trades',
    },
  ],
});

export const listTrades = endpoint({
  ...listLimits,
  id: 'fx.list-trades',
  method: 'GET',
  path: '/fx/trades',
  effect: 'read',
  summary: 'List the trades of the account, newest first',
  lists: 'trades',
  source: 'interface',
  request: () =>
    fields({
      pair: optional(pair('interface')),
      side: optional(anyCase('interface', sides)),
      status: optional(anyCase('interface', tradeStates)),
      limit: optional(integer('interface', { min: 1, max: 100, rule: '1 to 100; 50 when left out' })),
      startAfter: optional(text('interface', { rule: 'the id of the last trade of the page before' })),
    }),
  response: () =>
    answer({
      trades: list(
        'interface',
        group('interface', {
          ...tradeCore(),
          price: cngn('interface'),
          fintechNetAmount: maybe(netAmount()),
          status: anyText('interface'),
          createdAt: timestamp('interface'),
        }),
      ),
      count: integer('interface'),
      version: version('interface'),
    }),
  errors: [{ when: 'the limit is above 100 or a filter value unknown', fault: 'VALIDATION_ERROR', source: 'inferred' }],
});

const tokenWallets = () => ({ USDT: known(), USDC: known(), cNGN: known() });
const masked = () => maybe(anyText('public', { rule: 'masked: the first four characters' }));

export const registerMpc = endpoint({
  ...limits,
  id: 'fx.register-mpc',
  method: 'POST',
  path: '/fx/mpc/register',
  effect: 'write',
  summary: 'Register the MPC vault that holds the stablecoins',
  source: 'public',
  request: () =>
    fields({
      mpcVaultApiKey: text('public', { secret: true }),
      callbackClientSignerPublicKey: patterned('public', /^ssh-ed25519 \S+( .*)?$/, 'an SSH public key: ssh-ed25519 …'),
      mpcClientSignerPrivateKey: privateKey('public'),
      vaultId: text('public'),
      tokenWallets: group('public', { USDT: evmAddress('public'), USDC: evmAddress('public') }),
      notificationEmails: list('public', entry(/^[^\s@]+@[^\s@]+\.[^\s@]+$/), {
        min: 1,
        max: 20,
        rule: '1 to 20 e-mail addresses',
      }),
    }),
  response: () =>
    answer({
      vaultId: known(),
      status: maybe(stateOf('public', ['pending', 'active'])),
      tokenWallets: maybe(group('public', tokenWallets())),
      createdAt: maybe(timestamp('public')),
      note: known(),
    }),
  errors: [{ when: 'a required field is missing', fault: 'VALIDATION_ERROR', source: 'inferred' }],
});

export const fxSettings = endpoint({
  ...limits,
  id: 'fx.settings',
  method: 'GET',
  path: '/fx/settings',
  effect: 'read',
  summary: 'Show the MPC vault and its signing settings',
  source: 'interface',
  request: () => fields({}),
  response: () =>
    answer({
      fintechId: known(),
      vaultId: known(),
      mpcVaultApiKey: masked(),
      mpcClientSignerPrivateKey: masked(),
      callbackClientSignerPublicKey: known(),
      mpcConfigStatus: maybe(stateOf('public', ['active', 'pending', 'inactive'])),
      autoSigning: maybe(
        group('public', {
          available: maybe(flag('public')),
          enabled: maybe(flag('public')),
          threshold: maybe(figure('public', 'decimal-string', 'US dollars')),
          vmStatus: maybe(stateOf('public', ['running', 'stopped', 'terminated'])),
          vmInstanceName: known(),
          natExternalIp: known(),
          note: known(),
        }),
      ),
      tokenWallets: maybe(group('public', tokenWallets())),
      notificationEmails: maybe(list('public', anyText('public'))),
    }),
  errors: [],
});

const dollars = () => maybe(figure('public', 'decimal-string', 'US dollars'));
const signing = { ...limits, effect: 'write', source: 'public' } as const;

export const enableAutoSigning = endpoint({
  ...signing,
  id: 'fx.auto-signing-enable',
  method: 'POST',
  path: '/fx/auto-signing/enable',
  summary: 'Let trades up to the threshold be signed without a person',
  nests: 'autoSigning',
  request: () => fields({ enabled: optional(flag('public')) }),
  response: () =>
    answer({
      autoSigning: maybe(
        group('public', {
          enabled: maybe(flag('public')),
          usdThreshold: dollars(),
          vmHealthy: maybe(flag('public')),
          vmStatus: known(),
        }),
      ),
    }),
  errors: [],
});

export const disableAutoSigning = endpoint({
  ...signing,
  id: 'fx.auto-signing-disable',
  method: 'POST',
  path: '/fx/auto-signing/disable',
  summary: 'Have a person approve every trade',
  nests: 'autoSigning',
  request: () => fields({ enabled: optional(flag('public')) }),
  response: () => answer({ autoSigning: maybe(group('public', { enabled: maybe(flag('public')) })) }),
  errors: [],
});

export const setAutoSigningThreshold = endpoint({
  ...signing,
  id: 'fx.auto-signing-threshold',
  method: 'POST',
  path: '/fx/auto-signing/threshold',
  summary: 'Set up to which value trades are signed without a person',
  synonyms: { thresholdUsd: 'usdThreshold' },
  nests: 'autoSigning',
  request: () => fields({ usdThreshold: usdText('public', 'US dollars as text: 0 or above, at most 2 decimals') }),
  response: () =>
    answer({ autoSigning: maybe(group('public', { enabled: maybe(flag('public')), usdThreshold: dollars() })) }),
  errors: [{ when: 'the value is missing or no number', fault: 'VALIDATION_ERROR', source: 'inferred' }],
});

export const autoSigningStatus = endpoint({
  ...limits,
  id: 'fx.auto-signing-status',
  method: 'GET',
  path: '/fx/auto-signing/status',
  effect: 'read',
  summary: 'Show whether trades are signed without a person, and how many were today',
  nests: 'autoSigning',
  source: 'public',
  request: () => fields({}),
  response: () =>
    answer({
      autoSigning: maybe(
        group('public', {
          configured: maybe(flag('public')),
          enabled: maybe(flag('public')),
          usdThreshold: dollars(),
          vmStatus: known(),
          vmHealthy: maybe(flag('public')),
          todayStats: maybe(
            group('public', {
              totalAutoSigned: maybe(integer('public')),
              totalUsdAutoSigned: dollars(),
              fallbackCount: maybe(integer('public')),
              successRate: maybe(percent('public')),
              avgExecutionTimeMs: maybe(integer('public')),
            }),
          ),
        }),
      ),
    }),
  errors: [],
});

export const autoSigningStats = endpoint({
  ...limits,
  id: 'fx.auto-signing-stats',
  method: 'GET',
  path: '/fx/auto-signing/stats',
  effect: 'read',
  summary: 'Show day by day what was signed without a person',
  nests: 'stats',
  source: 'public',
  request: () => fields({ days: optional(integer('public', { min: 1, max: 365, rule: '1 to 365; 7 when left out' })) }),
  response: () =>
    answer({
      stats: maybe(
        group('public', {
          days: maybe(integer('public')),
          daily: maybe(
            list(
              'public',
              group('public', {
                date: known(),
                totalAutoSigned: maybe(integer('public')),
                totalAmountAutoSigned: dollars(),
                fallbackCount: maybe(integer('public')),
                successRate: maybe(percent('public')),
                avgExecutionTimeMs: maybe(integer('public')),
              }),
            ),
          ),
          totals: maybe(
            group('public', {
              totalAutoSigned: maybe(integer('public')),
              totalAmountAutoSigned: dollars(),
              totalFallbacks: maybe(integer('public')),
              avgSuccessRate: maybe(percent('public')),
            }),
          ),
        }),
      ),
    }),
  errors: [],
});
