import { Fault } from '../../contract/faults.ts';
import { sameAddress } from '../../contract/networks.ts';
import { type Asset, amount, amountForPeople, fromWire, type Token, toWireText } from '../../money/amount.ts';
import type { WireNumber } from '../../money/decimal.ts';
import { percentFromWire } from '../../money/rates.ts';
import { type Call, isoTime, type Operations, type OperationsOf, VERSION } from '../context.ts';
import { balanceOf, walletAccount } from '../ledger.ts';
import { type OnrampRow, swappedTo } from '../onramp/machine.ts';
import { countOf, ownRow, rowOf, walletAddressOf } from '../rows.ts';
import { requireActive, type UserRow, userOf } from '../users/operation.ts';
import { managedWallet, type WalletRow, walletAt } from '../wallets/wallets.ts';
import { timeRangeOf } from '../wire-values.ts';
import type { SwapRow } from './machine.ts';
import { exchange, startSwap } from './swaps.ts';

const tokens = (asset: Asset, base: bigint) => toWireText(amount(asset, base), 'decimal-string');
const tokenBase = (wire: WireNumber, asset: Token) => fromWire(wire, 'token', asset)?.minor ?? 0n;
const slippageOf = (wire: WireNumber | undefined, fallback: bigint) =>
  wire === undefined ? fallback : (percentFromWire(wire) ?? fallback);

/** In millionths of a percent. Source: interface. */
const TRIGGER_SLIPPAGE = 5_000_000n;
const SWAP_SLIPPAGE = 2_000_000n;

function requireDifferent(sell: Token, buy: Token): void {
  if (sell === buy) throw new Fault('VALIDATION_ERROR', 'buyToken: expected a token other than sellToken');
}

/** Returns a wallet of the fintech's users that the service can sign for. Throws VALIDATION_ERROR. */
function signableWallet(call: Call, address: string, field: string): WalletRow & { readonly user: bigint } {
  const wallet = walletAt(call.store, address);
  const row = wallet?.user === null ? undefined : wallet;
  const belongs = row && call.store.get('SELECT 1 FROM user WHERE id = ? AND fintech = ?', row.user, call.fintech.id);
  if (!row || !belongs || row.user === null || row.kind === 'multi_chain')
    throw new Fault('VALIDATION_ERROR', `${field}: expected a wallet of a user of this fintech`);
  if (row.custom_owner !== null)
    throw new Fault('VALIDATION_ERROR', `${field}: the service cannot sign for a wallet with a custom owner`);
  return { ...row, user: row.user };
}

/** States in which an onramp still needs its cNGN. */
const NEEDS_TOKENS = ['funded', 'swap_queued', 'swap_processing'];

/** Returns the onramp that created a wallet. Throws VALIDATION_ERROR while the onramp still needs the tokens in it. */
function onrampOf({ store }: Call, wallet: WalletRow): OnrampRow | undefined {
  const onramp = store.get<OnrampRow>('SELECT * FROM onramp WHERE wallet = ?', wallet.id);
  if (onramp && NEEDS_TOKENS.includes(onramp.state))
    throw new Fault(
      'VALIDATION_ERROR',
      `walletAddress: the onramp of this wallet is still in progress (${onramp.state})`,
    );
  return onramp;
}

/** Returns true if the swap is the one that the onramp failed to make; such a swap is shown with the onramp. */
function isRetry(onramp: OnrampRow, sell: Token, buy: Token): boolean {
  const hasFailed = onramp.state === 'failed' && onramp.funded_at !== null && onramp.auto_swap === 1n;
  return hasFailed && sell === 'CNGN' && buy === onramp.target_asset;
}

const trigger: Operations['swaps.trigger'] = (call, { walletAddress, sellToken, buyToken, amount: wire, slippage }) => {
  const wallet = signableWallet(call, walletAddress, 'walletAddress');
  if (wallet.kind !== 'generated')
    throw new Fault('VALIDATION_ERROR', 'walletAddress: expected the wallet of an onramp');
  const onramp = onrampOf(call, wallet);
  const buy = buyToken ?? (wallet.token_buy as Token);
  requireDifferent(sellToken, buy);
  requireActive(rowOf<UserRow>(call.store, 'user', wallet.user));
  const held = balanceOf(call.store, walletAccount(wallet.id, 'base', sellToken));
  const amountBase = wire === undefined ? held : tokenBase(wire, sellToken);
  if (amountBase === 0n || amountBase > held)
    throw new Fault('VALIDATION_ERROR', `amount: the wallet holds only ${amountForPeople(amount(sellToken, held))}`);
  if (!exchange(call.store, call.fintech.id, sellToken, buy, amountBase))
    throw new Fault('INSUFFICIENT_LIQUIDITY', 'the order book cannot fill this swap');
  const destination = onramp ? swappedTo(call, onramp, wallet.address) : { address: wallet.address, network: 'base' };
  const { requestId } = startSwap(call, {
    fintech: call.fintech.id,
    user: wallet.user,
    trigger: 'trigger',
    ...(onramp && isRetry(onramp, sellToken, buy) ? { onramp: onramp.id } : {}),
    wallet: wallet.id,
    destination,
    sell: sellToken,
    buy,
    amountBase,
    slippageMillionths: slippageOf(slippage, TRIGGER_SLIPPAGE),
  });
  return {
    requestId,
    status: 'queued',
    message: 'the swap is queued',
    swapConfig: {
      sellToken,
      buyToken: buy,
      amount: tokens(sellToken, amountBase),
      walletAddress: wallet.address,
    },
    destinationConfig: { destinationWallet: destination.address, sweepToOfframp: onramp?.sweep === 1n },
  };
};

