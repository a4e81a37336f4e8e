import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/base/world.ts';
import { openProfileInbox } from '../../src/engine/connection/inbox.ts';
import { balanceLine } from '../../src/engine/previews/balances.ts';
import { requireCovered } from '../../src/engine/sending/change.ts';
import { main } from '../../src/main.ts';
import { success } from '../support/exchange.ts';
import { journalRows } from '../support/journal.ts';
import { ACCOUNT, fakeWorld } from '../support/world.ts';
import { deliveryOf, received } from '../webhooks/support.ts';

const ENV = { FIATRAIL_BASE_URL: 'https://service.test/v1', FIATRAIL_API_KEY: 'a-key' };

async function printed(data: unknown, ...words: string[]) {
  const world = fakeWorld({ env: ENV, network: async () => success(data) });
  const code = await main([...words, '--no-input'], world);
  return { code, out: world.stdout.text(), err: world.stderr.text() };
}

const account = (totalBalance: string, token = 'USDC') => ({
  walletAddress: '0xabc',
  token,
  totalBalance,
  checkedAt: '2026-05-07T15:49:11.137Z',
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
      tradeId: 't-1',
      pair: 'CNGN-USDC',
      side: 'sell',
      cngnAmount: '57000.00',
      usdcAmount: '40.00',
      price: '1425.00',
      fintechNetAmount,
      status: 'completed',
      createdAt: '2026-05-07T15:49:11.137Z',
      lockId: 'l-1',
      errorMessage: null,
      failedAt: null,
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
  const line = balanceLine({ uncertainty: 'the balance is "84210334500", whose unit is not known' }, -1n);
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
      'create',
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

describe('an amount in the content of an event', () => {
  const payout = (more: object, burned = '130000000000') => ({
    event: 'fintech.offramp.completed',
    data: { amount: 130000, currency: 'NGN', burnDetails: { cNgnAmount: JSON.rawJSON(burned) }, ...more },
  });

  async function opened(event: object, ...words: string[]) {
    const world = fakeWorld({ stdin: JSON.stringify(event) });
    const inbox = await openProfileInbox(world, { name: 'sandbox', mode: 'embedded' });
    await inbox.add([await received(deliveryOf(event))]);
    await inbox.close();
    const code = await main(['webhooks', ...words, '-o', 'json'], world);
    return { code, printed: JSON.parse(world.stdout.text()), err: world.stderr.text() };
  }

  const COMMANDS = [['open'], ['inbox', 'show', '1']];

  test.each(COMMANDS)('is known if nothing contradicts it: %s %s', async (...words) => {
    const { code, printed: event, err } = await opened(payout({}), ...words);
    expect(code).toBe(0);
    expect(event.data.amount).toEqual({ value: '130000.00', asset: 'NGN' });
    expect(err).not.toContain('warning:');
  });

  test.each(COMMANDS)('is marked if the event names another currency, which is said: %s %s', async (...words) => {
    const { printed: event, err } = await opened(payout({ currency: 'USD' }), ...words);
    expect(event.data.amount).toEqual({ value: '130000.00', asset: null });
    expect(err).toContain('warning: currency is "USD" beside amount, which is documented in Naira of NGN');
  });

  test.each(COMMANDS)('is marked if the event names another unit: %s %s', async (...words) => {
    const { printed: event, err } = await opened(payout({ unit: 'kobo' }), ...words);
    expect(event.data.amount).toEqual({ value: '130000', asset: 'NGN', unit: 'unknown' });
    expect(err).toContain('warning: unit is "kobo" beside amount');
  });

  test.each(['130000000000', '130000000000000000000'])(
    'is marked where the documents have it in no unit, with every digit and its own asset: %s',
    async (burned) => {
      const { printed: event } = await opened(payout({}, burned), 'open');
      expect(event.data.burnDetails.cNgnAmount).toEqual({ value: burned, asset: 'CNGN', unit: 'unknown' });
    },
  );

  test('is of no asset if another one is named in its own object', async () => {
    const burnDetails = { cNgnAmount: 130000000000, token: 'USDC' };
    const { printed: event } = await opened(payout({ burnDetails }), 'open');
    expect(event.data.burnDetails.cNgnAmount).toEqual({ value: '130000000000', asset: null, unit: 'unknown' });
  });

  test('is exported with its mark', async () => {
    const { printed: exported } = await opened(payout({ currency: 'USD' }), 'inbox', 'export');
    expect(exported.events[0].data.amount).toEqual({ value: '130000.00', asset: null });
  });
});
