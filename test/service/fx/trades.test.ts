import { describe, expect, test } from 'vitest';
import { balanceMulti } from '../../../src/contract/endpoints/balances.ts';
import { orderBook } from '../../../src/contract/endpoints/fx-book.ts';
import { createLimitOrder, createOrder, listOrders, updateOrder } from '../../../src/contract/endpoints/fx-orders.ts';
import { quote } from '../../../src/contract/endpoints/fx-quotes.ts';
import { listTrades, marketOrder, trade, tradeStatus } from '../../../src/contract/endpoints/fx-trades.ts';
import type { Context } from '../../../src/service/context.ts';
import { trade as tradeMachine, vault as vaultMachine } from '../../../src/service/fx/machine.ts';
import { fire, type Machine } from '../../../src/service/machine.ts';
import { openSandbox, type TestSandbox } from '../../support/sandbox.ts';
import { balances, expectSettledLedger, keyOf, pass, secondKey, settle } from '../steps.ts';

const buy = { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '5000' } as const;
const sell = { ...buy, side: 'sell' } as const;
const MINUTE_MS = 60_000;

const held = (box: TestSandbox) => box.inside(balances, 'read');

async function stateOf(box: TestSandbox, tradeId: string): Promise<string> {
  return (await box.ask(tradeStatus, { tradeId })).trade.status;
}

/** Returns the changes between two states of the ledger. */
function changes(before: Record<string, bigint>, after: Record<string, bigint>): Record<string, bigint> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const entries = names.map((name) => [name, (after[name] ?? 0n) - (before[name] ?? 0n)] as const);
  return Object.fromEntries(entries.filter(([, change]) => change !== 0n));
}

/** Returns the ledger accounts of the fintechs' trading wallets, by their names in the tests. */
async function accounts(box: TestSandbox): Promise<Record<string, string>> {
  const rows = await box.inside(({ store }) =>
    store.all<{ fintech: bigint; kind: string; id: bigint; token_buy: string }>(
      `SELECT fintech, kind, id, token_buy FROM wallet WHERE kind IN ('fintech', 'vault')`,
    ),
  );
  return Object.fromEntries(
    rows.map(({ fintech, kind, id, token_buy }) => {
      const asset = kind === 'fintech' ? 'CNGN' : token_buy;
      return [`wallet/${id}/base ${asset}`, `${fintech} ${asset}`];
    }),
  );
}

function named(moved: Record<string, bigint>, names: Record<string, string>): Record<string, bigint> {
  return Object.fromEntries(Object.entries(moved).map(([name, change]) => [names[name] ?? name, change]));
}

