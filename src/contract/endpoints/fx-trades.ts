import { advice } from '../../base/advice.ts';
import { evmAddress } from '../addresses.ts';
import { endpoint, invalid, refusal } from '../endpoint.ts';
import * as f from '../fields.ts';
import {
  cngn,
  cngnAmount,
  cngnFigure,
  FAILED_TRADE_STATES,
  figure,
  listLimits,
  noLiquidity,
  PAIRS,
  pair,
  quoteLimits,
  SIDES,
  selfTrade,
  side,
  TRADE_STATES,
  unfunded,
  usdc,
  usdt,
} from '../fx.ts';

const idempotencyKey = () =>
  f.optional(
    f.text('interface', { personal: 'key', rule: 'an idempotency key; repeating it returns the first trade' }),
  );

const destination = () => f.optional(evmAddress('interface'));

/** The fields of every kind of trade. The pair decides which of the two token amounts is present. */
const tradeCore = () => ({
  tradeId: f.anyText('interface'),
  pair: f.anyText('interface'),
  side: f.stateOf('interface', SIDES),
  cngnAmount: cngn('interface'),
  usdcAmount: usdc('interface'),
  usdtAmount: usdt('interface'),
});

export const trade = endpoint({
  id: 'fx.trade',
  method: 'POST',
  path: '/fx/trade',
  effect: 'money',
  moves: {
    command: 'fx trade',
    amount: 'cngnAmount',
    decidedBy: 'quoteId',
    gives: { field: 'side', cngn: 'buy', stablecoin: 'pair', unless: 'orderId' },
    to: [{ address: 'destinationWalletAddress', isOptional: true }],
  },
  starts: 'fx-trade',
  summary: 'Trade by quote, by amount or against a specific order',
  done: 'Trade started',
  nests: 'trade',
  repeats: {
    pair: 'trade.pair',
    side: 'trade.side',
    cngnAmount: 'trade.cngnAmount',
    price: 'trade.price',
    orderId: 'trade.orderId',
  },
  fails: { status: FAILED_TRADE_STATES },
  request: () =>
    f.fields({
      quoteId: f.optional(f.text('interface')),
      pair: f.optional(pair('interface')),
      side: f.optional(side('interface')),
      cngnAmount: f.optional(f.payText('interface', 'CNGN', { rule: 'greater than 0, in cNGN' })),
      orderId: f.optional(f.text('interface')),
      destinationWalletAddress: destination(),
      idempotencyKey: idempotencyKey(),
    }),
  response: () =>
    f.payload({
      trade: f.group('interface', {
        ...tradeCore(),
        orderId: f.maybeText('interface'),
        price: cngnFigure('interface'),
        platformFeePercentage: f.maybe(f.percent('interface')),
        status: f.stateOf('interface', ['pending']),
        lockId: f.anyText('interface'),
        expiresAt: f.timestamp('interface'),
        createdAt: f.timestamp('interface'),
      }),
      version: f.maybeText('interface'),
    }),
  errors: [
    invalid('interface', "no mode is complete, or the amount is outside the order's limits"),
    refusal('INVALID_QUOTE', 'interface', 'the quote is unknown or older than 5 minutes'),
    noLiquidity,
    refusal(
      'NOT_FOUND',
      'public',
      'the order is unknown',
      advice`check the order book with: [fiatrail fx book <pair>]`,
    ),
    selfTrade,
    unfunded,
  ],
});

export const marketOrder = endpoint({
  id: 'fx.market-order',
  method: 'POST',
  path: '/fx/market-order',
  effect: 'money',
  moves: {
    command: 'fx trade',
    flag: '--market',
    amount: 'cngnAmount',
    gives: { field: 'side', cngn: 'buy', stablecoin: 'pair' },
    to: [{ address: 'destinationWalletAddress', isOptional: true }],
  },
  starts: 'fx-trade',
  summary: 'Trade immediately at the best available price',
  done: 'Market order accepted',
  nests: 'trade',
  envelope: 'camel',
  repeats: { pair: 'trade.pair', side: 'trade.side', cngnAmount: 'trade.cngnAmount' },
  fails: { status: FAILED_TRADE_STATES },
  request: () =>
    f.fields({
      pair: f.oneOf('interface', [...PAIRS, 'CNGN'], { names: 'tokens' }),
      side: side('interface'),
      cngnAmount: cngnAmount(),
      destinationWalletAddress: destination(),
      idempotencyKey: idempotencyKey(),
    }),
  response: () =>
    f.payload({
      trade: f.group('interface', {
        ...tradeCore(),
        averagePrice: cngnFigure('interface'),
        status: f.stateOf('interface', ['pending']),
        expiresAt: f.timestamp('interface'),
        createdAt: f.timestamp('interface'),
      }),
      version: f.maybeText('interface'),
      note: f.maybeText('interface', { personal: 'text' }),
    }),
  errors: [
    invalid('interface', 'a field is missing or invalid'),
    noLiquidity,
    { ...selfTrade, when: "the order would trade against the caller's own orders" },
    unfunded,
  ],
});

/** What is credited after fees. Public text says a stablecoin, also for a sale of it; the interface does not say it. */
const netAmount = () => figure('interface', { netOf: { cngnAmount: 'CNGN', usdcAmount: 'USDC', usdtAmount: 'USDT' } });

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
  repeats: { tradeId: 'trade.tradeId' },
  fails: { status: FAILED_TRADE_STATES },
  request: () => f.fields({ tradeId: f.text('interface') }),
  response: () =>
    f.payload({
      trade: f.group('interface', {
        ...tradeCore(),
        price: cngnFigure('interface'),
        fintechNetAmount: f.maybe(netAmount()),
        status: f.stateOf('interface', TRADE_STATES),
        lockId: f.maybeText('interface'),
        createdAt: f.timestamp('interface'),
        priceLockExpiresAt: f.maybe(f.timestamp('interface')),
        errorMessage: f.orNull(f.anyText('interface', { personal: 'text' })),
        failedAt: f.orNull(f.timestamp('interface')),
      }),
      version: f.maybeText('public'),
    }),
  errors: [
    refusal(
      'NOT_FOUND',
      'interface',
      'the trade is unknown or belongs to another fintech',
      advice`list your trades with: [fiatrail fx trades list]`,
    ),
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
  request: () =>
    f.fields({
      pair: f.optional(pair('interface')),
      side: f.optional(f.anyCase('interface', SIDES)),
      status: f.optional(f.anyCase('interface', TRADE_STATES)),
      limit: f.optional(f.integer('interface', { min: 1, max: 100, rule: '1 to 100; default 50' })),
      startAfter: f.optional(f.text('interface', { rule: 'the id of the last trade on the previous page' })),
    }),
  response: () =>
    f.payload({
      trades: f.list(
        'interface',
        f.group('interface', {
          ...tradeCore(),
          price: cngnFigure('interface'),
          fintechNetAmount: f.maybe(netAmount()),
          status: f.anyText('interface'),
          createdAt: f.timestamp('interface'),
        }),
      ),
      count: f.integer('interface'),
      version: f.maybeText('interface'),
    }),
  errors: [invalid('inferred', 'the limit is above 100 or a filter value is unknown')],
});
