import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { FakeWorld } from '../support/world.ts';
import { account, COLD, HOUR_MS, json, MINUTE_MS, minorOf, must, pass, report, run, topUp } from './reports.ts';

const DAY_MS = 24 * HOUR_MS;
const CNGN = 1_000_000n;

const isoNow = ({ clock }: { readonly clock: { now(): number } }) => new Date(clock.now()).toISOString();

/** Runs a statement on the copy itself. */
function inCopy<T>({ stateDir }: { readonly stateDir: string }, sql: string): T[] {
  const database = new DatabaseSync(join(stateDir, 'copy-embedded.db'));
  try {
    return database.prepare(sql).all() as T[];
  } finally {
    database.close();
  }
}

/** Pays out to a new bank account. */
async function payTo(world: FakeWorld, number: string): Promise<void> {
  const account = ['--bank-code', '000013', '--account-number', number];
  const { accountId } = await json(world, 'bank-accounts', 'add', ...account, '--yes');
  await must(world, 'payout', 'create', '--amount', '2000', '--to', accountId, '--yes');
}

describe('an acceptance', () => {
  test('of a month counts in each shorter period, and a later one keeps its own reason', async () => {
    const { world } = await account();
    const starts: string[] = [];
    for (const sum of [25, 7]) {
      await pass(world, DAY_MS);
      starts.push(isoNow(world));
      await topUp(world, sum);
      await pass(world, HOUR_MS);
      await must(world, 'sync');
    }
    const [, second = ''] = starts;
    expect((await report(world)).code).toBe(9);
    await must(world, 'report', 'accept', 'USDC', '--reason', 'both top-ups', '--yes');
    expect((await report(world)).code).toBe(0);
    expect((await report(world, '--since', second)).code).toBe(0);
    expect((await report(world, '--until', second)).code).toBe(0);
    await topUp(world, 3);
    await pass(world, HOUR_MS);
    await must(world, 'sync');
    expect((await report(world)).code).toBe(9);
    await must(world, 'report', 'accept', 'USDC', '--reason', 'the third', '--yes');
    const { differences } = await report(world);
    expect(differences.map(({ amount, reason }) => [amount.value, reason])).toEqual([
      ['25.000000', 'both top-ups'],
      ['7.000000', 'both top-ups'],
      ['3.000000', 'the third'],
    ]);
  });
});

describe('work that crosses the start of a period', () => {
  const countsKnown = { is: 'at least', why: 'END_BETWEEN', rows: 1 };

  test('is a trade that the sync saw pending: nothing says on which side it ended, and it is no difference', async () => {
    const { world } = await account();
    await must(world, 'fx', 'trade', '--pair', 'CNGN-USDC', '--side', 'buy', '--amount', '5000', '--yes');
    await must(world, 'sync');
    await pass(world, 10);
    const middle = isoNow(world);
    await pass(world, HOUR_MS);
    await must(world, 'sync');
    const since = await report(world, '--since', middle);
    const until = await report(world, '--until', middle);
    expect([since.code, since.stderr, until.code]).toEqual([0, '', 0]);
    // It ended between two syncs, and no list says on which side of the start.
    const between = { value: null, known: { why: 'END_BETWEEN' } };
    expect(since.of('USDC')?.traded).toMatchObject(between);
    expect(since.of('CNGN')).toMatchObject({ traded: between, inFlight: between });
    expect(until.of('CNGN')?.inFlight).toMatchObject(between);
    const { kinds } = await json(world, 'report', '--since', middle, '--by', 'kind');
    expect(kinds).toMatchObject([{ kind: 'trades', completed: 0, countsKnown }]);
  });

  test('is a transfer that fails: nothing says on which side its tokens came back', async () => {
    const { world } = await account();
    await must(world, 'transfers', 'create', '--amount', '1601', '--token', 'USDC', '--to', COLD, '--yes', '--again');
    await must(world, 'sync');
    await pass(world, 1_000);
    const middle = isoNow(world);
    await pass(world, HOUR_MS);
    await must(world, 'sync');
    const { code, stderr, of } = await report(world, '--since', middle);
    expect([code, stderr]).toEqual([0, '']);
    const between = { value: null, known: { why: 'END_BETWEEN' } };
    expect(of('USDC')).toMatchObject({ inFlight: between, opening: between, closing: { value: expect.any(String) } });
    const { kinds } = await json(world, 'report', '--since', middle, '--by', 'kind');
    expect(kinds).toMatchObject([{ kind: 'transfers of the account', failed: 0, countsKnown }]);
    expect((await report(world)).code).toBe(0);
  });
});

