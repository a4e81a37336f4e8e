import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { LOCK_PROCESS } from '../../src/account/paths.ts';
import type {
  Asking,
  Check,
  Choice,
  Clock,
  Exchange,
  Host,
  Ids,
  OutputStream,
  Probe,
  Prompter,
  World,
} from '../../src/base/world.ts';
import { ensurePrivateFolder } from '../../src/files/private-folder.ts';
import { ROOT, temporaryFolder } from './built.ts';
import { lockProcessIn } from './lock-process.ts';

/** A clock that only moves when something sleeps on it. */
export interface FakeClock extends Clock {
  /** The durations of all sleeps. */
  readonly sleeps: number[];
}

export function fakeClock(startMs = Date.UTC(2026, 0, 5, 9)): FakeClock {
  let nowMs = startMs;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => nowMs,
    sleep: async (durationMs, signal) => {
      signal.throwIfAborted();
      sleeps.push(durationMs);
      // Real clocks have no fractions of a millisecond.
      nowMs += Math.ceil(durationMs);
    },
  };
}

/** A machine on which this process runs, and every other process has ended. */
export function fakeHost(processId = 100, name = 'host-1'): Host {
  return { name, user: 'ada', processId, isRunning: (id) => id === processId };
}

/** Ids from a counter, so that every run has the same ids. */
export function countingIds(from = 0): Ids {
  let count = from;
  const bytes = (length: number) => {
    count += 1;
    return new Uint8Array(createHash('shake256', { outputLength: length }).update(String(count)).digest());
  };
  const uuid = () => {
    count += 1;
    return `01900000-0000-7000-8000-${String(count).padStart(12, '0')}`;
  };
  return { uuid, bytes, digest: (key, text) => createHmac('sha256', key).update(text).digest('base64url') };
}

export interface Recorded extends OutputStream {
  text(): string;
  bytes(): Uint8Array;
}

function recorded(isTerminal: boolean): Recorded {
  const written: Buffer[] = [];
  return {
    isTerminal,
    columns: undefined,
    text: () => Buffer.concat(written).toString(),
    bytes: () => Buffer.concat(written),
    write: async (text) => {
      written.push(Buffer.from(text));
    },
  };
}

/** An expected prompt at the terminal and its answer. */
export type Answer =
  | { readonly kind: 'confirm'; readonly asks: string; readonly says: boolean | Promise<boolean> }
  | { readonly kind: 'text' | 'secret'; readonly asks: string; readonly says: string }
  /** `says` is the name of the choice or a prefix of it; `types` is what is typed into a search first. */
  | { readonly kind: 'select' | 'search'; readonly asks: string; readonly says: string; readonly types?: string };

/** A prompter that answers a fixed list of prompts. An unexpected prompt fails the test, and so does an unused answer. */
function strictPrompter(answers: readonly Answer[]): () => Promise<Prompter> {
  let asked = 0;
  const wrong: string[] = [];
  onTestFinished(() => {
    if (wrong.length > 0) throw new Error(`unexpected prompts: ${wrong.join('; ')}`);
    if (asked < answers.length)
      throw new Error(`prompts that never came: ${answers.slice(asked).map(({ asks }) => asks)}`);
  });
  const next = (kind: Answer['kind'], question: string) => {
    const answer = answers[asked];
    if (answer?.kind !== kind || !question.includes(answer.asks)) {
      wrong.push(question);
      throw new Error(`unexpected prompt: ${question}`);
    }
    asked += 1;
    return answer;
  };
  const typed = (kind: 'text' | 'secret') => async (question: string, check: Check, asking?: Asking<string>) => {
    const text = String(next(kind, question).says) || (asking?.preset ?? '');
    const verdict = check(text);
    if (verdict !== true) throw new Error(`the prompt rejected "${text}": ${verdict}`);
    return text;
  };
  const chosen = <T>(choices: readonly Choice<T>[], says: unknown): T => {
    const found = choices.find(({ name }) => name.startsWith(String(says)));
    if (!found) throw new Error(`"${says}" is not one of: ${choices.map(({ name }) => name).join('; ')}`);
    return found.value;
  };
  return async () => ({
    confirm: async (question) => (await next('confirm', question).says) === true,
    text: typed('text'),
    secret: typed('secret'),
    select: async (question, choices) => chosen(choices, next('select', question).says),
    search: async (question, find) => {
      const answer = next('search', question);
      const typedFirst = 'types' in answer ? (answer.types ?? '') : '';
      return chosen(await find(typedFirst, new AbortController().signal), answer.says);
    },
  });
}

