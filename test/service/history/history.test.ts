import { describe, expect, test } from 'vitest';
import { listDeposits, listPayouts, listTransactions } from '../../../src/contract/endpoints/history.ts';
import { getFintechAccount } from '../../../src/contract/endpoints/virtual-accounts.ts';
import { listWithdrawals, withdrawAsset } from '../../../src/contract/endpoints/withdrawals.ts';
import { wireNumberText } from '../../../src/money/decimal.ts';
import { openSandbox, START_MS, type TestSandbox } from '../../support/sandbox.ts';
import { fund, offramp, onboardUser, pass, payIn, secondKey, settle, startRamp, type User } from '../steps.ts';
import { managedAddress, OUTSIDE, payOut } from '../transfers/steps.ts';

const iso = (timeMs: number) => new Date(timeMs).toISOString();
const text = (value: unknown) => wireNumberText(value as never);

/** Onboards a user and makes payments of 1.00, 2.00, 3.00 … into the permanent account, one second apart. */
async function withPayments(box: TestSandbox, payments: number): Promise<User> {
  const user = await onboardUser(box);
  for (let count = 1; count <= payments; count++) {
    await payIn(box, user.accountNumber, BigInt(count) * 100n, user.name);
    await pass(box, 1000);
  }
  return user;
}

const amountsOf = (rows: readonly { readonly amount?: unknown }[] | null | undefined) =>
  (rows ?? []).map(({ amount }) => text(amount));

describe('a listed deposit', () => {
  test('of a user shows the amount sent, the amount minted and the platform fee', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    const { depositId } = await payIn(box, user.accountNumber, 100_000n, user.name);
    await settle(box);
    const [row] = (await box.ask(listDeposits, {})).deposits ?? [];
    expect(row).toMatchObject({ id: depositId, type: 'user_onramp', direction: 'in', userId: user.userId });
    expect(row).toMatchObject({ status: 'completed', currency: 'NGN', virtualAccountNumber: user.accountNumber });
    expect(row?.depositor).toMatchObject({ name: user.name, bankName: 'GUARANTY TRUST BANK', bankCode: '000013' });
    expect(row?.walletAddress).toBe(await managedAddress(box, user.userId));
    // 1000 minus 17 for the platform and 5 for the fintech.
    expect([row?.amount, row?.fundingAmount, row?.platformFee].map(text)).toEqual(['1000', '978', '17']);
    expect(row?.transactionReference).toMatch(/^\d{30}$/);
    expect(row?.mintTxHash).toMatch(/^0x[0-9a-f]{64}$/);
  });

  test('into a temporary account has its fees on top of the minted amount', async () => {
    await using box = await openSandbox();
    const ramp = await fund(box, await onboardUser(box), 1000);
    const [row] = (await box.ask(listDeposits, {})).deposits ?? [];
    expect([row?.amount, row?.fundingAmount].map(text)).toEqual(['1022', '1000']);
    expect(row).toMatchObject({ virtualAccountNumber: ramp.accountNumber, walletAddress: ramp.walletAddress });
  });

  test('that was refunded is failed and has no minted amount', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await payIn(box, user.accountNumber, 100_000n, 'SOMEBODY ELSE');
    const read = async () => (await box.ask(listDeposits, {})).deposits?.[0];
    expect(await read()).toMatchObject({ status: 'processing', fundingAmount: null, walletAddress: null });
    await settle(box);
    expect(await read()).toMatchObject({
      status: 'failed',
      fundingAmount: null,
      platformFee: null,
      walletAddress: null,
      mintTxHash: null,
      completedAt: null,
    });
  });

  test("into the fintech's own account has no user and no user-only fields", async () => {
    await using box = await openSandbox();
    const { virtualAccount } = await box.ask(getFintechAccount, {});
    await payIn(box, virtualAccount.accountNumber, 100_000n);
    await settle(box);
    const [row] = (await box.ask(listDeposits, { type: 'fintech_deposit' })).deposits ?? [];
    expect(row).toMatchObject({ type: 'fintech_deposit', status: 'completed' });
    for (const name of ['userId', 'fundingAmount', 'platformFee']) expect(row).not.toHaveProperty(name);
  });

  test('is identified by its bank reference in the combined list', async () => {
    await using box = await openSandbox();
    await withPayments(box, 1);
    const [deposit] = (await box.ask(listDeposits, {})).deposits ?? [];
    const [transaction] = (await box.ask(listTransactions, {})).transactions ?? [];
    expect(transaction?.id).toBe(deposit?.transactionReference);
    expect(transaction).toEqual({ ...deposit, id: transaction?.id });
  });
});