describe('the money of a trade', () => {
  test('goes from the account wallet to the vault in a purchase, minus the fee', async () => {
    await using box = await openSandbox();
    const [before, names] = [await held(box), await accounts(box)];
    await box.ask(trade, buy);
    expect(named(changes(before, await held(box)), names)).toEqual({
      '1 CNGN': -5_000_000_000n,
      '3 USDC': -3_553_660n,
      'escrow CNGN': 5_000_000_000n,
      'escrow USDC': 3_553_660n,
    });
    await settle(box);
    expect(named(changes(before, await held(box)), names)).toEqual({
      '1 CNGN': -5_000_000_000n,
      '1 USDC': 3_546_553n,
      '3 CNGN': 5_000_000_000n,
      '3 USDC': -3_553_660n,
      'fees/platform/tokens USDC': 7_107n,
    });
  });

  test('goes from the vault to the account wallet in a sale, minus the fee', async () => {
    await using box = await openSandbox();
    const [before, names] = [await held(box), await accounts(box)];
    await box.ask(marketOrder, sell);
    await settle(box);
    expect(named(changes(before, await held(box)), names)).toEqual({
      '1 CNGN': 4_990_000_000n,
      '1 USDC': -3_615_199n,
      '3 CNGN': -5_000_000_000n,
      '3 USDC': 3_615_199n,
      'fees/platform/tokens CNGN': 10_000_000n,
    });
  });

  test.each(['1301', '1302', '1303', '1304'])(
    'returns to both sides when a trade of %s cNGN fails',
    async (cngnAmount) => {
      await using box = await openSandbox();
      const before = await held(box);
      const { trade: made } = await box.ask(trade, { ...buy, cngnAmount });
      await pass(box, 10 * MINUTE_MS);
      expect(changes(before, await held(box))).toEqual({});
      const { trade: ended } = await box.ask(tradeStatus, { tradeId: made.tradeId });
      const isExpired = cngnAmount === '1303' || cngnAmount === '1304';
      expect([ended.status, ended.errorMessage !== null, ended.failedAt !== null]).toEqual(
        isExpired ? ['expired', false, false] : ['failed', true, true],
      );
      await expectSettledLedger(box);
    },
  );

  test('goes to a registered outside wallet', async () => {
    await using box = await openSandbox();
    const outside = `0x${'5e'.repeat(20)}`;
    await box.call('POST', '/addexternalwallet', { address: outside, blockchain: 'base', type: 'cold' });
    const before = await held(box);
    await box.ask(trade, { ...buy, destinationWalletAddress: outside.toUpperCase().replace('0X', '0x') });
    await settle(box);
    expect(changes(before, await held(box))).toMatchObject({ 'chain USDC': 3_546_553n });
  });
});

describe('the lock', () => {
  test('expires after 5 minutes if a trade above the threshold is not approved', async () => {
    await using box = await openSandbox();
    await box.call('POST', '/fx/auto-signing/threshold', { usdThreshold: '3.60' });
    const before = await held(box);
    const { trade: made } = await box.ask(trade, sell);
    await settle(box);
    expect(await stateOf(box, made.tradeId)).toBe('locked');
    await pass(box, 5 * MINUTE_MS - 10_001);
    expect(await stateOf(box, made.tradeId)).toBe('locked');
    await pass(box, 1);
    expect(await stateOf(box, made.tradeId)).toBe('expired');
    expect(changes(before, await held(box))).toEqual({});
  });

  test('is signed automatically at exactly the threshold', async () => {
    await using box = await openSandbox();
    await box.call('POST', '/fx/auto-signing/threshold', { usdThreshold: '3.62' });
    const { trade: made } = await box.ask(trade, sell);
    await settle(box);
    expect(await stateOf(box, made.tradeId)).toBe('completed');
  });

  test("of a purchase is signed by the makers, whatever the taker's settings", async () => {
    await using box = await openSandbox();
    await box.call('POST', '/fx/auto-signing/disable', {});
    const { trade: made } = await box.ask(trade, buy);
    await settle(box);
    expect(await stateOf(box, made.tradeId)).toBe('completed');
  });

  test('keeps tokens in escrow from being traded twice', async () => {
    await using box = await openSandbox();
    await box.ask(trade, { ...buy, cngnAmount: '4999000' });
    const { status } = await box.call('POST', '/fx/trade', buy);
    expect(status).toBe(400);
    const { totalBalance } = await box.ask(balanceMulti, { networks: 'base' });
    expect(totalBalance).toBe('1000.000000');
  });

  test('settles even if an order is removed after the match', async () => {
    await using box = await openSandbox();
    const { trade: made } = await box.ask(trade, buy);
    await box.inside(({ store }) => store.run(`UPDATE fx_order SET state = 'deleted'`));
    await settle(box);
    expect(await stateOf(box, made.tradeId)).toBe('completed');
  });
});

