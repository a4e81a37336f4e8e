import type { Queries } from '../../../journal/store.ts';
import type { Asset } from '../../../money/amount.ts';
import type { Acceptance } from '../../acceptances.ts';
import { stored } from '../../schema.ts';
import { ASSETS, type BalanceCheck } from './checks.ts';
import { MOVEMENTS, type MovementKind } from './movement-kinds.ts';
import { effectOf, indexFrom, type MovedBetween, madeAfter, type Span } from './movements.ts';

/** A change of a balance that no list shows, seen at the second of two looks. Times are ISO 8601 in UTC. */
export interface Difference extends Span {
  readonly asset: Asset;
  /** In the smallest unit. */
  readonly minor: bigint;
  /** How much of it people have accepted, and why. */
  readonly accepted: bigint;
  readonly reason: string | null;
}

/** A movement that was under way when the balances were looked at, so that nothing says whether they had changed by it. */
interface UnderWay {
  readonly asset: Asset;
  /** What the balance changes by, if it is not as the rules above say that it was at a moment. */
  effectAt(at: string): bigint;
  /** The time in which the balance changed, to the minute; without an end, it goes on. */
  readonly from: string;
  readonly until: string | undefined;
}

interface UnderWayRow {
  readonly asset: Asset | null;
  readonly minor: bigint | null;
  readonly state: 'done' | 'failed' | 'open';
  readonly began: string;
  readonly ended: string;
  readonly changes: string | null;
}

/** Returns the changes of the balances that no list shows, from the last look before a period at which nothing was under way. */
export async function changesIn(
  queries: Queries,
  from: string,
  checks: readonly BalanceCheck[],
  moved: MovedBetween,
): Promise<readonly UnexplainedChange[]> {
  const [first, last] = [checks[0], checks.at(-1)];
  if (!first || !last) return [];
  const sums = checks.map(({ at }) => moved({ from: first.at, to: at }));
  // The part of each look's balance that no list explains, if money moves when the lists say.
  const unlisted = (asset: Asset) =>
    checks.map(({ held }, index) => {
      const own = sums[index]?.get(asset);
      return (held.get(asset) ?? 0n) - (first.held.get(asset) ?? 0n) - (own ? effectOf(own) : 0n);
    });
  // A balance that agrees to the unit at each look needs no explanation.
  const open = ASSETS.filter((asset) => unlisted(asset).some((minor) => minor !== 0n));
  if (open.length === 0) return [];
  const all = movingAt(checks, await underWay(queries, { from: first.at, to: last.at }));
  const start = Math.max(
    0,
    checks.findLastIndex(({ at }, index) => at <= from && all[index]?.length === 0),
  );
  return open.flatMap((asset) => {
    const rooms = sums.map((each) => each.get(asset)?.feeRoom ?? 0n);
    const withRoom = checks.map((check, index) => ({ ...check, room: rooms[index] ?? 0n }));
    return compare(asset, withRoom.slice(start), unlisted(asset).slice(start), all.slice(start));
  });
}

/** Up to the minute: the balances of one look are read one after the other, and clocks differ. */
const minuteOf = (at: string): string => at.slice(0, 16);

/** Work whose end is not known ended at most so long after it began. Source: inferred. */
const LONGEST_UNKNOWN_MS = 86_400_000;

/** Returns the movements that were under way at one of the looks from a moment to another. */
async function underWay(queries: Queries, { from, to }: Span): Promise<readonly UnderWay[]> {
  const found: UnderWay[] = [];
  for (const { table, own, asset, amount, fee, way, ...kind } of MOVEMENTS) {
    const { done, failed } = kind;
    const began = kind.beganAt ?? 'created_at';
    const changes =
      way === 'in' ? kind.completedAt : `CASE WHEN ${done} THEN ${kind.completedAt} ELSE ${kind.failedAt} END`;
    const ended = `coalesce(${kind.endedAt ?? changes}, first_seen_at)`;
    const isOpen = kind.beganAt ? '1 = 0' : 'is_open = 1 AND deleted_at IS NULL';
    const isOver = way === 'out' ? `(${done} OR ${failed})` : done;
    const rowsWith = (condition: string) =>
      queries.all<UnderWayRow>(
        `SELECT ${asset} AS asset, ${amount} ${way === 'in' ? '-' : '+'} coalesce(${fee}, 0) AS minor, ${began} AS began, ${ended} AS ended, ${changes} AS changes,
         CASE WHEN is_open = 1 THEN 'open' WHEN ${done} THEN 'done' ELSE 'failed' END AS state FROM ${stored(table)}
       WHERE ${own} AND ${condition} AND created_at > ? AND created_at <= ? AND ((${isOpen}) OR (is_open = 0 AND ${isOver}
         AND EXISTS (SELECT 1 FROM stored_balance_checks c WHERE c.at >= substr(${began}, 1, 16) AND c.at <= substr(${ended}, 1, 16) || '~')))`,
        madeAfter(from, condition),
        `${minuteOf(to)}~`,
      );
    const rows = [...(await rowsWith(failed)), ...(await rowsWith(`NOT coalesce(${failed}, 1 = 0)`))];
    for (const row of rows) if (row.asset && row.minor) found.push(underWayOf(row, way, row.asset, row.minor));
  }
  return found;
}

