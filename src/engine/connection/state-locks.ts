import { LOCK_PROCESS } from '../../account/paths.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import { identityOf, siblingPath } from '../../files/inspect.ts';
import { readPrivateFile, writePrivateFile } from '../../files/private-file.ts';
import type { JournalLocation } from '../../journal/open.ts';
import { removeDatabase } from '../../sqlite/database.ts';
import { DatabaseError } from '../../sqlite/errors.ts';
import { acquireLock } from '../../sqlite/lock.ts';

/** A state folder, and the path of the journal in it. */
type StateFolder = Pick<JournalLocation, 'dir' | 'path'>;

/** How the lock process says that the lock was refused, as it must be. */
const REFUSED = 5;

const TEST_MS = 20_000;

/**
 * Throws CliError usage if two processes can lock the same file of a state folder, as on NFS with `nolock`: both would take an idempotency key
 * for free. Starts this program once for each folder, because SQLite grants no second lock within a process, whatever the file system does.
 */
export async function requireLocks(world: World, folder: StateFolder): Promise<void> {
  const marker = siblingPath(folder.path, 'locks.tested');
  const identity = `${identityOf(folder.dir)}\n`;
  if (readPrivateFile(marker) === identity) return;
  await withLock(world, folder, async (path) => {
    const end = await world.runProgram([...world.self, LOCK_PROCESS, path], { timeoutMs: TEST_MS });
    if (end.kind !== 'ended') return;
    if (end.code === 0)
      throw new CliError(
        'usage',
        `${folder.dir} is on a file system whose locks do nothing, so two commands could send the same payment; nothing was sent`,
        { code: 'STATE_UNLOCKED', hint: HINT },
      );
    if (end.code === REFUSED) writePrivateFile(marker, identity, world.ids.uuid());
  });
}

/** Throws CliError usage if a lock that nobody else can have is refused, which SQLite reports like one that another process has. */
export async function requireLockable(world: World, folder: StateFolder): Promise<void> {
  await withLock(world, folder, async () => {});
}

/** Runs work while this process has the lock of a new file. */
async function withLock(world: World, folder: StateFolder, work: (path: string) => Promise<void>): Promise<void> {
  const path = siblingPath(folder.path, `lock-test-${world.ids.uuid()}.db`);
  try {
    const lock = await acquireLock(path, 0);
    if (!lock)
      throw new CliError('usage', `the file system of ${folder.dir} rejects every lock; nothing was sent`, {
        code: 'STATE_UNLOCKED',
        hint: `if it is on NFS, start the lock service of both machines; or ${HINT}`,
      });
    try {
      await work(path);
    } finally {
      lock.release();
    }
  } catch (error) {
    // A folder that cannot be written may still be read; opening the journal says what is wrong.
    if (!(error instanceof DatabaseError)) throw error;
  } finally {
    removeDatabase(path);
  }
}

const HINT = advice`move the whole state folder to a local disk and name it in FIATRAIL_STATE_DIR, because a new one lacks used idempotency keys; or share a journal: [fiatrail profiles journal set --url URL]`;

/** Tries to take a lock that the process which started this one has. Returns the exit code. */
export async function runLockProcess(path: string): Promise<number> {
  const lock = await acquireLock(path, 0);
  lock?.release();
  return lock ? 0 : REFUSED;
}
