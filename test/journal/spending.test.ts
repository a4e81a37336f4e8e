import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Intent, SpendLimit } from '../../src/journal/intent.ts';
import type { Journal } from '../../src/journal/interface.ts';
import type { OperationState } from '../../src/journal/states.ts';
import { type Asset, leftIn } from '../../src/money/amount.ts';
import { temporaryFolder } from '../support/built.ts';
import { INTENT, journals, testJournal } from '../support/journal-intent.ts';
import { testQueryPlans } from '../support/query-plans.ts';
import { countingIds, fakeClock } from '../support/sandbox.ts';

const WITHDRAW = 'fiatrail fees withdraw';
const ORDER = 'fiatrail fx orders create';
const moving = (minor: bigint, more: Partial<Intent> = {}, asset: Asset = 'NGN'): Intent => ({
  ...INTENT,
  command: WITHDRAW,
  moves: { asset, minor },
  ...more,
});
const daily = (maxMinor: bigint, more: Partial<SpendLimit> = {}): SpendLimit => ({
  asset: 'NGN',
  period: 'day',
  maxMinor,
  ...more,
});

/** Records an intent as sent, and returns its id. */
async function sent(journal: Journal, intent: Intent): Promise<string> {
  const claim = await journal.claim(intent, 1_000);
  if (claim.kind !== 'ours') throw new Error(`the claim was ${claim.kind}`);
  return claim.operationId;
}

/** What was spent today in kobo, or in the smallest unit of a token. */
const today = async (journal: Journal, more: Partial<SpendLimit> = {}) =>
  leftIn(more.asset ?? 'NGN', await journal.spent(INTENT.account, { asset: 'NGN', period: 'day', ...more })).minor;

describe('the sum of a day', () => {
  test('has everything that moved money or may have, and nothing else', async () => {
    const journal = await testJournal({ ids: countingIds() });
    const ids: string[] = [];
    for (const minor of [1n, 10n, 100n, 1_000n, 10_000n, 100_000n]) ids.push(await sent(journal, moving(minor)));
    const [, unknown = '', accepted = '', refused = '', failed = '', notDone = ''] = ids;
    await journal.append(unknown, 'unknown');
    await journal.append(accepted, 'accepted');
    await journal.append(refused, 'rejected');
    await journal.append(failed, 'accepted');
    await journal.append(failed, 'failed');
    await journal.append(notDone, 'resolved', { verdict: 'not-done' });
    expect(await today(journal)).toBe(111n);
    await journal.append(accepted, 'settled');
    await journal.append(unknown, 'resolved', { verdict: 'completed' });
    expect(await today(journal)).toBe(111n);
    // A bank returned the money.
    await journal.append(accepted, 'failed');
    expect(await today(journal)).toBe(11n);
    expect((await journal.verify()).problem).toBeUndefined();
  });

  test('has the stablecoin that orders may give at the worst beside the cNGN that they are recorded with', async () => {
    const journal = await testJournal({ ids: countingIds() });
    const ordering = (asset: Asset, minor: bigint, more: Partial<Intent> = {}) =>
      moving(5n, { command: ORDER, baseline: { atWorst: [{ asset, minor: String(minor) }] }, ...more }, 'CNGN');
    await sent(journal, ordering('USDC', 7n));
    await sent(journal, ordering('USDT', 11n));
    const refused = await sent(journal, ordering('USDC', 13n));
    await journal.append(refused, 'rejected');
    await sent(journal, ordering('USDC', 17n, { account: { ...INTENT.account, keyFingerprint: 'ffff' } }));
    await sent(journal, moving(19n, {}, 'USDC'));
    expect(await today(journal, { asset: 'CNGN' })).toBe(10n);
    expect(await today(journal, { asset: 'USDC' })).toBe(26n);
    expect(await today(journal, { asset: 'USDC', command: ORDER })).toBe(7n);
    expect(await today(journal, { asset: 'USDT' })).toBe(11n);
    const limits = [daily(30n, { asset: 'USDC' })];
    expect(await journal.claim(ordering('USDC', 5n, { limits }))).toMatchObject({
      kind: 'over-limit',
      spentMillionths: 26n,
    });
    expect((await journal.claim(ordering('USDC', 4n, { limits }))).kind).toBe('ours');
    expect((await journal.claim(ordering('USDT', 5n, { limits }))).kind).toBe('ours');
    expect((await journal.verify()).problem).toBeUndefined();
    journal.close();
  });

  test('is that of one asset, of the account, and of the command if one is named', async () => {
    const journal = await testJournal({ ids: countingIds() });
    await sent(journal, moving(5n));
    await sent(journal, moving(7n, {}, 'USDT'));
    await sent(journal, moving(11n, { command: 'fiatrail payout' }));
    await sent(journal, moving(13n, { account: { keyFingerprint: 'b', profile: 'other', baseUrl: 'http://b' } }));
    expect(await today(journal)).toBe(16n);
    expect(await today(journal, { command: WITHDRAW })).toBe(5n);
    expect(await today(journal, { asset: 'USDT' })).toBe(7n);
    expect(await today(journal, { asset: 'USDC' })).toBe(0n);
  });

  test('begins at midnight in Lagos, and that of a month on its first day there', async () => {
    // 22:59:59.999 UTC on 31 January is a millisecond before midnight in Lagos.
    const clock = fakeClock(Date.UTC(2026, 0, 31, 22, 59, 59, 999));
    const journal = await testJournal({ ids: countingIds(), clock });
    await sent(journal, moving(1n));
    const month = () => today(journal, { period: 'month' });
    expect([await today(journal), await month()]).toEqual([1n, 1n]);
    clock.pass(1);
    expect([await today(journal), await month()]).toEqual([0n, 0n]);
    await sent(journal, moving(2n));
    clock.pass(24 * 3_600_000);
    expect([await today(journal), await month()]).toEqual([0n, 2n]);
  });
});

