import * as z from 'zod/mini';
import { CliError } from '../../base/errors.ts';
import { acceptancesOf } from '../../copy/acceptances.ts';
import { closesIn } from '../../copy/closes.ts';
import { closedPeriod } from '../../copy/questions/books/closed.ts';
import { type Reach, reachOf } from '../../copy/questions/in-copy.ts';
import { accountIn, isWorthARow } from '../../copy/questions/report/balance.ts';
import { kindsIn } from '../../copy/questions/report/kinds.ts';
import { lineRowsIn } from '../../copy/questions/report/line-rows.ts';
import type { Span } from '../../copy/questions/report/movements.ts';
import { partsOf, type ReportStep, STEPS, spanOf } from '../../copy/questions/report/periods.ts';
import { type Trend, trendsIn } from '../../copy/questions/report/trends.ts';
import { usersIn } from '../../copy/questions/report/users.ts';
import type { Account } from '../../engine/account.ts';
import type { Outcome } from '../../engine/outcome.ts';
import type { Queries } from '../../journal/store.ts';
import { ASSET_LABEL, isAsset } from '../../money/amount.ts';
import type { Known } from '../../money/figure.ts';
import { figureSchema, knownSchema, paginationSchema } from '../../present/prints.ts';
import type { Below, Column, Panel } from '../../present/result.ts';
import { command } from '../../terminal/command.ts';
import { oneOf, option } from '../../terminal/parse/parameters.ts';
import { periodOptions } from '../../terminal/parse/period.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { acceptCommand } from './accept.ts';
import { booksCommand } from './books.ts';
import { changesCommand } from './changes.ts';
import { closeCommand } from './close.ts';
import { closedLines, closedSchema, errorOfClose, printedClosed } from './closed-month.ts';
import { exportCommand } from './export.ts';
import { incomeCommand } from './income.ts';
import { completeOption, incomplete, reasonLines } from './known.ts';
import {
  assetSchema,
  balanceLines,
  checkLines,
  differenceLines,
  differenceSchema,
  isShown,
  LINES,
  MOVED,
  movedSchema,
  printedAsset,
  printedDifference,
  printedMoved,
  titleOfLine,
  unexplained,
} from './lines.ts';
import { owedCommand } from './owed.ts';
import { pendingCommand } from './pending.ts';
import {
  chartOption,
  iso,
  neverLooked,
  periodArgument,
  periodIn,
  periodSchema,
  type ReportPeriod,
  spanIn,
  svgOption,
  withCopyFor,
  writeChart,
} from './period.ts';
import { profitCommand } from './profit.ts';
import { reopenCommand } from './reopen.ts';
import { ROWS, rowSchema } from './rows.ts';
import { statementCommand } from './statement.ts';
import { partCommands, USER_COLUMNS, userSchema } from './subreports.ts';

const KIND_COLUMNS = [
  { field: 'kind', title: 'Kind' },
  { field: 'completed', title: 'Completed', align: 'right' },
  { field: 'amount', title: 'Amount', align: 'right' },
  { field: 'failed', title: 'Failed', align: 'right' },
  { field: 'refunded', title: 'Sent back', align: 'right', isWide: true },
  { field: 'open', title: 'Open', align: 'right' },
] as const;

/** The columns of counts, which say so if they are only the least that they can be. */
const countColumns = (columns: readonly Column[], rows: readonly { readonly countsKnown: Known | null }[]) =>
  rows.some(({ countsKnown }) => countsKnown) ? [...columns, { field: 'countsKnown.is', title: 'Counts' }] : columns;

const right = (field: string, isWide = false): Column => ({
  field,
  title: titleOfLine(field),
  align: 'right',
  ...(isWide ? { isWide } : {}),
});

const ASSET_COLUMNS: readonly Column[] = [
  { field: 'asset', title: 'Asset' },
  ...LINES.map(([field]) => right(field, field !== 'opening' && field !== 'closing' && field !== 'unlisted')),
];

interface More {
  readonly below?: readonly Below[];
  /** Drawn instead of the rows. */
  readonly bars?: readonly Panel[] | undefined;
  readonly error?: CliError | undefined;
}

/** Rows, with what is below them on a terminal. */
function rowsOutcome(
  { terminal, isComplete }: Pick<Asking, 'terminal' | 'isComplete'>,
  data: Readonly<Record<string, unknown>> & Pick<Reach, 'partial'>,
  [lists, columns]: readonly [string, readonly Column[]],
  { below = [], bars, error: found }: More = {},
): Outcome {
  const { zone } = terminal.globals;
  const all = [...below, ...reasonLines(data, zone)];
  const error = found ?? (isComplete ? incomplete(data, zone, data.partial) : undefined);
  const result = {
    data,
    hasFigures: true,
    lists,
    list: { isWhole: true },
    columns,
    below: all,
    ...(bars && { bars }),
  } as const;
  return { result, ...(error ? { error } : {}) };
}

/** The period, how fresh the copy is, and which of its tables may lack rows. */
const headOf = (period: ReportPeriod, { syncedAt, partial }: Reach) => ({ ...spanIn(period), syncedAt, partial });

