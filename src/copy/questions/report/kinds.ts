import type { Queries } from '../../../journal/store.ts';
import { type Asset, amount } from '../../../money/amount.ts';
import { atLeast, type Figure, unknownFigure } from '../../../money/figure.ts';
import { payout } from '../../../things/bank-transfers.ts';
import { THINGS } from '../../../things/index.ts';
import { waitOf } from '../../../things/states.ts';
import type { Thing } from '../../../things/thing.ts';
import { CAME_BACK_AFTER } from '../../entry-kinds.ts';
import { CAME_BACK } from '../../fees.ts';
import { hasFailed, isDone, isThing, stored, unindexed } from '../../schema.ts';
import { isOneOf, tableOf } from '../../tables.ts';
import { because } from '../reasons.ts';
import { cutListsIn } from './cut-lists.ts';
import { endedUntil, type Lacking, madeAfter, type Span } from './movements.ts';

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
    const { kind, minor, refunded } = work;
    const completed = await endedIn(queries, work, span, { condition: work.done, time: ENDED_AT, minor });
    // What came back in the same period counts once: as failed.
    if (refunded === CAME_BACK) {
      const cameBackLater = `${CAME_BACK} AND ${ENDED_AT} > '${span.to}'`;
      completed.push(
        ...(await endedIn(queries, work, span, { condition: cameBackLater, time: CAME_BACK_AFTER, minor })),
      );
    }
    const failed = await endedIn(queries, work, span, { condition: work.failed, time: ENDED_AT, minor, of: refunded });
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

/** Counts and adds up the rows of a kind with an end in a period, by asset. */
function endedIn(
  queries: Queries,
  { table, where, failed, asset }: WorkKind,
  { from, to }: Span,
  { condition, time, minor, of = '1 = 1' }: Ended,
): Promise<KindRow[]> {
  // Without an index of its own, a time is looked for among the rows that were made before it. What failed has a smaller one than its thing.
  const made = time === ENDED_AT ? [] : [madeAfter(from, condition), to];
  return queries.all<KindRow>(
    `SELECT ${asset} AS asset, count(*) AS n, sum(CASE WHEN ${of} THEN ${minor} END) AS minor, sum(CASE WHEN ${of} THEN 1 ELSE 0 END) AS summed
       FROM ${table} WHERE ${made.length > 0 || condition === failed ? unindexed(where) : where} AND ${condition}
       ${made.length > 0 ? 'AND created_at > ? AND created_at <= ?' : ''} AND ${time} > ? AND ${time} <= ? GROUP BY 1 ORDER BY 1`,
    ...made,
    from,
    to,
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
