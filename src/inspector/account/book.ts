import { PAIRS, type Pair } from '../../contract/fx.ts';
import { existingCopy } from '../../copy/open.ts';
import { stored } from '../../copy/schema.ts';
import { tablesOf } from '../../copy/sync.ts';
import type { Account } from '../../engine/account.ts';
import { orders } from '../../things/market.ts';
import { booksOf, type ShownBook } from '../book.ts';

interface CopiedOrder {
  readonly id: string;
  readonly pair: string | null;
  readonly side: string | null;
  readonly status: string | null;
  readonly price: bigint | null;
  readonly min: bigint | null;
  readonly max: bigint | null;
  readonly at: string | null;
}

const ordersSql =
  () => `SELECT id, pair, side, status, price_minor AS price, min_minor AS min, max_minor AS max, coalesce(updated_at, created_at) AS at
  FROM ${stored(orders)} WHERE deleted_at IS NULL AND status <> 'deleted' ORDER BY created_at, id`;

const isPair = (text: string | null): text is Pair => PAIRS.some((each) => each === text);

/** The account's own orders as they were copied: what others offer is in no copy. A row without a pair, a side or a price is in none. */
export async function copiedBook({ world, profile }: Account): Promise<ShownBook> {
  const copy = await existingCopy(world, profile);
  try {
    const rows = copy ? await copy.read((queries) => queries.all<CopiedOrder>(ordersSql())) : [];
    const asOf = copy ? (await tablesOf(copy)).find(({ table }) => table === orders.name)?.syncedAt : undefined;
    return booksOf({
      ...{ isWhole: false, asOf: asOf ?? null, list: 'copied' },
      orders: rows.flatMap(({ id, pair, side, status, price, min, max, at }) =>
        isPair(pair) && side !== null && price !== null
          ? {
              ...{ id, pair, isSelling: side === 'sell', status: status ?? '', isOwn: true, changedAt: at },
              // A maker's spread is in no column.
              ...{ priceMinor: BigInt(price), takerMinor: undefined },
              ...{ minMinor: min === null ? undefined : BigInt(min), maxMinor: max === null ? undefined : BigInt(max) },
            }
          : [],
      ),
    });
  } finally {
    await copy?.close();
  }
}
