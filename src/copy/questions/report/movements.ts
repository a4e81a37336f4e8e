import type { Queries } from '../../../journal/store.ts';
import { type Asset, TOKENS } from '../../../money/amount.ts';
import { hasFailed, isOfFailed, stored } from '../../schema.ts';
import type { Reason } from '../reasons.ts';
import { MOVEMENTS, type MovementKind } from './movement-kinds.ts';

/** A period from a moment, not included, to another, included; ISO 8601 in UTC. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

/** What moved in a period, in the smallest unit. */
export interface Sums {
  in: bigint;
  out: bigint;
  fees: bigint;
  /** What trades brought, less what they took. */
  traded: bigint;
  /** What the bank sent back of payouts that were completed. */
  refunds: bigint;
  /** How much more is in flight at the end of the period than at its start. */
  inFlight: bigint;
  /** Earned fees, as the service counts them. */
  earned: bigint;
  /** The most that the fees can be which are not known, and in no line. */
  feeRoom: bigint;
  count: number;
  failed: number;
  /** How many rows a line lacks, by the reason for which their amount or fee is not known. */
  readonly missing: Map<`${Line} ${Reason}`, number>;
}

/** What is added up of a balance. */
export type Line = 'in' | 'out' | 'fees' | 'traded' | 'refunds' | 'inFlight';

export const noSums = (): Sums => ({
  in: 0n,
  out: 0n,
  fees: 0n,
  traded: 0n,
  refunds: 0n,
  inFlight: 0n,
  earned: 0n,
  feeRoom: 0n,
  count: 0,
  failed: 0,
  missing: new Map(),
});

/** Returns why a line of a sum is not known, with the number of rows; undefined if it is known. */
export function missingIn({ missing }: Sums, line: Line): Lacking | undefined {
  const [found] = [...missing].filter(([key, count]) => count !== 0 && key.startsWith(`${line} `));
  return found && { why: found[0].slice(line.length + 1) as Reason, rows: Math.abs(found[1]) };
}

/** Why a line lacks rows, and how many, if that is known. */
export interface Lacking {
  readonly why: Reason;
  readonly rows?: number;
}

/** What the balance is higher by because of what was completed, as far as lists say. */
export const completedEffect = ({ in: came, out, fees, traded, refunds, earned }: Sums): bigint =>
  came - out - fees + traded + refunds + earned;

/** What the balance is higher by at the end of the period than at its start, as far as lists say. */
export const effectOf = (sums: Sums): bigint => completedEffect(sums) - sums.inFlight;

interface SumRow {
  /** When it moved, or the end of the part in which it did. */
  readonly at: string;
  readonly asset: Asset | null;
  /** Why the amount or the fee of these rows is not known; null if both are. */
  readonly why: Reason | null;
  readonly amount: bigint | null;
  readonly fee: bigint | null;
  readonly rows: bigint;
}

/** What was completed in a period, by a time that has no index, began at most so long before it. Source: inferred. */
const LONGEST_MS = 90 * 86_400_000;

/** Returns from when on work was made that may have ended since a time. What failed has an index of its own, so that it is found at any age. */
export const madeAfter = (from: string, condition: string): string =>
  isOfFailed(condition) ? '' : new Date(Date.parse(from) - LONGEST_MS).toISOString();

/** Returns until when work ends that was made until a time. */
export const endedUntil = (made: string): string => new Date(Date.parse(made) + LONGEST_MS).toISOString();

/** The sums of an asset in a period, to add to. */
export function sumsOf(sums: Map<Asset, Sums>, asset: Asset): Sums {
  const found = sums.get(asset) ?? noSums();
  sums.set(asset, found);
  return found;
}

/** What moved between any two of some times. */
export type MovedBetween = (span: Span) => Map<Asset, Sums>;

