import type { Queries } from '../../../journal/store.ts';
import { type Asset, amount } from '../../../money/amount.ts';
import { atLeast, type Figure, unknownFigure } from '../../../money/figure.ts';
import { payout } from '../../../things/bank-transfers.ts';
import { THINGS } from '../../../things/index.ts';
import { waitOf } from '../../../things/states.ts';
import type { Thing } from '../../../things/thing.ts';
import { bucketOf } from '../../bucket.ts';
import { CAME_BACK_AFTER } from '../../entry-kinds.ts';
import { CAME_BACK } from '../../fees.ts';
import { hasFailed, isDone, isThing, stored } from '../../schema.ts';
import { isOneOf, tableOf } from '../../tables.ts';
import { because } from '../reasons.ts';
import { cutListsIn } from './cut-lists.ts';
import { endedUntil, type Lacking, madeAfter, type Span, unindexed } from './movements.ts';

/** A kind of work, of the account or of its users, and the rows that show it. */
interface WorkKind {
  readonly thing: Thing;
  readonly kind: string;
  /** The name of its list, and the table that has it. */
  readonly list: string;
  readonly table: string;
  readonly where: string;
  /** SQL conditions: which rows have completed, and which have failed. */
  readonly done: string;
  readonly failed: string;
  readonly asset: string;
  readonly minor: string;
  /** An SQL condition: which of the failed rows had their money sent back by a bank. */
  readonly refunded: string;
}

/** The column that says when a row ended, as far as is known. */
const ENDED_AT = 'ended_at';

/** The rows of a thing, and how they end. */
function workKind(thing: Thing): WorkKind {
  const { types, name, of, amount } = thing;
  const table = tableOf(thing);
  const column = table.columns.find(({ field }) => field === amount[0])?.name;
  return {
    thing,
    kind: types ? `${name}s of ${of === 'user' ? 'users' : 'the account'}` : `${name}s`,
    list: table.name,
    table: stored(table),
    where: isThing(thing),
    done: isDone(table),
    failed: hasFailed(table),
    asset: `${column}_asset`,
    minor: `${column}_minor`,
    refunded: thing.sentBackUnless
      ? `NOT ${isOneOf('status', thing.sentBackUnless)}`
      : table === tableOf(payout)
        ? CAME_BACK
        : '1 = 0',
  };
}

/** Everything that begins and ends, and that a list has. */
export const WORK_KINDS: readonly WorkKind[] = THINGS.filter(({ list, states }) => list && states).map(workKind);

/** What became of a kind of work in a period. */
interface KindReport {
  readonly kind: string;
  readonly completed: number;
  /** Null if nothing was completed. */
  readonly amount: Figure | null;
  readonly failed: number;
  /** How much of what failed a bank sent back: payments that were not accepted, and payouts that came back. Null if nothing was sent back. */
  readonly refunded: Figure | null;
  /** How many had not ended at the end of a period that is over, or have not ended yet; whenever they began. */
  readonly open: number;
}

interface KindRow {
  /** The part of the period in which it ended. */
  readonly part: bigint;
  readonly asset: Asset | null;
  readonly n: bigint;
  /** What was completed, or what was sent back. */
  readonly minor: bigint | null;
  /** Of how many rows that is the sum, or would be if their amounts were known. */
  readonly summed: bigint;
}

/** The sum of some rows of one asset; null if there are none. */
function figureOf(asset: Asset | null, rows: readonly KindRow[], lacking: Lacking | undefined): Figure | null {
  const summed = rows.filter((row) => row.summed > 0n);
  if (summed.length === 0) return null;
  const known = summed.flatMap(({ minor }) => minor ?? []);
  const minor = known.reduce((sum, each) => sum + each, 0n);
  if (asset === null || known.length === 0) return unknownFigure(asset, because('NOT_STATED'));
  if (known.length < summed.length) return atLeast(asset, minor, because('NOT_STATED'));
  return lacking ? atLeast(asset, minor, because(lacking.why, lacking.since)) : amount(asset, minor);
}

const countOf = (rows: readonly KindRow[]): number => rows.reduce((sum, { n }) => sum + Number(n), 0);

/** Counts the work that ended in a period, and what was open at its end if it is over, or is open now. */
export async function kindsIn(queries: Queries, span: Span, isOver = false): Promise<readonly KindReport[]> {
  const reports: KindReport[] = [];
  const { tables: cut } = await cutListsIn(queries, span.to);
  for (const work of WORK_KINDS) {
    const { kind } = work;
    const { completed, failed } = await allEndedIn(queries, work, [span]);
    const open = isOver ? await openAt(queries, work, span.to) : await openNow(queries, work);
    const assets = [...new Set([...completed, ...failed].map(({ asset }) => asset))];
    for (const [index, asset] of (assets.length > 0 ? assets : [null]).entries()) {
      const [ended, lost] = [completed, failed].map((rows) => rows.filter((row) => row.asset === asset));
      const lacking = cut.get(work.list);
      reports.push({
        kind,
        completed: countOf(ended ?? []),
        amount: figureOf(asset, ended ?? [], lacking),
        failed: countOf(lost ?? []),
        refunded: figureOf(asset, lost ?? [], lacking),
        open: index === 0 ? open : 0,
      });
    }
  }
  return reports.filter(({ completed, failed, open }) => completed + failed + open > 0);
}

