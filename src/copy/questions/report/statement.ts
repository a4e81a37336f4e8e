import type { Queries } from '../../../journal/store.ts';
import { type Asset, amount, TOKENS } from '../../../money/amount.ts';
import { atLeast, type Figure, type NotKnown, negated, unknownFigure } from '../../../money/figure.ts';
import { thingNamed } from '../../../things/index.ts';
import { BALANCE, bookOn } from '../../book-entries.ts';
import { aboutRows, nothingAbout, rowKey } from '../about-rows.ts';
import { because } from '../reasons.ts';
import { ASSETS } from './checks.ts';
import type { Span } from './movements.ts';
import { type Condition, conditionOf, limitsIn, type Reading, type StatementOf } from './statement-of.ts';

/** One movement of one asset, or what no list shows. Times are ISO 8601 in UTC: when it was, or by when it had certainly been. */
interface StatementRow {
  readonly at: string;
  readonly asset: Asset;
  /** What moved it, and what became of it: `payout`, `taken`. Both are null for what no list shows. */
  readonly thing: string | null;
  readonly step: string | null;
  readonly id: string | null;
  readonly who: string | null;
  readonly amount: Figure;
  /** What there was after it. */
  readonly balance: Figure;
}

interface StatementSums {
  readonly asset: Asset;
  readonly opening: Figure;
  readonly in: Figure;
  readonly out: Figure;
  readonly closing: Figure;
}

interface Statement {
  readonly sums: readonly StatementSums[];
  readonly rows: readonly StatementRow[];
}

/** What entries add up to until a time. Of some, the amount may not be known: how many, and the code of the reason. */
interface Booked {
  readonly minor: bigint;
  readonly unknowns: number;
  readonly why: string | null;
}

const NONE: Booked = { minor: 0n, unknowns: 0, why: null };

export async function bookedUntil(queries: Queries, { accounts, sql, values }: Condition, at: string) {
  const rows = await queries.all<{ asset: Asset; minor: bigint | null; unknowns: bigint; why: string | null }>(
    `SELECT asset, CAST(sum(amount_minor) AS BIGINT) AS minor, count(*) - count(amount_minor) AS unknowns,
       max(CASE WHEN amount_minor IS NULL THEN known END) AS why
     FROM ${bookOn(queries.engine, accounts)} WHERE ${sql} AND at <= ? GROUP BY asset`,
    ...values,
    at,
  );
  return new Map(
    rows.map(({ asset, minor, unknowns, why }) => [asset, { minor: minor ?? 0n, unknowns: Number(unknowns), why }]),
  );
}

interface EntryRow {
  /** When the books count it, and when it had certainly been: the same, unless its time is not exact. */
  readonly at: string;
  readonly by: string;
  readonly asset: Asset;
  readonly thing: string;
  readonly step: string;
  readonly id: string;
  /** Null if not all of it is known. */
  readonly minor: bigint | null;
  /** What is known of it. */
  readonly part: bigint;
  readonly unknowns: bigint;
  readonly why: string | null;
}

/** Whether an entry is a change that no list shows and whose amount nothing says: an SQL condition. */
const IS_UNSURE = `step = 'unlisted' AND known = 'UNLISTED'`;

/** What is not exact stands where it had certainly been: what there was before it and after it is known there. */
const entriesIn = (queries: Queries, { accounts, sql, values }: Condition, { from, to }: Span): Promise<EntryRow[]> =>
  queries.all<EntryRow>(
    `SELECT at, max(CASE WHEN bound > at AND bound <= ? THEN bound ELSE at END) AS "by", asset, thing, step, id,
       CASE WHEN count(amount_minor) = count(*) AND max(CASE WHEN ${IS_UNSURE} THEN 1 END) IS NULL THEN CAST(sum(amount_minor) AS BIGINT) END AS minor,
       CAST(coalesce(sum(amount_minor), 0) AS BIGINT) AS part, count(*) - count(amount_minor) AS unknowns,
       max(CASE WHEN amount_minor IS NULL OR ${IS_UNSURE} THEN known END) AS why
     FROM ${bookOn(queries.engine, accounts)} WHERE ${sql} AND at > ? AND at <= ? GROUP BY at, asset, thing, step, id
     HAVING count(amount_minor) < count(*) OR sum(amount_minor) <> 0 ORDER BY 2, thing, id, step`,
    to,
    ...values,
    from,
    to,
  );

