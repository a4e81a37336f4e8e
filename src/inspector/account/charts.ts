import type { Zone } from '../../base/zone.ts';
import { readKnownUntil } from '../../copy/list-state.ts';
import { existingCopy } from '../../copy/open.ts';
import { lastCheckAt } from '../../copy/questions/report/checks.ts';
import { monthNamed, partsOf, STEPS, spanOf } from '../../copy/questions/report/periods.ts';
import { sizeText, type Trend, type TrendUnit, trendsIn, volumesIn } from '../../copy/questions/report/trends.ts';
import type { Account } from '../../engine/account.ts';
import type { Queries } from '../../journal/store.ts';
import { DAYS_BEFORE } from '../now.ts';
import type { Asked } from '../source.ts';

const DAY_MS = 86_400_000;

/** The periods that can be drawn, with the days that they have. */
const DAYS: Readonly<Record<string, number>> = { '30 days': 30, '90 days': 90, '12 months': 365 };

/** What the page can ask the charts for. */
export const CHART_CHOICES = {
  period: [...Object.keys(DAYS), 'this month', 'last month'],
  by: STEPS,
} as const;

/** What is drawn, which is nothing where it is not known, and what is written. */
interface DrawnFigure {
  readonly value: string | null;
  readonly text: string;
  readonly isBound?: true;
}

interface Line {
  readonly title: string;
  readonly figures: readonly DrawnFigure[];
}

/** Lines of one unit, with a figure for each part of the period. */
interface Chart {
  readonly title: string;
  readonly unit: TrendUnit;
  readonly lines: readonly Line[];
}

interface Charts {
  readonly period: string;
  readonly by: string;
  /** The name of each part. */
  readonly parts: readonly string[];
  readonly charts: readonly Chart[];
}

/** Today, until which the charts go. */
export const todayIn = (zone: Zone, nowMs: number): string => partsOf(nowMs, nowMs + 1, 'day', zone)[0]?.name ?? '';

/** Reads trends of the local copy; none without one. */
async function trendsOf(
  { world, profile }: Account,
  read: (queries: Queries, untilMs: number) => Promise<Pick<Charts, 'parts' | 'charts'>>,
): Promise<Pick<Charts, 'parts' | 'charts'>> {
  const copy = await existingCopy(world, profile);
  const nothing = { parts: [], charts: [] };
  try {
    return copy
      ? await copy.read(async (queries) => {
          const looked = await lastCheckAt(queries);
          if (looked === undefined) return nothing;
          return read(queries, Math.max(world.clock.now(), Date.parse(looked)) + 1);
        })
      : nothing;
  } finally {
    await copy?.close();
  }
}

const chosen = <T extends string>(of: readonly T[], asked: string | undefined): T | undefined =>
  of.find((each) => each === asked) ?? of[0];

/** The last part goes until the last sync, if that was in it: of what came later, nothing is known yet. */
async function spansOf(queries: Queries, parts: ReturnType<typeof partsOf>) {
  const knownMs = Date.parse((await readKnownUntil(queries)) ?? '');
  return parts.map(({ sinceMs, untilMs }, index) => {
    const isKnownInPart = index === parts.length - 1 && knownMs >= sinceMs && knownMs < untilMs;
    return spanOf(sinceMs, isKnownInPart ? knownMs + 1 : untilMs);
  });
}

/** The charts of a period: the figures of the reports by day, week or month. */
export async function chartsDocument(account: Account, zone: Zone, asked: Asked): Promise<Charts> {
  const period = chosen(CHART_CHOICES.period, asked['period']) ?? '';
  const by = chosen(CHART_CHOICES.by, asked['by']) ?? 'day';
  const drawn = await trendsOf(account, async (queries, untilMs) => {
    const parts = partsOf(...timesOf(period, untilMs, zone), by, zone);
    const trends = await trendsIn(queries, await spansOf(queries, parts));
    return { parts: parts.map(({ name }) => name), charts: trends.map(chartOf) };
  });
  return { period, by, ...drawn };
}

/** When a period begins, and ends: now at the latest. */
function timesOf(period: string, untilMs: number, zone: Zone): readonly [sinceMs: number, untilMs: number] {
  const month = monthNamed(period, zone, untilMs - 1);
  if (month) return [month.sinceMs, Math.min(month.untilMs, untilMs)];
  const days = partsOf(untilMs - ((DAYS[period] ?? 30) + 1) * DAY_MS, untilMs, 'day', zone);
  // The first of these days is not whole.
  return [days.at(-(DAYS[period] ?? 30))?.sinceMs ?? untilMs - DAY_MS, untilMs];
}

/** What came in and went out on the last days. */
export async function volumesDocument(account: Account, zone: Zone): Promise<readonly Chart[]> {
  const { charts } = await trendsOf(account, async (queries, untilMs) => {
    const days = partsOf(untilMs - (DAYS_BEFORE + 2) * DAY_MS, untilMs, 'day', zone).slice(-(DAYS_BEFORE + 1));
    const trends = await volumesIn(queries, await spansOf(queries, days));
    return { parts: days.map(({ name }) => name), charts: trends.map(chartOf) };
  });
  return charts;
}

const chartOf = ({ title, unit, lines }: Trend): Chart => ({
  ...{ title, unit },
  lines: lines.map((line) => ({
    title: line.title,
    figures: line.values.map(({ size, text, isBound }) => ({
      value: size === null ? null : sizeText(unit, size),
      text,
      ...(isBound && { isBound }),
    })),
  })),
});
