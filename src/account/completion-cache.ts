import type { World } from '../base/world.ts';
import {
  type CompletionEntries,
  type CompletionEntry,
  type EntryKind,
  isNamedBy,
  isPlainId,
  KINDS,
  plainAbout,
} from '../contract/completion-entries.ts';
import { fingerprint } from '../crypto/digest.ts';
import { entryAt, stampOf } from '../files/inspect.ts';
import { removePrivateFile } from '../files/private-file.ts';
import { type Database, type OpenOptions, openDatabase, openForReading, removeDatabase } from '../sqlite/database.ts';
import { DatabaseError } from '../sqlite/errors.ts';
import { completionCachePath, completionMarkPath, stateDir, type UserEnv } from './paths.ts';
import type { Profile } from './profile.ts';
import { isCompletionCached, profileFile } from './stored-profile.ts';

// Ids and names from an account over the network, so that completion can offer them without a request. Only completion reads them.

/** How long a thing is offered after it was last read. */
export const RETENTION_DAYS = 7;

const RETENTION_US = RETENTION_DAYS * 86_400_000_000;

/** How far in the future a time may be, because clocks are corrected. */
const AHEAD_US = 3_600_000_000;

/** A thing that was written this recently is not written again. */
const FRESH_US = 3_600_000_000;

/** At this size, the cache is deleted. 100,000 users take about 30 MB. */
const MAX_BYTES = 100_000_000;

/** Short, because the command has already printed everything and should end. */
const BUSY_MS = 200;

/** The key and the profile of a request. The same key at another base URL is another account. */
interface CachedAccount {
  readonly keyFingerprint: string;
  readonly profile: Pick<Profile, 'name' | 'baseUrl' | 'key'>;
}

/** The origins of keys that can be read without running a program. */
const AT_HAND: readonly (string | undefined)[] = ['file', 'environment', 'FIATRAIL_API_KEY'];

const OPTIONS: OpenOptions = {
  synchronous: 'OFF',
  busyTimeoutMs: BUSY_MS,
  layout: {
    version: 1,
    applicationId: 0x66726363,
    create: (database) =>
      // `used`: the account that a profile was last used with, for keys that completion cannot read itself. `stamp` is that of the profile's file.
      database.exec(`
        CREATE TABLE account (id INTEGER PRIMARY KEY, base_url TEXT NOT NULL, key_fingerprint TEXT NOT NULL,
          UNIQUE (base_url, key_fingerprint)) STRICT;
        CREATE TABLE used (profile TEXT PRIMARY KEY, stamp TEXT NOT NULL, account INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE seen (account INTEGER NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, about TEXT NOT NULL,
          seen_us INTEGER NOT NULL, PRIMARY KEY (account, kind, id)) STRICT, WITHOUT ROWID;
        CREATE INDEX seen_lately ON seen (account, kind, seen_us);`),
  },
};

const addressOf = (baseUrl: string) => baseUrl.toLowerCase().replace(/\/+$/, '');

/**
 * Writes entries to the cache. The first one gets the time `firstUs`, in microseconds since the epoch, and each next
 * one a microsecond less, so that lists are offered in their order. Deletes expired entries. Throws CliError, DatabaseError or the
 * system's error; callers should not let a command fail because of it.
 */
export async function storeEntries(
  world: World,
  account: CachedAccount,
  responses: readonly CompletionEntries[],
  firstUs: number,
): Promise<void> {
  if (!isCompletionCached(world)) return;
  const path = completionCachePath(world);
  world.ensurePrivateDir(stateDir(world));
  if ((entryAt(path)?.sizeBytes ?? 0) > MAX_BYTES) removeDatabase(path);
  const work = (database: Database) => write(database, world, account, responses, firstUs);
  await inCache(path, work).catch((error) => {
    if (!isDamaged(error)) throw error;
    removeDatabase(path);
    return inCache(path, work);
  });
  // `completion cache set off` changes the setting before it deletes the file, so a race still ends without the file.
  if (!isCompletionCached(world)) deleteCache(world);
}

async function inCache(path: string, work: (database: Database) => void): Promise<void> {
  const database = await openDatabase(path, OPTIONS);
  try {
    // Deleted names must not stay in the file.
    database.exec('PRAGMA secure_delete = ON');
    database.transaction('write', () => work(database));
  } finally {
    database.close();
  }
}

