import type { Database } from '../sqlite/database.ts';

/** What identifies an account in a request: the fingerprint of its API key. */
export interface AccountNames {
  readonly keyFingerprint: string;
  /** Where operations recorded before accounts were known belong: a profile and its base URL. */
  readonly profile: string;
  readonly baseUrl: string;
}

/** The id that the service has for the owner of a key. Sandboxes have ids of their own. */
export interface Fintech {
  readonly id: string;
  readonly isLive: boolean;
}

const key = (fingerprint: string) => `key:${fingerprint}`;
const address = (baseUrl: string) => baseUrl.toLowerCase().replace(/\/+$/, '');
const old = (profile: string, baseUrl: string) => `profile:${profile} ${address(baseUrl)}`;
/** What a service says holds for that service only: another one could claim any fintech id. */
const fintech = ({ baseUrl }: AccountNames, { id, isLive }: Fintech) =>
  `fintech:${isLive ? 'live' : 'sandbox'} ${address(baseUrl)} ${id.toLowerCase()}`;
/** The name that an account keeps once it turned out to be another one: its operations still have it, and are never changed. */
const merged = (account: string) => `account:${account}`;

/** The name of the account of operations recorded by a version that did not know accounts. */
export const nameOfOld = old;

/** Returns the names by which a key and its profile are known. */
export function namesOf({ keyFingerprint, profile, baseUrl }: AccountNames): string[] {
  return [key(keyFingerprint), old(profile, baseUrl)];
}

const find = (store: Database, name: string) =>
  store.get<{ account: string }>('SELECT account FROM account_name WHERE name = ?', name)?.account;

const insert = (store: Database, name: string, account: string) =>
  store.run('INSERT INTO account_name (name, account) VALUES (?, ?) ON CONFLICT DO NOTHING', name, account);

/** Returns the names of an account that begin with a word, without it. */
const namesBeginning = (store: Database, account: string, word: 'account' | 'fintech') =>
  store
    .all<{ name: string }>(
      'SELECT name FROM account_name WHERE name >= ? AND name < ? AND account = ?',
      ...[`${word}:`, `${word};`, account],
    )
    .map(({ name }) => name.slice(word.length + 1));

/**
 * Returns the ids that the operations of an account may have: its own, those of accounts that turned out to be it, and that of older
 * operations of its profile. Empty if the journal has nothing of it.
 */
export function accountIds(store: Database, { keyFingerprint, profile, baseUrl }: AccountNames): readonly string[] {
  const known = [find(store, key(keyFingerprint)), find(store, old(profile, baseUrl))];
  const accounts = [...new Set(known)].filter((account) => account !== undefined);
  return accounts.flatMap((account) => [account, ...namesBeginning(store, account, 'account')]);
}

/** Returns the id of an account, which `newId` makes if it is new, and remembers its names. Call it in a transaction. */
export function accountIn(store: Database, names: AccountNames, newId: () => string): string {
  const { keyFingerprint, profile, baseUrl } = names;
  const older = find(store, old(profile, baseUrl));
  const account = find(store, key(keyFingerprint)) ?? older ?? newId();
  insert(store, key(keyFingerprint), account);
  if (older === undefined) return account;
  // Older operations belong to the first key that is seen with their profile, and to no later one.
  merge(store, older, account);
  store.run('DELETE FROM account_name WHERE name = ?', old(profile, baseUrl));
  return account;
}

/** Records that a key replaced another one, so that both are one account. Call it in a transaction. */
export function linkKeys(store: Database, oldFingerprint: string, newFingerprint: string): void {
  const account = find(store, key(oldFingerprint));
  if (account === undefined) return;
  insert(store, key(newFingerprint), account);
  // A command may have used the new key before this one learned it, as an account of its own.
  merge(store, find(store, key(newFingerprint)) ?? account, account);
}

/** Whether a key is known to belong to a fintech. */
export function knowsFintech(store: Database, names: AccountNames, found: Fintech): boolean {
  const account = find(store, fintech(names, found));
  return account !== undefined && account === find(store, key(names.keyFingerprint));
}

/** Records the fintech that a key belongs to: all keys of one fintech are one account. Call it in a transaction. */
export function learnFintech(store: Database, names: AccountNames, found: Fintech, newId: () => string): void {
  const account = accountIn(store, names, newId);
  const name = fintech(names, found);
  // A key never changes its owner. A reset sandbox has a new id for its old key; the account stays what it was.
  if (contradict([name.slice('fintech:'.length)], namesBeginning(store, account, 'fintech'))) return;
  insert(store, name, account);
  merge(store, account, find(store, name) ?? account);
}

/** Forgets the names of an account whose sandbox was reset: what was done there under a once key is gone. Call it in a transaction. */
export function forgetAccount(store: Database, names: AccountNames): void {
  for (const account of accountIds(store, names)) store.run('DELETE FROM account_name WHERE account = ?', account);
}

/** Gives the names of one account to another one, unless they belong to different fintechs. */
function merge(store: Database, from: string, into: string): void {
  if (from === into) return;
  if (contradict(namesBeginning(store, from, 'fintech'), namesBeginning(store, into, 'fintech'))) return;
  store.run('UPDATE account_name SET account = ? WHERE account = ?', into, from);
  insert(store, merged(from), into);
}

/** Whether two lists of fintech names have different ids at one service. */
function contradict(some: readonly string[], others: readonly string[]): boolean {
  const placeOf = (name: string) => name.slice(0, name.lastIndexOf(' '));
  return some.some((one) => others.some((other) => placeOf(one) === placeOf(other) && one !== other));
}
