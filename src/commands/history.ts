import { CliError } from '../base/errors.ts';
import type { RequestOf, ResponseOf } from '../contract/endpoint.ts';
import { listDeposits, listPayouts, listTransactions } from '../contract/endpoints/history.ts';
import { listWithdrawals } from '../contract/endpoints/withdrawals.ts';
import { listedByPosition, type Position } from '../engine/lists/listed.ts';
import type { Outcome } from '../engine/outcome.ts';
import type { Column } from '../present/result.ts';
import { type Command, command } from '../terminal/command.ts';
import { positionOptions } from '../terminal/parse/paging.ts';
import { id, oneOf, option, ticker } from '../terminal/parse/parameters.ts';
import { periodOf, periodOptions } from '../terminal/parse/period.ts';
import type { Session } from '../terminal/session.ts';

const STATUSES = ['pending', 'processing', 'completed', 'failed', 'cancelled'] as const;
const DEPOSITS = ['fintech_deposit', 'user_onramp'] as const;
const PAYOUTS = ['fintech_offramp', 'user_offramp'] as const;
const WITHDRAWALS = ['fintech_self_transfer', 'fintech_user_withdrawal', 'user_withdrawal'] as const;

function choice<const V extends readonly string[]>(name: string, values: V) {
  return option(`--${name} <${name}>`, `${values.join(', ')} (default all)`, oneOf(...values));
}

const userOption = (help: string) => option('--user <user-id>', help, id);

const paging = { ...periodOptions, ...positionOptions('rows') };

type HistoryEndpoint = typeof listDeposits | typeof listPayouts | typeof listTransactions | typeof listWithdrawals;

/** Runs a list whose pages have limit, offset and hasMore beside the rows. */
function listed<E extends HistoryEndpoint, Row>(
  session: Session,
  list: {
    readonly endpoint: E;
    readonly columns: readonly Column[];
    readonly rowsOf: (data: ResponseOf<E>) => readonly Row[] | null | undefined;
    readonly idOf: (row: Row) => string | null | undefined;
  },
  filter: RequestOf<E>,
  position: Position,
): Promise<Outcome> {
  return listedByPosition<E, Row>(
    session,
    {
      ...list,
      request: (limit, offset) => ({ ...filter, limit, offset }),
      totalOf: (data) => (data as { readonly total?: number | null }).total,
    },
    position,
  );
}

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

const WHEN = { field: 'createdAt', title: 'When', isBrief: true } as const;
const HEAD = [WHEN, { field: 'type', title: 'Type' }, { field: 'amount', title: 'Amount' }] as const;
const STATUS = { field: 'status', title: 'Status' } as const;
const ID = { field: 'id', title: 'ID', isWide: true } as const;

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
    status: choice('status', STATUSES),
    user: userOption('only deposits of this user (implies --type user_onramp)'),
    ...paging,
  },
  fields: { userId: 'user', startDate: 'since', endDate: 'until' },
  run: async (session, { type, status, user: userId, ...page }) =>
    listed(
      session,
      {
        endpoint: listDeposits,
        columns: [...HEAD, STATUS, { field: 'depositor.name', title: 'From' }, ID],
        rowsOf: ({ deposits }) => deposits,
        idOf: (row) => row.id,
      },
      { type: typeFor(userId, type, 'user_onramp'), userId, status, ...periodOf(page, session) },
      page,
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
    status: choice('status', STATUSES),
    user: userOption('only payouts of this user (implies --type user_offramp)'),
    ...paging,
  },
  fields: { userId: 'user', startDate: 'since', endDate: 'until' },
  run: async (session, { type, status, user: userId, ...page }) =>
    listed(
      session,
      {
        endpoint: listPayouts,
        columns: [...HEAD, STATUS, { field: 'bankAccount.accountName', title: 'To' }, ID],
        rowsOf: ({ payouts }) => payouts,
        idOf: (row) => row.id,
      },
      { type: typeFor(userId, type, 'user_offramp'), userId, status, ...periodOf(page, session) },
      page,
    ),
});

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
    status: choice('status', STATUSES),
    user: userOption('only transactions of this user'),
    ...paging,
  },
  fields: { userId: 'user', startDate: 'since', endDate: 'until' },
  run: async (session, { direction, type, status, user: userId, ...page }) => {
    checkWay(direction, type);
    return listed(
      session,
      {
        endpoint: listTransactions,
        columns: [WHEN, { field: 'direction', title: 'Direction' }, ...HEAD.slice(1), STATUS, ID],
        rowsOf: ({ transactions }) => transactions,
        idOf: (row) => row.id,
      },
      { direction, type, userId, status, ...periodOf(page, session) },
      page,
    );
  },
});

const withdrawalsCommand = command({
  words: ['history', 'withdrawals'],
  summary: 'List token withdrawals, newest first',
  examples: [
    'fiatrail history withdrawals --token USDC --status completed',
    'fiatrail history withdrawals --user 4f1c… --all -o csv --fields createdAt,amount,destinationAddress',
  ],
  endpoints: [listWithdrawals.id],
  prints: { response: listWithdrawals },
  parameters: {
    type: choice('type', WITHDRAWALS),
    status: choice('status', ['pending', 'completed', 'failed']),
    user: userOption('only withdrawals of this user'),
    token: option('--token <ticker>', 'token: CNGN, USDC or USDT (default all)', ticker),
    ...paging,
  },
  fields: { userId: 'user', startDate: 'since', endDate: 'until' },
  run: async (session, { type, status, user: userId, token, ...page }) =>
    listed(
      session,
      {
        endpoint: listWithdrawals,
        columns: [...HEAD, STATUS, { field: 'network', title: 'Network' }, WITHDRAWN_TO],
        rowsOf: ({ withdrawals }) => withdrawals,
        idOf: (row) => row.requestId,
      },
      { type, status, userId, token, ...periodOf(page, session) },
      page,
    ),
});

const WITHDRAWN_TO = { field: 'destinationAddress', title: 'To', isWide: true } as const;

export const commands: readonly Command[] = [depositsCommand, payoutsCommand, transactionsCommand, withdrawalsCommand];
