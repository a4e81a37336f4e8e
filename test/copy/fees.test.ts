import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openCopyFile } from '../../src/copy/database.ts';
import { settleFees } from '../../src/copy/settle-fees.ts';
import { copied, deposit, payout, USER } from '../questions/copy.ts';
import { account, HOUR_MS, json, MINUTE_MS, must, pass, run } from '../questions/reports.ts';
import { ACCOUNT, type FakeWorld, fakeClock, fakeWorld } from '../support/world.ts';
import { compared, copiedFees } from './fee-truth.ts';
import { movingService, OTHER_USER_ID, USER_ID } from './moving-service.ts';

const ALL_KNOWN = { wrong: [], unknown: [], mislabelled: [] };

/** Pays so many sums, all different, to an account, a minute apart. */
async function pays(world: FakeWorld, accountNumber: string, count: number, from = 10_000) {
  for (let each = 0; each < count; each += 1)
    await must(world, 'sandbox', 'pay', accountNumber, '--amount', String(from + each), '--sender', 'HARMATTAN PAY');
  await must(world, 'sandbox', 'settle');
  await pass(world, HOUR_MS);
}

/** A copy that is made now. */
async function newCopy(world: FakeWorld) {
  await must(world, 'sync', 'forget', '--yes');
  await must(world, 'sync');
}

describe('the fees of the account’s own deposits', () => {
  test('are known after one sync, however many sums they have', async () => {
    const { world, accountNumber } = await account();
    await pays(world, accountNumber, 60);
    await must(world, 'sync');
    expect(compared(world)).toEqual({ rows: 60, ...ALL_KNOWN });
  }, 60_000);

  test('are those of today in a copy that is made on the same day, and unknown in one that is made later', async () => {
    const { world, accountNumber } = await account();
    await pays(world, accountNumber, 3);
    await newCopy(world);
    expect(compared(world)).toEqual({ rows: 3, ...ALL_KNOWN });
    await pass(world, 30 * HOUR_MS);
    await newCopy(world);
    const later = compared(world);
    expect(later).toMatchObject({ wrong: [], mislabelled: [] });
    expect(later.unknown).toEqual(['FEE_SCHEDULE_NOT_SEEN', 'FEE_SCHEDULE_NOT_SEEN', 'FEE_SCHEDULE_NOT_SEEN']);
  }, 60_000);
});

/** A user’s onramp and offramp, each to its end. */
async function moves(world: FakeWorld, userId: string, naira: number) {
  const { requestId } = await json(world, 'onramp', 'create', userId, '--amount', String(naira), '--yes');
  const { accountNumber, totalAmountWithFee } = await json(world, 'onramp', 'account', requestId);
  await must(world, 'sandbox', 'pay', accountNumber, '--amount', totalAmountWithFee.value, '--sender', 'HARMATTAN PAY');
  await must(world, 'sandbox', 'settle');
  const to = ['--bank-code', '000013', '--account-number', '0000000009'];
  await must(world, 'offramp', 'create', userId, '--amount', String(naira / 2), ...to, '--yes');
  await must(world, 'sandbox', 'settle');
  await pass(world, MINUTE_MS);
}

const sets = (world: FakeWorld, percent: string) =>
  must(
    world,
    'fees',
    'set',
    '--onramp-percent',
    percent,
    '--onramp-cap',
    '1000',
    '--offramp-percent',
    percent,
    '--offramp-cap',
    '1000',
    '--yes',
  );

const knownIn = (world: FakeWorld) =>
  Object.fromEntries(copiedFees(world).map(({ id, own, known }) => [id, known ?? own]));