const create: Operations['swaps.create'] = (call, input) => {
  const { sellToken, buyToken, userId, slippage, smartWalletAddress, destinationAssetSwap } = input;
  requireDifferent(sellToken, buyToken);
  const user = userOf(call, userId, 'USER_NOT_FOUND');
  requireActive(user);
  const managed = managedWallet(call.store, user.id);
  const wallet =
    smartWalletAddress === undefined ? managed : signableWallet(call, smartWalletAddress, 'smartWalletAddress');
  if (wallet.user !== user.id)
    throw new Fault('VALIDATION_ERROR', 'smartWalletAddress: expected a wallet of this user');
  const amountBase = tokenBase(input.amount, sellToken);
  const held = balanceOf(call.store, walletAccount(wallet.id, 'base', sellToken));
  if (amountBase > held)
    throw new Fault('SHORT_BALANCE', `the wallet holds only ${amountForPeople(amount(sellToken, held))} on Base`);
  const { requestId } = startSwap(call, {
    fintech: call.fintech.id,
    user: user.id,
    trigger: 'direct',
    wallet: wallet.id,
    destination: {
      address: destinationAssetSwap === undefined ? managed.address : sameAddress(destinationAssetSwap),
      network: 'base',
    },
    sell: sellToken,
    buy: buyToken,
    amountBase,
    slippageMillionths: slippageOf(slippage, SWAP_SLIPPAGE),
  });
  return {
    requestId,
    status: 'requested',
    message: 'the swap will be executed through the order book',
    smartWalletExecutionDetails: {
      smartWalletAddress: wallet.address,
      executionMethod: 'smart_wallet_execute',
      validationSummary: { balanceCheck: 'passed', allowanceCheck: 'passed' },
    },
  };
};

const status: Operations['swaps.status'] = (call, { requestId }) => {
  const row = ownRow<SwapRow>(call, ['swap', 'request_id', requestId], 'no swap has this request id');
  return {
    requestId: row.request_id,
    type: row.trigger_type === 'direct' ? 'swap' : 'swap_trigger',
    status: row.state,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    txHash: row.tx_hash,
    amountOut: row.amount_out_base?.toString() ?? null,
    executionRate: row.rate_micro === null ? null : tokens('CNGN', row.rate_micro),
    executionMethod: 'smart_wallet_execute',
    smartWalletAddress: walletAddressOf(call.store, row.wallet),
  };
};

const UNDER_WAY = `state NOT IN ('completed', 'failed')`;
const STATE_FILTER = { requested: UNDER_WAY, completed: `state = 'completed'`, failed: `state = 'failed'` } as const;

/** The list has three states; an unfinished swap is `requested`. */
const listedState = (state: string) => (state === 'completed' || state === 'failed' ? state : 'requested');

const history: Operations['swaps.history'] = (call, request) => {
  const { limit = 20, offset = 0, status: state } = request;
  const { fromMs, untilMs } = timeRangeOf(request);
  const where = `swap.fintech = ?1 AND (?2 IS NULL OR swap.created_at >= ?2) AND (?3 IS NULL OR swap.created_at <= ?3)${state ? ` AND ${STATE_FILTER[state]}` : ''}`;
  const bounds = [call.fintech.id, fromMs ?? null, untilMs ?? null] as const;
  const total = countOf(call.store, `SELECT COUNT(*) AS n FROM swap WHERE ${where}`, ...bounds);
  const rows = call.store.all<SwapRow & { address: string }>(
    `SELECT swap.*, wallet.address FROM swap JOIN wallet ON wallet.id = swap.wallet WHERE ${where} ORDER BY swap.id DESC LIMIT ?4 OFFSET ?5`,
    ...bounds,
    limit,
    offset,
  );
  return {
    swaps: rows.map((row) => ({
      requestId: row.request_id,
      type: 'swap',
      status: listedState(row.state),
      sellToken: row.sell_asset,
      buyToken: row.buy_asset,
      amountIn: tokens(row.sell_asset, row.amount_in_base),
      amountOut: row.amount_out_base === null ? null : tokens(row.buy_asset, row.amount_out_base),
      executionRate: row.rate_micro === null ? null : tokens('CNGN', row.rate_micro),
      smartWalletAddress: row.address,
      txHash: row.tx_hash,
      triggerType: row.trigger_type,
      createdAt: isoTime(row.created_at),
      updatedAt: isoTime(row.updated_at),
    })),
    pagination: { total, limit, offset, hasMore: offset + rows.length < total },
    version: VERSION,
  };
};

export const swapsOperations = {
  'swaps.trigger': trigger,
  'swaps.create': create,
  'swaps.status': status,
  'swaps.history': history,
} satisfies OperationsOf<'swaps'>;
