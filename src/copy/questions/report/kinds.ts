import type { Queries } from '../../../journal/store.ts';
import { type Asset, amount } from '../../../money/amount.ts';
import { atLeast, type Figure, type Known, unknownFigure } from '../../../money/figure.ts';
import { payout } from '../../../things/bank-transfers.ts';
import { THINGS } from '../../../things/index.ts';
import { waitOf } from '../../../things/states.ts';
import type { Thing } from '../../../things/thing.ts';
import { bucketOf, earlierOf, laterOf } from '../../bucket.ts';
import { CAME_BACK_AFTER } from '../../entry-kinds.ts';
import { CAME_BACK } from '../../fees.ts';
import { readKnownUntil } from '../../list-state.ts';
import { hasFailed, isDone, isThing, stored, unindexed } from '../../schema.ts';
import { isOneOf, tableOf } from '../../tables.ts';
import { because } from '../reasons.ts';
import { afterLastSync, cutListsIn } from './cut-lists.ts';
import { endedUntil, type Lacking, madeAfter, type Span } from './movements.ts';

/** A kind of work, of the account or of its users, and the rows that show it. */
export interface WorkKind {
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
export const ENDED_AT = 'ended_at';

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
  /** How many had not ended at the end of a period that is over, or have not ended yet, whenever they began; null if it is not known. */
  readonly open: number | null;
  /** Why the counts are only the least that they can be; null if they are exact. */
  readonly countsKnown: Known | null;
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

/** Rows of which nothing says whether they ended in a part of a period. */
interface BetweenRow extends KindRow {
  /** Whether they completed, and whether they are counted as ended in the part. */
  readonly is_done: bigint;
  readonly isIn: boolean;
  /** Whether they are counted as open at the end of the period. */
  readonly isOpen: boolean;
}

/** The sum of some rows of one asset; null if there are none. Of those in `between`, nothing says whether they are in it. */
function figureOf(
  asset: Asset | null,
  rows: readonly KindRow[],
  between: readonly BetweenRow[],
  lacking: Lacking | undefined,
): Figure | null {
  const summed = rows.filter((row) => row.summed > 0n);
  const unsure = between.filter((row) => row.summed > 0n);
  if (summed.length + unsure.length === 0) return null;
  const known = summed.flatMap(({ minor }) => minor ?? []);
  const added = known.reduce((sum, each) => sum + each, 0n);
  const minor = unsure.reduce((sum, each) => sum - (each.isIn ? (each.minor ?? 0n) : 0n), added);
  if (asset === null) return unknownFigure(asset, because('NOT_STATED'));
  if (unsure.length > 0) return atLeast(asset, minor, because('END_BETWEEN'));
  if (known.length === 0) return unknownFigure(asset, because('NOT_STATED'));
  if (known.length < summed.length) return atLeast(asset, minor, because('NOT_STATED'));
  return lacking ? atLeast(asset, minor, because(lacking.why, lacking.since)) : amount(asset, minor);
}

const countOf = (rows: readonly Pick<KindRow, 'n'>[]): number => rows.reduce((sum, { n }) => sum + Number(n), 0);

/** Counts rows without those of which nothing says whether they are among them. */
const leastOf = (rows: readonly KindRow[], between: readonly BetweenRow[]): number =>
  countOf(rows) - countOf(between.filter(({ isIn }) => isIn));

/** Counts the work that ended in a period, and what was open at its end if it is over, or is open now. */
export async function kindsIn(queries: Queries, span: Span, isOver = false): Promise<readonly KindReport[]> {
  const reports: KindReport[] = [];
  const { tables: cut } = await cutListsIn(queries, span.to);
  const isKnown = afterLastSync(await readKnownUntil(queries), span.to) === undefined;
  for (const work of WORK_KINDS) {
    const open = isOver ? await openAt(queries, work, span.to) : await openNow(queries, work);
    const rows = await kindIn(queries, work, span, open, cut.get(work.list));
    const shown = rows.filter(
      (row) => row.completed + row.failed + (row.open ?? 0) > 0 || row.countsKnown?.why === 'END_BETWEEN',
    );
    // Until the next sync, what was open may have ended.
    reports.push(...shown.map((row) => (isKnown ? row : { ...row, open: null })));
  }
  return reports;
}

/** What became of one kind of work, by asset. */
async function kindIn(
  queries: Queries,
  work: WorkKind,
  span: Span,
  open: number,
  lacking: Lacking | undefined,
): Promise<readonly KindReport[]> {
  const { kind } = work;
  const { completed, failed } = await allEndedIn(queries, work, [span]);
  const between = await endedBetween(queries, work, [span]);
  const leastOpen = Math.max(0, open - countOf(between.filter(({ isOpen }) => isOpen)));
  const assets = [...new Set([...completed, ...failed, ...between].map(({ asset }) => asset))];
  return (assets.length > 0 ? assets : [null]).map((asset, index) => {
    const own = <T extends KindRow>(rows: readonly T[]) => rows.filter((row) => row.asset === asset);
    const ofStep = (isDone: bigint) => own(between).filter((row) => row.is_done === isDone);
    const [done, lost] = [ofStep(1n), ofStep(0n)];
    const why =
      own(between).length > 0
        ? because('END_BETWEEN', null, countOf(own(between)))
        : lacking && because(lacking.why, lacking.since);
    return {
      kind,
      completed: leastOf(own(completed), done),
      amount: figureOf(asset, own(completed), done, lacking),
      failed: leastOf(own(failed), lost),
      refunded: figureOf(asset, own(failed), lost, lacking),
      open: index === 0 ? leastOpen : 0,
      countsKnown: why ? { ...why, is: 'at least' } : null,
    };
  });
}

/** Rows of which nothing says in which part of a period they ended. */
interface UnsureRow extends Omit<KindRow, 'part'>, Pick<BetweenRow, 'is_done'> {
  /** Whether they completed and came back later: in the same part, they are counted as failed. */
  readonly is_back: bigint;
  readonly has_begun: bigint;
  /** The numbers of the first times of the period, its start and the ends of its parts, that are not before their end: as it is counted, at the earliest and at the latest. */
  readonly at: bigint;
  readonly first: bigint;
  readonly last: bigint;
  /** In how many of the first parts they are looked for. */
  readonly recent: bigint;
}

/** Counts the rows of a kind that may have ended in parts of a period, one after the other, or not, or before their ends or not. */
async function endedBetween(queries: Queries, work: WorkKind, parts: readonly Span[]): Promise<readonly BetweenRow[]> {
  const rows = await unsureIn(queries, work, parts);
  return rows.flatMap(({ is_back: isBack, has_begun: hasBegun, at, first, last, recent, ...row }) =>
    parts.flatMap((_, part): BetweenRow[] => {
      const isBetween = (time: number) => first <= time && time < last;
      const isUnsure = isBetween(part + 1) || (isBetween(part) && isBack === 0n);
      if (!isUnsure || part >= recent) return [];
      const isOpen = hasBegun === 1n && at > part + 1;
      return [{ ...row, part: BigInt(part), isIn: Number(at) === part + 1, isOpen }];
    }),
  );
}

/** Reads the rows of a kind of which nothing says in which of some parts they ended, or whether in any. */
function unsureIn(queries: Queries, work: WorkKind, parts: readonly Span[]): Promise<UnsureRow[]> {
  const { table, where, done, failed, asset, minor, refunded } = work;
  const [from, to] = [parts[0]?.from ?? '', parts.at(-1)?.to ?? ''];
  const times = [from, ...parts.map((part) => part.to)];
  const made = parts.map((part) => madeAfter(part.from, done));
  const numbered = (time: string) => bucketOf(`(${time})`, times);
  const select = (rows: string, ended: string, bound: string, isBack: 0 | 1) => {
    const [first, last] = [numbered(earlierOf(ended, bound)), numbered(laterOf(ended, bound))];
    const isCounted = `${done} OR ${isBack === 1 ? '1 = 1' : refunded}`;
    return `SELECT ${asset} AS asset, CASE WHEN ${done} THEN 1 ELSE ${isBack} END AS is_done, ${isBack} AS is_back, CASE WHEN created_at <= '${to}' THEN 1 ELSE 0 END AS has_begun,
       ${numbered(ended)} AS at, ${first} AS first, ${last} AS last, ${bucketOf(ENDED_AT, made)} AS recent,
       CASE WHEN ${isCounted} THEN ${minor} END AS minor, CASE WHEN ${isCounted} THEN 1 ELSE 0 END AS summed
     FROM ${table} WHERE ${rows} AND ${ENDED_AT} > '${made[0] ?? ''}' AND ${first} <> ${last}`;
  };
  const each = [
    select(`${unindexed(`${where} AND (${done} OR ${failed})`)} AND end_bound IS NOT NULL`, ENDED_AT, 'end_bound', 0),
    // Nothing says when it completed before it came back.
    ...(refunded === CAME_BACK
      ? [select(`${unindexed(where)} AND ${CAME_BACK} AND ${CAME_BACK_AFTER} = created_at`, 'created_at', ENDED_AT, 1)]
      : []),
  ];
  return queries.all<UnsureRow>(
    `SELECT asset, is_done, is_back, has_begun, at, first, last, recent, count(*) AS n, CAST(sum(minor) AS BIGINT) AS minor, sum(summed) AS summed
     FROM (${each.join(' UNION ALL ')}) part GROUP BY asset, is_done, is_back, has_begun, at, first, last, recent`,
  );
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
  /** Whether the counts are only the least that they can be: nothing says in which part some work ended. */
  readonly isLeast: boolean;
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
    const between = await endedBetween(queries, work, parts);
    const assets = new Set([...completed, ...failed, ...between].map((row) => row.asset));
    for (const asset of assets)
      all.push({
        work,
        asset,
        parts: parts.map((part, index) => {
          const own = <T extends KindRow>(rows: readonly T[]) =>
            rows.filter((row) => row.asset === asset && Number(row.part) === index);
          const [ended, lost, unsure] = [own(completed), own(failed), own(between)];
          const [done = [], off = []] = [1n, 0n].map((isDone) => unsure.filter((row) => row.is_done === isDone));
          return {
            completed: leastOf(ended, done),
            amount: figureOf(asset, ended, done, lackingIn(work.list, part)),
            failed: leastOf(lost, off),
            isLeast: unsure.length > 0,
          };
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
  { table, where, failed, asset }: WorkKind,
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
  // Without an index of its own, a time is looked for among the rows that were made before it. What failed has a smaller one than its thing.
  const made = time === ENDED_AT ? [] : [madeAfter(from, condition), to];
  return queries.all<KindRow>(
    `SELECT ${part} AS part, ${asset} AS asset, count(*) AS n, sum(CASE WHEN ${of} THEN ${minor} END) AS minor,
       sum(CASE WHEN ${of} THEN 1 ELSE 0 END) AS summed
     FROM ${table} WHERE ${made.length > 0 || condition === failed ? unindexed(where) : where} AND ${condition}
       ${made.length > 0 ? 'AND created_at > ? AND created_at <= ?' : ''} AND ${time} > ? AND ${time} <= ? GROUP BY 1, 2 ORDER BY 1, 2`,
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
