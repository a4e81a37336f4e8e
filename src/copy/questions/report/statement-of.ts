import type { Queries } from '../../../journal/store.ts';
import type { Asset } from '../../../money/amount.ts';
import type { NotKnown } from '../../../money/figure.ts';
import type { SqlValue } from '../../../sqlite/database.ts';
import { SEEN_ACCOUNTS } from '../../balance-checks.ts';
import { BALANCE, betweenIn, bookOn } from '../../book-entries.ts';
import { earlierOf, laterOf } from '../../bucket.ts';
import { readKnownUntil } from '../../list-state.ts';
import { because } from '../reasons.ts';
import { afterLastSync, cutListsIn } from './cut-lists.ts';
import { changesIn } from './differences.ts';
import { LINES_OF, type Span } from './movements.ts';

/** Whose entries a statement has. All are of accounts that the account, or the user, has something in. */
export type StatementOf =
  | { readonly kind: 'account'; readonly asset?: Asset }
  | { readonly kind: 'user'; readonly id: string }
  | { readonly kind: 'bank account'; readonly number: string; readonly bankCode: string | null };

/** What is asked of the books: accounts, and an SQL condition of their entries with its values. */
export interface Condition {
  readonly accounts: readonly string[];
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The account of what users’ wallets have. */
export const IN_USERS_WALLETS = 'assets:held';

/** The lists whose rows move what users’ wallets have, and those whose rows pay bank accounts. */
export const LISTS_OF_USERS = ['deposits', 'payouts', 'withdrawals', 'swaps'];
const LISTS_OF_BANKS = ['payouts', 'fee_withdrawals'];

/** The entries of bank accounts whose rows meet a condition. */
const paidTo = (payee: string, values: readonly SqlValue[]): Condition => ({
  accounts: ['assets:bank'],
  sql: `(thing = 'payout' AND id IN (SELECT id FROM stored_payouts WHERE ${payee})
     OR thing = 'fee withdrawal' AND id IN (SELECT id FROM stored_fee_withdrawals WHERE ${payee}))`,
  values: [...values, ...values],
});

/** The entries of users’ wallets that meet a condition. What was read of their balances is compared with them. */
const inWallets = (sql: string, ...values: readonly SqlValue[]): Condition => ({
  accounts: [IN_USERS_WALLETS],
  sql: `${sql} AND thing <> '${BALANCE}'`,
  values,
});

/** Which entries are of it. */
export function conditionOf(of: StatementOf): Condition {
  if (of.kind === 'user') return inWallets('user_id = ?', of.id);
  const own = { accounts: SEEN_ACCOUNTS, sql: 'TRUE', values: [] };
  if (of.kind === 'account') return of.asset ? { ...own, sql: 'asset = ?', values: [of.asset] } : own;
  return of.bankCode === null
    ? paidTo('account_number = ?', [of.number])
    : paidTo('account_number = ? AND bank_code = ?', [of.number, of.bankCode]);
}

/** Whether a bank code is missing, or is of another kind, which names no other bank. */
const MAY_BE_BANK = '(bank_code IS NULL OR length(bank_code) <> length(?))';

/** The entries of users’ wallets that no list names with a user. */
const ofNoUser = (): Condition => inWallets('user_id IS NULL');

/**
 * Which entries may be of it too: their rows lack what a statement finds them by, because it was deleted or because no list has it. Undefined if
 * every row has it.
 */
function possibleOf(of: StatementOf): Condition | undefined {
  if (of.kind === 'account') return undefined;
  if (of.kind === 'user') return ofNoUser();
  return of.bankCode === null
    ? paidTo('account_number IS NULL', [])
    : paidTo(`account_number IS NULL AND (bank_code = ? OR ${MAY_BE_BANK}) OR account_number = ? AND ${MAY_BE_BANK}`, [
        of.bankCode,
        of.bankCode,
        of.number,
        of.bankCode,
      ]);
}

/** The entries of an asset that may be of a statement too. Times are ISO 8601 in UTC. */
interface PossibleEntries {
  readonly asset: Asset;
  readonly first: string;
  readonly last: string;
  readonly rows: bigint;
  /** How many of them came in the period, or went. Those whose amount is not known are in both. */
  readonly came: bigint;
  readonly went: bigint;
}

/** Adds up, by asset, which entries until a time may be of a statement too. */
const possibleIn = async (queries: Queries, of: StatementOf, span: Span, until: string) => {
  const condition = possibleOf(of);
  return condition ? addedUp(queries, condition, span, until) : [];
};

/** No time comes after it. */
const LAST = '~';

/** Returns, by asset, when wallets moved it that no list names with a user. */
export const unownedIn = (queries: Queries): Promise<readonly PossibleEntries[]> =>
  addedUp(queries, ofNoUser(), { from: '', to: LAST }, LAST);

function addedUp(queries: Queries, { accounts, sql, values }: Condition, { from, to }: Span, until: string) {
  const isNow = 'at > ? AND at <= ?';
  return queries.all<PossibleEntries>(
    `SELECT asset, min(${earlierOf('at', 'bound')}) AS first, max(${laterOf('at', 'bound')}) AS last,
       count(DISTINCT id) AS rows,
       sum(CASE WHEN ${isNow} AND coalesce(amount_minor, 1) > 0 THEN 1 ELSE 0 END) AS came,
       sum(CASE WHEN ${isNow} AND coalesce(amount_minor, -1) < 0 THEN 1 ELSE 0 END) AS went
     FROM ${bookOn(queries.engine, accounts)} WHERE ${sql} AND at <= ? GROUP BY asset`,
    ...[from, to, from, to],
    ...values,
    until,
  );
}

/** What was read of an asset at a time. */
export interface Reading {
  readonly at: string;
  readonly minor: bigint;
}

/** What a statement lacks, so that its figures are not exact although its entries add up. Every reason is undefined if there is none. */
interface Limits {
  /** Why nothing is known of a balance at a moment: nothing says on which side of it some entries were, or whose they are. */
  unsureAt(asset: Asset, at: string): NotKnown | undefined;
  /** Why a balance is only the least that it can be. */
  leastAt(asset: Asset, at: string): NotKnown | undefined;
  /** Why what came, or what went, may be more. */
  moreIn(asset: Asset, isIn: boolean): NotKnown | undefined;
}

/** Why a list that a statement of an asset needs may lack rows; undefined if none does. */
async function cutListOf(queries: Queries, of: StatementOf) {
  const { tables } = await cutListsIn(queries, '');
  const listsOf = (asset: Asset): readonly string[] => {
    if (of.kind === 'user') return LISTS_OF_USERS;
    if (of.kind === 'bank account') return LISTS_OF_BANKS;
    return Object.entries(LINES_OF).flatMap(([name, lines]) =>
      lines.some(({ assets }) => assets.includes(asset)) ? [name] : [],
    );
  };
  return (asset: Asset): NotKnown | undefined => {
    const [lacking] = listsOf(asset).flatMap((list) => tables.get(list) ?? []);
    return lacking && because(lacking.why, lacking.since);
  };
}

/** Returns what says that nothing tells on which side of a moment some entries were. Nothing is known after the last sync. */
async function unsureIn(queries: Queries, of: StatementOf, { from, to }: Span): Promise<Limits['unsureAt']> {
  const accounts: readonly string[] =
    of.kind === 'user' ? [IN_USERS_WALLETS] : of.kind === 'account' ? SEEN_ACCOUNTS : ['assets:bank'];
  const between = (await betweenIn(queries, accounts, { from, to })).filter(
    ({ account, user_id: user }) => accounts.includes(account) && (of.kind !== 'user' || user === of.id),
  );
  const unlisted = of.kind === 'account' ? await changesIn(queries, { from, to }) : [];
  const knownUntil = await readKnownUntil(queries);
  return (asset, at) => {
    const after = afterLastSync(knownUntil, at);
    if (after) return because(after.why, after.since);
    if (unlisted.some((each) => each.asset === asset && each.from < at && at < each.to)) return because('UNLISTED');
    const isUnsure = between.some((each) => each.asset === asset && each.from <= at && at < each.until);
    return isUnsure ? because('END_BETWEEN') : undefined;
  };
}

/** Returns what a statement of a period lacks. `readings` are what was read of its assets last, `checks` when all of them were. */
export async function limitsIn(
  queries: Queries,
  of: StatementOf,
  span: Span,
  { readings, checks }: { readonly readings: ReadonlyMap<string, Reading>; readonly checks: readonly string[] },
): Promise<Limits> {
  const until = [span.to, ...[...readings.values()].map(({ at }) => at)].reduce((a, b) => (a > b ? a : b));
  const unsureAt = await unsureIn(queries, of, span);
  const cut = await cutListOf(queries, of);
  const possible = new Map((await possibleIn(queries, of, span, until)).map((each) => [each.asset, each]));
  if (of.kind === 'bank account') {
    const why = ({ rows, last }: PossibleEntries) => because('PAYEE_NOT_KNOWN', last, Number(rows));
    return {
      unsureAt,
      leastAt: (asset, at) => {
        const own = possible.get(asset);
        return cut(asset) ?? (own && own.first <= at ? why(own) : undefined);
      },
      moreIn: (asset, isIn) => {
        const own = possible.get(asset);
        return cut(asset) ?? (own && (isIn ? own.came : own.went) > 0n ? why(own) : undefined);
      },
    };
  }
  const readAt = (asset: Asset, at: string) =>
    of.kind === 'user' ? readings.get(asset)?.at === at : checks.includes(at);
  return {
    unsureAt: (asset, at) => {
      const own = possible.get(asset);
      const read = readings.get(asset)?.at ?? '';
      // Between the reading and the moment, what came or went may be this user’s.
      const isOpen = own && own.first <= (at > read ? at : read) && own.last > (at > read ? read : at);
      return (
        unsureAt(asset, at) ??
        (readAt(asset, at) ? undefined : cut(asset)) ??
        (isOpen ? because('USER_NOT_KNOWN', null, Number(own.rows)) : undefined)
      );
    },
    leastAt: () => undefined,
    moreIn: (asset, isIn) => {
      const own = possible.get(asset);
      const isMore = own && (isIn ? own.came : own.went) > 0n;
      return cut(asset) ?? (isMore ? because('USER_NOT_KNOWN', null, Number(own.rows)) : undefined);
    },
  };
}
