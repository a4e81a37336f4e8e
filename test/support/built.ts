import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { CODE_CACHE } from './code-cache.ts';

/** The folder of the package. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

const SHIM = join(ROOT, 'bin', 'fiatrail.js');

/** A home of its own for one test: nothing in it is anybody's. */
export interface Home {
  readonly path: string;
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string>>;
}

/** `atEnd` is vitest's onTestFinished, or `sharedEnd()` for what several tests share. */
export type AtEnd = (cleanUp: () => void | Promise<void>) => void;

/** For what several tests share and a hook makes, which can register no other hook: call it where the hook is declared. */
export function sharedEnd(): AtEnd {
  const all: (() => void | Promise<void>)[] = [];
  afterAll(async () => {
    for (const cleanUp of all.reverse()) await cleanUp();
  });
  return (cleanUp) => {
    all.push(cleanUp);
  };
}

/** A new folder that is gone when the test has ended. */
export function temporaryFolder(atEnd: AtEnd): string {
  const path = mkdtempSync(join(tmpdir(), 'fiatrail-'));
  atEnd(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A home whose programs share their compiled code with those of other tests. */
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

/** Throws when what would be run is not what stands in src/: a test of an old build proves nothing. */
export function requireBuilt(): void {
  const built = statSync(join(ROOT, 'dist', 'main.cjs'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const newer = sources.find((name) => statSync(join(ROOT, 'src', name)).mtimeMs > built);
  if (newer) throw new Error(`dist/ is older than src/${newer}: run node build.ts first`);
}

/** How a program ended and what it said. */
export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

export interface RunOptions {
  /** Text for standard input, which is closed after it. */
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

/** A program that runs: its id, what it has said so far, and its end. */
export interface Running {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when standard error holds `text`; rejects when the program ends without it. */
  says(text: string): Promise<void>;
  /** Resolves with the first line of standard output; rejects when the program ends without one. */
  firstLine(): Promise<string>;
  readonly end: Promise<Ran>;
}

/** Starts any program in a home. */
export function startProgram(home: Home, file: string, argv: readonly string[], options: RunOptions = {}): Running {
  const child = spawn(file, argv, { cwd: options.cwd ?? home.path, env: { ...home.env, ...options.env } });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A program that never reads its input is no failure of the test.
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin ?? '');
  const end = new Promise<Ran>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ stdout, stderr, code }));
  });
  const says = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (stderr.includes(text)) resolve();
      };
      child.stderr.on('data', look);
      child.on('close', () => reject(new Error(`the program ended without saying "${text}":\n${stderr}`)));
      look();
    });
  const firstLine = () =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const end = stdout.indexOf('\n');
        if (end !== -1) resolve(stdout.slice(0, end));
      };
      child.stdout.on('data', look);
      child.on('close', () => reject(new Error(`the program ended without a line:\n${stderr}`)));
      look();
    });
  return { pid: child.pid ?? 0, kill: (signal) => void child.kill(signal), says, firstLine, end };
}

/** Starts the built fiatrail. */
export function startFiatrail(home: Home, argv: readonly string[], options: RunOptions = {}): Running {
  return startProgram(home, process.execPath, [SHIM, ...argv], options);
}

/** Runs the built fiatrail to its end. */
export function fiatrail(home: Home, argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return startFiatrail(home, argv, options).end;
}

/** Runs fiatrail with `-o json` to the document it prints; throws when it fails. */
export async function fiatrailJson<T>(home: Home, argv: readonly string[], options: RunOptions = {}): Promise<T> {
  const { stdout, stderr, code } = await fiatrail(home, [...argv, '-o', 'json'], options);
  if (code !== 0) throw new Error(`fiatrail ${argv.join(' ')} ended with ${code}:\n${stderr}`);
  return JSON.parse(stdout) as T;
}

/** What is waited for, and what is done then: a text for the program, or a fiatrail command elsewhere. */
export type Step =
  | { readonly expect: string; readonly send: string }
  /** `{}` of the words stands for what the pattern's group finds on the screen. */
  | { readonly expect: string; readonly find: string; readonly run: readonly string[] };

export interface OnTerminal {
  /** Everything the terminal got, escape sequences too. */
  readonly screen: string;
  readonly code: number;
  /** The text that never came; null when each did. */
  readonly missed: string | null;
}

/** Runs fiatrail on a pseudo-terminal (terminal.py, for which python3 is needed) and answers what it asks. */
export async function fiatrailOnTerminal(
  home: Home,
  argv: readonly string[],
  steps: readonly Step[],
  { term = 'xterm', columns = 80 }: { readonly term?: string; readonly columns?: number } = {},
): Promise<OnTerminal> {
  const words = (given: readonly string[]) => [process.execPath, SHIM, ...given];
  const job = {
    argv: words(argv),
    env: { ...home.env, TERM: term },
    cwd: home.path,
    columns,
    steps: steps.map((step) => ('run' in step ? { ...step, run: words(step.run) } : step)),
  };
  const script = join(ROOT, 'test', 'support', 'terminal.py');
  const ran = await startProgram(home, 'python3', [script], {
    stdin: JSON.stringify(job),
    env: { PATH: process.env['PATH'] },
  }).end;
  if (ran.code !== 0)
    throw new Error(`python3 test/support/terminal.py failed, and these tests need it: ${ran.stderr}`);
  return JSON.parse(ran.stdout) as OnTerminal;
}
