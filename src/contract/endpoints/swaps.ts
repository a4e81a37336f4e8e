import { advice } from '../../base/advice.ts';
import { TOKENS } from '../../money/amount.ts';
import { evmAddress } from '../addresses.ts';
import { CORRECT_OR_ACTIVATE, endpoint, invalid, refusal, userNotVerified, WORK_FAILS } from '../endpoint.ts';
import * as f from '../fields.ts';

const ofSellToken = { field: 'sellToken' } as const;
const ofBuyToken = { field: 'buyToken' } as const;
/** Documented figures have a decimal point. */
const POINTED = { mayBeBase: true } as const;
const slippage = (start: string) =>
  f.optional(f.percentFrom('public', '0', '100', { rule: `0 to 100 percent; default ${start}` }));

export const triggerSwap = endpoint({
  id: 'swaps.trigger',
  method: 'POST',
  path: '/swaptrigger',
  effect: 'money',
  moves: { command: 'swaps create', flag: '--wallet', amount: 'amount', to: ['unknown'] },
  starts: 'swap',
  summary: "Start a swap of an onramp wallet's balance",
  done: 'Onramp swap started',
  repeats: {
    walletAddress: 'swapConfig.walletAddress',
    sellToken: 'swapConfig.sellToken',
    buyToken: 'swapConfig.buyToken',
    amount: 'swapConfig.amount',
  },
  fails: WORK_FAILS,
  request: () =>
    f.fields({
      walletAddress: evmAddress('public'),
      sellToken: f.oneOf('public', TOKENS),
      buyToken: f.optional(f.oneOf('public', TOKENS, { rule: "CNGN, USDC or USDT; default: the wallet's setting" })),
      amount: f.optional(
        f.pay('interface', 'token', ofSellToken, {
          rule: 'greater than 0, in whole tokens; default: the full funded amount',
        }),
      ),
      slippage: slippage('5'),
    }),
  response: () =>
    f.payload({
      requestId: f.anyText('interface'),
      status: f.maybe(f.stateOf('public', ['queued'])),
      message: f.maybeText('public', { personal: 'text' }),
      swapConfig: f.maybe(
        f.group('public', {
          sellToken: f.maybeText('public'),
          buyToken: f.maybeText('public'),
          amount: f.maybe(f.moneyText('public', 'decimal-string', ofSellToken, POINTED)),
          walletAddress: f.maybeText('public', { personal: 'address' }),
        }),
      ),
      destinationConfig: f.maybe(
        f.group('public', {
          destinationWallet: f.maybeText('public', { personal: 'address' }),
          sweepToOfframp: f.maybe(f.flag('public')),
        }),
      ),
    }),
  errors: [
    invalid('public', 'a field is missing or invalid, such as the wallet address', CORRECT_OR_ACTIVATE),
    refusal('INSUFFICIENT_LIQUIDITY', 'public', 'the order book cannot fill the swap'),
  ],
});

