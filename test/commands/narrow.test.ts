import { describe, expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { type FakeWorld, fakeWorld } from '../support/world.ts';

/** Runs a command on a terminal of this width. */
async function run(world: FakeWorld, columns: number, ...argv: readonly string[]) {
  const [out, err] = [world.stdout.text().length, world.stderr.text().length];
  const stdout = { ...world.stdout, isTerminal: true, columns };
  const code = await main([...argv, '--no-color'], { ...world, stdout });
  return { code, stdout: world.stdout.text().slice(out), stderr: world.stderr.text().slice(err) };
}

async function json(world: FakeWorld, ...argv: readonly string[]) {
  const before = world.stdout.text().length;
  await main([...argv, '-q', '-o', 'json'], world);
  return JSON.parse(world.stdout.text().slice(before));
}

/** A sandbox with a completed onramp, and one that waits for its payment. */
async function withOnramps() {
  const world = fakeWorld();
  await json(world, 'sandbox', 'seed', '--users', '1', '--rate-limits', 'off');
  const { users } = await json(world, 'users', 'list');
  const start = () => json(world, 'onramp', 'create', users[0].userId, '--amount', '7000', '--yes');
  const paid = await start();
  await json(world, 'sandbox', 'pay', paid.accountNumber, '--amount', '7140', '--sender', 'A LONG NAME OF A SENDER');
  await json(world, 'sandbox', 'settle');
  return { world, paid, open: await start() };
}

describe('a list on a narrow terminal', () => {
  test.each([
    [80, ''],
    [60, ''],
    [40, 'no room for: Type; to see it: --fields type, or -o json\n'],
  ])('of %d columns has the id of each row and says which columns it lacks', async (columns, notice) => {
    const { world } = await withOnramps();
    const [{ id }] = (await json(world, 'history', 'deposits')).deposits;
    const { stdout, stderr } = await run(world, columns, 'history', 'deposits');
    expect(stdout).toContain(id);
    expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([]);
    expect(stderr).toBe(`profile sandbox · embedded sandbox\n${notice}`);
    expect((await run(world, columns, 'history', 'deposits', '-q')).stderr).toBe('');
  });

  test('shortens a long id in a sentence, and no id that stands alone', async () => {
    const { world, paid } = await withOnramps();
    const { stdout } = await run(world, 40, 'ops', 'list');
    expect(stdout.split('\n').filter((line) => line.length > 40)).toEqual([]);
    expect(stdout).toMatch(/^ {2}[\da-f]{19}…[\da-f]{18}$/m);
    const { users } = await json(world, 'users', 'list');
    expect((await run(world, 40, 'users', 'list')).stdout).toContain(users[0].userId);
    expect(paid.requestId).not.toBe('');
  });
});

/** The column that answers the question of a command. */
const ANSWERS: readonly (readonly [words: string, title: string])[] = [
  ['report pending', 'Waiting for'],
  ['history deposits', 'From'],
  ['history payouts', 'To'],
  ['onramp list', 'From'],
  ['ops list', 'Summary'],
];

test.each([40, 60, 80, 120])('at %d columns, a list has the column that answers its question', async (columns) => {
  const { world } = await withOnramps();
  const [{ accountId }] = (await json(world, 'bank-accounts', 'list')).accounts;
  await json(world, 'payout', 'create', '--amount', '1000', '--to', accountId, '--yes');
  await json(world, 'sync');
  const lacking: string[] = [];
  for (const [words, title] of ANSWERS) {
    const { stdout } = await run(world, columns, ...words.split(' '));
    if (!new RegExp(`(^|  )${title}(  |$)`, 'm').test(stdout)) lacking.push(`${words}: ${title}\n${stdout}`);
  }
  expect(lacking).toEqual([]);
});

describe('onramp status', () => {
  test('onramp list shows what onramp status takes', async () => {
    const { world, paid } = await withOnramps();
    const { stdout } = await run(world, 80, 'onramp', 'list');
    const [, wallet = ''] = /^(0x[\da-f]{40})/m.exec(stdout) ?? [];
    expect((await json(world, 'onramp', 'status', wallet)).requestId).toBe(paid.requestId);
  });

  test('says what to give instead of the id of a deposit', async () => {
    const { world } = await withOnramps();
    const [{ id }] = (await json(world, 'onramp', 'list')).deposits;
    const { code, stderr } = await run(world, 80, 'onramp', 'status', id);
    expect({ code, stderr: stderr.replace(/\s+/g, ' ') }).toEqual({
      code: 3,
      stderr: expect.stringContaining('or the wallet that fiatrail onramp list shows'),
    });
  });

  test('says each thing once, and first the account to pay while it is due', async () => {
    const { world, paid, open } = await withOnramps();
    const ended = await run(world, 80, 'onramp', 'status', paid.requestId);
    const lines = ended.stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThan(16);
    const values = lines.map((line) => line.split(/ {2,}/)[1] ?? '').filter((value) => /^(0x|\d.*cNGN)/.test(value));
    expect(values.length).toBe(3);
    expect(new Set(values).size).toBe(3);
    expect(ended.stdout).not.toContain(paid.accountNumber);
    const due = await run(world, 80, 'onramp', 'status', open.requestId);
    expect(due.stdout.split('\n')[2]).toMatch(new RegExp(`^Account number +${open.accountNumber}$`));
    const whole = await json(world, 'onramp', 'status', paid.requestId);
    expect(whole.wallet.virtualAccountDetails.accountNumber).toBe(paid.accountNumber);
  });
});
