import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { type Moment, simulatedAccount, truthIn } from '../copy/ledger.ts';
import { ACCOUNT, type FakeWorld, fakeWorld } from '../support/world.ts';
import { worldAfter } from '../support/world-after.ts';
import { copied, deposit, USER } from './copy.ts';
import { HOUR_MS, json, MINUTE_MS, must, pass, run } from './reports.ts';

const withUsers = worldAfter(
  async (world) => {
    await must(world, 'sandbox', 'seed', '--users', '6', '--rate-limits', 'off', '--pace', 'quick');
    const { users } = await json(world, 'users', 'list', '--all');
    const ids = (users as { userId: string; firstName: string; lastName: string }[]).map(({ userId }) => userId);
    for (const id of ids) await fund(world, id, 1000);
    await must(world, 'sync');
    await pass(world, MINUTE_MS);
    return ids;
  },
  Date.UTC(2026, 10, 2, 9),
);

/** An account with some users, of whom each has an onramp behind it. */
async function account() {
  const { world, made: ids } = await withUsers();
  return { world, ids };
}

async function fund(world: FakeWorld, user: string, naira: number): Promise<void> {
  const { accountNumber, accountName, totalAmountWithFee, feeBreakdown } = await json(
    world,
    'onramp',
    'create',
    user,
    '--amount',
    String(naira),
    '--yes',
  );
  const total = totalAmountWithFee ?? feeBreakdown.totalAmount;
  const sender = String(accountName).replace(/^.*\//, '');
  await must(world, 'sandbox', 'pay', accountNumber, '--amount', String(total.value), '--sender', sender);
  await pass(world, 30 * MINUTE_MS);
}

const owed = (world: FakeWorld, ...more: string[]) => json(world, 'report', 'owed', ...more);

/** What the users hold by their own balances. */
async function held(world: FakeWorld, ids: readonly string[]): Promise<bigint> {
  let sum = 0n;
  for (const id of ids) sum += BigInt((await json(world, 'balances', 'user', id)).totalBalance.value.replace('.', ''));
  return sum;
}

const cngnIn = (data: { owed: { asset: string; amount: { value: string } }[] }) =>
  BigInt(data.owed.find(({ asset }) => asset === 'CNGN')?.amount.value.replace('.', '') ?? '0');

test('reads again only who moved money since, and is then what the users hold', async () => {
  const { world, ids } = await account();
  const first = await owed(world);
  expect(first).toMatchObject({ users: 6, read: 6, unowned: 0 });
  expect(cngnIn(first)).toBe(await held(world, ids));
  await pass(world, HOUR_MS);
  expect(await owed(world)).toMatchObject({ read: 0, asOf: first.asOf });
  await fund(world, ids[2] ?? '', 5000);
  await fund(world, ids[4] ?? '', 700);
  await must(world, 'sync');
  const second = await owed(world);
  expect(second).toMatchObject({ users: 6, read: 2, asOf: first.asOf });
  expect(cngnIn(second)).toBe(await held(world, ids));
  expect(cngnIn(second)).toBeGreaterThan(cngnIn(first));
  const rows = (await owed(world, '--by', 'user')).owed as { user: string; asOf: string }[];
  const late = rows.filter(({ asOf }) => asOf > String(first.syncedAt)).map(({ user }) => user);
  expect(late).toEqual(expect.arrayContaining([ids[2], ids[4]]));
});

test('reads again what is older than --max-age, and everyone with 0', async () => {
  const { world } = await account();
  await owed(world);
  await pass(world, 2 * HOUR_MS);
  expect(await owed(world, '--max-age', '3h')).toMatchObject({ read: 0 });
  expect(await owed(world, '--max-age', '1h')).toMatchObject({ read: 6 });
  expect(await owed(world, '--max-age', '1h')).toMatchObject({ read: 0 });
  expect(await owed(world, '--max-age', '0')).toMatchObject({ read: 6 });
});

test('waits for the rate limit, however often it is reached, and says how far it is and how long the rest takes', async () => {
  const { world } = await account();
  await must(world, 'sandbox', 'seed', '--rate-limits', 'on');
  await owed(world);
  const [before, errors] = [world.clock.now(), world.stderr.text().length];
  // As many requests as the limit of a minute allows were sent for the first half.
  expect(await main(['report', 'owed', '--max-age', '0', '--timeout', '5s', '-o', 'json'], world)).toBe(0);
  expect(world.clock.now() - before).toBeGreaterThanOrEqual(MINUTE_MS / 2);
  expect(world.stderr.text().slice(errors)).toMatch(
    /\d of 6 users · \d+ (?:s|min) left · rate limit: next request in \d+ s/,
  );
});

test('a user with work under way is read again', async () => {
  const { world, ids } = await account();
  await owed(world);
  await must(world, 'sandbox', 'seed', '--pace', 'real');
  const args = ['--amount', '500', '--bank-code', '000013', '--account-number', '0000000009', '--yes'];
  await must(world, 'offramp', 'create', ids[1] ?? '', ...args);
  await must(world, 'sync');
  await pass(world, 1000);
  expect(await owed(world)).toMatchObject({ read: 1 });
  await pass(world, 1000);
  expect(await owed(world)).toMatchObject({ read: 1 });
});

test('what was owed at the end of a day is what the sandbox’s books had then, for all users together and for each', async () => {
  const account = await simulatedAccount({ seed: 31, users: 24, days: 6 });
  await account.run('sync');
  const before = truthIn(account.sandboxPath);
  const moments: Moment[] = [];
  for (let day = 0; day < 6; day++) moments.push(await account.live());
  await account.run('sync');
  const unread = await json(account.world, 'report', 'owed', '--at', moments.at(-1)?.at ?? '');
  expect(unread.owed[0]).toMatchObject({ amount: { value: null, known: { is: 'no', why: 'NOT_READ' } } });
  await account.run('report', 'owed', '--max-age', '0');
  for (const moment of moments.slice(2)) {
    const { owed: rows } = await json(account.world, 'report', 'owed', '--at', moment.at);
    const { owed: users } = await json(account.world, 'report', 'owed', '--at', moment.at, '--by', 'user');
    for (const { asset, amount } of rows as { asset: string; amount: { value: string; known?: object } }[]) {
      if (amount.known) continue;
      const [now, then] = [moment.sums, before].map((sums) => sums[`assets:held ${asset}`] ?? 0n) as [bigint, bigint];
      expect(BigInt(amount.value.replace('.', '')), `${moment.at} ${asset}`).toBe(now - then);
      const own = (users as typeof rows).filter((row: { asset: string }) => row.asset === asset);
      const sum = own.reduce(
        (all: bigint, row: { amount: { value: string } }) => all + BigInt(row.amount.value.replace('.', '')),
        0n,
      );
      expect(sum).toBe(now - then);
    }
    expect(rows.filter(({ amount }: { amount: { known?: object } }) => !amount.known).length).toBeGreaterThan(0);
  }
});

test.each([
  [['--at', '2030-01-01'], 'in the future'],
  [['--at', 'yesterday', '--max-age', '1h'], 'no --max-age'],
  [['--at', 'soon'], 'invalid date'],
])('%j is refused', async (args, text) => {
  const { world } = await account();
  const { code, stderr } = await run(world, 'report', 'owed', ...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(text)]);
});

