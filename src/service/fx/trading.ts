import { Fault } from '../../contract/faults.ts';
import type { Pair, Side } from '../../contract/fx.ts';
import { sameAddress } from '../../contract/networks.ts';
import type { Asset } from '../../money/amount.ts';
import { type PercentMillionths, percentOfRoundHalfUp } from '../../money/rates.ts';
import type { Call } from '../context.ts';
import { post } from '../ledger.ts';
import { schedule } from '../machine.ts';
import { insert, insertRow } from '../rows.ts';
import { FX_WINDOW_MS } from '../settings.ts';
import { walletAt } from '../wallets/wallets.ts';
import { lockPostings, type SliceRow, type TradeRow } from './machine.ts';
import { averagePriceMicro, type Fill } from './order-book.ts';
import { commitments, legsOf, tradingBalance } from './orders.ts';
import { signersOf, signsByItself } from './signing.ts';

/** The platform's fee, deducted from what the taker gets. Source: inferred. */
const TRADE_FEE: PercentMillionths = 200_000n;

/** A matched trade request. */
interface Deal {
  readonly pair: Pair;
  readonly side: Side;
  readonly fill: Fill;
  /** Set for a trade against one order. */
  readonly targetOrder?: string;
  readonly destination?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** The request as text without its idempotency key, to reject a reused key with another request. */
  readonly input: string;
}

/** Returns the trade already made with this idempotency key. Throws VALIDATION_ERROR if the request differs. */
export function earlierTrade(call: Call, key: string | undefined, input: string): TradeRow | undefined {
  if (key === undefined) return undefined;
  const row = call.store.get<TradeRow>(
    'SELECT * FROM fx_trade WHERE fintech = ? AND idempotency_key = ?',
    call.fintech.id,
    key,
  );
  if (row && row.input !== input)
    throw new Fault(
      'VALIDATION_ERROR',
      'idempotencyKey: already used for another trade; use a new key for a new trade',
    );
  return row;
}

/** Returns both legs of a deal in base units: what the taker gives, and what it gets before the fee. */
function legAmounts({ pair, side, fill }: Deal) {
  const { gives, gets } = legsOf(side, pair);
  const of = (asset: Asset) => (asset === 'CNGN' ? fill.cngnBase : fill.tokenBase);
  return { gives, givesBase: of(gives), getsBase: of(gets) };
}

/**
 * Opens a trade: moves both legs into escrow and starts the 5-minute lock. Throws UNFUNDED_TRADE if the wallet does not
 * hold enough.
 */
export function openTrade(call: Call, deal: Deal): TradeRow {
  const { store, fintech } = call;
  const { gives, givesBase } = legAmounts(deal);
  const { totalBase: committed } = commitments(store, fintech.id, gives);
  if (tradingBalance(store, fintech.id, gives) - committed < givesBase)
    throw new Fault(
      'UNFUNDED_TRADE',
      `the wallet does not hold enough ${gives} that is not committed to its own orders`,
    );
  if (deal.destination !== undefined) requireDestination(call, deal.destination);
  const { row, slices } = insertTrade(call, deal);
  post(call, 'fx.locked', row.trade_id, lockPostings(call, row, slices));
  schedule(call, 'trade', row.id, 'locked', call.pace.lock);
  schedule(call, 'trade', row.id, 'lock-elapsed', FX_WINDOW_MS);
  return row;
}

/** The destination must be a wallet of the fintech or an active external one. Source: inferred. */
function requireDestination({ store, fintech }: Call, address: string): void {
  const own = walletAt(store, address);
  const isOwn = own?.fintech === fintech.id && own.user === null;
  const isRegistered = store.get(
    `SELECT 1 FROM external_wallet WHERE fintech = ? AND address = ? AND status = 'active'`,
    fintech.id,
    sameAddress(address),
  );
  if (!isOwn && !isRegistered)
    throw new Fault(
      'VALIDATION_ERROR',
      'destinationWalletAddress: expected a wallet of the account or a registered external wallet',
    );
}

function insertTrade(call: Call, deal: Deal): { row: TradeRow; slices: readonly SliceRow[] } {
  const { store, ids, nowMs, fintech } = call;
  const { getsBase } = legAmounts(deal);
  const { pair, side, fill } = deal;
  const slices = fill.slices.map((slice) => ({
    ...{ fx_order: slice.order, maker: slice.maker, price_micro: slice.priceMicro },
    ...{ cngn_base: slice.cngnBase, token_base: slice.tokenBase },
  }));
  const signers = signersOf({ fintech: fintech.id, pair, side, token_base: fill.tokenBase }, slices);
  const row = insertRow<TradeRow>(store, 'fx_trade', {
    trade_id: `trade_${ids.uuid()}`,
    fintech: fintech.id,
    pair,
    side,
    target_order: deal.targetOrder,
    cngn_base: fill.cngnBase,
    token_base: fill.tokenBase,
    price_micro: averagePriceMicro(fill),
    fee_millionths: TRADE_FEE,
    net_base: getsBase - percentOfRoundHalfUp(getsBase, TRADE_FEE),
    destination: deal.destination === undefined ? null : sameAddress(deal.destination),
    lock_id: `lock_${ids.uuid()}`,
    auto_signed: signers.every((signer) => signsByItself(store, signer)),
    state: 'pending',
    expires_at: nowMs + FX_WINDOW_MS,
    idempotency_key: deal.idempotencyKey,
    input: deal.input,
    created_at: nowMs,
    updated_at: nowMs,
  });
  for (const [position, slice] of slices.entries()) insert(store, 'fx_slice', { trade: row.id, position, ...slice });
  return { row, slices };
}
