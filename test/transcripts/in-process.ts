import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputStream, World } from '../../src/base/world.ts';
import { createNetwork } from '../../src/client/network.ts';
import { createProbe } from '../../src/client/probe.ts';
import { run } from '../../src/entry.ts';
import { findProgram, runProgram } from '../../src/system/programs.ts';
import { createSystemWorld } from '../../src/system/world.ts';
import { type Home, type Ran, ROOT, type RunOptions } from '../support/built.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The real world without its signal handlers, which would keep this process from ending. */
function quietWorld(): World {
  const before = new Set(SIGNALS.flatMap((signal) => process.listeners(signal)));
  const world = createSystemWorld();
  for (const signal of SIGNALS)
    for (const listener of process.listeners(signal)) if (!before.has(listener)) process.off(signal, listener);
  return world;
}

function collected(): OutputStream & { text(): string } {
  let all = '';
  return {
    isTerminal: false,
    columns: undefined,
    write: async (text) => {
      all += text;
    },
    text: () => all,
  };
}

/** Above every process id of this machine. */
const FIRST_PROCESS_ID = 10_000_000;

/**
 * Returns a function that runs commands in this process, as the program would: starting a program takes ten times as long as most
 * commands. One at a time; each has a process id of its own, which runs until it ends. bin/fiatrail.js answers help by itself, so help needs the program.
 */
export function inProcess() {
  const system = quietWorld();
  const running = new Set<number>();
  let lastId = FIRST_PROCESS_ID;
  return async (home: Home, argv: readonly string[], { stdin = '', env: more = {} }: RunOptions): Promise<Ran> => {
    const env = { ...home.env, ...more };
    const [stdout, stderr] = [collected(), collected()];
    const never = new AbortController().signal;
    lastId += 1;
    const processId = lastId;
    running.add(processId);
    process.chdir(home.path);
    const world: World = {
      ...{ clock: system.clock, ids: system.ids, stdout, stderr, env, cwd: home.path, homeDir: home.path },
      ...{ interrupted: never, abandoned: never, platform: system.platform, nodeVersion: system.nodeVersion },
      stdin: { isTerminal: false, readAll: async () => stdin },
      host: {
        name: system.host.name,
        user: system.host.user,
        processId,
        isRunning: (id) => running.has(id) || system.host.isRunning(id),
      },
      network: createNetwork(env, system),
      probe: async () => createProbe(env),
      prompter: () => Promise.reject(new Error('a prompt without a terminal')),
      userId: system.userId,
      self: [process.execPath, join(ROOT, 'bin', 'fiatrail.js')],
      runProgram: (words, options) => runProgram(words, options, env, never),
      findProgram: (name) => findProgram(name, env, system.platform),
      readFile: async (path) => readFileSync(join(path), 'utf8'),
      ensurePrivateDir: system.ensurePrivateDir,
      turn: system.turn,
      startThread: undefined,
      exit: (code) => {
        throw new Error(`the command exits with ${code}`);
      },
      steadyMemory: () => {},
    };
    try {
      const code = await run(argv, world);
      return { stdout: stdout.text(), stderr: stderr.text(), code };
    } finally {
      process.chdir(ROOT);
      running.delete(processId);
    }
  };
}
