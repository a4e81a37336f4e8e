import { amount, type Token, toWireText } from '../../money/amount.ts';
import { percentText } from '../../money/rates.ts';
import { type Context, isoTime, newTxHash } from '../context.ts';
import { emit } from '../events/deliveries.ts';
import { post, swapping, walletAccount } from '../ledger.ts';
import { fire, type Machine, schedule } from '../machine.ts';
import { onramp } from '../onramp/machine.ts';
import { rowOf, update, userIdOf, walletAddressOf } from '../rows.ts';
import { GAS, TOKEN_ADDRESS } from '../wallets/addresses.ts';
import { accountAt, managedWallet, type WalletRow } from '../wallets/wallets.ts';
import { exchange, type SwapTrigger } from './swaps.ts';

export interface SwapRow {
  readonly id: bigint;
  readonly request_id: string;
  readonly fintech: bigint;
  readonly user: bigint;
  readonly trigger_type: SwapTrigger;
  readonly onramp: bigint | null;
  readonly state: string;
  readonly wallet: bigint;
  readonly destination: string;
  /** The network on which the destination receives the bought tokens. */
  readonly network: string;
  readonly sell_asset: Token;
  readonly buy_asset: Token;
  readonly amount_in_base: bigint;
  /** 0 if the book had no price when the swap was requested. */
  readonly expected_out_base: bigint;
  readonly slippage_millionths: bigint;
  readonly amount_out_base: bigint | null;
  readonly rate_micro: bigint | null;
  readonly tx_hash: string | null;
  readonly created_at: bigint;
  readonly updated_at: bigint;
}

const SWAP_TABLE = `
CREATE TABLE swap (
  id INTEGER PRIMARY KEY, request_id TEXT NOT NULL UNIQUE, fintech INTEGER NOT NULL, user INTEGER NOT NULL REFERENCES user,
  trigger_type TEXT NOT NULL CHECK (trigger_type IN ('direct', 'trigger', 'auto')), onramp INTEGER REFERENCES onramp, state TEXT NOT NULL,
  wallet INTEGER NOT NULL REFERENCES wallet, destination TEXT NOT NULL, network TEXT NOT NULL,
  sell_asset TEXT NOT NULL, buy_asset TEXT NOT NULL, amount_in_base INTEGER NOT NULL,
  expected_out_base INTEGER NOT NULL, slippage_millionths INTEGER NOT NULL, amount_out_base INTEGER, rate_micro INTEGER, tx_hash TEXT, error_code TEXT,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE INDEX swap_by_fintech ON swap (fintech, id);
CREATE INDEX swap_by_onramp ON swap (onramp) WHERE onramp IS NOT NULL;`;

/** Source: public (the states), inferred (that the sold tokens are set aside on request). */
export const swap: Machine<SwapRow> = {
  name: 'swap',
  table: 'swap',
  schema: SWAP_TABLE,
  stamp: 'updated_at',
  transitions: [
    { on: 'accepted', from: ['pending'], to: 'requested', effect: accept },
    { on: 'begun', from: ['requested', 'queued'], to: 'processing', effect: begin },
    {
      on: 'executed',
      from: ['processing'],
      to: 'completed',
      when: (...about) => problemOf(...about) === undefined,
      effect: execute,
    },
    { on: 'executed', from: ['processing'], to: 'failed', effect: returnTokens },
  ],
};

function accept(context: Context, row: SwapRow): void {
  schedule(context, swap.name, row.id, 'begun', context.pace.step);
}

function begin(context: Context, row: SwapRow): void {
  if (row.onramp !== null) fire(context, onramp, row.onramp, 'swap-begun');
  schedule(context, swap.name, row.id, 'executed', context.pace.swap);
}

const resultOf = ({ store }: Context, row: SwapRow) =>
  exchange(store, row.fintech, row.sell_asset, row.buy_asset, row.amount_in_base);

