import type { NotKnown } from '../../../money/figure.ts';
import type { Reason } from '../reasons.ts';

/** What stablecoins that came together cost, in cNGN; or why nothing says it. */
type Cost = bigint | NotKnown;

interface Lot<T> {
  /** What brought it; undefined if nothing says it. */
  readonly flow: T | undefined;
  /** Null if nothing says how much it is: then it has no end. */
  minor: bigint | null;
  cost: Cost;
}

/** Stablecoins that left, of one lot, and what they had cost. */
interface Part<T> {
  /** What brought them; undefined if nothing says it. */
  readonly flow: T | undefined;
  readonly minor: bigint | null;
  readonly cost: Cost;
}

/** What a flow that left had cost, and the parts of it. */
interface CostOf<T> {
  readonly cost: Cost;
  readonly parts: readonly Part<T>[];
}

/** Stablecoins that came or went, in the time from `earliest` to `latest`, which are one unless nothing says exactly when. ISO 8601 in UTC. */
export interface Flow {
  readonly earliest: string;
  readonly latest: string;
  readonly isIn: boolean;
  /** Null if nothing says how much it was. */
  readonly minor: bigint | null;
  /** What it cost, if it came. */
  readonly cost: Cost;
}

const BEFORE: NotKnown = { why: 'BOUGHT_BEFORE' satisfies Reason, since: null };
const NOT_STATED: NotKnown = { why: 'NOT_STATED' satisfies Reason, since: null };
const UNORDERED: NotKnown = { why: 'END_BETWEEN' satisfies Reason, since: null };

const isStated = (cost: Cost): cost is bigint => typeof cost === 'bigint';

/** Takes stablecoins from the lots, the oldest first. Returns the parts that were taken. */
function taken<T>(lots: Lot<T>[], minor: bigint | null): readonly Part<T>[] {
  if (minor === null) {
    // Nothing says what is left.
    lots.splice(0, lots.length, { flow: undefined, minor: null, cost: NOT_STATED });
    return [{ flow: undefined, minor, cost: NOT_STATED }];
  }
  const parts: Part<T>[] = [];
  for (let left = minor; left > 0n; ) {
    const [lot] = lots;
    if (!lot) return [...parts, { flow: undefined, minor: left, cost: BEFORE }];
    if (lot.minor === null) return [...parts, { flow: undefined, minor: left, cost: lot.cost }];
    const part = lot.minor < left ? lot.minor : left;
    // What is left of a lot has what is left of its cost, so that no part of it is lost.
    const own: Cost = isStated(lot.cost) ? (lot.cost * part) / lot.minor : lot.cost;
    parts.push({ flow: lot.flow, minor: part, cost: own });
    if (isStated(lot.cost) && isStated(own)) lot.cost -= own;
    lot.minor -= part;
    left -= part;
    if (lot.minor === 0n) lots.shift();
  }
  return parts;
}

/** Adds up what parts cost, up to the first of which nothing says it. */
function costIn(parts: readonly Part<unknown>[]): Cost {
  let sum = 0n;
  for (const { cost } of parts) {
    if (!isStated(cost)) return cost;
    sum += cost;
  }
  return sum;
}

/** Whether each of some flows was certainly before the next one. Those at the same exact time are in the order that they are given in. */
const isOrdered = (flows: readonly Flow[]): boolean =>
  flows.every((flow, index) => {
    const before = flows[index - 1];
    if (before === undefined || before.latest < flow.earliest) return true;
    return before.earliest === before.latest && flow.earliest === flow.latest && before.latest === flow.earliest;
  });

/** Divides flows into groups, so that every flow of a group was certainly before those of the next. */
function groupsOf<T extends Flow>(flows: readonly T[]): readonly (readonly T[])[] {
  const groups: T[][] = [];
  let until = '';
  for (const flow of flows.toSorted((a, b) => (a.earliest < b.earliest ? -1 : a.earliest > b.earliest ? 1 : 0))) {
    const last = groups.at(-1);
    if (last && flow.earliest <= until) last.push(flow);
    else groups.push([flow]);
    if (flow.latest > until) until = flow.latest;
  }
  return groups;
}

/** Adds up amounts until the first that nothing says. */
function sumOf(all: readonly { readonly minor: bigint | null }[]): bigint {
  let sum = 0n;
  for (const { minor } of all) {
    if (minor === null) break;
    sum += minor;
  }
  return sum;
}

/** Whether there is an order in which what went had come before: each that came at its earliest, each that went at its latest. */
function canHaveCome(held: bigint, flows: readonly Flow[]): boolean {
  const byTime = flows
    .map(({ isIn, earliest, latest, minor }) => ({
      at: isIn ? earliest : latest,
      minor: isIn ? minor : -(minor ?? 0n),
    }))
    .toSorted((a, b) =>
      a.at === b.at
        ? Number(b.minor === null || b.minor > 0n) - Number(a.minor === null || a.minor > 0n)
        : a.at < b.at
          ? -1
          : 1,
    );
  let left = held;
  return byTime.every(({ minor }) => {
    left += minor ?? 0n;
    return left >= 0n;
  });
}

/**
 * Returns what each flow that left had cost, and of what, first in, first out; they must be given in the order that the lists show. Where the order of several
 * is not known and matters, the cost is not known either.
 */
export function costsOf<T extends Flow>(flows: readonly T[]): ReadonlyMap<T, CostOf<T>> {
  const lots: Lot<T>[] = [];
  const costs = new Map<T, CostOf<T>>();
  for (const group of groupsOf(flows)) {
    const went = group.filter(({ isIn }) => !isIn);
    const came = group.filter(({ isIn }) => isIn);
    // What was there before is sold first, whenever in the group more came.
    const isCovered = went.every(({ minor }) => minor !== null) && sumOf(lots) >= sumOf(went);
    const isSure = isOrdered(group) || (isCovered && isOrdered(went));
    const isInOrder = isOrdered(group) || (isCovered && isOrdered(came));
    const costOf = ({ minor, cost }: T): Cost => (minor === null ? NOT_STATED : isInOrder ? cost : UNORDERED);
    const order = isOrdered(group) ? group : isCovered ? [...went, ...came] : [...came, ...went];
    if (!isOrdered(group) && !canHaveCome(sumOf(lots), group))
      lots.splice(0, lots.length, { flow: undefined, minor: null, cost: UNORDERED });
    for (const flow of order) {
      if (!flow.isIn) {
        const parts = taken(lots, flow.minor);
        const unsure: Part<T> = { flow: undefined, minor: flow.minor, cost: UNORDERED };
        costs.set(flow, isSure ? { cost: costIn(parts), parts } : { cost: UNORDERED, parts: [unsure] });
      } else if (flow.minor !== 0n) lots.push({ flow, minor: flow.minor, cost: costOf(flow) });
    }
  }
  return costs;
}
