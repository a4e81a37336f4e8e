import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Exchange } from '../../src/base/world.ts';
import { SIDE_MEANING } from '../../src/commands/fx/prices.ts';
import { main } from '../../src/main.ts';
import { ROOT } from '../support/built.ts';
import { refusal, success } from '../support/exchange.ts';
import { ACCOUNT, fakeWorld } from '../support/world.ts';

const unwrapped = (text: string) => text.replaceAll(/\s+/g, ' ');

test.each(['quote', 'trade'])(
  'the help of fx %s says what each side pays, and that public text differs',
  async (word) => {
    const world = fakeWorld();
    expect(await main(['fx', word, '--help'], world)).toBe(0);
    expect(unwrapped(world.stdout.text())).toContain(SIDE_MEANING);
  },
);

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
const DEAL = ['--pair', 'CNGN-USDC', '--side', 'buy', '--amount', '7000'];
const TRADES: readonly (readonly [argv: readonly string[]])[] = [
  [DEAL],
  [['--market', ...DEAL]],
  [['--quote', 'q-1']],
  [['--order', 'order_1', '--amount', '2000']],
];

test.each(TRADES)('the consent to fx trade %j says it too, before anything is sent', async (argv) => {
  const sent: string[] = [];
  const network: Exchange = async ({ url }) => {
    const path = new URL(url).pathname;
    if (/\/fx\/(trade|market-order)$/.test(path)) sent.push(path);
    if (path.endsWith('/fx/quote')) return quoted;
    return path.endsWith('/fx/limit-orders') ? success({ orders: [] }) : refusal(404, '02', 'not found');
  };
  const world = fakeWorld({
    network,
    env: ACCOUNT,
    isTerminal: true,
    answers: [{ kind: 'confirm', asks: 'Continue?', says: false }],
  });
  expect(await main(['fx', 'trade', ...argv], world)).toBe(9);
  expect(unwrapped(world.stderr.text())).toContain(SIDE_MEANING);
  expect(sent).toEqual([]);
});

test('the page for users has the same words', () => {
  expect(readFileSync(join(ROOT, 'docs', 'fidelity.md'), 'utf8')).toContain(SIDE_MEANING);
});
