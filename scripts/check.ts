/**
 * `npm run check`: format, lint, types, and the tests closest to what changed since the last commit. The whole suite is `npm test`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';

/** Quick, and about the whole project: the rules of the rooms, the documents, the specification. */
const ALWAYS = ['test/house.test.ts', 'test/docs/', 'test/witness/'];

/** Folders whose tests cover files elsewhere too. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  'src/contract/endpoints': [
    'test/contract/',
    'test/service/operations/conformance.test.ts',
    'test/service/operations/faults.test.ts',
  ],
  'src/service': ['test/service/operations/', 'test/service/machines.test.ts'],
};

const git = (...words: string[]) =>
  execFileSync('git', words, { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');

/** Runs a program on our terminal; ends this one with its exit code if it fails. */
function run(program: string, ...words: string[]): void {
  const { status } = spawnSync(program, words, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const isTest = (path: string) => path.startsWith('test/') && path.endsWith('.test.ts');

function importsAnyOf(test: string, changed: ReadonlySet<string>): boolean {
  const text = readFileSync(test, 'utf8');
  return [...text.matchAll(/from '(\.[^']+)'/g)].some(([, target = '']) =>
    changed.has(posix.join(posix.dirname(test), target)),
  );
}

const changed = new Set([
  ...git('diff', '--name-only', '--diff-filter=d', 'HEAD'),
  ...git('ls-files', '--others', '--exclude-standard'),
]);
const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter(isTest);
const folders = new Set([...changed].filter((path) => path.startsWith('src/')).map((path) => dirname(path)));
const near = Object.entries(ALSO).flatMap(([room, also]) =>
  [...folders].some((folder) => folder.startsWith(room)) ? also : [],
);
const wanted = tests.filter(
  (test) =>
    changed.has(test) ||
    folders.has(dirname(test).replace(/^test/, 'src')) ||
    [...ALWAYS, ...near].some((start) => test.startsWith(start)) ||
    importsAnyOf(test, changed),
);

run('biome', 'check');
run('npm', 'run', 'types');
run('node', 'scripts/build.ts');
run('vitest', 'run', ...wanted);
