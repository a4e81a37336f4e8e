import { evmAddress } from '../addresses.ts';
import { endpoint } from '../endpoint.ts';
import {
  answer,
  anyCase,
  anyText,
  fields,
  figure,
  group,
  integer,
  known,
  list,
  maybe,
  oneOf,
  optional,
  orNull,
  payText,
  percent,
  stateOf,
  text,
  timestamp,
} from '../fields.ts';
import {
  cngn,
  cngnAmount,
  limits,
  listLimits,
  noLiquidity,
  PAIRS,
  pair,
  quoteLimits,
  SIDES,
  selfTrade,
  side,
  usdc,
  usdt,
} from '../fx.ts';

const idempotencyKey = () => optional(text('interface', { rule: 'the same key gives the trade it gave before' }));

const destination = () => optional(evmAddress('interface'));

/** What every shape of a trade has. Of the two token amounts one is there, named by the pair. */
const tradeCore = () => ({
  tradeId: anyText('interface'),
  pair: anyText('interface'),
  side: stateOf('interface', SIDES),
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
        orderId: known('interface'),
        price: cngn('interface'),
        platformFeePercentage: maybe(percent('interface')),
        status: stateOf('interface', ['pending']),
        lockId: anyText('interface'),
        expiresAt: timestamp('interface'),
        createdAt: timestamp('interface'),
      }),
      version: known('interface'),
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
      pair: oneOf('interface', [...PAIRS, 'CNGN']),
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
      version: known('interface'),
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
        lockId: known('interface'),
        createdAt: timestamp('interface'),
        priceLockExpiresAt: maybe(timestamp('interface')),
        errorMessage: orNull(anyText('interface')),
        failedAt: orNull(timestamp('interface')),
      }),
      version: known('public'),
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
      side: optional(anyCase('interface', SIDES)),
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
      version: known('interface'),
    }),
  errors: [{ when: 'the limit is above 100 or a filter value unknown', fault: 'VALIDATION_ERROR', source: 'inferred' }],
});
