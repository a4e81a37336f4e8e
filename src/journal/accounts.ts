import { insertion, type RowOf, replacing } from '../store/table.ts';
import { appendFacts, changed, factAbout, factsWhere, IS_LAST, type Recording, subjects } from './entries.ts';
import type { Queries } from './store.ts';
import { ACCOUNT_NAME } from './tables.ts';

/** What identifies an account in a request: the fingerprint of its API key. */
export interface AccountNames {
  readonly keyFingerprint: string;
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
/** What a service says holds for that service only: another one could claim any fintech id. */
const fintech = ({ baseUrl }: AccountNames, { id, isLive }: Fintech) =>
  `fintech:${isLive ? 'live' : 'sandbox'} ${address(baseUrl)} ${id.toLowerCase()}`;
/** The name that an account keeps once it turned out to be another one: its operations still have it, and are never changed. */
const merged = (account: string) => `account:${account}`;

/** Returns the name by which the account of a key is known. */
export const keyNameOf = ({ keyFingerprint }: AccountNames): string => key(keyFingerprint);

const find = async (queries: Queries, name: string) => (await factAbout(queries, subjects.account(name))) ?? undefined;

/** Gives names to accounts; undefined takes one away. */
async function recordNames(
  recording: Recording,
  names: readonly { readonly name: string; readonly account: string | undefined }[],
): Promise<void> {
  const { queries } = recording;
  await appendFacts(
    recording,
    names.map(({ name, account }) => ({ subject: subjects.account(name), value: account ?? null })),
  );
  for (const { name, account } of names) {
    if (account === undefined) await queries.run('DELETE FROM account_name WHERE name = ?', name);
    else await queries.run(...insertion(ACCOUNT_NAME, [{ name, account }], replacing(ACCOUNT_NAME, ['account'])));
  }
}

/** Gives a name to an account, unless it has one. */
async function insert(recording: Recording, name: string, account: string): Promise<void> {
  if ((await find(recording.queries, name)) === undefined) await recordNames(recording, [{ name, account }]);
}

/** Returns the names of an account that begin with a word, without it. */
async function namesBeginning(queries: Queries, account: string, word: 'account' | 'fintech'): Promise<string[]> {
  const sql = 'SELECT name FROM account_name WHERE name >= ? AND name < ? AND account = ?';
  const rows = await queries.all<{ name: string }>(sql, `${word}:`, `${word};`, account);
  return rows.map(({ name }) => name.slice(word.length + 1));
}

type NameRow = RowOf<typeof ACCOUNT_NAME>;

/**
 * Reads every name of the account that a key belongs to, which the entries say. Throws CliError usage if the rows say something else: money could
 * be sent twice.
 */
async function namesAround(queries: Queries, names: AccountNames): Promise<readonly NameRow[]> {
  const asked = keyNameOf(names);
  const accounts = `SELECT e.value FROM entry e WHERE e.subject = ? AND ${IS_LAST}`;
  const [rows, facts] = await Promise.all([
    queries.all<NameRow>(
      `SELECT name, account FROM account_name WHERE account IN (${accounts}) OR name = ? ORDER BY name`,
      subjects.account(asked),
      asked,
    ),
    factsWhere(
      queries,
      `e.value IN (${accounts}) AND e.subject >= 'account ' AND e.subject < 'account!' AND ${IS_LAST}`,
      subjects.account(asked),
    ),
  ]);
  const recorded = new Map(facts.map(({ subject, value }) => [subject, value]));
  const isRecorded = ({ name, account }: NameRow) => recorded.get(subjects.account(name)) === account;
  if (recorded.size !== rows.length || !rows.every(isRecorded)) throw changed('which keys belong to the account');
  return rows;
}

function idsAmong(rows: readonly NameRow[], names: AccountNames): readonly string[] {
  const mergedInto = (id: string) =>
    rows.flatMap(({ name, account }) =>
      account === id && name.startsWith(merged('')) ? [name.slice(merged('').length)] : [],
    );
  const own = rows.filter(({ name }) => name === keyNameOf(names));
  return own.flatMap(({ account }) => [account, ...mergedInto(account)]);
}

/** Returns the ids that the operations of an account may have: its own, and those of accounts that turned out to be it. Empty if the journal has nothing of it. */
export async function accountIds(queries: Queries, names: AccountNames): Promise<readonly string[]> {
  const rows = await namesAround(queries, names);
  const before = knowsKey(rows, names) ? undefined : await replacedBy(queries, names);
  const ids = idsAmong(rows, names);
  if (before === undefined) return ids;
  const earlier = { ...names, keyFingerprint: before };
  return [...new Set([...ids, ...idsAmong(await namesAround(queries, earlier), earlier)])];
}

/** Returns the fingerprints of the other keys of an account, as far as the journal knows them. */
export async function otherKeysOf(queries: Queries, names: AccountNames): Promise<readonly string[]> {
  const rows = await namesAround(queries, names);
  const account = rows.find(({ name }) => name === key(names.keyFingerprint))?.account;
  if (account === undefined) return [];
  const keys = rows.flatMap((row) =>
    row.account === account && row.name.startsWith(key('')) ? [row.name.slice(key('').length)] : [],
  );
  return keys.filter((each) => each !== names.keyFingerprint);
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
       AND rotation.stage NOT IN ('prepared', 'rejected', 'done') AND rotation.old_fingerprint <> ?
     ORDER BY rotation.operation_id DESC LIMIT 1`,
    baseUrl,
    profile,
    keyFingerprint,
  );
  return row?.old;
}

/** The account of a new operation, and the ids that its operations may have. */
interface KnownAccount {
  readonly account: string;
  readonly ids: readonly string[];
}

/** Returns an account, which gets an id from `newId` if it is new, and remembers its names. Call it in a transaction. */
export async function accountIn(recording: Recording, names: AccountNames, newId: () => string): Promise<KnownAccount> {
  const { queries } = recording;
  const { keyFingerprint } = names;
  const rows = await namesAround(queries, names);
  const before = knowsKey(rows, names) ? undefined : await replacedBy(queries, names);
  if (before !== undefined && (await find(queries, key(before))) !== undefined) {
    await linkKeys(recording, before, keyFingerprint);
    return accountIn(recording, names, newId);
  }
  const known = rows.find(({ name }) => name === keyNameOf(names))?.account;
  if (known !== undefined) return { account: known, ids: idsAmong(rows, names) };
  const account = newId();
  await insert(recording, keyNameOf(names), account);
  return { account, ids: await accountIds(queries, names) };
}

/** Records that a key replaced another one, so that both are one account. Call it in a transaction. */
export async function linkKeys(recording: Recording, oldFingerprint: string, newFingerprint: string): Promise<void> {
  const { queries } = recording;
  const account = await find(queries, key(oldFingerprint));
  if (account === undefined) return;
  await insert(recording, key(newFingerprint), account);
  // A command may have used the new key before this one learned it, as an account of its own.
  await merge(recording, (await find(queries, key(newFingerprint))) ?? account, account);
}

/** Whether a key is known to belong to a fintech. */
export async function knowsFintech(queries: Queries, names: AccountNames, found: Fintech): Promise<boolean> {
  const account = await find(queries, fintech(names, found));
  return account !== undefined && account === (await find(queries, key(names.keyFingerprint)));
}

/** Whether a journal has an operation of a live account, or knows the fintech of one. The operations of an account are all live, or none is. */
export async function knowsLive(queries: Queries): Promise<boolean> {
  // The id of an account that turned out to be this one.
  const earlierId = `substr(name, ${merged('').length + 1})`;
  const isLive = (account: string) =>
    `(SELECT mode FROM operation WHERE operation.account = ${account} LIMIT 1) = 'live'`;
  const found = await queries.get(
    `SELECT 1 AS found FROM account_name WHERE name >= 'fintech:live ' AND name < 'fintech:live!'
       OR ${isLive('account_name.account')} OR ${isLive(earlierId)} LIMIT 1`,
  );
  return found !== undefined;
}

/** Records the fintech that a key belongs to: all keys of one fintech are one account. Call it in a transaction. */
export async function learnFintech(
  recording: Recording,
  names: AccountNames,
  found: Fintech,
  newId: () => string,
): Promise<void> {
  const { queries } = recording;
  const { account } = await accountIn(recording, names, newId);
  const name = fintech(names, found);
  // A key never changes its owner. A reset sandbox has a new id for its old key; the account stays what it was.
  if (contradict([name.slice('fintech:'.length)], await namesBeginning(queries, account, 'fintech'))) return;
  await insert(recording, name, account);
  await merge(recording, account, (await find(queries, name)) ?? account);
}

/** Forgets the names of an account whose sandbox was reset: what was done there under an idempotency key is gone. Call it in a transaction. */
export async function forgetAccount(recording: Recording, names: AccountNames): Promise<void> {
  const { queries } = recording;
  for (const account of await accountIds(queries, names)) {
    const rows = await queries.all<{ name: string }>(
      'SELECT name FROM account_name WHERE account = ? ORDER BY name',
      account,
    );
    await recordNames(
      recording,
      rows.map(({ name }) => ({ name, account: undefined })),
    );
  }
}

/** Gives the names of one account to another one, unless they belong to different fintechs. */
async function merge(recording: Recording, from: string, into: string): Promise<void> {
  if (from === into) return;
  const { queries } = recording;
  const fintechs = await namesBeginning(queries, from, 'fintech');
  if (contradict(fintechs, await namesBeginning(queries, into, 'fintech'))) return;
  const rows = await queries.all<{ name: string }>(
    'SELECT name FROM account_name WHERE account = ? ORDER BY name',
    from,
  );
  await recordNames(recording, [
    ...rows.map(({ name }) => ({ name, account: into })),
    { name: merged(from), account: into },
  ]);
}

/** Whether two lists of fintech names have different ids at one service. */
function contradict(some: readonly string[], others: readonly string[]): boolean {
  const serviceOf = (name: string) => name.slice(0, name.lastIndexOf(' '));
  return some.some((one) => others.some((other) => serviceOf(one) === serviceOf(other) && one !== other));
}