describe('money that comes back', () => {
  const DAY_MS = 24 * 3_600_000;

  test.each<[how: string, ...states: OperationState[]]>([
    ['rejected', 'rejected'],
    ['failed', 'accepted', 'failed'],
    ['returned by the bank', 'accepted', 'settled', 'failed'],
    ['resolved as not done', 'unknown', 'resolved'],
  ])('on a later day is taken off the day of its payment: %s', async (_how, ...states) => {
    const clock = fakeClock();
    const journal = await testJournal({ ids: countingIds(), clock });
    const id = await sent(journal, moving(100n));
    await sent(journal, moving(7n));
    clock.pass(DAY_MS);
    await sent(journal, moving(60n));
    for (const state of states) await journal.append(id, state, state === 'resolved' ? { verdict: 'not-done' } : {});
    expect(await today(journal)).toBe(60n);
    expect(await today(journal, { period: 'month' })).toBe(67n);
    expect((await journal.verify()).problem).toBeUndefined();
  });

  test('gives a later day no room, and a later month none', async () => {
    // The last day of January, at noon.
    const clock = fakeClock(Date.UTC(2026, 0, 31, 12));
    const journal = await testJournal({ ids: countingIds(), clock });
    const id = await sent(journal, moving(100n));
    clock.pass(DAY_MS);
    const limits = [daily(100n), daily(100n, { period: 'month' })];
    await sent(journal, moving(100n, { limits }));
    await journal.append(id, 'rejected');
    expect((await journal.claim(moving(1n, { limits }))).kind).toBe('over-limit');
  });
});

describe('the day of a journal in a file', () => {
  const DAY_MS = 24 * 3_600_000;
  const limits = [daily(40n)];
  /** A payment by a machine whose clock is wrong by as much. */
  const by = (hostAheadMs: number | undefined, more: Partial<Intent> = {}) =>
    moving(35n, { limits, baseline: hostAheadMs === undefined ? {} : { hostAheadMs }, ...more });

  test.each([
    ['set to the next day', 0, DAY_MS],
    ['set to the day before', 0, -DAY_MS],
    ['set right after it was a day ahead', DAY_MS, 0],
    ['set right after it was a day behind', -DAY_MS, 0],
  ])('is the service’s, so that a clock that is %s frees no limit', async (_what, beforeMs, afterMs) => {
    const clock = fakeClock();
    const rightMs = clock.now();
    const journal = await testJournal({ ids: countingIds(), clock });
    clock.set(rightMs + beforeMs);
    const id = await sent(journal, by(beforeMs));
    clock.set(rightMs + afterMs);
    expect(await journal.claim(by(afterMs))).toMatchObject({ kind: 'over-limit', spentMillionths: 350_000n });
    expect(await journal.spent(INTENT.account, { asset: 'NGN', period: 'day' }, rightMs)).toBe(350_000n);
    expect((await journal.verify()).problem).toBeUndefined();
    // What comes back is taken off the day that it was added to.
    await journal.append(id, 'rejected');
    expect((await journal.claim(by(afterMs))).kind).toBe('ours');
    expect((await journal.verify()).problem).toBeUndefined();
  });

  test('is this machine’s if the service does not say its time', async () => {
    const clock = fakeClock();
    const journal = await testJournal({ ids: countingIds(), clock });
    await sent(journal, by(undefined));
    expect((await journal.claim(by(undefined))).kind).toBe('over-limit');
    clock.pass(DAY_MS);
    expect((await journal.claim(by(undefined))).kind).toBe('ours');
  });

  test('has what came in on it alone', async () => {
    const clock = fakeClock();
    const rightMs = clock.now();
    const journal = await testJournal({ ids: countingIds(), clock });
    const came = { endpoint: 'transactions.onramp', command: 'fiatrail api' };
    clock.set(rightMs + DAY_MS);
    // Yesterday, by a clock that was a day ahead.
    await sent(journal, by(DAY_MS, { ...came, limits: [] }));
    await sent(journal, by(0, { command: 'fiatrail api', limits: [] }));
    expect(await today(journal)).toBe(35n);
  });
});

