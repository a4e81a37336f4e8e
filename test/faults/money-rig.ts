import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ExchangeError, TOO_LATE } from '../../src/base/exchange-error.ts';
import type { Exchange, HttpRequest, OutputStream, World } from '../../src/base/world.ts';
import type { FaultKind } from '../../src/contract/fault-kinds.ts';
import { main } from '../../src/main.ts';
import { checkLedger } from '../../src/service/ledger.ts';
import type { AtEnd } from '../support/built.ts';
import { countingIds, openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { type FakeWorld, fakeWorld } from '../support/world.ts';
import { type Process, requestOf, running } from './money-death.ts';
import { furnish, type Group, type Place } from './money-groups.ts';

/** An operation as the journal file has it. */
export interface Entry {
  readonly id: string;
  readonly state: string;
  readonly verdict: string | null;
  readonly endpoint: string;
  readonly once_key: string | null;
  readonly request_id: string | null;
  readonly input_digest: string;
  readonly process: number;
}

export interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The process that ran it. */
  readonly process: number;
}

type Troubles = Omit<Process, 'id' | 'commits' | 'requests' | 'isDead'>;

/** A sandbox over the network, a journal, and processes that use both and may die. */
export interface Rig {
  readonly place: Place;
  run(argv: readonly string[], troubles?: Partial<Troubles> & { readonly host?: string }): Promise<Ran>;
  fault(endpoint: string, kind: FaultKind): Promise<void>;
  clearFaults(): Promise<void>;
  /** Lets time pass for everyone; requests that are late arrive meanwhile. */
  pass(durationMs: number): Promise<void>;
  journal(): readonly Entry[];
  /** The ids of all work in the sandbox. */
  work(): Promise<readonly string[]>;
  /** Which process started a piece of work. */
  startedBy(requestId: string): number | undefined;
  isBalanced(): Promise<boolean>;
  /** The commands so far, for the message of a failure. */
  readonly log: readonly string[];
}

const BASE_URL = 'http://127.0.0.1:9/v1';
/** A late request arrives this long after it was sent: less than the time after which absence is believed. */
const LATE_MS = 9 * 60_000;

/** A request that arrives later. */
interface Late {
  readonly atMs: number;
  deliver(): Promise<void>;
}

/** The way to the sandbox, and what came of each request. */
interface Network {
  readonly exchange: Exchange;
  readonly late: Late[];
  /** The process that started a piece of work, by the work's id. */
  readonly started: ReadonlyMap<string, number>;
}

function networkTo(box: TestSandbox, work: () => Promise<readonly string[]>): Network {
  const started = new Map<string, number>();
  const late: Late[] = [];
  // One request at a time, so that the work it starts is known.
  const inTurn = turns();
  const perform = (process: Process, request: HttpRequest) =>
    inTurn(async () => {
      const before = new Set(await work());
      try {
        return await answered(box, request);
      } finally {
        for (const id of await work()) if (!before.has(id)) started.set(id, process.id);
      }
    });
  const exchange: Exchange = async (request, _signal, isRead) => {
    const process = running.getStore();
    if (!process) throw new Error('a request outside a process');
    return requestOf(process, async () => {
      if (isRead) return answered(box, request);
      const { suspended } = process;
      process.suspended = undefined;
      await suspended?.();
      // The network looks at the time again when the connection stands.
      if (request.isLate?.()) throw new ExchangeError(TOO_LATE, false);
      if (!process.isLate) return perform(process, request);
      late.push({
        atMs: box.clock.now() + LATE_MS,
        deliver: async () => void (await perform(process, request).catch(() => {})),
      });
      throw new ExchangeError('the connection was lost', true);
    });
  };
  return { exchange, late, started };
}

