import { amount, type Token, toWireNumber, toWireText } from '../../money/amount.ts';
import { cngnBaseFromKobo, percentToWire } from '../../money/rates.ts';
import { type Context, isoTime, newTxHash } from '../context.ts';
import { emit } from '../events/deliveries.ts';
import { collectFees, gatewayFee } from '../fees/fees.ts';
import { balanceOf, GATEWAY_FEES, INCOMING, post, REFUNDS, RESERVE, SUPPLY, walletAccount } from '../ledger.ts';
import { type Machine, schedule } from '../machine.ts';
import { update, userIdOf, walletAddressOf } from '../rows.ts';
import { startSwap } from '../swaps/swaps.ts';
import { isTestAmount } from '../values.ts';
import { accountAt, type DeliveryWallet, deliveryFor } from '../wallets/wallets.ts';

export interface OnrampRow {
  readonly id: bigint;
  readonly request_id: string;
  readonly fintech: bigint;
  readonly user: bigint;
  readonly wallet: bigint;
  readonly state: string;
  readonly base_kobo: bigint;
  readonly platform_fee_kobo: bigint;
  readonly fintech_fee_kobo: bigint;
  readonly platform_percent_millionths: bigint;
  readonly fintech_percent_millionths: bigint;
  readonly platform_capped: bigint;
  readonly fintech_capped: bigint;
  readonly sweep: bigint;
  readonly auto_swap: bigint;
  /** The asset delivered at the end: cNGN without auto-swap. */
  readonly target_asset: Token;
  /** The destination of swapped tokens, if the request names one. */
  readonly destination: string | null;
  readonly slippage_millionths: bigint;
  readonly tx_hash: string | null;
  readonly created_at: bigint;
  readonly funding_requested_at: bigint | null;
  readonly funded_at: bigint | null;
  readonly completed_at: bigint | null;
}

const ONRAMP_TABLE = `
CREATE TABLE onramp (
  id INTEGER PRIMARY KEY, request_id TEXT NOT NULL UNIQUE, fintech INTEGER NOT NULL, user INTEGER NOT NULL REFERENCES user,
  wallet INTEGER NOT NULL REFERENCES wallet, state TEXT NOT NULL,
  base_kobo INTEGER NOT NULL, platform_fee_kobo INTEGER NOT NULL, fintech_fee_kobo INTEGER NOT NULL,
  platform_percent_millionths INTEGER NOT NULL, fintech_percent_millionths INTEGER NOT NULL,
  platform_capped INTEGER NOT NULL, fintech_capped INTEGER NOT NULL,
  sweep INTEGER NOT NULL, auto_swap INTEGER NOT NULL, target_asset TEXT NOT NULL, destination TEXT, slippage_millionths INTEGER NOT NULL,
  tx_hash TEXT, created_at INTEGER NOT NULL,
  funding_requested_at INTEGER, funded_at INTEGER, completed_at INTEGER) STRICT;
CREATE INDEX onramp_in_flight ON onramp (fintech, state) WHERE state NOT IN ('completed', 'failed');
CREATE INDEX onramp_by_wallet ON onramp (wallet);`;

/** Source: public (the states), interface (the 30 minutes and the exact amount). */
export const onramp: Machine<OnrampRow> = {
  name: 'onramp',
  table: 'onramp',
  schema: ONRAMP_TABLE,
  transitions: [
    { on: 'account-ready', from: ['requested'], to: 'pending', effect: activateAccount },
    {
      on: 'paid',
      from: ['requested', 'pending'],
      to: 'processing',
      stamp: 'funding_requested_at',
      effect: acceptPayment,
    },
    { on: 'expired', from: ['requested', 'pending'], to: 'failed', effect: expireAccount },
    { on: 'minted', from: ['processing'], to: 'funded', stamp: 'funded_at', effect: mint },
    { on: 'mint-failed', from: ['processing'], to: 'failed', effect: refundPayment },
    { on: 'delivered', from: ['funded'], to: 'failed', when: hasNothingToSwap },
    { on: 'delivered', from: ['funded'], to: 'swap_queued', when: swaps, effect: queueSwap },
    { on: 'delivered', from: ['funded'], to: 'completed', stamp: 'completed_at', effect: deliver },
    { on: 'swap-begun', from: ['swap_queued'], to: 'swap_processing' },
    { on: 'swapped', from: ['swap_processing'], to: 'completed', stamp: 'completed_at' },
    { on: 'swap-failed', from: ['swap_processing'], to: 'failed' },
  ],
};

