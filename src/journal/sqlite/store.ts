import { CliError } from '../../base/errors.ts';
import { oneAtATime } from '../../base/one-at-a-time.ts';
import { shortHmac } from '../../crypto/digest.ts';
import { BUSY_TIMEOUT_MS, type Database, openDatabase } from '../../sqlite/database.ts';
import { DatabaseError } from '../../sqlite/errors.ts';
import { SnapshotError, writeSnapshot } from '../../sqlite/snapshot.ts';
import { nameOfOld } from '../accounts.ts';
import { fixedText, hashOf, type Link, NO_HASH } from '../chain.ts';
import type { OperationState } from '../states.ts';
import type { Queries, Store } from '../store.ts';
import type { JournalWorld } from '../transitions.ts';
import { CREATE, parts, UPGRADES, VERSION_3 } from './schema.ts';

interface OldOperation {
  readonly id: string;
  readonly state: OperationState;
  readonly profile: string;
  readonly base_url: string;
  readonly request_id: string | null;
  readonly detail: string | null;
  readonly created_at: bigint;
  readonly updated_at: bigint;
}

/**
 * Upgrades version 2: copies the operations into the new tables, with a transition for the intent and one for the state it had
 * reached. They were recorded by this host, and belong to the account of their profile and URL.
 */
function moveOperations(
  database: Database,
  { ids, host }: JournalWorld,
  createTables: (database: Database) => void,
): void {
  // The rotations refer to the operations by name, and must go on doing so.
  database.exec('PRAGMA legacy_alter_table = ON; ALTER TABLE operation RENAME TO old_operation;');
  createTables(database);
  const accounts = new Map<string, string>();
  const accountOf = ({ profile, base_url }: OldOperation) => {
    const name = nameOfOld(profile, base_url);
    const account = accounts.get(name) ?? ids.uuid();
    if (!accounts.has(name)) database.run('INSERT INTO account_name VALUES (?, ?)', name, account);
    accounts.set(name, account);
    return account;
  };
  const append = appender(database);
  for (const row of database.all<OldOperation>('SELECT * FROM old_operation ORDER BY id')) {
    database.run(
      `INSERT INTO operation SELECT id, effect, ?, profile, mode, base_url, endpoint, effect, command, summary, request, '', NULL,
         NULL, '', ?, 0, created_at, state, request_id, NULL, detail, NULL, updated_at, 0 FROM old_operation WHERE id = ?`,
      ...[accountOf(row), host.name, row.id],
    );
    const operation = fixedText(database.get('SELECT * FROM operation WHERE id = ?', row.id) ?? {}, 'earlier');
    const link = { ...NOTHING, operationId: row.id, host: host.name };
    append({ ...link, state: 'prepared', at: row.created_at, requestId: null, detail: null, operation });
    const { state, request_id: requestId, detail } = row;
    if (state !== 'prepared') append({ ...link, state, at: row.updated_at, requestId, detail, operation: null });
  }
  database.exec('DROP TABLE old_operation; PRAGMA legacy_alter_table = OFF;');
}

/** What the entries of an operation of version 2 do not say. */
const NOTHING = { verdict: null, result: null, busyUntil: null, subject: null, value: null } as const;

/** Returns a function that appends links to an empty chain of this host. */
function appender(database: Database): (link: Omit<Link, 'sequence'>) => void {
  let sequence = 0n;
  let previous = NO_HASH;
  return (link) => {
    sequence += 1n;
    previous = hashOf(previous, { ...link, sequence }, 'earlier');
    const { operationId, host, state, at, requestId, detail } = link;
    database.run(
      `INSERT INTO transition (sequence, operation_id, host, state, at, request_id, verdict, detail, result, hash)
       VALUES (?, ?, ?, ?, ?, ?, NULL, ?, NULL, ?)`,
      ...[sequence, operationId, host, state, at, requestId, detail, previous],
    );
  };
}

const WHY = { exists: 'the file already exists', missing: 'the folder does not exist' } as const;

/** Copies the journal to a new private file, also while other processes use it. Returns its bytes. Throws CliError usage. */
function backUp(store: Database, path: string): number {
  try {
    return writeSnapshot(store, path);
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    const why = WHY[error.problem as keyof typeof WHY] ?? 'the file cannot be written';
    throw new CliError('usage', `${path}: ${why}`, {
      code: 'UNUSABLE_FILE',
      hint: 'backup needs a path that does not exist yet',
      cause: error,
    });
  }
}

