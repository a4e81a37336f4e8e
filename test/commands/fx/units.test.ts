import { describe, expect, test } from 'vitest';
import { main } from '../../../src/main.ts';
import { success } from '../../support/exchange.ts';
import { fakeWorld } from '../../support/world.ts';

const ORDER = { orderId: 'o-1', price: '1425000', maxAmount: '600000000', availableLiquidity: '2400000000' };
const ENV = { FIATRAIL_BASE_URL: 'https://service.test/v1', FIATRAIL_API_KEY: 'a-key' };
const WARNING = 'warning: the response does not say whether its amounts are in tokens or in base units';

async function printed(data: unknown, ...words: string[]) {
  const world = fakeWorld({ env: ENV, network: async () => success(data) });
  const code = await main([...words, '--no-input'], world);
  return { code, out: world.stdout.text(), err: world.stderr.text() };
}

describe('an order book whose unit is unknown', () => {
  test('is printed as it came, with a warning', async () => {
    const { code, out, err } = await printed({ orders: [ORDER] }, 'fx', 'orders', 'list', '-o', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(out).orders[0]).toMatchObject({
      price: { value: '1425000', unit: 'unknown' },
      availableLiquidity: { value: '2400000000', unit: 'unknown' },
    });
    expect(err).toContain(WARNING);
  });

  test('is no chart, and no cell has it as cNGN', async () => {
    const book = { pair: 'CNGN-USDC', buyOrders: [ORDER], sellOrders: [ORDER] };
    const { out } = await printed(book, 'fx', 'book', 'CNGN-USDC');
    expect(out).toContain('1425000 (unit');
    expect(out).not.toMatch(/1,425|[█#]/);
  });

  test('is unknown in CSV too', async () => {
    const fields = ['--fields', 'orderId,price'];
    const { out } = await printed({ orders: [ORDER] }, 'fx', 'orders', 'list', '-o', 'csv', ...fields);
    expect(out).toBe('orderId,price,price_asset\no-1,1425000,unknown\n');
  });

  test('a figure can be selected by its value', async () => {
    const query = ['--query', 'orders[0].price.value'];
    const { out } = await printed({ orders: [ORDER] }, 'fx', 'orders', 'list', '-o', 'json', ...query);
    expect(JSON.parse(out)).toBe('1425000');
  });

  test('is cNGN, without a warning, if a figure has decimals', async () => {
    const { out, err } = await printed(
      { orders: [{ ...ORDER, price: '1425.50' }] },
      'fx',
      'orders',
      'list',
      '-o',
      'json',
    );
    expect(JSON.parse(out).orders[0].price).toEqual({ value: '1425.500000', asset: 'CNGN' });
    expect(err).not.toContain(WARNING);
  });
});
