import type { Queries } from './store.ts';

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

const find = async (queries: Queries, name: string) =>
  (await queries.get<{ account: string }>('SELECT account FROM account_name WHERE name = ?', name))?.account;

const insert = (queries: Queries, name: string, account: string) =>
  queries.run('INSERT INTO account_name (name, account) VALUES (?, ?) ON CONFLICT DO NOTHING', name, account);

/** Returns the names of an account that begin with a word, without it. */
async function namesBeginning(queries: Queries, account: string, word: 'account' | 'fintech'): Promise<string[]> {
  const sql = 'SELECT name FROM account_name WHERE name >= ? AND name < ? AND account = ?';
  const rows = await queries.all<{ name: string }>(sql, `${word}:`, `${word};`, account);
  return rows.map(({ name }) => name.slice(word.length + 1));
}

interface NameRow {
  readonly name: string;
  readonly account: string;
}

/** Reads every name of the accounts that a key and its profile belong to. */
const namesAround = (queries: Queries, { keyFingerprint, profile, baseUrl }: AccountNames) =>
  queries.all<NameRow>(
    'SELECT name, account FROM account_name WHERE account IN (SELECT account FROM account_name WHERE name IN (?, ?)) ORDER BY name',
    ...[key(keyFingerprint), old(profile, baseUrl)],
  );

function idsAmong(rows: readonly NameRow[], { keyFingerprint, profile, baseUrl }: AccountNames): readonly string[] {
  const named = (wanted: string) => rows.filter(({ name }) => name === wanted).map(({ account }) => account);
  const mergedInto = (id: string) =>
    rows.flatMap(({ name, account }) =>
      account === id && name.startsWith(merged('')) ? [name.slice(merged('').length)] : [],
    );
  const ids = new Set([...named(key(keyFingerprint)), ...named(old(profile, baseUrl))]);
  return [...ids].flatMap((account) => [account, ...mergedInto(account)]);
}

/**
 * Returns the ids that the operations of an account may have: its own, those of accounts that turned out to be it, and that of older
 * operations of its profile. Empty if the journal has nothing of it.
 */
export async function accountIds(queries: Queries, names: AccountNames): Promise<readonly string[]> {
  const rows = await namesAround(queries, names);
  const before = knowsKey(rows, names) ? undefined : await replacedBy(queries, names);
  const ids = idsAmong(rows, names);
  if (before === undefined) return ids;
  const earlier = { ...names, keyFingerprint: before };
  return [...new Set([...ids, ...idsAmong(await namesAround(queries, earlier), earlier)])];
}

const knowsKey = (rows: readonly NameRow[], { keyFingerprint }: AccountNames): boolean =>
  rows.some(({ name }) => name === key(keyFingerprint));

/**
 * Returns the fingerprint of the key that an unknown key of this profile replaces: a rotation was sent and is not finished yet. An
 * embedded sandbox has the new key before the command that rotates it can link both.
 */
async function replacedBy(
  queries: Queries,
  { keyFingerprint, profile, baseUrl }: AccountNames,
): Promise<string | undefined> {
  const row = await queries.get<{ old: string }>(
    `SELECT rotation.old_fingerprint AS old FROM rotation JOIN operation ON operation.id = rotation.operation_id
     WHERE rotation.base_url = ? AND (rotation.profile = ? OR operation.mode = 'embedded')
       AND rotation.stage NOT IN ('prepared', 'refused', 'done') AND rotation.old_fingerprint <> ?
     ORDER BY rotation.operation_id DESC LIMIT 1`,
    ...[baseUrl, profile, keyFingerprint],
  );
  return row?.old;
}

/** The account of a new operation, and the ids that its operations may have. */
interface KnownAccount {
  readonly account: string;
  readonly ids: readonly string[];
}

/** Returns an account, which gets an id from `newId` if it is new, and remembers its names. Call it in a transaction. */
export async function accountIn(queries: Queries, names: AccountNames, newId: () => string): Promise<KnownAccount> {
  const { keyFingerprint, profile, baseUrl } = names;
  const rows = await namesAround(queries, names);
  const before = knowsKey(rows, names) ? undefined : await replacedBy(queries, names);
  if (before !== undefined && (await find(queries, key(before))) !== undefined) {
    await linkKeys(queries, before, keyFingerprint);
    return accountIn(queries, names, newId);
  }
  const accountOf = (wanted: string) => rows.find(({ name }) => name === wanted)?.account;
  const [known, older] = [accountOf(key(keyFingerprint)), accountOf(old(profile, baseUrl))];
  const account = known ?? older ?? newId();
  if (known !== undefined && older === undefined) return { account, ids: idsAmong(rows, names) };
  await insert(queries, key(keyFingerprint), account);
  if (older !== undefined) {
    // Older operations belong to the first key that is seen with their profile, and to no later one.
    await merge(queries, older, account);
    await queries.run('DELETE FROM account_name WHERE name = ?', old(profile, baseUrl));
  }
  return { account, ids: await accountIds(queries, names) };
}

/** Records that a key replaced another one, so that both are one account. Call it in a transaction. */
export async function linkKeys(queries: Queries, oldFingerprint: string, newFingerprint: string): Promise<void> {
  const account = await find(queries, key(oldFingerprint));
  if (account === undefined) return;
  await insert(queries, key(newFingerprint), account);
  // A command may have used the new key before this one learned it, as an account of its own.
  await merge(queries, (await find(queries, key(newFingerprint))) ?? account, account);
}

/** Whether a key is known to belong to a fintech. */
export async function knowsFintech(queries: Queries, names: AccountNames, found: Fintech): Promise<boolean> {
  const account = await find(queries, fintech(names, found));
  return account !== undefined && account === (await find(queries, key(names.keyFingerprint)));
}

/** Records the fintech that a key belongs to: all keys of one fintech are one account. Call it in a transaction. */
export async function learnFintech(
  queries: Queries,
  names: AccountNames,
  found: Fintech,
  newId: () => string,
): Promise<void> {
  const { account } = await accountIn(queries, names, newId);
  const name = fintech(names, found);
  // A key never changes its owner. A reset sandbox has a new id for its old key; the account stays what it was.
  if (contradict([name.slice('fintech:'.length)], await namesBeginning(queries, account, 'fintech'))) return;
  await insert(queries, name, account);
  await merge(queries, account, (await find(queries, name)) ?? account);
}

/** Forgets the names of an account whose sandbox was reset: what was done there under a once key is gone. Call it in a transaction. */
export async function forgetAccount(queries: Queries, names: AccountNames): Promise<void> {
  for (const account of await accountIds(queries, names))
    await queries.run('DELETE FROM account_name WHERE account = ?', account);
}

/** Gives the names of one account to another one, unless they belong to different fintechs. */
async function merge(queries: Queries, from: string, into: string): Promise<void> {
  if (from === into) return;
  const fintechs = await namesBeginning(queries, from, 'fintech');
  if (contradict(fintechs, await namesBeginning(queries, into, 'fintech'))) return;
  await queries.run('UPDATE account_name SET account = ? WHERE account = ?', into, from);
  await insert(queries, merged(from), into);
}

/** Whether two lists of fintech names have different ids at one service. */
function contradict(some: readonly string[], others: readonly string[]): boolean {
  const placeOf = (name: string) => name.slice(0, name.lastIndexOf(' '));
  return some.some((one) => others.some((other) => placeOf(one) === placeOf(other) && one !== other));
}
