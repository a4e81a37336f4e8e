import type { OrderRow } from '../../service/fx/order-book.ts';
import type { Service } from '../../service/service.ts';
import { booksOf, type ShownBook } from '../book.ts';
import { ownIn } from './now.ts';

const ORDERS = `SELECT * FROM fx_order WHERE state = 'active' OR (fintech = ? AND state = 'paused') ORDER BY turn`;

/** The order books of a sandbox, with the orders of its own account among them. */
export function bookDocument(service: Service, apiKey: () => string): () => Promise<ShownBook> {
  return () =>
    service.submit('read', ({ store }) => {
      const own = ownIn(store, apiKey())?.id ?? 0n;
      return booksOf({
        isWhole: true,
        asOf: null,
        orders: store.all<OrderRow>(ORDERS, own).map((row) => ({
          ...{ id: row.order_id, pair: row.pair, isSelling: row.gives !== 'CNGN', status: row.state },
          ...{ priceMinor: row.price_micro, takerMinor: row.taker_price_micro },
          ...{ minMinor: row.min_base, maxMinor: row.max_base, isOwn: row.fintech === own },
          changedAt: new Date(Number(row.updated_at)).toISOString(),
        })),
      });
    });
}