/** Adds up the movements between some times, by asset. Earned fees are in no list: balances have them. */
export async function movedBetween(queries: Queries, some: readonly string[]): Promise<MovedBetween> {
  const times = [...new Set(some)].toSorted();
  const parts = times.map(() => new Map<Asset, Sums>());
  for (const kind of MOVEMENTS) await addMovements(queries, kind, times, parts);
  // From the movements before each time to all of them until then.
  for (const [index, part] of parts.entries())
    for (const [asset, sums] of parts[index - 1] ?? []) add(sumsOf(part, asset), sums, 1n);
  const until = new Map(times.map((at, index) => [at, parts[index]]));
  return ({ from, to }) => {
    const moved = new Map<Asset, Sums>();
    for (const [asset, sums] of until.get(to) ?? []) add(sumsOf(moved, asset), sums, 1n);
    for (const [asset, sums] of until.get(from) ?? []) add(sumsOf(moved, asset), sums, -1n);
    return new Map([...moved].filter(([, sums]) => !isEmpty(sums)));
  };
}

const FIELDS = ['in', 'out', 'fees', 'traded', 'refunds', 'inFlight', 'earned', 'feeRoom'] as const;

const isEmpty = (sums: Sums): boolean =>
  FIELDS.every((field) => sums[field] === 0n) &&
  sums.count + sums.failed === 0 &&
  [...sums.missing.values()].every((count) => count === 0);

/** Notes that a line lacks rows. */
function lacks(sums: Sums, line: Line, why: Reason, rows: number): void {
  const key = `${line} ${why}` as const;
  sums.missing.set(key, (sums.missing.get(key) ?? 0) + rows);
}

function add(sums: Sums, more: Sums, times: 1n | -1n): void {
  for (const field of FIELDS) sums[field] += times * more[field];
  for (const [key, count] of more.missing) sums.missing.set(key, (sums.missing.get(key) ?? 0) + Number(times) * count);
  sums.count += Number(times) * more.count;
  sums.failed += Number(times) * more.failed;
}

