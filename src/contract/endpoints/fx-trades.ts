import { evmAddress } from '../addresses.ts';
import { endpoint } from '../endpoint.ts';
import {
  anyCase,
  anyText,
  fields,
  group,
  integer,
  list,
  maybe,
  maybeText,
  moneyText,
  oneOf,
  optional,
  orNull,
  payload,
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
  TRADE_STATES,
  usdc,
  usdt,
} from '../fx.ts';

const idempotencyKey = () =>
  optional(text('interface', { rule: 'an idempotency key; repeating it returns the first trade' }));

const destination = () => optional(evmAddress('interface'));

/** The fields of every kind of trade. The pair decides which of the two token amounts is present. */
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
  moves: {
    command: 'fx trades start',
    amount: 'cngnAmount',
    decidedBy: 'quoteId',
    gives: { field: 'side', cngn: 'buy', stablecoin: 'pair', unless: 'orderId' },
    to: [{ address: 'destinationWalletAddress', isOptional: true }],
  },
  starts: 'fx-trade',
  summary: 'Trade by quote, by amount or against a specific order',
  done: 'Trade started',
  nests: 'trade',
  source: 'interface',
  request: () =>
    fields({
      quoteId: optional(text('interface')),
      pair: optional(pair('interface')),
      side: optional(side('interface')),
      cngnAmount: optional(payText('interface', 'CNGN', { rule: 'greater than 0, in cNGN' })),
      orderId: optional(text('interface')),
      destinationWalletAddress: destination(),
      idempotencyKey: idempotencyKey(),
    }),
  response: () =>
    payload({
      trade: group('interface', {
        ...tradeCore(),
        orderId: maybeText('interface'),
        price: cngn('interface'),
        platformFeePercentage: maybe(percent('interface')),
        status: stateOf('interface', ['pending']),
        lockId: anyText('interface'),
        expiresAt: timestamp('interface'),
        createdAt: timestamp('interface'),
      }),
      version: maybeText('interface'),
    }),
  errors: [
    {
      when: "no mode is complete, or the amount is outside the order's limits",
      fault: 'VALIDATION_ERROR',
      source: 'interface',
    },
    { when: 'the quote is unknown or older than 5 minutes', fault: 'INVALID_QUOTE', source: 'interface' },
    noLiquidity,
    {
      when: 'the order is unknown',
      fault: 'NOT_FOUND',
      source: 'public',
      remedy: 'check the order book with: fiatrail fx book show <pair>',
    },
    selfTrade,
    {
      when: 'the wallet balance is too low',
      fault: 'VALIDATION_ERROR',
      source: 'inferred',
      remedy: "check the account's balances with: fiatrail balances account",
    },
  ],
});

export const marketOrder = endpoint({
  ...limits,
  id: 'fx.market-order',
  method: 'POST',
  path: '/fx/market-order',
  effect: 'money',
  moves: {
    command: 'fx market-orders start',
    amount: 'cngnAmount',
    gives: { field: 'side', cngn: 'buy', stablecoin: 'pair' },
    to: [{ address: 'destinationWalletAddress', isOptional: true }],
  },
  starts: 'fx-trade',
  summary: 'Trade immediately at the best available price',
  done: 'Market order accepted',
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
    payload({
      trade: group('interface', {
        ...tradeCore(),
        averagePrice: cngn('interface'),
        status: stateOf('interface', ['pending']),
        expiresAt: timestamp('interface'),
        createdAt: timestamp('interface'),
      }),
      version: maybeText('interface'),
      note: maybeText('interface'),
    }),
  errors: [
    { when: 'a field is missing or invalid', fault: 'VALIDATION_ERROR', source: 'interface' },
    noLiquidity,
    { ...selfTrade, when: "the order would trade against the caller's own orders" },
  ],
});

const netAmount = () => moneyText('interface', 'decimal-string', { leg: 'bought' });

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
  summary: 'Show the status of a trade',
  done: 'Trade status retrieved',
  nests: 'trade',
  source: 'interface',
  request: () => fields({ tradeId: text('interface') }),
  response: () =>
    payload({
      trade: group('interface', {
        ...tradeCore(),
        price: cngn('interface'),
        fintechNetAmount: maybe(netAmount()),
        status: stateOf('interface', TRADE_STATES),
        lockId: maybeText('interface'),
        createdAt: timestamp('interface'),
        priceLockExpiresAt: maybe(timestamp('interface')),
        errorMessage: orNull(anyText('interface')),
        failedAt: orNull(timestamp('interface')),
      }),
      version: maybeText('public'),
    }),
  errors: [
    {
      when: 'the trade is unknown or belongs to another fintech',
      fault: 'NOT_FOUND',
      source: 'interface',
      remedy: 'list your trades with: fiatrail fx trades list',
    },
  ],
});

export const listTrades = endpoint({
  ...listLimits,
  id: 'fx.list-trades',
  method: 'GET',
  path: '/fx/trades',
  effect: 'read',
  summary: "List the account's trades, newest first",
  done: 'Trades listed',
  lists: 'trades',
  source: 'interface',
  request: () =>
    fields({
      pair: optional(pair('interface')),
      side: optional(anyCase('interface', SIDES)),
      status: optional(anyCase('interface', TRADE_STATES)),
      limit: optional(integer('interface', { min: 1, max: 100, rule: '1 to 100; default 50' })),
      startAfter: optional(text('interface', { rule: 'the id of the last trade on the previous page' })),
    }),
  response: () =>
    payload({
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
      version: maybeText('interface'),
    }),
  errors: [
    { when: 'the limit is above 100 or a filter value is unknown', fault: 'VALIDATION_ERROR', source: 'inferred' },
  ],
});