describe('the account’s own fees', () => {
  test('are known of every row while a sync sees each change, and of none that lies between two changes no sync saw', async () => {
    const { world } = await account();
    const { users } = await json(world, 'users', 'list', '--limit', '1');
    const { userId } = users[0];
    await sets(world, '0.5');
    await moves(world, userId, 5_000);
    await must(world, 'sync');
    await pass(world, HOUR_MS);
    await moves(world, userId, 6_000);
    await sets(world, '0.75');
    await pass(world, HOUR_MS);
    await moves(world, userId, 7_000);
    await must(world, 'sync');
    expect(compared(world)).toEqual({ rows: 6, ...ALL_KNOWN });
    await pass(world, HOUR_MS);
    await sets(world, '1');
    await pass(world, HOUR_MS);
    await moves(world, userId, 8_000);
    // The same fees as before, and yet not all the time.
    await sets(world, '0.75');
    await pass(world, HOUR_MS);
    await moves(world, userId, 9_000);
    await must(world, 'sync');
    // The offramp is known: the list of all transfers states the service’s part.
    expect(compared(world)).toEqual({ rows: 10, ...ALL_KNOWN, unknown: ['FEE_SCHEDULE_NOT_SEEN'] });
    const first = knownIn(world);
    await newCopy(world);
    const second = knownIn(world);
    expect(compared(world)).toMatchObject({ wrong: [], mislabelled: [] });
    for (const [id, fee] of Object.entries(second)) expect([first[id], 'FEE_SCHEDULE_NOT_SEEN']).toContain(fee);
  }, 60_000);
});

test('an onramp that was opened under fees that no sync saw, and paid under others, contradicts nothing', async () => {
  const { world } = await account();
  const { users } = await json(world, 'users', 'list', '--limit', '1');
  await sets(world, '0.6');
  const opened = await json(world, 'onramp', 'create', users[0].userId, '--amount', '5000', '--yes');
  const { accountNumber, totalAmountWithFee } = await json(world, 'onramp', 'account', opened.requestId);
  await pass(world, 5 * MINUTE_MS);
  await sets(world, '0.75');
  await pass(world, 5 * MINUTE_MS);
  await must(world, 'sandbox', 'pay', accountNumber, '--amount', totalAmountWithFee.value, '--sender', 'HARMATTAN PAY');
  await must(world, 'sandbox', 'settle');
  const { stderr } = await run(world, 'sync');
  expect(stderr).not.toContain('contradict');
  expect(compared(world)).toEqual({ rows: 1, ...ALL_KNOWN, unknown: ['FEE_SCHEDULE_NOT_SEEN'] });
});

test.each([
  ['every day', 6, 1],
  ['once, at the end', 1, 6],
])(
  'all fees of simulated days agree with the ledger in a copy that is synced %s',
  async (_, rounds, days) => {
    const world = fakeWorld({ clock: fakeClock(Date.UTC(2026, 10, 2, 9)) });
    const simulate = (seed: number) =>
      must(world, 'sandbox', 'simulate', '--days', String(days), '--users', '40', '--seed', String(seed));
    if (rounds > 1) {
      await must(world, 'sandbox', 'seed', '--users', '2', '--rate-limits', 'off');
      await must(world, 'sync');
    }
    for (let round = 0; round < rounds; round += 1) {
      await simulate(round + 10);
      await must(world, 'sync');
    }
    const { rows, wrong, unknown, mislabelled } = compared(world);
    expect({ wrong, mislabelled }).toEqual({ wrong: [], mislabelled: [] });
    expect(rows).toBeGreaterThan(150);
    // A copy that was made later cannot know what the account took from an onramp before its fees were changed: the bank may have taken a part.
    expect([...new Set(unknown)]).toEqual(rounds > 1 ? [] : ['FEE_SCHEDULE_NOT_SEEN']);
    expect(unknown.length / rows).toBeLessThan(0.1);
  },
  120_000,
);

