import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { sourcesDigest } from '../../scripts/sources.ts';
import type { ProgramFiles } from '../../src/base/world.ts';
import { CODE_CACHE } from './code-cache.ts';

/** The folder of the package. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** The program. */
export const SHIM = join(ROOT, 'bin', 'fiatrail.js');

/** Its files. */
export const OWN_FILES: ProgramFiles = createRequire(import.meta.url)(join(ROOT, 'bin', 'files.js'));

/** The command line of what is tested. FIATRAIL_TEST_PROGRAM names another build of the program, such as the single binary. */
const PROGRAM = process.env['FIATRAIL_TEST_PROGRAM'];
const PROGRAM_WORDS: readonly [string, ...string[]] = PROGRAM ? [PROGRAM] : [process.execPath, SHIM];

/** A home folder for one test, isolated from the machine. */
export interface Home {
  readonly path: string;
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Registers a clean-up: vitest's onTestFinished, or `sharedEnd()` for resources that several tests share. */
export type AtEnd = (cleanUp: () => void | Promise<void>) => void;

/** Cleans up after all tests of a file. Call it at the top level: a beforeAll hook cannot register another hook. */
export function sharedEnd(): AtEnd {
  const all: (() => void | Promise<void>)[] = [];
  afterAll(async () => {
    for (const cleanUp of all.reverse()) await cleanUp();
  });
  return (cleanUp) => {
    all.push(cleanUp);
  };
}

/** Creates a folder that is removed when the test has finished. */
export function temporaryFolder(atEnd: AtEnd): string {
  const path = mkdtempSync(join(tmpdir(), 'fiatrail-'));
  atEnd(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Creates a home and a complete environment for its programs, without CI, account or proxy settings of this machine. */
export function newHome(atEnd: AtEnd): Home {
  return homeWith(temporaryFolder(atEnd), process.env[CODE_CACHE]);
}

/** A home for a test of what a program leaves on the disk, compiled code included. */
export function newHomeWithCache(atEnd: AtEnd): Home {
  return homeWith(temporaryFolder(atEnd), undefined);
}

/** The whole environment for programs that live in a home: no CI, no account, no proxy of this machine. */
function homeWith(path: string, sharedCache: string | undefined): Home {
  const stateDir = join(path, 'state');
  const ownCache = join(path, 'cache');
  if (sharedCache === undefined) mkdirSync(ownCache, { mode: 0o700 });
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: path,
    XDG_CACHE_HOME: sharedCache ?? ownCache,
    FIATRAIL_STATE_DIR: stateDir,
    FIATRAIL_CONFIG_DIR: join(path, 'config'),
  };
  return { path, stateDir, env };
}

let isChecked = false;

/** Throws if dist/ was not built from what src/ is now: testing another build proves nothing. Looks once in each worker. */
export function requireBuilt(): void {
  if (isChecked) return;
  const built = join(ROOT, 'dist', 'build.json');
  const { sources } = existsSync(built) ? (JSON.parse(readFileSync(built, 'utf8')) as { sources?: string }) : {};
  if (sources !== sourcesDigest(ROOT))
    throw new Error('dist/ was not built from these sources: run npm run build first');
  isChecked = true;
}

/** Copies the files of the program into a folder: the package without its documents. */
export function copyProgram(folder: string): void {
  for (const name of ['bin', 'dist', 'package.json']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
}

/** The output and exit code of a program. */
export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

export interface RunOptions {
  /** The text of standard input, which is then closed. */
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

/** A running program. */
export interface Running {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Resolves once standard error contains `text`; rejects if the program ends without it. */
  says(text: string): Promise<void>;
  /** Resolves with the first line of standard output; rejects if the program ends without one. */
  firstLine(): Promise<string>;
  readonly end: Promise<Ran>;
}

const running = new Set<ChildProcess>();

/** Has a program ended after the tests of the file, if nothing else ends it. */
export function endAfterFile(child: ChildProcess): void {
  running.add(child);
  child.on('exit', () => running.delete(child)).on('error', () => running.delete(child));
}

/** Ends what the tests of a file left running: a test that fails may not have ended its programs. */
export function endPrograms(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Starts any program in a home. It runs until the tests of the file end, if nothing else ends it. */
export function startProgram(home: Home, file: string, argv: readonly string[], options: RunOptions = {}): Running {
  const child = spawn(file, argv, { cwd: options.cwd ?? home.path, env: { ...home.env, ...options.env } });
  endAfterFile(child);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A program that does not read its input does not fail the test.
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin ?? '');
  const end = new Promise<Ran>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ stdout, stderr, code }));
  });
  const says = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (stderr.includes(text)) resolve();
      };
      child.stderr.on('data', check);
      child.on('close', () => reject(new Error(`the program ended without printing "${text}":\n${stderr}`)));
      check();
    });
  const firstLine = () =>
    new Promise<string>((resolve, reject) => {
      const check = () => {
        const end = stdout.indexOf('\n');
        if (end !== -1) resolve(stdout.slice(0, end));
      };
      child.stdout.on('data', check);
      child.on('close', () => reject(new Error(`the program ended without printing a line:\n${stderr}`)));
      check();
    });
  return { pid: child.pid ?? 0, kill: (signal) => void child.kill(signal), says, firstLine, end };
}

/** Starts the built fiatrail. */
export function startFiatrail(home: Home, argv: readonly string[], options: RunOptions = {}): Running {
  const [file, ...words] = PROGRAM_WORDS;
  return startProgram(home, file, [...words, ...argv], options);
}

/** Runs the built fiatrail until it exits. */
export function fiatrail(home: Home, argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return startFiatrail(home, argv, options).end;
}

/** Returns a function that runs fiatrail with `-o json` and parses what it prints. It throws if the command fails. */
export function jsonWith<O extends RunOptions>(run: (home: Home, argv: readonly string[], options: O) => Promise<Ran>) {
  return async <T>(home: Home, argv: readonly string[], options = {} as O): Promise<T> => {
    const { stdout, stderr, code } = await run(home, [...argv, '-o', 'json'], options);
    if (code !== 0) throw new Error(`fiatrail ${argv.join(' ')} ended with ${code}:\n${stderr}`);
    return JSON.parse(stdout) as T;
  };
}

export const fiatrailJson = jsonWith(fiatrail);
