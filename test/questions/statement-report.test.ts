import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { UNLISTED } from '../../src/copy/schema.ts';
import { type Moment, type SimulatedAccount, simulatedAccount, truthIn } from '../copy/ledger.ts';
import { ACCOUNT, type FakeWorld, fakeWorld } from '../support/world.ts';
import { copied, deposit, payout, USER } from './copy.ts';
import { json, run } from './reports.ts';

interface Figure {
  readonly value: string | null;
  readonly asset: string;
  readonly known?: { readonly is: string; readonly why: string };
}

interface Statement {
  readonly balances: readonly (Record<'opening' | 'in' | 'out' | 'closing', Figure> & { readonly asset: string })[];
  readonly rows: readonly { readonly asset: string; readonly amount: Figure; readonly balance: Figure }[];
}

const naira = (value: string) => ({ value, asset: 'NGN' });

const DECIMALS: Readonly<Record<string, number>> = { NGN: 2, CNGN: 6, USDC: 6, USDT: 6 };
const minor = ({ value, asset }: Figure) => {
  const [whole = '', part = ''] = String(value).split('.');
  return BigInt(whole + part.padEnd(DECIMALS[asset] ?? 0, '0'));
};
const isExact = ({ known }: Figure) => known === undefined;

/** Expects that opening and rows are closing, and that each row’s balance is the one before and the row. Returns how many were compared. */
function expectAddsUp({ balances, rows }: Statement, what: string): number {
  let count = 0;
  for (const { asset, opening, closing, in: came, out } of balances) {
    const own = rows.filter((row) => row.asset === asset);
    if (![opening, closing, ...own.map(({ amount }) => amount)].every(isExact)) continue;
    let left = minor(opening);
    for (const row of own) {
      left += minor(row.amount);
      expect(isExact(row.balance) ? minor(row.balance) : left, what).toBe(left);
    }
    expect(minor(closing), `${what} ${asset}`).toBe(left);
    expect(minor(opening) + minor(came) + minor(out)).toBe(left);
    count += 1;
  }
  return count;
}

const statement = async ({ world }: SimulatedAccount, ...words: string[]): Promise<Statement> =>
  json(world, 'report', 'statement', ...words);

/** What the sandbox’s books have of an account’s own at a moment. */
const ownAt = ({ sums }: Moment, asset: string) =>
  asset === 'NGN'
    ? (sums['assets:fees NGN'] ?? 0n)
    : (sums[`assets:wallet ${asset}`] ?? 0n) + (sums[`assets:vault ${asset}`] ?? 0n);

test('opening and rows are closing on each simulated day, and both are what the sandbox’s books say', async () => {
  const account = await simulatedAccount({ seed: 11, users: 20, days: 5 });
  await account.run('sync');
  const moments: Moment[] = [];
  for (let day = 0; day < 5; day++) {
    moments.push(await account.live());
    await account.run('sync');
  }
  let compared = 0;
  for (const [index, moment] of moments.entries()) {
    const next = moments[index + 1];
    if (!next) continue;
    // What happens at the moment itself is of the period before it.
    const since = new Date(Date.parse(moment.at) + 1).toISOString();
    const found = await statement(
      account,
      '--since',
      since,
      '--until',
      new Date(Date.parse(next.at) + 1).toISOString(),
    );
    compared += expectAddsUp(found, since);
    for (const { asset, opening, closing } of found.balances) {
      if (isExact(opening)) expect(minor(opening), `opening ${since} ${asset}`).toBe(ownAt(moment, asset));
      if (isExact(closing)) expect(minor(closing), `closing ${next.at} ${asset}`).toBe(ownAt(next, asset));
    }
  }
  expect(compared).toBeGreaterThan(12);
});

test('a user’s statement is what the user’s wallets held at any time, once they were read', async () => {
  const account = await simulatedAccount({ seed: 12, users: 24, days: 8 });
  await account.run('sync');
  const before = truthIn(account.sandboxPath);
  const moments: Moment[] = [];
  for (let day = 0; day < 8; day++) moments.push(await account.live());
  await account.run('sync');
  await account.run('report', 'owed', '--max-age', '0');
  const { users } = await json(account.world, 'users', 'list', '--all');
  let compared = 0;
  const middle = moments.at(-2);
  if (!middle) throw new Error('no day');
  for (const { userId } of users as { userId: string }[]) {
    const until = new Date(Date.parse(middle.at) + 1).toISOString();
    const found = await statement(account, userId, '--since', '60d', '--until', until);
    compared += expectAddsUp(found, userId);
    for (const { asset, closing } of found.balances) {
      const name = `liabilities:users:${userId} ${asset}`;
      const owed = (before[name] ?? 0n) - (middle.sums[name] ?? 0n);
      // What is under way is owed, and no longer held.
      if (isExact(closing)) expect(minor(closing) <= owed, `${userId} ${asset}`).toBe(true);
    }
  }
  expect(compared).toBeGreaterThan(5);
  const held = async (userId: string, token: string) =>
    minor((await json(account.world, 'balances', 'user', userId, '--token', token)).totalBalance);
  for (const { userId } of users as { userId: string }[])
    for (const { asset, closing } of (await statement(account, userId, '--since', '60d')).balances)
      expect([closing.known, minor(closing)]).toEqual([undefined, await held(userId, asset)]);
});

