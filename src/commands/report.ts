import * as z from 'zod/mini';
import { CliError } from '../base/errors.ts';
import type { Mirror } from '../engine/mirror/database.ts';
import { withMirror } from '../engine/mirror/open.ts';
import type { Outcome } from '../engine/outcome.ts';
import { type AssetReport, assetsIn, balancesAt } from '../engine/questions/report/balance.ts';
import { kindsIn, pendingIn, usersIn } from '../engine/questions/report/kinds.ts';
import { noSums, type Sums, sumsIn } from '../engine/questions/report/movements.ts';
import { owedTo } from '../engine/questions/report/owed.ts';
import { monthNamed, partsOf, STEPS, type Step, spanOf } from '../engine/questions/report/periods.ts';
import { endDryRun } from '../engine/requests.ts';
import { type Asset, amount, amountForPeople } from '../money/amount.ts';
import { amountSchema } from '../present/prints.ts';
import { confirmChange } from '../terminal/ask/confirm.ts';
import { command } from '../terminal/command.ts';
import {
  argument,
  oneOf,
  option,
  optionalArgument,
  plainText,
  required,
  wholeNumber,
  word,
} from '../terminal/parse/parameters.ts';
import { periodOptions, type TypedPeriod, timesOf } from '../terminal/parse/period.ts';
import type { Session } from '../terminal/session.ts';

interface Period {
  readonly sinceMs: number;
  readonly untilMs: number;
}

const periodArgument = optionalArgument(
  'period',
  '"this month" (default), "last month" or a month such as 2026-11',
  word,
);

/** Returns the period that was typed: a month by its name, or from --since to --until; now at the latest. Throws CliError usage. */
function periodIn(session: Session, name: string | undefined, typed: TypedPeriod): Period {
  const nowMs = session.world.clock.now();
  const isTyped = typed.since !== undefined || typed.until !== undefined;
  if (name !== undefined && isTyped)
    throw new CliError('usage', 'a month and --since or --until cannot be combined', { hint: 'give one of them' });
  const zone = session.globals.zone;
  const month = monthNamed(name ?? 'this month', zone, nowMs);
  if (!month)
    throw new CliError('usage', `"${name}" is no period`, {
      hint: 'write "this month", "last month", 2026-11, or --since and --until',
    });
  const { sinceMs = month.sinceMs, untilMs = month.untilMs } = isTyped ? timesOf(typed, session) : month;
  return { sinceMs, untilMs: Math.max(sinceMs + 1, untilMs) };
}

const iso = (ms: number) => new Date(ms).toISOString();
const spanIn = ({ sinceMs, untilMs }: Period) => ({ since: iso(sinceMs), until: iso(untilMs - 1) });

const periodSchema = () => ({ since: z.iso.datetime(), until: z.iso.datetime() });

/** The lines of a balance, in the order in which they add up. */
const LINES = [
  ['opening', 'Opening balance'],
  ['in', 'In'],
  ['earned', 'Fees earned'],
  ['out', 'Out'],
  ['fees', 'Fees paid'],
  ['traded', 'Traded'],
  ['inFlight', 'Left, not arrived'],
  ['unlisted', 'In no list'],
  ['closing', 'Closing balance'],
] as const;

function printedAsset({ asset, opening, closing, ...sums }: AssetReport) {
  const of = (minor: bigint) => amount(asset, minor);
  return {
    ...{ asset, opening: of(opening.minor), isOpeningComputed: opening.isComputed },
    ...{ in: of(sums.in), earned: of(sums.earned), out: of(-sums.out), fees: of(-sums.fees), traded: of(sums.traded) },
    ...{ inFlight: of(-sums.inFlight), unlisted: of(sums.unlisted), accepted: of(sums.accepted) },
    ...{ closing: of(closing.minor), movements: sums.count, failed: sums.failed },
  };
}

type PrintedAsset = ReturnType<typeof printedAsset>;

const isShown = (report: AssetReport) =>
  [
    report.opening.minor,
    report.closing.minor,
    report.in,
    report.out,
    report.traded,
    report.unlisted,
    report.earned,
  ].some((each) => each !== 0n);

/** The assets side by side, as people read a balance. */
function belowOf(assets: readonly PrintedAsset[]) {
  const rows = LINES.map(([field, line]) => ({
    line,
    ...Object.fromEntries(
      assets.map((each) => {
        const computed = field === 'opening' && each.isOpeningComputed ? ' (computed)' : '';
        return [
          each.asset,
          each[field].minor === 0n && !/ing$/.test(field) ? '' : `${amountForPeople(each[field])}${computed}`,
        ];
      }),
    ),
  })).filter(({ line: _, ...cells }) => Object.values(cells).some((text) => text !== ''));
  const columns = [
    { field: 'line', title: 'Balance' },
    ...assets.map(({ asset }) => ({ field: asset, title: asset, align: 'right' as const })),
  ];
  return { title: 'Balances', rows: rows as Readonly<Record<string, string>>[], columns };
}

