import type { Queries } from '../../../journal/store.ts';
import { type Asset, amount } from '../../../money/amount.ts';
import { type Figure, type NotKnown, unknownFigure } from '../../../money/figure.ts';
import { BALANCE } from '../../book-entries.ts';
import { because } from '../reasons.ts';
import { cutListsIn } from './cut-lists.ts';
import { IN_USERS_WALLETS, LISTS_OF_USERS, unownedIn } from './statement-of.ts';

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
  /** Entries until the time whose amount is not known, and those of which nothing says on which side of it, or of the reading, they were. */
  readonly unknown: bigint;
  readonly unsure: bigint;
  readonly read: bigint | null;
  readonly read_at: string | null;
  readonly first: string | null;
  readonly last: string | null;
}

/** Whether an entry may have been before a time or after it. */
const isBetween = (at: string) => `(b.at <= ${at} AND b.bound > ${at} OR b.bound <= ${at} AND b.at > ${at})`;

/** Movements of users by what the lists show, beside what was read. Balances that are entries themselves are compared here. */
const rowsSql =
  () => `SELECT b.user_id AS "user", b.asset, o.minor AS read, o.at AS read_at, u.first_name AS first, u.last_name AS last,
    CAST(coalesce(sum(CASE WHEN b.at <= ? THEN b.amount_minor END), 0) AS BIGINT) AS "then",
    CAST(coalesce(sum(CASE WHEN b.at <= o.at THEN b.amount_minor END), 0) AS BIGINT) AS booked,
    sum(CASE WHEN b.at <= ? AND b.amount_minor IS NULL THEN 1 ELSE 0 END) AS unknown,
    sum(CASE WHEN ${isBetween('?')} OR ${isBetween('o.at')} THEN 1 ELSE 0 END) AS unsure
  FROM (SELECT user_id, asset, at, bound, amount_minor FROM book_entries WHERE account = ? AND thing <> '${BALANCE}'
      UNION ALL SELECT user_id, asset, '~' AS at, NULL AS bound, 0 AS amount_minor FROM stored_owed WHERE minor <> 0) b LEFT JOIN stored_owed o ON o.user_id = b.user_id AND o.asset = b.asset AND o.minor IS NOT NULL
    LEFT JOIN stored_users u ON u.id = b.user_id
  GROUP BY b.user_id, b.asset, o.minor, o.at, u.first_name, u.last_name
  ORDER BY b.asset, 7 DESC, b.user_id`;

/** What there was; or why that is not known. */
type Balance = { readonly minor: bigint } | { readonly why: NotKnown };

/** What is known of a balance at a time: by what was read later or before, and by the lists. */
function boundAt({ then, booked, unknown, unsure, read, read_at }: OwedRow, at: string): Balance {
  if (unsure > 0n && read_at !== at) return { why: because('END_BETWEEN', null, Number(unsure)) };
  if (unknown > 0n) return { why: because('NOT_STATED', null, Number(unknown)) };
  // What the lists show may have gone to a wallet outside the service, and what came from there is in no list.
  if (read === null || read_at === null) return { why: because('NOT_READ', null, 1) };
  const difference = read - booked;
  if (difference === 0n || read_at <= at) return { minor: then + difference };
  return { why: because('UNLISTED', read_at) };
}

/** Why nothing says what a user had: what moved in wallets of nobody that a list names, before the balance was read or since, may be the user’s. */
function ownerlessAt(
  { user, asset, read_at }: OwedRow,
  all: Awaited<ReturnType<typeof unownedIn>>,
  at: string,
): Balance | undefined {
  const own = all.find((each) => each.asset === asset);
  if (user === null || !own) return undefined;
  const [from, to] = [read_at ?? '', at].toSorted() as [string, string];
  const isOpen = own.first <= to && own.last > from;
  return isOpen ? { why: because('USER_NOT_KNOWN', null, Number(own.rows)) } : undefined;
}

function figureOf(asset: Asset, balances: readonly Balance[]): Figure {
  const unknown = balances.flatMap((each) => ('why' in each ? [each.why] : []));
  const [why] = unknown;
  if (why === undefined)
    return amount(
      asset,
      balances.reduce((sum, each) => sum + ('minor' in each ? each.minor : 0n), 0n),
    );
  const rows = unknown.reduce((count, each) => count + (each.rows ?? 0), 0);
  return unknownFigure(asset, rows > 0 ? { ...why, rows } : why);
}

/** Whether there was something, or may have been. */
const isHeld = (balance: Balance): boolean => 'why' in balance || balance.minor !== 0n;

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
  const rows = await queries.all<OwedRow>(rowsSql(), at, at, at, at, at, at, IN_USERS_WALLETS);
  const { tables } = await cutListsIn(queries, at);
  // What is missing may have come or gone.
  const [lacking] = LISTS_OF_USERS.flatMap((list) => tables.get(list) ?? []);
  const unsure = lacking && { why: because(lacking.why, lacking.since) };
  const unowned = await unownedIn(queries);
  const found = rows
    .map((row) => ({ ...row, balance: unsure ?? ownerlessAt(row, unowned, at) ?? boundAt(row, at) }))
    .filter(({ balance }) => isHeld(balance));
  const users = found.flatMap(({ user, asset, first, last, balance }) =>
    user === null
      ? []
      : [{ user, name: [first, last].filter(Boolean).join(' ') || null, asset, amount: figureOf(asset, [balance]) }],
  );
  const owed = [...Map.groupBy(found, (row) => row.asset)].map(([asset, own]) => ({
    asset,
    amount: own.some(({ user }) => user === null)
      ? unknownFigure(asset, because('USER_NOT_KNOWN'))
      : figureOf(
          asset,
          own.map(({ balance }) => balance),
        ),
    users: own.length,
  }));
  return { users, owed };
}
