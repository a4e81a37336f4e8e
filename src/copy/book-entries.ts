import type { Queries } from '../journal/store.ts';
import type { Thing } from '../things/thing.ts';
import { SEEN_ACCOUNTS } from './balance-checks.ts';
import { earlierOf, laterOf } from './bucket.ts';
import { ENTRY_KINDS, type EntryKind, type EntrySet, type Move } from './entry-kinds.ts';
import { BOOK_ENTRIES_BY_SET, isThing, stored, UNLISTED, unindexed } from './schema.ts';
import { tableOf } from './tables.ts';

type Engine = Queries['engine'];

/** The day in Lagos of a time: an SQL expression. */
const dayOf = (engine: Engine, time: string): string =>
  engine === 'sqlite'
    ? `date(${time}, '+1 hour')`
    : `to_char(substr(${time}, 1, 19)::timestamp without time zone + '01:00:00'::interval, 'YYYY-MM-DD')`;

/** Why the time of a set is not known exactly: it may be on another day. */
const END_BETWEEN = 'END_BETWEEN';

/** The thing of entries that say what balances say, and no list does. */
export const BALANCE = 'balance';

/** Why an amount is not known that its row does not have. */
const NOT_STATED = 'NOT_STATED';

/** One side of a move. */
interface Leg {
  readonly move: Move;
  readonly side: 'from' | 'to';
}

const legsOf = ({ moves }: EntrySet): readonly Leg[] =>
  moves.flatMap((move) => [
    { move, side: 'from' },
    { move, side: 'to' },
  ]);

/** The expression of the leg at hand: `legs.leg` is its number, unless there is one alone. */
function ofLeg(legs: readonly Leg[], expression: (leg: Leg) => string): string {
  const all = legs.map(expression);
  const last = all.pop() ?? 'NULL';
  if (all.every((each) => each === last)) return last;
  return `CASE legs.leg ${all.map((each, index) => `WHEN ${index} THEN ${each}`).join(' ')} ELSE ${last} END`;
}

/** The rows of a thing, each once for each leg. */
function withLegs(thing: Thing, legs: readonly Leg[]): string {
  const numbers = legs.map((_, index) => `SELECT ${index} AS leg`);
  return `${stored(tableOf(thing))}${legs.length > 1 ? ` CROSS JOIN (${numbers.join(' UNION ALL ')}) legs` : ''}`;
}

/** The entries of some legs of a set, as a SELECT that reads each row once: what leaves has its sign changed. */
function entriesOf(engine: Engine, { thing, user }: EntryKind, set: EntrySet, legs: readonly Leg[]): string {
  const unknown = ofLeg(legs, ({ move }) =>
    move.unknown === undefined ? `'${NOT_STATED}'` : `coalesce(${move.unknown}, '${NOT_STATED}')`,
  );
  const minor = ofLeg(legs, ({ move, side }) => `${side === 'from' ? '-' : ''}(${move.minor})`);
  const between = set.bound === undefined ? 'NULL' : betweenDays(engine, set.at, set.bound);
  return `SELECT ${set.at} AS at, ${dayOf(engine, set.at)} AS day, ${ofLeg(legs, ({ move, side }) => move[side])} AS account, ${minor} AS amount_minor,
    ${ofLeg(legs, ({ move }) => move.asset)} AS asset, '${thing.name}' AS thing, id, ${user ?? 'CAST(NULL AS TEXT)'} AS user_id, '${set.step}' AS step, ${set.note ?? 'CAST(NULL AS TEXT)'} AS note,
    CASE WHEN ${minor} IS NULL THEN ${unknown} ELSE ${between} END AS known, ${set.bound ?? 'CAST(NULL AS TEXT)'} AS bound
  FROM ${withLegs(thing, legs)} WHERE ${isThing(thing)} AND ${set.where} AND ${set.at} IS NOT NULL AND coalesce(${minor}, 1) <> 0`;
}

const betweenDays = (engine: Engine, at: string, bound: string) =>
  `CASE WHEN ${bound} IS NOT NULL AND ${dayOf(engine, bound)} <> ${dayOf(engine, at)} THEN '${END_BETWEEN}' END`;