test('what fails counts in the period in which it failed, however long ago it began', async () => {
  const { world } = await account();
  await must(world, 'transfers', 'create', '--amount', '1601', '--token', 'USDC', '--to', COLD, '--yes', '--again');
  await must(world, 'sync');
  await pass(world, HOUR_MS);
  await must(world, 'sync');
  // As if it had been made long before anyone looked at the balances.
  inCopy(world, "UPDATE stored_withdrawals SET created_at = '2026-01-02T09:00:00.000Z', completed_at = NULL");
  const { kinds } = await json(world, 'report', '--since', '2026-11-01', '--by', 'kind');
  expect(kinds).toMatchObject([{ kind: 'transfers of the account', failed: 1 }]);
  // Until then, it was open for longer than anything that completes.
  const before = await json(world, 'report', '--since', '2026-05-01', '--until', '2026-06-30', '--by', 'kind');
  expect(before.kinds).toMatchObject([{ kind: 'transfers of the account', open: 1 }]);
});

describe('more moments than the database adds up one by one', () => {
  /** An account that moved money of its own, while one of its users paid for an onramp. */
  async function withMoneyOfUsers() {
    const { world, ids, accountNumber } = await account();
    await pass(world, 4 * HOUR_MS);
    const { users } = await json(world, 'users', 'list');
    const [user] = users;
    const payer = ['--sender', `${user.firstName} ${user.lastName}`];
    const onramp = await json(world, 'onramp', 'create', user.userId, '--amount', '5000', '--yes');
    await must(world, 'sandbox', 'pay', onramp.accountNumber, '--amount', onramp.totalAmountWithFee.value, ...payer);
    await must(world, 'sandbox', 'pay', accountNumber, '--amount', '700', '--sender', 'HARMATTAN PAY');
    await must(world, 'transfers', 'create', '--amount', '300', '--token', 'CNGN', '--to', COLD, '--yes');
    // Transfers of this amount fail, and payouts to this account are returned.
    await must(world, 'transfers', 'create', '--amount', '1601', '--token', 'CNGN', '--to', COLD, '--yes');
    await must(world, 'payout', 'create', '--amount', '200', '--to', ids[2] ?? '', '--yes');
    await must(world, 'sandbox', 'settle');
    await pass(world, 4 * HOUR_MS);
    await must(world, 'sync');
    return world;
  }

  const OWN = { in: { value: '700.000000' }, out: { value: '-300.000000' } };

  test('are days: they have the movements of the account, and none of its users', async () => {
    const world = await withMoneyOfUsers();
    const by = async (step: string) => {
      const { parts } = await json(world, 'report', '--since', '2026-06-01', '--by', step);
      return (parts as { asset: string }[]).filter(({ asset }) => asset === 'CNGN');
    };
    const days = await by('day');
    expect(days).toMatchObject([{ day: '2026-11-02', ...OWN, movements: 2, failed: 2 }]);
    // The time that names a part is the only difference.
    const sums = days.map((part) => ({ ...part, day: expect.anything() }));
    expect((await by('month')).map((part) => ({ ...part, day: part }))).toMatchObject(sums);
  });

  test('are looks at the balances: they find nothing that no list shows', async () => {
    const world = await withMoneyOfUsers();
    const before = await report(world);
    // Looks that saw no other balance than the first one.
    inCopy(
      world,
      `WITH RECURSIVE look (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM look WHERE n < 150)
       INSERT INTO stored_balance_checks SELECT strftime('%Y-%m-%dT%H:%M:%fZ', min(at), '+' || n || ' minutes')
       FROM stored_balance_checks, look GROUP BY n`,
    );
    const after = await report(world);
    expect([before.code, after.code, after.stderr]).toEqual([0, 0, '']);
    expect(after.of('CNGN')).toMatchObject(OWN);
    expect(after.assets).toEqual(before.assets);
  });
});