/** When the balances of the account were read, as far as it matters for a period. */
const checksIn = async (queries: Queries, { from, to }: Span): Promise<readonly string[]> =>
  (
    await queries.all<{ at: string }>(
      `SELECT at FROM stored_balance_checks WHERE at >= coalesce((SELECT max(at) FROM stored_balance_checks WHERE at <= ?), '') AND at <= ?
       UNION SELECT min(at) FROM stored_balance_checks HAVING min(at) IS NOT NULL ORDER BY 1`,
      from,
      to,
    )
  ).map(({ at }) => at);

/** What a user’s wallets had when they were last read. */
export async function readingsOf(queries: Queries, userId: string): Promise<ReadonlyMap<Asset, Reading>> {
  const rows = await queries.all<{ asset: Asset; minor: bigint | null; at: string }>(
    'SELECT asset, minor, at FROM stored_owed WHERE user_id = ?',
    userId,
  );
  return new Map(rows.flatMap(({ asset, minor, at }) => (minor === null ? [] : [[asset, { at, minor }] as const])));
}

/** What there was at a time, or why that is not known. */
type Found = { readonly minor: bigint } | { readonly least: bigint | undefined; readonly why: NotKnown };

/** Why the balance of an asset is not known, or only the least that it can be, although its entries add up; undefined if it is known. */
interface CourseLimits {
  unsureAt(at: string): NotKnown | undefined;
  leastAt(at: string): NotKnown | undefined;
}

/** How an asset’s balance follows from its entries and from what was read. */
interface Course extends CourseLimits {
  balanceAt(at: string): Found;
  /** What no list shows, or what the rows without an amount come to, and when it was seen. */
  readonly rest: Reading | undefined;
}

type BookedAt = (at: string) => Booked;

/** What was read at a reading, and the entries since; the amounts of all of them must be known. */
function since(reading: Reading, booked: BookedAt, at: string): Found {
  const [start, end] = [booked(reading.at), booked(at)];
  if (end.unknowns > start.unknowns) return { least: undefined, why: { why: end.why ?? 'NOT_STATED', since: null } };
  return { minor: reading.minor + end.minor - start.minor };
}

/**
 * The balance of what is read with each sync: what its entries add up to, those of balances among them. Before the first reading it is not known,
 * nor after a row without an amount until the next one.
 */
const courseOfChecks = (checks: readonly string[], booked: BookedAt): Omit<Course, keyof CourseLimits> => ({
  rest: undefined,
  balanceAt: (at) => {
    const last = checks.findLast((check) => check <= at);
    return last === undefined
      ? { least: undefined, why: because('BEFORE_FIRST_SYNC', checks[0] ?? null) }
      : since({ at: last, minor: booked(last).minor }, booked, at);
  },
});

/** The balance of what began empty: its entries, as far as what was read agrees with them. */
function courseFromNothing(
  reading: Reading | undefined,
  booked: BookedAt,
  { from, to }: Span,
  mustBeRead: boolean,
): Omit<Course, keyof CourseLimits> {
  const off = reading ? reading.minor - booked(reading.at).minor : 0n;
  const isSeen = reading !== undefined && off !== 0n && reading.at > from && reading.at <= to;
  return {
    rest: isSeen ? { at: reading.at, minor: off } : undefined,
    balanceAt: (at) => {
      if (reading && at >= reading.at) return since(reading, booked, at);
      const { minor, unknowns, why } = booked(at);
      if (unknowns > 0) return { least: undefined, why: { why: why ?? 'NOT_STATED', since: null } };
      // What the lists show may have gone to a wallet outside the service, and what came from there is in no list.
      if (!reading && mustBeRead) return { least: undefined, why: because('NOT_READ') };
      if (off === 0n) return { minor };
      return { least: undefined, why: because('UNLISTED', reading?.at ?? null) };
    },
  };
}

