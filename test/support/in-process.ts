import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { LOCK_PROCESS } from '../../src/account/paths.ts';
import type { Clock, Exchange, HttpRequest, OutputStream, RunningProgram, World } from '../../src/base/world.ts';
import { createNetwork, createProbe } from '../../src/client/network.ts';
import { QUERY_PROCESS } from '../../src/copy/questions/sql/process-word.ts';
import { run } from '../../src/entry.ts';
import { findProgram, runProgram, startProgram } from '../../src/system/processes.ts';
import { createSystemWorld } from '../../src/system/world.ts';
import { accountsWith } from './accounts.ts';
import { type Home, jsonWith, OWN_FILES, type Ran, ROOT, type Running, type RunOptions, SHIM } from './built.ts';
import { lockProcessIn } from './lock-process.ts';

/**
 * fiatrail in this process, with the functions of built.ts and rotations.ts: the real files, network and other programs, but no start
 * of a program, which takes ten times as long as most commands. A query of `sql` runs here too. For what a command does; what a process is
 * (its signals, its death, its locks, its memory) needs the program.
 */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The real world without its signal handlers, which would keep this process from ending. */
function quietWorld(): World {
  const before = new Set(SIGNALS.flatMap((signal) => process.listeners(signal)));
  const world = createSystemWorld(OWN_FILES);
  for (const signal of SIGNALS)
    for (const listener of process.listeners(signal)) if (!before.has(listener)) process.off(signal, listener);
  return world;
}

/** What a stream received so far, and who waits for more. */
interface Collected extends OutputStream {
  text(): string;
  /** Resolves with what `find` returns of the text as soon as it returns something; rejects once the command has ended without it. */
  until(find: (text: string) => string | undefined): Promise<string>;
  end(): void;
}

function collected(heard: (text: string) => void): Collected {
  let all = '';
  let isAtEnd = false;
  let waiting: (() => void)[] = [];
  const wake = () => {
    const woken = waiting;
    waiting = [];
    for (const each of woken) each();
  };
  return {
    isTerminal: false,
    columns: undefined,
    write: async (written) => {
      const text = typeof written === 'string' ? written : Buffer.from(written).toString();
      all += text;
      heard(text);
      wake();
    },
    text: () => all,
    until: async (find) => {
      for (;;) {
        const found = find(all);
        if (found !== undefined) return found;
        if (isAtEnd) throw new Error(`the command ended without printing what the test waits for:\n${all}`);
        await new Promise<void>((wakeUp) => {
          waiting.push(wakeUp);
        });
      }
    },
    end: () => {
      isAtEnd = true;
      wake();
    },
  };
}

const system = quietWorld();
/** Asked once: the system looks the user up in its files. */
const { name, user } = system.host;
const processIds = new Set<number>();
/** Above every process id of this machine. Each command has an id of its own, which runs until it ends. */
let lastProcessId = 10_000_000;

interface Streams {
  stdin(): Promise<string>;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Standard input as it arrives, for a command that reads it so. */
  readonly parts?: AsyncIterable<Uint8Array> | undefined;
  readonly exchanged?: ((request: HttpRequest) => void) | undefined;
}

function worldOf(
  env: World['env'],
  { cwd, home, clock }: { readonly cwd: string; readonly home: string; readonly clock: Clock },
  { stdin, stdout, stderr, parts, exchanged }: Streams,
  interrupted: AbortSignal,
): World {
  lastProcessId += 1;
  let network: Exchange | undefined;
  return {
    clock,
    ids: system.ids,
    stdout,
    stderr,
    env,
    cwd,
    homeDir: home,
    interrupted,
    abandoned: new AbortController().signal,
    platform: system.platform,
    nodeVersion: system.nodeVersion,
    userId: system.userId,
    stdin: { isTerminal: false, readAll: stdin },
    host: {
      name,
      user,
      processId: lastProcessId,
      isRunning: (id) => processIds.has(id) || system.host.isRunning(id),
    },
    network: (...request) => {
      network ??= createNetwork(env, system);
      exchanged?.(request[0]);
      return network(...request);
    },
    probe: async () => createProbe(env),
    prompter: () => Promise.reject(new Error('a prompt without a terminal')),
    self: [process.execPath, SHIM],
    ownFile: system.ownFile,
    checkFiles: system.checkFiles,
    runProgram: (words, options) =>
      words.at(-2) === LOCK_PROCESS ? lockProcessIn(words.at(-1) ?? '') : runProgram(words, options, env, interrupted),
    startProgram: (words, input, options) =>
      words.at(-1) === QUERY_PROCESS ? startQuery(input) : startProgram(words, input, options, env, interrupted),
    inputParts: async function* () {
      if (parts) yield* parts;
      else yield Buffer.from(await stdin());
    },
    findProgram: (name) => findProgram(name, env, system.platform),
    readFile: async (path) => readFileSync(resolve(cwd, path), 'utf8'),
    ensurePrivateDir: system.ensurePrivateDir,
    turn: system.turn,
    startThread: undefined,
    limitProcess: () => {},
    exit: (code) => {
      throw new Error(`the command exits with ${code}`);
    },
    steadyMemory: () => {},
    meterLoad: () => () => 0,
    usedMemoryBytes: () => 0,
  };
}