const isDamaged = (error: unknown) =>
  error instanceof DatabaseError && ['corrupt', 'newer', 'older'].includes(error.problem);

function write(
  database: Database,
  world: World,
  account: CachedAccount,
  responses: readonly CompletionEntries[],
  firstUs: number,
): void {
  deleteExpired(database, world.clock.now() * 1000);
  const id = accountIn(database, account);
  const { name: profile, key } = account.profile;
  const stamp = AT_HAND.includes(key?.from) ? undefined : stampOf(profileFile(world, profile));
  if (stamp !== undefined)
    database.run('INSERT OR REPLACE INTO used (profile, stamp, account) VALUES (?, ?, ?)', profile, stamp, id);
  let readUs = firstUs;
  for (const { entries, whole } of responses) {
    for (const kind of whole) database.run('DELETE FROM seen WHERE account = ? AND kind = ?', id, kind);
    for (const { kind, id: name, about } of entries) {
      database.run(
        `INSERT INTO seen (account, kind, id, about, seen_us) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
         SET about = iif(excluded.about = '', about, excluded.about), seen_us = excluded.seen_us
         WHERE abs(excluded.seen_us - seen_us) > ${FRESH_US} OR excluded.about NOT IN ('', about)`,
        ...[id, kind, name, about, readUs],
      );
      readUs -= 1;
    }
  }
}

function accountIn(database: Database, { profile, keyFingerprint }: CachedAccount): bigint {
  const address = addressOf(profile.baseUrl);
  const find = 'SELECT id FROM account WHERE base_url = ? AND key_fingerprint = ?';
  const known = database.get<{ id: bigint }>(find, address, keyFingerprint);
  return (
    known?.id ??
    database.insert('INSERT INTO account (base_url, key_fingerprint) VALUES (?, ?)', address, keyFingerprint)
  );
}

function deleteExpired(database: Database, nowUs: number): void {
  for (const { id } of database.all<{ id: bigint }>('SELECT id FROM account')) {
    for (const kind of KINDS) {
      // Two statements, because SQLite would scan the whole table for an OR.
      const ofKind = 'DELETE FROM seen WHERE account = ? AND kind = ?';
      database.run(`${ofKind} AND seen_us <= ?`, id, kind, nowUs - RETENTION_US);
      database.run(`${ofKind} AND seen_us > ?`, id, kind, nowUs + AHEAD_US);
    }
  }
  database.run('DELETE FROM account WHERE NOT EXISTS (SELECT 1 FROM seen WHERE account = account.id)');
}

/** The maximum number of entries to offer. */
const MAX_OFFERED = 100;

type CacheReader = Pick<Database, 'all'>;

/**
 * Returns the entries of a kind whose ids, or else names, begin with `start`, at most `MAX_OFFERED`, that were read with a profile's key and have not expired.
 * Sends nothing, runs nothing and writes nothing. Throws the system's error for a damaged cache.
 */
export async function cachedEntries(
  world: World,
  profile: Profile,
  kind: EntryKind,
  start: string,
): Promise<readonly CompletionEntry[]> {
  if (!entryAt(completionCachePath(world)) || !isCompletionCached(world)) return [];
  const cache = await openForReading(completionCachePath(world));
  if (!cache) return [];
  try {
    const account = await accountOf(cache, world, profile);
    return account === undefined ? [] : entriesIn(cache, account, kind, start, world.clock.now() * 1000);
  } finally {
    cache.close();
  }
}

/** Returns the account of a profile's key or, for a key that cannot be read, of the key that the profile was last used with. */
async function accountOf(cache: CacheReader, world: World, profile: Profile): Promise<bigint | undefined> {
  const { key, name, baseUrl } = profile;
  if (!key) return undefined;
  const address = addressOf(baseUrl);
  const [found] = AT_HAND.includes(key.from)
    ? cache.all<{ id: bigint }>(
        'SELECT id FROM account WHERE base_url = ? AND key_fingerprint = ?',
        address,
        fingerprint(await key.load()),
      )
    : cache.all<{ id: bigint }>(
        'SELECT id FROM used JOIN account ON id = account WHERE profile = ? AND stamp = ? AND base_url = ?',
        ...[name, stampOf(profileFile(world, name)) ?? '', address],
      );
  return found?.id;
}

