import { TOKENS } from '../../money/amount.ts';
import { evmAddress } from '../addresses.ts';
import { endpoint } from '../endpoint.ts';
import {
  fields,
  flag,
  group,
  integer,
  maybe,
  maybeText,
  moneyText,
  oneOf,
  optional,
  patterned,
  pay,
  payload,
  timestamp,
} from '../fields.ts';

const ofTicker = { field: 'ticker', byDefault: 'CNGN' } as const;
const baseText = () => maybe(moneyText('public', 'base', ofTicker));
const FRACTION = { rule: 'public examples contain fractions, whose unit is not documented' } as const;

export const transferToWallet = endpoint({
  id: 'transactions.fintech-transfer',
  method: 'POST',
  path: '/fintechtransfer',
  effect: 'money',
  moves: { command: 'transfers start', amount: 'amount', to: [{ address: 'destinationAddress' }] },
  summary: "Transfer the account's own tokens to a registered external wallet",
  done: 'Transfer completed',
  request: () =>
    fields({
      destinationAddress: evmAddress('public'),
      amount: pay('interface', 'base', ofTicker, { rule: 'greater than 0, in base units (1000000 is 1 token)' }),
      ticker: optional(oneOf('public', TOKENS, { rule: 'CNGN, USDC or USDT; default CNGN' })),
      note: optional(patterned('public', /^[^\p{Cc}]{0,500}$/u, 'at most 500 characters')),
    }),
  response: () =>
    payload({
      requestId: maybeText('public'),
      transactionHash: maybeText('public'),
      smartWalletAddress: maybeText('public'),
      destinationAddress: maybeText('public'),
      destinationLabel: maybeText('public'),
      amount: baseText(),
      ticker: maybeText('public'),
      blockNumber: maybeText('public'),
      gasUsed: maybeText('public'),
      commitmentsSafeguarded: maybe(
        group('public', {
          activeOrders: maybe(integer('public')),
          activeEscrows: maybe(integer('public')),
          totalCommitted: baseText(),
          remainingBalance: baseText(),
        }),
      ),
      executedAt: maybe(timestamp('public')),
      version: maybeText('public'),
      feeBreakdown: maybe(
        group('public', {
          requestedAmount: baseText(),
          totalFee: maybe(moneyText('public', 'base', ofTicker, FRACTION)),
          netAmount: maybe(moneyText('public', 'base', ofTicker, FRACTION)),
          usedFintechOverride: maybe(flag('public')),
        }),
      ),
    }),
  errors: [
    {
      when: 'the destination is not a registered external wallet',
      fault: 'VALIDATION_ERROR',
      source: 'public',
      remedy: 'register it first with: fiatrail wallets external add <address> --network <network>',
    },
    { when: 'the balance not reserved by orders and escrows is too low', fault: 'SHORT_BALANCE', source: 'public' },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});
