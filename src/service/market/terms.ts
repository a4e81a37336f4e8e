import { Fault } from '../../contract/faults.ts';
import { type Asset, amount } from '../../money/amount.ts';
import { percentToWire } from '../../money/rates.ts';
import { toWireText } from '../../money/units.ts';
import { baseOfText } from '../amounts.ts';
import type { Call } from '../context.ts';
import { type OrderRow, tradingBalance } from './orders.ts';
import { vaultOf } from './signing.ts';

export const decimal = (asset: Asset, base: bigint) => toWireText(amount(asset, base), 'decimal-string');

/** Text of whole cNGN that passed the schema, in base units; a price likewise, in millionths. */
export function baseOf(text: string): bigint {
  return baseOfText(text, 'CNGN');
}

/** Trading needs an approved MPC vault. Source: public for the rule, inferred for the error. */
export function requireVault(call: Call): void {
  if (vaultOf(call.store, call.fintech.id)?.state !== 'active')
    throw new Fault('VALIDATION_ERROR', 'register an MPC vault first, and wait until it is approved');
}

/** The row a page goes on after. Throws VALIDATION_ERROR for one that is not there. Source: inferred. */
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
  if (!row) throw new Fault('VALIDATION_ERROR', 'startAfter: expected the id of a row of this list');
  return row.id;
}

export const VERSION = '1.0.0';

/** What makers and takers alike see of an order. */
export function terms(call: Call, row: OrderRow) {
  return {
    price: decimal('CNGN', row.price_micro),
    spread: percentToWire(row.spread_millionths),
    minAmount: decimal('CNGN', row.min_base),
    maxAmount: decimal('CNGN', row.max_base),
    availableLiquidity: decimal(row.gives, tradingBalance(call.store, row.fintech, row.gives)),
  };
}