describe('money that stays or comes back', () => {
  test('of an own bridge transfer is neither in nor out; the fee of the bridge is paid', async () => {
    const { world } = await account();
    const { smartWallet } = await json(world, 'wallets', 'show');
    const networks = ['--from-network', 'base', '--to-network', 'bsc'];
    const own = ['--amount', '1000', '--from', smartWallet.address, '--to', smartWallet.address];
    const { receivableAddress } = await json(world, 'bridge', 'create', ...networks, ...own, '--yes');
    await must(world, 'wallets', 'external', 'add', receivableAddress, '--network', 'base', '--label', 'b', '--yes');
    const transfer = ['transfers', 'create', '--amount', '1000', '--token', 'CNGN', '--to', receivableAddress];
    await must(world, ...transfer, '--yes', '--again');
    await pass(world, HOUR_MS);
    await must(world, 'sync');
    const { code, stderr, of } = await report(world);
    expect([code, stderr]).toEqual([0, '']);
    expect(of('CNGN')).toMatchObject({ in: { value: '0.000000' }, out: { value: '0.000000' } });
    expect(of('CNGN')?.fees.value).toBe('-5.000000');
  });

  test('of a payout that was reversed before a sync saw it comes back without its fee', async () => {
    const { world } = await account();
    await must(world, 'bank-accounts', 'add', '--bank-code', '000013', '--account-number', '0000000014', '--yes');
    const { accounts } = await json(world, 'bank-accounts', 'list');
    const own = accounts as { accountId: string; accountNumber: string }[];
    // The first of them fails, and its fee comes back.
    for (const number of ['0000000009', '0000000014']) {
      const to = own.find(({ accountNumber }) => accountNumber === number)?.accountId ?? '';
      await must(world, 'payout', 'create', '--amount', '2000', '--to', to, '--yes', '--again');
    }
    await pass(world, 4 * HOUR_MS);
    await must(world, 'sync');
    const { code, stderr, of } = await report(world);
    expect([code, stderr]).toEqual([0, '']);
    expect(of('CNGN')).toMatchObject({ refunds: { value: '2000.000000' }, fees: { value: '-8.000000' } });
  });

  test('of a payout that the list itself shows as reversed comes back without its fee', async () => {
    const { world } = await account();
    await payTo(world, '0000000014');
    await pass(world, 4 * HOUR_MS);
    await must(world, 'sync');
    inCopy(world, "DELETE FROM stored_status_changes WHERE kind = 'payouts'");
    inCopy(world, "UPDATE stored_payouts SET status = 'reversed' WHERE type = 'fintech_offramp' AND status = 'failed'");
    const { code, stderr, of } = await report(world);
    expect([code, stderr]).toEqual([0, '']);
    expect(of('CNGN')).toMatchObject({ refunds: { value: '2000.000000' }, fees: { value: '-8.000000' } });
  });

  test('of a payout that the bank reversed comes back without its fee, and the past stays as it was', async () => {
    const { world } = await account();
    await payTo(world, '0000000014');
    await pass(world, 30 * MINUTE_MS);
    await must(world, 'sync');
    const middle = isoNow(world);
    const before = await report(world, '--until', middle);
    const kindsBefore = await json(world, 'report', '--by', 'kind', '--until', middle);
    expect(before.of('CNGN')?.out.value).toBe('-2000.000000');
    await pass(world, 4 * HOUR_MS);
    await must(world, 'sync');

    const all = await report(world);
    expect([all.code, all.stderr]).toEqual([0, '']);
    const fee = minorOf(before.of('CNGN')?.fees ?? { value: '0' });
    expect(all.of('CNGN')).toMatchObject({ refunds: { value: '2000.000000' }, out: { value: '-2000.000000' } });
    expect(fee).toBe(-8n * CNGN);
    expect(minorOf(all.of('CNGN')?.fees ?? { value: '0' })).toBe(fee);
    const { kinds } = await json(world, 'report', '--by', 'kind');
    expect(kinds).toMatchObject([{ kind: 'payouts of the account', failed: 1, refunded: { value: '2000.00' } }]);
    const after = await report(world, '--until', middle);
    const kindsAfter = await json(world, 'report', '--by', 'kind', '--until', middle);
    expect(after.of('CNGN')).toEqual(before.of('CNGN'));
    expect({ ...kindsAfter, syncedAt: null }).toEqual({ ...kindsBefore, syncedAt: null });
  });
});