describe('what the list of payouts leaves out', () => {
  const OFFRAMPS = 230;

  async function rig() {
    const clock = fakeClock();
    const service = movingService(clock.now);
    const world = fakeWorld({ clock, network: (...given) => service.exchange(...given), env: ACCOUNT });
    for (let each = 0; each < OFFRAMPS; each += 1) {
      await pass(world, 7 * MINUTE_MS);
      Object.assign(service.add('payouts'), { status: 'completed', processingFee: 7, totalDeducted: 707 });
    }
    return { service, world };
  }

  const read = (world: FakeWorld) => copiedFees(world, 'copy-environment.db');

  test('is read to its end by syncs that are killed anywhere, and then no more', async () => {
    const { service, world } = await rig();
    let isDone = false;
    for (let killedAfter = 1; !isDone; killedAfter += 3) {
      let requests = 0;
      service.onRequest = () => {
        requests += 1;
        if (requests > killedAfter) throw new Error('killed');
      };
      const { code } = await run(world, 'sync');
      isDone = code === 0;
      // What a killed sync leaves says so.
      if (killedAfter > 20)
        expect(read(world).every(({ own, known }) => (own === null) === (known !== null))).toBe(true);
    }
    const rows = read(world);
    expect(rows).toHaveLength(OFFRAMPS);
    expect(new Set(rows.map(({ user, own, platform, rule }) => `${user} ${own} ${platform} ${rule}`))).toEqual(
      new Set([`${USER_ID} 200 500 list`]),
    );
    service.onRequest = undefined;
    service.requests.length = 0;
    expect((await run(world, 'sync')).code).toBe(0);
    expect(service.requests.filter((path) => path === '/transactions' || path === '/cngnofframpstatus')).toEqual([]);
  }, 60_000);

  test('counts no more once the service has changed the amounts of a row', async () => {
    const { service, world } = await rig();
    expect((await run(world, 'sync')).code).toBe(0);
    Object.assign(service.rows['payouts']?.[0] ?? {}, { processingFee: 9, totalDeducted: 709 });
    expect((await run(world, 'sync', '--full')).code).toBe(0);
    const changed = read(world).filter(({ own }) => own !== 200n);
    expect(changed).toEqual([expect.objectContaining({ own: 400n, platform: 500n, known: null })]);
  }, 60_000);
});

describe('an offramp', () => {
  /** One offramp of ₦700, for ₦7, and what the account takes of it: a percentage, at most ₦2. */
  async function synced(percentageFee: number, said: Readonly<Record<string, unknown>>) {
    const clock = fakeClock();
    const service = movingService(clock.now);
    const world = fakeWorld({ clock, network: (...given) => service.exchange(...given), env: ACCOUNT });
    service.ownFees = {
      hasConfiguration: true,
      feeConfiguration: { offrampFee: { percentageFee, capFee: 200, enabled: true } },
      timestamps: { updatedAt: new Date(clock.now() - HOUR_MS).toISOString() },
    };
    service.said = said;
    Object.assign(service.add('payouts'), { status: 'completed', processingFee: 7, totalDeducted: 707 });
    await pass(world, MINUTE_MS);
    await must(world, 'sync');
    return { world, service, rows: () => copiedFees(world, 'copy-environment.db') };
  }

  test('has the fee in force and the user of its status, where the list of all transfers says nothing', async () => {
    const { world, service, rows } = await synced(0.3, {});
    const known = { own: 200n, platform: 500n, known: null, rule: 'schedule', user: OTHER_USER_ID };
    expect(rows()).toEqual([expect.objectContaining(known)]);
    await pass(world, MINUTE_MS);
    service.requests.length = 0;
    await must(world, 'sync');
    expect(service.requests.filter((path) => /transactions|offramp/.test(path))).toEqual([]);
  });

  test.each([
    ['agrees', 0.3, { own: 200n, platform: 500n, known: null, rule: 'list' }],
    ['disagrees', 0.1, { own: null, platform: null, known: 'FEE_PARTS', rule: null }],
  ])('of which the list %s with the fee in force', async (_, percent, known) => {
    const { rows } = await synced(percent, { userId: USER_ID, platformFee: 5 });
    expect(rows()).toEqual([expect.objectContaining({ ...known, user: USER_ID })]);
  });

  test('has no part of a row that had other amounts', async () => {
    const { world, rows } = await synced(0.3, { userId: USER_ID, platformFee: 5 });
    const database = new DatabaseSync(join(world.stateDir, 'copy-environment.db'));
    database.exec(
      "UPDATE stored_payouts SET amount_minor = 60000, deducted_minor = 60700, created_at = '2025-01-01T00:00:00.000Z'",
    );
    database.exec("UPDATE stored_payouts SET fee_known = 'FEE_NOT_READ'");
    database.close();
    const copy = await openCopyFile(join(world.stateDir, 'copy-environment.db'), world);
    await copy.write(settleFees);
    await copy.close();
    expect(rows()).toEqual([expect.objectContaining({ own: null, platform: null, known: 'FEE_NOT_READ' })]);
  });
});

