import * as z from 'zod/mini';
import { shortSha256 } from '../crypto/digest.ts';
import { CLEARED, fixedText, hashOf, NO_HASH } from './chain.ts';
import {
  appendFacts,
  changed,
  type EntryRow,
  endOfChain,
  factAbout,
  isCleared,
  jsonOf,
  linkOf,
  type Recording,
  subjects,
} from './entries.ts';
import { allRotations, rotationFact } from './rotations.ts';
import { TRIGGERS } from './sqlite/schema.ts';
import type { Queries } from './store.ts';

const joint = () =>
  z.strictObject({
    // The hash of the last entry of each host.
    hosts: z.record(z.string(), z.string()),
    // The digest of the processes of the operations before it.
    processes: z.string(),
    // Until when the processes of operations that had not ended may be at work, in milliseconds since the epoch.
    busy: z.record(z.string(), z.int()),
    // The digest of the fixed columns of operations whose input digest was removed, because a secret could be guessed from it.
    cleared: z.string(),
  });

/**
 * The fact where the chains of the hosts became one. Before it, a version chained the entries of each host by themselves, and left some
 * columns out; the fact covers those, and the end of each chain. A new journal begins with it.
 */
type Joint = z.infer<ReturnType<typeof joint>>;

/** Where the chains became one: the number of the entry, and what it says. */
export interface Joined extends Joint {
  readonly sequence: bigint;
}

/** Returns where the chains became one; undefined if they have not yet. Throws CliError usage if the entry says something else. */
export async function jointIn(queries: Queries): Promise<Joined | undefined> {
  const sql = 'SELECT sequence, value FROM entry WHERE subject = ? ORDER BY sequence LIMIT 1';
  const row = await queries.get<{ sequence: bigint; value: string | null }>(sql, subjects.joint);
  if (!row) return undefined;
  const what = 'where its chains were joined';
  const { data } = joint().safeParse(jsonOf(row.value, what));
  if (!data) throw changed(what);
  return { sequence: row.sequence, ...data };
}

/** A name of an account. */
export interface AccountName {
  readonly name: string;
  readonly account: string;
}

/** What the setting `joined` has in place of the number of the joint while facts of an earlier version are missing. */
const TO_JOIN = '';

/**
 * Makes one chain of those of all hosts, and facts of everything that decides. `imported` are the names of accounts that have no rows yet. Does
 * nothing if that was done. Returns how many operations have lost the digest of an input with a secret. Call it in a transaction.
 */
export async function joinChains(
  recording: Recording,
  digestKey: string,
  imported?: readonly AccountName[],
): Promise<number> {
  const { queries } = recording;
  const known = await queries.get<{ value: string }>(`SELECT value FROM setting WHERE name = 'joined'`);
  const joined = await queries.get<{ sequence: bigint }>(
    'SELECT sequence FROM entry WHERE subject = ? ORDER BY sequence LIMIT 1',
    subjects.joint,
  );
  if (known ? known.value !== TO_JOIN : joined) return 0;
  const sequence = joined?.sequence ?? (await join(recording, digestKey, imported));
  await recordKeys(recording);
  await queries.run(
    known
      ? `UPDATE setting SET value = ? WHERE name = 'joined'`
      : `INSERT INTO setting (name, value) VALUES ('joined', ?)`,
    String(sequence),
  );
  if (joined) return 0;
  const cleared = await queries.get<{ count: bigint }>(
    'SELECT count(*) AS count FROM operation WHERE input_digest = ?',
    CLEARED,
  );
  return Number(cleared?.count ?? 0n);
}

/** Appends the facts about idempotency keys that the entries of an earlier version lack, in the order in which operations were given them. */
export async function recordKeys(recording: Recording): Promise<void> {
  const { queries } = recording;
  for (let after = 0n; ; ) {
    const rows = await queries.all<{ id: string; account: string; once_key: string; first: bigint }>(
      `SELECT o.id, o.account, o.once_key, e.sequence AS first FROM entry e JOIN operation o ON o.id = e.operation_id
       WHERE e.sequence > ? AND e.state = 'prepared' AND o.once_key IS NOT NULL AND NOT EXISTS (SELECT 1 FROM entry
         WHERE subject = 'idempotency key ' || o.account || ' ' || o.once_key AND value = o.id)
       ORDER BY e.sequence LIMIT ${BATCH}`,
      after,
    );
    await appendFacts(
      recording,
      rows.map(({ id, account, once_key: key }) => ({ subject: subjects.idempotencyKey(account, key), value: id })),
    );
    after = rows.at(-1)?.first ?? after;
    if (rows.length < BATCH) return;
  }
}

/** Returns the number of the entry where the chains became one. */
async function join(recording: Recording, digestKey: string, imported?: readonly AccountName[]): Promise<bigint> {
  const { queries } = recording;
  await rehashCleared(queries);
  const { sequence } = await endOfChain(recording);
  const heads = await queries.all<{ host: string; hash: string }>(
    'SELECT host, hash FROM entry WHERE sequence IN (SELECT max(sequence) FROM entry GROUP BY host) ORDER BY host',
  );
  const busy = await queries.all<{ id: string; until: bigint }>(
    'SELECT id, busy_until AS until FROM operation WHERE busy_until <> 0 ORDER BY id',
  );
  const value: Joint = {
    hosts: Object.fromEntries(heads.map(({ host, hash }) => [host, hash])),
    processes: await processesBefore(queries, sequence + 1n),
    busy: Object.fromEntries(busy.map(({ id, until }) => [id, Number(until)])),
    cleared: await clearedBefore(queries, sequence + 1n),
  };
  const names = imported ?? (await queries.all<AccountName>('SELECT name, account FROM account_name ORDER BY name'));
  const rotations = await allRotations(queries);
  const rules = await queries.get<{ value: string }>(`SELECT value FROM setting WHERE name = 'rules'`);
  await appendFacts(recording, [
    { subject: subjects.joint, value: JSON.stringify(value) },
    digestKeyFact(digestKey),
    ...names.map(({ name, account }) => ({ subject: subjects.account(name), value: account })),
    ...rotations.map(rotationFact),
    ...(rules ? [{ subject: subjects.shared('rules'), value: rules.value }] : []),
  ]);
  for (const { name, account } of imported ?? [])
    await queries.run('INSERT INTO account_name (name, account) VALUES (?, ?)', name, account);
  await queries.run(`DELETE FROM setting WHERE name = 'rules'`);
  return sequence + 1n;
}