/** The error of movements that no list shows and nobody accepted. */
function unexplained(assets: readonly AssetReport[]): CliError | undefined {
  const wrong = assets.filter(({ unlisted, accepted }) => unlisted !== accepted);
  if (wrong.length === 0) return undefined;
  const figures = wrong.map(({ asset, unlisted, accepted }) => amountForPeople(amount(asset, unlisted - accepted)));
  return new CliError('declined', `the balance changed by ${figures.join(' and ')} that no list shows`, {
    code: 'UNEXPLAINED',
    hint: `look for it with: fiatrail sync --full; if it is right, such as tokens that came from a chain: fiatrail report accept ${wrong[0]?.asset} --reason "…"`,
  });
}

const assetSchema = () =>
  z.object({
    asset: z.string(),
    opening: amountSchema(),
    isOpeningComputed: z.boolean(),
    ...Object.fromEntries(
      ['in', 'earned', 'out', 'fees', 'traded', 'inFlight', 'unlisted', 'accepted', 'closing'].map((name) => [
        name,
        amountSchema(),
      ]),
    ),
    movements: z.int(),
    failed: z.int(),
  });

const KIND_COLUMNS = [
  { field: 'kind', title: 'Kind' },
  { field: 'completed', title: 'Completed', align: 'right' },
  { field: 'amount', title: 'Amount', align: 'right' },
  { field: 'failed', title: 'Failed', align: 'right' },
  { field: 'open', title: 'Open', align: 'right' },
] as const;

/** The whole report of a period. */
function wholeReport(mirror: Mirror, period: Period): Promise<Outcome> {
  return mirror.read(async (queries) => {
    const span = spanOf(period.sinceMs, period.untilMs);
    const found = (await assetsIn(queries, span)) ?? [];
    const assets = found.filter(isShown);
    const printed = assets.map(printedAsset);
    const data = { ...spanIn(period), kinds: await kindsIn(queries, span), assets: printed };
    const error = unexplained(assets);
    return {
      result: { data, lists: 'kinds', list: { isWhole: true }, columns: KIND_COLUMNS, below: belowOf(printed) },
      ...(error ? { error } : {}),
    };
  });
}

/** One row for each part of the period and each asset that moved in it. */
function byStep(session: Session, mirror: Mirror, period: Period, step: Step): Promise<Outcome> {
  return mirror.read(async (queries) => {
    const parts: Record<string, unknown>[] = [];
    for (const { name, sinceMs, untilMs } of partsOf(period.sinceMs, period.untilMs, step, session.globals.zone)) {
      const sums = await sumsIn(queries, spanOf(sinceMs, untilMs));
      for (const [asset, each] of sums) parts.push({ [step]: name, ...movedIn(asset, each) });
    }
    const columns = [
      { field: step, title: step === 'week' ? 'Week of' : step === 'day' ? 'Day' : 'Month' },
      ...['in', 'earned', 'out', 'fees', 'traded'].map((field) => ({
        ...{ field, title: LINES.find(([name]) => name === field)?.[1] ?? field, align: 'right' as const },
      })),
      { field: 'movements', title: 'Movements', align: 'right' as const, isWide: true as const },
    ];
    return { result: { data: { ...spanIn(period), parts }, lists: 'parts', list: { isWhole: true }, columns } };
  });
}

function movedIn(asset: Asset, sums: Sums) {
  const of = (minor: bigint) => amount(asset, minor);
  return {
    ...{
      asset,
      in: of(sums.in),
      earned: of(sums.earned),
      out: of(-sums.out),
      fees: of(-sums.fees),
      traded: of(sums.traded),
    },
    ...{ movements: sums.count, failed: sums.failed },
  };
}

const reportCommand = command({
  words: ['report'],
  summary: 'Report what came and went in a period, and whether the balances agree',
  details:
    'From the copy of the account (fiatrail sync). Per asset: the opening balance, what came in and went out, fees, trades, what has left and not arrived yet, and the closing balance. What is left is in no list, such as tokens that came from a chain; until a person accepts it, the report ends with exit 9. Users’ wallets are not the account’s: see report owed. Time is when a movement completed.',
  examples: [
    'fiatrail report',
    'fiatrail report "last month"',
    'fiatrail report 2026-11 -o json',
    'fiatrail report --since 7d --by day',
  ],
  endpoints: [],
  prints: () =>
    z.object({
      ...periodSchema(),
      kinds: z.array(
        z.object({
          kind: z.string(),
          completed: z.int(),
          amount: z.nullable(amountSchema()),
          failed: z.int(),
          open: z.int(),
        }),
      ),
      assets: z.array(assetSchema()),
    }),
  isLocal: true,
  parameters: {
    period: periodArgument,
    by: option(
      '--by <step>',
      'one row for each day, week or month and asset, instead of the balances',
      oneOf(...STEPS),
    ),
    ...periodOptions,
  },
  run: (session, { period: name, by, since, until }) =>
    withMirror(session, (mirror) => {
      const period = periodIn(session, name, { since, until });
      return by === undefined ? wholeReport(mirror, period) : byStep(session, mirror, period, by);
    }),
});