/** What ended of a kind in parts of a period, one after the other: what was completed, and what failed. */
async function allEndedIn(queries: Queries, work: WorkKind, parts: readonly Span[]) {
  const { minor, refunded } = work;
  const completed = await endedIn(queries, work, parts, { condition: work.done, time: ENDED_AT, minor });
  // What came back in the same part counts once: as failed.
  if (refunded === CAME_BACK) {
    const ends = parts.map(({ to }) => to);
    const isLater =
      ends.length === 1
        ? `${ENDED_AT} > '${ends[0]}'`
        : `${ENDED_AT} IS NOT NULL AND ${bucketOf(ENDED_AT, ends)} > ${bucketOf(CAME_BACK_AFTER, ends)}`;
    const cameBackLater = `${CAME_BACK} AND ${isLater}`;
    completed.push(
      ...(await endedIn(queries, work, parts, { condition: cameBackLater, time: CAME_BACK_AFTER, minor })),
    );
  }
  const failed = await endedIn(queries, work, parts, { condition: work.failed, time: ENDED_AT, minor, of: refunded });
  return { completed, failed };
}

/** What became of a kind of work in a part of a period. */
interface KindPart {
  readonly completed: number;
  /** Null if nothing was completed. */
  readonly amount: Figure | null;
  readonly failed: number;
}

/** A kind of work in the parts of a period. */
export interface KindParts {
  readonly work: WorkKind;
  readonly asset: Asset | null;
  readonly parts: readonly KindPart[];
}

/** Counts the work that ended in each part of a period, as `kindsIn` does for one. Why lists may lack rows, `lackingIn` says. */
export async function kindPartsIn(
  queries: Queries,
  parts: readonly Span[],
  lackingIn: (list: string, part: Span) => Lacking | undefined,
): Promise<readonly KindParts[]> {
  const all: KindParts[] = [];
  for (const work of WORK_KINDS) {
    const { completed, failed } = await allEndedIn(queries, work, parts);
    for (const asset of new Set([...completed, ...failed].map((row) => row.asset)))
      all.push({
        work,
        asset,
        parts: parts.map((part, index) => {
          const [ended = [], lost = []] = [completed, failed].map((rows) =>
            rows.filter((row) => row.asset === asset && Number(row.part) === index),
          );
          const amountOf = figureOf(asset, ended, lackingIn(work.list, part));
          return { completed: countOf(ended), amount: amountOf, failed: countOf(lost) };
        }),
      });
  }
  return all;
}

async function counted(queries: Queries, sql: string, ...values: readonly string[]): Promise<number> {
  return Number((await queries.get<{ n: bigint }>(`SELECT count(*) AS n FROM ${sql}`, ...values))?.n ?? 0n);
}

const openNow = (queries: Queries, { table, where }: WorkKind): Promise<number> =>
  counted(queries, `${table} WHERE is_open = 1 AND deleted_at IS NULL AND ${unindexed(where)}`);

/** Counts what had begun and not ended at a moment, by the same times as `endedIn`: what came back had been completed before. */
async function openAt(queries: Queries, work: WorkKind, at: string): Promise<number> {
  const { table, where, done, failed, refunded } = work;
  const open = await counted(
    queries,
    `${table} WHERE is_open = 1 AND (deleted_at IS NULL OR deleted_at > ?) AND ${unindexed(where)} AND created_at <= ?`,
    at,
    at,
  );
  const endedAfter = (condition: string, time: string) => {
    const rows = `${table} WHERE ${unindexed(where)} AND ${condition}`;
    // What was completed has an index by that time, which has the other columns too.
    if (condition === done && time === ENDED_AT)
      return counted(
        queries,
        `${rows} AND ${ENDED_AT} > ? AND ${ENDED_AT} <= ? AND ${unindexed('created_at <= ?')}`,
        at,
        endedUntil(at),
        at,
      );
    const made = madeAfter(at, condition);
    return counted(queries, `${rows} AND created_at > ? AND created_at <= ? AND ${time} > ?`, made, at, at);
  };
  const isBack = refunded === CAME_BACK;
  const ended = [
    await endedAfter(done, ENDED_AT),
    await endedAfter(isBack ? `${failed} AND NOT (${CAME_BACK})` : failed, ENDED_AT),
    isBack ? await endedAfter(CAME_BACK, CAME_BACK_AFTER) : 0,
  ];
  return ended.reduce((sum, each) => sum + each, open);
}

/** SQL expressions: which rows ended, when, and what is added up of which of them. */
interface Ended {
  readonly condition: string;
  readonly time: string;
  readonly minor: string;
  /** All, if it is left out. */
  readonly of?: string;
}

