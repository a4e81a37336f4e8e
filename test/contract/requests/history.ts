import { TOKENS } from '../../../src/money/amount.ts';
import type { BadCase, Case } from './case.ts';

const DEPOSITS = 'transactions.list-deposits';
const PAYOUTS = 'transactions.list-payouts';
const ALL = 'transactions.list';
const WITHDRAWALS = 'transactions.list-withdrawals';
const LISTS = [DEPOSITS, PAYOUTS, ALL, WITHDRAWALS] as const;

const GOOD_TIMES = ['2026-08-01', '2026-08-01T09:30Z', '2026-08-01T09:30:00.123Z', '2026-08-01T09:30:00+01:00'];
const BAD_TIMES = ['', 'yesterday', '2026-8-1', '2026-13-01', '2026-08-01T09:30:00', '01/08/2026', 20260801, null];

export const good: readonly Case[] = [
  ...LISTS.flatMap((id): Case[] => [
    [id, {}],
    [id, { limit: 1, offset: 0 }],
    [id, { limit: 100, offset: 1_000_000_000 }],
    [id, { status: 'completed', unknown: 1 }],
    [id, { userId: 'usr-s-1' }],
    ...GOOD_TIMES.flatMap((time): Case[] => [
      [id, { startDate: time }],
      [id, { endDate: time }],
    ]),
  ]),
  ...['pending', 'processing', 'completed', 'failed', 'cancelled'].flatMap((status) =>
    [DEPOSITS, PAYOUTS, ALL].map((id): Case => [id, { status }]),
  ),
  [DEPOSITS, { type: 'fintech_deposit' }],
  [DEPOSITS, { type: 'user_onramp', userId: 'usr-s-1' }],
  [PAYOUTS, { type: 'fintech_offramp' }],
  [PAYOUTS, { type: 'user_offramp', userId: 'usr-s-1' }],
  [ALL, { direction: 'in', type: 'user_offramp' }],
  [ALL, { direction: 'out', type: 'fintech_deposit' }],
  ...TOKENS.map((token): Case => [WITHDRAWALS, { token }]),
  ...['fintech_self_transfer', 'fintech_user_withdrawal', 'user_withdrawal'].map(
    (type): Case => [WITHDRAWALS, { type }],
  ),
  ...['pending', 'failed'].map((status): Case => [WITHDRAWALS, { status }]),
];

export const bad: readonly BadCase[] = [
  ...LISTS.flatMap((id): BadCase[] => [
    [id, { limit: 0 }, 'limit'],
    [id, { limit: 101 }, 'limit'],
    [id, { limit: 1.5 }, 'limit'],
    [id, { limit: '20' }, 'limit'],
    [id, { offset: -1 }, 'offset'],
    [id, { offset: 0.5 }, 'offset'],
    [id, { offset: '0' }, 'offset'],
    [id, { status: 'done' }, 'status'],
    [id, { status: 'COMPLETED' }, 'status'],
    [id, { type: 'deposit' }, 'type'],
    [id, { userId: '' }, 'userId'],
    [id, { userId: 'usr\n' }, 'userId'],
    [id, { userId: 1 }, 'userId'],
    ...BAD_TIMES.flatMap((time): BadCase[] => [
      [id, { startDate: time }, 'startDate'],
      [id, { endDate: time }, 'endDate'],
    ]),
  ]),
  [DEPOSITS, { type: 'user_offramp' }, 'type'],
  [PAYOUTS, { type: 'user_onramp' }, 'type'],
  [ALL, { direction: 'both' }, 'direction'],
  [ALL, { direction: 'IN' }, 'direction'],
  [WITHDRAWALS, { type: 'user_onramp' }, 'type'],
  [WITHDRAWALS, { status: 'processing' }, 'status'],
  [WITHDRAWALS, { status: 'cancelled' }, 'status'],
  [WITHDRAWALS, { token: 'cngn' }, 'token'],
  [WITHDRAWALS, { token: 'NGN' }, 'token'],
];