/** A balance that is known only where it is sure which entries were before, and whose they are. */
const asFarAsSure = ({ balanceAt, rest }: Omit<Course, keyof CourseLimits>, limits: CourseLimits): Course => ({
  ...limits,
  rest,
  balanceAt: (at) => {
    const unsure = limits.unsureAt(at);
    if (unsure) return { least: undefined, why: unsure };
    const [found, why] = [balanceAt(at), limits.leastAt(at)];
    return why && 'minor' in found ? { least: found.minor, why } : found;
  },
});

const figureOf = (asset: Asset, found: Found): Figure => {
  if ('minor' in found) return amount(asset, found.minor);
  return found.least === undefined ? unknownFigure(asset, found.why) : atLeast(asset, found.least, found.why);
};

/** Adds up what came in, or what went out, which may be more for some reason. */
function sumOf(asset: Asset, rows: readonly StatementRow[], isIn: boolean, more: NotKnown | undefined): Figure {
  const unknown = rows.find((row) => row.amount.minor === null);
  if (unknown) return unknownFigure(asset, unknown.amount.known ?? because('NOT_STATED'));
  // What was there at the first reading did not come then.
  const moved = rows.filter(({ step }) => step !== 'opening');
  const own = moved.flatMap((row) => row.amount.minor ?? []).filter((minor) => minor > 0n === isIn);
  const sum = own.reduce((all, minor) => all + minor, 0n);
  if (!more) return amount(asset, sum);
  return isIn ? atLeast(asset, sum, more) : negated(atLeast(asset, -sum, more));
}

/** Makes the rows of an asset, each with what there was after it. */
function rowsOf(
  asset: Asset,
  entries: readonly EntryRow[],
  { balanceAt, rest, unsureAt, leastAt }: Course,
  from: string,
): StatementRow[] {
  const last = { asset, thing: null, step: null, id: null, why: null };
  const all = rest ? [...entries, { ...last, ...rest, by: rest.at }].toSorted(byTime) : entries;
  let left = figureOf(asset, balanceAt(from));
  return all.map(({ by: at, thing: of, step, id, minor, why }, index) => {
    const thing = of === BALANCE ? null : of;
    const moved =
      minor === null ? unknownFigure(asset, { why: why ?? 'NOT_STATED', since: null }) : amount(asset, minor);
    if (minor === null) left = moved;
    else if (left.minor !== null) left = { ...left, minor: left.minor + minor };
    const unsure = unsureAt(at);
    if (unsure) left = unknownFigure(asset, unsure);
    const least = leastAt(at);
    if (least && left.minor !== null && !left.known) left = atLeast(asset, left.minor, least);
    // What is read says it again, once nothing is left at the same time.
    if ((left.minor === null || thing === null) && all[index + 1]?.by !== at) left = figureOf(asset, balanceAt(at));
    return { at, asset, thing, step, id: thing === null ? null : id, who: null, amount: moved, balance: left };
  });
}

type Timed = { readonly by: string; readonly thing: string | null };

/** What no list shows follows what the lists show. */
const byTime = (a: Timed, b: Timed) =>
  a.by === b.by ? Number(a.thing === null) - Number(b.thing === null) : a.by < b.by ? -1 : 1;

/** Adds up entries until any time: from what was added up before, and the entries of the period. */
function bookedFrom(known: ReadonlyMap<string, Booked>, from: string, entries: readonly EntryRow[]): BookedAt {
  const start = known.get(from) ?? NONE;
  return (at) => {
    const found = known.get(at);
    if (found) return found;
    const own = entries.filter((entry) => entry.at <= at);
    return {
      minor: own.reduce((sum, { part }) => sum + part, start.minor),
      unknowns: own.reduce((sum, { unknowns }) => sum + Number(unknowns), start.unknowns),
      why: start.why ?? own.find(({ minor }) => minor === null)?.why ?? null,
    };
  };
}

