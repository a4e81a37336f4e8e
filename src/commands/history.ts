import { CliError } from '../base/errors.ts';
import type { ResponseOf } from '../contract/endpoint.ts';
import { listDeposits, listPayouts, listTransactions } from '../contract/endpoints/history.ts';
import { listWithdrawals } from '../contract/endpoints/withdrawals.ts';
import { depositsBy, payoutsBy, transactionsBy, withdrawalsBy } from '../engine/lists/history.ts';
import { listed } from '../engine/lists/listed.ts';
import { amountForPeople } from '../money/amount.ts';
import { fromWire } from '../money/units.ts';
import type { Result } from '../present/result.ts';
import { type Command, command } from '../terminal/command.ts';
import { BANK_STATUSES, choice, listOptions, userOption, WITHDRAWAL_STATUSES } from '../terminal/parse/paging.ts';
import { oneOf, option, ticker } from '../terminal/parse/parameters.ts';
import { periodOf, periodOptions } from '../terminal/parse/period.ts';

const DEPOSITS = ['fintech_deposit', 'user_onramp'] as const;
const PAYOUTS = ['fintech_offramp', 'user_offramp'] as const;
const WITHDRAWALS = ['fintech_self_transfer', 'fintech_user_withdrawal', 'user_withdrawal'] as const;

const paging = { ...periodOptions, ...listOptions('rows') };

/** Returns the type to send: the service filters by user only together with one type. Throws CliError usage. */
function typeFor<T extends string>(userId: string | undefined, type: T | undefined, ofUsers: T): T | undefined {
  if (userId === undefined || type === ofUsers) return type;
  if (type === undefined) return ofUsers;
  throw new CliError('usage', `--user cannot be combined with --type ${type}; it requires --type ${ofUsers}`, {
    hint: 'omit --type or --user',
  });
}

/** Throws CliError usage if no row can match both filters. */
function checkWay(direction: 'in' | 'out' | undefined, type: string | undefined): void {
  if (direction === undefined || type === undefined) return;
  const way = PAYOUTS.some((each) => each === type) ? 'out' : 'in';
  if (way === direction) return;
  throw new CliError('usage', `--type ${type} cannot be combined with --direction ${direction}`, {
    hint: `omit one of them, or use --direction ${way}`,
  });
}

const depositsCommand = command({
  words: ['history', 'deposits'],
  summary: 'List incoming bank transfers, newest first',
  examples: [
    'fiatrail history deposits --status completed --since 2026-08-01',
    'fiatrail history deposits --user 4f1c… --all -o ndjson --fields createdAt,amount,depositor.name',
  ],
  endpoints: [listDeposits.id],
  prints: { response: listDeposits },
  parameters: {
    type: choice('type', DEPOSITS),
    status: choice('status', BANK_STATUSES),
    user: userOption('only deposits of this user (implies --type user_onramp)'),
    ...paging,
  },
  fields: { userId: 'user', startDate: 'since', endDate: 'until' },
  run: async (session, { type, status, user: userId, ...page }) =>
    listed(
      session,
      depositsBy({ type: typeFor(userId, type, 'user_onramp'), userId, status }),
      page,
      periodOf(page, session),
    ),
});

const payoutsCommand = command({
  words: ['history', 'payouts'],
  summary: 'List outgoing bank transfers, newest first',
  examples: [
    'fiatrail history payouts --status pending --since today',
    'fiatrail history payouts --since 2026-08-01 --until 2026-08-31 --all -o csv',
  ],
  endpoints: [listPayouts.id],
  prints: { response: listPayouts },
  parameters: {
    type: choice('type', PAYOUTS),
    status: choice('status', BANK_STATUSES),
    user: userOption('only payouts of this user (implies --type user_offramp)'),
    ...paging,
  },
  fields: { userId: 'user', startDate: 'since', endDate: 'until' },
  run: async (session, { type, status, user: userId, ...page }) =>
    listed(
      session,
      payoutsBy({ type: typeFor(userId, type, 'user_offramp'), userId, status }),
      page,
      periodOf(page, session),
    ),
});

const naira = (text: string | null | undefined) => {
  const value = text ? fromWire(text, 'naira', 'NGN') : undefined;
  return value ? amountForPeople(value) : '';
};

/** Returns the service's totals as a table below the rows. */
function totalsOf(data: unknown): Pick<Result, 'below'> {
  const { summary } = data as Pick<ResponseOf<typeof listTransactions>, 'summary'>;
  if (!summary) return {};
  const row = (name: string, count: number | null | undefined, volume: string | null | undefined) => ({
    ...{ direction: name, count: String(count ?? ''), volume: naira(volume) },
  });
  return {
    below: {
      title: 'Totals',
      rows: [
        row('in', summary.totalDeposits, summary.depositVolume),
        row('out', summary.totalPayouts, summary.payoutVolume),
      ],
      columns: TOTALS,
    },
  };
}

const TOTALS = [
  { field: 'direction', title: 'Direction' },
  { field: 'count', title: 'Transfers', align: 'right' },
  { field: 'volume', title: 'Amount', align: 'right' },
] as const;

const transactionsCommand = command({
  words: ['history', 'transactions'],
  summary: 'List incoming and outgoing bank transfers with totals, newest first',
  examples: [
    'fiatrail history transactions --direction in --since 2026-08-01',
    'fiatrail history transactions --all -o json --query summary.depositVolume.value',
  ],
  endpoints: [listTransactions.id],
  prints: { response: listTransactions },
  parameters: {
    direction: option('--direction <direction>', 'in (deposits) or out (payouts); default both', oneOf('in', 'out')),
    type: choice('type', [...DEPOSITS, ...PAYOUTS]),
    status: choice('status', BANK_STATUSES),
    user: userOption('only transactions of this user'),
    ...paging,
  },
  fields: { userId: 'user', startDate: 'since', endDate: 'until' },
  run: async (session, { direction, type, status, user: userId, ...page }) => {
    checkWay(direction, type);
    const outcome = await listed(
      session,
      transactionsBy({ direction, type, userId, status }),
      page,
      periodOf(page, session),
    );
    return {
      ...outcome,
      ...(outcome.result ? { result: { ...outcome.result, ...totalsOf(outcome.result.data) } } : {}),
    };
  },
});

const withdrawalsCommand = command({
  words: ['history', 'withdrawals'],
  summary: 'List token withdrawals and transfers, newest first',
  examples: [
    'fiatrail history withdrawals --token USDC --status completed',
    'fiatrail history withdrawals --user 4f1c… --all -o csv --fields createdAt,amount,destinationAddress',
  ],
  endpoints: [listWithdrawals.id],
  prints: { response: listWithdrawals },
  parameters: {
    type: choice('type', WITHDRAWALS),
    status: choice('status', WITHDRAWAL_STATUSES),
    user: userOption('only withdrawals of this user'),
    token: option('--token <ticker>', 'token: CNGN, USDC or USDT (default all)', ticker),
    ...paging,
  },
  fields: { userId: 'user', startDate: 'since', endDate: 'until' },
  run: async (session, { type, status, user: userId, token, ...page }) =>
    listed(session, withdrawalsBy({ type, status, userId, token }), page, periodOf(page, session)),
});

export const commands: readonly Command[] = [depositsCommand, payoutsCommand, transactionsCommand, withdrawalsCommand];
