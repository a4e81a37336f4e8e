import { expect, test } from 'vitest';
import { ACCOUNT, fakeClock, fakeWorld } from '../support/world.ts';
import { copied, payout } from './copy.ts';
import { json, must } from './reports.ts';

const NOW_MS = Date.UTC(2026, 0, 5, 9);
const ago = (minutes: number) => new Date(NOW_MS - minutes * 60_000).toISOString();
const HOUR = 60;
const DAY = 24 * HOUR;

/** A payout that took so many minutes. */
const paid = (id: string, minutes: number) =>
  payout(id, { createdAt: ago(30 * DAY), completedAt: ago(30 * DAY - minutes) });
const open = (id: string, minutes: number, more: object = {}) =>
  payout(id, { status: 'processing', createdAt: ago(minutes), completedAt: null, ...more });

const worldWith = async (payouts: readonly object[]) => {
  const world = fakeWorld({ clock: fakeClock(NOW_MS), env: ACCOUNT });
  await copied(world, { payouts });
  return world;
};

const naira = (value: string) => ({ value, asset: 'NGN' });

test('open work is counted by age, with its sum, the oldest one, and what is open for longer than usual', async () => {
  // Of twenty, nineteen took up to two minutes, and one took three days.
  const before = Array.from({ length: 19 }, (_, index) => paid(`paid-${index}`, index < 10 ? 1 : 2));
  const rows = [
    open('a', 1),
    open('b', 59),
    open('c', 61),
    open('d', 25 * HOUR),
    open('e', 4 * DAY, { amount: naira('1000.00') }),
  ];
  const world = await worldWith([...before, paid('slow', 3 * DAY), ...rows]);
  const { ageing, pending, syncedAt } = await json(world, 'report', 'pending');
  expect(ageing).toEqual([
    {
      kind: 'payouts of the account',
      asset: 'NGN',
      count: 5,
      amount: naira('3800.00'),
      underHour: 2,
      underDay: 1,
      underThreeDays: 1,
      older: 1,
      usualSeconds: 120,
      overdue: 4,
      oldestId: 'e',
      oldestAt: ago(4 * DAY),
    },
  ]);
  expect(pending).toHaveLength(5);
  expect(syncedAt).toBe('2026-01-05T08:59:30.000Z');
  const text = await must(world, 'report', 'pending');
  expect(text).toMatch(/Age of the copy +3\d s/);
});

test('the usual time is not known of what too few have completed, and no sum is what it lacks', async () => {
  const before = Array.from({ length: 9 }, (_, index) => paid(`paid-${index}`, 1));
  const world = await worldWith([...before, open('a', 100), open('b', 90, { amount: null })]);
  const { ageing } = await json(world, 'report', 'pending');
  expect(ageing).toMatchObject([
    { asset: 'NGN', count: 1, amount: naira('700.00'), usualSeconds: null, overdue: null, oldestId: 'a' },
    { asset: null, count: 1, amount: { value: null, known: { is: 'no', why: 'NOT_STATED' } }, oldestId: 'b' },
  ]);
});
