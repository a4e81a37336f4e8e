import type { Database } from '../sqlite/database.ts';

/** What identifies an account: its fintech id where it is known, and the fingerprint of its API key. Most certain first. */
export interface AccountNames {
  readonly fintechId?: string | undefined;
  readonly keyFingerprint: string;
  /** Where operations recorded before accounts were known belong: a profile and its base URL. */
  readonly profile: string;
  readonly baseUrl: string;
}

const fintech = (id: string) => `fintech:${id}`;
const key = (fingerprint: string) => `key:${fingerprint}`;
const old = (profile: string, baseUrl: string) => `profile:${profile} ${baseUrl.toLowerCase().replace(/\/+$/, '')}`;

/** The name of the account of operations recorded by a version that did not know accounts. */
export const nameOfOld = old;

/** Returns every name of an account. */
export function namesOf({ fintechId, keyFingerprint, profile, baseUrl }: AccountNames): string[] {
  return [...(fintechId === undefined ? [] : [fintech(fintechId)]), key(keyFingerprint), old(profile, baseUrl)];
}

const find = (store: Database, name: string) =>
  store.get<{ account: string }>('SELECT account FROM account_name WHERE name = ?', name)?.account;

const insert = (store: Database, name: string, account: string) =>
  store.run('INSERT INTO account_name (name, account) VALUES (?, ?) ON CONFLICT DO NOTHING', name, account);

/** Returns the id of an account, or undefined if the journal has nothing of it. */
export function knownAccount(store: Database, names: AccountNames): string | undefined {
  const { fintechId, keyFingerprint, profile, baseUrl } = names;
  return (
    (fintechId === undefined ? undefined : find(store, fintech(fintechId))) ??
    find(store, key(keyFingerprint)) ??
    find(store, old(profile, baseUrl))
  );
}

/** Returns the id of an account, which `newId` makes if it is new, and remembers its names. Call it in a transaction. */
export function accountIn(store: Database, names: AccountNames, newId: () => string): string {
  const { fintechId, keyFingerprint, profile, baseUrl } = names;
  const account = knownAccount(store, names) ?? newId();
  if (fintechId !== undefined) insert(store, fintech(fintechId), account);
  insert(store, key(keyFingerprint), account);
  // Older operations belong to the first key that is seen with their profile, and to no later one.
  store.run('DELETE FROM account_name WHERE name = ?', old(profile, baseUrl));
  return account;
}

/** Records that a key replaced another one, so that both are one account. */
export function linkKeys(store: Database, oldFingerprint: string, newFingerprint: string): void {
  const account = find(store, key(oldFingerprint));
  if (account !== undefined) insert(store, key(newFingerprint), account);
}