test('what wallets have besides what the lists show was there at an unknown time before it was read', async () => {
  const readAs = async (minor: string, at: string) => {
    const world = fakeWorld({ env: ACCOUNT });
    const funded = { fundingAmount: { value: '5000.00', asset: 'NGN' }, platformFee: { value: '75.00', asset: 'NGN' } };
    await copied(world, { users: [USER], deposits: [deposit('d1', funded)] });
    const database = new DatabaseSync(join(world.stateDir, 'copy-environment.db'));
    database.exec(`INSERT INTO stored_owed VALUES ('${USER.userId}', 'CNGN', ${minor}, '2026-01-05T08:00:00.000Z')`);
    database.close();
    return (await json(world, 'report', 'owed', '--at', at)).owed[0].amount;
  };
  const [before, then, after] = ['2026-01-04T12:00:00Z', '2026-01-05T08:00:00Z', '2026-01-05T08:30:00Z'];
  expect(await readAs('6000000000', then)).toEqual({ value: '6000.000000', asset: 'CNGN' });
  // More may have come since.
  expect(await readAs('6000000000', after)).toMatchObject({ value: null, known: { is: 'no', why: 'NOT_READ' } });
  // What came in no list may have come after as much had gone in none.
  for (const minor of ['6000000000', '4000000000'])
    expect(await readAs(minor, before)).toMatchObject({ value: null, known: { is: 'no', why: 'UNLISTED' } });
});
