import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { booksIn, bookViewInFile } from '../../src/copy/book-entries.ts';
import { BOOK_ENTRIES_BY_SET } from '../../src/copy/schema.ts';
import { main } from '../../src/main.ts';
import { type FakeWorld, fakeClock, fakeWorld } from '../support/world.ts';

/** Sums by account and asset, in the smallest unit; those that are zero are left out. */
export type Sums = Readonly<Record<string, bigint>>;

/** A sum of the sandbox's own books: an SQL query for `asset`, `minor` and, for an account of each user, `user_id`. */
const walletsOf = (which: string, more = '') => `SELECT asset, balance AS minor${more} FROM account
  JOIN wallet ON account.code LIKE 'wallet/' || wallet.id || '/%' ${which}`;

/** Tokens that came to users' wallets from outside, which no list of the service has. */
const CAME_IN = `SELECT account.asset, -minor AS minor, user_id FROM posting_set JOIN posting ON posting_set = posting_set.id AND minor > 0
  JOIN account ON account.id = posting.account JOIN wallet ON account.code LIKE 'wallet/' || wallet.id || '/%'
  JOIN user ON user.id = wallet.user WHERE event = 'tokens.received'`;

const OWN = 'fintech = 1';
const OPEN = `state NOT IN ('completed', 'failed', 'cancelled', 'reversed', 'expired', 'refunded')`;
const PAID = `state IN ('completed', 'reversed')`;
const given = `CASE side WHEN 'buy' THEN 'CNGN' ELSE substr(pair, -4) END`;
const got = `CASE side WHEN 'buy' THEN substr(pair, -4) ELSE 'CNGN' END`;
const givenMinor = `CASE side WHEN 'buy' THEN cngn_base ELSE token_base END`;
const gotMinor = `CASE side WHEN 'buy' THEN token_base ELSE cngn_base END`;

const TRUTH: Readonly<Record<string, string>> = {
  'assets:wallet': walletsOf(`WHERE kind = 'fintech' AND ${OWN}`),
  'assets:vault': walletsOf(`WHERE kind = 'vault' AND ${OWN}`),
  'assets:held': `${walletsOf(`WHERE user IS NOT NULL AND ${OWN}`)} UNION ALL SELECT asset, minor FROM (${CAME_IN})`,
  'assets:fees': `SELECT asset, balance AS minor FROM account WHERE code LIKE 'fees/fintech/1/%'`,
  'assets:transit:fees': `SELECT asset, balance AS minor FROM account WHERE code LIKE 'fees/withdrawing/1/%'`,
  'assets:transit:deposit': `SELECT 'NGN' AS asset, amount_kobo AS minor FROM deposit WHERE ${OWN} AND user IS NULL AND state IN ('processing', 'refunding')`,
  'assets:transit:payout': `SELECT 'CNGN' AS asset, 10000 * (amount_kobo + platform_fee_kobo) AS minor FROM payout WHERE ${OWN} AND ${OPEN}`,
  'assets:transit:trade': `SELECT ${given} AS asset, ${givenMinor} AS minor FROM fx_trade WHERE ${OWN} AND ${OPEN}`,
  'assets:transit:transfer': `SELECT asset, amount_base AS minor FROM withdrawal WHERE ${OWN} AND user IS NULL AND ${OPEN}`,
  'assets:held:transit': `SELECT 'CNGN' AS asset, 10000 * (amount_kobo + platform_fee_kobo + fintech_fee_kobo) AS minor FROM offramp WHERE ${OWN} AND ${OPEN}
    UNION ALL SELECT sell_asset, amount_in_base FROM swap WHERE ${OWN} AND ${OPEN}
    UNION ALL SELECT asset, amount_base FROM withdrawal WHERE ${OWN} AND user IS NOT NULL AND ${OPEN}`,
  'liabilities:users': `SELECT asset, -minor AS minor, user_id FROM (${walletsOf(`JOIN user ON user.id = wallet.user WHERE wallet.fintech = 1`, ', user_id')})
    UNION ALL SELECT 'CNGN', -10000 * (amount_kobo + platform_fee_kobo + fintech_fee_kobo), user_id FROM offramp JOIN user ON user.id = user WHERE offramp.fintech = 1 AND ${OPEN}
    UNION ALL SELECT sell_asset, -amount_in_base, user_id FROM swap JOIN user ON user.id = user WHERE swap.fintech = 1 AND ${OPEN}
    UNION ALL SELECT asset, -amount_base, user_id FROM withdrawal JOIN user ON user.id = user WHERE withdrawal.fintech = 1 AND ${OPEN}
    UNION ALL SELECT asset, -minor, user_id FROM (${CAME_IN})`,
  'income:onramp': `SELECT 'NGN' AS asset, -earned_kobo AS minor FROM fee_tally WHERE ${OWN} AND direction = 'onramp'`,
  'income:offramp': `SELECT 'NGN' AS asset, -earned_kobo AS minor FROM fee_tally WHERE ${OWN} AND direction = 'offramp'`,
  'expenses:platform:deposit': `SELECT 'NGN' AS asset, platform_fee_kobo AS minor FROM deposit WHERE ${OWN} AND user IS NULL AND state = 'completed'`,
  'expenses:platform:payout': `SELECT 'NGN' AS asset, platform_fee_kobo AS minor FROM payout WHERE ${OWN} AND ${PAID}`,
  'expenses:platform:trade': `SELECT ${got} AS asset, ${gotMinor} - net_base AS minor FROM fx_trade WHERE ${OWN} AND state = 'completed'`,
  'assets:bank': `SELECT 'NGN' AS asset, amount_kobo AS minor FROM payout WHERE ${OWN} AND state = 'completed'
    UNION ALL SELECT 'NGN', amount_kobo FROM fee_withdrawal WHERE ${OWN} AND state = 'completed'`,
};

