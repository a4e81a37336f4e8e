import { expect, test } from 'vitest';
import { main } from '../../../src/main.ts';
import { journalRows, rewriteJournal } from '../../support/journal.ts';
import { type FakeWorld, fakeWorld } from '../../support/world.ts';

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

async function run(world: FakeWorld, ...argv: readonly string[]) {
  const [out, err] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main([...argv, '--yes'], world);
  return { code, stdout: world.stdout.text().slice(out), stderr: world.stderr.text().slice(err) };
}

const statesIn = (world: FakeWorld) => journalRows(world.stateDir).map(({ state }) => state);

/** A sandbox where two withdrawals of fees and a transfer have ended unnoticed, and a third withdrawal is pending. */
async function withEnded(): Promise<FakeWorld> {
  const world = fakeWorld();
  const fees = (amount: string) => run(world, 'fees', 'withdraw', '--amount', amount, '--to', 'default', '-q');
  await run(world, 'wallets', 'external', 'add', ADDRESS, '--network', 'base', '-q', '--yes');
  await run(world, 'transfers', 'create', '--amount', '50', '--token', 'CNGN', '--to', ADDRESS, '-q');
  await fees('500');
  await fees('600');
  await run(world, 'sandbox', 'settle', '-q');
  await fees('700');
  expect(statesIn(world)).toEqual(['accepted', 'accepted', 'accepted', 'accepted']);
  return world;
}

test('ops list --refresh asks once how each accepted operation is, and says how many it asked about', async () => {
  const world = await withEnded();
  const { code, stdout, stderr } = await run(world, 'ops', 'list', '--refresh', '--status', 'accepted', '-o', 'json');
  const { operations } = JSON.parse(stdout) as { operations: { summary: string }[] };
  expect({ code, stderr, open: operations.map(({ summary }) => summary) }).toEqual({
    code: 0,
    stderr: expect.stringContaining('the service was asked how 4 operations are; 3 ended since the last look'),
    open: [expect.stringContaining('700')],
  });
  expect(statesIn(world)).toEqual(['settled', 'settled', 'settled', 'accepted']);
  expect((await run(world, 'ops', 'journal', 'verify', '-q')).code).toBe(0);
  const again = await run(world, 'ops', 'list', '--refresh');
  expect(again.stderr).toContain('the service was asked how 1 operation is; 0 ended');
});

test('only what the filter selects is asked about', async () => {
  const world = await withEnded();
  const { stderr } = await run(world, 'ops', 'list', '--refresh', '--kind', 'onboarding');
  expect(stderr).toContain('the service was asked how 0 operations are');
  expect(statesIn(world)).toEqual(['accepted', 'accepted', 'accepted', 'accepted']);
});

test('a status that cannot be read ends the list with 5, and the list is printed', async () => {
  const world = await withEnded();
  const fault = ['--on', 'fees.verify-withdrawal', '--fault', 'http-500', '--times', '1000'];
  await run(world, 'sandbox', 'fault', 'add', ...fault, '-q');
  const { code, stdout, stderr } = await run(world, 'ops', 'list', '--refresh', '--timeout', '1s', '-o', 'json');
  expect({ code, stderr }).toEqual({
    code: 5,
    stderr: expect.stringContaining('the status of 3 of 4 operations cannot be read'),
  });
  expect((JSON.parse(stdout) as { operations: unknown[] }).operations).toHaveLength(4);
  expect(statesIn(world)).toEqual(['settled', 'accepted', 'accepted', 'accepted']);
});

test('the operations of another profile of the account are asked about too', async () => {
  const world = await withEnded();
  await run(world, 'profiles', 'add', 'second', '--mode', 'embedded', '-q');
  const { stderr } = await run(world, 'ops', 'list', '--refresh', '--profile', 'second');
  expect(stderr).toContain('the service was asked how 4 operations are; 3 ended since the last look');
});

test.each([
  ['a removal', ['wallets', 'external', 'remove', ADDRESS], 'wallets.remove-external'],
  [
    'an order',
    ['fx', 'orders', 'create', ...'--pair CNGN-USDC --side buy --price 1390 --max 4000 --min 2000'.split(' ')],
    'fx.create-order',
  ],
])('%s has ended when the service accepts it', async (_, argv, endpoint) => {
  const world = fakeWorld();
  await run(world, 'wallets', 'external', 'add', ADDRESS, '--network', 'base', '-q', '--yes');
  expect((await run(world, ...argv)).code).toBe(0);
  expect(journalRows(world.stateDir).map((row) => [row.endpoint, row.state])).toEqual([[endpoint, 'settled']]);
});

test.each([
  [['ops', 'list', '--refresh'], 'the service was asked how 0 operations are; 1 ended'],
  [['ops', 'resume', '--all'], ''],
])('%j ends a removal whose end was not recorded', async (argv, said) => {
  const world = fakeWorld();
  await run(world, 'wallets', 'external', 'add', ADDRESS, '--network', 'base', '-q', '--yes');
  await run(world, 'wallets', 'external', 'remove', ADDRESS, '-q');
  rewriteJournal(world, (database) => {
    database.exec("UPDATE entry SET state = 'accepted' WHERE state = 'settled'");
    database.exec("UPDATE operation SET state = 'accepted'");
  });
  expect(await run(world, ...argv)).toMatchObject({ code: 0, stderr: expect.stringContaining(said) });
  expect(statesIn(world)).toEqual(['settled']);
});

test('a rotation of a key is not ended by a look at it', async () => {
  const world = fakeWorld();
  await run(world, 'wallets', 'external', 'add', ADDRESS, '--network', 'base', '-q', '--yes');
  await run(world, 'wallets', 'external', 'remove', ADDRESS, '-q');
  rewriteJournal(world, (database) => {
    database.exec("UPDATE entry SET state = 'accepted' WHERE state = 'settled'");
    database.exec("UPDATE operation SET state = 'accepted', endpoint = 'management.regenerate-api-key'");
  });
  await run(world, 'ops', 'resume', '--all', '-q');
  expect(statesIn(world)).toEqual(['accepted']);
});