/** Returns the minimum output for an expected one, rounded up so that slippage never exceeds the maximum. */
function minimumOutBase(expectedBase: bigint, slippageMillionths: bigint): bigint {
  const hundredPercent = 100_000_000n;
  return (expectedBase * (hundredPercent - slippageMillionths) + hundredPercent - 1n) / hundredPercent;
}

/** Returns why a swap cannot be executed now. Source: public (the codes). */
function problemOf(context: Context, row: SwapRow): 'INSUFFICIENT_LIQUIDITY' | 'SLIPPAGE_EXCEEDED' | undefined {
  const result = resultOf(context, row);
  // Without a price at the time of the request, slippage cannot be measured and any price would be accepted.
  if (!result || row.expected_out_base === 0n) return 'INSUFFICIENT_LIQUIDITY';
  const minimum = minimumOutBase(row.expected_out_base, row.slippage_millionths);
  return result.amountOutBase < minimum ? 'SLIPPAGE_EXCEEDED' : undefined;
}

function execute(context: Context, row: SwapRow): void {
  const { store, nowMs } = context;
  const result = resultOf(context, row);
  if (!result) throw new Error('the order book changed within one transaction');
  post(context, 'swap.executed', row.request_id, [
    { account: swapping(row.sell_asset), minor: -row.amount_in_base },
    ...result.postings,
    { account: accountAt(store, row.destination, row.network, row.buy_asset), minor: result.amountOutBase },
  ]);
  const txHash = newTxHash(context);
  update(store, 'swap', row.id, {
    amount_out_base: result.amountOutBase,
    rate_micro: result.rateMicro,
    tx_hash: txHash,
  });
  const about = eventOf(context, row);
  emit(context, {
    ...about,
    event: 'swap.completed',
    data: {
      ...about.data,
      amountOut: toWireText(amount(row.buy_asset, result.amountOutBase), 'token'),
      swapTxHash: txHash,
      transferTxHash: txHash,
      completedAt: isoTime(nowMs),
      smartWalletContext: {
        smartWalletAddress: walletAddressOf(store, row.wallet),
        managedWalletAddress: managedWallet(store, row.user).address,
      },
      swapMetrics: {
        executionTime: nowMs - Number(row.created_at),
        gasUsed: GAS.gasUsed,
        slippage: percentText(row.slippage_millionths),
      },
    },
  });
  if (row.onramp !== null) fire(context, onramp, row.onramp, 'swapped');
}

function returnTokens(context: Context, row: SwapRow): void {
  const { store, nowMs } = context;
  const code = problemOf(context, row) ?? 'INSUFFICIENT_LIQUIDITY';
  post(context, 'swap.returned', row.request_id, [
    { account: swapping(row.sell_asset), minor: -row.amount_in_base },
    { account: walletAccount(row.wallet, 'base', row.sell_asset), minor: row.amount_in_base },
  ]);
  update(store, 'swap', row.id, { error_code: code });
  const about = eventOf(context, row);
  emit(context, {
    ...about,
    event: 'swap.failed',
    data: {
      ...about.data,
      failedAt: isoTime(nowMs),
      error: { code, message: 'the swap was not executed; the tokens were returned to the wallet' },
      retryable: true,
      metadata: { attemptNumber: 1, pool: null },
    },
  });
  if (row.onramp !== null) fire(context, onramp, row.onramp, 'swap-failed');
}

/** The common part of the events of a swap. */
function eventOf(context: Context, row: SwapRow) {
  const wallet = rowOf<WalletRow>(context.store, 'wallet', row.wallet);
  return {
    fintech: row.fintech,
    requestId: row.request_id,
    userId: userIdOf(context.store, row.user),
    data: {
      walletAddress: wallet.address,
      owner: wallet.custom_owner ?? 'service-managed',
      sellToken: TOKEN_ADDRESS[row.sell_asset],
      buyToken: TOKEN_ADDRESS[row.buy_asset],
      amountIn: toWireText(amount(row.sell_asset, row.amount_in_base), 'token'),
    },
  };
}