describe('the period of a report', () => {
  test('of an end alone starts with the month of that end', async () => {
    const { world } = await account();
    const { code, since, until } = await report(world, '--until', '2026-10-15');
    expect({ code, since, until }).toEqual({
      code: 0,
      since: '2026-09-30T23:00:00.000Z',
      until: '2026-10-15T22:59:59.999Z',
    });
  });

  test('cannot be in the future, and a month that goes on ends with the last sync', async () => {
    const { world } = await account();
    const readAt = isoNow(world);
    await must(world, 'sync');
    await pass(world, HOUR_MS);
    const { code, stderr } = await run(world, 'report', '2026-12');
    expect([code, stderr]).toEqual([2, expect.stringContaining('the period is in the future')]);
    const { until } = await report(world, 'this month');
    expect(until).toBe(readAt);
  });

  test('before anyone looked has an opening and a closing balance that are not known', async () => {
    const { world } = await account();
    const { of } = await report(world, '2026-10');
    const balance = { value: null, asset: 'CNGN', known: { is: 'no', why: 'BEFORE_FIRST_SYNC' } };
    expect(of('CNGN')).toMatchObject({ opening: balance, closing: balance });
    const text = await must(world, 'report', '2026-10');
    expect(text).toMatch(/Closing +not known/);
    expect(text).toMatch(/not known before 2026-11-02 10:00.* \(first sync\)/);
  });
});

describe('what a report says of the copy', () => {
  test('is how old it is and which tables may lack rows, in every form', async () => {
    const { world } = await account();
    inCopy(world, "UPDATE setting SET value = json_set(value, '$.gap', 'unfinished') WHERE name = 'list fx_trades'");
    for (const form of [[], ...['day', 'week', 'month', 'kind', 'user', 'asset'].map((by) => ['--by', by])]) {
      const { syncedAt, partial } = await json(world, 'report', ...form);
      expect({ form, syncedAt, partial }).toEqual({
        form,
        syncedAt: expect.stringMatching(/^2026-11-02T09:0/),
        partial: ['fx_trades'],
      });
      expect(await must(world, 'report', ...form)).toMatch(/synced 2026-11-02 10:0\d.*may lack rows: fx trades/s);
    }
  });

  test('is that nobody has looked at its balances yet, with exit 2', async () => {
    const { world } = await account();
    for (const table of ['balances', 'balance_checks']) inCopy(world, `DELETE FROM stored_${table}`);
    for (const form of [[], ['--by', 'day'], ['--by', 'asset']]) {
      const { code, stderr } = await run(world, 'report', ...form);
      expect([code, stderr]).toEqual([2, expect.stringContaining('the balances of this account have not been copied')]);
      expect(stderr).toContain('fiatrail sync');
    }
    expect((await run(world, 'report', 'balance')).code).toBe(2);
  });
});

describe('what the users’ wallets hold', () => {
  test('is read once a day, goes on where it stopped, and leaves out users who are gone', async () => {
    const { world } = await account();
    const first = await json(world, 'report', 'owed');
    expect(first).toMatchObject({ users: 2, unknown: 0 });
    const [gone = '', stays = ''] = inCopy<{ id: string }>(world, 'SELECT id FROM stored_users ORDER BY id').map(
      ({ id }) => id,
    );
    // As a run leaves it that was interrupted after it had read all but one balance of a user.
    inCopy(world, `UPDATE stored_owed SET minor = 77000000 WHERE user_id = '${stays}'`);
    inCopy(world, `DELETE FROM stored_owed WHERE user_id = '${gone}' AND asset = 'CNGN'`);
    const again = await json(world, 'report', 'owed');
    expect(again.owed).toContainEqual({
      asset: 'USDC',
      amount: { value: '77.000000', asset: 'USDC' },
      users: 1,
      asOf: expect.any(String),
    });
    inCopy(world, `UPDATE stored_owed SET minor = 5000000 WHERE user_id = '${gone}' AND asset = 'USDC'`);
    const usdc = async () =>
      (await json(world, 'report', 'owed')).owed.find((each: { asset: string }) => each.asset === 'USDC');
    expect(await usdc()).toMatchObject({ amount: { value: '82.000000' }, users: 2 });
    inCopy(world, `UPDATE stored_users SET deleted_at = '2026-11-02T09:00:00.000Z' WHERE id = '${gone}'`);
    expect(await json(world, 'report', 'owed')).toMatchObject({ users: 1 });
    expect(await usdc()).toMatchObject({ amount: { value: '77.000000' }, users: 1 });
    await pass(world, 25 * HOUR_MS);
    expect((await json(world, 'report', 'owed')).owed).toContainEqual({
      asset: 'USDC',
      amount: { value: '0.000000', asset: 'USDC' },
      users: 0,
      asOf: expect.any(String),
    });
  });

  test('is said to be unknown for a user whose balance the service does not say, who is not asked for again that day', async () => {
    const { world } = await account();
    await must(world, 'report', 'owed');
    inCopy(world, "UPDATE stored_owed SET minor = NULL WHERE asset = 'USDT'");
    expect(await json(world, 'report', 'owed')).toMatchObject({ users: 2, unknown: 2 });
    expect(await must(world, 'report', 'owed')).toContain('the service does not say what 2 of them hold');
  });
});

