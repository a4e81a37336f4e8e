import { expect, test } from 'vitest';
import { main } from '../../../src/main.ts';
import { journalRows } from '../../support/journal.ts';
import { fakeWorld } from '../../support/world.ts';

const trade = (side: string, ...more: readonly string[]) => [
  'fx',
  'trade',
  '--pair',
  'CNGN-USDC',
  '--side',
  side,
  '--amount',
  '50000',
  '--yes',
  '-q',
  ...more,
];

/** The price at which the sandbox quotes this amount. */
async function quoted(side: string): Promise<number> {
  const world = fakeWorld();
  await main(['fx', 'quote', '--pair', 'CNGN-USDC', '--side', side, '--amount', '50000', '-o', 'json', '-q'], world);
  return Number(JSON.parse(world.stdout.text()).price.value);
}

const micro = (price: number, more: number) => (price + more / 1e6).toFixed(6);

test.each([
  ['buy', '--max-price', 0, 0],
  ['buy', '--max-price', 1, 0],
  ['buy', '--max-price', -1, 9],
  ['sell', '--min-price', 0, 0],
  ['sell', '--min-price', -1, 0],
  ['sell', '--min-price', 1, 9],
] as const)(
  'fx trade --side %s %s, %i millionths from the price, exits with %i',
  async (side, flag, more, expected) => {
    const world = fakeWorld();
    const code = await main(trade(side, flag, micro(await quoted(side), more)), world);
    expect({ code, stderr: world.stderr.text() }).toEqual({
      code: expected,
      stderr: expected === 0 ? '' : expect.stringContaining('; nothing was sent'),
    });
    const sent = journalRows(world.stateDir).map(({ request }) => Object.keys(JSON.parse(request)));
    expect(sent).toEqual(
      expected === 0 ? [['quoteId', 'idempotencyKey'].filter((name) => sent[0]?.includes(name))] : [],
    );
  },
);

test.each([
  [trade('sell', '--max-price', '1500'), '--max-price needs --pair, --amount and --side buy'],
  [trade('buy', '--min-price', '1500'), '--min-price needs --pair, --amount and --side sell'],
  [trade('buy', '--max-price', '1500', '--min-price', '1'), '--max-price needs'],
  [['fx', 'trade', '--quote', 'q-1', '--max-price', '5', '--yes'], '--max-price needs'],
  [['fx', 'trade', '--order', 'o-1', '--amount', '5000', '--max-price', '5', '--yes'], '--max-price needs'],
  [trade('buy', '--max-price', '1,5'), 'invalid cNGN amount'],
])('%j is a usage error', async (argv, message) => {
  const world = fakeWorld();
  expect({ code: await main(argv, world), stderr: world.stderr.text() }).toEqual({
    code: 2,
    stderr: expect.stringContaining(message),
  });
  expect(journalRows(world.stateDir)).toEqual([]);
});
