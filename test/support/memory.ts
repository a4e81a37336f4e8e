import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file system in memory that most Linux machines have. */
const MEMORY = '/dev/shm';

/** Each suite needs less than half of this at any moment. A container often has only 64 MB. */
const NEEDED_BYTES = 4 * 1024 ** 3;

const PREFIX = 'fiatrail-suite-';

/**
 * Moves the temporary folders of the suite into memory where there is room: every command flushes its files to the disk, and
 * the tests only watch that it does. vitest calls this before its workers start, once for each project.
 */
export default function setup(): (() => void) | undefined {
  if (process.env['TMPDIR']?.startsWith(MEMORY) || !hasRoom()) return undefined;
  removeAbandoned();
  const folder = join(MEMORY, `${PREFIX}${process.pid}`);
  // The user of a PostgreSQL server goes through it to a folder of theirs.
  mkdirSync(folder, { mode: 0o711 });
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Whether memory has room, and runs programs: containers forbid that there. */
function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < NEEDED_BYTES) return false;
    const folder = mkdtempSync(join(MEMORY, 'fiatrail-probe-'));
    try {
      writeFileSync(join(folder, 'program'), '', { mode: 0o700 });
      accessSync(join(folder, 'program'), constants.X_OK);
      return true;
    } finally {
      rmSync(folder, { recursive: true });
    }
  } catch {
    return false;
  }
}

/** A killed run leaves its folder behind, which takes memory until someone removes it. */
function removeAbandoned(): void {
  for (const name of readdirSync(MEMORY).filter((each) => each.startsWith(PREFIX))) {
    try {
      process.kill(Number(name.slice(PREFIX.length)), 0);
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ESRCH') rmSync(join(MEMORY, name), { recursive: true, force: true });
    }
  }
}
