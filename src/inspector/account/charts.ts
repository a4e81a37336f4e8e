import type { Zone } from '../../base/zone.ts';
import { existingCopy } from '../../copy/open.ts';
import { accountIn, balancesAt } from '../../copy/questions/report/balance.ts';
import { ASSETS, lastCheckAt } from '../../copy/questions/report/checks.ts';
import { partsOf, spanOf } from '../../copy/questions/report/periods.ts';
import type { Account } from '../../engine/account.ts';
import type { Queries } from '../../journal/store.ts';
import { type Asset, amount, amountText } from '../../money/amount.ts';
import { type Figure, figureForPeople, negated } from '../../money/figure.ts';

/** How many days are drawn, with today. */
const DAYS = 30;
const DAY_MS = 86_400_000;

/** What is drawn, which is nothing where it is not known, and what is written. */
interface DrawnFigure {
  readonly value: string | null;
  readonly text: string;
}

interface Line {
  readonly title: string;
  readonly figures: readonly DrawnFigure[];
}

/** Lines of one asset, with a figure for each day. */
interface Chart {
  readonly title: string;
  readonly asset: Asset;
  readonly lines: readonly Line[];
}

interface Charts {
  readonly days: readonly string[];
  readonly charts: readonly Chart[];
}

const NOTHING: Charts = { days: [], charts: [] };

type MovedField = 'in' | 'out' | 'earned' | 'fees';

/** Today, until which the charts go. */
export const todayIn = (zone: Zone, nowMs: number): string => partsOf(nowMs, nowMs + 1, 'day', zone)[0]?.name ?? '';

/** Volumes, fees and balances of each asset on the last days: the figures of `report --by day` and `report balance`. */
export async function chartsDocument({ world, profile }: Account, zone: Zone): Promise<Charts> {
  const copy = await existingCopy(world, profile);
  try {
    return copy ? await copy.read((queries) => chartsIn(queries, world.clock.now(), zone)) : NOTHING;
  } finally {
    await copy?.close();
  }
}

async function chartsIn(queries: Queries, clockMs: number, zone: Zone): Promise<Charts> {
  const looked = await lastCheckAt(queries);
  if (looked === undefined) return NOTHING;
  const untilMs = Math.max(clockMs, Date.parse(looked)) + 1;
  // The first of these days is not whole.
  const days = partsOf(untilMs - (DAYS + 1) * DAY_MS, untilMs, 'day', zone).slice(-DAYS);
  const spans = days.map(({ sinceMs, untilMs: endMs }) => spanOf(sinceMs, endMs));
  const ends = spans.map(({ to }) => to);
  const { parts } = await accountIn(queries, { from: spans[0]?.from ?? '', to: ends.at(-1) ?? '' }, spans);
  const balances = (await balancesAt(queries, ends)) ?? [];
  const charts = ASSETS.flatMap((asset): Chart[] => {
    const moved = parts.map((part) => part.find((each) => each.asset === asset));
    const line = (title: string, field: MovedField) => {
      const figures = moved.map((each) => each?.[field] ?? amount(asset, 0n));
      // What goes out and is paid is drawn upwards.
      return lineOf(title, field === 'out' || field === 'fees' ? figures.map(negated) : figures);
    };
    const held = balances.map((each) => each.get(asset) ?? amount(asset, 0n));
    return [
      { title: 'Volumes', asset, lines: [...line('In', 'in'), ...line('Out', 'out')] },
      { title: 'Fees', asset, lines: [...line('Earned', 'earned'), ...line('Paid', 'fees')] },
      { title: 'Balance', asset, lines: lineOf('At the end of the day', held) },
    ];
  });
  return { days: days.map(({ name }) => name), charts: charts.filter(({ lines }) => lines.length > 0) };
}

/** A line is drawn if something is known of it that is not zero. */
function lineOf(title: string, figures: readonly Figure[]): Line[] {
  if (figures.every(({ minor }) => minor === null || minor === 0n)) return [];
  return [{ title, figures: figures.map((each) => ({ value: decimalsOf(each), text: figureForPeople(each) })) }];
}

const decimalsOf = ({ asset, minor }: Figure) =>
  asset === null || minor === null ? null : amountText({ asset, minor });