/** What balances say: each on its account, and against equity or, for what users hold, what they are owed. */
function unlistedEntries(engine: Engine): readonly string[] {
  const other = `CASE WHEN user_id <> '' THEN 'liabilities:users:' || user_id WHEN step = 'opening' THEN 'equity:opening' ELSE 'equity:unlisted' END`;
  return [
    ['account', 'minor'],
    [other, '- minor'],
  ].map(
    ([
      account,
      minor,
    ]) => `SELECT at, ${dayOf(engine, 'at')} AS day, ${account} AS account, ${minor} AS amount_minor, asset, '${BALANCE}' AS thing, at AS id,
      CASE WHEN user_id <> '' THEN user_id END AS user_id, step, CASE WHEN step = 'unlisted' THEN 'in no list' END AS note,
      CASE WHEN known IS NOT NULL THEN known ELSE ${betweenDays(engine, 'at', 'since')} END AS known,
      CASE WHEN since <> at THEN since END AS bound FROM ${UNLISTED.name}`,
  );
}

/** Returns all entries, as one SELECT: each move of each set of each row, twice. A query with an account reads only what may be on it. */
const bookEntries = (engine: Engine): string =>
  [...entriesOn(engine, () => true), ...unlistedEntries(engine)].join('\nUNION ALL ');

/** Returns the same entries for queries of all accounts: each row is read once for a set, and not for each of its entries. */
const bookEntriesBySet = (engine: Engine): string =>
  [
    ...ENTRY_KINDS.flatMap((kind) => kind.sets.map((set) => entriesOf(engine, kind, set, legsOf(set)))),
    ...unlistedEntries(engine),
  ].join('\nUNION ALL ');

/** The views of the books by name, each as one SELECT. A server has them. A file does not: SQLite would read them each time that it is opened. */
export const BOOK_VIEWS = { book_entries: bookEntries, [BOOK_ENTRIES_BY_SET]: bookEntriesBySet } as const;

type BookView = keyof typeof BOOK_VIEWS;

/** Returns the views of the books that a statement names. */
export const booksIn = (sql: string): readonly BookView[] =>
  (Object.keys(BOOK_VIEWS) as BookView[]).filter((name) => new RegExp(`\\b${name}\\b`, 'i').test(sql));

/** Returns the statement that gives one connection to a file a view of the books. */
export const bookViewInFile = (name: BookView): string => `CREATE TEMP VIEW ${name} AS ${BOOK_VIEWS[name]('sqlite')}`;

/**
 * Returns the entries of some accounts in a FROM: what the view `book_entries` has of them, without what it would find out of each row that has
 * none of them. A file has the view only once SQLite has read all of it, and works out each kind of entry in each query of it.
 */
export const bookOn = (engine: Engine, accounts: readonly string[]): string =>
  ofAccounts(accounts, [...entriesOn(engine, isAmong(accounts)), ...unlistedEntries(engine)]);

/** Returns the same without what balances say and no list does. */
export const listedOn = (engine: Engine, accounts: readonly string[]): string =>
  ofAccounts(accounts, entriesOn(engine, isAmong(accounts)));

/** The kinds of entries that may be on some accounts also have entries on others. */
const ofAccounts = (accounts: readonly string[], entries: readonly string[]) =>
  `(SELECT * FROM (${entries.join('\nUNION ALL ')}) entry WHERE ${isOn(accounts)}) book`;

const isOn = (accounts: readonly string[]) => `account IN ('${accounts.join("', '")}')`;

const isAmong = (accounts: readonly string[]) => (side: string) =>
  accounts.some((account) => side.includes(`'${account}'`));

/** What is the same in all entries of one side of a move, where it is no expression. */
const LITERAL = /^'[^']*'$/;

/**
 * Returns the sums of entries of some accounts that meet a condition, as one SELECT: by an SQL expression over their time, account, asset, thing,
 * step, whether they left the account, and why some are not known. Each kind of entry is added up by itself, which takes less than adding up all.
 */
