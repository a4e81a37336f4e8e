import { CliError } from '../../../base/errors.ts';
import { balanceUser } from '../../../contract/endpoints/balances.ts';
import type { Account } from '../../../engine/account.ts';
import { leastMsFor, pacer } from '../../../engine/lists/pages.ts';
import { isUncertain } from '../../../engine/plans/line.ts';
import { balanceIn } from '../../../engine/previews/balances.ts';
import type { Queries } from '../../../journal/store.ts';
import { type Asset, amount, TOKENS } from '../../../money/amount.ts';
import { atLeast, type Figure, unknownFigure } from '../../../money/figure.ts';
import { insertion, type NewRow, type RowOf, replacing, UNLESS_THERE } from '../../../store/table.ts';
import { THINGS } from '../../../things/index.ts';
import type { Thing } from '../../../things/thing.ts';
import type { LocalCopy } from '../../database.ts';
import { isThing, OWED, OWED_BEFORE, stored } from '../../schema.ts';
import { tableOf } from '../../tables.ts';
import { because } from '../reasons.ts';
import { lastCheckAt } from './checks.ts';

/** What the users' wallets hold together. Times are ISO 8601 in UTC. */
interface Owed {
  readonly users: number;
  /** How many of them the service did not say a balance of. */
  readonly unknown: number;
  /** When the oldest of the balances was read. */
  readonly asOf: string | null;
  /** Of users whose balances are known, it is at least the sum of theirs. */
  readonly owed: readonly {
    readonly asset: Asset;
    readonly amount: Figure;
    readonly users: number;
    readonly asOf: string;
  }[];
}

/** What a user’s wallets held when they were read. */
interface OwedToUser {
  readonly user: string;
  readonly name: string | null;
  readonly asset: Asset;
  readonly amount: Figure;
  readonly asOf: string;
}

/** The things of users that move their money. */
const MOVEMENTS: readonly Thing[] = THINGS.filter(({ of, list, states }) => of === 'user' && list && states);

/** The user of a row, by its id or by its wallet: an SQL expression. */
function ownerIn(thing: Thing): string {
  const table = tableOf(thing);
  const has = (name: string) => table.columns.some((column) => column.name === name);
  const wallet = `${stored(table)}.wallet_address`;
  return `coalesce(${[
    ...(has('user_id') ? ['user_id'] : []),
    ...(has('wallet_address')
      ? [
          `(SELECT min(u.id) FROM stored_users u WHERE u.evm_wallet = ${wallet})`,
          `(SELECT min(d.user_id) FROM stored_deposits d WHERE d.wallet_address = ${wallet} AND d.user_id IS NOT NULL)`,
        ]
      : []),
    'NULL',
  ].join(', ')})`;
}

/** The users whose balances must be read again, and since when some may have moved money that no list names. */
interface Stale {
  readonly users: readonly string[];
  /** Movements since the oldest reading that are of wallets which no list names with a user. */
  readonly unowned: number;
}

/** Finds the users whose balances were never read, were read before a time, or may have changed since: what they have under way may do so now. */
async function staleIn(queries: Queries, freshAt: string): Promise<Stale> {
  const readings = await queries.all<{ id: string; at: string | null; n: bigint }>(
    `SELECT u.id, min(o.at) AS at, count(o.asset) AS n FROM stored_users u LEFT JOIN stored_owed o ON o.user_id = u.id
     WHERE u.deleted_at IS NULL AND u.digest IS NOT NULL GROUP BY u.id ORDER BY u.id`,
  );
  const oldest = readings.reduce((least, { at }) => (at !== null && at < least ? at : least), '~');
  const each = MOVEMENTS.map(
    (thing) => `SELECT ${ownerIn(thing)} AS user_id, changed_at AS at, is_open FROM ${stored(tableOf(thing))}
      WHERE ${isThing(thing)} AND deleted_at IS NULL AND (changed_at >= ? OR is_open = 1)`,
  );
  const moved = await queries.all<{ user_id: string | null; at: string; open: bigint; n: bigint }>(
    `SELECT user_id, max(at) AS at, max(is_open) AS open, sum(CASE WHEN at >= ? THEN 1 ELSE 0 END) AS n
     FROM (${each.join(' UNION ALL ')}) AS part GROUP BY user_id`,
    oldest,
    ...MOVEMENTS.map(() => oldest),
  );
  const movements = new Map(moved.map((row) => [row.user_id, row]));
  const users = readings.flatMap(({ id, at, n }) => {
    const movement = movements.get(id);
    const hasMoved = movement !== undefined && (movement.open === 1n || at === null || movement.at >= at);
    return at === null || Number(n) < TOKENS.length || at <= freshAt || hasMoved ? [id] : [];
  });
  return { users, unowned: Number(movements.get(null)?.n ?? 0n) };
}

/** How often in a row a request waits for the rate limit, which other commands may use up. */
const MOST_WAITS = 5;

