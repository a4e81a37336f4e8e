import { describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../../src/base/world.ts';
import { main } from '../../../src/main.ts';
import { success } from '../../support/exchange.ts';
import { ACCOUNT, fakeWorld } from '../../support/world.ts';

const QUOTE = {
  quoteId: 'q-1',
  pair: 'CNGN-USDC',
  side: 'buy',
  cngnAmount: '57000',
  usdcAmount: '40.00',
  price: '1425.00',
  matchedOrders: [],
  expiresAt: '2026-01-05T09:05:00.000Z',
};

/** Runs a command against a service that answers with this quote; `traded` is what was sent to trade on. */
async function run(argv: readonly string[], quote: object) {
  const traded: unknown[] = [];
  const world = fakeWorld({
    env: ACCOUNT,
    network: async ({ url, body }: HttpRequest) => {
      if (url.endsWith('/fx/quote')) return success({ quote: { ...QUOTE, ...quote } });
      if (!url.endsWith('/fx/trade')) return success({ trades: [], count: 0 });
      traded.push(JSON.parse(body ?? ''));
      return success({ trade: { ...QUOTE, ...quote, tradeId: 't-1', status: 'pending', lockId: 'l-1' } });
    },
  });
  const code = await main(argv, world);
  return { code, traded, err: world.stderr.text() };
}

const DEAL = ['--pair', 'CNGN-USDC', '--side', 'buy', '--amount', '57000'];
const ASK = ['fx', 'quote', ...DEAL, '-q'];
const LIMITED = ['fx', 'trade', ...DEAL, '--max-price', '1430', '--yes', '-q'];
const SOLD = LIMITED.map((word) => ({ buy: 'sell', '--max-price': '--min-price', '1430': '1420' })[word] ?? word);

describe('a quote', () => {
  test.each([
    ['for ten times the amount', { cngnAmount: '570000', usdcAmount: '400.00' }, 'cngnAmount 570,000.00 cNGN'],
    ['for the other side', { side: 'sell' }, 'quote.side sell'],
    ['for another pair', { pair: 'CNGN-USDT', usdtAmount: '40.00' }, 'quote.pair CNGN-USDT'],
    ['for half of what its price says', { usdcAmount: '20.00' }, 'contradicts itself'],
    ['one digit beyond the last one', { usdcAmount: '39.98' }, 'contradicts itself'],
  ])('%s is shown as no quote, and never traded on', async (_, quote, words) => {
    expect(await run(ASK, quote)).toMatchObject({ code: 5, err: expect.stringContaining(words) });
    expect(await run(LIMITED, quote)).toMatchObject({ code: 5, traded: [], err: expect.stringContaining(words) });
  });

  test('whose pair is in lower case is read in the stablecoin of the pair', async () => {
    const words = ASK.map((word) => (word === 'CNGN-USDC' ? 'CNGN-USDT' : word));
    const quote = { pair: 'cngn-usdt', usdcAmount: null };
    expect(await run(words, { ...quote, usdtAmount: '40.00' })).toMatchObject({ code: 0 });
    const contradicts = { code: 5, err: expect.stringContaining('57,000.00 cNGN for 20.00 USDT is not') };
    expect(await run(words, { ...quote, usdtAmount: '20.00' })).toMatchObject(contradicts);
  });

  test.each([
    ['rounded to cents', { usdcAmount: '39.99' }],
    ['rounded to cents upward', { usdcAmount: '40.01' }],
    ['with a price without decimals', { price: '1425' }],
    ['with more decimals', { usdcAmount: '40.000000', price: '1425.000000' }],
    ['with an amount without decimals', { usdcAmount: '40' }],
    [
      'matched with two orders that were rounded',
      { usdcAmount: '39.999998', price: '1425.00', matchedOrders: [{}, {}] },
    ],
  ])('%s is traded on', async (_, quote) => {
    expect(await run(ASK, quote)).toMatchObject({ code: 0 });
    expect(await run(LIMITED, quote)).toMatchObject({ code: 0, traded: [{ quoteId: 'q-1' }] });
  });

  test.each([
    ['no amount of stablecoin', { usdcAmount: null }],
    ['the amount of another stablecoin', { usdcAmount: null, usdtAmount: '40.00' }],
    ['no amount of cNGN', { cngnAmount: null }],
    ['no price', { price: null }],
  ])('with %s says nothing that a limit could be compared with', async (_, quote) => {
    expect(await run(LIMITED, quote)).toMatchObject({
      code: 5,
      traded: [],
      err: expect.stringContaining('no price and amounts that can be compared'),
    });
  });
});

test.each([
  ['all figures', { usdcAmount: '40', price: '1425' }],
  ['one price', { usdcAmount: '40.000000', price: '1425' }],
])('a quote that does not say the unit of %s is marked, and never traded on within a limit', async (_, quote) => {
  const asked = await run(ASK, quote);
  expect(asked).toMatchObject({ code: 0, err: expect.stringContaining('see unit "unknown"') });
  for (const argv of [LIMITED, SOLD])
    expect(await run(argv, { side: argv === SOLD ? 'sell' : 'buy', ...quote })).toMatchObject({ code: 5, traded: [] });
});

describe('the limit of a price', () => {
  test.each([
    ['holds by the price', LIMITED, { price: '1430.01', usdcAmount: '39.86' }, 9],
    ['holds by the amounts', LIMITED, { price: '1430.00', usdcAmount: '39.85' }, 9],
    ['leaves the last digit to rounding', LIMITED, { price: '1430.00', usdcAmount: '39.86' }, 0],
    ['holds for a seller by the amounts', SOLD, { side: 'sell', price: '1420.00', usdcAmount: '40.142' }, 9],
    ['leaves a seller the last digit', SOLD, { side: 'sell', price: '1420.00', usdcAmount: '40.15' }, 0],
  ])('%s', async (_, argv, quote, code) => {
    const found = await run(argv, quote);
    expect({ code: found.code, traded: found.traded.length }).toEqual({ code, traded: code === 0 ? 1 : 0 });
  });
});

test('a trade that differs from its quote is uncertain', async () => {
  const world = fakeWorld({
    env: ACCOUNT,
    network: async ({ url }: HttpRequest) => {
      if (url.endsWith('/fx/quote')) return success({ quote: QUOTE });
      if (!url.endsWith('/fx/trade')) return success({ trades: [], count: 0 });
      return success({ trade: { ...QUOTE, tradeId: 't-1', status: 'pending', cngnAmount: '570000' } });
    },
  });
  expect(await main(LIMITED, world)).toBe(6);
  expect(world.stderr.text()).toContain(
    'asked for cngnAmount 57,000.00 cNGN; the response says trade.cngnAmount 570,000.00 cNGN',
  );
});
