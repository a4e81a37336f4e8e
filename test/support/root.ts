import { readdirSync } from 'node:fs';
import { ROOT } from './built.ts';

/** What lies in the folder of the repository. */
export const ROOT_ENTRIES: readonly string[] = [
  '.ci',
  '.github',
  '.gitattributes',
  '.gitignore',
  '.npmrc',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'bin',
  'biome.json',
  'docs',
  'package-lock.json',
  'package.json',
  'scripts',
  'src',
  'test',
  'tsconfig.json',
  'vitest.config.ts',
  'vitest.postgres.config.ts',
  'vitest.soak.config.ts',
  'vitest.tools.config.ts',
];

/** What git, npm, the build and vitest make there; .gitignore has the same. */
const MADE = /^(\.git|node_modules|dist|packages|\.dist-.*|\.vitest)$/;

/** Returns what else lies in the folder of the repository, such as a file that a test wrote to its current folder. */
export const strayInRoot = (folder = ROOT): string[] =>
  readdirSync(folder).filter((name) => !ROOT_ENTRIES.includes(name) && !MADE.test(name));
