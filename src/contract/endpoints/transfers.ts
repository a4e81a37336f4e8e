import { advice } from '../../base/advice.ts';
import { TOKENS } from '../../money/amount.ts';
import { evmAddress } from '../addresses.ts';
import { endpoint, invalid, refusal, WORK_FAILS } from '../endpoint.ts';
import * as f from '../fields.ts';

const ofTicker = { field: 'ticker', byDefault: 'CNGN' } as const;
const baseText = () => f.maybe(f.moneyText('public', 'base', ofTicker));
const FRACTION = { rule: 'public examples contain fractions, whose unit is not documented' } as const;

export const transferToWallet = endpoint({
  id: 'transactions.fintech-transfer',
  method: 'POST',
  path: '/fintechtransfer',
  effect: 'money',
  moves: { command: 'transfers create', amount: 'amount', to: [{ address: 'destinationAddress' }] },
  summary: "Transfer the account's own tokens to a registered external wallet",
  done: 'Transfer completed',
  repeats: {
    destinationAddress: 'destinationAddress',
    amount: ['amount', 'feeBreakdown.requestedAmount'],
    ticker: 'ticker',
  },
  fails: WORK_FAILS,
  request: () =>
    f.fields({
      destinationAddress: evmAddress('public'),
      amount: f.pay('interface', 'base', ofTicker, { rule: 'greater than 0, in base units (1000000 is 1 token)' }),
      ticker: f.optional(f.oneOf('public', TOKENS, { rule: 'CNGN, USDC or USDT; default CNGN', byDefault: 'CNGN' })),
      note: f.optional(f.patterned('public', /^[^\p{Cc}]{0,500}$/u, 'at most 500 characters', { personal: 'text' })),
    }),
  response: () =>
    f.payload({
      requestId: f.maybeText('public'),
      transactionHash: f.maybeText('public', { personal: 'hash' }),
      smartWalletAddress: f.maybeText('public', { personal: 'address' }),
      destinationAddress: f.maybeText('public', { personal: 'address' }),
      destinationLabel: f.maybeText('public', { personal: 'text' }),
      amount: baseText(),
      ticker: f.maybeText('public'),
      blockNumber: f.maybeText('public'),
      gasUsed: f.maybeText('public'),
      commitmentsSafeguarded: f.maybe(
        f.group('public', {
          activeOrders: f.maybe(f.integer('public')),
          activeEscrows: f.maybe(f.integer('public')),
          totalCommitted: baseText(),
          remainingBalance: baseText(),
        }),
      ),
      executedAt: f.maybe(f.timestamp('public')),
      version: f.maybeText('public'),
      feeBreakdown: f.maybe(
        f.group('public', {
          requestedAmount: baseText(),
          totalFee: f.maybe(f.moneyText('public', 'base', ofTicker, FRACTION)),
          netAmount: f.maybe(f.moneyText('public', 'base', ofTicker, FRACTION)),
          usedFintechOverride: f.maybe(f.flag('public')),
        }),
      ),
    }),
  errors: [
    invalid(
      'public',
      'the destination is not a registered external wallet',
      advice`register it first with: [fiatrail wallets external add <address> --network <network>]`,
    ),
    refusal('SHORT_BALANCE', 'public', 'the balance not reserved by orders and escrows is too low'),
  ],
});
