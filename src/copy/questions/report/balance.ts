import type { Queries } from '../../../journal/store.ts';
import type { Asset } from '../../../money/amount.ts';
import type { Acceptance } from '../../acceptances.ts';
import { ASSETS, type BalanceCheck, checksIn } from './checks.ts';
import { changesIn, type Difference, withAcceptances } from './differences.ts';
import {
  completedEffect,
  effectOf,
  type MovedBetween,
  movedBetween,
  noSums,
  type Span,
  type Sums,
  sumsOf,
  uncountedIn,
} from './movements.ts';

/** A balance, and whether it was worked out because nobody had looked before. */
interface BalanceAt {
  readonly minor: bigint;
  readonly isComputed: boolean;
}

type Balances = ReadonlyMap<Asset, BalanceAt>;

/** Returns the balances at moments in their order: what was seen last, and what moved since. Undefined if nobody ever looked. */
export async function balancesAt(
  queries: Queries,
  moments: readonly string[],
): Promise<readonly Balances[] | undefined> {
  const checks = await checksIn(queries, { from: moments[0] ?? '', to: moments.at(-1) ?? '' }, 1);
  return checks.length === 0 ? undefined : balancesFrom(checks, moments, await allMoved(queries, checks, moments));
}

const checkUntil = (checks: readonly BalanceCheck[], at: string) => checks.findLast((check) => check.at <= at);

/** Adds up the movements between some times, with the fees that were earned between them, as looks saw it. */
async function allMoved(
  queries: Queries,
  checks: readonly BalanceCheck[],
  times: readonly string[],
): Promise<MovedBetween> {
  const earnedAt = (at: string) => (checkUntil(checks, at) ?? checks[0])?.earned ?? 0n;
  const moved = await movedBetween(queries, [...times, ...checks.map(({ at }) => at)]);
  return (span) => {
    const sums = moved(span);
    const earned = earnedAt(span.to) - earnedAt(span.from);
    if (earned !== 0n) sumsOf(sums, 'NGN').earned = earned;
    return sums;
  };
}

function balancesFrom(
  checks: readonly BalanceCheck[],
  moments: readonly string[],
  moved: MovedBetween,
): readonly Balances[] {
  return moments.map((at): Balances => {
    const check = checkUntil(checks, at);
    const nearest = check ?? checks[0];
    const sums = nearest && moved(check ? { from: check.at, to: at } : { from: at, to: nearest.at });
    return new Map(
      ASSETS.map((asset) => {
        const effect = effectOf(sums?.get(asset) ?? noSums());
        const minor = (nearest?.held.get(asset) ?? 0n) + (check ? effect : -effect);
        return [asset, { minor, isComputed: check === undefined }];
      }),
    );
  });
}

/** What became of one asset of the account in a part of a period. */
export interface AssetMoved extends Sums {
  readonly asset: Asset;
  /** What changed the balance and is in no list, and how much of it people have accepted. */
  readonly unlisted: bigint;
  readonly accepted: bigint;
}

/** One asset of the account in a period. */
export interface AssetReport extends AssetMoved {
  readonly opening: BalanceAt;
  readonly closing: BalanceAt;
}

/** The account in a period. */
export interface AccountReport {
  /** Empty if the balances were never looked at. */
  readonly assets: readonly AssetReport[];
  readonly differences: readonly Difference[];
  /** The looks in and around the period between which every change is explained or a difference; null if there were no two. */
  readonly compared: Span | null;
  /** How many movements have an amount that is not known. No sum has them. */
  readonly uncounted: number;
  /** Each part of the period, with the assets that moved in it. */
  readonly parts: readonly (readonly AssetMoved[])[];
}

/**
 * Returns what became of the account's assets in a period, and in its parts. `readAccepted` is asked what people have accepted if something is
 * in no list.
 */
export async function accountIn(
  queries: Queries,
  span: Span,
  parts: readonly Span[] = [],
  readAccepted: () => Promise<readonly Acceptance[]> = async () => [],
): Promise<AccountReport> {
  const checks = await checksIn(queries, span);
  const moved = await allMoved(
    queries,
    checks,
    [span, ...parts].flatMap(({ from, to }) => [from, to]),
  );
  const changes = await changesIn(queries, span.from, checks, moved);
  const isShown = changes.some(({ to }) => isIn(span, to));
  const differences = withAcceptances(changes, isShown ? await readAccepted() : []).filter(({ to }) => isIn(span, to));
  const movedIn = (part: Span, sums: ReadonlyMap<Asset, Sums>, asset: Asset): AssetMoved => {
    const own = differences.filter((each) => each.asset === asset && isIn(part, each.to));
    const sum = (of: (each: Difference) => bigint) => own.reduce((all, each) => all + of(each), 0n);
    const add = { unlisted: sum(({ minor }) => minor), accepted: sum(({ accepted }) => accepted) };
    return { ...(sums.get(asset) ?? noSums()), asset, ...add };
  };
  const whole = moved(span);
  const balances = balancesFrom(checks, [span.from, span.to], moved);
  return {
    differences,
    assets: checks.length > 0 ? ASSETS.map((asset) => assetOf(movedIn(span, whole, asset), balances)) : [],
    compared: comparedIn(checks, span),
    uncounted: await uncountedIn(queries, span),
    parts: parts.map((part) => {
      const sums = moved(part);
      return ASSETS.map((asset) => movedIn(part, sums, asset)).filter(
        ({ asset, unlisted }) => sums.has(asset) || unlisted !== 0n,
      );
    }),
  };
}

const isIn = ({ from, to }: Span, at: string) => at > from && at <= to;

/** What was compared of a period: from the last look until its start, or the first one in it, to the last one. */
function comparedIn(checks: readonly BalanceCheck[], { from, to }: Span): Span | null {
  const start = checkUntil(checks, from) ?? checks[0];
  const end = checkUntil(checks, to);
  return start && end && end.at > start.at ? { from: start.at, to: end.at } : null;
}

/** Whatever is neither completed nor in no list is in flight, so that the lines add up. */
function assetOf(moved: AssetMoved, [opening, closing]: readonly Balances[]): AssetReport {
  const none = { minor: 0n, isComputed: false };
  const [start, end] = [opening?.get(moved.asset) ?? none, closing?.get(moved.asset) ?? none];
  const inFlight = start.minor + completedEffect(moved) + moved.unlisted - end.minor;
  return { ...moved, inFlight, opening: start, closing: end };
}