test('nothing says what a user has whose wallets were never read, and a bank account has what was paid out to it', async () => {
  const world = fakeWorld({ env: ACCOUNT });
  const bank = { accountId: 'bank-1', accountName: 'BOLA EZE', accountNumber: '0123456789', bankCode: null };
  const other = { bankAccount: { accountName: 'ADA OBI', accountNumber: '0000000001' } };
  const deposits = [
    {
      id: 'd1',
      type: 'user_onramp',
      userId: USER.userId,
      status: 'completed',
      amount: { value: '5100.00', asset: 'NGN' },
      fundingAmount: { value: '5000.00', asset: 'NGN' },
      createdAt: '2026-01-04T09:00:00.000Z',
      completedAt: '2026-01-04T09:01:00.000Z',
    },
  ];
  await copied(world, { users: [USER], bank_accounts: [bank], payouts: [payout('p1'), payout('p2', other)], deposits });
  const user: Statement = await json(world, 'report', 'statement', USER.userId);
  expect(user.balances).toMatchObject([
    {
      asset: 'CNGN',
      in: { value: '5000.000000' },
      closing: { value: null, known: { is: 'no', why: 'NOT_READ' } },
    },
  ]);
  expect((await run(world, 'report', 'statement', USER.userId, '--complete')).code).toBe(9);
  const paid: Statement = await json(world, 'report', 'statement', 'bank-1');
  expect(paid.rows).toMatchObject([{ id: 'p1', amount: { value: '700.00' }, balance: { value: '700.00' } }]);
});

/** Puts what was read into the local copy. */
function read(world: FakeWorld, ...statements: string[]): void {
  const database = new DatabaseSync(join(world.stateDir, 'copy-environment.db'));
  for (const sql of statements) database.exec(sql);
  database.close();
}

/** The balances at a time, and what a sync notes of them as an entry. */
const looked = (day: string, step: 'opening' | 'unlisted', minor: string) =>
  `INSERT INTO stored_balance_checks VALUES ('2026-01-${day}T08:00:00.000Z');
   INSERT INTO ${UNLISTED.name} (at, account, asset, user_id, step, minor, since)
     VALUES ('2026-01-${day}T08:00:00.000Z', 'assets:wallet', 'CNGN', '', '${step}', ${minor}, '2026-01-${day}T08:00:00.000Z')`;

const closingAt = async (world: FakeWorld, of: string, until: string) => {
  const { balances, rows }: Statement = await json(
    world,
    'report',
    'statement',
    of,
    '--since',
    '2026-01-02',
    '--until',
    until,
  );
  return { rows, opening: balances[0]?.opening, closing: balances[0]?.closing };
};

test('a balance is what was read and the rows since; it is not known before the first reading, or after a row without an amount', async () => {
  const world = fakeWorld({ env: ACCOUNT });
  const lacking = payout('p1', { amount: null, createdAt: '2026-01-04T10:00:00.000Z' });
  await copied(world, {
    payouts: [
      lacking,
      payout('p2', {
        createdAt: '2026-01-03T10:00:00.000Z',
        completedAt: null,
        status: 'processing',
        totalDeducted: naira('710.00'),
      }),
    ],
  });
  read(world, looked('03', 'opening', '1000000000'), looked('05', 'unlisted', '-190000000'));
  expect(await closingAt(world, 'CNGN', '2026-01-03T09:00:00Z')).toMatchObject({
    opening: { value: null, known: { is: 'no', why: 'BEFORE_FIRST_SYNC', since: '2026-01-03T08:00:00.000Z' } },
    closing: { value: '1000.000000' },
  });
  expect(await closingAt(world, 'CNGN', '2026-01-04T09:00:00Z')).toMatchObject({ closing: { value: '290.000000' } });
  expect((await closingAt(world, 'CNGN', '2026-01-04T11:00:00Z')).closing).toMatchObject({
    value: null,
    known: { is: 'no' },
  });
  const whole = await closingAt(world, 'CNGN', '2026-01-05T08:30:00Z');
  expect(whole.closing).toEqual({ value: '100.000000', asset: 'CNGN' });
  expect(whole.rows).toMatchObject([
    { step: 'opening', balance: { value: '1000.000000' } },
    { id: 'p2', amount: { value: '-710.000000' } },
    { id: 'p1', amount: { value: null }, balance: { value: null } },
    { id: null, thing: null, amount: { value: '-190.000000' }, balance: { value: '100.000000' } },
  ]);
  const period = ['--since', '2026-01-02', '--until', '2026-01-05T08:30:00Z'];
  const { rows } = await json(world, 'report', 'statement', 'CNGN', ...period, '--rows', 'out');
  const ids = rows.map(({ id, step }: { id: string; step: string }) => `${step} ${id}`);
  expect(ids).toEqual(expect.arrayContaining(['taken p1', 'taken p2']));
});

