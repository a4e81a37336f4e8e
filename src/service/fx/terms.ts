import { Fault } from '../../contract/faults.ts';
import { type Asset, amount, toWireText } from '../../money/amount.ts';
import { percentToWire } from '../../money/rates.ts';
import type { Call } from '../context.ts';
import { baseOfText } from '../wire-values.ts';
import { type OrderRow, tradingBalance } from './order-book.ts';
import { vaultOf } from './signing.ts';

export const decimal = (asset: Asset, base: bigint) => toWireText(amount(asset, base), 'decimal-string');

/** Converts validated text of whole cNGN to base units, or of a price to millionths. */
export function baseOf(text: string): bigint {
  return baseOfText(text, 'CNGN');
}

/** Throws VALIDATION_ERROR without an approved MPC vault. Source: public (the rule), inferred (the error). */
export function requireVault(call: Call): void {
  if (vaultOf(call.store, call.fintech.id)?.state !== 'active')
    throw new Fault('VALIDATION_ERROR', 'register an MPC vault first and wait for its approval');
}

/** Returns the row that a page starts after. Throws VALIDATION_ERROR if it does not exist. Source: inferred. */
export function cursor(
  call: Call,
  table: 'fx_order' | 'fx_trade',
  column: 'order_id' | 'trade_id',
  id: string,
): bigint {
  const row = call.store.get<{ id: bigint }>(
    `SELECT id FROM ${table} WHERE ${column} = ? AND fintech = ?`,
    id,
    call.fintech.id,
  );
  if (!row) throw new Fault('VALIDATION_ERROR', 'startAfter: expected the id of a row in this list');
  return row.id;
}

/** Returns the terms of an order that both makers and takers see. */
export function terms(call: Call, row: OrderRow) {
  return {
    price: decimal('CNGN', row.price_micro),
    spread: percentToWire(row.spread_millionths),
    minAmount: decimal('CNGN', row.min_base),
    maxAmount: decimal('CNGN', row.max_base),
    availableLiquidity: decimal(row.gives, tradingBalance(call.store, row.fintech, row.gives)),
  };
}