/** Who asks for a report. */
interface Asking {
  readonly account: Account;
  readonly terminal: Terminal;
  /** Whether the report must have no figure that is not known. */
  readonly isComplete: boolean;
}

/** Reads what became of the account in a period. Rejects with CliError usage if nobody ever looked at its balances. */
async function readAccount(
  { terminal, account: asked }: Asking,
  queries: Queries,
  period: ReportPeriod,
  parts: readonly Span[] = [],
  isOwnOnly = true,
) {
  const readAccepted = async () => (await acceptancesOf(asked, queries)).all;
  const account = await accountIn(queries, spanOf(period.sinceMs, period.untilMs), parts, readAccepted);
  if (account.assets.length === 0) throw neverLooked();
  const { differences, compared, uncounted } = account;
  const reach = await reachOf(queries, spanIn(period).until);
  const head = {
    ...headOf(period, reach),
    compared: compared && { from: compared.from, until: compared.to },
    uncounted,
    differences: differences.map(printedDifference),
  };
  const below = [...differenceLines(differences), checkLines(account, reach, terminal.globals.zone, { isOwnOnly })];
  return { account, head, below, error: unexplained(differences, period) };
}

/** Rows that are counted from the lists, which no balance can prove. */
async function ofCopy(
  asking: Asking,
  queries: Queries,
  period: ReportPeriod,
  rows: Readonly<Record<string, unknown>>,
  table: readonly [lists: string, columns: readonly Column[]],
  unowned = 0,
) {
  const reach = await reachOf(queries, spanIn(period).until);
  const below = [checkLines(undefined, reach, asking.terminal.globals.zone, { unowned })];
  return rowsOutcome(asking, { ...headOf(period, reach), ...rows }, table, { below });
}

/** The whole report of a period, by kind of work and by asset, or only one of the two. */
async function wholeReport(
  asking: Asking,
  queries: Queries,
  period: ReportPeriod,
  by: 'kind' | 'asset' | undefined,
): Promise<Outcome> {
  const kinds = () => kindsIn(queries, spanOf(period.sinceMs, period.untilMs), period.isOver);
  if (by === 'kind') {
    const found = await kinds();
    return ofCopy(asking, queries, period, { kinds: found }, ['kinds', countColumns(KIND_COLUMNS, found)]);
  }
  const { account: moves, head, below, error } = await readAccount(asking, queries, period, [], by === 'asset');
  const assets = moves.assets.filter(isShown).map(printedAsset);
  const closes = await closesIn(asking.account, queries);
  const found = await closedPeriod(queries, closes, { since: iso(period.sinceMs), until: iso(period.untilMs) });
  const data = { ...head, ...printedClosed(found), assets };
  const ofClose = closedLines(found, asking.terminal.globals.zone);
  const more = { below: [...ofClose, ...below], error: error ?? errorOfClose(found) };
  if (by === 'asset') return rowsOutcome(asking, data, ['assets', ASSET_COLUMNS], more);
  const balances = assets.length > 0 ? [balanceLines(assets)] : [];
  const whole = { ...data, kinds: await kinds() };
  return rowsOutcome(asking, whole, ['kinds', countColumns(KIND_COLUMNS, whole.kinds)], {
    ...more,
    below: [...balances, ...more.below],
  });
}

const STEP_TITLES = { day: 'Day', week: 'Week of', month: 'Month' } as const;

/** One row for each part of the period and each asset that moved in it. */
async function byStep(
  asking: Asking,
  queries: Queries,
  period: ReportPeriod,
  { step, svg, isChart }: { readonly step: ReportStep; readonly svg: string | undefined; readonly isChart: boolean },
): Promise<Outcome> {
  const { account, terminal } = asking;
  const parts = partsOf(period.sinceMs, period.untilMs, step, terminal.globals.zone);
  const spans = parts.map(({ sinceMs, untilMs }) => spanOf(sinceMs, untilMs));
  const { account: moves, head, below, error } = await readAccount(asking, queries, period, spans);
  const rows = moves.parts.flatMap((moved, index) =>
    moved.map((each) => ({ [step]: parts[index]?.name, ...printedMoved(each) })),
  );
  const columns: Column[] = [
    { field: step, title: STEP_TITLES[step] },
    ...MOVED.filter(
      (field) =>
        field === 'in' || field === 'out' || moves.parts.some((part) => part.some((each) => isWorthARow(each[field]))),
    ).map((field) => right(field)),
    { field: 'movements', title: 'Movements', align: 'right', isWide: true },
  ];
  const panels = svg !== undefined || isChart ? panelsOf(await trendsIn(queries, spans), parts) : undefined;
  if (svg !== undefined) await writeChart(account, svg, `By ${step}`, panels ?? []);
  const bars = isChart ? panels : undefined;
  return rowsOutcome(asking, { ...head, parts: rows }, ['parts', columns], { bars, below, error });
}

/** A panel for each line of each trend. */
const panelsOf = (trends: readonly Trend[], parts: readonly { readonly name: string }[]): Panel[] =>
  trends.flatMap(({ title, unit, lines }) =>
    lines.map((line) => ({
      title: `${title}${isAsset(unit) ? ` in ${ASSET_LABEL[unit]}` : ''}: ${line.title}`,
      points: line.values.map((value, index) => ({ ...value, label: parts[index]?.name ?? '' })),
    })),
  );