test('what a user’s wallets have besides what the lists show was there at an unknown time before it was read', async () => {
  const world = fakeWorld({ env: ACCOUNT });
  const funded = { fundingAmount: naira('5000.00'), platformFee: naira('75.00') };
  await copied(world, { users: [USER], deposits: [deposit('d1', funded)] });
  read(world, `INSERT INTO stored_owed VALUES ('${USER.userId}', 'CNGN', 6000000000, '2026-01-05T08:00:00.000Z')`);
  expect((await closingAt(world, USER.userId, '2026-01-04T12:00:00Z')).closing).toEqual({
    value: null,
    asset: 'CNGN',
    known: { is: 'no', why: 'UNLISTED', since: '2026-01-05T08:00:00.000Z' },
  });
  const later = await closingAt(world, USER.userId, '2026-01-05T08:30:00Z');
  expect(later.closing).toEqual({ value: '6000.000000', asset: 'CNGN' });
  expect(later.rows).toMatchObject([{ id: 'd1' }, { thing: null, amount: { value: '1000.000000' } }]);
  const period = ['--since', '2026-01-02', '--until', '2026-01-05T08:30:00Z'];
  for (const figure of ['in', 'closing']) {
    const { rows } = await json(world, 'report', 'statement', USER.userId, ...period, '--rows', figure);
    expect(rows).toMatchObject([
      { id: 'd1', amount: { value: '5000.000000' } },
      { thing: 'balance', step: 'unlisted', amount: { value: '1000.000000' } },
    ]);
  }
});

test.each([
  [['nobody'], 3, 'the copy has no user or bank account "nobody"'],
  [['account', 'soon'], 2, 'invalid period "soon"'],
  [['--replace'], 2, '--replace needs --html'],
  [['account', 'last month', '--since', '2d'], 2, 'cannot be combined'],
])('%j is refused with a sentence', async (args, code, text) => {
  const world = fakeWorld({ env: ACCOUNT });
  await copied(world, {});
  expect(await run(world, 'report', 'statement', ...args)).toMatchObject({
    code,
    stderr: expect.stringContaining(text),
  });
});

test('the page has every row, escapes what comes from outside, loads nothing, and replaces no file unasked', async () => {
  const world = fakeWorld({ env: ACCOUNT });
  const evil = { bankAccount: { accountName: '<script>alert(1)</script>', accountNumber: '0123456789' } };
  const bank = { accountId: 'bank-1', accountName: 'BOLA "EZE" <b>', accountNumber: '0123456789', bankCode: null };
  await copied(world, { bank_accounts: [bank], payouts: [payout('p1', evil)] });
  const file = join(world.stateDir, 'statement.html');
  const written = await run(world, 'report', 'statement', 'bank-1', '--html', file);
  expect(written.code, written.stderr).toBe(0);
  const page = readFileSync(file, 'utf8');
  expect(page).toContain('p1');
  expect(page).toContain('&lt;script&gt;');
  expect(page).not.toMatch(/<script|<img|<link|src=|https?:/);
  const again = await run(world, 'report', 'statement', 'bank-1', '--html', file);
  expect([again.code, again.stdout]).toEqual([2, '']);
  expect(readFileSync(file, 'utf8')).toBe(page);
  expect((await run(world, 'report', 'statement', 'bank-1', '--html', file, '--replace')).code).toBe(0);
  // A page has no handles, and a dry run writes nothing.
  const none = join(world.stateDir, 'none.html');
  const drawn = ['report', 'statement', 'bank-1', '--html', none];
  const masked = await run(world, ...drawn, '--mask');
  expect([masked.code, masked.stderr]).toEqual([2, expect.stringContaining('--mask')]);
  expect((await run(world, ...drawn, '--dry-run')).code).toBe(0);
  expect(existsSync(none)).toBe(false);
});