describe('an idempotency key', () => {
  test('returns the same trade, even after the quote was used, and moves nothing again', async () => {
    await using box = await openSandbox();
    const { quote: made } = await box.ask(quote, buy);
    const input = { quoteId: made.quoteId, idempotencyKey: 'k' };
    const first = await box.ask(trade, input);
    const before = await held(box);
    expect(await box.ask(trade, input)).toEqual(first);
    expect(changes(before, await held(box))).toEqual({});
  });

  test('is scoped to its fintech', async () => {
    await using box = await openSandbox();
    const first = await box.ask(trade, { ...buy, idempotencyKey: 'k' });
    const other = await box.ask(trade, { ...buy, idempotencyKey: 'k' }, await secondKey(box));
    expect(other.trade.tradeId).not.toBe(first.trade.tradeId);
  });

  test('of a trade is not valid for a market order', async () => {
    await using box = await openSandbox();
    await box.ask(trade, { ...buy, idempotencyKey: 'k' });
    const { status, envelope } = await box.call('POST', '/fx/market-order', { ...buy, idempotencyKey: 'k' });
    expect({ status, response_code: envelope.response_code }).toEqual({ status: 400, response_code: '01' });
  });
});

describe('a quote', () => {
  test('keeps its price when its order changes', async () => {
    await using box = await openSandbox();
    const { quote: made } = await box.ask(quote, buy);
    const { orders } = await box.ask(listOrders, {}, await keyOf(box, 3));
    const best = orders?.find(({ orderId }) => orderId === made.matchedOrders[0]?.orderId);
    await box.ask(updateOrder, { orderId: best?.orderId ?? '', price: '1500' }, await keyOf(box, 3));
    const { trade: done } = await box.ask(trade, { quoteId: made.quoteId });
    expect({ price: done.price, usdcAmount: done.usdcAmount }).toEqual({
      price: made.price,
      usdcAmount: made.usdcAmount,
    });
  });

  test('belongs to its caller', async () => {
    await using box = await openSandbox();
    const { quote: made } = await box.ask(quote, buy);
    const { status, envelope } = await box.call('POST', '/fx/trade', { quoteId: made.quoteId }, await secondKey(box));
    expect({ status, response_code: envelope.response_code }).toEqual({ status: 400, response_code: '01' });
  });
});

describe('orders', () => {
  test.each([
    ['USDC', 'CNGN-USDC', 'USDC'],
    ['usdt', 'CNGN-USDT', 'USDT'],
  ])('that buy cNGN with %s give it, on the pair %s', async (quoteCurrency, pair, gives) => {
    await using box = await openSandbox();
    const terms = { price: '1400', minAmount: '1000', maxAmount: '5000' };
    const order = { orderType: 'buy', baseCurrency: 'cNGN', quoteCurrency, ...terms } as const;
    const { orderId } = await box.ask(createOrder, order);
    const sql = 'SELECT pair, gives FROM fx_order WHERE order_id = ?';
    expect(await box.inside(({ store }) => store.get(sql, orderId), 'read')).toEqual({ pair, gives });
  });

  test('move to the back of the queue when their price changes', async () => {
    await using box = await openSandbox();
    await box.inside(({ store }) => store.run(`UPDATE fx_order SET state = 'deleted'`));
    const terms = {
      pair: 'CNGN-USDC',
      side: 'sell',
      price: '1400',
      spread: 0.5,
      minAmount: '1000',
      maxAmount: '5000',
    } as const;
    const second = await secondKey(box);
    const first = await box.ask(createLimitOrder, terms);
    await box.ask(createLimitOrder, terms, second);
    const nextMaker = async () => {
      const { quote: made } = await box.ask(quote, { ...buy, cngnAmount: '1000' }, await keyOf(box, 3));
      return made.matchedOrders[0]?.orderId;
    };
    expect(await nextMaker()).toBe(first.orderId);
    await box.ask(updateOrder, { orderId: first.orderId ?? '', maxAmount: '6000' });
    expect(await nextMaker()).toBe(first.orderId);
    await box.ask(updateOrder, { orderId: first.orderId ?? '', price: '1399' });
    await box.ask(updateOrder, { orderId: first.orderId ?? '', price: '1400' });
    expect(await nextMaker()).not.toBe(first.orderId);
  });

  test("are shown best price first, without the makers' names", async () => {
    await using box = await openSandbox();
    const { buyOrders, sellOrders } = await box.ask(orderBook, { pair: 'CNGN-USDT' });
    const prices = (orders: typeof buyOrders) => orders?.map(({ price }) => Number(price));
    expect({ buyOrdersPrices: prices(buyOrders), sellOrdersPrices: prices(sellOrders) }).toEqual({
      buyOrdersPrices: [1390, 1388, 1380],
      sellOrdersPrices: [1400, 1405, 1410],
    });
    expect(JSON.stringify([buyOrders, sellOrders])).not.toContain('fintechId');
  });

  test('trades are listed page by page, newest first', async () => {
    await using box = await openSandbox();
    const made: string[] = [];
    for (let count = 0; count < 5; count++) made.unshift((await box.ask(trade, buy)).trade.tradeId);
    const first = await box.ask(listTrades, { limit: 2 });
    const rest = await box.ask(listTrades, { limit: 100, startAfter: first.trades[1]?.tradeId });
    expect([...first.trades, ...rest.trades].map(({ tradeId }) => tradeId)).toEqual(made);
    expect((await box.ask(listTrades, { status: 'EXPIRED' })).trades).toEqual([]);
  });
});