describe('the sum of Naira and cNGN', () => {
  const millionths = (journal: Journal, asset: Asset) => journal.spent(INTENT.account, { asset, period: 'day' });

  test('is one, exact to the base unit, whichever of them is asked for', async () => {
    const journal = await testJournal({ ids: countingIds() });
    await sent(journal, moving(150n));
    await sent(journal, moving(2_000_001n, {}, 'CNGN'));
    await sent(journal, moving(7n, {}, 'USDC'));
    for (const asset of ['NGN', 'CNGN'] as const) expect(await millionths(journal, asset)).toBe(3_500_001n);
    expect(await millionths(journal, 'USDC')).toBe(7n);
  });

  test('is what the journal compares again, against every limit', async () => {
    const journal = await testJournal({ ids: countingIds() });
    const naira = daily(100n);
    const both = [naira, daily(900_000n, { asset: 'CNGN' })];
    expect(await journal.claim(moving(1_000_001n, { limits: [naira] }, 'CNGN'))).toEqual({
      kind: 'over-limit',
      limit: naira,
      spentMillionths: 0n,
    });
    await sent(journal, moving(600_000n, { limits: both }, 'CNGN'));
    expect(await journal.claim(moving(31n, { limits: both }))).toEqual({
      kind: 'over-limit',
      limit: both[1],
      spentMillionths: 600_000n,
    });
    await sent(journal, moving(30n, { limits: both }));
    expect((await journal.claim(moving(1n, { limits: both }, 'CNGN'))).kind).toBe('over-limit');
  });
});

describe('what came in', () => {
  const ONRAMP = { endpoint: 'transactions.onramp', command: 'fiatrail onramp create' };
  const from = (command: string) => ({ ...ONRAMP, command });

  test.each(['fiatrail onramp create', 'fiatrail api', 'fiatrail plans apply'])(
    'with %s is not spent',
    async (command) => {
      const journal = await testJournal({ ids: countingIds() });
      await sent(journal, moving(5n));
      await sent(journal, moving(7n, { command }));
      const own = command === ONRAMP.command ? 0n : 7n;
      await sent(journal, moving(1_000n, from(command)));
      expect(await today(journal)).toBe(5n + own);
      expect((await journal.claim(moving(3n, { limits: [daily(5n + own + 2n)] }))).kind).toBe('over-limit');
      expect((await journal.claim(moving(2n, { limits: [daily(5n + own + 2n)] }))).kind).toBe('ours');
      expect((await journal.verify()).problem).toBeUndefined();
    },
  );

  test('is left out once: not what failed, of another day, of another account or of another asset', async () => {
    const clock = fakeClock();
    const journal = await testJournal({ ids: countingIds(), clock });
    await sent(journal, moving(1_000n, from('fiatrail api')));
    clock.pass(24 * 3_600_000);
    await sent(journal, moving(7n, { command: 'fiatrail api' }));
    const failed = await sent(journal, moving(1_000n, from('fiatrail api')));
    await journal.append(failed, 'rejected');
    const other = { keyFingerprint: 'b', profile: 'other', baseUrl: 'http://b' };
    await sent(journal, moving(1_000n, { ...from('fiatrail api'), account: other }));
    await sent(journal, moving(1_000n, from('fiatrail api'), 'USDC'));
    expect(await today(journal)).toBe(7n);
  });
});

