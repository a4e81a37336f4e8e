import * as z from 'zod/mini';
import { CliError } from '../../base/errors.ts';
import type { Mirror } from '../../engine/mirror/database.ts';
import { withMirror } from '../../engine/mirror/open.ts';
import type { Outcome } from '../../engine/outcome.ts';
import { type AssetReport, assetsIn } from '../../engine/questions/report/balance.ts';
import { kindsIn } from '../../engine/questions/report/kinds.ts';
import { type Sums, sumsIn } from '../../engine/questions/report/movements.ts';
import { partsOf, STEPS, type Step, spanOf } from '../../engine/questions/report/periods.ts';
import { endDryRun } from '../../engine/requests.ts';
import { type Asset, amount, amountForPeople } from '../../money/amount.ts';
import { amountSchema, paginationSchema } from '../../present/prints.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import { argument, oneOf, option, plainText, required } from '../../terminal/parse/parameters.ts';
import { periodOptions } from '../../terminal/parse/period.ts';
import type { Session } from '../../terminal/session.ts';
import { partCommands } from './parts.ts';
import { iso, type Period, periodArgument, periodIn, periodSchema, spanIn } from './period.ts';

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
      pagination: paginationSchema(),
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

export const commands = [reportCommand, ...partCommands, acceptCommand];
