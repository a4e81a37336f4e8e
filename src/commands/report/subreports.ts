import * as z from 'zod/mini';
import { withCopy } from '../../copy/open.ts';
import { reachOf } from '../../copy/questions/in-copy.ts';
import { accountIn, balancesAt } from '../../copy/questions/report/balance.ts';
import { pendingIn } from '../../copy/questions/report/kinds.ts';
import { owedTo } from '../../copy/questions/report/owed.ts';
import { partsOf, STEPS, spanOf } from '../../copy/questions/report/periods.ts';
import { usersIn } from '../../copy/questions/report/users.ts';
import type { Outcome } from '../../engine/outcome.ts';
import { type Figure, negated } from '../../money/figure.ts';
import { figureSchema, paginationSchema } from '../../present/prints.ts';
import type { Result } from '../../present/result.ts';
import { timeText } from '../../present/times.ts';
import { command } from '../../terminal/command.ts';
import { oneOf, option, ticker, wholeNumber } from '../../terminal/parse/parameters.ts';
import { periodOptions } from '../../terminal/parse/period.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { completeOption, incomplete, reasonLines } from './known.ts';
import { checkLines } from './lines.ts';
import {
  neverLooked,
  periodArgument,
  periodIn,
  periodSchema,
  spanIn,
  svgOption,
  withCopyFor,
  writeChart,
} from './period.ts';

/** A report of figures: what it prints, why some are not known, and the error of one that must be complete. */
function reported(
  { globals: { zone } }: Terminal,
  isComplete: boolean,
  { below = [], ...result }: Result,
  partial: readonly string[] = [],
): Outcome {
  const { data } = result;
  const error = isComplete ? incomplete(data, zone, partial) : undefined;
  const shown = { ...result, hasFigures: true, below: [...[below].flat(), ...reasonLines(data, zone)] } as const;
  return { result: shown, ...(error ? { error } : {}) };
}

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
        const reach = await reachOf(queries);
        const checks = checkLines(undefined, reach, terminal.globals.zone, { unowned: found.unownedOfframps });
        const rows = { data, lists: 'users', list: { isWhole: true }, columns: USER_COLUMNS } as const;
        return reported(terminal, complete, { ...rows, below: checks }, reach.partial);
      }),
    ),
});

const pendingCommand = command({
  words: ['report', 'pending'],
  summary: 'List open work, oldest first',
  details: 'To see details and what to do, run: fiatrail find ID',
  examples: ['fiatrail report pending', 'fiatrail report pending -o json --query "pending[].id"'],
  endpoints: [],
  prints: () =>
    z.object({
      pending: z.array(
        z.object({
          kind: z.string(),
          id: z.string(),
          status: z.nullable(z.string()),
          amount: figureSchema(),
          since: z.nullable(z.string()),
          waitsFor: z.string(),
        }),
      ),
      pagination: paginationSchema(),
    }),
  isLocal: true,
  parameters: {
    limit: option('--limit <count>', 'maximum number of rows, 1 to 10,000 (default 100)', wholeNumber(1, 10_000)),
    complete: completeOption,
  },
  run: (account, terminal, { limit = 100, complete = false }) =>
    withCopy(account, (copy) =>
      copy.read(async (queries) => {
        const columns = [
          { field: 'id', title: 'ID' },
          { field: 'kind', title: 'Kind' },
          { field: 'status', title: 'Status', isWide: true },
          { field: 'amount', title: 'Amount', align: 'right' },
          { field: 'since', title: 'Since', isBrief: true },
          { field: 'waitsFor', title: 'Waiting for' },
        ] as const;
        const data = { pending: await pendingIn(queries, limit) };
        const { partial } = await reachOf(queries);
        return reported(terminal, complete, { data, lists: 'pending', list: { isWhole: true }, columns }, partial);
      }),
    ),
});

/** A bar of up to so many blocks. */
const BAR = 24;

/** Balances as bars; what is not known has none. */
function balanceBars(balances: readonly { readonly at: string; readonly balance: Figure }[], isPlain: boolean) {
  const most = balances.reduce((max, { balance: { minor } }) => (minor !== null && minor > max ? minor : max), 1n);
  return balances.map(({ at, balance: { minor } }) => ({
    at,
    bar:
      minor === null
        ? 'not known'
        : (isPlain ? '#' : '█').repeat(minor > 0n ? Number((minor * BigInt(BAR)) / most) : 0),
  }));
}

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
    svg: svgOption,
  },
  run: (account, terminal, { period: name, token: asset = 'CNGN', by = 'day', since, until, svg, complete = false }) =>
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
        if (svg !== undefined)
          await writeChart(account, svg, `Balance in ${asset}`, [
            { title: asset, points: balances.map(({ at, balance }) => ({ label: at, figure: balance })) },
          ]);
        const columns = [
          { field: 'at', title: by === 'week' ? 'Week of' : by === 'day' ? 'Day' : 'Month' },
          { field: 'balance', title: 'Balance', align: 'right' },
        ] as const;
        const rows = balanceBars(balances, account.globals.present.isPlain === true);
        const below = { title: 'Chart', rows, columns: [columns[0], { field: 'bar', title: '' }] };
        const data = { ...spanIn(period), balances };
        return reported(terminal, complete, { data, lists: 'balances', list: { isWhole: true }, columns, below });
      }),
    ),
});

const owedCommand = command({
  words: ['report', 'owed'],
  summary: 'Report the total balance of the users’ wallets',
  details:
    'Reads each user’s balance from the service, as fast as the rate limit allows. An interrupted run continues where it stopped. Balances read in the last 24 hours are reused.',
  examples: ['fiatrail report owed', 'fiatrail report owed -o json --query owed'],
  endpoints: ['wallets.balance-user'],
  isView: true,
  prints: () =>
    z.object({
      users: z.int(),
      unknown: z.int(),
      oldest: z.nullable(z.string()),
      owed: z.array(z.object({ asset: z.string(), amount: figureSchema(), users: z.int() })),
      pagination: paginationSchema(),
    }),
  parameters: { complete: completeOption },
  run: (account, terminal, { complete = false }) =>
    withCopy(account, async (copy) => {
      const data = await owedTo(account, copy);
      const columns = [
        { field: 'amount', title: 'Owed', align: 'right' },
        { field: 'users', title: 'Users', align: 'right' },
      ] as const;
      const { users, unknown, oldest } = data;
      const read = oldest && timeText(oldest, { zone: terminal.globals.zone }, true);
      const says = `${users} users${read ? `, the first of them read ${read}` : ''}`;
      const lacks = unknown > 0 ? `; the service does not say what ${unknown} of them hold` : '';
      const below = {
        title: 'Read',
        rows: [{ says: `${says}${lacks}` }],
        columns: [{ field: 'says', title: 'From' }],
      };
      return reported(terminal, complete, { data, lists: 'owed', list: { isWhole: true }, columns, below });
    }),
});

export const partCommands = [feesCommand, usersCommand, pendingCommand, balanceCommand, owedCommand];