describe('what is open', () => {
  test('is listed with what it waits for', async () => {
    const { world } = await account();
    await must(world, 'payout', 'create', '--amount', '2000', '--to', 'default', '--yes');
    await must(world, 'fx', 'trade', '--pair', 'CNGN-USDC', '--side', 'buy', '--amount', '5000', '--yes');
    await must(world, 'sync');
    const { pending } = await json(world, 'report', 'pending');
    expect((pending as { kind: string; waitsFor: string }[]).map(({ kind, waitsFor }) => [kind, waitsFor])).toEqual([
      ['payouts of the account', 'waits for the transfer of the tokens, and then for the bank'],
      ['trades', 'waits for the tokens of both sides to be exchanged'],
    ]);
  });

  test('has the stage of a row that says more exactly than its status how far it is', async () => {
    const { world } = await account();
    await must(world, 'payout', 'create', '--amount', '2000', '--to', 'default', '--yes');
    await must(world, 'sync');
    inCopy(world, "UPDATE stored_payouts SET payout_status = 'payout_processing' WHERE type = 'fintech_offramp'");
    const { pending } = await json(world, 'report', 'pending');
    expect(pending).toMatchObject([{ status: 'payout_processing', waitsFor: 'waits for the bank to pay' }]);
  });

  test('is not counted with what ended in the period', async () => {
    const { world } = await account();
    await must(world, 'payout', 'create', '--amount', '2000', '--to', 'default', '--yes');
    await must(world, 'sync');
    const { kinds } = await json(world, 'report', '--by', 'kind');
    expect(kinds).toMatchObject([{ kind: 'payouts of the account', completed: 0, failed: 0, open: 1 }]);
  });
});

describe('a chart of a report', () => {
  test('has a bar for each day, and the panels of --chart', async () => {
    const { world, accountNumber } = await account();
    await must(world, 'sandbox', 'pay', accountNumber, '--amount', '20000', '--sender', 'HARMATTAN PAY');
    await pass(world, DAY_MS);
    await must(world, 'sync');
    const file = join(world.stateDir, 'chart.svg');
    const bars = await must(world, 'report', '--since', '2026-11-01', '--by', 'day', '--chart', '--svg', file);
    const drawn = readFileSync(file, 'utf8');
    expect(drawn).toMatch(/^<svg .*<\/svg>\n$/s);
    expect(drawn).toContain('Volumes in cNGN: In');
    expect(drawn).toContain('Fees in cNGN: Paid');
    expect(drawn).toMatch(/2026-11-02: 20,000.00 cNGN<\/title>/);
    const titles = [...drawn.matchAll(/font-weight="bold">([^<]+)<\/text>/g)].map(([, title]) => title ?? '').slice(1);
    expect(titles.length).toBeGreaterThan(5);
    for (const title of titles) expect(bars).toContain(title);
    expect(drawn.match(/<rect x=|>\?<title>/g)).toHaveLength(titles.length * 3);
    await must(world, 'report', 'balance', '--since', '2026-11-02', '--svg', file);
    expect(readFileSync(file, 'utf8')).toContain('Balance in CNGN');
    // The options are its own, and not those of report.
    const { balances } = await json(world, 'report', 'balance', '--since', '2026-11-02');
    expect((balances as { at: string }[]).map(({ at }) => at)).toEqual(['2026-11-02', '2026-11-03']);
    expect((await run(world, 'report', '--svg', file)).code).toBe(2);
  });
});
