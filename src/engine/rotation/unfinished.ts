import { rotationsDir, type UserEnv } from '../../account/paths.ts';
import { namesIn } from '../../files/inspect.ts';

// What every command asks about rotations. What one of them needs besides is loaded when there is one.

/** The first argument that starts the rotation process, the process that sends the request and saves the response. */
export const ROTATION_PROCESS = '__rotation';

/** Returns the operation ids that have files here: rotations that are unfinished or not yet cleaned up. */
export function unfinishedRotations(world: UserEnv): string[] {
  try {
    const names = namesIn(rotationsDir(world)).flatMap((name) => ROTATION_FILE.exec(name)?.[1] ?? []);
    return [...new Set(names)].sort();
  } catch {
    return [];
  }
}

const ROTATION_FILE = /^([^.]+)\.(?:answer|key|send\.db|work\.db)$/;