/** `frjr`, in ASCII. */
const JOURNAL_FILE_ID = 0x66726a72;

/** Opens the journal in a SQLite file, creating it on first use; one that cannot be written can be read. Throws DatabaseError. */
export async function openSqliteStore(
  path: string,
  world: JournalWorld,
  warn?: (text: string) => Promise<void>,
): Promise<Store> {
  const database = await openJournalFile(path, world);
  const inTurn = oneAtATime();
  const queries: Queries = {
    engine: 'sqlite',
    all: async (sql, ...values) => database.all(sql, ...values),
    get: async (sql, ...values) => database.get(sql, ...values),
    run: async (sql, ...values) => database.run(sql, ...values),
    now: world.clock.now,
  };
  const inTransaction = async <T>(begin: () => Promise<void>, work: (queries: Queries) => Promise<T>) => {
    await begin();
    try {
      const result = await work(queries);
      database.exec('COMMIT');
      return result;
    } catch (error) {
      rollBack(database);
      throw error;
    }
  };
  const digestKey = database.get<{ value: string }>(`SELECT value FROM setting WHERE name = 'digest-key'`)?.value ?? '';
  let id: string | undefined;
  const store: Store = {
    path,
    unwritable: database.unwritable,
    get id() {
      id ??= idOf(digestKey);
      return id;
    },
    server: undefined,
    host: world.host.name,
    digestKey,
    read: (work) => inTurn(() => inTransaction(async () => database.exec('BEGIN'), work)),
    write: (work, waitMs) => inTurn(() => inTransaction(() => beginWrite(database, waitMs), work)),
    aheadMs: () => 0,
    backUp: (to) => inTurn(async () => backUp(database, to)),
    // A file has no other host; the saved head shows whether it was replaced.
    distrust: async () => {},
    isReplaced: async () => false,
    // Whoever may write the file owns it.
    isOwner: async () => false,
    accept: async () => {},
    close: async () => database.close(),
  };
  // A journal that was made or upgraded just now.
  if (!database.get(`SELECT 1 AS found FROM setting WHERE name = 'joined' AND value <> ''`)) {
    const { clearedText, joinChains } = await import('../joint.ts');
    const cleared = await store.write((each) => joinChains({ queries: each, host: store.host }, digestKey));
    if (cleared > 0) await warn?.(clearedText(cleared, 'sqlite'));
  }
  return store;
}

/** No input of an operation begins like this, so the id is never the digest of an input. */
const idOf = (digestKey: string) =>
  Buffer.from(shortHmac(digestKey, 'journal id\n'), 'base64url').toString('hex').slice(0, 8);

/** Some errors, such as a full disk, have already rolled the transaction back. */
function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // The error that matters is the first.
  }
}

/** How long this process stands still while another one writes. */
const TRY_MS = 50;

/**
 * Begins a transaction that writes, when the one before it has ended. SQLite's own waiting would also keep a transaction of this process
 * from ending, in another journal on the same file.
 */
async function beginWrite(database: Database, waitMs = BUSY_TIMEOUT_MS): Promise<void> {
  for (let leftMs = waitMs; ; leftMs -= TRY_MS) {
    try {
      return waitingAtMost(database, Math.min(TRY_MS, leftMs), () => database.exec('BEGIN IMMEDIATE'));
    } catch (error) {
      if (!(error instanceof DatabaseError && error.problem === 'busy') || leftMs <= TRY_MS) throw error;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

function waitingAtMost(database: Database, waitMs: number, work: () => void): void {
  const wait = (ms: number) => database.exec(`PRAGMA busy_timeout = ${ms}`);
  wait(waitMs);
  try {
    work();
  } finally {
    wait(BUSY_TIMEOUT_MS);
  }
}

function openJournalFile(path: string, world: JournalWorld): Promise<Database> {
  const addKey = (database: Database) => {
    const key = Buffer.from(world.ids.bytes(32)).toString('base64url');
    database.run('INSERT INTO setting VALUES (?, ?)', 'digest-key', key);
  };
  const createVersion3 = (database: Database) => {
    database.exec(VERSION_3);
    addKey(database);
  };
  return openDatabase(path, {
    synchronous: 'FULL',
    isReadable: true,
    isReadChanged: true,
    layout: {
      version: 8,
      applicationId: JOURNAL_FILE_ID,
      parts,
      create: (database) => {
        database.exec(CREATE);
        addKey(database);
      },
      upgrades: {
        ...UPGRADES,
        2: (database: Database) => moveOperations(database, world, createVersion3),
      },
    },
  });
}
