import * as z from 'zod/mini';
import { reachOf } from '../../copy/questions/in-copy.ts';
import { accountIn, balancesAt } from '../../copy/questions/report/balance.ts';
import { partsOf, STEPS, spanOf } from '../../copy/questions/report/periods.ts';
import { usersIn } from '../../copy/questions/report/users.ts';
import { ASSET_LABEL } from '../../money/amount.ts';
import { negated } from '../../money/figure.ts';
import { figureSchema, paginationSchema } from '../../present/prints.ts';
import { command } from '../../terminal/command.ts';
import { oneOf, option, ticker, wholeNumber } from '../../terminal/parse/parameters.ts';
import { periodOptions } from '../../terminal/parse/period.ts';
import { completeOption, reported } from './known.ts';
import { checkLines } from './lines.ts';
import {
  chartOption,
  neverLooked,
  periodArgument,
  periodIn,
  periodSchema,
  pointOf,
  spanIn,
  svgOption,
  withCopyFor,
  writeChart,
} from './period.ts';

const feesCommand = command({
  words: ['report', 'fees'],
  summary: 'Report fees earned, withdrawn and paid',
  examples: ['fiatrail report fees', 'fiatrail report fees last month -o json --query earned'],
  endpoints: [],
  prints: () =>
    z.object({
      ...periodSchema(),
      earned: figureSchema(),
      withdrawn: figureSchema(),
      withdrawable: figureSchema(),
      paid: z.array(figureSchema()),
    }),
  isLocal: true,
  parameters: { period: periodArgument, ...periodOptions, complete: completeOption },
  run: (account, terminal, { period: name, since, until, complete = false }) =>
    withCopyFor(account, terminal, name, { since, until }, (copy) =>
      copy.read(async (queries) => {
        const period = await periodIn(account, terminal, queries, name, { since, until });
        const span = spanOf(period.sinceMs, period.untilMs);
        const { assets } = await accountIn(queries, span);
        const naira = assets.find(({ asset }) => asset === 'NGN');
        if (!naira) throw neverLooked();
        const data = {
          ...spanIn(period),
          earned: naira.earned,
          withdrawn: negated(naira.out),
          withdrawable: naira.closing,
          paid: assets.flatMap(({ fees }) => (fees.minor === 0n ? [] : [negated(fees)])),
        };
        return reported(terminal, complete, { data });
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
    amount: figureSchema(),
    offramps: z.int(),
    paidOut: figureSchema(),
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
    complete: completeOption,
  },
  run: (account, terminal, { period: name, top = 10, since, until, complete = false }) =>
    withCopyFor(account, terminal, name, { since, until }, (copy) =>
      copy.read(async (queries) => {
        const period = await periodIn(account, terminal, queries, name, { since, until });
        const found = await usersIn(queries, spanOf(period.sinceMs, period.untilMs), top);
        const data = { ...spanIn(period), ...found };
        const reach = await reachOf(queries, spanIn(period).until);
        const checks = checkLines(undefined, reach, terminal.globals.zone, { unowned: found.unownedOfframps });
        const rows = { data, lists: 'users', list: { isWhole: true }, columns: USER_COLUMNS } as const;
        return reported(terminal, complete, { ...rows, below: checks }, reach.partial);
      }),
    ),
});

const balanceCommand = command({
  words: ['report', 'balance'],
  summary: 'Report a token’s balance at the end of each day, week or month',
  examples: [
    'fiatrail report balance',
    'fiatrail report balance --token USDC --since 30d --by week',
    'fiatrail report balance --since 30d --chart',
    'fiatrail report balance last month --svg last-month.svg',
  ],
  endpoints: [],
  prints: () =>
    z.object({
      ...periodSchema(),
      balances: z.array(z.object({ at: z.string(), balance: figureSchema() })),
      pagination: paginationSchema(),
    }),
  isLocal: true,
  parameters: {
    period: periodArgument,
    token: option('--token <ticker>', 'CNGN, USDC or USDT (default CNGN)', ticker),
    by: option('--by <part>', 'group by day, week or month (default day)', oneOf(...STEPS)),
    ...periodOptions,
    complete: completeOption,
    chart: chartOption,
    svg: svgOption,
  },
  run: (
    account,
    terminal,
    { period: name, token: asset = 'CNGN', by = 'day', since, until, chart = false, svg, complete = false },
  ) =>
    withCopyFor(account, terminal, name, { since, until }, (copy) =>
      copy.read(async (queries) => {
        const period = await periodIn(account, terminal, queries, name, { since, until });
        const parts = partsOf(period.sinceMs, period.untilMs, by, terminal.globals.zone);
        const ends = parts.map(({ sinceMs, untilMs }) => spanOf(sinceMs, untilMs).to);
        const found = await balancesAt(queries, ends);
        if (!found) throw neverLooked();
        const balances = found.flatMap((each, index) => {
          const [balance, at] = [each.get(asset), parts[index]?.name];
          return balance && at !== undefined ? [{ at, balance }] : [];
        });
        const points = balances.map(({ at, balance }) => pointOf(at, balance));
        if (svg !== undefined) await writeChart(account, svg, `Balance in ${asset}`, [{ title: asset, points }]);
        const columns = [
          { field: 'at', title: by === 'week' ? 'Week of' : by === 'day' ? 'Day' : 'Month' },
          { field: 'balance', title: 'Balance', align: 'right' },
        ] as const;
        const bars = chart ? { bars: [{ title: `Balance in ${ASSET_LABEL[asset]}`, points }] } : {};
        const data = { ...spanIn(period), balances };
        return reported(terminal, complete, { data, lists: 'balances', list: { isWhole: true }, columns, ...bars });
      }),
    ),
});

export const partCommands = [feesCommand, usersCommand, balanceCommand];
