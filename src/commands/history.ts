import { CliError } from '../base/errors.ts';
import type { ResponseOf } from '../contract/endpoint.ts';
import { listDeposits, listPayouts, listTransactions } from '../contract/endpoints/history.ts';
import { listWithdrawals } from '../contract/endpoints/withdrawals.ts';
import { depositsBy, payoutsBy, transactionsBy, withdrawalsBy } from '../engine/lists/history.ts';
import { amountForPeople, fromWire, isUnknownFigure, type UnknownFigure } from '../money/amount.ts';
import type { Result } from '../present/result.ts';
import {
  BANK_STATUSES,
  choice,
  listCommand,
  tokenFilter,
  userOption,
  WITHDRAWAL_STATUSES,
} from '../terminal/list-command.ts';
import { oneOf, option } from '../terminal/parse/parameters.ts';

const DEPOSITS = ['fintech_deposit', 'user_onramp'] as const;
const PAYOUTS = ['fintech_offramp', 'user_offramp'] as const;
const WITHDRAWALS = ['fintech_self_transfer', 'fintech_user_withdrawal', 'user_withdrawal'] as const;

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

const deposits = listCommand(listDeposits, {
  words: ['history', 'deposits'],
  summary: 'List incoming bank transfers, newest first',
  examples: [
    'fiatrail history deposits --status completed --since 2026-08-01',
    'fiatrail history deposits --user 4f1c… --all -o ndjson --fields createdAt,amount,depositor.name',
  ],
  rows: 'rows',
  parameters: {
    type: choice('type', DEPOSITS),
    status: choice('status', BANK_STATUSES),
    userId: userOption('only deposits of this user (implies --type user_onramp)'),
  },
  listing: ({ type, status, userId }) => depositsBy({ type: typeFor(userId, type, 'user_onramp'), userId, status }),
});

const payouts = listCommand(listPayouts, {
  words: ['history', 'payouts'],
  summary: 'List outgoing bank transfers, newest first',
  examples: [
    'fiatrail history payouts --status pending --since today',
    'fiatrail history payouts --since 2026-08-01 --until 2026-08-31 --all -o csv',
  ],
  rows: 'rows',
  parameters: {
    type: choice('type', PAYOUTS),
    status: choice('status', BANK_STATUSES),
    userId: userOption('only payouts of this user (implies --type user_offramp)'),
  },
  listing: ({ type, status, userId }) => payoutsBy({ type: typeFor(userId, type, 'user_offramp'), userId, status }),
});

const naira = (text: string | UnknownFigure | null | undefined) => {
  if (isUnknownFigure(text)) return `${text.value} (not known to be in Naira)`;
  const value = text ? fromWire(text, 'naira', 'NGN') : undefined;
  return value ? amountForPeople(value) : '';
};

/** Returns the service's totals as a table below the rows. */
function totalsOf(data: unknown): Pick<Result, 'below'> {
  const { summary } = data as Pick<ResponseOf<typeof listTransactions>, 'summary'>;
  if (!summary) return {};
  const row = (name: string, count: number | null | undefined, volume: string | UnknownFigure | null | undefined) => ({
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

const transactions = listCommand(listTransactions, {
  words: ['history', 'transactions'],
  summary: 'List incoming and outgoing bank transfers with totals, newest first',
  examples: [
    'fiatrail history transactions --direction in --since 2026-08-01',
    'fiatrail history transactions --all -o json --query summary.depositVolume.value',
  ],
  rows: 'rows',
  parameters: {
    direction: option('--direction <direction>', 'in (deposits) or out (payouts); default both', oneOf('in', 'out')),
    type: choice('type', [...DEPOSITS, ...PAYOUTS]),
    status: choice('status', BANK_STATUSES),
    userId: userOption('only transactions of this user'),
  },
  listing: ({ direction, type, status, userId }) => {
    checkWay(direction, type);
    return transactionsBy({ direction, type, userId, status });
  },
  printed: ({ result, ...outcome }) => ({
    ...outcome,
    ...(result ? { result: { ...result, ...totalsOf(result.data) } } : {}),
  }),
});

const withdrawals = listCommand(listWithdrawals, {
  words: ['history', 'withdrawals'],
  summary: 'List token withdrawals and transfers, newest first',
  examples: [
    'fiatrail history withdrawals --token USDC --status completed',
    'fiatrail history withdrawals --user 4f1c… --all -o csv --fields createdAt,amount,destinationAddress',
  ],
  rows: 'rows',
  parameters: {
    type: choice('type', WITHDRAWALS),
    status: choice('status', WITHDRAWAL_STATUSES),
    userId: userOption('only withdrawals of this user'),
    token: tokenFilter,
  },
  listing: ({ type, status, userId, token }) => withdrawalsBy({ type, status, userId, token }),
});

export const commands = [deposits, payouts, transactions, withdrawals];
