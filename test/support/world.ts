import { createHash, createHmac } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type {
  Check,
  Choice,
  Clock,
  Exchange,
  Ids,
  OutputStream,
  Probe,
  ProgramEnd,
  Prompter,
  World,
} from '../../src/base/world.ts';
import { temporaryFolder } from './built.ts';

/** A clock that stands still until somebody sleeps on it. */
export interface FakeClock extends Clock {
  /** How long each sleep was. */
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
      // Machines have no parts of a millisecond.
      nowMs += Math.ceil(durationMs);
    },
  };
}

/** Ids that count, so that a test reads the same every time. */
export function countingIds(): Ids {
  let count = 0;
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
}

function recorded(isTerminal: boolean): Recorded {
  const written: string[] = [];
  return {
    isTerminal,
    columns: undefined,
    text: () => written.join(''),
    write: async (text) => {
      written.push(text);
    },
  };
}

/** What a person at the terminal is expected to be asked, and what they say. */
export type Answer =
  | { readonly kind: 'confirm'; readonly asks: string; readonly says: boolean }
  | { readonly kind: 'text' | 'secret'; readonly asks: string; readonly says: string }
  /** `says` is the name of the choice, or its beginning; `types` is what a search is given first. */
  | { readonly kind: 'select' | 'search'; readonly asks: string; readonly says: string; readonly types?: string };

/** A person who knows what they will be asked: another question fails, and so does an answer that was not wanted. */
function strictPrompter(answers: readonly Answer[]): () => Promise<Prompter> {
  let asked = 0;
  const wrong: string[] = [];
  onTestFinished(() => {
    if (wrong.length > 0) throw new Error(`unexpected questions: ${wrong.join('; ')}`);
    if (asked < answers.length) throw new Error(`never asked: ${answers.slice(asked).map(({ asks }) => asks)}`);
  });
  const next = (kind: Answer['kind'], question: string) => {
    const answer = answers[asked];
    if (answer?.kind !== kind || !question.includes(answer.asks)) {
      wrong.push(question);
      throw new Error(`nobody expected the question: ${question}`);
    }
    asked += 1;
    return answer;
  };
  const typed = (kind: 'text' | 'secret') => async (question: string, check: Check, preset?: string) => {
    const text = String(next(kind, question).says) || (preset ?? '');
    const verdict = check(text);
    if (verdict !== true) throw new Error(`the prompt refused "${text}": ${verdict}`);
    return text;
  };
  const chosen = <T>(choices: readonly Choice<T>[], says: unknown): T => {
    const found = choices.find(({ name }) => name.startsWith(String(says)));
    if (!found) throw new Error(`"${says}" is none of: ${choices.map(({ name }) => name).join('; ')}`);
    return found.value;
  };
  return async () => ({
    confirm: async (question) => next('confirm', question).says === true,
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
  readonly clock?: Clock;
  /** Other programs that may be run; without it none is expected. */
  readonly runProgram?: World['runProgram'];
  readonly cwd?: string;
  /** What is found out about the way to a server; without it nobody is expected to look. */
  readonly probe?: Probe;
}

export interface FakeWorld extends World {
  readonly stdout: Recorded;
  readonly stderr: Recorded;
  readonly stateDir: string;
}

/** The environment of an account over the network, whose requests go to `network`. */
export const ACCOUNT = {
  FIATRAIL_BASE_URL: 'https://service.test/v1',
  FIATRAIL_API_KEY: 'a-live-key-nobody-may-see',
} as const;

const nobody: Exchange = async ({ method, url }) => {
  throw new Error(`nothing was to be sent, and this was: ${method} ${url}`);
};

const noProbe: Probe = {
  lookUp: async (host) => {
    throw new Error(`no host was to be looked up, and this was: ${host}`);
  },
  certificate: async (url) => {
    throw new Error(`no certificate was to be looked at, and this was: ${url}`);
  },
};

/** A world in a folder of its own: the files are real, all else is scripted. */
export function fakeWorld(options: WorldOptions = {}): FakeWorld {
  const { network = nobody, stdin = '', isTerminal = false, answers = [], env = {} } = options;
  const homeDir = temporaryFolder(onTestFinished);
  const stateDir = join(homeDir, 'state');
  return {
    clock: options.clock ?? fakeClock(),
    ids: countingIds(),
    stdin: { isTerminal, readAll: async () => stdin },
    stdout: recorded(isTerminal),
    stderr: recorded(isTerminal),
    env: { FIATRAIL_STATE_DIR: stateDir, FIATRAIL_CONFIG_DIR: join(homeDir, 'config'), ...env },
    network,
    probe: async () => options.probe ?? noProbe,
    prompter: strictPrompter(answers),
    interrupted: options.interrupted ?? new AbortController().signal,
    platform: 'linux',
    nodeVersion: process.versions.node,
    userId: process.getuid?.(),
    cwd: options.cwd ?? homeDir,
    self: [process.execPath, 'fiatrail'],
    runProgram:
      options.runProgram ??
      (async (words): Promise<ProgramEnd> => {
        throw new Error(`no program was to be run, and this was: ${words.join(' ')}`);
      }),
    findProgram: (name) => (options.runProgram ? name : undefined),
    homeDir,
    stateDir,
    readFile: async (path) => readFileSync(path, 'utf8'),
    ensurePrivateDir: (path) => {
      mkdirSync(path, { recursive: true, mode: 0o700 });
    },
    turn: async () => {},
    steadyMemory: () => {},
  };
}
