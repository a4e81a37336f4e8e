import type { Queries } from '../../../journal/store.ts';
import type { Asset } from '../../../money/amount.ts';
import { changesIn, type Difference, withAcceptances } from './differences.ts';
import { ASSETS, type Look, looksIn } from './looks.ts';
import {
  completedEffect,
  effectOf,
  type MovedBetween,
  movedBetween,
  noSums,
  type Span,
  type Sums,
  sumsOf,
} from './movements.ts';

/** A balance, and whether it was worked out because nobody had looked before. */
interface BalanceAt {
  readonly minor: bigint;
  readonly isComputed: boolean;
}

type Balances = ReadonlyMap<Asset, BalanceAt>;

const lookUntil = (looks: readonly Look[], at: string) => looks.findLast((look) => look.at <= at);

/** Adds up the movements between some times, with the fees that were earned between them, as looks saw it. */
async function allMoved(queries: Queries, looks: readonly Look[], times: readonly string[]): Promise<MovedBetween> {
  const earnedAt = (at: string) => (lookUntil(looks, at) ?? looks[0])?.earned ?? 0n;
  const moved = await movedBetween(queries, [...times, ...looks.map(({ at }) => at)]);
  return (span) => {
    const sums = moved(span);
    const earned = earnedAt(span.to) - earnedAt(span.from);
    if (earned !== 0n) sumsOf(sums, 'NGN').earned = earned;
    return sums;
  };
}

/** Returns the balances at moments in their order: what was seen last, and what moved since. Undefined if nobody ever looked. */
export async function balancesAt(
  queries: Queries,
  moments: readonly string[],
): Promise<readonly Balances[] | undefined> {
  const looks = await looksIn(queries, { from: moments[0] ?? '', to: moments.at(-1) ?? '' }, 1);
  return looks.length === 0 ? undefined : balancesFrom(looks, moments, await allMoved(queries, looks, moments));
}

function balancesFrom(looks: readonly Look[], moments: readonly string[], moved: MovedBetween): readonly Balances[] {
  return moments.map((at): Balances => {
    const look = lookUntil(looks, at);
    const nearest = look ?? looks[0];
    const sums = nearest && moved(look ? { from: look.at, to: at } : { from: at, to: nearest.at });
    return new Map(
      ASSETS.map((asset) => {
        const effect = effectOf(sums?.get(asset) ?? noSums());
        const minor = (nearest?.seen.get(asset) ?? 0n) + (look ? effect : -effect);
        return [asset, { minor, isComputed: look === undefined }];
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
  /** Each part of the period, with the assets that moved in it. */
  readonly parts: readonly (readonly AssetMoved[])[];
}

/** Returns what became of the account's assets in a period, and in its parts. */
export async function accountIn(queries: Queries, span: Span, parts: readonly Span[] = []): Promise<AccountReport> {
  const looks = await looksIn(queries, span);
  const moved = await allMoved(
    queries,
    looks,
    [span, ...parts].flatMap(({ from, to }) => [from, to]),
  );
  const changes = await changesIn(queries, span.from, looks, moved);
  const differences = await withAcceptances(
    queries,
    changes.filter(({ to }) => isIn(span, to)),
  );
  const movedIn = (part: Span, sums: ReadonlyMap<Asset, Sums>, asset: Asset): AssetMoved => {
    const own = differences.filter((each) => each.asset === asset && isIn(part, each.to));
    const sum = (of: (each: Difference) => bigint) => own.reduce((all, each) => all + of(each), 0n);
    const add = { unlisted: sum(({ minor }) => minor), accepted: sum(({ accepted }) => accepted) };
    return { ...(sums.get(asset) ?? noSums()), asset, ...add };
  };
  const whole = moved(span);
  const balances = balancesFrom(looks, [span.from, span.to], moved);
  return {
    differences,
    assets: looks.length > 0 ? ASSETS.map((asset) => assetOf(movedIn(span, whole, asset), balances)) : [],
    compared: comparedIn(looks, span),
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
function comparedIn(looks: readonly Look[], { from, to }: Span): Span | null {
  const start = lookUntil(looks, from) ?? looks[0];
  const end = lookUntil(looks, to);
  return start && end && end.at > from && end.at > start.at ? { from: start.at, to: end.at } : null;
}

/** Whatever is neither completed nor in no list is in flight, so that the lines add up. */
function assetOf(moved: AssetMoved, [opening, closing]: readonly Balances[]): AssetReport {
  const none = { minor: 0n, isComputed: false };
  const [start, end] = [opening?.get(moved.asset) ?? none, closing?.get(moved.asset) ?? none];
  const inFlight = start.minor + completedEffect(moved) + moved.unlisted - end.minor;
  return { ...moved, inFlight, opening: start, closing: end };
}
