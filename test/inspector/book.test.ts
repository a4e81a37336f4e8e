import { expect, onTestFinished, test } from 'vitest';
import { orderBook } from '../../src/contract/endpoints/fx-book.ts';
import type { Pair } from '../../src/contract/fx.ts';
import { type BookOrder, booksOf, type ShownBook } from '../../src/inspector/book.ts';
import { bookDocument } from '../../src/inspector/sandbox/book.ts';
import { newHome } from '../support/built.ts';
import { fiatrailJson, must, startFiatrail } from '../support/in-process.ts';
import { openSandbox } from '../support/sandbox.ts';
import { ask, session } from './asking.ts';

/** The order book of the inspector: two sides that face each other. */

const MICRO = 1_000_000n;

interface Terms {
  readonly isOwn?: boolean;
  readonly status?: string;
  readonly pair?: Pair;
}

const order = (side: 'buy' | 'sell', price: bigint, max: bigint | undefined, terms: Terms = {}): BookOrder => ({
  id: `order_${side}_${price}_${max}`,
  pair: 'CNGN-USDC',
  isSelling: side === 'sell',
  priceMinor: price * MICRO,
  takerMinor: undefined,
  minMinor: MICRO,
  maxMinor: max === undefined ? undefined : max * MICRO,
  status: 'active',
  isOwn: false,
  changedAt: null,
  ...terms,
});

const bookOf = (...orders: readonly BookOrder[]) => {
  const [book] = booksOf({ isWhole: true, asOf: null, orders }).pairs;
  if (!book) throw new Error('there is no pair');
  return book;
};

test('both sides begin with their best price, and say how much there is until each', () => {
  const { buying, selling, spread } = bookOf(
    order('buy', 1_380n, 300n),
    order('buy', 1_390n, 100n),
    order('sell', 1_410n, 50n),
    order('sell', 1_400n, 150n),
  );
  const shown = ({ levels }: typeof buying) => levels.map(({ price, depth, share }) => [price, depth, share]);
  expect(shown(buying)).toEqual([
    ['1,390.00', '100.00', 250],
    ['1,380.00', '400.00', 1_000],
  ]);
  expect(shown(selling)).toEqual([
    ['1,400.00', '150.00', 375],
    ['1,410.00', '200.00', 500],
  ]);
  expect([buying.best, selling.best, spread]).toEqual([
    '1,390.00 cNGN',
    '1,400.00 cNGN',
    'bid-ask spread 10.00 cNGN (0.71%)',
  ]);
});

test('orders of one price are one level, which is the account’s own if one of them is', () => {
  const { buying } = bookOf(order('buy', 1_390n, 1n), order('buy', 1_390n, 2n, { isOwn: true }), order('buy', 9n, 4n));
  expect(buying.levels.map(({ amount, isOwn }) => [amount, isOwn])).toEqual([
    ['3.00', true],
    ['4.00', false],
  ]);
  expect(buying.orders).toBe(3);
});

test('an order that is paused is listed as the account’s own, and offers nothing', () => {
  const { selling, own } = bookOf(order('sell', 1_400n, 5n, { isOwn: true, status: 'paused' }));
  expect([selling.levels, selling.total, selling.best]).toEqual([[], '0.00 cNGN', null]);
  expect(own.map(({ status, side, price }) => [status, side, price])).toEqual([
    ['paused', 'sells USDC', '1,400.00 cNGN'],
  ]);
});

test('pairs are apart, and what has no maximum offers nothing that is known', () => {
  const { pairs } = booksOf({
    ...{ isWhole: false, asOf: null },
    orders: [order('buy', 1_390n, 7n, { pair: 'CNGN-USDT' }), order('sell', 1_400n, undefined)],
  });
  expect(pairs.map(({ pair, buying, selling }) => [pair, buying.total, selling.total])).toEqual([
    ['CNGN-USDC', '0.00 cNGN', '0.00 cNGN'],
    ['CNGN-USDT', '7.00 cNGN', '0.00 cNGN'],
  ]);
});

test('a long side is cut, and says how many prices it does not show', () => {
  const { buying } = bookOf(...Array.from({ length: 60 }, (_, at) => order('buy', BigInt(1_000 + at), 1n)));
  expect([buying.levels.length, buying.more, buying.total]).toEqual([50, 10, '60.00 cNGN']);
});

test('a sandbox shows what its own order book has', async () => {
  await using box = await openSandbox();
  const { pairs, isWhole } = await bookDocument(box.service, () => box.apiKey)();
  const { buyOrders, sellOrders } = await box.ask(orderBook, { pair: 'CNGN-USDC', limit: 100 });
  const [book] = pairs;
  expect(isWhole).toBe(true);
  expect([book?.buying.orders, book?.selling.orders]).toEqual([buyOrders?.length, sellOrders?.length]);
  const best = (orders: typeof buyOrders) => Number(orders?.[0]?.price);
  expect(buyOrders?.length).toBeGreaterThan(0);
  expect(Number(book?.buying.levels[0]?.price.replace(',', ''))).toBe(best(buyOrders));
  expect(Number(book?.selling.levels[0]?.price.replace(',', ''))).toBe(best(sellOrders));
});

test('an account shows its own orders as they were copied, until they are cancelled', async () => {
  const home = newHome(onTestFinished);
  const create = (side: string, price: string) =>
    fiatrailJson(home, ['fx', 'orders', 'create', '--side', side, '--price', price, ...ORDER]);
  const { orderId } = (await create('buy', '1380')) as { readonly orderId: string };
  await create('sell', '1420');
  await must(home, ['sync', '-q']);
  const running = startFiatrail(home, ['inspect', '-o', 'json']);
  onTestFinished(async () => {
    running.kill('SIGTERM');
    await running.end;
  });
  const { origin, hash } = new URL((JSON.parse(await running.firstLine()) as { url: string }).url);
  const cookie = await session({ origin, token: hash.replace('#token=', '') });
  const read = async () => JSON.parse((await ask(origin, '/api/documents/book', { cookie })).body) as ShownBook;
  const { isWhole, asOf, pairs } = await read();
  expect([isWhole, asOf]).toEqual([false, expect.stringMatching(/^20/)]);
  const [book] = pairs;
  expect([book?.buying.best, book?.selling.best, book?.spread]).toEqual([
    '1,380.00 cNGN',
    '1,420.00 cNGN',
    'bid-ask spread 40.00 cNGN (2.89%)',
  ]);
  expect(book?.buying.levels).toMatchObject([{ amount: '500,000.00', isOwn: true, withSpread: null }]);
  expect(book?.own[0]).toMatchObject({ id: orderId, list: 'copied', side: 'buys USDC', min: '1,000.00 cNGN' });
  await must(home, ['fx', 'orders', 'cancel', orderId, '--yes', '-q']);
  await must(home, ['sync', '--full', '-q']);
  const [left] = (await read()).pairs;
  expect([left?.buying.best, left?.selling.best]).toEqual([null, '1,420.00 cNGN']);
  expect(left?.own.map(({ side }) => side)).toEqual(['sells USDC']);
});

const ORDER = ['--pair', 'CNGN-USDC', '--min', '1000', '--max', '500000', '--yes', '-q'];