export const startSwap = endpoint({
  id: 'swaps.create',
  method: 'POST',
  path: '/swap',
  effect: 'money',
  moves: {
    command: 'swaps create',
    amount: 'amount',
    to: [{ address: 'destinationAssetSwap', orUser: 'userId' }],
  },
  starts: 'swap',
  summary: "Start a swap of a user's tokens",
  done: 'Swap started',
  repeats: { smartWalletAddress: 'smartWalletExecutionDetails.smartWalletAddress' },
  fails: WORK_FAILS,
  request: () =>
    f.fields({
      sellToken: f.oneOf('public', TOKENS),
      buyToken: f.oneOf('public', TOKENS),
      amount: f.pay('interface', 'token', ofSellToken, { rule: 'greater than 0, in whole tokens of sellToken' }),
      userId: f.text('public', { rule: 'the id of a verified, active user' }),
      slippage: slippage('2'),
      smartWalletAddress: f.optional(evmAddress('public')),
      destinationAssetSwap: f.optional(evmAddress('public')),
    }),
  response: () =>
    f.payload({
      requestId: f.anyText('interface'),
      status: f.maybe(f.stateOf('public', ['requested'])),
      message: f.maybeText('public', { personal: 'text' }),
      smartWalletExecutionDetails: f.maybe(
        f.group('public', {
          smartWalletAddress: f.maybeText('public', { personal: 'address' }),
          executionMethod: f.maybe(f.stateOf('public', ['smart_wallet_execute'])),
          validationSummary: f.maybe(
            f.group('public', { balanceCheck: f.maybeText('public'), allowanceCheck: f.maybeText('public') }),
          ),
        }),
      ),
    }),
  errors: [
    invalid('public', 'a field is missing or invalid, such as an amount of 0', CORRECT_OR_ACTIVATE),
    userNotVerified,
    refusal('SHORT_BALANCE', 'public', 'the balance of the source wallet is too low'),
  ],
});

const states = ['pending', 'requested', 'queued', 'processing', 'completed', 'failed'] as const;

export const swapStatus = endpoint({
  id: 'swaps.status',
  method: 'GET',
  path: '/swapstatus',
  effect: 'read',
  summary: 'Show the status of a swap',
  done: 'Swap status retrieved',
  repeats: { requestId: 'requestId' },
  fails: WORK_FAILS,
  request: () => f.fields({ requestId: f.text('interface', { rule: 'as returned by /swaptrigger or /swap' }) }),
  response: () =>
    f.payload({
      requestId: f.maybeText('public'),
      type: f.maybeText('public'),
      status: f.maybe(f.stateOf('public', states)),
      createdAt: f.maybe(f.timestamp('public')),
      updatedAt: f.maybe(f.timestamp('public')),
      txHash: f.maybeText('public', { personal: 'hash' }),
      amountOut: f.maybe(
        f.moneyText('public', 'base', ofBuyToken, { rule: 'the token bought, which this response does not name' }),
      ),
      // cNGN per stablecoin.
      executionRate: f.maybe(f.moneyText('public', 'decimal-string', 'CNGN', POINTED)),
      executionMethod: f.maybe(f.stateOf('public', ['smart_wallet_execute'])),
      smartWalletAddress: f.maybeText('public', { personal: 'address' }),
    }),
  errors: [
    refusal('NOT_FOUND', 'public', 'no swap has this request id', advice`list swaps with: [fiatrail swaps list]`),
  ],
  rateLimit: { max: 60, windowSeconds: 60 },
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
    f.fields({
      ...f.page(),
      status: f.optional(f.oneOf('interface', endStates)),
      ...f.range('interface'),
    }),
  response: () =>
    f.payload({
      swaps: f.list(
        'interface',
        f.group('interface', {
          requestId: f.anyText('interface'),
          type: f.maybeText('public'),
          status: f.stateOf('interface', endStates),
          sellToken: f.anyText('interface'),
          buyToken: f.anyText('interface'),
          amountIn: f.moneyText('interface', 'decimal-string', ofSellToken, POINTED),
          amountOut: f.maybe(f.moneyText('interface', 'decimal-string', ofBuyToken, POINTED)),
          executionRate: f.maybe(f.moneyText('interface', 'decimal-string', 'CNGN', { mayBeBase: 'with-others' })),
          smartWalletAddress: f.maybeText('interface', { personal: 'address' }),
          txHash: f.maybeText('interface', { personal: 'hash' }),
          triggerType: f.maybeText('interface'),
          createdAt: f.maybe(f.timestamp('public')),
          updatedAt: f.maybe(f.timestamp('public')),
        }),
      ),
      pagination: f.pagination(),
      version: f.maybeText('public'),
    }),
  errors: [invalid('inferred', 'the status is unknown or a date is malformed')],
  rateLimit: { max: 100, windowSeconds: 60 },
});
