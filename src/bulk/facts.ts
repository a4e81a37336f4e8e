import { CliError } from '../base/errors.ts';
import { listBankAccounts } from '../contract/endpoints/banks.ts';
import { listUsers } from '../contract/endpoints/user-list.ts';
import { getDetails } from '../contract/endpoints/users.ts';
import { getFintechWallet } from '../contract/endpoints/wallets.ts';
import { movementOf } from '../contract/moves.ts';
import type { Account } from '../engine/account.ts';
import { existingJournal } from '../engine/connection/journal-location.ts';
import { bankNamed, type ListedBank, readBanks, type SavedAccount } from '../engine/previews/banks.ts';
import { printable } from '../money/amount.ts';
import { parseExactJson } from '../money/decimal.ts';
import type { CellProblem } from './cells.ts';
import type { CheckFacts } from './check.ts';
import { type RowCommand, savedColumn } from './columns.ts';

const READ = { isBeforehand: true } as const;

/** Reads what a check must know before it reads the rows with some columns. */
export async function factsFor(
  account: Account,
  command: RowCommand,
  has: (key: string) => boolean,
): Promise<CheckFacts> {
  const hasBanks = command.columns.some(({ key, names }) => names === 'bank' && has(key));
  const hasNumbers = savedColumn(command) !== undefined && has('accountNumber');
  const [banks, saved, recent] = await Promise.all([
    hasBanks ? readBanks(account) : [],
    hasNumbers ? savedIn(account) : [],
    recentMovements(account, command),
  ]);
  const byNumber = Map.groupBy(saved, ({ accountNumber }) => accountNumber);
  return {
    bank: (text) => bankIn(banks, text),
    savedAccount: (accountNumber, bankCode) => savedWith(byNumber.get(accountNumber) ?? [], accountNumber, bankCode),
    bankCodes: banks.map(({ code }) => code),
    recent,
  };
}

const savedIn = async (account: Account): Promise<readonly SavedAccount[]> =>
  (await account.call(listBankAccounts, {}, READ)).data.accounts ?? [];

/** Returns the id of the only saved account with a number at a bank, or why there is none. */
export function savedWith(
  saved: readonly SavedAccount[],
  accountNumber: string,
  bankCode: string,
): string | CellProblem {
  const found = saved.filter((each) => each.accountNumber === accountNumber && each.bankCode === bankCode);
  const [only, ...others] = found;
  if (only?.accountId && others.length === 0) return only.accountId;
  if (others.length > 0)
    return {
      problem: `is the number of ${found.length} saved bank accounts`,
      hint: 'give the id of one, from: fiatrail bank-accounts list',
    };
  return {
    problem: `no saved bank account has this number at bank ${bankCode}`,
    hint: `add it with: fiatrail bank-accounts add --account-number ${accountNumber} --bank-code ${bankCode}`,
  };
}

/** Returns the code of a bank, or what is wrong with how it is named. */
export function bankIn(banks: readonly ListedBank[], text: string): string | CellProblem {
  if (/^\d+$/.test(text)) {
    if (banks.some(({ code }) => code === text)) return text;
    const padded = [text.padStart(3, '0'), text.padStart(6, '0')].find((each) =>
      banks.some(({ code }) => code === each),
    );
    return padded === undefined
      ? { problem: 'no bank has this code', hint: 'list the banks with: fiatrail banks' }
      : {
          problem: `no bank has this code; ${padded} is one: a spreadsheet removes a 0 at the start of a number`,
          hint: 'make the column text, then export again',
        };
  }
  try {
    return bankNamed(banks, text).code;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { problem: error.message, hint: error.hint };
  }
}

const DAY_MS = 24 * 60 * 60_000;

/** More than the service takes in a day at 30 a minute. */
const MOST_RECENT = 50_000;