export function bookSumsOn(engine: Engine, accounts: readonly string[], part: string, where: string): string {
  const isWanted = isAmong(accounts);
  const sums = ENTRY_KINDS.flatMap((kind) =>
    kind.sets.flatMap((set) => {
      const legs = legsOf(set).filter(({ move, side }) => isWanted(move[side]));
      if (legs.length === 0) return [];
      const isSame = (expression: (leg: Leg) => string) => LITERAL.test(ofLeg(legs, expression));
      const names = [
        ...(isSame(({ move, side }) => move[side]) ? [] : ['account']),
        ...(isSame(({ move }) => move.asset) ? [] : ['asset']),
        'CASE WHEN amount_minor IS NULL THEN known END',
        'amount_minor < 0',
      ];
      return `SELECT ${part} AS part, min(account) AS account, min(asset) AS asset, '${kind.thing.name}' AS thing, '${set.step}' AS step,
        min(CASE WHEN amount_minor IS NULL THEN known END) AS why, CAST(coalesce(sum(amount_minor), 0) AS BIGINT) AS minor, count(*) AS rows
        FROM (${entriesOf(engine, kind, set, legs)}) entry WHERE ${isOn(accounts)} AND ${where} GROUP BY ${part}, ${names.join(', ')}`;
    }),
  );
  return sums.join('\nUNION ALL ');
}

const entriesOn = (engine: Engine, isWanted: (account: string) => boolean): readonly string[] =>
  ENTRY_KINDS.flatMap((kind) =>
    kind.sets.flatMap((set) =>
      set.moves.flatMap((move) =>
        (['from', 'to'] as const).flatMap((side) =>
          isWanted(move[side]) ? [entriesOf(engine, kind, set, [{ move, side }])] : [],
        ),
      ),
    ),
  );

/** An entry that a look at the balances may have seen or not. Times are ISO 8601 in UTC. */
interface Moving {
  /** The set that it is of: its entries move together. */
  readonly name: string;
  readonly account: string;
  readonly asset: string;
  readonly minor: bigint;
  /** When it was as the lists say, and the time in which it may have been, to the minute: clocks differ, and balances are read one after the other. */
  readonly at: string;
  readonly from: string;
  readonly until: string;
}

/** No time comes after it. */
const LAST = '~';

/** Work whose end is not known ended at most so long after it began. Source: inferred. */
const LONGEST_MS = 86_400_000;

/** Returns the entries of the account's balances that may have been before or after one of some looks, and the lists say only one of both. */
export async function movingAt(queries: Queries, checks: readonly string[]): Promise<readonly Moving[]> {
  const [first = '', last = ''] = [checks[0], checks.at(-1)];
  const since = new Date(Date.parse(first) - LONGEST_MS).toISOString();
  const found: Moving[] = [];
  for (const kind of ENTRY_KINDS)
    for (const set of kind.sets)
      for (const move of set.moves)
        for (const side of ['from', 'to'] as const) {
          if (!SEEN_ACCOUNTS.some((name) => move[side].includes(name))) continue;
          found.push(...(await queries.all<Moving>(movingSql(kind, set, move, side), `${last.slice(0, 16)}~`, since)));
        }
  return found;
}

function movingSql({ thing }: EntryKind, set: EntrySet, move: Move, side: 'from' | 'to'): string {
  const isWhole = set.step === 'taken' || set.step === 'done';
  const bound = set.bound ?? 'NULL';
  const began = isWhole ? 'created_at' : earlierOf(set.at, bound);
  const ended = laterOf('ended_at', 'end_bound');
  const until = `CASE WHEN is_open = 1 THEN '${LAST}' ELSE substr(${ended}, 1, 16) || '~' END`;
  // What is open may have ended already.
  const where = set.step === 'done' ? `(is_open = 1 OR ${set.where})` : set.where;
  const at = set.step === 'done' ? `CASE WHEN is_open = 1 THEN '${LAST}' ELSE ${set.at} END` : set.at;
  return `SELECT * FROM (SELECT '${thing.name} ${set.step} ' || id AS name, ${move[side]} AS account, ${move.asset} AS asset, ${side === 'from' ? '-' : ''}(${move.minor}) AS minor,
      ${at} AS at, substr(${began}, 1, 16) AS "from", ${until} AS until
    FROM ${stored(tableOf(thing))} WHERE ${isThing(thing)} AND ${where} AND deleted_at IS NULL AND created_at <= ? AND (is_open = 1 OR ended_at >= ?)) moving
    WHERE minor <> 0 AND account IN ('${SEEN_ACCOUNTS.join("', '")}')
      AND EXISTS (SELECT 1 FROM stored_balance_checks c WHERE c.at >= moving."from" AND c.at <= moving.until)`;
}