export interface WorldOptions {
  readonly network?: Exchange;
  readonly stdin?: string;
  readonly isTerminal?: boolean;
  readonly answers?: readonly Answer[];
  readonly env?: Readonly<Record<string, string>>;
  readonly interrupted?: AbortSignal;
  readonly abandoned?: AbortSignal;
  readonly clock?: Clock;
  /** Runs other programs; by default, running one fails the test. */
  readonly runProgram?: World['runProgram'];
  readonly cwd?: string;
  /** The user that the program runs as; by default, the one that runs the test. */
  readonly userId?: number;
  /** Looks up hosts and certificates; by default, a lookup fails the test. */
  readonly probe?: Probe;
  readonly host?: Host;
}

export interface FakeWorld extends World {
  readonly stdout: Recorded;
  readonly stderr: Recorded;
  readonly stateDir: string;
}

/**
 * The environment of an account over the network, whose requests go to `network`. It names the journal that a fake world makes, so that the live
 * account need not confirm its first one; a test about that sets the variable to nothing.
 */
export const ACCOUNT = {
  FIATRAIL_BASE_URL: 'https://service.test/v1',
  FIATRAIL_API_KEY: 'a-live-key-nobody-may-see',
  FIATRAIL_JOURNAL_ID: '4f3138f8',
} as const;

const noNetwork: Exchange = async ({ method, url }) => {
  throw new Error(`unexpected request: ${method} ${url}`);
};

const noProbe: Probe = {
  lookUp: async (host) => {
    throw new Error(`unexpected host lookup: ${host}`);
  },
  certificate: async (url) => {
    throw new Error(`unexpected certificate lookup: ${url}`);
  },
};

/** A service answers with its time, as every server does; it is right unless the exchange says another one. */
export function dated(exchange: Exchange, clock: Pick<Clock, 'now'>): Exchange {
  return async (...given) => {
    const answer = await exchange(...given);
    return { ...answer, headers: { date: new Date(clock.now()).toUTCString(), ...answer.headers } };
  };
}

/** Ids whose first key, which is that of a new journal, does not depend on what was drawn before. */
function idsOfWorld(): Ids {
  const [ids, keys] = [countingIds(), countingIds()];
  let isFirst = true;
  return {
    ...ids,
    bytes: (length) => {
      const drawn = ids.bytes(length);
      if (length !== 32 || !isFirst) return drawn;
      isFirst = false;
      return keys.bytes(length);
    },
  };
}

/** Has requests that are tried again leave at once: ky waits a random part of its delay, on the clock of the machine. */
function retryAtOnce(): void {
  const chance = vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => chance.mockRestore());
}

/** A world in a temporary folder: the files are real, everything else is scripted. */
export function fakeWorld(options: WorldOptions = {}): FakeWorld {
  retryAtOnce();
  const { network = noNetwork, stdin = '', isTerminal = false, answers = [], env = {} } = options;
  const homeDir = temporaryFolder(onTestFinished);
  const stateDir = join(homeDir, 'state');
  const clock = options.clock ?? fakeClock();
  return {
    clock,
    ids: idsOfWorld(),
    host: options.host ?? fakeHost(),
    stdin: { isTerminal, readAll: async () => stdin },
    stdout: recorded(isTerminal),
    stderr: recorded(isTerminal),
    env: { FIATRAIL_STATE_DIR: stateDir, FIATRAIL_CONFIG_DIR: join(homeDir, 'config'), ...env },
    network: dated(network, clock),
    probe: async () => options.probe ?? noProbe,
    prompter: strictPrompter(answers),
    interrupted: options.interrupted ?? new AbortController().signal,
    abandoned: options.abandoned ?? new AbortController().signal,
    platform: 'linux',
    nodeVersion: process.versions.node,
    userId: options.userId ?? process.getuid?.(),
    cwd: options.cwd ?? homeDir,
    self: [process.execPath, 'fiatrail'],
    ownFile: (name) => join(ROOT, name),
    checkFiles: async () => ({ count: 1, damaged: [] }),
    runProgram: (words, given) => {
      if (words.at(-2) === LOCK_PROCESS) return lockProcessIn(words.at(-1) ?? '');
      if (options.runProgram) return options.runProgram(words, given);
      throw new Error(`unexpected program: ${words.join(' ')}`);
    },
    startProgram: (words) => {
      throw new Error(`unexpected program: ${words.join(' ')}`);
    },
    inputParts: async function* () {
      yield Buffer.from(stdin);
    },
    findProgram: (name) => (options.runProgram ? name : undefined),
    homeDir,
    stateDir,
    readFile: async (path) => readFileSync(path, 'utf8'),
    ensurePrivateDir: ensurePrivateFolder,
    turn: async () => {},
    startThread: undefined,
    limitProcess: () => {},
    exit: (code) => {
      throw new Error(`unexpected exit with ${code}`);
    },
    steadyMemory: () => {},
    meterLoad: () => () => 0,
    usedMemoryBytes: () => 0,
  };
}
