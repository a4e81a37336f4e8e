import * as z from 'zod/mini';
import { CliError } from '../../base/errors.ts';
import { withCopy } from '../../copy/open.ts';
import { type Reach, reachOf } from '../../copy/questions/in-copy.ts';
import { type AccountReport, accountIn } from '../../copy/questions/report/balance.ts';
import { saveAccepted } from '../../copy/questions/report/differences.ts';
import { kindsIn, usersIn } from '../../copy/questions/report/kinds.ts';
import type { Span } from '../../copy/questions/report/movements.ts';
import { partsOf, type ReportStep, STEPS, spanOf } from '../../copy/questions/report/periods.ts';
import type { Account } from '../../engine/account.ts';
import type { Outcome } from '../../engine/outcome.ts';
import { endDryRun } from '../../engine/requests.ts';
import type { Queries } from '../../journal/store.ts';
import { amount, amountForPeople } from '../../money/amount.ts';
import { amountSchema, paginationSchema } from '../../present/prints.ts';
import type { Below, Column } from '../../present/result.ts';
import { timeText } from '../../present/times.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import { argument, oneOf, option, plainText, required } from '../../terminal/parse/parameters.ts';
import { periodOptions } from '../../terminal/parse/period.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import {
  assetSchema,
  balanceLines,
  checkLines,
  differenceLines,
  differenceSchema,
  isShown,
  MOVED,
  movedSchema,
  printedAsset,
  printedDifference,
  printedMoved,
  titleOfLine,
  unexplained,
} from './lines.ts';
import {
  iso,
  neverLooked,
  periodArgument,
  periodIn,
  periodSchema,
  type ReportPeriod,
  spanIn,
  svgOption,
  writeChart,
} from './period.ts';
import { partCommands, USER_COLUMNS, userSchema } from './subreports.ts';

const acceptCommand = command({
  words: ['report', 'accept'],
  summary: 'Accept balance changes that no list explains',
  details:
    'Accepts the unexplained changes of one asset in the period. An accepted change is included in every report of that time.',
  examples: ['fiatrail report accept USDC --reason "top-up from the exchange, 5 November"'],
  endpoints: [],
  prints: () =>
    z.object({
      ...periodSchema(),
      asset: z.string(),
      amount: amountSchema(),
      reason: z.string(),
      accepted: z.array(differenceSchema()),
    }),
  isLocal: true,
  parameters: {
    asset: argument('asset', 'CNGN, USDC, USDT, or NGN for earned fees', oneOf('CNGN', 'USDC', 'USDT', 'NGN')),
    period: periodArgument,
    reason: required('--reason <text>', 'why the change is correct', plainText, 'Reason:'),
    ...periodOptions,
  },
  run: (account, terminal, { asset, period: name, reason, since, until }) =>
    withCopy(account, async (copy) => {
      const { period, differences } = await copy.read(async (queries) => {
        const named = await periodIn(account, terminal, queries, name, { since, until });
        return { ...(await accountIn(queries, spanOf(named.sinceMs, named.untilMs))), period: named };
      });
      const open = differences.filter((each) => each.asset === asset && each.minor !== each.accepted);
      if (open.length === 0)
        throw new CliError('usage', `there is nothing to accept: the balance in ${asset} agrees with the lists`, {
          hint: 'see: fiatrail report',
        });
      const left = open.map((each) => ({ ...each, minor: each.minor - each.accepted }));
      const total = amount(
        asset,
        left.reduce((sum, { minor }) => sum + minor, 0n),
      );
      const accepted = left.map((each) => printedDifference({ ...each, accepted: each.minor, reason }));
      const data = { ...spanIn(period), asset, amount: total, reason, accepted };
      endDryRun(account, data);
      const time = (at: string) => timeText(at, { zone: terminal.globals.zone }, true) ?? at;
      await confirmChange(terminal.dialog, {
        summary: `accept ${amountForPeople(total)} that no list shows`,
        lines: [
          ...left.map(
            ({ from, to, minor }) => [`${time(from)} to ${time(to)}`, amountForPeople(amount(asset, minor))] as const,
          ),
          ['reason', reason],
        ],
      });
      const { user, name: host } = account.world.host;
      const at = iso(account.world.clock.now());
      const who = `${user} on ${host}`;
      const rows = left.map(({ from, to, minor }) => ({ asset, minor, since: from, until: to, reason, who, at }));
      await copy.write((queries) => saveAccepted(queries, rows));
      return { result: { data } };
    }),
});