describe('a listed payout', () => {
  test("of a user has its fees on top, paid from the wallet's cNGN", async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    const ramp = await fund(box, user, 10_000);
    const { requestId } = await offramp(box, user.userId, 100_000n);
    const read = async () => (await box.ask(listPayouts, {})).payouts?.[0];
    expect(await read()).toMatchObject({ id: requestId, status: 'processing', payoutStatus: 'pending' });
    await settle(box);
    const row = await read();
    expect(row).toMatchObject({
      type: 'user_offramp',
      direction: 'out',
      status: 'completed',
      payoutStatus: 'completed',
    });
    expect(row).toMatchObject({ sourceWalletAddress: ramp.walletAddress, sourceNetwork: 'base' });
    expect(row?.bankAccount).toMatchObject({ accountNumber: '0123456789', bankName: 'GUARANTY TRUST BANK' });
    // 0.4 percent for the platform, 0.5 percent for the fintech.
    expect([row?.amount, row?.processingFee, row?.totalDeducted].map(text)).toEqual(['1000', '9', '1009']);
    expect(row?.completedAt).toBe(row?.updatedAt);
  });

  test('of the fintech appears in the combined list too', async () => {
    await using box = await openSandbox();
    const requestId = await payOut(box, 10_000);
    await settle(box);
    const [row] = (await box.ask(listPayouts, { type: 'fintech_offramp' })).payouts ?? [];
    expect(row).toMatchObject({ id: requestId, type: 'fintech_offramp', status: 'completed', sourceNetwork: 'base' });
    const [same] = (await box.ask(listTransactions, { direction: 'out' })).transactions ?? [];
    expect(same).toMatchObject({
      id: requestId,
      transactionReference: row?.payoutReference,
      walletAddress: row?.sourceWalletAddress,
    });
    expect(same).not.toHaveProperty('userId');
    expect([same?.amount, same?.platformFee].map(text)).toEqual(['100', '0.5']);
  });

  test.each([
    ['settled', '0123456789', 'completed'],
    ['refunded', '0000000009', 'failed'],
  ])('shows as %s', async (_what, accountNumber, status) => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await fund(box, user, 1000);
    await offramp(box, user.userId, 10_000n, accountNumber);
    await settle(box);
    expect((await box.ask(listPayouts, { status: status as 'completed' })).total).toBe(1);
  });
});

describe('the statuses of a list', () => {
  test('cover every state of the underlying rows', async () => {
    await using box = await openSandbox();
    const states: Readonly<Record<string, readonly string[]>> = {
      deposit: ['processing', 'refunding', 'completed', 'refunded'],
      offramp: ['payout_pending', 'completed', 'failed'],
      payout: [
        'pending',
        'processing',
        'transferring_cngn',
        'initiating_payout',
        'payout_processing',
        'completed',
        'failed',
      ],
    };
    const user = await withPayments(box, 1);
    await payIn(box, user.accountNumber, 10_000_00n, user.name);
    await settle(box);
    await offramp(box, user.userId, 10_000n);
    await payOut(box, 10_000);
    await settle(box);
    for (const [table, all] of Object.entries(states)) {
      for (const state of all) {
        // The list's own constraint would reject a state without a status.
        await box.inside(({ store }) => store.run(`UPDATE ${table} SET state = ?`, state));
        await box.ask(listTransactions, {});
      }
    }
    const { total, summary } = await box.ask(listTransactions, {});
    expect({ total, totalDeposits: summary?.totalDeposits, totalPayouts: summary?.totalPayouts }).toEqual({
      total: 4,
      totalDeposits: 2,
      totalPayouts: 2,
    });
  });
});

