import type { Queries } from '../../../journal/store.ts';
import { amount } from '../../../money/amount.ts';
import { atLeast, type Figure, type NotKnown } from '../../../money/figure.ts';
import { type Between, betweenIn, listedOn } from '../../book-entries.ts';
import { because, type Reason } from '../reasons.ts';
import { cutListsIn } from './cut-lists.ts';
import { ENTRY_ROW, type EntryRow, type LineRow, ROW_ORDER, rowOf } from './line-rows.ts';
import type { Span } from './movements.ts';

/** What the account earned, of a user, on a day, or by a kind of work. */
interface IncomePart {
  /** The id of the user (null if no list names it), the day in Lagos, or the kind. */
  readonly name: string | null;
  /** The name of the user. */
  readonly who: string | null;
  readonly earned: Figure;
  readonly movements: number;
}

export const INCOME_PARTS = ['user', 'day', 'kind'] as const;

type Part = (typeof INCOME_PARTS)[number];

/** What each part of the entries of income is called: an SQL expression. */
const NAMES: Readonly<Record<Part, string>> = { user: 'user_id', day: 'day', kind: 'substr(account, 8)' };

interface PartRow {
  readonly name: string | null;
  readonly minor: bigint | null;
  readonly n: bigint;
  readonly unknown: bigint;
  readonly why: string | null;
}

/** The accounts of what is earned. */
const INCOME = ['income:onramp', 'income:offramp'];

const IN_PERIOD = 'at > ? AND at <= ?';

/** The entries that certainly are in a period: an SQL condition with its start and its end, after one over the entries with a time in it. */
const IS_CERTAIN = '(bound IS NULL OR bound > ? AND bound <= ?)';

/**
 * A fee is never negative, so that a sum of some is at least the sum of those that are known. An entry that may be of another period is not in
 * the sum, nor, on a day, one that may be of another day.
 */
const partsOf = (engine: Queries['engine'], name: string, isByDay: boolean) => {
  const counts = `${IS_CERTAIN} AND ${isByDay ? 'known IS NULL' : 'amount_minor IS NOT NULL'}`;
  return `SELECT ${name} AS name, CAST(sum(CASE WHEN ${counts} THEN -amount_minor ELSE 0 END) AS BIGINT) AS minor,
    count(*) AS n, sum(CASE WHEN ${counts} THEN 0 ELSE 1 END) AS unknown, max(CASE WHEN amount_minor IS NULL THEN known END) AS why
  FROM ${listedOn(engine, INCOME)} WHERE ${IN_PERIOD} GROUP BY 1`;
};

/** What may be missing in a sum: entries of other rows, whose number may not be known. */
type More = NotKnown | undefined;

function earnedOf({ minor, unknown, why }: Omit<PartRow, 'name' | 'n'>, more: More): Figure {
  const sum = minor ?? 0n;
  if (unknown > 0n) return atLeast('NGN', sum, because((why as Reason | null) ?? 'END_BETWEEN', null, Number(unknown)));
  return more ? atLeast('NGN', sum, more) : amount('NGN', sum);
}

/** The lists whose rows earn fees. */
const LISTS = ['deposits', 'payouts'];

/** The day in Lagos of a time. */
const dayOf = (at: string): string =>
  Number.isNaN(Date.parse(at)) ? at : new Date(Date.parse(at) + 3_600_000).toISOString().slice(0, 10);

/** Whether an entry of which nothing says exactly when it was may be in a part. */
function mayBeIn(entry: Between, part: Part, name: string | null): boolean {
  if (part === 'user') return name !== null && (entry.user_id === null || entry.user_id === name);
  if (part === 'kind') return entry.account === `income:${name}`;
  return name !== null && dayOf(entry.from) <= name && name <= dayOf(entry.until);
}

/** Adds up what was earned in a period: of each user or kind, the largest first, or on each day, and all of it. */
export async function incomeIn(
  queries: Queries,
  { from, to }: Span,
  part: Part,
): Promise<{ readonly parts: readonly IncomePart[]; readonly earned: Figure }> {
  const { tables } = await cutListsIn(queries, to);
  const [cut] = LISTS.flatMap((list) => tables.get(list) ?? []);
  const lacking = cut && because(cut.why, cut.since);
  const between = await betweenIn(queries, INCOME, { from, to });
  // What is certainly in the period may be on one of several days.
  const unsure = between.filter((each) => part === 'day' || each.from <= from || each.until > to);
  const values = [from, to, from, to, from, to];
  const rows = await queries.all<PartRow>(partsOf(queries.engine, NAMES[part], part === 'day'), ...values);
  const ordered = rows.toSorted((a, b) =>
    part === 'day'
      ? compare(a.name ?? '', b.name ?? '')
      : compare(b.minor ?? 0n, a.minor ?? 0n) || compare(a.name ?? '', b.name ?? ''),
  );
  const names = part === 'user' ? await userNames(queries) : new Map<string, string>();
  // What someone earned whom no list names may be of each of the others.
  const unowned = part === 'user' ? Number(rows.find(({ name }) => name === null)?.n ?? 0n) : 0;
  const moreIn = (name: string | null): More => {
    if (lacking) return lacking;
    const own = unsure.filter((each) => mayBeIn(each, part, name));
    if (own.length > 0) return because('END_BETWEEN', null, own.length);
    return unowned > 0 && name !== null ? because('USER_NOT_KNOWN', null, unowned) : undefined;
  };
  // On whichever day of it.
  const [all = NOTHING] =
    part === 'day' ? await queries.all<PartRow>(partsOf(queries.engine, "''", false), ...values) : [summed(rows)];
  const atEdge = between.filter((each) => each.from <= from || each.until > to).length;
  return {
    earned: earnedOf(all, lacking ?? (atEdge > 0 ? because('END_BETWEEN', null, atEdge) : undefined)),
    parts: ordered.map((row) => ({
      name: row.name,
      who: names.get(row.name ?? '') ?? null,
      earned: earnedOf(row, moreIn(row.name)),
      movements: Number(row.n),
    })),
  };
}

const NOTHING = { minor: 0n, unknown: 0n, why: null };

const summed = (rows: readonly PartRow[]): Omit<PartRow, 'name' | 'n'> => ({
  minor: rows.reduce((sum, { minor }) => sum + (minor ?? 0n), 0n),
  unknown: rows.reduce((sum, { unknown }) => sum + unknown, 0n),
  why: rows.find(({ why }) => why !== null)?.why ?? null,
});

/** Lists the fees that were earned in a period: all, or those of a part by its name, of which null is what no list names a user of. */
export async function incomeRowsIn(
  queries: Queries,
  { from, to }: Span,
  part: Part,
  name: string | null | undefined,
): Promise<readonly LineRow[]> {
  const rows = await queries.all<EntryRow & { readonly name: string | null }>(
    `SELECT ${ENTRY_ROW}, ${NAMES[part]} AS name FROM ${listedOn(queries.engine, INCOME)} WHERE ${IN_PERIOD} ORDER BY ${ROW_ORDER}`,
    from,
    to,
  );
  return rows.filter((row) => name === undefined || row.name === name).map((row) => rowOf(row, true));
}

const compare = <T extends string | bigint>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

async function userNames(queries: Queries): Promise<ReadonlyMap<string, string>> {
  const rows = await queries.all<{ id: string; first: string | null; last: string | null }>(
    'SELECT id, first_name AS first, last_name AS last FROM stored_users WHERE first_name IS NOT NULL OR last_name IS NOT NULL',
  );
  return new Map(rows.map(({ id, first, last }) => [id, [first, last].filter(Boolean).join(' ')]));
}