describe('a limit', () => {
  test('is kept to the smallest unit, and a claim over it records nothing', async () => {
    const journal = await testJournal({ ids: countingIds() });
    const limits = [daily(100n)];
    await sent(journal, moving(60n, { limits }));
    expect(await journal.claim(moving(41n, { limits }), 1)).toEqual({
      kind: 'over-limit',
      limit: limits[0],
      spentMillionths: 600_000n,
    });
    expect([await journal.count(), await today(journal)]).toEqual([1, 60n]);
    await sent(journal, moving(40n, { limits }));
    expect(await today(journal)).toBe(100n);
  });

  test('is free again when money comes back', async () => {
    const journal = await testJournal({ ids: countingIds() });
    const limits = [daily(100n)];
    const id = await sent(journal, moving(100n, { limits }));
    expect((await journal.claim(moving(1n, { limits }))).kind).toBe('over-limit');
    await journal.append(id, 'rejected');
    expect((await journal.claim(moving(100n, { limits }))).kind).toBe('ours');
  });

  test('has no room for what a person said was done', async () => {
    const journal = await testJournal({ ids: countingIds() });
    const limits = [daily(100n)];
    const id = await sent(journal, moving(100n, { limits }));
    await journal.append(id, 'resolved', { verdict: 'completed' });
    expect((await journal.claim(moving(1n, { limits }))).kind).toBe('over-limit');
    expect((await journal.verify()).problem).toBeUndefined();
  });

  test('has room again after midnight in Lagos, which is 23:00 UTC', async () => {
    const clock = fakeClock(Date.UTC(2026, 4, 12, 22, 59));
    const journal = await testJournal({ ids: countingIds(), clock });
    const limits = [daily(100n)];
    await sent(journal, moving(100n, { limits }));
    clock.pass(60_000);
    await sent(journal, moving(100n, { limits }));
    clock.pass(23 * 3_600_000);
    expect((await journal.claim(moving(1n, { limits }))).kind).toBe('over-limit');
  });

  test('of a command or another asset stops no other', async () => {
    const journal = await testJournal({ ids: countingIds() });
    const limits = [daily(1n, { command: 'fiatrail payout' }), daily(1n, { asset: 'USDC' })];
    expect((await journal.claim(moving(50n, { limits }))).kind).toBe('ours');
    expect((await journal.claim(moving(50n, { limits, command: 'fiatrail payout' }))).kind).toBe('over-limit');
  });

  test('holds for claims made at once', async () => {
    const journal = await testJournal({ ids: countingIds() });
    const limits = [daily(100n)];
    const claims = await Promise.all(Array.from({ length: 10 }, () => journal.claim(moving(30n, { limits }), 1)));
    expect(claims.filter(({ kind }) => kind === 'ours')).toHaveLength(3);
    expect(await today(journal)).toBe(90n);
  });

  test('does not stop the second run under an idempotency key, whose work is done', async () => {
    const journal = await testJournal({ ids: countingIds() });
    const intent = moving(100n, { limits: [daily(100n)], idempotencyKey: 'k' });
    await journal.append(await sent(journal, intent), 'accepted');
    expect((await journal.claim(intent)).kind).toBe('done');
  });
});

test('amounts and their sums survive an export and an import', async () => {
  const journal = await testJournal({ ids: countingIds() });
  const id = await sent(journal, moving(123_456_789_012_345_678n, {}, 'USDC'));
  await sent(journal, moving(5n));
  await journal.append(id, 'accepted');
  const lines: string[] = [];
  for await (const page of journal.exported(false)) lines.push(...page.map((line) => JSON.stringify(line)));
  const copy = await testJournal({ ids: countingIds(9) });
  await copy.importFrom(lines, [INTENT.account]);
  expect(await today(copy, { asset: 'USDC' })).toBe(123_456_789_012_345_678n);
  expect((await copy.list({ limit: 5 })).map(({ moves }) => moves)).toEqual(
    (await journal.list({ limit: 5 })).map(({ moves }) => moves),
  );
  expect((await copy.verify()).problem).toBeUndefined();
  const changed = lines.map((line) => line.replace('"minor":"5"', '"minor":"6"'));
  const other = await testJournal({ ids: countingIds(10) });
  await expect(other.importFrom(changed, [INTENT.account])).rejects.toThrow(/was changed/);
});

test('verify finds a sum that is not that of the operations', async () => {
  const path = join(temporaryFolder(onTestFinished), 'journal.db');
  const journal = await testJournal({ path, ids: countingIds() });
  await sent(journal, moving(5n));
  journals.edit(path, 'UPDATE spent SET minor = minor - 1');
  expect((await journal.verify()).problem?.what).toContain('the sums for the limits of rules');
  await journal.close();
});

if (journals.engine === 'sqlite') testQueryPlans();