/** Returns the sum of all fees of an onramp, in kobo. */
export function totalFeeKobo(row: OnrampRow): bigint {
  return row.platform_fee_kobo + row.fintech_fee_kobo + gatewayKobo(row);
}

function gatewayKobo(row: OnrampRow): bigint {
  return gatewayFee(row.base_kobo)?.kobo ?? 0n;
}

/** Returns what the payer owes, in kobo: the requested amount plus all fees. */
export function totalKobo(row: OnrampRow): bigint {
  return row.base_kobo + totalFeeKobo(row);
}

function setAccountStatus({ store }: Context, row: OnrampRow, status: string): void {
  store.run('UPDATE virtual_account SET status = ? WHERE onramp = ?', status, row.id);
}

function activateAccount(context: Context, row: OnrampRow): void {
  setAccountStatus(context, row, 'active');
}

function expireAccount(context: Context, row: OnrampRow): void {
  setAccountStatus(context, row, 'expired');
}

function acceptPayment(context: Context, row: OnrampRow): void {
  setAccountStatus(context, row, 'used');
  const fails = isTestAmount('mintFails', amount('NGN', row.base_kobo));
  schedule(context, onramp.name, row.id, fails ? 'mint-failed' : 'minted', context.pace.mint);
}

/** Sends the payment back to its sender. Source: public (that a processing onramp can fail), inferred (the refund). */
function refundPayment(context: Context, row: OnrampRow): void {
  const { store, ids } = context;
  const paid = store.get<{ id: bigint; deposit_id: string }>(
    `SELECT id, deposit_id FROM deposit WHERE onramp = ? AND state = 'processing'`,
    row.id,
  );
  if (!paid) throw new Error('the onramp has no payment');
  post(context, 'deposit.rejected', paid.deposit_id, [
    { account: INCOMING, minor: -totalKobo(row) },
    { account: REFUNDS, minor: totalKobo(row) },
  ]);
  update(store, 'deposit', paid.id, { state: 'refunding', refund_reason: 'mint_failed', refund_reference: ids.uuid() });
  schedule(context, 'deposit', paid.id, 'refunded', context.pace.refund);
}

/** Mints the payment as cNGN into the generated wallet; the fees stay in Naira. */
function mint(context: Context, row: OnrampRow): void {
  const { store, nowMs } = context;
  const base = cngnBaseFromKobo(row.base_kobo);
  const txHash = newTxHash(context);
  post(context, 'onramp.minted', row.request_id, [
    { account: INCOMING, minor: -totalKobo(row) },
    { account: RESERVE, minor: row.base_kobo },
    ...collectFees(context, row.fintech, 'onramp', row.platform_fee_kobo, row.fintech_fee_kobo),
    { account: GATEWAY_FEES, minor: gatewayKobo(row) },
    { account: SUPPLY, minor: -base },
    { account: walletAccount(row.wallet, 'base', 'CNGN'), minor: base },
  ]);
  update(store, 'onramp', row.id, { tx_hash: txHash });
  store.run(
    `UPDATE deposit SET state = 'completed', tx_hash = ?, ended_at = ? WHERE onramp = ? AND state = 'processing'`,
    txHash,
    nowMs,
    row.id,
  );
  emit(context, {
    fintech: row.fintech,
    event: 'wallet.funding.completed',
    requestId: row.request_id,
    userId: userIdOf(store, row.user),
    data: {
      walletAddress: walletAddressOf(store, row.wallet),
      amount: toWireText(amount('CNGN', base), 'token'),
      transactionHash: txHash,
      completedAt: isoTime(nowMs),
    },
  });
  schedule(context, onramp.name, row.id, 'delivered', context.pace.deliver);
}

function swaps(_context: Context, row: OnrampRow): boolean {
  return row.auto_swap === 1n;
}

/** True if an offramp has emptied the wallet in the meantime. */
function hasNothingToSwap(context: Context, row: OnrampRow): boolean {
  return swaps(context, row) && heldOf(context, row) === 0n;
}

