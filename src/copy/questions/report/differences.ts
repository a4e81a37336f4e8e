import type { Queries } from '../../../journal/store.ts';
import type { Asset } from '../../../money/amount.ts';
import type { Acceptance } from '../../acceptances.ts';
import { UNLISTED } from '../../schema.ts';
import type { Span } from './movements.ts';

/** A change of a balance that no list shows, seen at the second of two looks. Times are ISO 8601 in UTC. */
export interface Difference extends Span {
  readonly asset: Asset;
  /** In the smallest unit. */
  readonly minor: bigint;
  /** Why nothing says how much it was: then `minor` is what is likely; null if it is known. */
  readonly known: 'UNLISTED' | null;
  /** How much of it people have accepted, and why. */
  readonly accepted: bigint;
  readonly reason: string | null;
}

/** Returns the changes of balances that no list shows and that were, or may have been, in a period: as the last sync noted them. */
export async function changesIn(queries: Queries, { from, to }: Span): Promise<readonly UnexplainedChange[]> {
  const rows = await queries.all<UnexplainedChange>(
    `SELECT asset, min(since) AS "from", at AS "to", CAST(sum(minor) AS BIGINT) AS minor, max(known) AS known FROM ${UNLISTED.name}
     WHERE user_id = '' AND step = 'unlisted' AND at > ? AND since < ? GROUP BY asset, at HAVING sum(minor) <> 0 ORDER BY at, asset`,
    from,
    to,
  );
  return rows;
}

/** A change before anyone was asked whether it is accepted. */
export type UnexplainedChange = Omit<Difference, 'accepted' | 'reason'>;

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