/** The accounts that are compared: what they stand against follows, because each set sums to zero. */
export const COMPARED = Object.keys(TRUTH);

/** What the sandbox's books say of each account. */
export function truthIn(path: string): Sums {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const sums: Record<string, bigint> = {};
    for (const [account, sql] of Object.entries(TRUTH)) {
      const statement = database.prepare(sql);
      statement.setReadBigInts(true);
      for (const row of statement.all()) {
        const { asset, minor, user_id: user } = row as { asset: string; minor: bigint; user_id?: string };
        const key = `${account}${user === undefined ? '' : `:${user}`} ${asset}`;
        sums[key] = (sums[key] ?? 0n) + minor;
      }
    }
    return withoutZeros(sums);
  } finally {
    database.close();
  }
}

const withoutZeros = (sums: Sums): Sums =>
  Object.fromEntries(
    Object.entries(sums)
      .filter(([, minor]) => minor !== 0n)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

/** What some sums are more than others by. */
export const lessBy = (sums: Sums, before: Sums): Sums =>
  withoutZeros(
    Object.fromEntries(
      [...new Set([...Object.keys(sums), ...Object.keys(before)])].map((key) => [
        key,
        (sums[key] ?? 0n) - (before[key] ?? 0n),
      ]),
    ),
  );

/** A moment, and the sums of the sandbox's books at it. */
export interface Moment {
  readonly at: string;
  readonly sums: Sums;
}

/** An account of the embedded sandbox whose days are simulated. */
export interface SimulatedAccount {
  readonly world: FakeWorld;
  readonly sandboxPath: string;
  readonly copyPath: string;
  run(...argv: readonly string[]): Promise<string>;
  /** Simulates the next day. Returns when it ended, and what the sandbox's books said then. */
  live(): Promise<Moment>;
}

interface Life {
  readonly seed: number;
  readonly users: number;
  readonly days: number;
  readonly env?: Readonly<Record<string, string>>;
}

export async function simulatedAccount({ seed, users, days, env = {} }: Life): Promise<SimulatedAccount> {
  const startMs = Date.UTC(2026, 9, 1, 23);
  const world = fakeWorld({ clock: fakeClock(startMs), env });
  const run = async (...argv: readonly string[]) => {
    const [before, errors] = [world.stdout.text().length, world.stderr.text().length];
    const code = await main([...argv, '-q'], world);
    expect(code, `${argv.join(' ')}: ${world.stderr.text().slice(errors)}`).toBe(0);
    return world.stdout.text().slice(before);
  };
  await run('sandbox', 'seed', '--users', '1', '--rate-limits', 'off', '--pace', 'real');
  let left = days;
  const sandboxPath = join(world.stateDir, 'sandbox.db');
  return {
    world,
    run,
    sandboxPath,
    copyPath: join(world.stateDir, 'copy-embedded.db'),
    live: async () => {
      const joining = String(Math.ceil(users / Math.max(1, left)));
      const day = ['--days', '1', '--users', joining, '--seed', String(seed), '-o', 'json'];
      const { now } = JSON.parse(await run('sandbox', 'simulate', ...day)) as { now: string };
      left -= 1;
      return { at: now, sums: truthIn(sandboxPath) };
    },
  };
}

/** What a copy's books say: sums by account and asset, and of which something is not known, with its code. */
export interface Booked {
  readonly sums: Sums;
  readonly unknown: Readonly<Record<string, string>>;
}

/** Asks a copy, each row a list of texts; NULL is an empty one. */
export type Ask = (sql: string) => readonly (readonly string[])[];

/** Expects that the view of all accounts has the entries of the other one, each as often. */
function expectSameBySet(ask: Ask): void {
  const columns = 'at, day, account, amount_minor, asset, thing, id, user_id, step, note, known, bound';
  const entries = (view: string) => `SELECT ${columns}, count(*) AS n FROM ${view} GROUP BY ${columns}`;
  const [each, bySet] = ['book_entries', BOOK_ENTRIES_BY_SET].map(entries);
  for (const except of [`${each} EXCEPT ${bySet}`, `${bySet} EXCEPT ${each}`])
    expect(ask(`SELECT thing, id, step, account FROM (${except}) other LIMIT 5`)).toEqual([]);
}

/** Expects that each set of entries sums to zero, whatever their time, and that both views have the same entries. */
export function expectBalanced(ask: Ask): void {
  expectSameBySet(ask);
  expect(
    ask('SELECT thing, id, step, asset FROM book_entries GROUP BY 1, 2, 3, 4 HAVING sum(amount_minor) <> 0 LIMIT 5'),
  ).toEqual([]);
}

/** The sums of the view. */
export function bookedBy(ask: Ask, until: string): Booked {
  const rows = ask(
    `SELECT account || ' ' || asset, coalesce(sum(amount_minor), 0), coalesce(max(CASE WHEN amount_minor IS NULL THEN known END), '')
     FROM book_entries WHERE at <= '${until}' AND thing <> 'balance' GROUP BY 1`,
  );
  return {
    sums: Object.fromEntries(rows.map(([name = '', minor = '']) => [name, BigInt(minor)])),
    unknown: Object.fromEntries(rows.flatMap(([name = '', , code = '']) => (code === '' ? [] : [[name, code]]))),
  };
}

/** Has some work ask a copy in a file as often as it likes: SQLite reads the views of the books once for all. */
export function withFile<T>(path: string, work: (ask: Ask) => T): T {
  const database = new DatabaseSync(path, { readOnly: true });
  const made = new Set<string>();
  try {
    return work((sql) => {
      for (const name of booksIn(sql)) if (!made.has(name)) database.exec(bookViewInFile(name));
      for (const name of booksIn(sql)) made.add(name);
      const statement = database.prepare(sql);
      statement.setReadBigInts(true);
      return statement.all().map((row) => Object.values(row).map(String));
    });
  } finally {
    database.close();
  }
}

/** Asks a copy in a file. */
export const inFile =
  (path: string): Ask =>
  (sql) =>
    withFile(path, (ask) => ask(sql));

/** What the account earned by each row, in the sandbox's books. */
export function earnedIn(path: string): ReadonlyMap<string, bigint> {
  const rows = inFile(
    path,
  )(`SELECT deposit_id, coalesce(onramp.fintech_fee_kobo, deposit.fintech_fee_kobo) FROM deposit LEFT JOIN onramp ON onramp.id = onramp
    UNION ALL SELECT request_id, fintech_fee_kobo FROM offramp`);
  return new Map(rows.map(([id = '', kobo = '']) => [id, BigInt(kobo)]));
}

/** The accounts of which something may not be known: fees of rows that were made when no sync had seen which fees applied. */
const MAY_BE_UNKNOWN: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'assets:fees NGN',
    'income:onramp NGN',
    'income:offramp NGN',
    'assets:wallet CNGN',
    'expenses:platform:deposit NGN',
    'equity:conversion CNGN',
    'equity:conversion NGN',
  ].map((name) => [name, 'FEE_SCHEDULE_NOT_SEEN']),
);