/** Returns when something was sent in the last 24 hours, by its movement. */
async function recentMovements(account: Account, { endpoint }: RowCommand): Promise<ReadonlyMap<string, string>> {
  const journal = endpoint.moves && (await existingJournal(account));
  if (!journal) return new Map();
  const operations = await journal.list({
    account: await journal.accountIds(await account.accountNames()),
    endpoint: endpoint.id,
    state: 'may-have-moved',
    sinceMs: (await account.time.nowMs()) - DAY_MS,
    limit: MOST_RECENT,
  });
  return new Map(
    operations.flatMap(({ request, createdAt }) => {
      const movement = movementOf(endpoint, parseExactJson(request));
      return movement ? [[movement.text, createdAt] as const] : [];
    }),
  );
}

/** Users that are looked up one by one; of more, the list is read. */
const FEW_USERS = 20;

const PAGE = 100;

/** What a value of a column names, as the service knows it. */
interface Known {
  /** What is wrong with it, if anything. */
  readonly problem?: string | undefined;
  /** The name of the person that it belongs to. */
  readonly holder?: string | undefined;
}

/** Looks up what the values of a column name. Undefined if that cannot be looked up. */
export async function known(
  account: Account,
  names: string | undefined,
  values: readonly string[],
): Promise<((value: string) => Known) | undefined> {
  if (values.length === 0) return undefined;
  if (names === 'active user' || names === 'user') return knownUsers(account, values, names === 'active user');
  if (names === 'bank account') return knownAccounts(account);
  if (names === 'external wallet') return knownWallets(account);
  return undefined;
}

async function knownUsers(account: Account, ids: readonly string[], mustBeActive: boolean) {
  const found = ids.length > FEW_USERS ? await listedUsers(account, ids) : await shownUsers(account, ids);
  return (id: string): Known => {
    const isActive = found.get(id);
    if (isActive === undefined) return { problem: 'no user has this id' };
    return isActive || !mustBeActive ? {} : { problem: 'this user is not active' };
  };
}

async function shownUsers(account: Account, ids: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
  const found = new Map<string, boolean>();
  for (const userId of ids)
    try {
      const { data } = await account.call(getDetails, { userId }, READ);
      found.set(userId, data.isActive !== false);
    } catch (error) {
      if (!(error instanceof CliError) || error.category !== 'rejected') throw error;
    }
  return found;
}

async function listedUsers(account: Account, ids: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
  const wanted = new Set(ids);
  const found = new Map<string, boolean>();
  for (let offset = 0; wanted.size > found.size; offset += PAGE) {
    const { data } = await account.call(listUsers, { limit: PAGE, offset, status: 'all' }, READ);
    for (const { userId, isActive } of data.users) if (wanted.has(userId)) found.set(userId, isActive !== false);
    if (data.users.length === 0) break;
  }
  return found;
}

async function knownAccounts(account: Account) {
  const { data } = await account.call(listBankAccounts, {}, READ);
  return (id: string): Known => {
    const one = data.accounts?.find(({ accountId, isDefault }) => (id === 'default' ? isDefault : accountId === id));
    return one
      ? { holder: one.accountName ?? undefined }
      : { problem: id === 'default' ? 'there is no default bank account' : 'no bank account has this id' };
  };
}

async function knownWallets(account: Account) {
  const { data } = await account.call(getFintechWallet, {}, READ);
  const wallets = data.externalWallets;
  if (!wallets) return undefined;
  return (address: string): Known =>
    wallets.some((each) => each.address?.toLowerCase() === address.toLowerCase())
      ? {}
      : { problem: 'no registered wallet has this address' };
}

const wordsOf = (name: string): readonly string[] =>
  name
    .normalize('NFKD')
    .toUpperCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/** Whether the service tells whose the values of a column are. */
export const hasHolder = (names: string): boolean => names === 'bank account';

/** Returns what is odd about the holder of an account that a row names otherwise; undefined if nothing is. */
export function problemOfHolder(name: string | undefined, holder: string | undefined): string | undefined {
  if (name === undefined || holder === undefined) return undefined;
  const [ours, theirs] = [wordsOf(name), wordsOf(holder)];
  const isPart = (one: readonly string[], other: readonly string[]) => one.every((word) => other.includes(word));
  return isPart(ours, theirs) || isPart(theirs, ours)
    ? undefined
    : `the account belongs to ${printable(holder)}, and the row names ${printable(name)}`;
}
