import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputStream, World } from '../../src/base/world.ts';
import { type AnswerFormName, answerFormsOf } from '../../src/contract/answer-forms.ts';
import type { FaultKind } from '../../src/contract/sandbox.ts';
import { main } from '../../src/main.ts';
import { checkLedger } from '../../src/service/ledger.ts';
import type { AtEnd } from '../support/built.ts';
import { countingIds, type FakeClock, fakeClock, openSandbox, START_MS, type TestSandbox } from '../support/sandbox.ts';
import { fakeWorld } from '../support/world.ts';
import { type Process, running } from './money-death.ts';
import { furnish, furnishOrder, furnishOther, type Group, type Json, type Place } from './money-groups.ts';
import { copyFolders, type Entry, FILE_JOURNAL, type Restore, type RigJournal } from './money-journals.ts';
import { addFault, LIVE_KEY, networkTo } from './money-network.ts';
import type { Rows } from './money-rows.ts';

export interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The process that ran it. */
  readonly process: number;
}

type Troubles = Omit<Process, 'id' | 'commits' | 'requests' | 'isDead' | 'journalNow'>;

/** By how much each clock is wrong, in milliseconds. `date` is what the header of a response adds to the service's error. */
export interface ClockErrors {
  'host-1': number;
  'host-2': number;
  journal: number;
  service: number;
  date: number;
}

/** What an older copy of a journal has: the journal alone, the state folder of each host, or its configuration too. */
export type Copied = 'the journal' | 'the state folders' | 'the machines';

export type HostName = 'host-1' | 'host-2';

/** A sandbox over the network, a journal, and processes that use both and may die. */
export interface Rig {
  readonly place: Place;
  run(argv: readonly string[], troubles?: Partial<Troubles> & { readonly host?: HostName }): Promise<Ran>;
  /** Runs a command in another program, which has the account's key and nothing else of ours. */
  runOther(argv: readonly string[]): Promise<Ran>;
  fault(endpoint: string, kind: FaultKind): Promise<void>;
  clearFaults(): Promise<void>;
  /** Lets time pass for everyone; requests that are late arrive meanwhile. */
  pass(durationMs: number): Promise<void>;
  /** May be changed at any time. */
  readonly clockErrors: ClockErrors;
  journal(): Promise<readonly Entry[]>;
  /** Copies the journal, alone or with what else is there. Returns what puts the copy in its place. */
  copyJournal(what: Copied): Promise<Restore>;
  /** The ids of all work in the sandbox. */
  work(): Promise<readonly string[]>;
  /** Which process started a piece of work. */
  startedBy(requestId: string): number | undefined;
  isBalanced(): Promise<boolean>;
  /** The commands so far, for the message of a failure. */
  readonly log: readonly string[];
}

/** The state of a sandbox that has everything that the commands name. */
export interface Furnished {
  readonly state: Uint8Array;
  readonly atMs: number;
  readonly place: Place;
  /** Another user, and other destinations. */
  readonly otherPlace: Place;
}

export interface RigOptions {
  readonly journal?: RigJournal;
  readonly answers?: AnswerFormName;
  /** The flags of a profile; without them, the account is in the environment. */
  readonly profile?: readonly string[];
  readonly rows?: Rows;
  readonly clockErrors?: ClockErrors;
  /** How the sandbox begins; by default, it is furnished here. */
  readonly furnished?: Furnished;
  /** The path of the sandbox's state; by default, it is in memory. */
  readonly path?: string;
}

export const rightClocks = (): ClockErrors => ({ 'host-1': 0, 'host-2': 0, journal: 0, service: 0, date: 0 });

const BASE_URL = 'http://127.0.0.1:9/v1';

/** A furnished sandbox rests for longer than any clock is behind, so that what it has is not of the future. */
const REST_MS = 3 * 3_600_000;

