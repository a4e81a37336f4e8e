import type { Queries } from '../../../journal/store.ts';
import { type Asset, amount } from '../../../money/amount.ts';
import { atLeast, type Figure, type Known, negated, unknownFigure } from '../../../money/figure.ts';
import type { Acceptance } from '../../acceptances.ts';
import { readKnownUntil } from '../../list-state.ts';
import { because, type Reason } from '../reasons.ts';
import { ASSETS, type BalanceCheck, checksIn, checkUntil } from './checks.ts';
import { afterLastSync, type CutLists, cutListsIn } from './cut-lists.ts';
import { changesIn, type Difference, type UnexplainedChange, withAcceptances } from './differences.ts';
import {
  completedEffect,
  effectOf,
  type Lacking,
  type Line,
  type MovedBetween,
  missingIn,
  movedBetween,
  noSums,
  type Span,
  type Sums,
  uncountedIn,
} from './movements.ts';

type Balances = ReadonlyMap<Asset, Figure>;

/** What the copy has of the account around some moments, and what it may lack. */
interface Seen {
  readonly checks: readonly BalanceCheck[];
  readonly moved: MovedBetween;
  readonly cut: CutLists;
  readonly knownUntil: string | undefined;
  /** What no list explains, seen at the second of two looks. */
  readonly changes: readonly UnexplainedChange[];
}

/** The time from the last look until a moment, to the moment. */
const sinceLook = (checks: readonly BalanceCheck[], at: string): Span => ({
  from: checkUntil(checks, at)?.at ?? at,
  to: at,
});

/** Reads the looks in and around a period, and what moved and was earned in parts of it and until the ends of these. */
async function seenIn(queries: Queries, span: Span, parts: readonly Span[]): Promise<Seen> {
  const checks = await checksIn(queries, span);
  const moments = parts.flatMap(({ from, to }) => [from, to]);
  const cut = await cutListsIn(queries, '');
  const moved = await movedBetween(queries, [...moments, ...moments.map((at) => sinceLook(checks, at).from)]);
  const knownUntil = await readKnownUntil(queries);
  return { checks, moved, cut, knownUntil, changes: await changesIn(queries, span) };
}

/**
 * Returns the balances at moments in their order: what was seen last, and what moved since. Undefined if the balances were never looked at.
 */
export async function balancesAt(
  queries: Queries,
  moments: readonly string[],
): Promise<readonly Balances[] | undefined> {
  const parts = moments.map((at) => ({ from: at, to: at }));
  const seen = await seenIn(queries, { from: moments[0] ?? '', to: moments.at(-1) ?? '' }, parts);
  return seen.checks.length === 0 ? undefined : moments.map((at) => balancesFrom(seen, at));
}

/** Why nothing is known of a time after the last sync; undefined before it. */
const afterSync = ({ knownUntil }: Seen, at: string): Lacking | undefined => afterLastSync(knownUntil, at);

/** What limits a figure. */
interface Limit extends Lacking {
  readonly is: Known['is'];
}

const isFee = (why: Reason): boolean => why.startsWith('FEE_');

/** The lines that a balance is made of. */
const LINES: readonly Line[] = ['in', 'out', 'traded', 'refunds', 'inFlight', 'fees', 'earned'];

const balancesFrom = (seen: Seen, at: string): Balances =>
  new Map(ASSETS.map((asset) => [asset, balanceFrom(seen, at, asset)]));

function balanceFrom(seen: Seen, at: string, asset: Asset): Figure {
  const { checks, moved, cut, changes } = seen;
  const check = checkUntil(checks, at);
  if (!check) return unknownFigure(asset, because('BEFORE_FIRST_SYNC', checks[0]?.at ?? null));
  const held = check.held.get(asset);
  if (held === undefined) return unknownFigure(asset, because('NOT_STATED'));
  const since = sinceLook(checks, at);
  const sums = moved(since).get(asset) ?? noSums();
  const figure = { asset, minor: held + effectOf(sums) };
  if (check.at === at) return figure;
  const limits = LINES.flatMap((line): Limit[] => {
    const lacking = missingIn(sums, line) ?? afterSync(seen, at) ?? cut.reasonFor(asset, line);
    if (!lacking) return [];
    // A fee that is not known has only made the balance lower, or higher if it was earned.
    return [{ ...lacking, is: !isFee(lacking.why) ? 'no' : line === 'earned' ? 'at least' : 'at most' }];
  });
  // What came and what went are one change, which may have been more before.
  if (changes.some((change) => change.asset === asset && change.from < at && at < change.to))
    limits.push({ is: 'no', why: 'UNLISTED' });
  return limited(figure, limits);
}