function underWayOf(
  { state, began, ended, changes }: UnderWayRow,
  way: MovementKind['way'],
  asset: Asset,
  minor: bigint,
): UnderWay {
  const isChanged = (at: string) => {
    if (way === 'in') return state === 'done' && changes !== null && changes <= at;
    return began <= at && !(state === 'failed' && changes !== null && changes <= at);
  };
  const effect = way === 'in' ? minor : -minor;
  const latest = new Date(Date.parse(began) + LONGEST_UNKNOWN_MS).toISOString();
  return {
    asset,
    effectAt: (at) => (isChanged(at) ? -effect : effect),
    from: minuteOf(began),
    until: state === 'open' ? undefined : ended === changes || ended < latest ? ended : latest,
  };
}

/** The most different sums of what is under way at one look; with more, only the least and the greatest of them are known. */
const MOST_SUMS = 4_096;

/** Amounts of which a balance may have one: any from the lowest to the highest, or one of those listed. */
interface Possible {
  readonly low: bigint;
  readonly high: bigint;
  readonly values?: ReadonlySet<bigint>;
}

/** A look, and the most that fees may have taken until then which are not known. */
interface CheckWithRoom extends Pick<BalanceCheck, 'at'> {
  readonly room: bigint;
}

/**
 * What the part of a balance that no list explains may be at a look: what it is by the times in the lists, less what is under way. A fee that is
 * not known may have taken some of the balance.
 */
function possibleAt(likely: bigint, moving: readonly UnderWay[], { at, room }: CheckWithRoom): Possible {
  let [low, high] = [likely, likely + room];
  let values: ReadonlySet<bigint> | undefined = room > 0n ? undefined : new Set([likely]);
  for (const each of moving) {
    const effect = each.effectAt(at);
    if (effect > 0n) low -= effect;
    else high -= effect;
    values = values && new Set([...values].flatMap((value) => [value, value - effect]));
    if (values && values.size > MOST_SUMS) values = undefined;
  }
  return { low, high, ...(values ? { values } : {}) };
}

/** What is possible in both; undefined if nothing is. */
function both(one: Possible, other: Possible): Possible | undefined {
  const low = one.low > other.low ? one.low : other.low;
  const high = one.high < other.high ? one.high : other.high;
  if (low > high) return undefined;
  const listed = one.values ?? other.values;
  if (!listed) return { low, high };
  const isIn = (value: bigint) => value >= low && value <= high && (other.values?.has(value) ?? true);
  const values = new Set([...listed].filter(isIn));
  return values.size === 0 ? undefined : { low, high, values };
}

/** Returns, for each look, the movements that were under way then. */
function movingAt(checks: readonly BalanceCheck[], moving: readonly UnderWay[]): readonly (readonly UnderWay[])[] {
  const all: UnderWay[][] = checks.map(() => []);
  const times = checks.map(({ at }) => at);
  for (const each of moving) {
    const { from, until } = each;
    for (let index = indexFrom(times, from); index < checks.length; index++) {
      if (until !== undefined && minuteOf(checks[index]?.at ?? '') > until) break;
      all[index]?.push(each);
    }
  }
  return all;
}

/** A time in which the part of a balance that no list explains stayed as it was. */
interface Run extends Span {
  /** What it may be: as the lists say, and as what is under way may have changed it. */
  possible: Possible;
  /** What it is if money moved when the lists say, and the fees that are not known were nothing. */
  readonly likely: bigint;
  /** Whether fees that are not known may have taken some of the balance. */
  readonly isOpen: boolean;
}