describe('the service’s fees on deposits', () => {
  /** Tiers as the service’s preview tells them; `most` takes more than the percentage says. */
  const tiers =
    (percent: number, fixed = 0) =>
    (amountKobo: number) => {
      const isLow = amountKobo < 500_000;
      const each = isLow ? 2 : percent;
      const fee = Math.round((amountKobo * each) / 100);
      const cap = isLow ? Number.POSITIVE_INFINITY : 200_000;
      return {
        amount: amountKobo,
        feePercentage: each,
        finalFee: Math.min(fee, cap) + fixed,
        wasCapped: fee > cap,
        tierUsed: isLow ? { minAmount: 0, maxAmount: 500_000 } : { minAmount: 500_000, maxAmount: null },
      };
    };

  function rig() {
    const clock = fakeClock();
    const service = movingService(clock.now);
    const world = fakeWorld({ clock, network: (...given) => service.exchange(...given), env: ACCOUNT });
    service.preview = tiers(1);
    const own = (naira: number) =>
      Object.assign(service.add('deposits'), { type: 'fintech_deposit', amount: naira, status: 'completed' });
    const paid = (naira: number, platformFee: number) =>
      Object.assign(service.add('deposits'), {
        amount: naira,
        fundingAmount: naira - platformFee,
        platformFee,
        userId: USER_ID,
        status: 'completed',
      });
    const fees = () =>
      copiedFees(world, 'copy-environment.db')
        .filter(({ user }) => user === null)
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .map(({ platform, known }) => known ?? platform);
    return { world, service, own, paid, fees, later: () => pass(world, 30 * HOUR_MS), sync: () => must(world, 'sync') };
  }

  test('are those that two syncs saw, and unknown between two that saw others', async () => {
    const { world, service, own, fees, later, sync } = rig();
    await sync();
    await later();
    own(4_000);
    own(10_000);
    own(900_000);
    await later();
    await sync();
    expect(fees()).toEqual([8_000n, 10_000n, 200_000n]);
    await later();
    own(10_001);
    service.preview = tiers(1.5);
    await later();
    own(10_003);
    await pass(world, 2 * HOUR_MS);
    await sync();
    await later();
    own(10_005);
    await sync();
    const unknown = 'FEE_SCHEDULE_NOT_SEEN';
    // 1.5% of ₦10,005 is half a kobo more.
    expect(fees()).toEqual([8_000n, 10_000n, 200_000n, unknown, unknown, 15_008n]);
  });

  test('are known before the first sync as far back as users paid the same, and no further', async () => {
    const { own, paid, fees, later, sync } = rig();
    paid(10_000, 100);
    await later();
    own(10_000);
    await later();
    paid(10_000, 90);
    await later();
    own(20_000);
    await later();
    paid(10_000, 100);
    await later();
    own(30_000);
    own(4_000);
    await later();
    await sync();
    const unknown = 'FEE_SCHEDULE_NOT_SEEN';
    expect(fees()).toEqual([unknown, unknown, 30_000n, unknown]);
  });

  test('are not told for a day when a user paid another one on it', async () => {
    const { world, own, paid, fees, sync } = rig();
    own(10_000);
    await pass(world, HOUR_MS);
    paid(10_000, 90);
    await pass(world, HOUR_MS);
    own(20_000);
    await pass(world, HOUR_MS);
    await sync();
    expect(fees()).toEqual(['FEE_SCHEDULE_NOT_SEEN', 'FEE_SCHEDULE_NOT_SEEN']);
  });

  test('are not computed if they do not follow from the percentage', async () => {
    const { service, own, fees, sync } = rig();
    service.preview = tiers(1, 50);
    own(10_000);
    await sync();
    expect(fees()).toEqual(['FEE_NOT_READ']);
  });
});