const KIND_COLUMNS = [
  { field: 'kind', title: 'Kind' },
  { field: 'completed', title: 'Completed', align: 'right' },
  { field: 'amount', title: 'Amount', align: 'right' },
  { field: 'failed', title: 'Failed', align: 'right' },
  { field: 'refunded', title: 'Sent back', align: 'right', isWide: true },
  { field: 'open', title: 'Open', align: 'right' },
] as const;

const right = (field: string, isWide = false): Column => ({
  field,
  title: titleOfLine(field),
  align: 'right',
  ...(isWide ? { isWide } : {}),
});

const ASSET_COLUMNS: readonly Column[] = [
  { field: 'asset', title: 'Asset' },
  right('opening'),
  right('in', true),
  right('out', true),
  right('unlisted'),
  right('closing'),
];

/** Rows, with what is below them on a terminal. */
function rowsOutcome(
  data: Readonly<Record<string, unknown>>,
  lists: string,
  columns: readonly Column[],
  { below = [], error }: { readonly below?: readonly Below[]; readonly error?: CliError | undefined } = {},
): Outcome {
  return { result: { data, lists, list: { isWhole: true }, columns, below }, ...(error ? { error } : {}) };
}

/** The period, how fresh the copy is, and which of its tables may lack rows. */
const headOf = (period: ReportPeriod, { syncedAt, partial }: Reach) => ({ ...spanIn(period), syncedAt, partial });

/** Reads what became of the account in a period. Rejects with CliError usage if nobody ever looked at its balances. */
async function readAccount(terminal: Terminal, queries: Queries, period: ReportPeriod, parts: readonly Span[] = []) {
  const account = await accountIn(queries, spanOf(period.sinceMs, period.untilMs), parts);
  if (account.assets.length === 0) throw neverLooked();
  const { differences, compared, uncounted } = account;
  const reach = await reachOf(queries);
  const head = {
    ...headOf(period, reach),
    compared: compared && { from: compared.from, until: compared.to },
    uncounted,
    differences: differences.map(printedDifference),
  };
  const below = [...differenceLines(differences), checkLines(account, reach, terminal.globals.zone)];
  return { account, head, below, error: unexplained(differences) };
}

/** Rows that are counted from the lists, which no balance can prove. */
async function ofCopy(
  terminal: Terminal,
  queries: Queries,
  period: ReportPeriod,
  lists: string,
  rows: Readonly<Record<string, unknown>>,
  columns: readonly Column[],
) {
  const reach = await reachOf(queries);
  const below = [checkLines(undefined, reach, terminal.globals.zone)];
  return rowsOutcome({ ...headOf(period, reach), ...rows }, lists, columns, { below });
}

/** The whole report of a period, by kind of work and by asset, or only one of the two. */
async function wholeReport(
  terminal: Terminal,
  queries: Queries,
  period: ReportPeriod,
  by: 'kind' | 'asset' | undefined,
): Promise<Outcome> {
  const kinds = () => kindsIn(queries, spanOf(period.sinceMs, period.untilMs));
  if (by === 'kind') return ofCopy(terminal, queries, period, 'kinds', { kinds: await kinds() }, KIND_COLUMNS);
  const { account: moves, head, below, error } = await readAccount(terminal, queries, period);
  const assets = moves.assets.filter(isShown).map(printedAsset);
  const data = { ...head, assets };
  if (by === 'asset') return rowsOutcome(data, 'assets', ASSET_COLUMNS, { below, error });
  const balances = assets.length > 0 ? [balanceLines(assets)] : [];
  return rowsOutcome({ ...data, kinds: await kinds() }, 'kinds', KIND_COLUMNS, {
    below: [...balances, ...below],
    error,
  });
}

const STEP_TITLES = { day: 'Day', week: 'Week of', month: 'Month' } as const;

/** One row for each part of the period and each asset that moved in it. */
async function byStep(
  account: Account,
  terminal: Terminal,
  queries: Queries,
  period: ReportPeriod,
  { step, svg }: { readonly step: ReportStep; readonly svg: string | undefined },
): Promise<Outcome> {
  const parts = partsOf(period.sinceMs, period.untilMs, step, terminal.globals.zone);
  const spans = parts.map(({ sinceMs, untilMs }) => spanOf(sinceMs, untilMs));
  const { account: moves, head, below, error } = await readAccount(terminal, queries, period, spans);
  const rows = moves.parts.flatMap((moved, index) =>
    moved.map((each) => ({ [step]: parts[index]?.name, ...printedMoved(each) })),
  );
  const columns: Column[] = [
    { field: step, title: STEP_TITLES[step] },
    ...MOVED.filter(
      (field) =>
        field === 'in' || field === 'out' || moves.parts.some((part) => part.some((each) => each[field] !== 0n)),
    ).map((field) => right(field)),
    { field: 'movements', title: 'Movements', align: 'right', isWide: true },
  ];
  if (svg !== undefined) await writeChart(account, svg, `By ${step}`, chartOf(moves, parts));
  return rowsOutcome({ ...head, parts: rows }, 'parts', columns, { below, error });
}