/** Opens a sandbox with a journal beside it. */
export async function openRig(group: Pick<Group, 'work'>, atEnd: AtEnd, options: RigOptions = {}): Promise<Rig> {
  const { journal = FILE_JOURNAL, furnished, profile, clockErrors = rightClocks() } = options;
  const clock = fakeClock(furnished ? furnished.atMs + REST_MS : START_MS);
  const base = fakeWorld({ clock });
  atEnd(() => rmSync(base.homeDir, { recursive: true, force: true }));
  const path = furnished ? join(base.homeDir, 'sandbox.db') : options.path;
  if (furnished) writeFileSync(join(base.homeDir, 'sandbox.db'), furnished.state);
  const box = await openSandbox({
    // The ids of a furnished sandbox are those of another seed.
    ids: countingIds(furnished ? 2 : 1),
    clock: { ...clock, now: () => clock.now() + clockErrors.service },
    answers: { forms: answerFormsOf(options.answers ?? 'interface') },
    ...(path === undefined ? {} : { path }),
  });
  atEnd(box.close);
  const work = () => workIn(box, group);
  const dateErrorMs = () => clockErrors.date;
  const { exchange, pass, started } = networkTo({ box, clock, rows: options.rows, dateErrorMs, work });
  const key = profile?.includes('live') ? LIVE_KEY : box.apiKey;
  const account = { FIATRAIL_BASE_URL: BASE_URL, FIATRAIL_API_KEY: key };
  const folder = (name: string) => join(base.homeDir, name);
  const stateDirs = { 'host-1': base.stateDir, 'host-2': journal.isShared ? folder('state-2') : base.stateDir };
  const alive = new Set<number>();
  const log: string[] = [];
  let lastId = 0;
  const runIn = async (argv: readonly string[], host: string, troubles: Partial<Troubles>, own: Partial<World>) => {
    lastId += 1;
    const journalNow = () => clock.now() + clockErrors.journal;
    const process: Process = { id: lastId, ...troubles, journalNow, commits: 0, requests: 0, isDead: false };
    const [stdout, stderr] = [output(process), output(process)];
    const now = () => clock.now() + (clockErrors[host as HostName] ?? 0);
    const machine = { ...hostOf(process, host, alive), clock: patient(clock, now) };
    alive.add(process.id);
    const exit = await running.run(process, () =>
      main(argv, { ...base, network: exchange, stdout, stderr, ...machine, ...own }),
    );
    alive.delete(process.id);
    log.push(logged(clock.now(), process, argv, exit, stderr.text()));
    return { exit: process.isDead ? 137 : exit, stdout: stdout.text(), stderr: stderr.text(), process: process.id };
  };
  const envOf = (host: HostName) => ({ ...base.env, ...journal.env, FIATRAIL_STATE_DIR: stateDirs[host] });
  const run: Rig['run'] = (argv, { host = 'host-1', ...troubles } = {}) => {
    const env = { ...envOf(host), ...(profile ? { FIATRAIL_PROFILE: 'main' } : account) };
    return runIn(argv, host, troubles, { env });
  };
  const elsewhere = { FIATRAIL_STATE_DIR: folder('elsewhere'), FIATRAIL_CONFIG_DIR: folder('elsewhere') };
  const isLive = profile?.includes('live') === true;
  const add = async (flags: readonly string[], env: World['env']) => {
    const stdin = { isTerminal: false, readAll: async () => key };
    const lines = [
      ['profiles', 'add', 'main', '--base-url', BASE_URL, ...flags, '--key-stdin', '-q'],
      // Otherwise a live account sends nothing: nobody said that this is its journal.
      ...(isLive && !journal.isShared ? [['profiles', 'journal', 'set', 'main', '--independent', '--yes', '-q']] : []),
    ];
    for (const words of lines) {
      const { exit, stderr } = await runIn(words, 'host-1', {}, { env, stdin });
      if (exit !== 0) throw new Error(`${words.join(' ')}: exit ${exit}: ${stderr}`);
    }
  };
  if (profile) await add(profile, envOf('host-1'));
  const otherEnv = { ...base.env, ...elsewhere };
  if (isLive) await add(['--mode', 'live'], otherEnv);
  const other = isLive ? { ...otherEnv, FIATRAIL_PROFILE: 'main' } : { ...otherEnv, ...account };
  return {
    place: furnished?.place ?? (await furnish(jsonFrom(run), async () => clock.pass(60_000))),
    run,
    pass,
    work,
    log,
    clockErrors,
    runOther: (argv) => runIn(argv, 'elsewhere', { isOther: true }, { env: other }),
    fault: (endpoint, kind) => addFault(box, endpoint, kind),
    clearFaults: () => box.inside(({ store }) => void store.run('DELETE FROM fault_rule')),
    journal: () => journal.entries(base.stateDir),
    copyJournal: async (what) => {
      const configs = what === 'the machines' ? [folder('config')] : [];
      const folders = what === 'the journal' ? [] : [...new Set(Object.values(stateDirs)), ...configs];
      const others = copyFolders(folders);
      const entries = await journal.copy(base.stateDir);
      return async () => {
        await others();
        await entries();
      };
    },
    startedBy: (id) => started.get(id),
    isBalanced: () => box.inside(({ store }) => checkLedger(store).balanced),
  };
}