const digestOf = (digestKey: string) => shortSha256(`digest key\n${digestKey}`);

/** The fact that shows whether the key of the digests is the one that it was, without revealing the key. */
export const digestKeyFact = (digestKey: string) => ({ subject: subjects.digestKey, value: digestOf(digestKey) });

/** Whether the key of the digests is the one that the entries know. */
export async function isDigestKey(queries: Queries, digestKey: string): Promise<boolean> {
  return (await factAbout(queries, subjects.digestKey)) === digestOf(digestKey);
}

const BEFORE = 'EXISTS (SELECT 1 FROM entry WHERE operation_id = operation.id AND sequence < ?)';

/** Returns the digest of the processes of the operations before an entry. */
export async function processesBefore(queries: Queries, sequence: bigint): Promise<string> {
  // A journal that began with its joint has no operation before it.
  if (sequence === 1n) return shortSha256('');
  const sql = `SELECT string_agg(id || ':' || process, ',' ORDER BY id) AS joined FROM operation WHERE ${BEFORE}`;
  return shortSha256((await queries.get<{ joined: string | null }>(sql, sequence))?.joined ?? '');
}

/** Returns the digest of the fixed columns of the operations before an entry whose input digest was removed. */
export async function clearedBefore(queries: Queries, sequence: bigint): Promise<string> {
  if (sequence === 1n) return shortSha256('');
  const rows = await queries.all(
    `SELECT * FROM operation WHERE input_digest = ? AND ${BEFORE} ORDER BY id`,
    ...[CLEARED, sequence],
  );
  return shortSha256(rows.map((row) => fixedText(row, 'earlier')).join('\n'));
}

/** What to say after digests from which secrets could be guessed were removed. */
export const clearedText = (count: number, engine: Queries['engine']): string =>
  `the journal no longer has anything from which the BVNs of ${count === 1 ? '1 onboarding' : `${count} onboardings`} can be computed; its older copies do, so delete the backups and exports that you do not need${LEFT[engine]}`;

/** Where else an upgrade leaves what it removed. */
const LEFT: Readonly<Record<Queries['engine'], string>> = {
  sqlite: ', also journal.db.v6 and the like beside it',
  postgres:
    ' and archived WAL; the server keeps the old rows on its disk until the owner runs: VACUUM FULL fiatrail.operation, fiatrail.entry',
};

const [ENTRY_UPDATE = ''] = TRIGGERS;

/** Entries read at a time. */
const BATCH = 500;

/**
 * Computes the hashes of earlier entries again, in the chain of each host from its first operation on whose input digest was removed: they cover
 * the digest, so whoever guesses its input could compare. Where an entry does not follow the one before it, the rest stays as it is, for
 * `ops verify` to find. Call it before the chains are joined.
 */
async function rehashCleared(queries: Queries): Promise<void> {
  const hosts = await queries.all<{ host: string; first: bigint }>(
    `SELECT e.host AS host, min(e.sequence) AS first FROM entry e JOIN operation o ON o.id = e.operation_id
     WHERE e.state = 'prepared' AND o.input_digest = ? GROUP BY e.host`,
    CLEARED,
  );
  if (hosts.length === 0) return;
  const isFile = queries.engine === 'sqlite';
  await queries.run(isFile ? 'DROP TRIGGER entry_update' : 'ALTER TABLE entry DISABLE TRIGGER entry_stays');
  for (const { host, first } of hosts) await rehash(queries, host, first);
  await queries.run(isFile ? ENTRY_UPDATE : 'ALTER TABLE entry ENABLE TRIGGER entry_stays');
}

async function rehash(queries: Queries, host: string, first: bigint): Promise<void> {
  const sql = 'SELECT hash FROM entry WHERE host = ? AND sequence < ? ORDER BY sequence DESC LIMIT 1';
  const before = (await queries.get<{ hash: string }>(sql, host, first))?.hash ?? NO_HASH;
  let [was, now, after] = [before, before, first - 1n];
  for (;;) {
    const entries = await queries.all<EntryRow>(
      'SELECT * FROM entry WHERE host = ? AND sequence > ? ORDER BY sequence LIMIT ?',
      ...[host, after, BATCH],
    );
    for (const entry of entries) {
      const row = await queries.get('SELECT * FROM operation WHERE id = ?', entry.operation_id);
      const link = linkOf(entry, row, 'earlier');
      if (!isCleared(entry, row, 'earlier') && hashOf(was, link, 'earlier') !== entry.hash) return;
      now = hashOf(now, link, 'earlier');
      was = entry.hash;
      await queries.run('UPDATE entry SET hash = ? WHERE sequence = ?', now, entry.sequence);
    }
    after = entries.at(-1)?.sequence ?? after;
    if (entries.length < BATCH) return;
  }
}
