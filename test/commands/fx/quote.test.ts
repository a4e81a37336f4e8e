import { describe, expect, test } from 'vitest';
import { main } from '../../../src/main.ts';
import { type Answer, fakeWorld } from '../../support/world.ts';

interface Quoted {
  readonly quote: Readonly<Record<string, { readonly value: string }>> & { readonly quoteId: string };
}

async function ran(world: ReturnType<typeof fakeWorld>, ...argv: readonly string[]) {
  const before = [world.stdout.text().length, world.stderr.text().length];
  const code = await main([...argv, '-q'], world);
  return { code, stdout: world.stdout.text().slice(before[0]), stderr: world.stderr.text().slice(before[1]) };
}

describe('fx quote of an amount of the stablecoin', () => {
  test.each(['buy', 'sell'])('names what it is worth, and is traded on: %s', async (side) => {
    const world = fakeWorld();
    const argv = ['fx', 'quote', '--pair', 'CNGN-USDC', '--side', side, '--amount', '5 USDC', '-o', 'json'];
    const printed = JSON.parse((await ran(world, ...argv)).stdout) as Quoted | Quoted['quote'];
    const quote = ('quote' in printed ? printed.quote : printed) as Quoted['quote'];
    expect(quote['usdcAmount']).toMatchObject({ value: '5.000000' });
    expect(Number(quote['cngnAmount']?.value)).toBeGreaterThan(5_000);
    const traded = await ran(world, 'fx', 'trade', '--quote', quote.quoteId, '--yes', '-o', 'json');
    expect(JSON.parse(traded.stdout)).toMatchObject({
      cngnAmount: quote['cngnAmount'],
      usdcAmount: quote['usdcAmount'],
    });
  });

  test.each([
    ['a token that is not in the pair', '5 USDT', '--amount is in USDT, which is not in the pair CNGN-USDC'],
    ['less than the minimum', '0.5 USDC', 'worth at least 1000 cNGN'],
  ])('rejects %s', async (_, amount, words) => {
    const argv = ['fx', 'quote', '--pair', 'CNGN-USDC', '--side', 'sell', '--amount', amount];
    const { code, stderr } = await ran(fakeWorld(), ...argv);
    expect({ isRejected: code !== 0, stderr }).toEqual({ isRejected: true, stderr: expect.stringContaining(words) });
  });
});

test.each([
  [[], ['--amount', '5 USDC'], 'fiatrail fx quote --amount "5 USDC"'],
  [['--market'], ['--amount', '5 USDC'], 'fiatrail fx quote --amount "5 USDC"'],
  [[], ['--amount', '5'], '5.00 cNGN is below the minimum of 1,000.00 cNGN'],
])('fx trade %j rejects %j and says why', async (flags, amount, words) => {
  const deal = ['--pair', 'CNGN-USDC', '--side', 'sell', ...amount];
  const { code, stderr } = await ran(fakeWorld(), 'fx', 'trade', ...flags, ...deal, '--yes');
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(words) });
});

test.each([
  ['CNGN', 'buy', /balance +5,000,000.00 cNGN before, 4,995,000.00 cNGN after/],
  ['CNGN', 'sell', /^(?!.*balance)/s],
  ['CNGN-USDT', 'sell', /balance +20,000.00 USDT before/],
])('a market order on %s to %s shows the balance that it is known to be paid from', async (pair, side, shown) => {
  const world = fakeWorld({ isTerminal: true, answers: [{ kind: 'confirm', asks: 'Continue?', says: false }] });
  const deal = ['--pair', pair, '--side', side, '--amount', '5000'];
  expect((await ran(world, 'fx', 'trade', '--market', ...deal)).stderr).toMatch(shown);
});

describe('a trade on a quote', () => {
  const quoted = async (world: ReturnType<typeof fakeWorld>, amount: string, side = 'sell') => {
    const argv = ['fx', 'quote', '--pair', 'CNGN-USDC', '--side', side, '--amount', amount, '-o', 'json'];
    return (JSON.parse((await ran(world, ...argv)).stdout) as Quoted['quote']).quoteId;
  };

  test('shows what the quote says before consent', async () => {
    const declines: Answer = { kind: 'confirm', asks: 'Continue?', says: false };
    const world = fakeWorld({ isTerminal: true, answers: [declines] });
    const { stderr } = await ran(world, 'fx', 'trade', '--quote', await quoted(world, '5 USDC'));
    for (const words of [
      /pays +5.00 USDC/,
      /receives +[\d,.]+ cNGN/,
      /price +1,[\d.]+ cNGN each/,
      /valid until/,
      /after/,
    ])
      expect(stderr).toMatch(words);
  });

  test('is not asked about when it cannot be paid', async () => {
    const world = fakeWorld({ isTerminal: true });
    const id = await quoted(world, '50000000');
    const { code, stderr } = await ran(world, 'fx', 'trade', '--quote', id);
    expect({ code, stderr }).toEqual({
      code: 9,
      stderr: expect.stringMatching(/the balance is [\d,.]+ USDC, and this takes [\d,.]+ USDC/),
    });
  });

  test('with --yes, is not sent when the cNGN is short', async () => {
    const world = fakeWorld();
    const id = await quoted(world, '50000000', 'buy');
    const { code, stderr } = await ran(world, 'fx', 'trade', '--quote', id, '--yes');
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining('and this takes 50,000,000.00 cNGN') });
  });

  test('says that it knows no figures of a quote of another machine', async () => {
    const declines: Answer = { kind: 'confirm', asks: 'Continue?', says: false };
    const world = fakeWorld({ isTerminal: true, answers: [declines] });
    const { stderr } = await ran(world, 'fx', 'trade', '--quote', 'q-1');
    expect(stderr).toContain('unknown: the quote was requested elsewhere');
  });
});
