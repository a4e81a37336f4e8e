import type { Queries } from '../../../journal/store.ts';
import { type Asset, amount } from '../../../money/amount.ts';
import { type Figure, type NotKnown, unknownFigure } from '../../../money/figure.ts';
import { listedOn } from '../../book-entries.ts';
import { OWED, OWED_BEFORE } from '../../schema.ts';
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
  /** What entries add up to until the time, and until each reading. */
  readonly then: bigint;
  readonly booked_before: bigint;
  readonly booked_after: bigint;
  /** Entries until the time whose amount is not known, and those of which nothing says on which side of it, or of a reading, they were. */
  readonly unknown: bigint;
  readonly unsure: bigint;
  /** The last reading until the time, and the first one after it. */
  readonly before_at: string | null;
  readonly before: bigint | null;
  readonly after_at: string | null;
  readonly after: bigint | null;
  readonly first: string | null;
  readonly last: string | null;
}

/** Whether an entry may have been before a time or after it. */
const isBetween = (at: string) => `(b.at <= ${at} AND b.bound > ${at} OR b.bound <= ${at} AND b.at > ${at})`;

/** What was read of each balance: the last time, and before and after each change of it. */
const READINGS = `(SELECT user_id, asset, at, minor FROM ${OWED.name} WHERE minor IS NOT NULL
  UNION SELECT user_id, asset, at, minor FROM ${OWED_BEFORE.name})`;

const bookedUntil = (at: string) => `CAST(coalesce(sum(CASE WHEN b.at <= ${at} THEN b.amount_minor END), 0) AS BIGINT)`;

/** Movements of users by what the lists show, beside what was read. Balances that are entries themselves are compared here. */
const rowsSql = (
  engine: Queries['engine'],
  at: string,
) => `SELECT b.user_id AS "user", b.asset, o.before_at, p.minor AS before, o.after_at, n.minor AS after, u.first_name AS first, u.last_name AS last,
    ${bookedUntil(at)} AS "then", ${bookedUntil('o.before_at')} AS booked_before, ${bookedUntil('o.after_at')} AS booked_after,
    sum(CASE WHEN b.at <= ${at} AND b.amount_minor IS NULL THEN 1 ELSE 0 END) AS unknown,
    sum(CASE WHEN ${[at, 'o.before_at', 'o.after_at'].map(isBetween).join(' OR ')} THEN 1 ELSE 0 END) AS unsure
  FROM (SELECT user_id, asset, at, bound, amount_minor FROM ${listedOn(engine, [IN_USERS_WALLETS])}
      UNION ALL SELECT user_id, asset, '~' AS at, NULL AS bound, 0 AS amount_minor FROM ${READINGS} r WHERE minor <> 0) b
    LEFT JOIN (SELECT user_id, asset, max(CASE WHEN at <= ${at} THEN at END) AS before_at, min(CASE WHEN at > ${at} THEN at END) AS after_at
      FROM ${READINGS} r GROUP BY user_id, asset) o ON o.user_id = b.user_id AND o.asset = b.asset
    LEFT JOIN ${READINGS} p ON p.user_id = o.user_id AND p.asset = o.asset AND p.at = o.before_at
    LEFT JOIN ${READINGS} n ON n.user_id = o.user_id AND n.asset = o.asset AND n.at = o.after_at
    LEFT JOIN stored_users u ON u.id = b.user_id
  GROUP BY b.user_id, b.asset, o.before_at, p.minor, o.after_at, n.minor, u.first_name, u.last_name
  ORDER BY b.asset, "then" DESC, b.user_id`;

/** What there was; or why that is not known. */
type Balance = { readonly minor: bigint } | { readonly why: NotKnown };

/**
 * What is known of a balance at a time. What the lists show may have gone to a wallet outside the service, and what came from there is in no list:
 * so what was read until the time, and what was read after it, must both be what the lists come to, or differ from it by as much.
 */
function boundAt(row: OwedRow, at: string): Balance {
  const { then, unknown, unsure, before, before_at, after, after_at } = row;
  if (before !== null && before_at === at) return { minor: before };
  if (unsure > 0n) return { why: because('END_BETWEEN', null, Number(unsure)) };
  if (unknown > 0n) return { why: because('NOT_STATED', null, Number(unknown)) };
  if (after === null) return { why: because('NOT_READ', before_at, 1) };
  const [off, was] = [after - row.booked_after, before === null ? 0n : before - row.booked_before];
  return off === was ? { minor: then + off } : { why: because('UNLISTED', after_at) };
}

/** Why nothing says what a user had: what moved in wallets of nobody that a list names, before the balance was read or since, may be the user’s. */
function ownerlessAt(
  { user, asset, before_at, after_at }: OwedRow,
  all: Awaited<ReturnType<typeof unownedIn>>,
  at: string,
): Balance | undefined {
  const own = all.find((each) => each.asset === asset);
  if (user === null || !own || before_at === at) return undefined;
  const [from, to] = [before_at ?? (after_at === null ? '' : at), after_at ?? at];
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
  const rows = await queries.all<OwedRow>(rowsSql(queries.engine, `'${at}'`));
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
