import * as z from 'zod/mini';
import { withCopy } from '../../copy/open.ts';
import { reachOf } from '../../copy/questions/in-copy.ts';
import { accountIn, balancesAt } from '../../copy/questions/report/balance.ts';
import { noSums } from '../../copy/questions/report/movements.ts';
import { partsOf, STEPS, spanOf } from '../../copy/questions/report/periods.ts';
import { usersIn } from '../../copy/questions/report/users.ts';
import { amount, amountForPeople } from '../../money/amount.ts';
import { amountSchema, paginationSchema } from '../../present/prints.ts';
import { command } from '../../terminal/command.ts';
import { oneOf, option, ticker, wholeNumber } from '../../terminal/parse/parameters.ts';
import { periodOptions } from '../../terminal/parse/period.ts';
import { checkLines } from './lines.ts';
import { neverLooked, periodArgument, periodIn, periodSchema, spanIn, svgOption, writeChart } from './period.ts';

const feesCommand = command({
  words: ['report', 'fees'],
  summary: 'Report fees earned, withdrawn and paid',
  examples: ['fiatrail report fees', 'fiatrail report fees last month -o json --query earned'],
  endpoints: [],
  prints: () =>
    z.object({
      ...periodSchema(),
      earned: amountSchema(),
      withdrawn: amountSchema(),
      withdrawable: z.nullable(amountSchema()),
      paid: z.array(amountSchema()),
    }),
  isLocal: true,
  parameters: { period: periodArgument, ...periodOptions },
  run: (account, terminal, { period: name, since, until }) =>
    withCopy(account, (copy) =>
      copy.read(async (queries) => {
        const period = await periodIn(account, terminal, queries, name, { since, until });
        const span = spanOf(period.sinceMs, period.untilMs);
        const { assets, parts } = await accountIn(queries, span, [span]);
        const moved = parts.flat();
        const { earned, out } = moved.find(({ asset }) => asset === 'NGN') ?? noSums();
        const balance = assets.find(({ asset }) => asset === 'NGN')?.closing;
        const data = {
          ...spanIn(period),
          earned: amount('NGN', earned),
          withdrawn: amount('NGN', out),
          // What nobody had looked at by then is not what can be withdrawn now.
          withdrawable: balance && !(period.isOver && balance.isComputed) ? amount('NGN', balance.minor) : null,
          paid: moved.flatMap(({ asset, fees }) => (fees === 0n ? [] : [amount(asset, fees)])),
        };
        return { result: { data } };
      }),
    ),
});

export const USER_COLUMNS = [
  { field: 'name', title: 'Name' },
  { field: 'user', title: 'User' },
  { field: 'onramps', title: 'Onramps', align: 'right' },
  { field: 'amount', title: 'Paid in', align: 'right' },
  { field: 'offramps', title: 'Offramps', align: 'right' },
  { field: 'paidOut', title: 'Paid out', align: 'right' },
  { field: 'withdrawals', title: 'Withdrawals', align: 'right', isWide: true },
] as const;

export const userSchema = () =>
  z.object({
    user: z.string(),
    name: z.nullable(z.string()),
    onramps: z.int(),
    amount: z.nullable(amountSchema()),
    offramps: z.int(),
    paidOut: z.nullable(amountSchema()),
    withdrawals: z.int(),
  });

const usersCommand = command({
  words: ['report', 'users'],
  summary: 'List the top users by deposits, and what was paid out to them',
  examples: ['fiatrail report users', 'fiatrail report users last month --top 20 -o csv'],
  endpoints: [],
  prints: () =>
    z.object({
      ...periodSchema(),
      users: z.array(userSchema()),
      unownedOfframps: z.int(),
      pagination: paginationSchema(),
    }),
  isLocal: true,
  parameters: {
    period: periodArgument,
    top: option('--top <count>', 'number of users, 1 to 1000 (default 10)', wholeNumber(1, 1000)),
    ...periodOptions,
  },
  run: (account, terminal, { period: name, top = 10, since, until }) =>
    withCopy(account, (copy) =>
      copy.read(async (queries) => {
        const period = await periodIn(account, terminal, queries, name, { since, until });
        const found = await usersIn(queries, spanOf(period.sinceMs, period.untilMs), top);
        const data = { ...spanIn(period), ...found };
        const checks = checkLines(undefined, await reachOf(queries), terminal.globals.zone, {
          unowned: found.unownedOfframps,
        });
        return { result: { data, lists: 'users', list: { isWhole: true }, columns: USER_COLUMNS, below: checks } };
      }),
    ),
});

/** A bar of up to so many blocks. */
const BAR = 24;

const balanceCommand = command({
  words: ['report', 'balance'],
  summary: 'Report a token’s balance at the end of each day, week or month',
  examples: [
    'fiatrail report balance',
    'fiatrail report balance --token USDC --since 30d --by week',
    'fiatrail report balance last month --svg last-month.svg',
  ],
  endpoints: [],
  prints: () =>
    z.object({
      ...periodSchema(),
      balances: z.array(z.object({ at: z.string(), balance: amountSchema(), isComputed: z.boolean() })),
      pagination: paginationSchema(),
    }),
  isLocal: true,
  parameters: {
    period: periodArgument,
    token: option('--token <ticker>', 'CNGN, USDC or USDT (default CNGN)', ticker),
    by: option('--by <part>', 'group by day, week or month (default day)', oneOf(...STEPS)),
    ...periodOptions,
    svg: svgOption,
  },
  run: (account, terminal, { period: name, token: asset = 'CNGN', by = 'day', since, until, svg }) =>
    withCopy(account, (copy) =>
      copy.read(async (queries) => {
        const period = await periodIn(account, terminal, queries, name, { since, until });
        const parts = partsOf(period.sinceMs, period.untilMs, by, terminal.globals.zone);
        const ends = parts.map(({ sinceMs, untilMs }) => spanOf(sinceMs, untilMs).to);
        const found = await balancesAt(queries, ends);
        if (!found) throw neverLooked();
        const balances = found.flatMap((each, index) => {
          const [balance, at] = [each.get(asset), parts[index]?.name];
          return balance && at !== undefined
            ? [{ at, balance: amount(asset, balance.minor), isComputed: balance.isComputed }]
            : [];
        });
        if (svg !== undefined)
          await writeChart(account, svg, `Balance in ${asset}`, [
            { title: asset, points: balances.map(({ at, balance }) => ({ label: at, amount: balance })) },
          ]);
        const most = balances.reduce((max, { balance: { minor } }) => (minor > max ? minor : max), 1n);
        const rows = balances.map(({ at, balance, isComputed }) => ({
          at,
          balance: `${amountForPeople(balance)}${isComputed ? ' (computed)' : ''}`,
          bar: (account.globals.present.isPlain ? '#' : '█').repeat(Number((balance.minor * BigInt(BAR)) / most)),
        }));
        const columns = [
          { field: 'at', title: by === 'week' ? 'Week of' : by === 'day' ? 'Day' : 'Month' },
          { field: 'balance', title: 'Balance', align: 'right' },
          { field: 'isComputed', title: 'Computed' },
        ] as const;
        const below = { title: 'Chart', rows, columns: [columns[0], { field: 'bar', title: '' }] };
        return {
          result: { data: { ...spanIn(period), balances }, lists: 'balances', list: { isWhole: true }, columns, below },
        };
      }),
    ),
});

export const partCommands = [feesCommand, usersCommand, balanceCommand];
