import { expect, test } from 'vitest';
import { main } from '../../../src/main.ts';
import { journalRows } from '../../support/journal.ts';
import { type FakeWorld, fakeWorld } from '../../support/world.ts';

async function run(world: FakeWorld, ...argv: readonly string[]) {
  const [out, err] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main([...argv, '--yes'], world);
  return { code, stdout: world.stdout.text().slice(out), stderr: world.stderr.text().slice(err) };
}

/** A sandbox with two fee withdrawals that the service has ended since, and one that is pending. */
async function withEnded(): Promise<FakeWorld> {
  const world = fakeWorld();
  for (const amount of ['500', '600'])
    expect((await run(world, 'fees', 'withdraw', '--amount', amount, '--to', 'default', '-q')).code).toBe(0);
  await run(world, 'sandbox', 'settle', '-q');
  expect((await run(world, 'fees', 'withdraw', '--amount', '700', '--to', 'default', '-q')).code).toBe(0);
  expect(statesIn(world)).toEqual(['accepted', 'accepted', 'accepted']);
  return world;
}

const statesIn = (world: FakeWorld) => journalRows(world.stateDir).map(({ state }) => state);

test('ops resume --all carries into the journal what has ended, and waits for nothing', async () => {
  const world = await withEnded();
  const { code, stdout } = await run(world, 'ops', 'resume', '--all', '-q', '-o', 'json');
  const { operations } = JSON.parse(stdout) as { operations: { state: string }[] };
  expect({ code, states: operations.map(({ state }) => state) }).toEqual({
    code: 0,
    states: ['settled', 'settled', 'accepted'],
  });
  expect(statesIn(world)).toEqual(['settled', 'settled', 'accepted']);
  expect((await run(world, 'ops', 'journal', 'verify', '-q')).code).toBe(0);
});

test('a status that cannot be read is read the next time', async () => {
  const world = await withEnded();
  await run(
    world,
    'sandbox',
    'fault',
    'add',
    '--on',
    'fees.verify-withdrawal',
    '--fault',
    'http-500',
    '--times',
    '1000',
    '-q',
  );
  const { code, stderr } = await run(world, 'ops', 'resume', '--all', '--timeout', '1s');
  expect(code).toBe(5);
  expect(stderr).toMatch(/the status of 3 of 3 operations cannot be read/);
  expect(statesIn(world)).toEqual(['accepted', 'accepted', 'accepted']);
  await run(world, 'sandbox', 'fault', 'clear', '-q');
  expect((await run(world, 'ops', 'resume', '--all', '-q')).code).toBe(0);
  expect(statesIn(world)).toEqual(['settled', 'settled', 'accepted']);
});

test.each([
  [['--all', 'some-id'], '--all cannot be combined'],
  [['--all', '--wait', '5m'], '--all cannot be combined'],
  [[], 'missing <operation-id> or --all: '],
])('ops resume %j is a usage error', async (argv, message) => {
  const { code, stderr } = await run(fakeWorld(), 'ops', 'resume', ...argv);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
});

test('a quiet job that finds nothing prints nothing', async () => {
  const world = fakeWorld();
  expect(await run(world, 'ops', 'reconcile', '--all', '-q')).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await run(world, 'ops', 'resume', '--all', '-q')).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await run(world, 'ops', 'resume', '--all')).stdout).toContain('(none)');
});
