import type { Queries } from '../../../journal/store.ts';
import type { Asset } from '../../../money/amount.ts';
import { type Compared, comparedIn, type Difference, withAcceptances } from './differences.ts';
import { ASSETS, type Look, looksIn } from './looks.ts';
import { completedEffect, effectOf, noSums, type Span, type Sums, sumsIn, sumsOf } from './movements.ts';

/** A balance, and whether it was worked out because nobody had looked before. */
interface BalanceAt {
  readonly minor: bigint;
  readonly isComputed: boolean;
}

type Balances = ReadonlyMap<Asset, BalanceAt>;

const lookUntil = (looks: readonly Look[], at: string) => looks.findLast((look) => look.at <= at);

/** Adds up the movements of periods, with the fees that were earned in them, as looks saw it. */
async function allSums(queries: Queries, looks: readonly Look[], spans: readonly Span[]) {
  const earnedAt = (at: string) => (lookUntil(looks, at) ?? looks[0])?.earned ?? 0n;
  const all = await sumsIn(queries, spans);
  for (const [index, { from, to }] of spans.entries()) {
    const [sums, earned] = [all[index], earnedAt(to) - earnedAt(from)];
    if (sums && earned !== 0n) sumsOf(sums, 'NGN').earned = earned;
  }
  return all;
}

/** Returns the balances at moments in their order: what was seen last, and what moved since. Undefined if nobody ever looked. */
export async function balancesAt(
  queries: Queries,
  moments: readonly string[],
): Promise<readonly Balances[] | undefined> {
  const looks = await looksIn(queries, { from: moments[0] ?? '', to: moments.at(-1) ?? '' }, 1);
  return balancesFrom(queries, looks, moments);
}

async function balancesFrom(queries: Queries, looks: readonly Look[], moments: readonly string[]) {
  const [first] = looks;
  if (!first) return undefined;
  const spans = moments.map((at) => {
    const look = lookUntil(looks, at);
    return look ? { from: look.at, to: at } : { from: at, to: first.at };
  });
  const moved = await allSums(queries, looks, spans);
  return moments.map((at, index): Balances => {
    const look = lookUntil(looks, at);
    return new Map(
      ASSETS.map((asset) => {
        const effect = effectOf(moved[index]?.get(asset) ?? noSums());
        const minor = ((look ?? first).seen.get(asset) ?? 0n) + (look ? effect : -effect);
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
  /** The looks in and around the period between which every change is explained or a difference; null if there were no two. */
  readonly compared: Span | null;
}

/** The account in a period. */
export interface AccountReport {
  /** Empty if the balances were never looked at. */
  readonly assets: readonly AssetReport[];
  readonly differences: readonly Difference[];
  /** Each part of the period, with the assets that moved in it. */
  readonly parts: readonly (readonly AssetMoved[])[];
}

/** Returns what became of the account's assets in a period, and in its parts. */
export async function accountIn(queries: Queries, span: Span, parts: readonly Span[] = []): Promise<AccountReport> {
  const looks = await looksIn(queries, span);
  const compared = await comparedIn(queries, span.from, looks, (spans) => allSums(queries, looks, spans));
  const found = [...compared.values()].flatMap((each) => each.differences.filter((one) => isIn(span, one.to)));
  const differences = await withAcceptances(queries, found);
  const [whole = new Map<Asset, Sums>(), ...sums] = await allSums(queries, looks, [span, ...parts]);
  const balances = await balancesFrom(queries, looks, [span.from, span.to]);
  const movedIn = (part: Span, moved: ReadonlyMap<Asset, Sums>, asset: Asset): AssetMoved => {
    const own = differences.filter((each) => each.asset === asset && isIn(part, each.to));
    const sum = (of: (each: Difference) => bigint) => own.reduce((all, each) => all + of(each), 0n);
    const add = { unlisted: sum(({ minor }) => minor), accepted: sum(({ accepted }) => accepted) };
    return { ...(moved.get(asset) ?? noSums()), asset, ...add };
  };
  const assets = balances
    ? ASSETS.map((asset) => assetOf(movedIn(span, whole, asset), balances, spanOf(looks, span, compared.get(asset))))
    : [];
  return {
    ...{ assets, differences },
    parts: parts.map((part, index) => {
      const moved = sums[index] ?? new Map<Asset, Sums>();
      const all = ASSETS.map((asset) => movedIn(part, moved, asset));
      return all.filter(({ asset, unlisted }) => moved.has(asset) || unlisted !== 0n);
    }),
  };
}

const isIn = ({ from, to }: Span, at: string) => at > from && at <= to;

/** What was compared of a period: from the last look until its start, or the first one in it. */
function spanOf(looks: readonly Look[], { from }: Span, compared: Compared | undefined): Span | null {
  const start = (lookUntil(looks, from) ?? looks[0])?.at;
  const until = compared?.until;
  return start !== undefined && until !== undefined && until > from && until > start
    ? { from: start, to: until }
    : null;
}

/** Whatever is neither completed nor in no list is in flight, so that the lines add up. */
function assetOf(moved: AssetMoved, [opening, closing]: readonly Balances[], compared: Span | null): AssetReport {
  const none = { minor: 0n, isComputed: false };
  const [start, end] = [opening?.get(moved.asset) ?? none, closing?.get(moved.asset) ?? none];
  const inFlight = start.minor + completedEffect(moved) + moved.unlisted - end.minor;
  return { ...moved, inFlight, opening: start, closing: end, compared };
}
