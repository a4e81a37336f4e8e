import type { Queries } from '../../../journal/store.ts';
import { type Asset, amount } from '../../../money/amount.ts';
import { atLeast, type Figure, unknownFigure } from '../../../money/figure.ts';
import { unindexed } from '../../schema.ts';
import { because } from '../reasons.ts';
import { WORK_KINDS } from './kinds.ts';

const HOUR_MS = 3_600_000;

/** How old open work is at most, and the name of its count. What is older is counted as `older`. */
const AGES = [
  ['underHour', HOUR_MS],
  ['underDay', 24 * HOUR_MS],
  ['underThreeDays', 72 * HOUR_MS],
] as const;

/** How many of the last rows that completed say how long it usually takes, and the least number that does. */
const MOST_SAMPLES = 200;
const LEAST_SAMPLES = 10;
/** How many of a hundred rows complete within the usual time. */
const USUAL_PERCENT = 95;

/** The open work of one kind and one asset. */
interface Ageing {
  readonly kind: string;
  readonly asset: Asset | null;
  readonly count: number;
  readonly amount: Figure;
  readonly underHour: number;
  readonly underDay: number;
  readonly underThreeDays: number;
  readonly older: number;
  /** The time within which 95 of 100 of the last ones completed; null if too few did. In seconds. */
  readonly usualSeconds: number | null;
  /** How many are open for longer than that. */
  readonly overdue: number | null;
  readonly oldestId: string;
  readonly oldestAt: string;
}

const iso = (ms: number) => new Date(ms).toISOString();

/** The time within which most of the last ones completed whose end is known; undefined if too few did. In milliseconds. */
async function usualMsOf(queries: Queries, { table, where, done }: (typeof WORK_KINDS)[number]) {
  const rows = await queries.all<{ began: string; ended: string }>(
    `SELECT created_at AS began, ended_at AS ended FROM ${table}
     WHERE ${unindexed(where)} AND ${done} AND created_at IS NOT NULL AND ended_at IS NOT NULL AND end_bound IS NULL
     ORDER BY created_at DESC LIMIT ${MOST_SAMPLES}`,
  );
  const spans = rows.map(({ began, ended }) => Date.parse(ended) - Date.parse(began)).toSorted((a, b) => a - b);
  return spans.length < LEAST_SAMPLES ? undefined : spans[Math.ceil((spans.length * USUAL_PERCENT) / 100) - 1];
}

const amountOf = (asset: Asset | null, minor: bigint, isWhole: boolean): Figure => {
  if (asset === null) return unknownFigure(null, because('NOT_STATED'));
  return isWhole ? amount(asset, minor) : atLeast(asset, minor, because('NOT_STATED'));
};

/** No time comes after it. */
const LAST = '~';

/** Says how old open work is at a time, by kind and asset: all of it, or what began before a time. */
export async function ageingIn(queries: Queries, nowMs: number, beganBefore = LAST): Promise<readonly Ageing[]> {
  const all: Ageing[] = [];
  for (const work of WORK_KINDS) {
    const { kind, table, where, asset, minor } = work;
    const open = `FROM ${table} WHERE is_open = 1 AND deleted_at IS NULL AND ${unindexed(where)}`;
    const began = 'coalesce(created_at, first_seen_at)';
    const rows = await queries.all<{ asset: Asset | null; minor: bigint | null; id: string; at: string }>(
      `SELECT ${asset} AS asset, ${minor} AS minor, id, ${began} AS at ${open} AND ${began} < ? ORDER BY ${began}, id`,
      beganBefore,
    );
    if (rows.length === 0) continue;
    const usualMs = await usualMsOf(queries, work);
    for (const own of Map.groupBy(rows, (row) => row.asset).values()) {
      const [oldest] = own;
      if (!oldest) continue;
      const since = (ms: number) => own.filter(({ at }) => at > iso(nowMs - ms)).length;
      const [hour, day, days] = AGES.map(([, ms]) => since(ms)) as [number, number, number];
      const known = own.flatMap((row) => row.minor ?? []);
      all.push({
        kind,
        asset: oldest.asset,
        count: own.length,
        amount: amountOf(
          oldest.asset,
          known.reduce((sum, each) => sum + each, 0n),
          known.length === own.length,
        ),
        underHour: hour,
        underDay: day - hour,
        underThreeDays: days - day,
        older: own.length - days,
        usualSeconds: usualMs === undefined ? null : Math.ceil(usualMs / 1000),
        overdue: usualMs === undefined ? null : own.length - since(usualMs),
        oldestId: oldest.id,
        oldestAt: oldest.at,
      });
    }
  }
  return all;
}
