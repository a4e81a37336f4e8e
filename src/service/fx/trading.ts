import { Fault } from '../../contract/faults.ts';
import type { Pair, Side } from '../../contract/fx.ts';
import { sameAddress } from '../../contract/networks.ts';
import type { Asset } from '../../money/amount.ts';
import { type PercentMillionths, percentOfRoundHalfUp } from '../../money/rates.ts';
import type { Call } from '../context.ts';
import { post } from '../ledger.ts';
import { schedule } from '../machine.ts';
import { FX_WINDOW_MS } from '../settings.ts';
import { walletAt } from '../wallets/wallets.ts';
import { commitments } from './commitments.ts';
import { lockPostings, type TradeRow } from './machine.ts';
import { averagePriceMicro, type Fill } from './order-book.ts';
import { legsOf, tradingBalance } from './orders.ts';
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
 * Opens a trade: moves both legs into escrow and starts the 5-minute lock. Throws VALIDATION_ERROR if the wallet does
 * not hold enough.
 */
export function openTrade(call: Call, deal: Deal): TradeRow {
  const { store, fintech } = call;
  const { gives, givesBase } = legAmounts(deal);
  const committed = commitments(store, fintech.id, gives).totalBase;
  if (tradingBalance(store, fintech.id, gives) - committed < givesBase)
    throw new Fault(
      'VALIDATION_ERROR',
      `the wallet does not hold enough ${gives} that is not committed to its own orders`,
    );
  if (deal.destination !== undefined) requireDestination(call, deal.destination);
  const id = insertTrade(call, deal);
  const row = tradeBy(call, id);
  const isAutomatic = signersOf(store, row).every((signer) => signsByItself(store, signer));
  if (isAutomatic) store.run('UPDATE fx_trade SET auto_signed = 1 WHERE id = ?', id);
  post(call, 'fx.locked', row.trade_id, lockPostings(call, row));
  schedule(call, 'trade', id, 'locked', call.pace.lock);
  schedule(call, 'trade', id, 'lock-elapsed', FX_WINDOW_MS);
  return row;
}

function tradeBy({ store }: Call, id: bigint): TradeRow {
  const row = store.get<TradeRow>('SELECT * FROM fx_trade WHERE id = ?', id);
  if (!row) throw new Error('the trade cannot be read');
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

function insertTrade(call: Call, deal: Deal): bigint {
  const { store, ids, nowMs, fintech } = call;
  const { getsBase } = legAmounts(deal);
  const id = store.insert(
    `INSERT INTO fx_trade (trade_id, fintech, pair, side, target_order, cngn_base, token_base, price_micro, fee_millionths, net_base,
       destination, lock_id, auto_signed, state, expires_at, idempotency_key, input, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 'pending', ?, ?, ?, ?, ?)`,
    `trade_${ids.uuid()}`,
    fintech.id,
    deal.pair,
    deal.side,
    deal.targetOrder ?? null,
    deal.fill.cngnBase,
    deal.fill.tokenBase,
    averagePriceMicro(deal.fill),
    TRADE_FEE,
    getsBase - percentOfRoundHalfUp(getsBase, TRADE_FEE),
    deal.destination === undefined ? null : sameAddress(deal.destination),
    `lock_${ids.uuid()}`,
    nowMs + FX_WINDOW_MS,
    deal.idempotencyKey ?? null,
    deal.input,
    nowMs,
    nowMs,
  );
  for (const [position, slice] of deal.fill.slices.entries()) {
    store.run(
      'INSERT INTO fx_slice (trade, position, fx_order, maker, price_micro, cngn_base, token_base) VALUES (?, ?, ?, ?, ?, ?, ?)',
      id,
      position,
      slice.order,
      slice.maker,
      slice.priceMicro,
      slice.cngnBase,
      slice.tokenBase,
    );
  }
  return id;
}