/** Expects that the books agree with the sandbox's since a time, as far as they know. */
export function expectTrue(ask: Ask, path: string, before: Sums, { at, sums: then }: Moment): void {
  const truth = lessBy(then, before);
  const { sums, unknown } = bookedBy(ask, at);
  expect({ ...MAY_BE_UNKNOWN, ...unknown }).toEqual(MAY_BE_UNKNOWN);
  const earned = earnedIn(path);
  for (const [id = '', kobo = ''] of ask(
    `SELECT id, amount_minor FROM book_entries WHERE account = 'assets:fees' AND thing IN ('deposit', 'offramp') AND amount_minor IS NOT NULL`,
  ))
    expect(BigInt(kobo), id).toBe(earned.get(id));
  const compared = (all: Sums) =>
    withoutZeros(
      Object.fromEntries(
        Object.entries(all).filter(
          ([name]) => COMPARED.some((account) => name.startsWith(account)) && unknown[name] === undefined,
        ),
      ),
    );
  expect(compared(sums)).toEqual(compared(truth));
}

/** The accounts whose balances the service says. */
const SEEN = ['assets:wallet', 'assets:vault', 'assets:fees'];

/** Expects that the balances of the books are those of the sandbox, and that nothing seems to be in no list. */
export function expectBalances(ask: Ask, { at, sums }: Moment): void {
  const rows = ask(
    `SELECT account || ' ' || asset, sum(amount_minor) FROM book_entries WHERE at <= '${at}' AND account IN ('${SEEN.join("', '")}') GROUP BY 1`,
  );
  const seen = Object.entries(sums).filter(([name]) => SEEN.some((account) => name.startsWith(`${account} `)));
  expect(withoutZeros(Object.fromEntries(rows.map(([name = '', minor = '']) => [name, BigInt(minor)])))).toEqual(
    Object.fromEntries(seen),
  );
  expect(ask(`SELECT at, account, amount_minor FROM book_entries WHERE step = 'unlisted' AND known IS NULL`)).toEqual(
    [],
  );
}