test('a sync names the rows whose amounts contradict each other, once', async () => {
  const clock = fakeClock();
  const service = movingService(clock.now);
  const world = fakeWorld({ clock, network: (...given) => service.exchange(...given), env: ACCOUNT });
  for (let each = 0; each < 5; each += 1)
    Object.assign(service.add('payouts'), {
      status: 'completed',
      processingFee: 7,
      totalDeducted: each === 0 ? 707 : 700,
    });
  const { code, stderr } = await run(world, 'sync');
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining(
      'warning: the amounts of payouts payouts-2, payouts-3, payouts-4 and 1 more contradict each other, so their fees are not known',
    ),
  });
  await pass(world, MINUTE_MS);
  expect((await run(world, 'sync')).stderr).not.toContain('contradict');
});

describe('rows that cannot be right', () => {
  const naira = (value: string) => ({ value, asset: 'NGN' });
  const userPaid = (fundingAmount: string | null, platformFee: string | null) => ({
    fundingAmount: fundingAmount === null ? null : naira(fundingAmount),
    platformFee: platformFee === null ? null : naira(platformFee),
  });
  const sent = (processingFee: string | null, totalDeducted: string | null) => ({
    processingFee: processingFee === null ? null : naira(processingFee),
    totalDeducted: totalDeducted === null ? null : naira(totalDeducted),
  });
  const CASES = [
    [
      'more was taken than arrived',
      { deposits: [deposit('d', userPaid('5000.00', '200.00'))] },
      [null, null, 'FEE_PARTS'],
    ],
    ['a fee below 0', { deposits: [deposit('d', userPaid('5101.00', '-1.00'))] }, [null, null, 'FEE_PARTS']],
    ['no fee is stated', { deposits: [deposit('d', userPaid('5000.00', null))] }, [null, null, 'FEE_NOT_STATED']],
    [
      'nothing minted is stated',
      { deposits: [deposit('d', userPaid(null, '75.00'))] },
      [null, 7_500n, 'FEE_NOT_STATED'],
    ],
    ['a right row', { deposits: [deposit('d', userPaid('5000.00', '75.00'))], users: [USER] }, [2_500n, 7_500n, null]],
    ['a failed one', { deposits: [deposit('d', { ...userPaid(null, null), status: 'failed' })] }, [0n, 0n, null]],
    [
      'a deposit of the account, of which nothing was read',
      { deposits: [deposit('d', { type: 'fintech_deposit' })] },
      [0n, null, 'FEE_NOT_READ'],
    ],
    ['a payout whose sum is another one', { payouts: [payout('p', sent('3.00', '704.00'))] }, [0n, null, 'FEE_PARTS']],
    ['a payout without its fee', { payouts: [payout('p', sent(null, '703.00'))] }, [0n, 300n, null]],
    ['a payout without both', { payouts: [payout('p', sent(null, null))] }, [0n, null, 'FEE_NOT_STATED']],
    [
      'an offramp that was not asked for',
      { payouts: [payout('p', { ...sent('3.00', '703.00'), type: 'user_offramp' })] },
      [null, null, 'FEE_NOT_READ'],
    ],
    [
      'a row twice with one id',
      {
        deposits: [deposit('d', userPaid('5000.00', '90.00')), deposit('d', userPaid('5000.00', '75.00'))],
        users: [USER],
      },
      [2_500n, 7_500n, null],
    ],
    [
      'an amount that is not in Naira',
      { deposits: [deposit('d', { ...userPaid('5000.00', '75.00'), amount: { value: '5.00', asset: 'USDC' } })] },
      [null, null, 'FEE_OTHER_ASSET'],
    ],
    [
      'a time without a zone',
      { deposits: [deposit('d', { type: 'fintech_deposit', createdAt: '2026-01-04T09:00:00' })] },
      [0n, null, 'FEE_SCHEDULE_NOT_SEEN'],
    ],
  ] as const;

  test.each(CASES)('%s', async (_, rows, [own, platform, known]) => {
    const world = fakeWorld({ env: ACCOUNT });
    await copied(world, rows);
    expect(copiedFees(world, 'copy-environment.db')).toEqual([expect.objectContaining({ own, platform, known })]);
  });
});