const feesCommand = command({
  words: ['report', 'fees'],
  summary: 'Report the fees that the account earned and withdrew, and those that it paid',
  examples: ['fiatrail report fees', 'fiatrail report fees "last month" -o json --query earned'],
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
  run: (session, { period: name, since, until }) =>
    withMirror(session, (mirror) =>
      mirror.read(async (queries) => {
        const period = periodIn(session, name, { since, until });
        const span = spanOf(period.sinceMs, period.untilMs);
        const sums = await sumsIn(queries, span);
        const naira = sums.get('NGN') ?? noSums();
        const balance = (await balancesAt(queries, span.to))?.get('NGN');
        const data = {
          ...spanIn(period),
          earned: amount('NGN', naira.earned),
          withdrawn: amount('NGN', naira.out),
          withdrawable: balance ? amount('NGN', balance.minor) : null,
          paid: [...sums].flatMap(([asset, { fees }]) => (fees === 0n ? [] : [amount(asset, fees)])),
        };
        return { result: { data } };
      }),
    ),
});

const usersCommand = command({
  words: ['report', 'users'],
  summary: 'Report the users with the largest onramps of a period',
  examples: ['fiatrail report users', 'fiatrail report users "last month" --top 20 -o csv'],
  endpoints: [],
  prints: () =>
    z.object({
      ...periodSchema(),
      users: z.array(
        z.object({
          ...{ user: z.string(), name: z.nullable(z.string()), onramps: z.int() },
          ...{ amount: amountSchema(), withdrawals: z.int() },
        }),
      ),
    }),
  isLocal: true,
  parameters: {
    period: periodArgument,
    top: option('--top <count>', 'how many users, 1 to 1000 (default 10)', wholeNumber(1, 1000)),
    ...periodOptions,
  },
  run: (session, { period: name, top = 10, since, until }) =>
    withMirror(session, (mirror) =>
      mirror.read(async (queries) => {
        const period = periodIn(session, name, { since, until });
        const users = await usersIn(queries, spanOf(period.sinceMs, period.untilMs), top);
        const columns = [
          { field: 'name', title: 'Name' },
          { field: 'user', title: 'User' },
          { field: 'onramps', title: 'Onramps', align: 'right' },
          { field: 'amount', title: 'Paid in', align: 'right' },
          { field: 'withdrawals', title: 'Withdrawals', align: 'right', isWide: true },
        ] as const;
        return { result: { data: { ...spanIn(period), users }, lists: 'users', list: { isWhole: true }, columns } };
      }),
    ),
});

const pendingCommand = command({
  words: ['report', 'pending'],
  summary: 'Report what is open, the oldest first',
  details: 'fiatrail find ID says what each of them waits for.',
  examples: ['fiatrail report pending', 'fiatrail report pending -o json --query "pending[].id"'],
  endpoints: [],
  prints: () =>
    z.object({
      pending: z.array(
        z.object({
          ...{ kind: z.string(), id: z.string(), status: z.nullable(z.string()) },
          ...{ amount: z.nullable(amountSchema()), since: z.nullable(z.string()) },
        }),
      ),
    }),
  isLocal: true,
  parameters: { limit: option('--limit <count>', 'at most so many (default 100)', wholeNumber(1, 10_000)) },
  run: (session, { limit = 100 }) =>
    withMirror(session, (mirror) =>
      mirror.read(async (queries) => {
        const columns = [
          { field: 'id', title: 'ID' },
          { field: 'kind', title: 'Kind' },
          { field: 'status', title: 'Status' },
          { field: 'amount', title: 'Amount', align: 'right' },
          { field: 'since', title: 'Since', isBrief: true },
        ] as const;
        return {
          result: {
            data: { pending: await pendingIn(queries, limit) },
            lists: 'pending',
            list: { isWhole: true },
            columns,
          },
        };
      }),
    ),
});

/** A bar of up to so many blocks. */
const BAR = 24;

