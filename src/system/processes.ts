import childProcess, { type ChildProcess, type SpawnOptions } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, extname, join } from 'node:path';
import { SECRET_VARIABLES } from '../base/secret.ts';
import type { ProgramEnd, ProgramOptions, RunningProgram, Thread } from '../base/world.ts';

type ProgramEnv = Readonly<Record<string, string | undefined>>;

const MAX_OUTPUT_BYTES = 64 * 1024;

const MAX_ERROR_BYTES = 4 * 1024;

/** How long a process that the program left running may keep its standard error open. */
const LATE_ERRORS_MS = 200;

/** Implements `World.runProgram`. Arguments are visible to every user of the machine, so they must not contain secrets. */
export async function runProgram(
  words: readonly string[],
  options: ProgramOptions,
  env: ProgramEnv,
  interrupted: AbortSignal,
  abandoned?: AbortSignal,
): Promise<ProgramEnd> {
  const { child, ended, end } = started(words, options, env, options.ending?.signal ?? interrupted);
  if (options.ending) abandoned?.addEventListener('abort', end, { once: true });
  child?.stdin?.end(options.inputBytes ?? options.input ?? '');
  const chunks: Buffer[] = [];
  let size = 0;
  child?.stdout?.on('data', (chunk: Buffer) => {
    if (size < MAX_OUTPUT_BYTES) chunks.push(chunk.subarray(0, MAX_OUTPUT_BYTES - size));
    size += chunk.length;
  });
  const ending = await ended;
  abandoned?.removeEventListener('abort', end);
  return ending.kind === 'ended' ? { ...ending, stdout: Buffer.concat(chunks).toString('utf8') } : ending;
}

/** Implements `World.startProgram`. */
export function startProgram(
  words: readonly string[],
  input: AsyncIterable<string>,
  options: ProgramOptions,
  env: ProgramEnv,
  interrupted: AbortSignal,
): RunningProgram {
  const { child, ended, end } = started(words, options, env, interrupted);
  if (child?.stdin) void feed(child.stdin, input);
  async function* output(): AsyncGenerator<Uint8Array> {
    try {
      yield* (child?.stdout ?? []) as AsyncIterable<Buffer>;
    } catch (error) {
      // Its end says why the output is not whole.
      if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    }
  }
  return { output: output(), ended, end };
}

/** Starts a program; nothing writes its standard input or reads its standard output yet. */
function started(
  words: readonly string[],
  { timeoutMs, isShell = false, isDetached = false, env: added = {}, variables, ending, ...options }: ProgramOptions,
  env: ProgramEnv,
  interrupted: AbortSignal,
): { readonly child: ChildProcess | undefined; readonly ended: Promise<ProgramEnd>; end(): void } {
  const [file = '', ...args] = words;
  const limit = AbortSignal.any([interrupted, AbortSignal.timeout(timeoutMs)]);
  const child = spawned(file, args, {
    // In a separate process group, so that its children can be killed with it and our Ctrl-C does not reach it.
    detached: true,
    shell: isShell,
    windowsHide: true,
    stdio: ['pipe', 'pipe', options.showsErrors ? 'inherit' : options.capturesErrors ? 'pipe' : 'ignore'],
    env: { ...Object.fromEntries(Object.entries(env).filter(([name]) => isPassedOn(name, variables))), ...added },
  });
  if (!child) return { child, ended: Promise.resolve({ kind: 'missing' }), end: () => {} };
  const errors = child.stderr && endOf(child.stderr);
  const { promise: ended, resolve } = Promise.withResolvers<ProgramEnd>();
  let isOver = false;
  const finish = (end: ProgramEnd) => {
    isOver = true;
    limit.removeEventListener('abort', askToEnd);
    clearTimeout(grace);
    child.stdout?.destroy();
    child.stderr?.destroy();
    const stderr = errors?.();
    resolve(end.kind === 'missing' || stderr === undefined ? end : { ...end, stderr });
  };
  const giveUp = () => {
    // Its process id may be another one's by now.
    if (isOver) return;
    if (!isDetached) endGroup(child.pid, 'SIGKILL');
    child.unref();
    finish({ kind: 'late' });
  };
  let grace: NodeJS.Timeout | undefined;
  const askToEnd = () => {
    if (isOver || !ending) return giveUp();
    grace = setTimeout(giveUp, ending.graceMs);
    endGroup(child.pid, 'SIGTERM');
  };
  limit.addEventListener('abort', askToEnd, { once: true });
  child.on('error', () => finish({ kind: 'missing' }));
  if (child.stderr) child.on('exit', () => setTimeout(() => child.stderr?.destroy(), LATE_ERRORS_MS).unref());
  child.on('close', (code) => finish(grace && code !== 0 ? { kind: 'late' } : { kind: 'ended', code, stdout: '' }));
  // The program may exit without reading its input.
  child.stdin?.on('error', () => {});
  if (limit.aborted) askToEnd();
  return { child, ended, end: giveUp };
}

