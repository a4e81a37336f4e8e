import { describe, expect, test } from 'vitest';
import type { Exchange, HttpResponse } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
import { json, refusal, success } from '../support/exchange.ts';
import { journalRows } from '../support/journal.ts';
import { ACCOUNT, type Answer, fakeWorld } from '../support/world.ts';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const SENT = /\/(fx\/(trade|market-order|orders)|swaptrigger|fintechtransfer)$/;

const quoted = success({
  quote: {
    quoteId: 'q-1',
    pair: 'CNGN-USDC',
    cngnAmount: '7000.00',
    usdcAmount: '5.000000',
    price: '1400.00',
    expiresAt: '2030-01-01T00:00:00Z',
    matchedOrders: [],
  },
});
const ownOrder = (more: object) => ({
  orderId: 'order_own',
  side: 'buy',
  maxAmount: '600.00',
  status: 'active',
  ...more,
});

/** As the service writes balances: with all decimals, without which their unit is unknown. */
const tokens = (text: string) => Number(text).toFixed(6);

interface Service {
  readonly quote?: HttpResponse;
  readonly balance?: string;
  readonly orders?: readonly object[];
}

async function run(argv: readonly string[], service: Service, isTerminal = false, answers: readonly Answer[] = []) {
  const { quote = quoted, balance = '1000000.000000', orders = [] } = service;
  const sent: string[] = [];
  const reads: string[] = [];
  const network: Exchange = async ({ url, method }) => {
    const path = new URL(url).pathname.replace('/v1', '');
    (SENT.test(path) && method === 'POST' ? sent : reads).push(path);
    if (path === '/fx/quote') return quote;
    if (path === '/fx/settings') return success({ tokenWallets: { USDC: WALLET, USDT: WALLET } });
    if (path.startsWith('/balance'))
      return success({
        totalBalance: tokens(balance),
        networkBalances: [{ network: 'base', balance: tokens(balance), walletAddress: WALLET }],
      });
    if (path === '/fx/limit-orders') return success({ orders });
    return refusal(404, '02', 'the service was asked');
  };
  const world = fakeWorld({ network, env: ACCOUNT, isTerminal, answers });
  const words = isTerminal ? argv : [...argv, '--yes'];
  const code = await main([...words, '-o', 'json'], world);
  const error = JSON.parse(world.stderr.text().trim().split('\n').at(-1) ?? '').error as { code: string };
  return { code, error: error.code, sent: sent.length, rows: journalRows(world.stateDir).length, reads, world };
}

const TRADE = ['fx', 'trade', '--pair', 'CNGN-USDC', '--amount', '7000'];
const MARKET = ['fx', 'trade', '--market', '--pair', 'CNGN-USDC', '--amount', '7000'];
const SWAP = ['swaps', 'create', '--wallet', WALLET];
const BY_QUOTE: readonly (readonly [argv: readonly string[]])[] = [
  [[...TRADE, '--side', 'buy']],
  [[...TRADE, '--side', 'sell']],
  [[...MARKET, '--side', 'buy']],
  [[...MARKET, '--side', 'sell']],
  [[...SWAP, '--sell', 'CNGN', '--buy', 'USDC', '--amount', '7000']],
  [[...SWAP, '--sell', 'CNGN', '--buy', 'USDC']],
  [[...SWAP, '--sell', 'USDC', '--buy', 'CNGN', '--amount', '5']],
];
const nothing = (code: string) => ({ code: 9, error: code, sent: 0, rows: 0 });

describe.each(BY_QUOTE)('%j', (argv) => {
  test.each([
    ['that nobody can fill', refusal(404, '02', 'Nothing to trade against'), 'NO_LIQUIDITY'],
    ['that only own orders could fill', refusal(400, '05', 'No trade with yourself'), 'SELF_TRADE'],
  ])('of an amount %s is not sent', async (_, quote, code) => {
    expect(await run(argv, { quote })).toMatchObject(nothing(code));
    expect(await run(argv, { quote }, true)).toMatchObject(nothing(code));
  });

  test.each([
    ['is not answered', json(500, '{}')],
    ['is rejected for something else', refusal(400, '01', 'Too small')],
    ['is limited', refusal(403, '03', 'No')],
  ])('is sent if the quote %s', async (_, quote) => {
    expect(await run(argv, { quote })).toMatchObject({ sent: 1 });
  });

  test('is sent if the book can fill it', async () => {
    expect(await run(argv, {})).toMatchObject({ sent: 1 });
  });
});

describe('with --yes', () => {
  const ADD = ['fx', 'orders', 'create', '--pair', 'CNGN-USDC', '--price', '1400', '--min', '1400', '--max', '14000'];

  test.each([
    ['a sale', [...TRADE, '--side', 'sell'], '4.4', '4.6'],
    ['a purchase', [...TRADE, '--side', 'buy'], '6999.99', '7000.000000'],
    ['a sale within a limit', [...TRADE, '--side', 'sell', '--min-price', '1000'], '4.4', '4.6'],
    ['a purchase within a limit', [...TRADE, '--side', 'buy', '--max-price', '2000'], '6999.99', '7000.000000'],
    ['a market order', [...MARKET, '--side', 'sell'], '4.4', '4.6'],
    ['an order that sells', [...ADD, '--side', 'sell'], '9.99', '10.000000'],
    ['an order that buys', [...ADD, '--side', 'buy'], '13999.99', '14000.000000'],
  ])('%s is not sent if its balance does not cover it', async (_, argv, short, enough) => {
    expect(await run(argv, { balance: short })).toMatchObject(nothing('BALANCE_TOO_LOW'));
    expect(await run(argv, { balance: enough })).toMatchObject({ sent: 1 });
  });

  test('a trade against an own order is not sent', async () => {
    const argv = ['fx', 'trade', '--order', 'order_own', '--amount', '2000'];
    expect(await run(argv, { orders: [ownOrder({})] })).toMatchObject(nothing('SELF_TRADE'));
    expect(await run(argv, { orders: [ownOrder({ orderId: 'another' })] })).toMatchObject({ sent: 1 });
  });

  test.each([
    ['buys', [ownOrder({}), ownOrder({ orderId: 'second', maxAmount: '300.50' })], 0],
    ['sells', [ownOrder({ side: 'sell' })], 1],
    ['buys for less', [ownOrder({ maxAmount: '500.00' })], 1],
  ])('a transfer out of what an active order %s with is stopped if too little is left', async (_, orders, sent) => {
    const argv = ['transfers', 'create', '--amount', '500', '--to', WALLET];
    const end = await run(argv, { balance: '1000.000000', orders });
    expect(end).toMatchObject(sent === 0 ? nothing('BALANCE_TOO_LOW') : { sent });
    expect(end.world.stderr.text().includes('900.50 cNGN of it is reserved by active orders')).toBe(sent === 0);
  });

  test('a transfer of another token, which no order reserves, is sent', async () => {
    const argv = ['transfers', 'create', '--amount', '500', '--token', 'USDC', '--to', WALLET];
    const { sent, reads } = await run(argv, { balance: '1000.000000', orders: [ownOrder({})] });
    expect({ sent, hasOrders: reads.includes('/fx/limit-orders') }).toEqual({ sent: 1, hasOrders: false });
  });
});
