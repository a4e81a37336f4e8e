import { Fault } from '../../contract/faults.ts';
import type { Pair, Side } from '../../contract/fx.ts';
import { type Asset, amount, toWireText } from '../../money/amount.ts';
import { percentToWire } from '../../money/rates.ts';
import type { Call } from '../context.ts';
import { baseOfText } from '../wire-values.ts';
import { type Fill, match, type Wish } from './order-book.ts';
import { legsOf, type OrderRow, stablecoinOf, tradingBalance } from './orders.ts';
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

/** Fills an amount from the book. Throws NO_LIQUIDITY, SELF_TRADE. */
export function fillFor(call: Call, pair: Pair, side: Side, wanted: Wish['amount']): Fill {
  const { gets } = legsOf(side, pair);
  const found = match(call.store, { pair, makerGives: gets, amount: wanted, taker: call.fintech.id });
  if ('fill' in found) return found.fill;
  if (found.unfilled === 'own')
    throw new Fault('SELF_TRADE', 'only your own orders could fill this amount, and self-trades are not allowed');
  throw new Fault('NO_LIQUIDITY', `the order book of ${pair} cannot fill this amount`);
}

/** Returns the token amount under its field name for the pair. */
export function tokenAmount(pair: Pair, tokenBase: bigint) {
  const stablecoin = stablecoinOf(pair);
  return { [stablecoin === 'USDC' ? 'usdcAmount' : 'usdtAmount']: decimal(stablecoin, tokenBase) };
}
