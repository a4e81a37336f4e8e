import { CliError } from '../base/errors.ts';
import type { ResponseOf } from '../contract/endpoint.ts';
import { listTransactions } from '../contract/endpoints/history.ts';
import { valuesOf } from '../contract/fields.ts';
import { shapeOf, unwrap } from '../contract/rows.ts';
import { amountForPeople, fromWire, isUnknownFigure, type UnknownFigure } from '../money/amount.ts';
import type { Result } from '../present/result.ts';
import { serviceListCommand } from '../terminal/list-command.ts';
import { payouts } from '../things/bank-transfers.ts';
import { deposits } from '../things/deposits.ts';
import { amount, listedBy, text } from '../things/thing.ts';
import { withdrawals } from '../things/token-transfers.ts';

/** Returns the type to send: the service filters by user only together with one type. Throws CliError usage. */
function typeFor(userId: unknown, type: unknown, ofUsers: string): unknown {
  if (userId === undefined || type === ofUsers) return type;
  if (type === undefined) return ofUsers;
  throw new CliError('usage', `--user cannot be combined with --type ${type}; it requires --type ${ofUsers}`, {
    hint: 'omit --type or --user',
  });
}

/** Throws CliError usage if no row can match both filters. */
function checkWay({ direction, type }: Readonly<Record<string, unknown>>): void {
  if (direction === undefined || type === undefined) return;
  const way = String(type).endsWith('offramp') ? 'out' : 'in';
  if (way === direction) return;
  throw new CliError('usage', `--type ${type} cannot be combined with --direction ${direction}`, {
    hint: `omit one of them, or use --direction ${way}`,
  });
}

/** A list whose rows of users have one type. */
const ofUsers =
  (type: string) =>
  ({ userId, ...filters }: Readonly<Record<string, unknown>>) => ({
    ...filters,
    userId,
    type: typeFor(userId, filters['type'], type),
  });

const depositsList = serviceListCommand(deposits, {
  words: ['history', 'deposits'],
  summary: 'List incoming bank transfers, newest first',
  checked: ofUsers('user_onramp'),
});

const payoutsList = serviceListCommand(payouts, {
  words: ['history', 'payouts'],
  summary: 'List outgoing bank transfers, newest first',
  checked: ofUsers('user_offramp'),
});

const naira = (text: string | UnknownFigure | null | undefined) => {
  if (isUnknownFigure(text)) return `${text.value} (not known to be in Naira)`;
  const value = text ? fromWire(text, 'naira', 'NGN') : undefined;
  return value ? amountForPeople(value) : '';
};

type Totals = Pick<ResponseOf<typeof listTransactions>, 'summary' | 'filters'>;
type Summary = NonNullable<Totals['summary']>;

/** The rows of the service's totals for one status; none if no transfer has it. */
function totalRows(status: string, { totalDeposits, totalPayouts, depositVolume, payoutVolume }: Summary) {
  const row = (
    direction: string,
    count: number | null | undefined,
    volume: string | UnknownFigure | null | undefined,
  ) => (count === 0 ? [] : [{ status, direction, count: String(count ?? ''), volume: naira(volume) }]);
  return [...row('in', totalDeposits, depositVolume), ...row('out', totalPayouts, payoutVolume)];
}

const countIn = ({ totalDeposits, totalPayouts }: Summary) => (totalDeposits ?? 0) + (totalPayouts ?? 0);

/** Returns the service's totals as a table below the rows: by status, since it adds up what failed and what was sent back as well. */
async function totalsOf(data: unknown, ask: (more: object) => Promise<unknown>): Promise<Pick<Result, 'below'>> {
  const { summary, filters } = data as Totals;
  if (!summary || countIn(summary) === 0) return {};
  if (filters?.status) return { below: { title: 'Totals', rows: totalRows(filters.status, summary), columns: TOTALS } };
  const rows = [];
  let count = 0;
  for (const status of statuses()) {
    const { summary: part } = (await ask({ status })) as Totals;
    if (!part) return {};
    count += countIn(part);
    rows.push(...totalRows(status, part));
  }
  // The service may have statuses that no one documented.
  const isWhole = count === countIn(summary);
  const title = isWhole ? 'Totals' : 'Totals, without transfers of other statuses';
  return { below: { title, rows, columns: TOTALS } };
}

/** The statuses that the list can be filtered by. */
function statuses(): readonly string[] {
  const field = shapeOf(listTransactions.request())?.['status'];
  return (field && valuesOf(unwrap(field).meta ?? { type: '' })) ?? [];
}

const TOTALS = [
  { field: 'status', title: 'Status' },
  { field: 'direction', title: 'Direction' },
  { field: 'count', title: 'Transfers', align: 'right' },
  { field: 'volume', title: 'Amount', align: 'right' },
] as const;

/** Bank transfers in both directions. */
const allTransfers = listedBy(listTransactions, {
  name: 'transactions',
  about: 'bank transfers in both directions',
  rows: 'transactions',
  pages: 'offset',
  readBy: 'dated',
  id: 'id',
  status: 'status',
  createdAt: 'createdAt',
  label: [],
  facts: [text('Direction', 'direction'), amount('Amount', 'amount'), text('Type', 'type')],
  columns: ['id', 'createdAt', 'direction', 'amount', 'status', { field: 'type', isWide: true }],
});

const transactions = serviceListCommand(allTransfers, {
  words: ['history', 'transactions'],
  summary: 'List incoming and outgoing bank transfers with totals, newest first',
  details:
    'A table has the service’s totals for each status below its rows. The summary in JSON covers every status; for completed transfers only, add --status completed.',
  examples: [
    'fiatrail history transactions --direction in --since 2026-08-01',
    'fiatrail history transactions --status completed -o json --query summary.depositVolume.value',
  ],
  checked: (filters) => {
    checkWay(filters);
    return filters;
  },
  printed: async ({ result, ...outcome }, { account, ask }) => {
    const { format, fields } = account.globals.present;
    const below = result && format === 'table' && !fields ? await totalsOf(result.data, ask) : {};
    return { ...outcome, ...(result ? { result: { ...result, ...below } } : {}) };
  },
});

const withdrawalsList = serviceListCommand(withdrawals, {
  words: ['history', 'withdrawals'],
  summary: 'List token withdrawals and transfers, newest first',
});

export const commands = [depositsList, payoutsList, transactions, withdrawalsList];