/**
 * Returns the destination of swapped tokens: with sweep the default wallet, on its own network; otherwise the
 * destination in the request, or `own`, the address of the generated wallet. Source: interface.
 */
export function swappedTo({ store }: Pick<Context, 'store'>, row: OnrampRow, own: string) {
  if (row.sweep) return deliveryFor(store, row.user);
  return { address: row.destination ?? own, network: 'base' };
}

/**
 * Returns the destination of cNGN that is not swapped. With sweep it is the default wallet. Without, cNGN stays in the
 * generated wallet unless the user has an external default wallet, which disbursements follow too. cNGN in a wallet
 * with a custom owner never moves.
 */
function deliveredTo(context: Context, row: OnrampRow): DeliveryWallet | undefined {
  const delivery = deliveryFor(context.store, row.user);
  return row.sweep || (delivery.isExternal && !hasOwner(context, row)) ? delivery : undefined;
}

function hasOwner({ store }: Context, row: OnrampRow): boolean {
  return store.get('SELECT 1 FROM wallet WHERE id = ? AND custom_owner IS NOT NULL', row.wallet) !== undefined;
}

/** An offramp may have drawn on the wallet in the meantime; only the remainder moves on. */
function heldOf({ store }: Context, row: OnrampRow): bigint {
  return balanceOf(store, walletAccount(row.wallet, 'base', 'CNGN'));
}

/** Delivers unswapped cNGN according to the flags of the request. */
function deliver(context: Context, row: OnrampRow): void {
  const destination = deliveredTo(context, row);
  const held = heldOf(context, row);
  if (destination && held > 0n) {
    post(context, 'onramp.delivered', row.request_id, [
      { account: walletAccount(row.wallet, 'base', 'CNGN'), minor: -held },
      { account: accountAt(context.store, destination.address, destination.network, 'CNGN'), minor: held },
    ]);
  }
}

/** Swaps the funded amount, or what is left of it. */
function queueSwap(context: Context, row: OnrampRow): void {
  const held = heldOf(context, row);
  const funded = cngnBaseFromKobo(row.base_kobo);
  startSwap(context, {
    fintech: row.fintech,
    user: row.user,
    trigger: 'auto',
    onramp: row.id,
    wallet: row.wallet,
    destination: swappedTo(context, row, walletAddressOf(context.store, row.wallet)),
    sell: 'CNGN',
    buy: row.target_asset,
    amountBase: held < funded ? held : funded,
    slippageMillionths: row.slippage_millionths,
  });
}

const naira = (kobo: bigint) => toWireNumber(amount('NGN', kobo), 'naira');

/** The fees of an onramp in short form. With a gateway fee it has the older shape, which repeats the fees in long form. */
export function feesInShort(row: OnrampRow) {
  const gateway = gatewayFee(row.base_kobo);
  return {
    baseAmount: naira(row.base_kobo),
    fintechFee: naira(row.fintech_fee_kobo),
    platformFee: naira(row.platform_fee_kobo),
    totalFee: naira(totalFeeKobo(row)),
    totalAmount: naira(totalKobo(row)),
    ...(gateway ? { gatewayFee: naira(gateway.kobo), breakdown: feesInFull(row) } : {}),
  };
}

/** The fees of an onramp in long form. */
export function feesInFull(row: OnrampRow) {
  const gateway = gatewayFee(row.base_kobo);
  return {
    userRequestedAmount: naira(row.base_kobo),
    fintechFeeAmount: naira(row.fintech_fee_kobo),
    fintechFeePercentage: percentToWire(row.fintech_percent_millionths),
    fintechFeeCapped: row.fintech_capped === 1n,
    platformFeeAmount: naira(row.platform_fee_kobo),
    platformFeePercentage: percentToWire(row.platform_percent_millionths),
    platformFeeCapped: row.platform_capped === 1n,
    ...(gateway ? { gatewayFeeAmount: naira(gateway.kobo), gatewayFeePercentage: percentToWire(gateway.percent) } : {}),
    totalFeeAmount: naira(totalFeeKobo(row)),
    finalAmount: naira(totalKobo(row)),
    amountToWallet: naira(row.base_kobo),
  };
}