/** Nothing is looked for while a sandbox is furnished. */
const NO_WORK = { work: 'SELECT NULL AS id WHERE false' };

/** Makes a sandbox in which many rigs can begin. */
export async function furnishedSandbox(path: string): Promise<Furnished> {
  const ends: (() => void | Promise<void>)[] = [];
  const rig = await openRig(NO_WORK, (end) => ends.push(end), { path });
  const json = jsonFrom(rig.run);
  const otherPlace = await furnishOther(json, () => rig.pass(60_000));
  const orderId = await furnishOrder(json);
  for (const end of ends) await end();
  const atMs = Date.parse(rig.log.at(-1)?.slice(0, 24) ?? '');
  return { state: readFileSync(path), atMs, place: { ...rig.place, orderId }, otherPlace: { ...otherPlace, orderId } };
}

function logged(atMs: number, process: Process, argv: readonly string[], exit: number, stderr: string): string {
  const { id, requests, commits, isDead, isLate, isOther, lockedFrom } = process;
  const troubles = [
    isOther && 'another program',
    isLate && 'late',
    lockedFrom !== undefined && `locked from commit ${lockedFrom}`,
    isDead && 'killed',
  ];
  const after = `after ${requests} requests and ${commits} commits`;
  const said = stderr.split('\n')[0]?.slice(0, 160) ?? '';
  const what = [`exit ${exit}`, ...troubles.filter(Boolean), after].join(', ');
  return `${new Date(atMs).toISOString()} ${id}: ${argv.join(' ')}: ${what} ${said}`;
}

/** A process sees whether another one of its own host lives. */
function hostOf(process: Process, name: string, alive: ReadonlySet<number>): Pick<World, 'host'> {
  return { host: { name, user: 'ada', processId: process.id, isRunning: (id) => alive.has(id) } };
}

/** A process that waits for another one looks as often as this, so that a minute's wait takes little time. */
const PATIENCE_MS = 2_000;

/** The clock of a host; a process that sleeps lets the others run. */
function patient(clock: FakeClock, now: () => number): World['clock'] {
  return {
    now,
    steadyMs: clock.now,
    sleep: async (durationMs, signal) => {
      await new Promise((resolve) => setImmediate(resolve));
      await clock.sleep(Math.max(durationMs, PATIENCE_MS), signal);
    },
  };
}

function output(process: Process): OutputStream & { text(): string } {
  const written: string[] = [];
  return {
    isTerminal: false,
    columns: undefined,
    text: () => written.join(''),
    write: async (text: string) => {
      if (!process.isDead) written.push(text);
    },
  };
}

async function workIn(box: TestSandbox, { work }: Pick<Group, 'work'>): Promise<readonly string[]> {
  return box.inside(({ store }) => store.all<{ id: string }>(work).map(({ id }) => id), 'read');
}

const jsonFrom =
  (run: Rig['run']): Json =>
  async (words) => {
    const { exit, stdout, stderr } = await run([...words, '--yes', '-q', '-o', 'json']);
    if (exit !== 0) throw new Error(`${words.join(' ')}: exit ${exit}: ${stderr}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
