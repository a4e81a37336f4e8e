import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AtEnd,
  copyProgram,
  type Home,
  newHome,
  type Ran,
  ROOT,
  requireBuilt,
  startProgram,
} from '../support/built.ts';

/** What a check of types ends with that finds nothing. */
export const CLEAN: Ran = { stdout: '', stderr: '', code: 0 };

/** Checks files as strictly as TypeScript can. */
const STRICT = [
  '--ignoreConfig',
  '--noEmit',
  '--strict',
  '--exactOptionalPropertyTypes',
  '--noUncheckedIndexedAccess',
  '--singleThreaded',
  '--target',
  'es2024',
  '--types',
  'node',
  '--typeRoots',
  join(ROOT, 'node_modules', '@types'),
];

/** Checks declarations too, but for those of the language; else only what is imported from them. Those of Node take most of the time. */
export const DECLARATIONS = '--skipDefaultLibCheck';
export const NO_DECLARATIONS = '--skipLibCheck';

/** A project of other people, which has the files of the program and nothing else of this one. */
export function newProject(atEnd: AtEnd): Home {
  requireBuilt();
  const home = newHome(atEnd);
  copyProgram(join(home.path, 'node_modules', 'fiatrail'));
  return home;
}

/** Writes files to a project and checks their types. */
export function typeCheck(
  home: Home,
  files: Readonly<Record<string, string>>,
  ...options: readonly string[]
): Promise<Ran> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home.path, name), text);
  const argv = [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), ...STRICT, ...options, ...Object.keys(files)];
  return startProgram(home, process.execPath, argv).end;
}