/** A panel for each asset and line that moved. */
function chartOf({ assets, parts: moved }: AccountReport, parts: readonly { readonly name: string }[]) {
  return assets.flatMap((report) =>
    MOVED.filter((field) => report[field] !== 0n).map((field) => ({
      title: `${report.asset}: ${titleOfLine(field)}`,
      points: parts.map(({ name }, index) => {
        const own = moved[index]?.find(({ asset }) => asset === report.asset);
        return { label: name, amount: own ? printedMoved(own)[field] : amount(report.asset, 0n) };
      }),
    })),
  );
}

/** All users of the period; more than an account has. */
const ALL_USERS = 10_000_000;

async function byUser(terminal: Terminal, queries: Queries, period: ReportPeriod): Promise<Outcome> {
  const users = await usersIn(queries, spanOf(period.sinceMs, period.untilMs), ALL_USERS);
  return ofCopy(terminal, queries, period, 'users', { users }, USER_COLUMNS);
}

const kindsSchema = () =>
  z.array(
    z.object({
      kind: z.string(),
      completed: z.int(),
      amount: z.nullable(amountSchema()),
      failed: z.int(),
      refunded: z.nullable(amountSchema()),
      open: z.int(),
    }),
  );

/** The documents of the whole report and of each form of --by. */
function reportSchema() {
  const common = {
    ...periodSchema(),
    syncedAt: z.nullable(z.iso.datetime()),
    partial: z.array(z.string()),
    pagination: paginationSchema(),
  };
  const checked = {
    ...common,
    compared: z.nullable(z.object({ from: z.iso.datetime(), until: z.iso.datetime() })),
    uncounted: z.int(),
    differences: z.array(differenceSchema()),
  };
  const assets = { assets: z.array(assetSchema()) };
  return z.union([
    z.object({ ...checked, ...assets, kinds: kindsSchema() }),
    z.object({ ...checked, ...assets }),
    ...STEPS.map((step) =>
      z.object({ ...checked, parts: z.array(z.object({ [step]: z.string(), ...movedSchema() })) }),
    ),
    z.object({ ...common, kinds: kindsSchema() }),
    z.object({ ...common, users: z.array(userSchema()) }),
  ]);
}

const reportCommand = command({
  words: ['report'],
  summary: 'Summarize what came in and went out, and check it against the balances',
  details:
    'Reads the copy of the account (fiatrail sync). Shows, for each asset, the opening balance, what came in and went out, fees, trades, refunds, what is in transit, and the closing balance. A movement counts when it completed. Each sync records the balances. If a balance changed between two syncs by more than the lists explain, for example because tokens were sent to it on a chain, the report shows the difference and exits with 9 until you accept it with: fiatrail report accept. Before the second sync nothing can be checked; the report says so and exits with 0. Users’ wallets are not included: see report owed.',
  examples: [
    'fiatrail report',
    'fiatrail report last month',
    'fiatrail report last month -o json',
    'fiatrail report --since 7d --by day',
    'fiatrail report --by asset -o csv',
    'fiatrail report last month --by day --svg last-month.svg',
  ],
  endpoints: [],
  prints: reportSchema,
  isLocal: true,
  parameters: {
    period: periodArgument,
    by: option(
      '--by <part>',
      'group by day, week, month, kind, user or asset',
      oneOf(...STEPS, 'kind', 'user', 'asset'),
    ),
    ...periodOptions,
    svg: svgOption,
  },
  run: (account, terminal, { period: name, by, since, until, svg }) =>
    withCopy(account, (copy) =>
      copy.read(async (queries) => {
        const step = STEPS.find((each) => each === by);
        if (svg !== undefined && !step)
          throw new CliError('usage', '--svg draws days, weeks or months', { hint: 'add: --by day' });
        const period = await periodIn(account, terminal, queries, name, { since, until });
        if (by === 'user') return byUser(terminal, queries, period);
        if (step) return byStep(account, terminal, queries, period, { step, svg });
        return wholeReport(terminal, queries, period, by === 'kind' || by === 'asset' ? by : undefined);
      }),
    ),
});

export const commands = [reportCommand, ...partCommands, acceptCommand];