describe('filters', () => {
  test('are echoed as sent, and only those that were sent', async () => {
    await using box = await openSandbox();
    expect((await box.ask(listTransactions, { limit: 5, offset: 1 })).filters).toEqual({});
    const sent = {
      direction: 'in',
      type: 'user_onramp',
      userId: 'x',
      status: 'completed',
      startDate: '2026-01-01',
    } as const;
    expect((await box.ask(listTransactions, { ...sent, endDate: '2026-02-01' })).filters).toEqual({
      ...sent,
      endDate: '2026-02-01',
    });
  });

  test('find, count and sum the same rows by kind and status as a full count', async () => {
    await using box = await openSandbox();
    const user = await withPayments(box, 7);
    await payIn(box, user.accountNumber, 5_000n, 'SOMEBODY ELSE');
    await fund(box, user, 1000);
    await offramp(box, user.userId, 10_000n);
    await offramp(box, user.userId, 20_000n, '0000000009');
    await settle(box);
    await payIn(box, user.accountNumber, 700n, user.name);
    const everything = (await box.ask(listTransactions, { limit: 100 })).transactions ?? [];
    for (const direction of [undefined, 'in', 'out'] as const) {
      for (const type of [undefined, 'user_onramp', 'user_offramp', 'fintech_deposit'] as const) {
        for (const status of [undefined, 'processing', 'completed', 'failed', 'cancelled'] as const) {
          const wanted = everything.filter(
            (row) =>
              (!direction || row.direction === direction) &&
              (!type || row.type === type) &&
              (!status || row.status === status),
          );
          const kobo = (way: string) =>
            wanted
              .filter((row) => row.direction === way)
              .reduce((sum, row) => sum + Math.round(Number(text(row.amount)) * 100), 0);
          // A date filter that excludes nothing forces the service to count.
          for (const startDate of [undefined, '2020-01-01']) {
            const answer = await box.ask(listTransactions, { direction, type, status, startDate, limit: 100 });
            expect(answer.transactions).toEqual(wanted);
            expect(answer.total).toBe(wanted.length);
            expect(answer.summary).toEqual({
              totalDeposits: wanted.filter((row) => row.direction === 'in').length,
              totalPayouts: wanted.filter((row) => row.direction === 'out').length,
              depositVolume: (kobo('in') / 100).toFixed(2),
              payoutVolume: (kobo('out') / 100).toFixed(2),
            });
          }
        }
      }
    }
  });

  test('include both ends of a time range; a plain date means midnight UTC', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    const midnightMs = Date.UTC(2026, 0, 6);
    for (const timeMs of [midnightMs - 1, midnightMs, midnightMs + 1]) {
      box.clock.set(timeMs);
      await payIn(box, user.accountNumber, 100n, user.name);
    }
    const total = async (dates: { startDate?: string; endDate?: string }) => (await box.ask(listDeposits, dates)).total;
    expect(await total({ endDate: '2026-01-06' })).toBe(2);
    expect(await total({ startDate: '2026-01-06' })).toBe(2);
    expect(await total({ startDate: '2026-01-06', endDate: '2026-01-06' })).toBe(1);
    expect(await total({ startDate: iso(midnightMs + 1) })).toBe(1);
    // The same moment, one hour ahead of UTC.
    expect(await total({ startDate: '2026-01-06T01:00:00+01:00', endDate: '2026-01-06T01:00:00+01:00' })).toBe(1);
    expect(await total({ startDate: '2026-01-07' })).toBe(0);
  });

  test('find the rows of a user', async () => {
    await using box = await openSandbox();
    const one = await withPayments(box, 3);
    const other = await onboardUser(box);
    await fund(box, other, 1000);
    await offramp(box, other.userId, 10_000n);
    const rows = async (userId: string) => (await box.ask(listTransactions, { userId })).transactions ?? [];
    expect(amountsOf(await rows(one.userId))).toEqual(['3', '2', '1']);
    expect((await rows(other.userId)).map(({ type }) => type)).toEqual(['user_offramp', 'user_onramp']);
    expect((await box.ask(listPayouts, { type: 'user_offramp', userId: one.userId })).total).toBe(0);
    expect((await box.ask(listDeposits, { type: 'user_onramp', userId: other.userId })).total).toBe(1);
  });

  test("find nothing for an unknown user or another fintech's user", async () => {
    await using box = await openSandbox();
    const user = await withPayments(box, 2);
    const other = await secondKey(box);
    expect((await box.ask(listTransactions, { userId: 'nobody' })).total).toBe(0);
    for (const userId of [undefined, user.userId]) {
      expect((await box.ask(listTransactions, { userId }, other)).transactions).toEqual([]);
      expect((await box.ask(listWithdrawals, { userId }, other)).withdrawals).toEqual([]);
    }
  });
});