/** Writes the parts of a text as fast as they are read, until nobody reads any more. */
async function feed(stdin: NonNullable<ChildProcess['stdin']>, input: AsyncIterable<string>): Promise<void> {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  stdin.once('close', close);
  const drained = () => new Promise<void>((resolve) => stdin.once('drain', resolve));
  try {
    for await (const text of input) {
      if (stdin.destroyed) return;
      if (!stdin.write(text)) await Promise.race([drained(), closed]);
    }
  } catch {
    // Whoever gave the input knows.
  } finally {
    stdin.end();
  }
}

/** Keeps the end of a stream. Returns a function that returns its last whole lines. */
function endOf(stream: NonNullable<ChildProcess['stderr']>): () => string {
  let buffered = Buffer.alloc(0);
  let isCut = false;
  stream.on('data', (chunk: Buffer) => {
    const all = Buffer.concat([buffered, chunk]);
    isCut ||= all.length > MAX_ERROR_BYTES;
    buffered = all.subarray(-MAX_ERROR_BYTES);
  });
  return () => {
    const text = buffered.toString('utf8');
    // The first line is dropped, because without its start it may hide that it contains a secret.
    return isCut ? text.slice(text.indexOf('\n') + 1 || text.length) : text;
  };
}

/** Whether another program gets a variable: never a secret. For Windows, `Path` and `PATH` are one. */
function isPassedOn(name: string, variables: readonly string[] | undefined): boolean {
  const known = isWindows() ? name.toUpperCase() : name;
  return !SECRET_VARIABLES.includes(known) && (variables?.includes(known) ?? true);
}

const isWindows = () => process.platform === 'win32';

/**
 * Starts a program; undefined for what the system cannot pass on, such as a null character or too much text in a variable. Windows would look
 * for a program in the current folder first, where someone else may have put one.
 */
function spawned(file: string, args: readonly string[], options: SpawnOptions): ChildProcess | undefined {
  const path = isWindows() && !options.shell ? findProgram(file, process.env, process.platform) : file;
  if (path === undefined) return undefined;
  try {
    return childProcess.spawn(path, args, options);
  } catch {
    return undefined;
  }
}

/** Ends a program and what it started. Windows can end programs, but not ask them to end: there, a program just has its time of grace. */
function endGroup(pid: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  if (isWindows()) {
    const file = join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe');
    if (signal === 'SIGKILL')
      childProcess.spawnSync(file, ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // It has already exited.
  }
}

/** Implements `World.findProgram`. */
export function findProgram(
  name: string,
  { PATH = '', PATHEXT = '.COM;.EXE;.BAT;.CMD' }: ProgramEnv,
  platform: string,
): string | undefined {
  // On Windows, what has none of these endings is not a program, although a shell of Unix may run it.
  const endings = PATHEXT.split(';');
  const hasEnding = platform !== 'win32' || endings.includes(extname(name).toUpperCase());
  const folders = /[/\\]/.test(name) ? [''] : PATH.split(delimiter).filter((folder) => folder !== '');
  return folders
    .flatMap((folder) => (hasEnding ? [''] : endings).map((ending) => join(folder, name) + ending))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Implements `World.startThread`: the thread runs this program again, a file or its text, which finds its part by the word. */
export function startThread(program: string, word: string, isText = false): Thread {
  // Loaded on first use: only a listener has a thread.
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const worker = new Worker(program, { argv: [word], eval: isText, resourceLimits: { maxYoungGenerationSizeMb: 6 } });
  // Its end says the same.
  worker.on('error', () => {});
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => void worker.on('message', listener),
    onEnd: (listener) => void worker.once('exit', listener),
    end: async () => void (await worker.terminate()),
  };
}

/** How often a process that is limited looks at its memory and at the process that started it. */
const LIMIT_CHECK_MS = 20;

/**
 * Runs on a thread of its own, because the others may be in a call that never returns. On Windows, the id of the process that started this one
 * stays, so it asks whether that still runs.
 */
const LIMITER = `const { workerData: { parent, memoryBytes } } = require('node:worker_threads');
const isOrphan = () => {
  if (process.ppid !== parent) return true;
  if (process.platform !== 'win32') return false;
  try { return !process.kill(parent, 0); } catch { return true; }
};
setInterval(() => {
  if (process.memoryUsage.rss() > memoryBytes || isOrphan()) process.kill(process.pid, 'SIGKILL');
}, ${LIMIT_CHECK_MS});`;

/** Implements `World.limitProcess`. */
export function limitProcess(memoryBytes: number): void {
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const workerData = { parent: process.ppid, memoryBytes };
  new Worker(LIMITER, { eval: true, workerData, resourceLimits: { maxYoungGenerationSizeMb: 4 } }).unref();
}
