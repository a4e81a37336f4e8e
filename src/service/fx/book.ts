import type { Pair, Side } from '../../contract/fx.ts';
import { type PercentMillionths, percentToWire } from '../../money/rates.ts';
import { type Call, hex, isoTime, type Operations, type OperationsOf, VERSION } from '../context.ts';
import { legsOf, type OrderRow, tradingBalance } from './order-book.ts';
import { decimal, terms } from './terms.ts';

const BEST_FIRST: Readonly<Record<Side, string>> = { buy: 'DESC', sell: 'ASC' };

function publicSide(call: Call, pair: Pair, side: Side, limit: number) {
  return call.store
    .all<OrderRow>(
      `SELECT * FROM fx_order WHERE pair = ? AND gives = ? AND state = 'active' ORDER BY price_micro ${BEST_FIRST[side]}, turn LIMIT ?`,
      pair,
      legsOf(side, pair).gives,
      limit,
    )
    .map((row) => ({
      orderId: row.order_id,
      ...terms(call, row),
      status: row.state,
      updatedAt: isoTime(row.updated_at),
    }));
}

const orderBook: Operations['fx.orderbook'] = (call, { pair, limit = 20 }) => ({
  pair,
  buyOrders: publicSide(call, pair, 'buy', limit),
  sellOrders: publicSide(call, pair, 'sell', limit),
  note: 'buy orders give cNGN for stablecoin, sell orders give stablecoin for cNGN; prices exclude the spread',
  version: VERSION,
});

interface SideStats {
  readonly orders: bigint;
  readonly best: bigint | null;
  readonly liquidityBase: bigint;
}

/** A maker's wallet backs all of its orders, so it is counted once. */
function sideStats(call: Call, pair: Pair, side: Side): SideStats {
  const { gives } = legsOf(side, pair);
  const best = side === 'buy' ? 'MAX' : 'MIN';
  const row = call.store.get<{ orders: bigint; best: bigint | null }>(
    `SELECT COUNT(*) AS orders, ${best}(price_micro) AS best FROM fx_order WHERE pair = ? AND gives = ? AND state = 'active'`,
    pair,
    gives,
  );
  const makers = call.store.all<{ fintech: bigint }>(
    `SELECT DISTINCT fintech FROM fx_order WHERE pair = ? AND gives = ? AND state = 'active'`,
    pair,
    gives,
  );
  const liquidityBase = makers.reduce((sum, { fintech }) => sum + tradingBalance(call.store, fintech, gives), 0n);
  return { orders: row?.orders ?? 0n, best: row?.best ?? null, liquidityBase };
}

/** Returns the spread in millionths of a percent, cut to two decimals of a percent. */
function spreadBetween(bid: bigint, ask: bigint): PercentMillionths {
  const hundredths = ((ask - bid) * 10_000n) / bid;
  return hundredths * 10_000n;
}

const orderBookStats: Operations['fx.orderbook-stats'] = (call, { pair }) => {
  const [buy, sell] = [sideStats(call, pair, 'buy'), sideStats(call, pair, 'sell')];
  const isTwoSided = buy.best !== null && sell.best !== null;
  return {
    pair,
    stats: {
      pair,
      totalActiveOrders: Number(buy.orders + sell.orders),
      buyOrderCount: Number(buy.orders),
      sellOrderCount: Number(sell.orders),
      totalBuyLiquidity: decimal('CNGN', buy.liquidityBase),
      totalSellLiquidity: decimal(legsOf('sell', pair).gives, sell.liquidityBase),
      bestBidPrice: buy.best === null ? null : decimal('CNGN', buy.best),
      bestAskPrice: sell.best === null ? null : decimal('CNGN', sell.best),
      spreadPercentage: isTwoSided ? percentToWire(spreadBetween(buy.best ?? 1n, sell.best ?? 0n)) : null,
    },
    version: VERSION,
  };
};

const SECONDS = 3600;

/** Returns a token for a live order book, which the sandbox does not serve, so that clients can test the response. */
const orderBookToken: Operations['fx.orderbook-token'] = (call) => ({
  token: `book_${hex(call.ids.bytes(24))}`,
  expiresIn: SECONDS,
  expiresAt: isoTime(call.nowMs + SECONDS * 1000),
  tradingPairs: ['CNGN-USDC', 'CNGN-USDT'],
  firebaseConfig: { projectId: 'sandbox', databaseURL: 'https://book.invalid' },
  usage: 'the sandbox has no live order book; use /fx/orderbook',
});

export const fxBookOperations = {
  'fx.orderbook': orderBook,
  'fx.orderbook-stats': orderBookStats,
  'fx.orderbook-token': orderBookToken,
} satisfies OperationsOf<'fx-book'>;