/** Sends a request again once the rate limit has room. Rejects with CliError. */
async function withinLimit<T>({ world, notices }: Account, work: () => Promise<T>): Promise<T> {
  const { clock, interrupted } = world;
  const windowMs = balanceUser.rateLimit.windowSeconds * 1000;
  for (let waits = 0; ; waits++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CliError) || error.category !== 'rate-limited' || waits === MOST_WAITS) throw error;
      await notices.progress.waits(windowMs);
      await clock.sleep(windowMs, interrupted).catch(() => {
        throw new CliError('interrupted', 'interrupted');
      });
    }
  }
}

/** Reads what a user holds, and saves it. Rejects with CliError. */
async function readUser(account: Account, copy: LocalCopy, userId: string, wait: () => Promise<void>): Promise<void> {
  for (const token of TOKENS) {
    await wait();
    const { data } = await withinLimit(account, () => account.call(balanceUser, { userId, token }));
    const found = balanceIn(data.totalBalance, token, [data]);
    const held = isUncertain(found) ? undefined : found;
    const at = new Date(account.time.service.nowMs() ?? account.world.clock.now()).toISOString();
    const row = { user_id: userId, asset: token, minor: held?.minor ?? null, at };
    await copy.write((queries) => noteReading(queries, row));
  }
}

/** Saves a reading. Those on both sides of a change are kept: nothing else says what there was between two changes. */
async function noteReading(queries: Queries, row: NewRow<typeof OWED>): Promise<void> {
  const before = await queries.get<RowOf<typeof OWED>>(
    `SELECT * FROM ${OWED.name} WHERE user_id = ? AND asset = ?`,
    row.user_id,
    row.asset,
  );
  await queries.run(...insertion(OWED, [row], replacing(OWED, ['minor', 'at'])));
  if (before?.minor === row.minor) return;
  const sides = [before, row].flatMap((each) => (each?.minor == null ? [] : [{ ...each, minor: each.minor }]));
  if (sides.length > 0) await queries.run(...insertion(OWED_BEFORE, sides, UNLESS_THERE));
}

/**
 * Reads again what users hold whose balances are older than `maxAgeMs`, or who moved money since. Returns how many were read, and how many
 * movements are of users whom no list names. Rejects with CliError; what was read is saved.
 */
export async function readOwed(
  account: Account,
  copy: LocalCopy,
  maxAgeMs: number,
): Promise<{ readonly read: number; readonly unowned: number }> {
  const { users, unowned } = await copy.read(async (queries) => {
    // By the service's clock, which may be ahead of this one.
    const nowMs = Math.max(account.world.clock.now(), Date.parse((await lastCheckAt(queries)) ?? '') || 0);
    return staleIn(queries, new Date(nowMs - maxAgeMs).toISOString());
  });
  const wait = pacer(account, balanceUser);
  const { progress } = account.notices;
  for (const [index, id] of users.entries()) {
    const left = users.length - index;
    await progress.rows(index, users.length, 'users', leastMsFor(balanceUser, left * TOKENS.length));
    await readUser(account, copy, id, wait);
  }
  await progress.end();
  return { read: users.length, unowned };
}

const READINGS = 'stored_owed o JOIN stored_users u ON u.id = o.user_id AND u.deleted_at IS NULL';

/** Adds up what users held when they were read. */
export async function owedIn(queries: Queries): Promise<Owed> {
  const rows = await queries.all<{ asset: Asset; minor: bigint | null; unknown: bigint; n: bigint; oldest: string }>(
    `SELECT asset, sum(minor) AS minor, count(*) - count(minor) AS unknown, sum(CASE WHEN minor > 0 THEN 1 ELSE 0 END) AS n, min(o.at) AS oldest
     FROM ${READINGS} GROUP BY asset ORDER BY asset`,
  );
  const all = await queries.get<{ n: bigint; unknown: bigint }>(
    `SELECT count(DISTINCT user_id) AS n, count(DISTINCT CASE WHEN minor IS NULL THEN user_id END) AS unknown FROM ${READINGS}`,
  );
  return {
    users: Number(all?.n ?? 0n),
    unknown: Number(all?.unknown ?? 0n),
    asOf: rows.map(({ oldest }) => oldest).toSorted()[0] ?? null,
    owed: rows.map(({ asset, minor, unknown, n, oldest }) => ({
      asset,
      amount:
        unknown > 0n
          ? atLeast(asset, minor ?? 0n, because('NOT_STATED', null, Number(unknown)))
          : amount(asset, minor ?? 0n),
      users: Number(n),
      asOf: oldest,
    })),
  };
}

/** Lists what each user held when it was read, the largest first; nothing of those who held nothing. */
export async function owedByUser(queries: Queries): Promise<readonly OwedToUser[]> {
  const rows = await queries.all<{
    user: string;
    first: string | null;
    last: string | null;
    asset: Asset;
    minor: bigint | null;
    at: string;
  }>(
    `SELECT o.user_id AS "user", u.first_name AS first, u.last_name AS last, asset, minor, o.at FROM ${READINGS}
     WHERE minor IS NULL OR minor <> 0 ORDER BY asset, coalesce(minor, 0) DESC, o.user_id`,
  );
  return rows.map(({ user, first, last, asset, minor, at }) => ({
    user,
    name: [first, last].filter(Boolean).join(' ') || null,
    asset,
    amount: minor === null ? unknownFigure(asset, because('NOT_STATED')) : amount(asset, minor),
    asOf: at,
  }));
}
