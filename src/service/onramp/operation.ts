import type { RequestOf } from '../../contract/endpoint.ts';
import type { startOnramp as startOnrampEndpoint } from '../../contract/endpoints/onramp.ts';
import { Fault } from '../../contract/faults.ts';
import { sameAddress } from '../../contract/networks.ts';
import { amount, amountForPeople, type Token, toWireNumber, toWireText } from '../../money/amount.ts';
import { trimDecimal } from '../../money/decimal.ts';
import { cngnBaseFromKobo, percentToWire } from '../../money/rates.ts';
import { VIRTUAL_ACCOUNT_BANK } from '../banks/banks.ts';
import {
  type Call,
  hex,
  isoTime,
  isoTimeOrNull,
  type Operations,
  type OperationsOf,
  orderedBytes,
  VERSION,
} from '../context.ts';
import { createdPayload, openVirtualAccount, type VirtualAccountRow } from '../deposits/virtual-accounts.ts';
import { emit } from '../events/deliveries.ts';
import { type Fees, feesOn } from '../fees/fees.ts';
import { schedule } from '../machine.ts';
import { insert, insertRow, rowOf } from '../rows.ts';
import { FX_WINDOW_MS } from '../settings.ts';
import { exchange } from '../swaps/swaps.ts';
import { requireActive, type UserRow, userOf } from '../users/operation.ts';
import { fullName } from '../values.ts';
import type { WalletRow } from '../wallets/wallets.ts';
import { koboOf } from '../wire-values.ts';
import { feesInShort, type OnrampRow, totalKobo } from './machine.ts';

/** How long a temporary virtual account can be paid: 30 minutes. Source: interface. */
const TEMPORARY_ACCOUNT_MS = 30 * 60_000;

type OnrampRequest = RequestOf<typeof startOnrampEndpoint>;

/** Throws VALIDATION_ERROR if the service would have to move tokens out of a wallet with a custom owner. */
function checkOwner({ owner, sweepToOfframp }: OnrampRequest, autoSwap: boolean): void {
  if (owner === undefined) return;
  if (sweepToOfframp)
    throw new Fault('VALIDATION_ERROR', 'owner: the service cannot sweep a wallet with a custom owner');
  if (autoSwap) throw new Fault('VALIDATION_ERROR', 'owner: the service cannot swap in a wallet with a custom owner');
}

interface NewOnramp {
  readonly request: OnrampRequest;
  readonly target: OnrampTarget;
  readonly baseKobo: bigint;
  readonly fees: Fees;
}

function createOnramp(call: Call, user: UserRow, { request, target, baseKobo, fees }: NewOnramp) {
  const { store, ids, nowMs, fintech } = call;
  const requestId = ids.uuid();
  const walletAddress = `0x${hex(orderedBytes(call, 20))}`;
  const wallet = insert(store, 'wallet', {
    address: walletAddress,
    fintech: fintech.id,
    user: user.id,
    kind: 'generated',
    blockchain: 'base',
    custom_owner: request.owner?.toLowerCase(),
    token_buy: target.asset,
    created_at: nowMs,
  });
  const row = insertRow<OnrampRow>(store, 'onramp', {
    request_id: requestId,
    fintech: fintech.id,
    user: user.id,
    wallet,
    state: 'requested',
    base_kobo: baseKobo,
    platform_fee_kobo: fees.platform.kobo,
    fintech_fee_kobo: fees.fintech.kobo,
    platform_percent_millionths: fees.platform.percent,
    fintech_percent_millionths: fees.fintech.percent,
    platform_capped: fees.platform.capped,
    fintech_capped: fees.fintech.capped,
    sweep: request.sweepToOfframp ?? false,
    auto_swap: target.autoSwap,
    target_asset: target.asset,
    destination: target.autoSwap && !request.sweepToOfframp ? request.destinationAssetSwap?.toLowerCase() : null,
    slippage_millionths: target.slippageMillionths,
    created_at: nowMs,
  });
  return { row, walletAddress };
}

