import { basename, dirname, join } from 'node:path';
import { namesIn } from './inspect.ts';

/** Returns the path of a file in the folder of another one. */
export function siblingPath(path: string, name: string): string {
  return join(dirname(path), name);
}

/** Returns the files in the folder of `path` whose names begin and end like this, sorted. Throws the system's error. */
export function siblingFiles(path: string, start: string, ending: string): string[] {
  const names = namesIn(dirname(path)).filter((name) => name.startsWith(start) && name.endsWith(ending));
  return names.sort().map((name) => siblingPath(path, name));
}

/** Returns the files beside `path` whose names continue its name. Throws the system's error. */
export function filesNamedAfter(path: string, start: string, ending: string): string[] {
  return siblingFiles(path, basename(path) + start, ending);
}