/** Runs the process of a query. It ends only when it prints or is done: an endless one needs the program. */
function startQuery(input: AsyncIterable<string>): RunningProgram {
  const output = new PassThrough();
  const write = async (text: string) => {
    await new Promise<unknown>((resolve) => output.write(text, resolve));
    if (output.destroyed) throw new Error('nobody reads what the query finds');
  };
  async function* inputParts() {
    for await (const text of input) yield Buffer.from(text);
  }
  const world = {
    ...system,
    stdout: { isTerminal: false, columns: undefined, write },
    inputParts,
    limitProcess: () => {},
  };
  const ended = run([QUERY_PROCESS], OWN_FILES, world).then(
    (code) => ({ kind: 'ended', code, stdout: '' }) as const,
    () => ({ kind: 'late' }) as const,
  );
  void ended.then(() => output.end());
  return { output, ended, end: () => void output.destroy() };
}

/** A clock on which sleeps take no time, but move it. Else it goes like that of this machine, from the time that is given. */
export function clockThatSkips(fromMs = system.clock.now()): Clock {
  let skippedMs = fromMs - system.clock.now();
  return {
    ...system.clock,
    now: () => system.clock.now() + skippedMs,
    sleep: async (durationMs, signal) => {
      signal.throwIfAborted();
      skippedMs += Math.ceil(durationMs);
    },
  };
}

export interface HereOptions extends RunOptions {
  readonly clock?: Clock;
  /** Asked for standard input once the command reads it. */
  readonly input?: () => Promise<string>;
  /** Standard input as it arrives. */
  readonly parts?: AsyncIterable<Uint8Array>;
  /** Hears of each request before it leaves. */
  readonly exchanged?: (request: HttpRequest) => void;
  /** Hears what the command prints while it runs. */
  readonly heard?: (stream: 'stdout' | 'stderr', text: string) => void;
}

/** Starts a command. Only one at a time may use paths relative to its folder, because a process has only one. */
export function startFiatrail(
  home: Home,
  argv: readonly string[],
  { env = {}, cwd = home.path, clock = system.clock, heard, ...given }: HereOptions = {},
): Running {
  const interrupted = new AbortController();
  const stdout = collected((text) => heard?.('stdout', text));
  const stderr = collected((text) => heard?.('stderr', text));
  const { parts, exchanged } = given;
  const streams = { stdin: given.input ?? (async () => given.stdin ?? ''), stdout, stderr, parts, exchanged };
  const world = worldOf({ ...home.env, ...env }, { cwd, home: home.path, clock }, streams, interrupted.signal);
  const { processId } = world.host;
  const runToEnd = async (): Promise<Ran> => {
    processIds.add(processId);
    process.chdir(cwd);
    try {
      const code = await run(argv, OWN_FILES, world);
      return { stdout: stdout.text(), stderr: stderr.text(), code };
    } finally {
      process.chdir(ROOT);
      processIds.delete(processId);
      for (const stream of [stdout, stderr]) stream.end();
    }
  };
  return {
    pid: processId,
    end: runToEnd(),
    kill: () => interrupted.abort(),
    says: async (text) => void (await stderr.until((all) => (all.includes(text) ? all : undefined))),
    firstLine: () => stdout.until((all) => (all.includes('\n') ? all.slice(0, all.indexOf('\n')) : undefined)),
  };
}

/** Runs a command until it ends. */
export function fiatrail(home: Home, argv: readonly string[], options: HereOptions = {}): Promise<Ran> {
  return startFiatrail(home, argv, options).end;
}

export const fiatrailJson = jsonWith(fiatrail);

export const { must, serveSandbox, accountOf } = accountsWith(startFiatrail);