/** Counts and adds up the rows of a kind with an end in parts of a period, one after the other, by part and asset. */
function endedIn(
  queries: Queries,
  { table, where, asset }: WorkKind,
  parts: readonly Span[],
  { condition, time, minor, of = '1 = 1' }: Ended,
): Promise<KindRow[]> {
  const [from, to] = [parts[0]?.from ?? '', parts.at(-1)?.to ?? ''];
  const part =
    parts.length > 1
      ? bucketOf(
          time,
          parts.map((each) => each.to),
        )
      : '0';
  // Without an index of its own, a time is looked for among the rows that were made before it.
  const made = time === ENDED_AT ? [] : [madeAfter(from, condition), to];
  return queries.all<KindRow>(
    `SELECT ${part} AS part, ${asset} AS asset, count(*) AS n, sum(CASE WHEN ${of} THEN ${minor} END) AS minor,
       sum(CASE WHEN ${of} THEN 1 ELSE 0 END) AS summed
     FROM ${table} WHERE ${made.length > 0 ? unindexed(where) : where} AND ${condition}
       ${made.length > 0 ? 'AND created_at > ? AND created_at <= ?' : ''} AND ${time} > ? AND ${time} <= ? GROUP BY 1, 2 ORDER BY 1, 2`,
    ...made,
    from,
    to,
  );
}

/** How long completed work of a kind took in a part of a period. */
interface Durations {
  readonly part: bigint;
  /** Of how many it is known exactly when they ended. */
  readonly n: bigint;
  readonly median: bigint;
  readonly p95: bigint;
}

/** From the start of a row to its end, in milliseconds. */
const TOOK = {
  sqlite: `CAST(round((julianday(${ENDED_AT}) - julianday(created_at)) * 86400000.0) AS INTEGER)`,
  postgres: `CAST(round(extract(epoch FROM (${ENDED_AT}::timestamptz - created_at::timestamptz)) * 1000) AS BIGINT)`,
} as const;

/** Of so many, the one that as many percent are not above. */
const rank = (percent: number) => `(n * ${percent} + 99) / 100`;

/** Returns how long the completed work of a kind took, in each part of a period that has some of which it is known. */
export function durationsIn(
  queries: Queries,
  { table, where, done }: WorkKind,
  parts: readonly Span[],
): Promise<readonly Durations[]> {
  return queries.all<Durations>(
    `SELECT part, max(n) AS n, max(CASE WHEN at = ${rank(50)} THEN ms END) AS median, max(CASE WHEN at = ${rank(95)} THEN ms END) AS p95
     FROM (SELECT part, ms, row_number() OVER (PARTITION BY part ORDER BY ms) AS at, count(*) OVER (PARTITION BY part) AS n
       FROM (SELECT ${bucketOf(
         ENDED_AT,
         parts.map(({ to }) => to),
       )} AS part, ${TOOK[queries.engine]} AS ms FROM ${table}
         WHERE ${where} AND ${done} AND end_bound IS NULL AND created_at IS NOT NULL AND ${ENDED_AT} > ? AND ${ENDED_AT} <= ?) took) ranked
     GROUP BY part ORDER BY part`,
    parts[0]?.from ?? '',
    parts.at(-1)?.to ?? '',
  );
}

/** The column that says more exactly than the status how far the rows of a thing are; `NULL` if none does. */
const stageColumn = (thing: Thing): string =>
  tableOf(thing).columns.find(({ field }) => field === thing.list?.stage)?.name ?? 'NULL';

/** Something that has not ended. */
interface PendingWork {
  readonly kind: string;
  readonly id: string;
  readonly status: string | null;
  readonly amount: Figure;
  readonly since: string | null;
  /** In words, as find says it. */
  readonly waitsFor: string;
}

/** Lists what is open, the oldest first. */
export async function pendingIn(queries: Queries, limit: number): Promise<readonly PendingWork[]> {
  const all: PendingWork[] = [];
  for (const { thing, kind, table, where, asset, minor } of WORK_KINDS) {
    const rows = await queries.all<{
      id: string;
      status: string | null;
      stage: string | null;
      at: string | null;
      asset: Asset | null;
      minor: bigint | null;
    }>(
      `SELECT id, status, ${stageColumn(thing)} AS stage, created_at AS at, ${asset} AS asset, ${minor} AS minor
       FROM ${table} WHERE is_open = 1 AND deleted_at IS NULL AND ${unindexed(where)}
       ORDER BY created_at LIMIT ${limit}`,
    );
    for (const { id, status, stage, at, asset: of, minor: sum } of rows)
      all.push({
        kind,
        id,
        status: stage ?? status,
        since: at,
        amount: of && sum !== null ? amount(of, sum) : unknownFigure(of, because('NOT_STATED')),
        waitsFor: waitOf(thing, [stage, status]).waits,
      });
  }
  return all.sort((a, b) => ((a.since ?? '') < (b.since ?? '') ? -1 : 1)).slice(0, limit);
}
