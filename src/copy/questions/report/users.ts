import type { Queries } from '../../../journal/store.ts';
import { amount } from '../../../money/amount.ts';
import { atLeast, type Figure, type Known } from '../../../money/figure.ts';
import { offramp } from '../../../things/bank-transfers.ts';
import { userDeposit } from '../../../things/deposits.ts';
import type { Thing } from '../../../things/thing.ts';
import { withdrawal } from '../../../things/token-transfers.ts';
import { isDone, isThing } from '../../schema.ts';
import { tableOf } from '../../tables.ts';
import { because } from '../reasons.ts';
import { cutListsIn } from './cut-lists.ts';
import type { Lacking, Span } from './movements.ts';

/** A user, and what came and went through it in a period. */
interface UserReport {
  readonly user: string;
  readonly name: string | null;
  readonly onramps: number;
  /** What was paid in. */
  readonly amount: Figure;
  readonly offramps: number;
  /** What offramps paid out. */
  readonly paidOut: Figure;
  readonly withdrawals: number;
  /** Why the counts are only the least that they can be; null if they are exact. */
  readonly countsKnown: Known | null;
}

interface UsersReport {
  readonly users: readonly UserReport[];
  /** Completed offramps of wallets that no row names with a user: they are in no user’s sums. */
  readonly unownedOfframps: number;
}

/** The user of an offramp: as the service says, or else by its wallet. An onramp has a wallet of its own. */
const OWNER = `coalesce(p.user_id, (SELECT min(u.id) FROM stored_users u WHERE u.evm_wallet = p.wallet_address),
  (SELECT min(d.user_id) FROM stored_deposits d WHERE d.wallet_address = p.wallet_address AND d.user_id IS NOT NULL))`;

const inPeriod = 'ended_at > ? AND ended_at <= ?';

interface Moved {
  readonly user_id: string | null;
  readonly n: bigint;
  readonly minor: bigint | null;
  /** How many of them have an amount that is known. */
  readonly stated: bigint;
}

/** Lists the users with the largest onramps in a period, and after them those who only took money out. */
export async function usersIn(queries: Queries, { from, to }: Span, limit: number): Promise<UsersReport> {
  const paidIn = await queries.all<Moved>(
    `SELECT user_id, count(*) AS n, sum(amount_minor) AS minor, count(amount_minor) AS stated FROM stored_deposits
     WHERE ${isThing(userDeposit)} AND user_id IS NOT NULL AND ${isDone(tableOf(userDeposit))} AND ${inPeriod}
     GROUP BY user_id ORDER BY coalesce(sum(amount_minor), 0) DESC, 1 LIMIT ${limit}`,
    from,
    to,
  );
  const paidOut = await queries.all<Moved>(
    `SELECT user_id, count(*) AS n, sum(minor) AS minor, count(minor) AS stated
     FROM (SELECT ${OWNER} AS user_id, amount_minor AS minor FROM stored_payouts p
       WHERE ${isThing(offramp)} AND ${isDone(tableOf(offramp))} AND ${inPeriod}) AS part
     GROUP BY user_id ORDER BY coalesce(sum(minor), 0) DESC, 1`,
    from,
    to,
  );
  const sent = await queries.all<Moved>(
    `SELECT user_id, count(*) AS n, NULL AS minor, 0 AS stated FROM stored_withdrawals
     WHERE ${isThing(withdrawal)} AND ${isDone(tableOf(withdrawal))} AND ${inPeriod} GROUP BY user_id ORDER BY 1`,
    from,
    to,
  );
  const byUser = (rows: readonly Moved[]) => new Map(rows.map((row) => [row.user_id, row]));
  const [ins, outs, tokens] = [byUser(paidIn), byUser(paidOut), byUser(sent)];
  const others = [...outs.keys(), ...tokens.keys()].flatMap((id) => id ?? []);
  const ids = [...new Set([...[...ins.keys()].flatMap((id) => id ?? []), ...(ins.size < limit ? others : [])])];
  const names = await namesOf(queries, ids.slice(0, limit));
  const unowned = Number(outs.get(null)?.n ?? 0n);
  const { tables } = await cutListsIn(queries, to);
  const lackingOf = (thing: Thing, hasUnowned: boolean): Lacking | undefined =>
    hasUnowned ? { why: 'USER_NOT_KNOWN' } : tables.get(tableOf(thing).name);
  const lackingIn = lackingOf(userDeposit, await hasUnownedDeposits(queries, { from, to }));
  const lackingOut = lackingOf(offramp, unowned > 0);
  const lacking = lackingIn ?? lackingOut ?? lackingOf(withdrawal, tokens.has(null));
  const countsKnown = lacking ? ({ ...because(lacking.why, lacking.since), is: 'at least' } as const) : null;
  return {
    unownedOfframps: unowned,
    users: ids.slice(0, limit).map((id) => ({
      user: id,
      name: names.get(id) ?? null,
      onramps: Number(ins.get(id)?.n ?? 0n),
      amount: nairaOf(ins.get(id), lackingIn),
      offramps: Number(outs.get(id)?.n ?? 0n),
      paidOut: nairaOf(outs.get(id), lackingOut),
      withdrawals: Number(tokens.get(id)?.n ?? 0n),
      countsKnown,
    })),
  };
}

/** Whether nothing says whose some completed payments of a period are. */
async function hasUnownedDeposits(queries: Queries, { from, to }: Span): Promise<boolean> {
  const row = await queries.get<{ n: bigint }>(
    `SELECT count(*) AS n FROM stored_deposits WHERE ${isThing(userDeposit)} AND user_id IS NULL AND ${isDone(tableOf(userDeposit))} AND ${inPeriod}`,
    from,
    to,
  );
  return (row?.n ?? 0n) > 0n;
}

/** What moved of a user, which may be more for some reason. */
function nairaOf(moved: Moved | undefined, lacking: Lacking | undefined): Figure {
  const minor = BigInt(moved?.minor ?? 0n);
  const unstated = moved ? Number(moved.n - moved.stated) : 0;
  if (unstated > 0) return atLeast('NGN', minor, because('NOT_STATED', null, unstated));
  return lacking ? atLeast('NGN', minor, because(lacking.why, lacking.since, lacking.rows)) : amount('NGN', minor);
}

/** How many ids a statement has. */
const IDS_A_STATEMENT = 500;

/** Returns the names of users by their ids. */
async function namesOf(queries: Queries, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (let at = 0; at < ids.length; at += IDS_A_STATEMENT) {
    const part = ids.slice(at, at + IDS_A_STATEMENT);
    const rows = await queries.all<{ id: string; first: string | null; last: string | null }>(
      `SELECT id, first_name AS first, last_name AS last FROM stored_users WHERE id IN (${part.map(() => '?').join(', ')})`,
      ...part,
    );
    for (const { id, first, last } of rows) if (first || last) names.set(id, [first, last].filter(Boolean).join(' '));
  }
  return names;
}