/** All users of the period; more than an account has. */
const ALL_USERS = 10_000_000;

async function byUser(asking: Asking, queries: Queries, period: ReportPeriod): Promise<Outcome> {
  const data = await usersIn(queries, spanOf(period.sinceMs, period.untilMs), ALL_USERS);
  return ofCopy(asking, queries, period, { ...data }, ['users', USER_COLUMNS], data.unownedOfframps);
}

/** The figures that a report can open, by the words of its table. */
const OPENED = {
  in: 'in',
  earned: 'earned',
  out: 'out',
  fees: 'fees',
  traded: 'traded',
  refunds: 'refunds',
  'in-transit': 'inFlight',
  unlisted: 'unlisted',
} as const;

/** The rows that a figure of a report adds up. */
async function rowsOfFigure(asking: Asking, queries: Queries, period: ReportPeriod, figure: keyof typeof OPENED) {
  const rows = await lineRowsIn(queries, spanOf(period.sinceMs, period.untilMs), OPENED[figure]);
  return ofCopy(asking, queries, period, { rows }, ROWS);
}

const kindsSchema = () =>
  z.array(
    z.object({
      kind: z.string(),
      completed: z.int(),
      amount: z.nullable(figureSchema()),
      failed: z.int(),
      refunded: z.nullable(figureSchema()),
      open: z.nullable(z.int()),
      countsKnown: z.nullable(knownSchema()),
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
    z.object({ ...checked, ...closedSchema(), ...assets, kinds: kindsSchema() }),
    z.object({ ...checked, ...closedSchema(), ...assets }),
    ...STEPS.map((step) =>
      z.object({ ...checked, parts: z.array(z.object({ [step]: z.string(), ...movedSchema() })) }),
    ),
    z.object({ ...common, kinds: kindsSchema() }),
    z.object({ ...common, users: z.array(userSchema()), unownedOfframps: z.int() }),
    z.object({ ...common, rows: z.array(rowSchema()) }),
  ]);
}

const reportCommand = command({
  words: ['report'],
  summary: 'Summarize what came in and went out, and check it against the balances',
  details:
    'Reads the copy of the account (fiatrail sync). Shows, for each asset, the opening balance, what came in and went out, fees, trades, refunds, what is in transit, and the closing balance. A movement counts once it is completed. For a past period, Open counts what was still open at its end. Each sync records the balances. If a balance changed between two syncs by more than the lists explain, for example because tokens were sent to it on a chain, the report shows the difference and exits with 9 until you accept it with: fiatrail report accept. Until the second sync there is nothing to compare; the report says so and exits with 0. A figure that is not known exactly says so and why, such as what was earned before the first sync; with --complete, the exit code is then 9. For a closed month, the report says when and by whom it was closed, and what has changed since; for the open month, it lists what came late for closed ones. Users’ wallets are not included: see report owed.',
  examples: [
    'fiatrail report',
    'fiatrail report last month',
    'fiatrail report last month -o json',
    'fiatrail report --since 7d --by day',
    'fiatrail report last month --by week --chart',
    'fiatrail report --by asset -o csv',
    'fiatrail report last month --rows fees',
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
    rows: option(
      '--rows <figure>',
      'list the rows that a figure adds up: in, earned, out, fees, traded, refunds, in-transit or unlisted',
      oneOf(...(Object.keys(OPENED) as (keyof typeof OPENED)[])),
    ),
    ...periodOptions,
    complete: completeOption,
    chart: chartOption,
    svg: svgOption,
  },
  run: async (account, terminal, typed) => {
    const { period: name, by, rows, since, until, svg, chart: isChart = false, complete: isComplete = false } = typed;
    const step = STEPS.find((each) => each === by);
    if ((svg !== undefined || isChart) && !step)
      throw new CliError('usage', `${isChart ? '--chart' : '--svg'} draws days, weeks or months`, {
        hint: 'add: --by day',
      });
    if (rows !== undefined && by !== undefined)
      throw new CliError('usage', '--rows lists the rows of one figure; it cannot be grouped', {
        hint: 'leave out --by',
      });
    return withCopyFor(account, terminal, name, { since, until }, (copy) =>
      copy.read(async (queries) => {
        const period = await periodIn(account, terminal, queries, name, { since, until });
        const asking = { account, terminal, isComplete };
        if (rows !== undefined) return rowsOfFigure(asking, queries, period, rows);
        if (by === 'user') return byUser(asking, queries, period);
        if (step) return byStep(asking, queries, period, { step, svg, isChart });
        return wholeReport(asking, queries, period, by === 'kind' || by === 'asset' ? by : undefined);
      }),
    );
  },
});

export const commands = [
  reportCommand,
  ...partCommands,
  booksCommand,
  exportCommand,
  closeCommand,
  reopenCommand,
  pendingCommand,
  owedCommand,
  statementCommand,
  incomeCommand,
  profitCommand,
  changesCommand,
  acceptCommand,
];
