import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/base/world.ts';
import { requireCovered } from '../../src/engine/change.ts';
import { balanceLine } from '../../src/engine/previews.ts';
import { main } from '../../src/main.ts';
import { success } from '../support/exchange.ts';
import { journalRows } from '../support/journal.ts';
import { ACCOUNT, fakeWorld } from '../support/world.ts';

const ENV = { FIATRAIL_BASE_URL: 'https://service.test/v1', FIATRAIL_API_KEY: 'a-key' };

async function printed(data: unknown, ...words: string[]) {
  const world = fakeWorld({ env: ENV, network: async () => success(data) });
  const code = await main([...words, '--no-input'], world);
  return { code, out: world.stdout.text(), err: world.stderr.text() };
}

const account = (totalBalance: string, token = 'USDC') => ({
  ...{ walletAddress: '0xabc', token, totalBalance, checkedAt: '2026-05-07T15:49:11.137Z' },
  networkBalances: [{ network: 'base', balance: totalBalance }],
});

describe('a swap whose base units have a decimal point', () => {
  const swap = { requestId: 's-1', status: 'completed', amountOut: '7.000000' };

  test('is shown as it came, and never as millionths', async () => {
    const { code, out, err } = await printed(swap, 'swaps', 'status', 's-1', '-o', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(out).amountOut).toMatchObject({ value: '7.000000', unit: 'unknown' });
    expect(err).toContain('amountOut is "7.000000", but is documented in base units');
  });

  test('is marked in a table too', async () => {
    const { out } = await printed(swap, 'swaps', 'status', 's-1');
    expect(out).toContain('7.000000 (unit');
    expect(out).not.toContain('0.000007');
  });
});

describe('what a sale gives after fees', () => {
  const sale = (fintechNetAmount: string) => ({
    trade: {
      ...{ tradeId: 't-1', pair: 'CNGN-USDC', side: 'sell', cngnAmount: '57000.00', usdcAmount: '40.00' },
      ...{ price: '1425.00', fintechNetAmount, status: 'completed', createdAt: '2026-05-07T15:49:11.137Z' },
      ...{ lockId: 'l-1', errorMessage: null, failedAt: null },
    },
  });

  test.each([
    ['the stablecoin', '39.92', 'USDC'],
    ['cNGN', '56886.00', 'CNGN'],
  ])('is %s if the figures beside it say so', async (_, net, asset) => {
    const { out } = await printed(sale(net), 'fx', 'trades', 'status', 't-1', '-o', 'json');
    expect(JSON.parse(out).fintechNetAmount).toMatchObject({ asset });
  });

  test('is of no asset if they decide nothing', async () => {
    const { out } = await printed(
      { trade: { ...sale('32.00').trade, cngnAmount: '40.00', price: '1.00' } },
      'fx',
      'trades',
      'status',
      't-1',
      '-o',
      'json',
    );
    expect(JSON.parse(out).fintechNetAmount).toMatchObject({ asset: null });
  });
});

describe('a balance', () => {
  const words = ['balances', 'account', '--token', 'USDC', '-o', 'json'];
  const required = (data: unknown) => printed(data, ...words, '--require', '50');

  test('that covers what is required passes', async () => {
    expect(await required(account('84210.334500'))).toMatchObject({ code: 0 });
  });

  test.each([
    ['without a decimal point, which may be in base units', account('84210334500'), 'whose unit is not known'],
    ['of another token than was asked for', account('84210.334500', 'CNGN'), 'token'],
    ['with separators of thousands', account('84,210.334500'), 'whose unit is not known'],
  ])('%s never passes for what is required', async (_, data, why) => {
    const { code, err } = await required(data);
    expect(code).toBe(5);
    expect(err).toContain(why);
    expect(err).not.toMatch(/^\s+at /m);
  });

  test.each(['84210334500', '84,210.334500'])('of %s is shown as it came', async (balance) => {
    const { out } = await printed(account(balance), ...words);
    expect(JSON.parse(out)).toMatchObject({ totalBalance: { value: balance, unit: 'unknown' } });
  });
});

test('a balance whose unit is not known stops a change', () => {
  const line = balanceLine({ doubt: 'the balance is "84210334500", whose unit is not known' }, -1n);
  expect(() => requireCovered([line])).toThrow('whose unit is not known; nothing was sent');
});

test.each([
  ['without a decimal point', '84210334500'],
  ['with separators of thousands', '84,210.334500'],
])('a balance %s stops a transfer before it is sent', async (_, balance) => {
  const sent: string[] = [];
  const network: Exchange = async ({ method, url }) => {
    const { pathname } = new URL(url);
    if (/fintechtransfer/i.test(pathname)) sent.push(`${method} ${pathname}`);
    const rows = [{ network: 'base', balance }];
    return success(
      /balance/.test(pathname) ? { token: 'CNGN', totalBalance: balance, networkBalances: rows } : { transactions: [] },
    );
  };
  const world = fakeWorld({ network, env: ACCOUNT });
  const code = await main(
    [
      'transfers',
      'start',
      '--amount',
      '20',
      '--to',
      '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
      '--yes',
      '--no-input',
    ],
    world,
  );
  expect({ code, sent, rows: journalRows(world.stateDir) }).toEqual({ code: 5, sent: [], rows: [] });
  expect(world.stderr.text()).toContain('whose unit is not known; nothing was sent');
});