/** The index of the first of some times, in their order, that is not before another one. */
export function indexFrom(times: readonly string[], at: string): number {
  let low = 0;
  for (let high = times.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? '') < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The most periods that the database adds up for; of more, it adds up what has one time, which takes less. */
const MOST_PARTS = 100;

/** Times that an index has in their order. */
const INDEXED = ['created_at', 'completed_at'];

/** A condition as the planner looks for no index of it: there is a smaller one for the other conditions. */
export const unindexed = (condition: string) => `(CASE WHEN ${condition} THEN 1 ELSE 0 END) = 1`;

/** Which rows move money, and when: SQL expressions. */
interface When {
  readonly condition: string;
  readonly time: string;
}

/** Adds up the rows of a kind that moved money between some times. */
async function rowsIn(
  queries: Queries,
  { table: shown, own, asset, amount, fee, feeWhy = 'FEE_NOT_READ' }: MovementKind,
  times: readonly string[],
  { condition, time }: When,
): Promise<SumRow[]> {
  const table = stored(shown);
  const [first = '', last = ''] = [times[0], times.at(-1)];
  const why = `CASE WHEN (${amount}) IS NULL THEN 'NOT_STATED' WHEN (${fee}) IS NULL THEN '${feeWhy}' END`;
  const columns = `${asset} AS asset, ${why} AS why, sum(${amount}) AS amount, sum(${fee}) AS fee, count(*) AS rows`;
  if (!INDEXED.includes(time))
    return queries.all<SumRow>(
      `SELECT * FROM (SELECT ${time} AS at, ${columns} FROM ${table} WHERE ${unindexed(own)} AND ${condition} AND created_at > ? AND created_at <= ?
           GROUP BY 1, 2, 3) moved WHERE at > ? AND at <= ?`,
      madeAfter(first, condition),
      last,
      first,
      last,
    );
  if (times.length > MOST_PARTS)
    return queries.all<SumRow>(
      `SELECT ${time} AS at, ${columns} FROM ${table} WHERE ${own} AND ${condition} AND ${time} > ? AND ${time} <= ? GROUP BY 1, 2, 3`,
      first,
      last,
    );
  const ends = times.slice(1);
  return queries.all<SumRow>(
    `WITH part (after, until) AS (VALUES ${times.map(() => '(?, ?)').join(', ')})
       SELECT until AS at, ${columns} FROM part CROSS JOIN ${table}
       WHERE ${own} AND ${condition} AND ${time} > after AND ${time} <= until GROUP BY 1, 2, 3`,
    first,
    first,
    ...ends.flatMap((until, index) => [times[index] ?? '', until]),
  );
}

const isFeeMissing = ({ why }: SumRow): boolean => why !== null && why !== 'NOT_STATED';

/** The most that fees which are not known can be: nothing is taken that was not there. */
const roomOf = (row: SumRow): bigint => (isFeeMissing(row) ? (row.amount ?? 0n) : 0n);

/** Notes what a line and the fees lack; `times` is -1 where rows leave the line again. */
function note(sums: Sums, row: SumRow, of: Line, times: 1 | -1 = 1): void {
  if (row.why === null) return;
  lacks(sums, isFeeMissing(row) && of !== 'inFlight' ? 'fees' : of, row.why, times * Number(row.rows));
}

/** Adds the movements of a kind to the part that ends with the first time that is not before them. */
async function addMovements(
  queries: Queries,
  moving: MovementKind,
  times: readonly string[],
  parts: readonly Map<Asset, Sums>[],
): Promise<void> {
  const { way, line, ...kind } = moving;
  const addAll = async (condition: string, time: string, use: (sums: Sums, row: SumRow) => void) => {
    for (const row of await rowsIn(queries, moving, times, { condition, time })) {
      const part = parts[indexFrom(times, row.at)];
      // What may be of any asset is missing in each.
      for (const each of row.asset ? [row.asset] : TOKENS) if (part) use(sumsOf(part, each), row);
    }
  };
  const total = ({ amount: moved, fee: paid }: SumRow) => (moved ?? 0n) + (paid ?? 0n);
  const isCounted = line !== 'traded' || way === 'out';
  await addAll(kind.done, kind.completedAt, (sums, row) => {
    const moved = row.amount ?? 0n;
    if (line === 'bridged') sums.out -= moved;
    else sums[line ?? way] += line === 'traded' && way === 'out' ? -moved : moved;
    sums.fees += row.fee ?? 0n;
    note(sums, row, line === 'bridged' ? 'out' : (line ?? way));
    if (row.why === 'NOT_STATED' && kind.fee !== '0') lacks(sums, 'fees', row.why, Number(row.rows));
    if (way === 'out') {
      sums.inFlight -= total(row);
      note(sums, row, 'inFlight', -1);
    } else sums.feeRoom += roomOf(row);
    if (isCounted && row.asset) sums.count += Number(row.rows);
  });
  await addAll(kind.failed, kind.failedAt, (sums, row) => {
    if (way === 'out') {
      sums.inFlight -= total(row);
      sums.feeRoom -= roomOf(row);
      note(sums, row, 'inFlight', -1);
    }
    if (isCounted && row.asset) sums.failed += Number(row.rows);
  });
  if (way === 'out')
    await addAll('1 = 1', 'created_at', (sums, row) => {
      sums.inFlight += total(row);
      sums.feeRoom += roomOf(row);
      note(sums, row, 'inFlight');
    });
}

/** Counts the movements that were made in a period and whose amount is not known, so that no sum has them. */
export async function uncountedIn(queries: Queries, { from, to }: Span): Promise<number> {
  let count = 0;
  for (const [table, kinds] of Map.groupBy(MOVEMENTS, (kind) => kind.table)) {
    // A row may be a movement in several ways.
    const isUncounted = kinds.map(({ own, amount }) => `(${amount}) IS NULL AND (${own})`).join(' OR ');
    const row = await queries.get<{ n: bigint }>(
      `SELECT count(*) AS n FROM ${stored(table)} WHERE created_at > ? AND created_at <= ? AND NOT (${hasFailed(table)}) AND ${unindexed(isUncounted)}`,
      from,
      to,
    );
    count += Number(row?.n ?? 0n);
  }
  return count;
}
