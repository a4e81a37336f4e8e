import { describe, expect, test } from 'vitest';
import { sandboxSeed } from '../../../src/contract/control.ts';
import { accumulatedFees } from '../../../src/contract/endpoints/fees.ts';
import { listPayouts, listTransactions } from '../../../src/contract/endpoints/history.ts';
import { wireNumberText } from '../../../src/money/decimal.ts';
import { openSandbox, START_MS, type TestSandbox } from '../../support/sandbox.ts';
import { balances, expectSettledLedger, fund, offramp, onboardUser, secondKey, settle } from '../steps.ts';

async function fill(box: TestSandbox, total: number, batch = total): Promise<void> {
  for (let done = 0; done < total; done += batch) {
    await box.ask(sandboxSeed, { history: Math.min(batch, total - done), historyDone: done, historyTotal: total });
    box.clock.pass(700);
  }
}

interface Listed {
  readonly position: bigint;
  readonly direction: string;
  readonly direction_position: bigint;
  readonly created_at: bigint;
}

/** Asserts that the list has no gaps, is in time order, and that its tallies match a count. */
async function expectSoundList(box: TestSandbox, total: number): Promise<void> {
  const { rows, tallies, counted } = await box.inside(
    ({ store }) => ({
      rows: store.all<Listed>('SELECT * FROM movement WHERE fintech = 1 ORDER BY position'),
      tallies: store.all(
        'SELECT fintech, type, status, movements, kobo FROM movement_tally WHERE movements > 0 ORDER BY 1, 2, 3',
      ),
      counted: store.all(
        `SELECT fintech, type, status, COUNT(*) AS movements, SUM(amount_kobo) AS kobo FROM movement GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
      ),
    }),
    'read',
  );
  expect(rows.map(({ position }) => Number(position))).toEqual(Array.from({ length: total }, (_each, at) => at + 1));
  const times = rows.map((row) => Number(row.created_at));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  for (const direction of ['in', 'out']) {
    const way = rows.filter((row) => row.direction === direction);
    expect(way.map((row) => Number(row.direction_position))).toEqual(way.map((_row, at) => at + 1));
  }
  expect(tallies).toEqual(counted);
}

/** Asserts that all cNGN is backed by Naira. */
async function expectReserve(box: TestSandbox): Promise<void> {
  const held = await box.inside(balances, 'read');
  expect((held['reserve NGN'] ?? 0n) * 10_000n).toBe(-(held['supply CNGN'] ?? 0n));
}

describe('a history', () => {
  test.each([1, 7, 10, 11, 250])('leaves a consistent sandbox with %d transactions', async (total) => {
    await using box = await openSandbox();
    await fill(box, total);
    await expectSoundList(box, total);
    await expectSettledLedger(box);
    await expectReserve(box);
    expect((await box.ask(listTransactions, {})).total).toBe(total);
  });

  test('changes nothing when it is empty', async () => {
    await using box = await openSandbox();
    expect(await box.ask(sandboxSeed, { history: 0 })).toMatchObject({ users: 0, transactions: 0 });
  });

  test('merges its parts into one list in time order, before existing movements', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await fund(box, user, 1000);
    await offramp(box, user.userId, 10_000n);
    await settle(box);
    await fill(box, 95, 30);
    await expectSoundList(box, 97);
    await expectSettledLedger(box);
    await expectReserve(box);
    const { transactions } = await box.ask(listTransactions, { limit: 3 });
    expect(transactions?.map(({ userId }) => userId).slice(0, 2)).toEqual([user.userId, user.userId]);
  });

  test('merges with an earlier history', async () => {
    await using box = await openSandbox();
    await fill(box, 60, 20);
    box.clock.pass(86_400_000);
    await fill(box, 50, 20);
    await expectSoundList(box, 110);
    await expectSettledLedger(box);
    const ids = await box.inside(
      ({ store }) => store.all('SELECT reference FROM deposit UNION SELECT request_id FROM offramp'),
      'read',
    );
    expect(ids).toHaveLength(110);
  });

  test('has only completed transactions of the past year and no pending work', async () => {
    await using box = await openSandbox();
    await fill(box, 40);
    const { transactions } = await box.ask(listTransactions, { limit: 100 });
    expect(new Set(transactions?.map(({ status }) => status))).toEqual(new Set(['completed']));
    const times = transactions?.flatMap(({ createdAt, completedAt }) => [createdAt, completedAt]) ?? [];
    for (const time of times) {
      expect(Date.parse(time ?? '')).toBeLessThan(START_MS + 1);
      expect(Date.parse(time ?? '')).toBeGreaterThan(START_MS - 366 * 86_400_000);
    }
    expect(new Set(transactions?.map(({ type }) => type))).toEqual(
      new Set(['user_onramp', 'user_offramp', 'fintech_deposit']),
    );
    expect((await box.ask(listPayouts, { limit: 1 })).payouts?.[0]).toMatchObject({ sourceNetwork: 'base' });
  });

  test('collects its fees and counts each transaction', async () => {
    await using box = await openSandbox();
    const before = (await box.ask(accumulatedFees, {})).summary;
    await fill(box, 100);
    const after = (await box.ask(accumulatedFees, {})).summary;
    const { kobo, earning } = await box.inside(
      ({ store }) =>
        store.get<{ kobo: bigint; earning: bigint }>(
          `SELECT SUM(fee) AS kobo, SUM(fee > 0) AS earning
           FROM (SELECT fintech_fee_kobo AS fee FROM deposit UNION ALL SELECT fintech_fee_kobo FROM offramp)`,
        ) ?? { kobo: 0n, earning: 0n },
      'read',
    );
    const grown = (name: 'totalAccumulatedFees' | 'collectedFees') =>
      BigInt(wireNumberText(after?.[name] as never)) - BigInt(wireNumberText(before?.[name] as never));
    expect({ totalAccumulatedFees: grown('totalAccumulatedFees'), collectedFees: grown('collectedFees') }).toEqual({
      totalAccumulatedFees: kobo,
      collectedFees: kobo,
    });
    expect((after?.transactionCount ?? 0) - (before?.transactionCount ?? 0)).toBe(Number(earning));
    expect(Number(earning)).toBe(90);
  });

  test('belongs to the calling fintech', async () => {
    await using box = await openSandbox();
    const other = await secondKey(box);
    await box.ask(sandboxSeed, { history: 20 }, other);
    expect((await box.ask(listTransactions, {}, other)).total).toBe(20);
    expect((await box.ask(listTransactions, {})).total).toBe(0);
    await expectSettledLedger(box);
  });

  test('leaves wallets with a balance to draw on', async () => {
    await using box = await openSandbox();
    await fill(box, 100);
    const { transactions } = await box.ask(listTransactions, { type: 'user_onramp', limit: 1 });
    await offramp(box, transactions?.[0]?.userId ?? '', 1_000_00n);
    await settle(box);
    await expectSettledLedger(box);
  });

  test.each([
    { history: 50_001 },
    { history: -1 },
    { history: 10, historyDone: 5, historyTotal: 100 },
    { history: 10, historyDone: 100, historyTotal: 100 },
  ])('rejects %o and adds nothing', async (input) => {
    await using box = await openSandbox();
    expect((await box.call('POST', '/_sandbox/seed', input)).status).toBe(400);
    expect((await box.ask(listTransactions, {})).total).toBe(0);
  });
});