/** Opens a sandbox with a journal beside it. */
export async function openRig(group: Group, seed: number, atEnd: AtEnd): Promise<Rig> {
  const box = await openSandbox({ ids: countingIds(seed) });
  atEnd(box.close);
  const base = fakeWorld({ clock: box.clock });
  const env = { ...base.env, FIATRAIL_BASE_URL: BASE_URL, FIATRAIL_API_KEY: box.apiKey };
  const work = () => workIn(box, group);
  const { exchange, late, started } = networkTo(box, work);
  const alive = new Set<number>();
  const log: string[] = [];
  let lastId = 0;
  const run: Rig['run'] = async (argv, { host = 'host-1', ...troubles } = {}) => {
    lastId += 1;
    const process: Process = { id: lastId, ...troubles, commits: 0, requests: 0, isDead: false };
    const [stdout, stderr] = [output(process), output(process)];
    const own = { stdout, stderr, ...hostOf(process, host, alive), clock: patient(base) };
    alive.add(process.id);
    const exit = await running.run(process, () => main(argv, { ...base, env, network: exchange, ...own }));
    alive.delete(process.id);
    log.push(logged(box.clock.now(), process, argv, exit, stderr.text()));
    return { exit: process.isDead ? 137 : exit, stdout: stdout.text(), stderr: stderr.text(), process: process.id };
  };
  return {
    ...{ place: await placeIn(box, run), run, work, log },
    fault: (endpoint, kind) => box.inside(({ store, nowMs }) => void store.run(ADD_FAULT, endpoint, kind, nowMs)),
    clearFaults: () => box.inside(({ store }) => void store.run('DELETE FROM fault_rule')),
    pass: (durationMs) => pass(box, late, durationMs),
    journal: () => entriesIn(join(base.stateDir, 'journal.db')),
    startedBy: (id) => started.get(id),
    isBalanced: () => box.inside(({ store }) => checkLedger(store).balanced),
  };
}

const ADD_FAULT = 'INSERT INTO fault_rule (endpoint, kind, times, created_at) VALUES (?, ?, 1, ?)';

/** Lets time pass, and delivers the requests that arrive meanwhile. */
async function pass({ clock }: TestSandbox, late: Late[], durationMs: number): Promise<void> {
  const endMs = clock.now() + durationMs;
  for (const each of late.splice(0)) {
    if (each.atMs > endMs) {
      late.push(each);
      continue;
    }
    clock.set(Math.max(each.atMs, clock.now()));
    await each.deliver();
  }
  clock.set(Math.max(endMs, clock.now()));
}

function logged(atMs: number, process: Process, argv: readonly string[], exit: number, stderr: string): string {
  const { id, requests, commits, isDead, isLate, lockedFrom } = process;
  const troubles = [
    isLate && 'late',
    lockedFrom !== undefined && `locked from commit ${lockedFrom}`,
    isDead && 'killed',
  ];
  const after = `after ${requests} requests and ${commits} commits`;
  const said = stderr.split('\n')[0]?.slice(0, 160) ?? '';
  const what = [`exit ${exit}`, ...troubles.filter(Boolean), after].join(', ');
  return `${new Date(atMs).toISOString()} ${id}: ${argv.join(' ')}: ${what} ${said}`;
}

/** The sandbox's response, with its time, as the server sends it. */
async function answered(box: TestSandbox, request: HttpRequest) {
  const caller = { apiKey: request.headers['x-api-key'], address: '127.0.0.1' };
  const answer = await box.sandbox.fetch(request, caller);
  return { ...answer, headers: { ...answer.headers, ...box.sandbox.timeHeaders() } };
}

function turns() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next.catch(() => {});
    return next;
  };
}

/** A process sees whether another one of its own host lives. */
function hostOf(process: Process, name: string, alive: ReadonlySet<number>): Pick<World, 'host'> {
  return { host: { name, user: 'ada', processId: process.id, isRunning: (id) => alive.has(id) } };
}

/** A process that waits for another one looks as often as this, so that a minute's wait takes little time. */
const PATIENCE_MS = 2_000;

/** The shared clock; a process that sleeps lets the others run. */
function patient({ clock }: FakeWorld): World['clock'] {
  return {
    now: clock.now,
    sleep: async (durationMs, signal) => {
      await new Promise((resolve) => setImmediate(resolve));
      await clock.sleep(Math.max(durationMs, PATIENCE_MS), signal);
    },
  };
}

function output(process: Process): OutputStream & { text(): string } {
  const written: string[] = [];
  return {
    ...{ isTerminal: false, columns: undefined, text: () => written.join('') },
    write: async (text) => {
      if (!process.isDead) written.push(text);
    },
  };
}

async function workIn(box: TestSandbox, { work }: Group): Promise<readonly string[]> {
  return box.inside(({ store }) => store.all<{ id: string }>(work).map(({ id }) => id), 'read');
}

function entriesIn(path: string): readonly Entry[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const columns = 'id, state, verdict, endpoint, once_key, request_id, input_digest, process';
    return database.prepare(`SELECT ${columns} FROM operation ORDER BY id`).all() as unknown as Entry[];
  } finally {
    database.close();
  }
}

async function placeIn({ clock }: TestSandbox, run: Rig['run']): Promise<Place> {
  const json = async (words: readonly string[]) => {
    const { exit, stdout, stderr } = await run([...words, '--yes', '-q', '-o', 'json']);
    if (exit !== 0) throw new Error(`${words.join(' ')}: exit ${exit}: ${stderr}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  return furnish(json, async () => clock.pass(60_000));
}
