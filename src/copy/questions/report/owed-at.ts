import type { Queries } from '../../../journal/store.ts';
import { type Asset, amount } from '../../../money/amount.ts';
import { atLeast, type Figure, type NotKnown, unknownFigure } from '../../../money/figure.ts';
import { because } from '../reasons.ts';
import { cutListsIn } from './cut-lists.ts';
import { BALANCE, IN_USERS_WALLETS, LISTS_OF_USERS } from './statement-of.ts';

/** What a user’s wallets had at a time. */
interface OwedToUserAt {
  readonly user: string;
  readonly name: string | null;
  readonly asset: Asset;
  readonly amount: Figure;
}

interface OwedRow {
  readonly user: string | null;
  readonly asset: Asset;
  /** What entries add up to until the time, and until the balance was read. */
  readonly then: bigint;
  readonly booked: bigint;
  /** Entries until the time whose amount is not known. */
  readonly unknown: bigint;
  readonly read: bigint | null;
  readonly read_at: string | null;
  readonly first: string | null;
  readonly last: string | null;
}

/** Movements of users by what the lists show, beside what was read. Balances that are entries themselves are compared here. */
const ROWS = `SELECT b.user_id AS "user", b.asset, o.minor AS read, o.at AS read_at, u.first_name AS first, u.last_name AS last,
    CAST(coalesce(sum(CASE WHEN b.at <= ? THEN b.amount_minor END), 0) AS BIGINT) AS "then",
    CAST(coalesce(sum(CASE WHEN b.at <= o.at THEN b.amount_minor END), 0) AS BIGINT) AS booked,
    sum(CASE WHEN b.at <= ? AND b.amount_minor IS NULL THEN 1 ELSE 0 END) AS unknown
  FROM (SELECT user_id, asset, at, amount_minor FROM book_entries WHERE account = ? AND thing <> '${BALANCE}'
      UNION ALL SELECT user_id, asset, '~' AS at, 0 AS amount_minor FROM stored_owed WHERE minor <> 0) b LEFT JOIN stored_owed o ON o.user_id = b.user_id AND o.asset = b.asset AND o.minor IS NOT NULL
    LEFT JOIN stored_users u ON u.id = b.user_id
  GROUP BY b.user_id, b.asset, o.minor, o.at, u.first_name, u.last_name
  ORDER BY b.asset, 7 DESC, b.user_id`;

/** The least that there can have been, and why that is not known exactly, if it is not. */
interface Bound {
  readonly least: bigint | undefined;
  readonly why?: NotKnown;
}

/** What is known of a balance at a time: by what was read later or before, and by the lists. */
function boundAt({ then, booked, unknown, read, read_at }: OwedRow, at: string): Bound {
  if (unknown > 0n) return { least: undefined, why: because('NOT_STATED', null, Number(unknown)) };
  if (read === null || read_at === null) return { least: then, why: because('NOT_READ', null, 1) };
  const difference = read - booked;
  if (difference === 0n || read_at <= at) return { least: then + difference };
  return { least: difference > 0n ? then : undefined, why: because('UNLISTED', read_at) };
}

/** When wallets moved an asset that no list names with a user: the first time and the last one. */
interface Unowned {
  readonly asset: Asset;
  readonly first: string;
  readonly last: string;
  readonly rows: bigint;
}

const unownedIn = (queries: Queries) =>
  queries.all<Unowned>(
    `SELECT asset, min(CASE WHEN bound < at THEN bound ELSE at END) AS first, max(CASE WHEN bound > at THEN bound ELSE at END) AS last, count(DISTINCT id) AS rows
     FROM book_entries WHERE account = ? AND thing <> '${BALANCE}' AND user_id IS NULL GROUP BY asset`,
    IN_USERS_WALLETS,
  );

/** Why nothing says what a user had: what moved in wallets of nobody that a list names, before the balance was read or since, may be the user’s. */
function ownerlessAt({ user, asset, read_at }: OwedRow, all: readonly Unowned[], at: string): Bound | undefined {
  const own = all.find((each) => each.asset === asset);
  if (user === null || !own) return undefined;
  const [from, to] = [read_at ?? '', at].toSorted() as [string, string];
  const isOpen = own.first <= to && own.last > from;
  return isOpen ? { least: undefined, why: because('USER_NOT_KNOWN', null, Number(own.rows)) } : undefined;
}

function figureOf(asset: Asset, bounds: readonly Bound[]): Figure {
  const least = bounds.map((each) => each.least);
  const [why] = bounds.flatMap((each) => each.why ?? []);
  const sum = least.reduce<bigint>((all, each) => all + (each ?? 0n), 0n);
  if (why === undefined) return amount(asset, sum);
  const rows = bounds.reduce((count, each) => count + (each.why?.rows ?? 0), 0);
  const counted = rows > 0 ? { ...why, rows } : why;
  return least.includes(undefined) ? unknownFigure(asset, counted) : atLeast(asset, sum, counted);
}

/**
 * Returns what users’ wallets had at a time, from the lists and from what was read, without a request. Movements of wallets that no list names
 * with a user leave the sum of their asset unknown.
 */
export async function owedAt(
  queries: Queries,
  at: string,
): Promise<{
  readonly users: readonly OwedToUserAt[];
  readonly owed: readonly { readonly asset: Asset; readonly amount: Figure; readonly users: number }[];
}> {
  const rows = await queries.all<OwedRow>(ROWS, at, at, IN_USERS_WALLETS);
  const { tables } = await cutListsIn(queries, at);
  // What is missing may have come or gone.
  const [lacking] = LISTS_OF_USERS.flatMap((list) => tables.get(list) ?? []);
  const unsure = lacking && { least: undefined, why: because(lacking.why, lacking.since) };
  const unowned = await unownedIn(queries);
  const found = rows
    .map((row) => ({ ...row, bound: unsure ?? ownerlessAt(row, unowned, at) ?? boundAt(row, at) }))
    .filter(({ bound }) => bound.least !== 0n || bound.why !== undefined);
  const users = found.flatMap(({ user, asset, first, last, bound }) =>
    user === null
      ? []
      : [{ user, name: [first, last].filter(Boolean).join(' ') || null, asset, amount: figureOf(asset, [bound]) }],
  );
  const owed = [...Map.groupBy(found, (row) => row.asset)].map(([asset, own]) => ({
    asset,
    amount: own.some(({ user }) => user === null)
      ? unknownFigure(asset, because('USER_NOT_KNOWN'))
      : figureOf(
          asset,
          own.map(({ bound }) => bound),
        ),
    users: own.filter(({ bound }) => bound.least !== 0n).length,
  }));
  return { users, owed };
}
