import { beforeEach, describe, expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { type FakeWorld, fakeWorld } from '../support/world.ts';

let world: FakeWorld;
beforeEach(() => {
  world = fakeWorld();
});

const run = async (...argv: readonly string[]) => {
  const [out, err] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main(argv.includes('-o') ? argv : [...argv, '-o', 'json'], world);
  return { code, stdout: world.stdout.text().slice(out), stderr: world.stderr.text().slice(err) };
};

const rules = async (...flags: readonly string[]) =>
  expect((await run('profiles', 'rules', 'set', ...flags, '--yes')).code).toBe(0);

const add = (side: string, price: string, max: string, ...more: readonly string[]) => [
  'fx',
  'orders',
  'create',
  '--pair',
  'CNGN-USDC',
  '--side',
  side,
  '--price',
  price,
  '--min',
  '100',
  '--max',
  max,
  '--yes',
  '-q',
  ...more,
];

const orders = async () =>
  (JSON.parse((await run('fx', 'orders', 'list', '--all')).stdout) as { orders: { orderId: string; status: string }[] })
    .orders;

/** Runs a command that a rule must stop, and returns what is wrong. */
async function stopped(argv: readonly string[], code = 'RULE_AMOUNT'): Promise<string> {
  const { code: exit, stderr } = await run(...argv);
  const { error } = JSON.parse(stderr.slice(stderr.indexOf('{'))) as { error: { code: string; message: string } };
  expect({ exit, code: error.code }, stderr).toEqual({ exit: 9, code });
  return error.message;
}

/** The only order, which the sandbox just made. */
const ownOrder = async () => (await orders())[0]?.orderId ?? '';

const update = (orderId: string, ...more: readonly string[]) => [
  'fx',
  'orders',
  'update',
  orderId,
  ...more,
  '--yes',
  '-q',
];

const trade = (side: string, ...more: readonly string[]) => [
  'fx',
  'trade',
  '--pair',
  'CNGN-USDC',
  '--side',
  side,
  '--amount',
  '5000',
  '--yes',
  '-q',
  ...more,
];

describe('a limit of what an order gives', () => {
  test('counts the stablecoin at the price of the order, whatever the cNGN', async () => {
    await rules('--max-per-call', 'USDC 10', '--max-per-call', 'CNGN 20000');
    expect((await run(...add('sell', '1400', '14000'))).code).toBe(0);
    // 1,400 mistyped.
    expect(await stopped(add('sell', '1.4', '14000'))).toContain('10,000.00 USDC is above 10.00 USDC per call');
    expect(await stopped(add('sell', '1399.99', '14000'))).toContain('10.000072 USDC');
    expect(await stopped(add('sell', '2100', '20000.01'))).toContain('20,000.01 cNGN is above');
    // It gives only cNGN.
    expect((await run(...add('buy', '1400', '14000'))).code).toBe(0);
    expect(await orders()).toHaveLength(2);
  });

  test('counts the newer request, and the one of fiatrail api, alike', async () => {
    await rules('--max-per-call', 'USDT 10');
    const api = (...fields: readonly string[]) => [
      'api',
      'POST',
      ...fields.flatMap((field, index) => (index === 0 ? [field] : ['-f', field])),
      '--yes',
      '-q',
    ];
    const both = ['price=1.4', 'minAmount=100', 'maxAmount=500'];
    await stopped(api('/fx/limit-order', 'pair=CNGN-USDT', 'side=sell', 'spread=1', ...both));
    await stopped(api('/fx/orders', 'orderType=buy', 'baseCurrency=cNGN', 'quoteCurrency=USDT', ...both));
  });

  test('counts what an update adds to the order that it replaces', async () => {
    expect((await run(...add('sell', '1400', '14000'))).code).toBe(0);
    const orderId = await ownOrder();
    await rules('--max-per-call', 'USDC 10', '--max-per-call', 'CNGN 500');
    // 10 USDC become 14,000.
    expect(await stopped(update(orderId, '--price', '1'))).toContain('13,990.00 USDC is above 10.00 USDC per call');
    expect(await stopped(update(orderId, '--max', '14500.01'))).toContain('500.01 cNGN is above 500.00 cNGN per call');
    expect((await run(...update(orderId, '--price', '700'))).code).toBe(0);
    expect((await run(...update(orderId, '--price', '1400', '--max', '14500'))).code).toBe(0);
    // It gives less.
    expect((await run(...update(orderId, '--max', '1000'))).code).toBe(0);
  });

  test('counts all of an update whose order cannot be read', async () => {
    await rules('--max-per-call', 'USDC 10');
    expect(await stopped(update('order-1', '--price', '1400'))).toContain('does not say how much USDC it may move');
    expect((await run('fx', 'orders', 'pause', 'order-1', '--yes')).code).toBe(3);
  });

  test('adds up in a day, with what updates added and without what was rejected', async () => {
    await rules('--max-per-day', 'USDC 30', '--max-per-day', 'CNGN 100000');
    expect((await run(...add('sell', '1400', '14000'))).code).toBe(0);
    const orderId = await ownOrder();
    expect((await run(...update(orderId, '--price', '700'))).code).toBe(0);
    const left = await stopped(add('sell', '1400', '14001'));
    expect(left).toContain('10.000715 USDC is above the 10.00 USDC that is left of 30.00 USDC today');
    expect(await stopped(update(orderId, '--max', '21001'))).toContain('10.001429 USDC is above the 10.00 USDC');
    expect((await run('fx', 'orders', 'pause', 'order-1', '--yes')).code).toBe(3);
    expect((await run(...add('sell', '1400', '14000'))).code).toBe(0);
    await stopped(add('sell', '1400', '100'));
    expect((await run('ops', 'journal', 'verify')).code).toBe(0);
  });
});

describe('a rule about the distance from the market', () => {
  test.each([
    ['an order', () => add('sell', '1.4', '500')],
    ['an order that buys', () => add('buy', '140000', '500')],
    [
      'an order through the API',
      () => [
        'api',
        'POST',
        '/fx/orders',
        '-f',
        'orderType=sell',
        '-f',
        'baseCurrency=cNGN',
        '-f',
        'quoteCurrency=USDC',
        '-f',
        'price=140000',
        '-f',
        'minAmount=100',
        '-f',
        'maxAmount=500',
        '--yes',
        '-q',
      ],
    ],
  ])('stops %s at a mistyped price', async (_what, argv) => {
    await rules('--max-from-market', '2%');
    expect(await stopped(argv(), 'RULE_MARKET')).toMatch(/% (below|above) the market price of 1,\d{3}\.\d+ cNGN/);
    expect(await orders()).toEqual([]);
  });

  test('lets an order and a trade at the market through, and shows itself', async () => {
    await rules('--max-from-market', '2');
    expect((await run(...add('sell', '1400', '500'))).code).toBe(0);
    expect((await run(...trade('buy'))).code).toBe(0);
    const { stdout } = await run('profiles', 'rules', 'show');
    const shown = JSON.parse(stdout) as { rules: unknown[]; commands: { command: string; others: string[] }[] };
    expect(shown.rules).toMatchObject([{ rule: 'max-from-market', setting: '2%' }]);
    expect(
      shown.commands.filter(({ others }) => others.includes('max-from-market')).map(({ command }) => command),
    ).toEqual(['fx orders create', 'fx orders update', 'fx trade', 'fx trade --market']);
    const tested = await run(
      'profiles',
      'rules',
      'test',
      '-o',
      'json',
      '--',
      ...add('sell', '1.4', '500').slice(0, -2),
    );
    expect(tested.code).toBe(9);
    expect(JSON.parse(tested.stdout)).toMatchObject({ rules: [{ rule: 'max-from-market', result: 'blocks' }] });
    await rules('--max-from-market', 'off');
    expect((await run(...add('sell', '1.4', '500'))).code).toBe(0);
  });

  test('stops an update of the price, and one that resumes an order at such a price', async () => {
    expect((await run(...add('sell', '1.4', '500'))).code).toBe(0);
    const orderId = await ownOrder();
    await rules('--max-from-market', '2%');
    await stopped(update(orderId, '--price', '1.5'), 'RULE_MARKET');
    await stopped(update(orderId, '--max', '600'), 'RULE_MARKET');
    expect((await run('fx', 'orders', 'pause', orderId, '--yes')).code).toBe(0);
    await stopped(['fx', 'orders', 'resume', orderId, '--yes'], 'RULE_MARKET');
    expect((await run(...update(orderId, '--price', '1400'))).code).toBe(0);
  });

  test('does not believe an own order, which may be the mistake', async () => {
    expect((await run(...add('sell', '1.4', '500'))).code).toBe(0);
    await rules('--max-from-market', '2%');
    await stopped(add('sell', '1.4', '500'), 'RULE_MARKET');
    expect((await run(...add('sell', '1400', '500'))).code).toBe(0);
  });

  test('stops a trade whose price moves too far, however it is asked for', async () => {
    await rules('--max-from-market', '0.01%');
    await stopped(trade('buy'), 'RULE_MARKET');
    await stopped(
      ['fx', 'trade', '--market', '--pair', 'CNGN-USDC', '--side', 'sell', '--amount', '5000', '--yes', '-q'],
      'RULE_MARKET',
    );
    await stopped(trade('buy', '--max-price', '2000'), 'RULE_MARKET');
    const book = JSON.parse((await run('fx', 'book', 'CNGN-USDC')).stdout) as {
      sellOrders: { orderId: string }[];
    };
    const order = book.sellOrders.at(-1)?.orderId ?? '';
    await stopped(['fx', 'trade', '--order', order, '--amount', '5000', '--yes', '-q'], 'RULE_MARKET');
    const { quoteId } = JSON.parse(
      (await run('fx', 'quote', '--pair', 'CNGN-USDC', '--side', 'buy', '--amount', '5000')).stdout,
    ) as { quoteId: string };
    await stopped(['fx', 'trade', '--quote', quoteId, '--yes', '-q'], 'RULE_MARKET');
    const unknown = ['api', 'POST', '/fx/trade', '-f', `quoteId=${quoteId}`, '-f', 'price=1395', '--yes', '-q'];
    expect(await stopped(unknown, 'RULE_MARKET')).toContain('the price is not known');
  });

  test.each(['two', '101', '-1', '2%%'])('is not %s', async (percent) => {
    expect((await run('profiles', 'rules', 'set', '--max-from-market', percent, '--yes')).code).toBe(2);
  });
});

describe('on a terminal', () => {
  const asking = (says = false) =>
    ({
      ...fakeWorld({ isTerminal: true, answers: [{ kind: 'confirm', asks: 'Continue?', says }] }),
      env: world.env,
      homeDir: world.homeDir,
    }) as FakeWorld;
  const asked = async (argv: readonly string[]) => {
    const terminal = asking();
    expect(
      await main(
        argv.filter((word) => word !== '--yes'),
        terminal,
      ),
      terminal.stderr.text(),
    ).toBe(9);
    return terminal.stderr.text().replace(/\s+/g, ' ');
  };

  test.each([
    ['an order', () => add('sell', '1.4', '500'), '99.8% below the market price'],
    ['an order that buys', () => add('buy', '140000', '500'), 'above the market price'],
  ])('%s at a mistyped price has a warning, whether or not there is a rule', async (_what, argv, warning) => {
    expect(await asked(argv())).toContain(warning);
  });

  test('an update and a trade have it too', async () => {
    await run(...add('sell', '1400', '5000'));
    const orderId = await ownOrder();
    expect(await asked(update(orderId, '--price', '1'))).toContain('99.9% below the market price');
    expect(await asked(trade('buy'))).not.toContain('market price');
  });

  test('a price near the market has none', async () => {
    expect(await asked(add('sell', '1400', '500'))).not.toContain('warning');
  });

  test('an order says that it stays, and what it may spend', async () => {
    const shown = await asked(add('buy', '1400', '500'));
    expect(shown).toContain('stays until you cancel it; it may spend your whole balance of cNGN, trade by trade');
    expect(shown).toMatch(/balance [\d,.]+ cNGN; the order may spend all of it, at most 500\.00 cNGN per trade/);
  });
});
