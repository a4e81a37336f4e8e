import { oneAtATime } from '../../base/calls.ts';
import { shortHmac } from '../../crypto/digest.ts';
import { BUSY_TIMEOUT_MS, type Database, openDatabase } from '../../sqlite/database.ts';
import { DatabaseError } from '../../sqlite/errors.ts';
import { insertion } from '../../store/table.ts';
import type { Queries, Store } from '../store.ts';
import { SETTING } from '../tables.ts';
import type { JournalWorld } from '../transitions.ts';
import { backUp, ended, queriesOf } from './file.ts';
import { creation, parts } from './schema.ts';

/** `frjr`, in ASCII. */
const JOURNAL_FILE_ID = 0x66726a72;

/** Opens the journal in a SQLite file, creating it on first use; one that cannot be written can be read. Throws DatabaseError. */
export async function openSqliteStore(path: string, world: JournalWorld): Promise<Store> {
  const database = await openJournalFile(path, world);
  const inTurn = oneAtATime();
  const queries = queriesOf(database, world.clock.now);
  const inTransaction = async <T>(begin: () => Promise<void>, work: (queries: Queries) => Promise<T>) => {
    await begin();
    return ended(database, () => work(queries));
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
  // A journal that was made just now.
  if (database.get<{ last: bigint | null }>('SELECT max(sequence) AS last FROM entry')?.last === null) {
    const { beginJournal } = await import('../digest-key.ts');
    await store.write((each) => beginJournal({ queries: each, host: store.host }, digestKey));
  }
  return store;
}

/** No input of an operation begins like this, so the id is never the digest of an input. */
const idOf = (digestKey: string) =>
  Buffer.from(shortHmac(digestKey, 'journal id\n'), 'base64url').toString('hex').slice(0, 8);

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

function openJournalFile(path: string, { ids }: JournalWorld): Promise<Database> {
  return openDatabase(path, {
    synchronous: 'FULL',
    isReadable: true,
    isReadChanged: true,
    layout: {
      version: 1,
      applicationId: JOURNAL_FILE_ID,
      parts,
      create: (database) => {
        database.exec(creation());
        const value = Buffer.from(ids.bytes(32)).toString('base64url');
        database.run(...insertion(SETTING, [{ name: 'digest-key', value }]));
      },
    },
  });
}