const startOnramp: Operations['transactions.onramp'] = (call, request) => {
  const { nowMs, fintech } = call;
  const baseKobo = koboOf(request.amount);
  checkOwner(request, request.autoSwap ?? false);
  const user = userOf(call, request.userId, 'USER_NOT_FOUND');
  requireActive(user);
  const target = targetOf(call, user.id, request);
  checkOwner(request, target.autoSwap);
  const fees = feesOn(call.store, fintech.id, 'onramp', baseKobo);
  const { row, walletAddress } = createOnramp(call, user, { request, target, baseKobo, fees });
  const { id, request_id: requestId } = row;
  const account = openVirtualAccount(call, {
    kind: 'temporary',
    fintech: fintech.id,
    user: user.id,
    onramp: id,
    name: `${fintech.name}/${fullName({ first: user.first_name, middle: user.middle_name, last: user.last_name })}`,
    status: 'created',
    expiresAtMs: nowMs + TEMPORARY_ACCOUNT_MS,
  });
  schedule(call, 'onramp', id, 'account-ready', call.pace.openAccount);
  schedule(call, 'onramp', id, 'expired', TEMPORARY_ACCOUNT_MS);
  emit(call, {
    fintech: fintech.id,
    event: 'virtual.account.created',
    requestId,
    userId: user.user_id,
    data: createdPayload(call, account),
  });
  return {
    requestId,
    walletAddress,
    status: 'requested',
    version: VERSION,
    message: `pay exactly ${amountForPeople(amount('NGN', totalKobo(row)))} within 30 minutes`,
    autoSwapEnabled: target.autoSwap,
    sweepToOfframpEnabled: request.sweepToOfframp ?? false,
    targetAsset: target.asset,
    feeBreakdown: feesInShort(row),
  };
};

/** The requested cNGN of an onramp and where it went. */
function onrampWallet(call: Call, row: OnrampRow, wallet: WalletRow, tokens: string) {
  const account = call.store.get<VirtualAccountRow>('SELECT * FROM virtual_account WHERE onramp = ?', row.id);
  return {
    walletAddress: wallet.address,
    owner: wallet.custom_owner ?? 'service-managed',
    tokenBuy: wallet.token_buy,
    autoSwap: row.auto_swap === 1n,
    sweepToOfframp: row.sweep === 1n,
    amount: trimDecimal(tokens),
    createdAt: isoTime(row.created_at),
    fundingRequestedAt: isoTimeOrNull(row.funding_requested_at),
    fundedAt: isoTimeOrNull(row.funded_at),
    transactionHash: row.tx_hash,
    virtualAccountDetails: account && {
      vaId: account.id.toString(),
      accountNumber: account.number,
      bankName: VIRTUAL_ACCOUNT_BANK.name,
      accountName: account.name,
      amount: toWireNumber(amount('NGN', row.base_kobo), 'naira'),
      createdAt: isoTime(account.created_at),
    },
    virtualAccountStatus: account?.status,
  };
}

/** Finds an onramp by request id or, as in the newest public form, by the address of its wallet. Throws NOT_FOUND. */
function onrampOf({ store, fintech }: Call, key: string): OnrampRow {
  const row =
    store.get<OnrampRow>('SELECT * FROM onramp WHERE request_id = ? AND fintech = ?', key, fintech.id) ??
    store.get<OnrampRow>(
      'SELECT onramp.* FROM onramp JOIN wallet ON wallet.id = onramp.wallet WHERE wallet.address = ? AND onramp.fintech = ?',
      sameAddress(key),
      fintech.id,
    );
  if (!row) throw new Fault('NOT_FOUND', 'no onramp has this request id');
  return row;
}

