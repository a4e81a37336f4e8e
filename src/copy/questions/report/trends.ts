import { clockDistance } from '../../../engine/connection/service-time.ts';
import type { Queries } from '../../../journal/store.ts';
import { type Asset, amount, amountText } from '../../../money/amount.ts';
import { decimalText } from '../../../money/decimal.ts';
import { type Figure, figureForPeople, negated, unknownFigure } from '../../../money/figure.ts';
import { bridgeTransfer } from '../../../things/bridge-transfer.ts';
import { trade } from '../../../things/market.ts';
import { swap } from '../../../things/swap.ts';
import type { Thing } from '../../../things/thing.ts';
import { bucketOf } from '../../bucket.ts';
import { readKnownUntil } from '../../list-state.ts';
import { because } from '../reasons.ts';
import { accountInParts, type PartOfAccount } from './balance.ts';
import { ASSETS } from './checks.ts';
import { afterLastSync, cutListsIn } from './cut-lists.ts';
import { durationsIn } from './durations.ts';
import { type KindParts, kindPartsIn } from './kinds.ts';
import type { Lacking, Span } from './movements.ts';

/** What a trend counts: money, how many, hundredths of a percent, or milliseconds. */
export type TrendUnit = Asset | 'count' | 'percent' | 'ms';

/** A value of a part of the period; null if it is not known. */
interface TrendValue {
  readonly size: bigint | null;
  readonly text: string;
  readonly isBound: boolean;
}

interface TrendLine {
  readonly title: string;
  readonly values: readonly TrendValue[];
}

/** Lines of one unit over the parts of a period. */
export interface Trend {
  readonly title: string;
  readonly unit: TrendUnit;
  readonly lines: readonly TrendLine[];
}

/** The size of a value in whole units, as a decimal: kobo as Naira, hundredths as percent. */
export function sizeText(unit: TrendUnit, size: bigint): string {
  if (unit === 'count' || unit === 'ms') return String(size);
  return unit === 'percent' ? decimalText(size, 2) : amountText(amount(unit, size));
}

const NOT_KNOWN: TrendValue = { size: null, text: 'not known', isBound: false };

const shownValue = (figure: Figure): TrendValue => ({
  size: figure.minor,
  text: figureForPeople(figure),
  isBound: figure.minor !== null && figure.known !== undefined,
});

const lineOf = (title: string, figures: readonly Figure[]): TrendLine => ({ title, values: figures.map(shownValue) });

/** Whether a line is worth drawing: something of it is known, and of money and numbers it is not always zero. */
const isWorthALine = ({ values }: TrendLine, unit: TrendUnit): boolean =>
  values.some(({ size }) => size !== null && (size !== 0n || unit === 'percent' || unit === 'ms'));

const withLines = (trends: readonly Trend[]): Trend[] =>
  trends
    .map((trend) => ({ ...trend, lines: trend.lines.filter((line) => isWorthALine(line, trend.unit)) }))
    .filter(({ lines }) => lines.length > 0);

/** What moved in and out of each asset in parts of a period: the figures of `report --by day`. */
export async function volumesIn(queries: Queries, parts: readonly Span[]): Promise<readonly Trend[]> {
  return withLines(movedTrends(await accountInParts(queries, parts), ['volumes']));
}

function movedTrends(account: readonly PartOfAccount[], wanted: readonly ('volumes' | 'fees')[]) {
  return ASSETS.flatMap((asset): Trend[] => {
    const figures = (field: 'in' | 'out' | 'earned' | 'fees') =>
      account.map(({ moved }) => {
        const figure = moved.find((each) => each.asset === asset)?.[field] ?? amount(asset, 0n);
        // What goes out and is paid is drawn upwards.
        return field === 'out' || field === 'fees' ? negated(figure) : figure;
      });
    const volumes = [lineOf('In', figures('in')), lineOf('Out', figures('out'))];
    const fees = [lineOf('Earned', figures('earned')), lineOf('Paid', figures('fees'))];
    return [
      ...(wanted.includes('volumes') ? [{ title: 'Volumes', unit: asset, lines: volumes }] : []),
      ...(wanted.includes('fees') ? [{ title: 'Fees', unit: asset, lines: fees }] : []),
    ];
  });
}

const balanceTrends = (account: readonly PartOfAccount[]): readonly Trend[] =>
  ASSETS.map((asset) => {
    const figures = account.flatMap(({ balances }) => (balances ? [balances.get(asset) ?? amount(asset, 0n)] : []));
    return { title: 'Balance', unit: asset, lines: [lineOf('At the end', figures)] };
  });

/** Everything that is drawn of an account in the parts of a period, one after the other. All of it are figures of the reports. */
export async function trendsIn(queries: Queries, parts: readonly Span[]): Promise<readonly Trend[]> {
  const { tables } = await cutListsIn(queries, '');
  const knownUntil = await readKnownUntil(queries);
  const lackingIn: LackingIn = (list, { to }) => tables.get(list) ?? afterLastSync(knownUntil, to);
  const kinds = await kindPartsIn(queries, parts, lackingIn);
  const account = await accountInParts(queries, parts);
  const all = [
    ...movedTrends(account, ['volumes', 'fees']),
    ...kindTrends(kinds, parts, lackingIn),
    ...balanceTrends(account),
    await usersTrend(queries, parts, lackingIn),
    failureTrend(kinds, parts, lackingIn),
    ...(await timeTrends(queries, kinds, parts)),
  ];
  const rankOf = ({ title }: Trend) => (ORDER.includes(title) ? ORDER.indexOf(title) : ORDER.length);
  return withLines(all).toSorted((one, other) => rankOf(one) - rankOf(other));
}

