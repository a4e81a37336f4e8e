import type { ProgramEnd } from '../../src/base/world.ts';
import { runLockProcess } from '../../src/engine/connection/state-locks.ts';

/** The process that tries a lock, in this one: SQLite grants no second lock within a process. */
export const lockProcessIn = async (path: string): Promise<ProgramEnd> => ({
  kind: 'ended',
  code: await runLockProcess(path),
  stdout: '',
});