/** An entry of which nothing says exactly when it was: from a time on, and before another one. */
export interface Between {
  readonly account: string;
  readonly asset: string;
  readonly thing: string;
  readonly user_id: string | null;
  readonly is_out: bigint;
  readonly from: string;
  readonly until: string;
}

/** Something that ends without a time of its end may have begun so long before. Source: inferred. */
const LONGEST_OPEN_MS = 90 * 86_400_000;

/** The most times that are compared in SQL. */
const MOST_TIMES = 50;

/**
 * Returns the entries of some accounts that may have been before or after some moment of a period; with `times`, at least those of which one of
 * these is such a moment.
 */
export async function betweenIn(
  queries: Queries,
  accounts: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
  times: readonly string[] = [],
): Promise<readonly Between[]> {
  const since = new Date(Date.parse(from) - LONGEST_OPEN_MS).toISOString();
  const isFew = times.length > 0 && times.length <= MOST_TIMES;
  const moments = isFew ? times.flatMap((at) => [at, at]) : [from, to];
  const isAt = isFew ? times.map(() => `(until > ? AND "from" <= ?)`).join(' OR ') : `until > ? AND "from" <= ?`;
  const isWanted = isAmong(accounts);
  const all = ENTRY_KINDS.flatMap((kind) =>
    kind.sets.flatMap((set) => {
      const legs = set.bound === undefined ? [] : legsOf(set).filter(({ move, side }) => isWanted(move[side]));
      return legs.length > 0 ? [betweenSql(kind, set, legs, isAt)] : [];
    }),
  );
  const values = [since, to, ...moments];
  return queries.all<Between>(all.join(' UNION ALL '), ...all.flatMap(() => values));
}

function betweenSql({ thing, user }: EntryKind, set: EntrySet, legs: readonly Leg[], isAt: string): string {
  const [at, bound] = [`(${set.at})`, `(${set.bound})`];
  return `SELECT * FROM (SELECT ${ofLeg(legs, ({ move, side }) => move[side])} AS account, ${ofLeg(legs, ({ move }) => move.asset)} AS asset,
      '${thing.name}' AS thing, ${user ?? 'CAST(NULL AS TEXT)'} AS user_id, ${ofLeg(legs, ({ side }) => (side === 'from' ? '1' : '0'))} AS is_out,
      ${earlierOf(at, bound)} AS "from", ${laterOf(at, bound)} AS until
    FROM ${withLegs(thing, legs)} WHERE ${unindexed(`${isThing(thing)} AND ${set.where}`)} AND end_bound IS NOT NULL AND ended_at >= ? AND (created_at IS NULL OR created_at <= ?)) part
    WHERE "from" <> until AND (${isAt})`;
}

/** What an entry may be at most that is not known: it has the sign of the entry. */
interface Unknown extends Pick<Moving, 'account' | 'asset' | 'minor' | 'at'> {
  readonly why: string;
}

/** Returns the entries of the account's balances in a period whose amounts are not known. */
export async function unknownIn(queries: Queries, from: string, to: string): Promise<readonly Unknown[]> {
  const found: Unknown[] = [];
  for (const kind of ENTRY_KINDS)
    for (const set of kind.sets)
      for (const move of set.moves)
        for (const side of ['from', 'to'] as const) {
          if (move.most === undefined || !SEEN_ACCOUNTS.some((name) => move[side].includes(name))) continue;
          const sql = `SELECT * FROM (SELECT ${move[side]} AS account, ${move.asset} AS asset, ${side === 'from' ? '-' : ''}(${move.most}) AS minor,
              ${set.at} AS at, ${move.unknown ?? 'NULL'} AS why
            FROM ${stored(tableOf(kind.thing))} WHERE ${isThing(kind.thing)} AND ${set.where} AND (${move.minor}) IS NULL AND ${set.at} > ? AND ${set.at} <= ?) part
            WHERE minor <> 0 AND account IN ('${SEEN_ACCOUNTS.join("', '")}')`;
          found.push(...(await queries.all<Unknown>(sql, from, to)));
        }
  return found;
}