/**
 * Every state and event; events not in the table are ignored. Copied from the interface's table, with its conditions.
 */
const TABLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pending: { locked: 'locked' },
  locked: { approved: 'signing', 'lock-elapsed': 'expired' },
  signing: { signed: 'settling', 'signing-failed': 'failed' },
  settling: { confirmed: 'completed', reverted: 'failed' },
  completed: {},
  failed: {},
  expired: {},
};
const EVENTS = ['locked', 'approved', 'lock-elapsed', 'signed', 'signing-failed', 'confirmed', 'reverted'];

/** Puts a trade into a state directly, with its escrow filled as for an open trade. */
async function tradeIn(box: TestSandbox, state: string): Promise<bigint> {
  const { trade: made } = await box.ask(trade, buy);
  return box.inside(({ store }) => {
    store.run('DELETE FROM due');
    store.run('UPDATE fx_trade SET state = ? WHERE trade_id = ?', state, made.tradeId);
    return store.get<{ id: bigint }>('SELECT id FROM fx_trade WHERE trade_id = ?', made.tradeId)?.id ?? 0n;
  });
}

function fired(context: Context, id: bigint, event: string): string {
  fire(context, tradeMachine as Machine<never>, id, event);
  return context.store.get<{ state: string }>('SELECT state FROM fx_trade WHERE id = ?', id)?.state ?? '';
}

describe('the trade machine', () => {
  const steps = Object.keys(TABLE).flatMap((state) => EVENTS.map((event) => [state, event] as const));

  test.each(steps)('%s, %s', async (state, event) => {
    await using box = await openSandbox();
    const id = await tradeIn(box, state);
    expect(await box.inside((context) => fired(context, id, event))).toBe(TABLE[state]?.[event] ?? state);
  });

  test.each(['signed', 'signing-failed'])('signing, %s, after the lock has expired', async (event) => {
    await using box = await openSandbox();
    const id = await tradeIn(box, 'signing');
    box.clock.pass(5 * MINUTE_MS);
    expect(await box.inside((context) => fired(context, id, event))).toBe('expired');
  });

  test('a settling trade never expires', async () => {
    await using box = await openSandbox();
    const id = await tradeIn(box, 'settling');
    box.clock.pass(60 * MINUTE_MS);
    expect(await box.inside((context) => fired(context, id, 'lock-elapsed'))).toBe('settling');
  });

  test('ignores all other events', () => {
    expect([...new Set(tradeMachine.transitions.map(({ on }) => on))].sort()).toEqual([...EVENTS].sort());
    expect(vaultMachine.transitions.map(({ on, from, to }) => [on, from, to])).toEqual([
      ['approved', ['pending'], 'active'],
      ['rejected', ['pending'], 'inactive'],
    ]);
  });
});
