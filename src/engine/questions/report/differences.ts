import type { Queries } from '../../../journal/store.ts';
import type { Asset } from '../../../money/amount.ts';
import { ASSETS, type Look } from './looks.ts';
import { effectOf, minuteOf, type Span, type Sums, type UnderWay, underWay } from './movements.ts';

/** A change of a balance that no list shows, seen at the second of two looks. Times are ISO 8601 in UTC. */
export interface Difference extends Span {
  readonly asset: Asset;
  /** In the smallest unit. */
  readonly minor: bigint;
  /** How much of it people have accepted, and why. */
  readonly accepted: bigint;
  readonly reason: string | null;
}

/** The most different sums of what is under way at one look; with more, the look decides nothing. */
const MOST_SUMS = 4_096;

/** What movements under way may have changed a balance by at a look; undefined if that may be nearly anything. */
function possibleSums(moving: readonly UnderWay[], at: string): ReadonlySet<bigint> | undefined {
  let sums: Set<bigint> = new Set([0n]);
  for (const each of moving) {
    const effect = each.effectAt(at);
    sums = new Set([...sums].flatMap((sum) => [sum, sum + effect]));
    if (sums.size > MOST_SUMS) return undefined;
  }
  return sums;
}

/** Returns, for each look, the movements that were under way then. */
function movingAt(looks: readonly Look[], moving: readonly UnderWay[]): readonly (readonly UnderWay[])[] {
  const all: UnderWay[][] = looks.map(() => []);
  for (const each of moving) {
    const { from, until } = each;
    let low = 0;
    for (let high = looks.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((looks[middle]?.at ?? '') < from) low = middle + 1;
      else high = middle;
    }
    for (let index = low; index < looks.length; index++) {
      if (until !== undefined && minuteOf(looks[index]?.at ?? '') > until) break;
      all[index]?.push(each);
    }
  }
  return all;
}

/** A time in which the part of a balance that no list explains stayed as it was. */
interface Run extends Span {
  /** What it may be: as the lists say, and as what is under way may have changed it. */
  possible: ReadonlySet<bigint>;
  /** What it is if money moved when the lists say. */
  readonly likely: bigint;
}

/** What a run is: what the lists say if that is possible, or what is nearest to it. */
function likeliest({ possible, likely }: Run): bigint {
  const far = (value: bigint) => (value > likely ? value - likely : likely - value);
  return [...possible].reduce((best, value) => (far(value) < far(best) ? value : best));
}

/** What is known of the balances of an asset. */
export interface Compared {
  readonly differences: readonly Omit<Difference, 'accepted' | 'reason'>[];
  /** The last look that could be compared with one before it; undefined if none could. */
  readonly until: string | undefined;
}

/**
 * Compares neighbouring looks with the movements between them. Nothing says at which moment a movement changes a balance, so one that is
 * under way at a look may have changed it or not: a look that can be explained in that way shows no difference, and a difference lasts as
 * long as no look contradicts it. So a movement under way never makes a difference, and one that stays is seen once less is under way.
 */
function compare(
  asset: Asset,
  looks: readonly Look[],
  effects: readonly bigint[],
  moving: readonly (readonly UnderWay[])[],
): Compared {
  const runs: Run[] = [];
  let [compared, base, moved]: [Look | undefined, bigint, bigint] = [undefined, 0n, 0n];
  let until: string | undefined;
  for (const [index, look] of looks.entries()) {
    const seen = look.seen.get(asset) ?? 0n;
    moved += effects[index] ?? 0n;
    if (index === 0) base = seen;
    const likely = seen - base - moved;
    const sums = possibleSums(
      (moving[index] ?? []).filter((each) => each.asset === asset),
      look.at,
    );
    const possible = sums && new Set([...sums].map((sum) => likely - sum));
    const run = runs.at(-1);
    const both = possible && new Set([...possible].filter((value) => run?.possible.has(value)));
    if (run && both && both.size > 0) run.possible = both;
    else if (possible) runs.push({ from: compared?.at ?? look.at, to: look.at, possible, likely });
    if (!possible && !run?.possible.has(likely)) continue;
    if (compared) until = look.at;
    compared = look;
  }
  const differences = runs.flatMap((run, index) => {
    const before = runs[index - 1];
    const minor = before ? likeliest(run) - likeliest(before) : 0n;
    return minor === 0n ? [] : [{ asset, from: run.from, to: run.to, minor }];
  });
  return { differences, until };
}

/** Compares the looks from the last one before a period at which nothing was under way. */
export async function comparedIn(
  queries: Queries,
  from: string,
  looks: readonly Look[],
  sumsBetween: (spans: readonly Span[]) => Promise<readonly ReadonlyMap<Asset, Sums>[]>,
): Promise<ReadonlyMap<Asset, Compared>> {
  const [first, last] = [looks[0], looks.at(-1)];
  if (!first || !last) return new Map();
  const all = movingAt(looks, await underWay(queries, { from: first.at, to: last.at }));
  const start = Math.max(
    0,
    looks.findLastIndex(({ at }, index) => at <= from && all[index]?.length === 0),
  );
  const [some, moving] = [looks.slice(start), all.slice(start)];
  const spans = some.slice(1).map((look, index) => ({ from: some[index]?.at ?? '', to: look.at }));
  const sums = await sumsBetween(spans);
  const effectsOf = (asset: Asset) => [
    0n,
    ...sums.map((each) => (each.has(asset) ? effectOf(each.get(asset) as Sums) : 0n)),
  ];
  return new Map(ASSETS.map((asset) => [asset, compare(asset, some, effectsOf(asset), moving)]));
}

interface Accepted extends Span {
  readonly minor: bigint;
  readonly reason: string;
}

/** Adds what people have accepted to differences: an acceptance counts for the difference of its interval, once. */
export async function withAcceptances(
  queries: Queries,
  differences: Compared['differences'],
): Promise<readonly Difference[]> {
  const accepted = new Map<Asset, Accepted[]>();
  for (const { asset } of differences)
    accepted.set(
      asset,
      await queries.all<Accepted>(
        'SELECT minor, reason, since AS "from", until AS "to" FROM stored_accepted WHERE asset = ? ORDER BY at',
        asset,
      ),
    );
  // Rows that were read later may move the start of an interval; the look at which it was seen stays.
  const ofDifference = ({ asset, to }: Compared['differences'][number]) =>
    (accepted.get(asset) ?? []).filter((each) => each.to === to);
  return differences.map((each) => {
    const all = ofDifference(each);
    return {
      ...each,
      accepted: all.reduce((sum, { minor }) => sum + minor, 0n),
      reason: all.length > 0 ? all.map(({ reason }) => reason).join('; ') : null,
    };
  });
}