/** A figure with all that limits it: of a least and a most, nothing is known. */
function limited(figure: Figure & { readonly asset: Asset }, limits: readonly Limit[]): Figure {
  const [first] = limits;
  if (!first) return figure;
  const known = { ...first, since: first.since ?? null };
  return limits.every(({ is }) => is === first.is && is !== 'no')
    ? { ...figure, known }
    : unknownFigure(figure.asset, known);
}

/** What became of one asset of the account in a part of a period; what the balance fell by is negative. */
export interface AssetMoved {
  readonly asset: Asset;
  readonly in: Figure;
  readonly earned: Figure;
  readonly out: Figure;
  readonly fees: Figure;
  readonly traded: Figure;
  readonly refunds: Figure;
  /** What changed the balance and is in no list, and how much of it people have accepted. */
  readonly unlisted: Figure;
  readonly accepted: Figure;
  readonly count: number;
  readonly failed: number;
}

/** One asset of the account in a period. */
export interface AssetReport extends AssetMoved {
  readonly opening: Figure;
  readonly inFlight: Figure;
  readonly closing: Figure;
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
  const seen = await seenIn(queries, span, [span, ...parts]);
  const { checks, changes } = seen;
  const isShown = changes.some(({ to }) => isIn(span, to));
  const differences = withAcceptances(changes, isShown ? await readAccepted() : []).filter(({ to }) => isIn(span, to));
  return {
    differences,
    assets: checks.length > 0 ? ASSETS.map((asset) => assetOf(seen, span, asset, differences)) : [],
    compared: comparedIn(checks, span),
    uncounted: isWhole(seen, span) ? 0 : await uncountedIn(queries, span),
    parts: parts.map((part) =>
      ASSETS.map((asset) => movedIn(seen, part, asset, differences)).filter(
        (moved) => seen.moved(part).has(moved.asset) || isWorthARow(moved.unlisted) || isWorthARow(moved.earned),
      ),
    ),
  };
}

/** What became of every asset of the account in a part of a period, and what there was at its end; undefined if the balances were never looked at. */
export interface PartOfAccount {
  readonly moved: readonly AssetMoved[];
  readonly balances: Balances | undefined;
}

/** Returns what became of the account in parts of a period, one after the other. */
export async function accountInParts(queries: Queries, parts: readonly Span[]): Promise<readonly PartOfAccount[]> {
  const seen = await seenIn(queries, { from: parts[0]?.from ?? '', to: parts.at(-1)?.to ?? '' }, parts);
  return parts.map((part) => ({
    moved: ASSETS.map((asset) => movedIn(seen, part, asset, [])),
    balances: seen.checks.length === 0 ? undefined : balancesFrom(seen, part.to),
  }));
}

/** Whether a figure is worth a row: not if it is nothing, or of a time before the first sync, of which only balances could show it. */
export const isWorthARow = ({ minor, known }: Figure): boolean =>
  minor === null ? known?.why !== 'BEFORE_FIRST_SYNC' : minor !== 0n;

/** Whether every movement in a period has an amount. */
const isWhole = ({ moved }: Seen, span: Span): boolean =>
  [...moved(span).values()].every(({ missing }) => [...missing.keys()].every((key) => !key.endsWith(' NOT_STATED')));

const isIn = ({ from, to }: Span, at: string) => at > from && at <= to;

/** What was compared of a period: from the last look until its start, or the first one in it, to the last one. */
function comparedIn(checks: readonly BalanceCheck[], { from, to }: Span): Span | null {
  const start = checkUntil(checks, from) ?? checks[0];
  const end = checkUntil(checks, to);
  return start && end && end.at > start.at ? { from: start.at, to: end.at } : null;
}

