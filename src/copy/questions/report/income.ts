import type { Queries } from '../../../journal/store.ts';
import { amount } from '../../../money/amount.ts';
import { atLeast, type Figure } from '../../../money/figure.ts';
import { because } from '../reasons.ts';
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

const IS_INCOME = `account IN ('income:onramp', 'income:offramp') AND at > ? AND at <= ?`;

/** A fee is never negative, so that a sum of some is at least the sum of those that are known. An entry whose day is not known may be of another one. */
const PARTS = (
  name: string,
) => `SELECT ${name} AS name, CAST(sum(CASE WHEN known IS NULL THEN -amount_minor ELSE 0 END) AS BIGINT) AS minor,
    count(*) AS n, count(known) AS unknown, max(known) AS why
  FROM book_entries WHERE ${IS_INCOME} GROUP BY 1`;

function earnedOf({ minor, unknown, why }: Omit<PartRow, 'name' | 'n'>, lacking: readonly string[]): Figure {
  if (unknown > 0n)
    return atLeast('NGN', minor ?? 0n, { why: why ?? 'NOT_STATED', since: null, rows: Number(unknown) });
  return lacking.length > 0 ? atLeast('NGN', minor ?? 0n, because('LIST_INCOMPLETE')) : amount('NGN', minor ?? 0n);
}

/** The lists whose rows earn fees. */
const LISTS = ['deposits', 'payouts'];

/** Adds up what was earned in a period: of each user or kind, the largest first, or on each day, and all of it. */
export async function incomeIn(
  queries: Queries,
  { from, to }: Span,
  part: Part,
  partial: readonly string[],
): Promise<{ readonly parts: readonly IncomePart[]; readonly earned: Figure }> {
  const lacking = partial.filter((list) => LISTS.includes(list));
  const rows = await queries.all<PartRow>(PARTS(NAMES[part]), from, to);
  const ordered = rows.toSorted((a, b) =>
    part === 'day'
      ? compare(a.name ?? '', b.name ?? '')
      : compare(b.minor ?? 0n, a.minor ?? 0n) || compare(a.name ?? '', b.name ?? ''),
  );
  const names = part === 'user' ? await userNames(queries) : new Map<string, string>();
  const all = {
    minor: rows.reduce((sum, { minor }) => sum + (minor ?? 0n), 0n),
    unknown: rows.reduce((sum, { unknown }) => sum + unknown, 0n),
    why: rows.find(({ why }) => why !== null)?.why ?? null,
  };
  return {
    earned: earnedOf(all, lacking),
    parts: ordered.map((row) => ({
      name: row.name,
      who: names.get(row.name ?? '') ?? null,
      earned: earnedOf(row, lacking),
      movements: Number(row.n),
    })),
  };
}

/** Lists the fees that were earned in a period: all, or those of a part by its name, of which null is what no list names a user of. */
export async function incomeRowsIn(
  queries: Queries,
  { from, to }: Span,
  part: Part,
  name: string | null | undefined,
): Promise<readonly LineRow[]> {
  const rows = await queries.all<EntryRow & { readonly name: string | null }>(
    `SELECT ${ENTRY_ROW}, ${NAMES[part]} AS name FROM book_entries WHERE ${IS_INCOME} ORDER BY ${ROW_ORDER}`,
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