describe('pages', () => {
  const PAYMENTS = 23;

  test.each([
    ['without a filter', {}],
    ['of one direction', { direction: 'in' }],
    ['of one type', { type: 'user_onramp' }],
    ['of one status', { status: 'completed' }],
    ['of a time', { startDate: iso(START_MS) }],
  ] as const)('%s are exact at every depth and size', async (_what, filter) => {
    await using box = await openSandbox();
    await withPayments(box, PAYMENTS);
    const wanted = Array.from({ length: PAYMENTS }, (_each, index) => `${PAYMENTS - index}`);
    for (const limit of [1, 2, 5, 22, 23, 100]) {
      for (let offset = 0; offset <= PAYMENTS + 1; offset++) {
        const page = await box.ask(listTransactions, { ...filter, limit, offset });
        expect(amountsOf(page.transactions)).toEqual(wanted.slice(offset, offset + limit));
        expect({ total: page.total, limit: page.limit, offset: page.offset }).toEqual({
          total: PAYMENTS,
          limit,
          offset,
        });
        expect(page.hasMore).toBe(offset + limit < PAYMENTS);
      }
    }
  });

  test('of one user are exact among rows of other users', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    const other = await onboardUser(box);
    for (let count = 1; count <= 9; count++) {
      await payIn(box, user.accountNumber, BigInt(count) * 100n, user.name);
      await payIn(box, other.accountNumber, 5_000n, other.name);
    }
    for (let offset = 0; offset <= 10; offset++) {
      const page = await box.ask(listTransactions, { userId: user.userId, limit: 4, offset });
      const wanted = ['9', '8', '7', '6', '5', '4', '3', '2', '1'].slice(offset, offset + 4);
      expect({ amounts: amountsOf(page.transactions), total: page.total }).toEqual({ amounts: wanted, total: 9 });
    }
  });

  test('of an unfiltered list are found by index without skipping rows', async () => {
    await using box = await openSandbox();
    const plan = await box.inside(
      ({ store }) =>
        ['position', 'direction_position'].map((order) =>
          store
            .all<{ detail: string }>(
              `EXPLAIN QUERY PLAN SELECT * FROM movement WHERE fintech = 1 ${order === 'position' ? '' : `AND direction = 'in'`} AND ${order} BETWEEN 1 AND 20`,
            )
            .map(({ detail }) => detail)
            .join(),
        ),
      'read',
    );
    expect(plan[0]).toMatch(/movement_by_position \(fintech=\? AND position>\? AND position<\?\)/);
    expect(plan[1]).toMatch(/movement_by_direction .*direction_position>\? AND direction_position<\?/);
  });

  test('repeat as many rows as were added while paging, and skip none', async () => {
    await using box = await openSandbox();
    const user = await withPayments(box, 20);
    const seen: string[] = [];
    let offset = 0;
    let grown = 0;
    for (let total = 20; ; ) {
      const page = await box.ask(listTransactions, { limit: 6, offset });
      const added = (page.total ?? 0) - total;
      total = page.total ?? 0;
      seen.push(...amountsOf(page.transactions).slice(added));
      if (!page.hasMore) break;
      offset += 6;
      for (let more = 0; more < 2; more++) await payIn(box, user.accountNumber, 999_00n, user.name);
      grown += 2;
    }
    expect(seen).toEqual(Array.from({ length: 20 }, (_each, index) => `${20 - index}`));
    expect(grown).toBeGreaterThan(4);
  });
});