/**
 * What a run is: what the lists say if that is possible, or what is nearest to it. Fees that are not known are taken to explain as much as they
 * can of what changed since the run before.
 */
function likeliest({ possible: { low, high, values }, isOpen, ...run }: Run, before: bigint | undefined): bigint {
  const likely = isOpen && before !== undefined ? before : run.likely;
  if (!values) return likely < low ? low : likely > high ? high : likely;
  const far = (value: bigint) => (value > likely ? value - likely : likely - value);
  return [...values].reduce((best, value) => (far(value) < far(best) ? value : best));
}

/** A change before anyone was asked whether it is accepted. */
export type UnexplainedChange = Omit<Difference, 'accepted' | 'reason'>;

/**
 * Compares neighbouring looks with the movements between them. Nothing says at which moment a movement changes a balance, so one that is
 * under way at a look may have changed it or not: a look that can be explained in that way shows no difference, and a difference lasts as
 * long as no look contradicts it. So a movement under way never makes a difference, and one that stays is seen once less is under way.
 */
function compare(
  asset: Asset,
  checks: readonly CheckWithRoom[],
  likely: readonly bigint[],
  moving: readonly (readonly UnderWay[])[],
): readonly UnexplainedChange[] {
  const runs: Run[] = [];
  for (const [index, look] of checks.entries()) {
    const { at } = look;
    const own = (moving[index] ?? []).filter((each) => each.asset === asset);
    const possible = possibleAt(likely[index] ?? 0n, own, look);
    const run = runs.at(-1);
    const stays = run && both(run.possible, possible);
    if (run && stays) run.possible = stays;
    else
      runs.push({
        from: checks[index - 1]?.at ?? at,
        to: at,
        possible,
        likely: likely[index] ?? 0n,
        isOpen: look.room > 0n,
      });
  }
  let before: bigint | undefined;
  return runs.flatMap((run) => {
    const now = likeliest(run, before);
    const minor = before === undefined ? 0n : now - before;
    before = now;
    return minor === 0n ? [] : [{ asset, from: run.from, to: run.to, minor }];
  });
}

type Interval = Pick<Difference, 'asset' | 'from' | 'to'>;

const isSame = (one: Interval, other: Interval) => one.asset === other.asset && one.to === other.to;

const overlap = (one: Interval, other: Interval) =>
  one.asset === other.asset && one.from < other.to && other.from < one.to;

/**
 * Adds what people have accepted to differences: an acceptance counts for the difference of its look, once. Rows that were read later may
 * move the start of its interval; the look at which it was seen stays. A local copy that another host filled looked at other times: there an
 * acceptance counts if it overlaps with differences in one direction that have the same sum.
 */
export function withAcceptances(
  differences: readonly UnexplainedChange[],
  accepted: readonly Acceptance[],
): readonly Difference[] {
  const others = accepted.filter((each) => !differences.some((difference) => isSame(each, difference)));
  return differences.map((each): Difference => {
    const own = accepted.filter((acceptance) => isSame(acceptance, each));
    const all = own.length > 0 ? own : others.filter((other) => overlap(other, each));
    const reason = all.length > 0 ? [...new Set(all.map((one) => one.reason))].join('; ') : null;
    if (own.length > 0) return { ...each, accepted: sumOf(own), reason };
    if (all.length === 0 || !isCovered(each, differences, others)) return { ...each, accepted: 0n, reason: null };
    return { ...each, accepted: each.minor, reason };
  });
}

const sumOf = (all: readonly { readonly minor: bigint }[]): bigint => all.reduce((sum, { minor }) => sum + minor, 0n);

/** Whether the differences and acceptances that overlap with a difference, and with each other, have the same sum and direction. */
function isCovered(
  start: UnexplainedChange,
  differences: readonly UnexplainedChange[],
  accepted: readonly Acceptance[],
): boolean {
  const [found, by] = [new Set([start]), new Set<Acceptance>()];
  for (let size = 0; size < found.size + by.size; ) {
    size = found.size + by.size;
    for (const each of accepted) if ([...found].some((other) => overlap(each, other))) by.add(each);
    for (const each of differences) if ([...by].some((other) => overlap(each, other))) found.add(each);
  }
  const isOneWay = [...found, ...by].every(({ minor }) => minor > 0n === start.minor > 0n);
  return isOneWay && sumOf([...found]) === sumOf([...by]);
}
