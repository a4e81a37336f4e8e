import { expect, test } from 'vitest';
import { main } from '../../../src/main.ts';
import { fakeWorld } from '../../support/world.ts';

test('the table of an order has no balance whose asset is not known, and JSON has it', async () => {
  const world = fakeWorld();
  const run = async (...argv: readonly string[]) => {
    const before = world.stdout.text().length;
    expect(await main([...argv, '-q'], world), world.stderr.text()).toBe(0);
    return world.stdout.text().slice(before);
  };
  const create = ['fx', 'orders', 'create', '--pair', 'CNGN-USDC', '--side', 'buy', '--price', '1390'];
  const terms = ['--min', '1000', '--max', '5000', '--yes'];
  const { orderId, availableLiquidity } = JSON.parse(await run(...create, ...terms, '-o', 'json'));
  expect(availableLiquidity).toMatchObject({ asset: null });
  const tables = [
    await run(...create, ...terms),
    await run('fx', 'orders', 'pause', orderId, '--yes'),
    await run('fx', 'orders', 'update', orderId, '--price', '1391', '--yes'),
    await run('fx', 'orders', 'resume', orderId, '--yes'),
  ];
  for (const table of tables) {
    expect(table).toMatch(/^Max per trade +5,000\.00 cNGN$/m);
    expect(table).toMatch(/^Status +(active|paused)$/m);
    expect(table).not.toContain('unknown');
  }
});
