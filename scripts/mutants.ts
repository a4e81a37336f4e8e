// Changes one line at a time in a copy of the tree, and runs the tests that guard it: node scripts/mutants.ts [part of a file’s path, or of one of its tests from test/ on]...
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MUTANTS, type Mutant } from '../test/mutants.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Nothing that a build or a test of the copy needs, or that it must not write to. */
const LEFT_OUT = new Set(['node_modules', '.git']);
/** A change may make a program wait, or a test go round, forever; no test that guards a line takes this long, nor all its files. */
const TEST_MS = 120_000;
const FILES_MS = 600_000;

interface Report {
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly name: string; readonly assertionResults: readonly unknown[] }[];
}

function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'fiatrail-mutants-'));
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !LEFT_OUT.has(relative(ROOT, path)) });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

function run(copy: string, words: readonly string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: FILES_MS,
  });
  return stdout + stderr;
}

/** Runs tests, and returns how many failed, or what kept them from running. */
function failedTests(copy: string, tests: readonly string[]): number | string {
  const path = join(copy, '.vitest', 'report.json');
  rmSync(path, { force: true });
  const onServer = tests.some((test) => test.startsWith('test/postgres/'));
  const config = onServer ? ['--config', 'vitest.postgres.config.ts'] : [];
  // Otherwise the cache of the tree itself would keep the modules of every copy.
  const cache = `--fsModuleCachePath=${join(copy, '.vitest', 'modules')}`;
  const flags = ['--reporter=json', `--outputFile=${path}`, `--testTimeout=${TEST_MS}`, cache];
  const output = run(copy, ['node_modules/vitest/vitest.mjs', 'run', ...config, ...tests, ...flags]);
  if (!existsSync(path)) return output.slice(-500);
  const { numFailedTests, testResults } = JSON.parse(readFileSync(path, 'utf8')) as Report;
  const unread = testResults.filter(({ assertionResults }) => assertionResults.length === 0);
  if (testResults.length < tests.length) return `only ${testResults.length} of ${tests.length} files were found`;
  return unread.length > 0 ? `${unread.map(({ name }) => relative(copy, name))}: cannot be read` : numFailedTests;
}

/** Builds the program in a copy if one of the tests starts it. Returns what went wrong, if anything did. */
function build(copy: string, tests: readonly string[]): string | undefined {
  if (!tests.some((test) => /requireBuilt|serveSandbox/.test(readFileSync(join(copy, test), 'utf8')))) return undefined;
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: copy, encoding: 'utf8' });
  return status === 0 ? undefined : stderr.slice(-500);
}

/** Changes a line, runs its tests, and puts the line back. */
function outcomeOf(copy: string, { file, line, change, tests }: Mutant): number | string {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  if (text.split(line).length !== 2) return `the line is there ${text.split(line).length - 1} times`;
  writeFileSync(
    path,
    text.replace(line, () => change),
  );
  try {
    return build(copy, tests) ?? failedTests(copy, tests);
  } finally {
    writeFileSync(path, text);
  }
}

/** Throws if a test fails without any change: what it says of a change would be worth nothing. */
function requirePassing(copy: string, mutants: readonly Mutant[]): void {
  const tests = [...new Set(mutants.flatMap((mutant) => mutant.tests))];
  const problem = build(copy, tests);
  if (problem !== undefined) throw new Error(problem);
  for (const onServer of [true, false]) {
    const some = tests.filter((test) => test.startsWith('test/postgres/') === onServer);
    const failed = some.length === 0 ? 0 : failedTests(copy, some);
    if (failed !== 0) throw new Error(`without a change, of ${some.join(', ')}: ${failed} failed`);
  }
}

const wanted = process.argv.slice(2);
const isWanted = ({ file, tests }: Mutant) =>
  wanted.some((part) => (part.startsWith('test/') ? tests.some((test) => test.includes(part)) : file.includes(part)));
const chosen = MUTANTS.filter((mutant) => wanted.length === 0 || isWanted(mutant));
const copy = copyTree();
let survivors = 0;
try {
  requirePassing(copy, chosen);
  for (const mutant of chosen) {
    const { file, line, change, failing = 2 } = mutant;
    const outcome = outcomeOf(copy, mutant);
    const isCaught = typeof outcome === 'number' && outcome >= failing;
    if (!isCaught) survivors += 1;
    const what = `${file}: ${line.trim()} -> ${change.trim() || '(nothing)'}`.replaceAll(/\s+/g, ' ');
    const failed = typeof outcome === 'number' ? `${outcome} failed` : outcome;
    process.stdout.write(`${isCaught ? 'ok  ' : 'BAD '} ${failed} (at least ${failing}): ${what}\n`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.stdout.write(`${chosen.length} changes, ${survivors} that too few tests notice\n`);
process.exitCode = survivors === 0 ? 0 : 1;
