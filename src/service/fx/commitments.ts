import type { Asset } from '../../money/amount.ts';
import type { Database } from '../../sqlite/database.ts';
import { IS_OPEN_TRADE } from '../schema/conditions.ts';
import { maxGivenBase } from './orders.ts';

/**
 * A fintech's tokens committed to orders and trades. Source: interface (commitments of a transfer), public (what is
 * reserved).
 */
export interface Commitments {
  readonly activeOrders: number;
  readonly activeEscrows: number;
  /**
   * In base units: the sum of the maximums of all active orders that give the asset. Tokens in escrow have already left
   * the wallet.
   */
  readonly totalBase: bigint;
}

/** Returns what active orders may still take from the wallet that gives `asset`. */
export function commitments(store: Database, fintech: bigint, asset: Asset): Commitments {
  const orders = store.all<{ max_base: bigint; price_micro: bigint }>(
    `SELECT max_base, price_micro FROM fx_order WHERE fintech = ? AND gives = ? AND state = 'active'`,
    fintech,
    asset,
  );
  const trades = store.get<{ n: bigint }>(
    `SELECT COUNT(*) AS n FROM fx_trade WHERE fintech = ? AND ${IS_OPEN_TRADE}`,
    fintech,
  );
  return {
    activeOrders: orders.length,
    activeEscrows: Number(trades?.n ?? 0n),
    // Summed here because the product can exceed 64 bits in SQL.
    totalBase: orders.reduce((sum, order) => sum + maxGivenBase(asset, order.max_base, order.price_micro), 0n),
  };
}