/** Why rows of a list may be missing. */
const OF_LISTS: readonly Reason[] = ['LIST_INCOMPLETE', 'AFTER_LAST_SYNC'];

/** Returns what moved of an asset in a part of a period. */
function movedIn(seen: Seen, part: Span, asset: Asset, all: readonly Difference[]): AssetMoved {
  const { moved, cut } = seen;
  const sums = moved(part).get(asset) ?? noSums();
  const own = all.filter((each) => each.asset === asset && isIn(part, each.to));
  const reasonFor = (line: Line): Lacking | undefined =>
    missingIn(sums, line) ?? cut.reasonFor(asset, line) ?? afterSync(seen, part.to);
  const positive = (line: 'in' | 'out' | 'fees' | 'refunds' | 'earned') => {
    const lacking = reasonFor(line);
    // What came over a bridge has come from outside only if no transfer of the account paid it.
    const isNoBound =
      lacking?.why === 'END_BETWEEN' || (line === 'in' && OF_LISTS.includes(lacking?.why ?? 'NOT_STATED'));
    if (lacking && isNoBound) return unknownFigure(asset, reasonOf(lacking));
    return lacking ? atLeast(asset, sums[line], reasonOf(lacking)) : amount(asset, sums[line]);
  };
  return {
    asset,
    in: positive('in'),
    earned: positive('earned'),
    out: negated(positive('out')),
    fees: negated(positive('fees')),
    traded: signed(asset, sums.traded, reasonFor('traded')),
    refunds: positive('refunds'),
    unlisted: unlistedIn(seen, part, asset),
    accepted: amount(
      asset,
      own.reduce((sum, { accepted }) => sum + accepted, 0n),
    ),
    count: sums.count,
    failed: sums.failed,
  };
}

/** What no list shows of a part of a period. A change between two looks, one of them in it and one not, may be a part of it or not. */
function unlistedIn(seen: Seen, { from, to }: Span, asset: Asset): Figure {
  const [first] = seen.checks;
  if (first && from < first.at) return unknownFigure(asset, because('BEFORE_FIRST_SYNC', first.at));
  const after = afterSync(seen, to);
  if (after) return unknownFigure(asset, reasonOf(after));
  const own = seen.changes.filter((change) => change.asset === asset && change.from < to && change.to > from);
  const isInside = ({ from: since, to: at, known }: UnexplainedChange) => since >= from && at <= to && known === null;
  if (!own.every(isInside)) return unknownFigure(asset, because('UNLISTED'));
  return amount(
    asset,
    own.reduce((sum, { minor }) => sum + minor, 0n),
  );
}

/** The figure of something that may have either sign: nothing is known of it unless all is. */
const signed = (asset: Asset, minor: bigint, lacking: Lacking | undefined): Figure =>
  lacking ? unknownFigure(asset, reasonOf(lacking)) : amount(asset, minor);

const reasonOf = ({ why, since, rows }: Lacking) => because(why, since, rows);

/** Whatever is neither completed nor in no list is in flight, so that the lines add up if they are known. */
function assetOf(seen: Seen, span: Span, asset: Asset, differences: readonly Difference[]): AssetReport {
  const line = movedIn(seen, span, asset, differences);
  const [opening, closing] = [balanceFrom(seen, span.from, asset), balanceFrom(seen, span.to, asset)];
  const sums: Sums = seen.moved(span).get(asset) ?? noSums();
  const isExact = [opening, closing, line.earned, line.fees, line.unlisted].every(({ known }) => !known);
  const unlisted = line.unlisted.minor ?? 0n;
  const inFlight = isExact
    ? (opening.minor ?? 0n) + completedEffect(sums) + unlisted - (closing.minor ?? 0n)
    : sums.inFlight;
  const lacking = missingIn(sums, 'inFlight') ?? seen.cut.reasonFor(asset, 'inFlight') ?? afterSync(seen, span.to);
  return { ...line, opening, inFlight: signed(asset, -inFlight, lacking), closing };
}