const balanceCommand = command({
  words: ['report', 'balance'],
  summary: 'Report the balance of an asset at the end of each day, week or month',
  examples: ['fiatrail report balance', 'fiatrail report balance --token USDC --since 30d --by week'],
  endpoints: [],
  prints: () =>
    z.object({
      ...periodSchema(),
      balances: z.array(z.object({ at: z.string(), balance: amountSchema(), isComputed: z.boolean() })),
    }),
  isLocal: true,
  parameters: {
    period: periodArgument,
    asset: option(
      '--asset <asset>',
      'CNGN (default), USDC, USDT, or NGN for earned fees',
      oneOf('CNGN', 'USDC', 'USDT', 'NGN'),
    ),
    by: option('--by <step>', 'day (default), week or month', oneOf(...STEPS)),
    ...periodOptions,
  },
  run: (session, { period: name, asset = 'CNGN', by = 'day', since, until }) =>
    withMirror(session, (mirror) =>
      mirror.read(async (queries) => {
        const period = periodIn(session, name, { since, until });
        const balances = [];
        for (const part of partsOf(period.sinceMs, period.untilMs, by, session.globals.zone)) {
          const found = (await balancesAt(queries, spanOf(part.sinceMs, part.untilMs).to))?.get(asset);
          if (found)
            balances.push({ at: part.name, balance: amount(asset, found.minor), isComputed: found.isComputed });
        }
        const most = balances.reduce((max, { balance: { minor } }) => (minor > max ? minor : max), 1n);
        const rows = balances.map(({ at, balance, isComputed }) => ({
          ...{ at, balance: `${amountForPeople(balance)}${isComputed ? ' (computed)' : ''}` },
          bar: (session.globals.present.isPlain ? '#' : '█').repeat(Number((balance.minor * BigInt(BAR)) / most)),
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

const owedCommand = command({
  words: ['report', 'owed'],
  summary: 'Report what the users’ wallets hold',
  details:
    'Reads the balance of each user at the pace of the rate limit. What was read is saved, so an interrupted run goes on where it stopped; balances that were read in the last day count as they are.',
  examples: ['fiatrail report owed', 'fiatrail report owed -o json --query owed'],
  endpoints: ['wallets.balance-user'],
  prints: () =>
    z.object({
      users: z.int(),
      oldest: z.nullable(z.string()),
      owed: z.array(z.object({ asset: z.string(), amount: amountSchema(), users: z.int() })),
    }),
  parameters: {},
  run: (session) =>
    withMirror(session, async (mirror) => {
      const data = await owedTo(session, mirror);
      const columns = [
        { field: 'amount', title: 'Owed', align: 'right' },
        { field: 'users', title: 'Users', align: 'right' },
      ] as const;
      return { result: { data, lists: 'owed', list: { isWhole: true }, columns } };
    }),
});

const acceptCommand = command({
  words: ['report', 'accept'],
  summary: 'Accept, with a reason, a change of a balance that is in no list',
  examples: ['fiatrail report accept USDC --reason "top-up from the exchange, 5 November"'],
  endpoints: [],
  prints: () => z.object({ ...periodSchema(), asset: z.string(), amount: amountSchema(), reason: z.string() }),
  isLocal: true,
  parameters: {
    asset: argument('asset', 'CNGN, USDC, USDT, or NGN for earned fees', oneOf('CNGN', 'USDC', 'USDT', 'NGN')),
    period: periodArgument,
    reason: required('--reason <text>', 'why it is right', plainText, 'Reason:'),
    ...periodOptions,
  },
  run: (session, { asset, period: name, reason, since, until }) =>
    withMirror(session, async (mirror) => {
      const period = periodIn(session, name, { since, until });
      const span = spanOf(period.sinceMs, period.untilMs);
      const found = (await mirror.read((queries) => assetsIn(queries, span)))?.find((each) => each.asset === asset);
      const minor = found ? found.unlisted - found.accepted : 0n;
      if (minor === 0n)
        throw new CliError('usage', `there is nothing to accept: the balance in ${asset} agrees with the lists`, {
          hint: 'see: fiatrail report',
        });
      const data = { ...spanIn(period), asset, amount: amount(asset, minor), reason };
      endDryRun(session, data);
      await confirmChange(session, {
        summary: `accept ${amountForPeople(data.amount)} that no list shows`,
        lines: [
          ['period', `${data.since} to ${data.until}`],
          ['reason', reason],
        ],
      });
      const { user, name: host } = session.world.host;
      await mirror.write((queries) =>
        queries.run(
          `INSERT INTO stored_accepted (asset, minor, since, until, reason, who, at) VALUES (?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (asset, since, until) DO UPDATE SET minor = stored_accepted.minor + excluded.minor, reason = excluded.reason`,
          ...[asset, minor, span.from, span.to, reason, `${user} on ${host}`, iso(session.world.clock.now())],
        ),
      );
      return { result: { data } };
    }),
});

export const commands = [
  reportCommand,
  feesCommand,
  usersCommand,
  pendingCommand,
  balanceCommand,
  owedCommand,
  acceptCommand,
];
