import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { CODE_CACHE } from './code-cache.ts';

const LOOK_MS = 100;

/** Takes a folder as a lock. Returns whether another worker has it. */
function isTaken(lock: string): boolean {
  try {
    mkdirSync(lock);
    return false;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST') return true;
    throw error;
  }
}

/** Makes something once in a run of the suite, for all its workers, which wait for it: data that takes long to make. */
export async function onceInRun<T>(name: string, make: () => Promise<T>): Promise<T> {
  const folder = process.env[CODE_CACHE];
  if (folder === undefined) return make();
  const path = join(folder, name);
  const lock = `${path}.lock`;
  for (;;) {
    if (existsSync(path)) return deserialize(readFileSync(path)) as T;
    if (isTaken(lock)) {
      await sleep(LOOK_MS);
      continue;
    }
    try {
      // It may have been made between the two looks.
      if (existsSync(path)) continue;
      const made = await make();
      writeFileSync(`${path}.part`, serialize(made));
      renameSync(`${path}.part`, path);
      return made;
    } finally {
      rmdirSync(lock);
    }
  }
}
