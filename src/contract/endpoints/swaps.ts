import { TOKENS } from '../../money/amount.ts';
import { evmAddress } from '../addresses.ts';
import { endpoint } from '../endpoint.ts';
import {
  anyText,
  fields,
  flag,
  group,
  integer,
  list,
  maybe,
  maybeText,
  moment,
  moneyText,
  oneOf,
  optional,
  pay,
  payload,
  percentFrom,
  stateOf,
  text,
  timestamp,
} from '../fields.ts';

const ofSellToken = { field: 'sellToken' } as const;
const ofBuyToken = { field: 'buyToken' } as const;
const slippage = (start: string) =>
  optional(percentFrom('public', '0', '100', { rule: `0 to 100 percent; default ${start}` }));

export const triggerSwap = endpoint({
  id: 'swaps.trigger',
  method: 'POST',
  path: '/swaptrigger',
  effect: 'money',
  moves: { command: 'swaps wallets start', amount: 'amount', to: ['unknown'] },
  starts: 'swap',
  summary: "Start a swap of an onramp wallet's balance",
  done: 'Onramp swap started',
  request: () =>
    fields({
      walletAddress: evmAddress('public'),
      sellToken: oneOf('public', TOKENS),
      buyToken: optional(oneOf('public', TOKENS, { rule: "CNGN, USDC or USDT; default: the wallet's setting" })),
      amount: optional(
        pay('interface', 'token', ofSellToken, {
          rule: 'greater than 0, in whole tokens; default: the full funded amount',
        }),
      ),
      slippage: slippage('5'),
    }),
  response: () =>
    payload({
      requestId: anyText('interface'),
      status: maybe(stateOf('public', ['queued'])),
      message: maybeText('public'),
      swapConfig: maybe(
        group('public', {
          sellToken: maybeText('public'),
          buyToken: maybeText('public'),
          amount: maybe(moneyText('public', 'decimal-string', ofSellToken)),
          walletAddress: maybeText('public'),
        }),
      ),
      destinationConfig: maybe(
        group('public', {
          destinationWallet: maybeText('public'),
          sweepToOfframp: maybe(flag('public')),
        }),
      ),
    }),
  errors: [
    { when: 'a field is missing or invalid, such as the wallet address', fault: 'VALIDATION_ERROR', source: 'public' },
    { when: 'the order book cannot fill the swap', fault: 'INSUFFICIENT_LIQUIDITY', source: 'public' },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

export const startSwap = endpoint({
  id: 'swaps.create',
  method: 'POST',
  path: '/swap',
  effect: 'money',
  moves: {
    command: 'swaps start',
    amount: 'amount',
    to: [{ address: 'destinationAssetSwap', orUser: 'userId' }],
  },
  starts: 'swap',
  summary: "Start a swap of a user's tokens",
  done: 'Swap started',
  request: () =>
    fields({
      sellToken: oneOf('public', TOKENS),
      buyToken: oneOf('public', TOKENS),
      amount: pay('interface', 'token', ofSellToken, { rule: 'greater than 0, in whole tokens of sellToken' }),
      userId: text('public', { rule: 'the id of a verified, active user' }),
      slippage: slippage('2'),
      smartWalletAddress: optional(evmAddress('public')),
      destinationAssetSwap: optional(evmAddress('public')),
    }),
  response: () =>
    payload({
      requestId: anyText('interface'),
      status: maybe(stateOf('public', ['requested'])),
      message: maybeText('public'),
      smartWalletExecutionDetails: maybe(
        group('public', {
          smartWalletAddress: maybeText('public'),
          executionMethod: maybe(stateOf('public', ['smart_wallet_execute'])),
          validationSummary: maybe(
            group('public', { balanceCheck: maybeText('public'), allowanceCheck: maybeText('public') }),
          ),
        }),
      ),
    }),
  errors: [
    { when: 'a field is missing or invalid, such as an amount of 0', fault: 'VALIDATION_ERROR', source: 'public' },
    { when: 'the user is unknown or not verified', fault: 'USER_NOT_FOUND', source: 'public' },
    { when: 'the balance of the source wallet is too low', fault: 'SHORT_BALANCE', source: 'public' },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

const states = ['pending', 'requested', 'queued', 'processing', 'completed', 'failed'] as const;

export const swapStatus = endpoint({
  id: 'swaps.status',
  method: 'GET',
  path: '/swapstatus',
  effect: 'read',
  summary: 'Show the status of a swap',
  done: 'Swap status retrieved',
  request: () => fields({ requestId: text('interface', { rule: 'as returned by /swaptrigger or /swap' }) }),
  response: () =>
    payload({
      requestId: maybeText('public'),
      type: maybeText('public'),
      status: maybe(stateOf('public', states)),
      createdAt: maybe(timestamp('public')),
      updatedAt: maybe(timestamp('public')),
      txHash: maybeText('public'),
      amountOut: maybe(
        moneyText('public', 'base', ofBuyToken, { rule: 'the token bought, which this response does not name' }),
      ),
      // cNGN per stablecoin.
      executionRate: maybe(moneyText('public', 'decimal-string', 'CNGN')),
      executionMethod: maybe(stateOf('public', ['smart_wallet_execute'])),
      smartWalletAddress: maybeText('public'),
    }),
  errors: [
    {
      when: 'no swap has this request id',
      fault: 'NOT_FOUND',
      source: 'public',
      remedy: 'list swaps with: fiatrail swaps list',
    },
  ],
  rateLimit: { max: 60, windowSeconds: 60 },
  source: 'interface',
});

const endStates = ['requested', 'completed', 'failed'] as const;

export const listSwaps = endpoint({
  id: 'swaps.history',
  method: 'GET',
  path: '/swaphistory',
  effect: 'read',
  summary: 'List swaps, newest first',
  done: 'Swaps listed',
  lists: 'swaps',
  envelope: 'top-level-version',
  request: () =>
    fields({
      limit: optional(integer('interface', { min: 1, max: 100, rule: '1 to 100; default 20' })),
      offset: optional(integer('interface', { rule: '0 or more' })),
      status: optional(oneOf('interface', endStates)),
      startDate: optional(moment('interface')),
      endDate: optional(moment('interface')),
    }),
  response: () =>
    payload({
      swaps: list(
        'interface',
        group('interface', {
          requestId: anyText('interface'),
          type: maybeText('public'),
          status: stateOf('interface', endStates),
          sellToken: anyText('interface'),
          buyToken: anyText('interface'),
          amountIn: moneyText('interface', 'decimal-string', ofSellToken),
          amountOut: maybe(moneyText('interface', 'decimal-string', ofBuyToken)),
          executionRate: maybe(moneyText('interface', 'decimal-string', 'CNGN')),
          smartWalletAddress: maybeText('interface'),
          txHash: maybeText('interface'),
          triggerType: maybeText('interface'),
          createdAt: maybe(timestamp('public')),
          updatedAt: maybe(timestamp('public')),
        }),
      ),
      pagination: group('interface', {
        total: integer('interface'),
        limit: integer('interface'),
        offset: integer('interface'),
        hasMore: flag('interface'),
      }),
      version: maybeText('public'),
    }),
  errors: [{ when: 'the status is unknown or a date is malformed', fault: 'VALIDATION_ERROR', source: 'inferred' }],
  rateLimit: { max: 100, windowSeconds: 60 },
  source: 'interface',
});
