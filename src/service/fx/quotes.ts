import { Fault } from '../../contract/faults.ts';
import { percentToWire } from '../../money/rates.ts';
import { isoTime, type Operations, VERSION } from '../context.ts';
import { insert } from '../rows.ts';
import { FX_WINDOW_MS } from '../settings.ts';
import { averagePriceMicro, averageSpreadMillionths } from './order-book.ts';
import { baseOf, decimal, fillFor, slicesText, tokenAmount } from './terms.ts';

/** How many expired quotes each new quote deletes. */
const EXPIRED_PER_QUOTE = 4;

const quote: Operations['fx.quote'] = (call, { pair, side, cngnAmount, tokenAmount: tokens }) => {
  if (tokens !== undefined) throw new Fault('VALIDATION_ERROR', 'expected cngnAmount or tokenAmount, not both');
  const { store, nowMs, ids, fintech } = call;
  const fill = fillFor(call, pair, side, baseOf(cngnAmount));
  const quoteId = `quote_${ids.uuid()}`;
  const expiresAt = nowMs + FX_WINDOW_MS;
  store.run(
    'DELETE FROM fx_quote WHERE id IN (SELECT id FROM fx_quote ORDER BY id LIMIT ?) AND expires_at <= ?',
    EXPIRED_PER_QUOTE,
    nowMs,
  );
  insert(store, 'fx_quote', {
    quote_id: quoteId,
    fintech: fintech.id,
    pair,
    side,
    cngn_base: fill.cngnBase,
    token_base: fill.tokenBase,
    price_micro: averagePriceMicro(fill),
    slices: slicesText(fill.slices),
    expires_at: expiresAt,
    created_at: nowMs,
  });
  return {
    quote: {
      quoteId,
      pair,
      side,
      cngnAmount: decimal('CNGN', fill.cngnBase),
      ...tokenAmount(pair, fill.tokenBase),
      price: decimal('CNGN', averagePriceMicro(fill)),
      spread: percentToWire(averageSpreadMillionths(fill)),
      matchedOrders: fill.slices.map((slice) => ({
        orderId: slice.orderId,
        price: decimal('CNGN', slice.priceMicro),
        cngnAmount: decimal('CNGN', slice.cngnBase),
        ...tokenAmount(pair, slice.tokenBase),
        spread: percentToWire(slice.spreadMillionths),
      })),
      expiresAt: isoTime(expiresAt),
    },
    version: VERSION,
  };
};

export const fxQuotesOperations = { 'fx.quote': quote } satisfies Partial<Operations>;
