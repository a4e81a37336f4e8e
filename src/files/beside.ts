import { basename, dirname, join } from 'node:path';
import { namesIn } from './inspect.ts';

/** Returns the paths of the files whose names begin with the whole name of the file at `path` and end with `ending`. Throws the system's error. */
export function filesBeside(path: string, start: string, ending: string): string[] {
  const folder = dirname(path);
  return namesIn(folder)
    .filter((name) => name.startsWith(basename(path) + start) && name.endsWith(ending))
    .sort()
    .map((name) => join(folder, name));
}