function entriesIn(
  cache: CacheReader,
  account: bigint,
  kind: EntryKind,
  start: string,
  nowUs: number,
): CompletionEntry[] {
  const isNow = 'account = ? AND kind = ? AND seen_us > ? AND seen_us <= ?';
  const values = [account, kind, nowUs - RETENTION_US, nowUs + AHEAD_US];
  const newest = `ORDER BY seen_us DESC LIMIT ${MAX_OFFERED}`;
  const byId =
    start === ''
      ? cache.all<CompletionEntry>(`SELECT id, about FROM seen WHERE ${isNow} ${newest}`, ...values)
      : cache.all<CompletionEntry>(
          `SELECT id, about FROM seen WHERE ${isNow} AND id >= ? AND id < ? ORDER BY id LIMIT ${MAX_OFFERED}`,
          ...[...values, start, afterAll(start)],
        );
  const named = `SELECT id, about FROM seen WHERE ${isNow} AND instr(lower(about), lower(?)) > 0 ${newest}`;
  const rows =
    byId.length > 0 || start === ''
      ? byId
      : cache.all<CompletionEntry>(named, ...values, start).filter(({ about }) => isNamedBy(String(about), start));
  // The file may be damaged, or have been written by another program.
  return rows.flatMap(({ id, about }) =>
    typeof id === 'string' && isPlainId(id)
      ? [{ kind, id, about: typeof about === 'string' ? plainAbout(about) : '' }]
      : [],
  );
}

/** Returns an upper bound for the texts that begin with `start`, as SQLite compares them. */
const afterAll = (start: string) => `${start}\u{10ffff}`;

/** Moves a key's entries to the key that replaces it. Throws as `storeEntries` does. */
export async function moveEntries(
  world: World,
  baseUrl: string,
  oldFingerprint: string,
  newFingerprint: string,
): Promise<void> {
  const path = completionCachePath(world);
  if (!entryAt(path)) return;
  await inCache(path, (database) => {
    // Entries that the new key already has are dropped; they will be read again.
    database.run(
      'UPDATE OR REPLACE account SET key_fingerprint = ? WHERE base_url = ? AND key_fingerprint = ?',
      ...[newFingerprint, addressOf(baseUrl), oldFingerprint],
    );
    database.run('DELETE FROM seen WHERE account NOT IN (SELECT id FROM account)');
  });
}

/** Deletes the cache. Throws CliError usage, or the system's error. */
export function deleteCache(world: UserEnv): void {
  removePrivateFile(completionMarkPath(world));
  removeDatabase(completionCachePath(world));
}

/** What is in the cache, over all accounts. */
interface CacheState {
  readonly accounts: number;
  readonly entries: readonly { readonly kind: EntryKind; readonly count: number }[];
  /** When the oldest and the newest entry was read, in milliseconds since the epoch. */
  readonly oldestMs: number | undefined;
  readonly newestMs: number | undefined;
}

const NOTHING: CacheState = { accounts: 0, entries: [], oldestMs: undefined, newestMs: undefined };

/** Returns what is in the cache; nothing if it is damaged. Throws CliError usage for a link or another user's file. */
export async function stateOfCache(world: World): Promise<CacheState> {
  const path = completionCachePath(world);
  const cache = entryAt(path) && (await openForReading(path));
  if (!cache) return NOTHING;
  const nowUs = world.clock.now() * 1000;
  try {
    const rows = cache.all<{ kind: EntryKind; count: bigint; oldest: bigint; newest: bigint }>(
      `SELECT kind, count(*) AS count, min(seen_us) AS oldest, max(seen_us) AS newest FROM seen
       WHERE seen_us > ? AND seen_us <= ? GROUP BY kind`,
      ...[nowUs - RETENTION_US, nowUs + AHEAD_US],
    );
    const [accounts] = cache.all<{ count: bigint }>('SELECT count(*) AS count FROM account');
    const known = rows.filter(({ kind }) => KINDS.includes(kind));
    const msOf = (all: readonly bigint[]) => all.map((us) => Number(us / 1000n));
    return {
      accounts: Number(accounts?.count ?? 0n),
      entries: known.map(({ kind, count }) => ({ kind, count: Number(count) })),
      oldestMs: known.length === 0 ? undefined : Math.min(...msOf(known.map(({ oldest }) => oldest))),
      newestMs: known.length === 0 ? undefined : Math.max(...msOf(known.map(({ newest }) => newest))),
    };
  } catch {
    return NOTHING;
  } finally {
    cache.close();
  }
}