/** Quotes a swap that is still to come. */
function quoteFor(call: Call, row: OnrampRow) {
  if (!row.auto_swap || row.state === 'completed' || row.state === 'failed' || row.target_asset === 'CNGN') return null;
  const cngnBase = cngnBaseFromKobo(row.base_kobo);
  const found = exchange(call.store, row.fintech, 'CNGN', row.target_asset, cngnBase);
  return {
    available: found !== undefined,
    pair: `CNGN-${row.target_asset}`,
    cngnAmount: toWireText(amount('CNGN', cngnBase), 'decimal-string'),
    tokenAmount: found ? toWireText(amount(row.target_asset, found.amountOutBase), 'decimal-string') : null,
    averagePrice: found ? toWireText(amount('CNGN', found.rateMicro), 'decimal-string') : null,
    averageSpread: found ? percentToWire(found.spreadMillionths) : null,
    expiresAt: isoTime(call.nowMs + FX_WINDOW_MS),
    note: found
      ? 'based on the current order book; the swap uses the price at execution'
      : 'the order book cannot currently fill this swap',
  };
}

/** The result of an onramp's swap; undefined until then. */
function swapOf({ store }: Call, row: OnrampRow): { amount_out_base: bigint; tx_hash: string } | undefined {
  return store.get(
    `SELECT amount_out_base, tx_hash FROM swap WHERE onramp = ? AND state = 'completed' ORDER BY id DESC LIMIT 1`,
    row.id,
  );
}

const onrampStatus: Operations['transactions.onramp-status'] = (call, { requestId }) => {
  const row = onrampOf(call, requestId);
  const wallet = rowOf<WalletRow>(call.store, 'wallet', row.wallet);
  const minted = amount('CNGN', cngnBaseFromKobo(row.base_kobo));
  const swap = row.auto_swap ? swapOf(call, row) : undefined;
  return {
    requestId: row.request_id,
    status: row.state,
    walletAddress: wallet.address,
    amount: toWireText(minted, 'base'),
    swapCompleted: swap !== undefined,
    finalAsset: row.target_asset,
    txHash: swap?.tx_hash ?? row.tx_hash,
    completedAt: isoTimeOrNull(row.completed_at),
    version: VERSION,
    metadata: { tokenBuy: row.target_asset, autoSwap: row.auto_swap === 1n, sweepToOfframp: row.sweep === 1n },
    wallet: onrampWallet(call, row, wallet, toWireText(minted, 'token')),
    fxQuote: quoteFor(call, row),
  };
};

export const onrampOperations = {
  'transactions.onramp': startOnramp,
  'transactions.onramp-status': onrampStatus,
} satisfies OperationsOf<'onramp'>;

/** The asset that an onramp delivers, and the maximum slippage of the swap. */
interface OnrampTarget {
  readonly autoSwap: boolean;
  readonly asset: Token;
  readonly slippageMillionths: bigint;
}

/** Source: interface (the default of the swap trigger), inferred (that an onramp's swap shares it). */
const SLIPPAGE: bigint = 5_000_000n;

/** The fields of an onramp request that choose its target. */
type SwapRequest = Pick<RequestOf<typeof startOnrampEndpoint>, 'autoSwap' | 'assetSwap'>;

export interface PreferenceRow {
  readonly asset: Token;
  readonly auto_swap: bigint;
  readonly slippage_millionths: bigint | null;
}

/**
 * Returns the target of an onramp: auto-swap as requested, or else the user's preference. Throws VALIDATION_ERROR if a
 * swap has no asset.
 */
function targetOf({ store }: Pick<Call, 'store'>, user: bigint, { autoSwap, assetSwap }: SwapRequest): OnrampTarget {
  const preference = store.get<PreferenceRow>(
    'SELECT asset, auto_swap, slippage_millionths FROM onramp_preference WHERE user = ?',
    user,
  );
  const isOn = autoSwap ?? preference?.auto_swap === 1n;
  const asset = assetSwap ?? preference?.asset ?? 'CNGN';
  if (autoSwap && asset === 'CNGN')
    throw new Fault('VALIDATION_ERROR', 'assetSwap: expected USDC or USDT with autoSwap');
  const swaps = isOn && asset !== 'CNGN';
  return {
    autoSwap: swaps,
    asset: swaps ? asset : 'CNGN',
    slippageMillionths: preference?.slippage_millionths ?? SLIPPAGE,
  };
}