/** What it can have: bank accounts have Naira, and users’ wallets tokens. */
function assetsOf(of: StatementOf): readonly Asset[] {
  if (of.kind === 'bank account') return ['NGN'];
  if (of.kind === 'user') return TOKENS;
  return of.asset ? [of.asset] : ASSETS;
}

/** Whether there is nothing to say of an asset: it has no rows, and no balance but of what was never read. */
const isNothing = (rows: readonly StatementRow[], balances: readonly Figure[]) =>
  rows.length === 0 &&
  balances.every(({ minor, known }) => minor === 0n || (minor === null && known?.why === 'NOT_READ'));

/** Reads what moved in a period, with what there was before, after, and after each movement. */
export async function statementIn(queries: Queries, of: StatementOf, span: Span): Promise<Statement> {
  const condition = conditionOf(of);
  const checks = of.kind === 'account' ? await checksIn(queries, span) : [];
  const readings = of.kind === 'user' ? await readingsOf(queries, of.id) : new Map<Asset, Reading>();
  const entries = await entriesIn(queries, condition, span);
  const limits = await limitsIn(queries, of, span, { readings, checks });
  const times = new Set([span.from, span.to, ...[...readings.values()].map(({ at }) => at)]);
  const last = checks.findLast((at) => at <= span.to);
  for (const at of [checks.findLast((each) => each <= span.from), last]) if (at !== undefined) times.add(at);
  const sumsAt: (readonly [at: string, sums: ReadonlyMap<Asset, Booked>])[] = [];
  for (const at of times) sumsAt.push([at, await bookedUntil(queries, condition, at)]);
  const [sums, rows]: [StatementSums[], StatementRow[]] = [[], []];
  for (const asset of assetsOf(of)) {
    const own = entries.filter((entry) => entry.asset === asset);
    const booked = bookedFrom(new Map(sumsAt.map(([at, all]) => [at, all.get(asset) ?? NONE])), span.from, own);
    const known =
      of.kind === 'account'
        ? courseOfChecks(checks, booked)
        : courseFromNothing(readings.get(asset), booked, span, of.kind === 'user');
    const course = asFarAsSure(known, {
      unsureAt: (at) => limits.unsureAt(asset, at),
      leastAt: (at) => limits.leastAt(asset, at),
    });
    const made = rowsOf(asset, own, course, span.from);
    const [opening, closing] = [
      figureOf(asset, course.balanceAt(span.from)),
      figureOf(asset, course.balanceAt(span.to)),
    ];
    if (isNothing(made, [opening, closing])) continue;
    rows.push(...made);
    const why = course.unsureAt(span.from) ?? course.unsureAt(span.to);
    const [came, went] = [true, false].map((isIn) =>
      why ? unknownFigure(asset, why) : sumOf(asset, made, isIn, limits.moreIn(asset, isIn)),
    );
    if (came && went) sums.push({ asset, opening, in: came, out: went, closing });
  }
  return { sums, rows: await withNames(queries, rows) };
}

/** Adds whom the rows are from or to. */
async function withNames(queries: Queries, rows: readonly StatementRow[]): Promise<StatementRow[]> {
  const listOf = (thing: string) => thingNamed(thing).list?.name ?? '';
  const named = rows.flatMap(({ thing, id }) => (thing !== null && id !== null ? [{ list: listOf(thing), id }] : []));
  const about = await aboutRows(queries, named);
  return rows.map((row) => {
    const { thing, id } = row;
    if (thing === null || id === null) return row;
    return { ...row, who: (about.get(rowKey({ list: listOf(thing), id })) ?? nothingAbout).who };
  });
}