const [CAME_IN, WENT_OUT, CONVERTED] = ['Volume in, by kind', 'Volume out, by kind', 'Converted, by kind'] as const;
const ORDER: readonly string[] = ['Volumes', CAME_IN, WENT_OUT, CONVERTED, 'Fees', 'Balance', 'Users', 'Failure rate'];

/** Which way money goes that a thing moves. */
function wayOf(thing: Thing): string {
  if (thing === trade || thing === swap) return CONVERTED;
  return thing.way === 'from' || thing === bridgeTransfer ? CAME_IN : WENT_OUT;
}

/** Why a list may lack rows of a part; undefined if it has all. */
type LackingIn = (list: string, part: Span) => Lacking | undefined;

/** What was completed of each kind, as `report --by kind` says of each part. */
function kindTrends(kinds: readonly KindParts[], parts: readonly Span[], lackingIn: LackingIn): Trend[] {
  return [CAME_IN, WENT_OUT, CONVERTED].flatMap((title) =>
    ASSETS.map((asset) => ({
      title,
      unit: asset,
      lines: kinds
        .filter((each) => each.asset === asset && wayOf(each.work.thing) === title)
        .map(({ work, parts: of }) =>
          lineOf(
            work.kind,
            parts.map((part, index) => of[index]?.amount ?? nothingIn(asset, lackingIn(work.list, part))),
          ),
        ),
    })),
  );
}

/** Of a list that may lack rows, nothing is known where it has none. */
const nothingIn = (asset: Asset, lacking: Lacking | undefined): Figure =>
  lacking ? unknownFigure(asset, because(lacking.why, lacking.since)) : amount(asset, 0n);

/** How much of what ended has failed, of all kinds together. */
function failureTrend(kinds: readonly KindParts[], parts: readonly Span[], lackingIn: LackingIn): Trend {
  const lists = [...new Set(kinds.map(({ work }) => work.list))];
  const values = parts.map((part, index): TrendValue => {
    if (lists.some((list) => lackingIn(list, part))) return NOT_KNOWN;
    const sum = (of: 'completed' | 'failed') => kinds.reduce((all, each) => all + (each.parts[index]?.[of] ?? 0), 0);
    const [failed, ended] = [sum('failed'), sum('failed') + sum('completed')];
    if (ended === 0) return { size: null, text: 'nothing ended', isBound: false };
    const hundredths = BigInt(Math.round((failed / ended) * 10_000));
    const percent = `${decimalText(hundredths, 2)} %`;
    // Nothing says in which part some of it ended.
    const isBound = kinds.some((each) => each.parts[index]?.isLeast);
    const text = isBound
      ? `near ${percent} (${failed} of ${ended}, each at least)`
      : `${percent} (${failed} of ${ended})`;
    return { size: hundredths, text, isBound };
  });
  return { title: 'Failure rate', unit: 'percent', lines: [{ title: 'Failed of all that ended', values }] };
}

/** How long completed work of each kind took: the median, and what 95 of 100 did not exceed. */
async function timeTrends(queries: Queries, kinds: readonly KindParts[], parts: readonly Span[]): Promise<Trend[]> {
  const trends: Trend[] = [];
  for (const work of new Set(kinds.map((each) => each.work))) {
    const took = new Map((await durationsIn(queries, work, parts)).map((each) => [Number(each.part), each]));
    const completedIn = (index: number) =>
      kinds.reduce((sum, each) => sum + (each.work === work ? (each.parts[index]?.completed ?? 0) : 0), 0);
    const line = (title: string, of: 'median' | 'p95'): TrendLine => ({
      title,
      values: parts.map((_, index): TrendValue => {
        const [found, completed] = [took.get(index), completedIn(index)];
        if (!found) return { size: null, text: completed === 0 ? 'nothing ended' : 'not known', isBound: false };
        const some = Number(found.n) < completed ? ` (of ${found.n} of ${completed})` : '';
        return { size: BigInt(found[of]), text: `${timeText(Number(found[of]))}${some}`, isBound: false };
      }),
    });
    trends.push({
      title: `Time to complete ${work.kind}`,
      unit: 'ms',
      lines: [line('Median', 'median'), line('95 of 100 within', 'p95')],
    });
  }
  return trends;
}

const timeText = (ms: number) => (ms < 1_000 ? `${ms} ms` : clockDistance(ms));

/** The list whose rows are users. */
const USERS = 'users';

/** Users that were added, and how many there were at the end. */
async function usersTrend(queries: Queries, parts: readonly Span[], lackingIn: LackingIn): Promise<Trend> {
  const ends = parts.map(({ to }) => to);
  const rows = await queries.all<{ part: bigint; n: bigint }>(
    `SELECT ${bucketOf('created_at', [parts[0]?.from ?? '', ...ends])} AS part, count(*) AS n FROM stored_users
     WHERE created_at IS NOT NULL AND digest IS NOT NULL GROUP BY 1`,
  );
  const added = new Map(rows.map(({ part, n }) => [Number(part), Number(n)]));
  const count = (n: number, part: Span): TrendValue =>
    lackingIn(USERS, part) ? NOT_KNOWN : { size: BigInt(n), text: String(n), isBound: false };
  let all = added.get(0) ?? 0;
  const values = parts.map((part, index) => {
    const n = added.get(index + 1) ?? 0;
    all += n;
    return [count(n, part), count(all, part)] as const;
  });
  return {
    title: 'Users',
    unit: 'count',
    lines: [
      { title: 'Added', values: values.map(([n]) => n) },
      { title: 'Ever added', values: values.map(([, n]) => n) },
    ],
  };
}