describe('positions', () => {
  test('have no gaps per fintech and direction, whoever moves money', async () => {
    await using box = await openSandbox();
    const other = await secondKey(box);
    const ours = await onboardUser(box);
    const theirs = await onboardUser(box, '33333333333', other);
    for (let round = 0; round < 5; round++) {
      await payIn(box, ours.accountNumber, 100_000n, ours.name);
      await payIn(box, theirs.accountNumber, 100_000n, theirs.name);
      await settle(box);
      await offramp(box, ours.userId, 10_000n);
      // A refused one leaves no gap.
      await box.call('POST', '/cngnofframp', {
        userId: ours.userId,
        amount: 1_000_000,
        accountNumber: '0123456789',
        bankCode: '000013',
        ticker: 'CNGN',
      });
    }
    const rows = await box.inside(
      ({ store }) =>
        store.all<{ fintech: bigint; position: bigint; direction: string; direction_position: bigint }>(
          'SELECT fintech, position, direction, direction_position FROM movement ORDER BY fintech, position',
        ),
      'read',
    );
    for (const fintech of [1n, 2n]) {
      const own = rows.filter((row) => row.fintech === fintech);
      expect(own.map(({ position }) => Number(position))).toEqual(own.map((_row, index) => index + 1));
      for (const direction of ['in', 'out']) {
        const way = own.filter((row) => row.direction === direction);
        expect(way.map((row) => Number(row.direction_position))).toEqual(way.map((_row, index) => index + 1));
      }
    }
    expect(rows).toHaveLength(15);
  });
});

describe('withdrawals', () => {
  async function withWithdrawals(box: TestSandbox) {
    const user = await onboardUser(box);
    await fund(box, user, 100, { sweepToOfframp: true });
    const from = { userId: user.userId, internalWallet: await managedAddress(box, user.userId) };
    for (const amount of [1, 2.5, 3])
      await box.ask(withdrawAsset, { ...from, destinationWallet: OUTSIDE, amount, ticker: 'CNGN' });
    await box.ask(withdrawAsset, { ...from, destinationWallet: OUTSIDE, amount: 4, ticker: 'CNGN', network: 'eth' });
    return from;
  }

  test('are listed newest first, in whole tokens', async () => {
    await using box = await openSandbox();
    const { userId, internalWallet } = await withWithdrawals(box);
    const page = await box.ask(listWithdrawals, { limit: 3, offset: 1 });
    expect(page.withdrawals?.map(({ amount }) => amount)).toEqual(['3.000000', '2.500000', '1.000000']);
    expect(page).toMatchObject({ total: 4, limit: 3, offset: 1, hasMore: false });
    expect(page.withdrawals?.[0]).toMatchObject({
      type: 'fintech_user_withdrawal',
      status: 'completed',
      userId,
      smartWalletAddress: internalWallet,
      destinationAddress: OUTSIDE,
      ticker: 'CNGN',
      network: 'base',
    });
    expect((await box.ask(listWithdrawals, { offset: 9 })).total).toBe(4);
  });

  test.each([
    [{ token: 'CNGN' }, 4],
    [{ token: 'USDC' }, 0],
    [{ status: 'pending' }, 1],
    [{ status: 'completed' }, 3],
    [{ status: 'failed' }, 0],
    [{ type: 'fintech_user_withdrawal' }, 4],
    [{ type: 'fintech_self_transfer' }, 0],
    [{ endDate: '2026-01-05' }, 0],
    [{ startDate: '2026-01-05' }, 4],
    [{ userId: 'nobody' }, 0],
  ] as const)('%o finds %d rows', async (filter, total) => {
    await using box = await openSandbox();
    await withWithdrawals(box);
    expect((await box.ask(listWithdrawals, filter)).total).toBe(total);
  });
});

test('a list can be read while an account waits for its payment, which is not yet a movement', async () => {
  await using box = await openSandbox();
  const user = await onboardUser(box);
  await startRamp(box, user.userId, 100);
  expect((await box.ask(listTransactions, {})).total).toBe(0);
});
