import { expect, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { createOrder, updateOrder } from '../../src/contract/endpoints/fx-orders.ts';
import { marketOrder, trade } from '../../src/contract/endpoints/fx-trades.ts';
import { type MarketReader, marketWarning, pricedIn } from '../../src/engine/rules/market.ts';
import { ruledMachine } from './support.ts';

const order = (orderId: string, price: string, more = {}) => ({ orderId, price, ...more });
const BOOK = {
  sellOrders: [order('s-2', '1420'), order('s-1', '1410'), order('own-1', '1.4')],
  buyOrders: [order('b-1', '1390'), order('b-2', '1380'), order('own-2', '140000')],
};
const SAID: Readonly<Record<string, unknown>> = {
  'fx.orderbook': BOOK,
  'fx.list-limit-orders': { orders: [{ orderId: 'own-1' }, { orderId: 'own-2' }] },
  'fx.trades': { trades: [] },
  'fx.quote': { quote: { price: '1412' } },
};

/** An account whose reads say this; what it does not say cannot be read. */
function reader(said: Readonly<Record<string, unknown>>): MarketReader {
  const call = async ({ id, lists }: Endpoint) => {
    const data = said[lists === 'trades' ? 'fx.trades' : id];
    if (data instanceof Error) throw data;
    if (data === undefined) throw new CliError('network', id);
    return { data };
  };
  return { call: call as MarketReader['call'] };
}

const ADD = { orderType: 'buy', baseCurrency: 'cNGN', quoteCurrency: 'USDC', price: '1.4', maxAmount: '500' };
const CNGN = (text: string) => ({ asset: 'CNGN', minor: BigInt(text) * 1_000_000n });

test.each<[what: string, said: object, market: unknown]>([
  ['midway between the best orders of others', {}, CNGN('1400')],
  ['the best one if there are only sellers', { 'fx.orderbook': { ...BOOK, buyOrders: [] } }, CNGN('1410')],
  ['the best one if there are only buyers', { 'fx.orderbook': { buyOrders: BOOK.buyOrders } }, CNGN('1390')],
  [
    'the last trade if nobody else has an order',
    { 'fx.orderbook': { sellOrders: [order('own-1', '1.4')] }, 'fx.trades': { trades: [{ price: '1399' }] } },
    CNGN('1399'),
  ],
  [
    'the last trade if the book cannot be read',
    { 'fx.orderbook': undefined, 'fx.trades': { trades: [{ price: '1399' }] } },
    CNGN('1399'),
  ],
  [
    'the last trade if it is not known which orders are its own',
    { 'fx.list-limit-orders': undefined, 'fx.trades': { trades: [{ price: '1399' }] } },
    CNGN('1399'),
  ],
  ['not known without any of them', { 'fx.orderbook': {} }, undefined],
  [
    'not known if the unit of its prices is not',
    { 'fx.orderbook': { sellOrders: [{ orderId: 's', price: { value: '1', unit: 'unknown' } }] } },
    undefined,
  ],
])('the price of the market is %s', async (_what, said, market) => {
  expect((await pricedIn(reader({ ...SAID, ...said }), createOrder, ADD))?.market).toEqual(market);
});

test('an interruption ends the command', async () => {
  const interrupted = new CliError('interrupted', 'interrupted');
  await expect(pricedIn(reader({ ...SAID, 'fx.orderbook': interrupted }), createOrder, ADD)).rejects.toBe(interrupted);
});

test.each<
  [what: string, endpoint: Endpoint, request: object, terms: Record<string, string>, price: unknown, market: unknown]
>([
  ['an order', createOrder, ADD, {}, { asset: 'CNGN', minor: 1_400_000n }, CNGN('1400')],
  ['a trade', trade, { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '5000' }, {}, CNGN('1412'), CNGN('1400')],
  [
    'a market order',
    marketOrder,
    { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '5000' },
    {},
    CNGN('1412'),
    CNGN('1400'),
  ],
  [
    'a trade on a quote',
    trade,
    { quoteId: 'q' },
    { pair: 'CNGN-USDC', side: 'buy', price: '1500' },
    CNGN('1500'),
    CNGN('1400'),
  ],
  ['a trade on a quote that is not known here', trade, { quoteId: 'q', price: '1400' }, {}, undefined, undefined],
  [
    'a trade against an order, which is then no part of the market',
    trade,
    { orderId: 's-1', cngnAmount: '5000' },
    {},
    CNGN('1410'),
    CNGN('1405'),
  ],
  [
    'a trade against an order that is in no book',
    trade,
    { orderId: 'x', cngnAmount: '5000' },
    {},
    undefined,
    undefined,
  ],
  [
    'an update of the price',
    updateOrder,
    { orderId: 's-1', price: '1500' },
    { 'replaced.pair': 'CNGN-USDC', 'replaced.price': '1410' },
    CNGN('1500'),
    CNGN('1405'),
  ],
  [
    'an update of the maximum',
    updateOrder,
    { orderId: 's-1', maxAmount: '5' },
    { 'replaced.pair': 'CNGN-USDC', 'replaced.price': '1410' },
    CNGN('1410'),
    CNGN('1405'),
  ],
  [
    'an update of an order that cannot be read',
    updateOrder,
    { orderId: 's-1', price: '1500' },
    {},
    undefined,
    undefined,
  ],
])('the price of %s', async (_what, endpoint, request, terms, price, market) => {
  expect(await pricedIn(reader(SAID), endpoint, request, terms)).toEqual({ price, market });
});

test('a field that a trade does not have says nothing of its price', async () => {
  const request = { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '5000', price: '1400' };
  expect((await pricedIn(reader(SAID), trade, request))?.price).toEqual(CNGN('1412'));
});

test('a rule stops an order if no market price is known', async () => {
  const { stops } = await ruledMachine(['--max-from-market', '2%']);
  const order = [
    'fx',
    'orders',
    'create',
    '--pair',
    'CNGN-USDC',
    '--side',
    'buy',
    '--price',
    '1400',
    '--min',
    '1',
    '--max',
    '5',
  ];
  await stops([...order, '--yes'], 'RULE_MARKET', 'no market price is known');
});

test('a spread moves the price of a trade against an order', async () => {
  const book = { sellOrders: [order('s-1', '1400', { spread: 1 })], buyOrders: [order('b-1', '1400', { spread: 1 })] };
  const said = reader({ ...SAID, 'fx.orderbook': book });
  expect((await pricedIn(said, trade, { orderId: 's-1' }))?.price).toEqual(CNGN('1414'));
  expect((await pricedIn(said, trade, { orderId: 'b-1' }))?.price).toEqual(CNGN('1386'));
});

test.each([
  { orderId: 'o', status: 'paused' },
  { orderId: 'o', minAmount: '5' },
  { orderId: 'o', spread: 1 },
])('an update sets no price with %j', async (request) => {
  expect(await pricedIn(reader({}), updateOrder, request)).toBeUndefined();
});

test.each([
  ['1400', []],
  ['1260', []],
  ['1540', []],
  ['1259.999999', [['warning', 'the price 1,259.999999 cNGN is 10% below the market price of 1,400.00 cNGN']]],
  ['1540.000001', [['warning', 'the price 1,540.000001 cNGN is 10% above the market price of 1,400.00 cNGN']]],
])('a price of %s has a warning only beyond 10%% of the market', async (price, lines) => {
  expect(await marketWarning(reader(SAID), createOrder, { ...ADD, price })).toEqual(lines);
});

test('a trade far from the market has a warning', async () => {
  const far = reader({ ...SAID, 'fx.quote': { quote: { price: '1600' } } });
  const request = { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '5000' };
  for (const endpoint of [trade, marketOrder])
    expect(await marketWarning(far, endpoint, request)).toMatchObject([
      ['warning', expect.stringContaining('14.2% above')],
    ]);
});
