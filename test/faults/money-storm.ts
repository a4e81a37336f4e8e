import type { FaultKind } from '../../src/contract/sandbox.ts';
import type { Chances } from './chances.ts';
import type { Group, MoneyLine } from './money-groups.ts';
import type { Entry } from './money-journals.ts';
import type { Ran, Rig } from './money-rig.ts';

/** What may happen to a command: a fault of the service, or to the machine that it runs on. */
export const TROUBLES = [
  ...(['lost-request', 'lost-response', 'slow', 'http-500', 'http-500-after', 'http-502-html'] as const),
  ...(['malformed-json', 'truncated', 'late', 'locked', 'killed at a commit', 'killed at a request'] as const),
  ...(['suspended', 'two runners', 'none'] as const),
] as const;

export type Trouble = (typeof TROUBLES)[number];

/** What happened in a run, counted. */
export interface Tally {
  /** Runs by the trouble of their first command, with its exit code. */
  readonly firsts: Map<string, number>;
  /** Doubts by how they ended. */
  readonly unknownOutcomes: Map<string, number>;
  runs: number;
  commands: number;
  movements: number;
}

export const newTally = (): Tally => ({
  firsts: new Map(),
  unknownOutcomes: new Map(),
  runs: 0,
  commands: 0,
  movements: 0,
});

const count = (counts: Map<string, number>, name: string, by = 1) => counts.set(name, (counts.get(name) ?? 0) + by);

/** A command of a run, under an idempotency key or without one. */
export interface Job extends MoneyLine {
  readonly key: string | undefined;
}

export interface Storm {
  readonly rig: Rig;
  readonly group: Group;
  readonly chances: Chances;
  readonly tally: Tally;
  /** Every run of a command so far. */
  readonly runs: Run[];
  /** What else happens at any time. */
  unrest?(jobs: readonly Job[], when: When): Promise<void>;
}

/** Between two commands, or during one. */
export type When = 'between' | 'during';

/** A run of a job's command. */
export interface Run {
  readonly job: Job;
  readonly ran: Ran;
}

const SERVICE_FAULTS: readonly Trouble[] = TROUBLES.slice(0, 8);
const MACHINE_FAULTS = ['late', 'suspended', 'locked', 'killed at a commit', 'killed at a request'] as const;

/** Starts a command in a trouble. */
export async function troubled(storm: Storm, job: Job, trouble: Trouble): Promise<Run> {
  const { rig, chances, tally, unrest } = storm;
  const argv = [...job.argv, '--yes', '-q', ...(job.key === undefined ? [] : ['--once', job.key])];
  if (SERVICE_FAULTS.includes(trouble)) await rig.fault(job.endpoint, trouble as FaultKind);
  const when = chances.one(['before', 'after'] as const);
  const host = chances.percent(15) ? 'host-2' : 'host-1';
  tally.commands += 1;
  const ran = await rig.run(argv, {
    host,
    isLate: trouble === 'late',
    suspended: trouble === 'suspended' ? () => meanwhile(storm, job) : undefined,
    onArrival: unrest && chances.percent(30) ? () => unrest([job], 'during') : undefined,
    lockedFrom: trouble === 'locked' ? 1 + chances.below(4) : undefined,
    diesAtCommit: trouble === 'killed at a commit' ? { at: 1 + chances.below(3), when } : undefined,
    diesAtRequest: trouble === 'killed at a request' ? { at: 1 + chances.below(2), when } : undefined,
  });
  const run = { job, ran };
  storm.runs.push(run);
  return run;
}

/** What happens while a command is suspended: time passes, and others run it or look for it. */
async function meanwhile(storm: Storm, job: Job): Promise<void> {
  const { rig, chances } = storm;
  for (let steps = 1 + chances.below(3); steps > 0; steps--) {
    await rig.pass(chances.one(PAUSES_MS));
    await storm.unrest?.([job], 'during');
    await (chances.percent(50) ? reconcile(storm, 'none') : troubled(storm, job, 'none'));
  }
}

/** Starts a command in a trouble, or two of it at once. */
async function attempt(storm: Storm, job: Job, trouble: Trouble): Promise<readonly Run[]> {
  if (trouble !== 'two runners') return [await troubled(storm, job, trouble)];
  const others = [...SERVICE_FAULTS, ...MACHINE_FAULTS, 'none'] as const;
  const [one, other] = [storm.chances.one(others), storm.chances.one(others)];
  return Promise.all([troubled(storm, job, one), troubled(storm, job, other)]);
}

const LOOKING_TROUBLES = ['none', 'locked', 'killed at a commit', 'killed at a request'] as const;

/** Looks for what is uncertain, in a trouble or without one. */
export async function reconcile(storm: Storm, trouble: (typeof LOOKING_TROUBLES)[number]): Promise<Ran> {
  const { rig, chances } = storm;
  const when = chances.one(['before', 'after'] as const);
  return rig.run(['ops', 'reconcile', '-q', '-o', 'json'], {
    lockedFrom: trouble === 'locked' ? 1 + chances.below(3) : undefined,
    diesAtCommit: trouble === 'killed at a commit' ? { at: 1 + chances.below(3), when } : undefined,
    diesAtRequest: trouble === 'killed at a request' ? { at: 1 + chances.below(2), when } : undefined,
  });
}

const PAUSES_MS = [0, 1_000, 30_000, 61_000, 4 * 60_000, 11 * 60_000];

/** Runs one or two commands in troubles, again and again. Returns the commands. */
export async function weather(storm: Storm, name: string): Promise<readonly Job[]> {
  const { rig, group, chances, tally, unrest } = storm;
  tally.runs += 1;
  const first = group.line(rig.place, chances);
  const line = () => (chances.percent(50) ? first : group.line(rig.place, chances));
  const hasKey = group.hasKeys && chances.percent(80);
  const jobs: Job[] = Array.from({ length: 1 + chances.below(2) }, (_, index) => ({
    ...(index === 0 ? first : line()),
    key: hasKey ? `${name}-${index}` : undefined,
  }));
  const trouble = chances.one(TROUBLES);
  await unrest?.(jobs, 'between');
  const [job = { ...first, key: undefined }] = jobs;
  for (const { ran } of await attempt(storm, job, trouble)) count(tally.firsts, `${trouble}: ${ran.exit}`);
  for (let steps = 1 + chances.below(4); steps > 0; steps--) {
    await rig.pass(chances.one(PAUSES_MS));
    await unrest?.(jobs, 'between');
    const looks = chances.percent(30);
    const looking = looks ? reconcile(storm, chances.one(LOOKING_TROUBLES)) : undefined;
    if (!looks || chances.percent(40)) await attempt(storm, chances.one(jobs), chances.one(TROUBLES));
    await looking;
  }
  return jobs;
}

/** What `ops reconcile` printed of an operation. */
export interface Looked {
  readonly operationId: string;
  readonly found: string;
  readonly next: string | null;
}

/** Looks for every unknownOutcome three times, far enough apart. Returns the last look, and the unknownOutcomes before and after. */
export async function lookThrice(storm: Storm) {
  const { rig } = storm;
  await rig.clearFaults();
  await rig.pass(61_000);
  const before = (await rig.journal()).filter(isOutcomeUnknown);
  await reconcile(storm, 'none');
  await rig.pass(11 * 60_000);
  await doLater(storm, before);
  await rig.pass(65 * 60_000);
  // A request whose row was taken for another one's until then is not found for the first time now.
  await reconcile(storm, 'none');
  await rig.pass(11 * 60_000);
  const last = await reconcile(storm, 'none');
  const entries = await rig.journal();
  const left = entries.filter(isOutcomeUnknown);
  const ended = before.flatMap(({ id }) => entries.filter((each) => each.id === id && !isOutcomeUnknown(each)));
  const looked = last.stdout === '' ? [] : (JSON.parse(last.stdout) as { operations: readonly Looked[] }).operations;
  return { last, left, ended, looked };
}

/** Does more work of the kinds that are uncertain, which shows that their lists are up to date. */
async function doLater(storm: Storm, unknownOutcomes: readonly Entry[]): Promise<void> {
  const { group, runs } = storm;
  for (const endpoint of new Set(unknownOutcomes.map((each) => each.endpoint))) {
    const job = runs.find((each) => each.job.endpoint === endpoint)?.job;
    const key = group.hasKeys ? `later-${endpoint}` : undefined;
    if (job) await troubled(storm, { ...group.like(job, { more: 9 }), key }, 'none');
  }
}

/** Runs one or two commands in troubles; then ends every unknownOutcome, and checks every claim of docs/money.md. */
export async function storm(storm: Storm, name: string): Promise<void> {
  const jobs = await weather(storm, name);
  await endUnknown(storm);
  for (const each of jobs) if (each.key !== undefined) await untilDone(storm, each);
  await check(storm, jobs);
}

/** Ends every unknownOutcome with `ops reconcile`; a person decides only where nothing else can. */
async function endUnknown(storm: Storm): Promise<void> {
  const { tally } = storm;
  const { last, left, ended, looked } = await lookThrice(storm);
  if ((last.exit === 0) !== (left.length === 0))
    throw new Error(`reconcile: exit ${last.exit}, left ${left.length}: ${last.stderr}`);
  for (const { state, verdict } of ended) count(tally.unknownOutcomes, verdict ?? state);
  for (const each of left) {
    const found = looked.find(({ operationId }) => operationId === each.id)?.found ?? 'nothing';
    count(tally.unknownOutcomes, `a person: ${found}`);
    const hasEvidence = storm.group.hasEvidence(each.endpoint);
    if (!(hasEvidence ? ['several', 'unseen'] : ['no-evidence']).includes(found))
      throw new Error(`operation ${each.id} was left uncertain: ${found}\n${lastOf(storm.rig)}`);
    await decide(storm, each);
  }
}

/** Decides as a person who knows. */
export async function decide({ rig }: Pick<Storm, 'rig'>, unknownOutcome: Entry): Promise<void> {
  const journal = await rig.journal();
  const free = (await rig.work()).filter((id) => !journal.some(({ request_id }) => request_id === id));
  // An equal request that has the work of this one leaves its own to it.
  const leavesIt = (id: string) => {
    const by = journal.find(({ process }) => process === rig.startedBy(id));
    return by?.id === unknownOutcome.id || (by?.input_digest === unknownOutcome.input_digest && !isOutcomeUnknown(by));
  };
  const own = free.filter(leavesIt);
  const verdict = own[0] === undefined ? ['--not-done'] : ['--completed', '--request-id', own[0]];
  const { exit, stderr } = await rig.run(['ops', 'resolve', unknownOutcome.id, ...verdict, '--reason', 'seen', '-q']);
  if (exit !== 0) throw new Error(`ops resolve: exit ${exit}: ${stderr}`);
}

export const isOutcomeUnknown = ({ state }: Entry) => state === 'sent' || state === 'unknown';

/** Runs a command under its key as cron would: it must succeed now, and print the recorded result afterwards. */
async function untilDone(storm: Storm, job: Job): Promise<void> {
  const { rig } = storm;
  for (let again = 0; again < 2; again++) {
    const { ran } = await troubled(storm, job, 'none');
    // An onramp that nobody pays fails after half an hour; it still holds its key.
    const isExpired = ran.exit === 3 && job.endpoint === 'transactions.onramp';
    if (ran.exit !== 0 && !isExpired)
      throw new Error(`exit ${ran.exit} under ${job.key}: ${ran.stderr}\n${lastOf(rig)}`);
  }
}

export const lastOf = ({ log }: Rig) => log.slice(-16).join('\n');

/** Whether an operation may have moved money; one that was never sent is `prepared` for good if no key asks for it. */
export const holds = ({ state, verdict }: Entry) =>
  state !== 'rejected' && state !== 'prepared' && verdict !== 'not-done';

/** Compares the journal with the ledger: what it says moved did, once, and nothing else. */
async function check({ rig, tally, runs }: Storm, jobs: readonly Job[]): Promise<void> {
  const journal = await rig.journal();
  const entries = journal.filter(({ endpoint }) => jobs.some((job) => job.endpoint === endpoint));
  const work = await rig.work();
  const moved = entries.filter(holds);
  const firstProcess = Math.min(...runs.map(({ ran }) => ran.process));
  const own = moved.filter(({ process }) => process >= firstProcess);
  const wrong = runs.flatMap(({ ran }) => (ran.exit === 1 ? [`an internal error: ${ran.stderr}`] : []));
  const ids = moved.map(({ request_id }) => request_id ?? 'none');
  if (new Set(ids).size !== ids.length) wrong.push('two operations have the same work');
  for (const each of moved) {
    if (!work.includes(each.request_id ?? '')) wrong.push(`${each.id} (${each.state}) moved nothing`);
    const by = entries.find(({ process }) => process === rig.startedBy(each.request_id ?? ''));
    // Two equal requests may be taken for each other, and nobody can tell the difference.
    if (by && by.input_digest !== each.input_digest) wrong.push(`${each.id} has the work of ${by.id}`);
  }
  const strays = work.filter((id) => rig.startedBy(id) !== undefined && !journal.some((e) => e.request_id === id));
  for (const id of strays) wrong.push(`${id} is work of process ${rig.startedBy(id)} that no operation knows`);
  for (const { key, argv } of jobs.filter((job) => job.key !== undefined)) {
    const under = moved.filter(({ once_key }) => once_key === key);
    if (under.length !== 1) wrong.push(`${under.length} movements under ${key} (${argv.join(' ')})`);
  }
  const successes = runs.filter(({ job, ran }) => job.key === undefined && ran.exit === 0).length;
  const keyless = own.filter(({ once_key }) => once_key === null);
  if (keyless.length < successes) wrong.push(`${successes} runs without a key succeeded, and ${keyless.length} moved`);
  if (wrong.length > 0) throw new Error(`${wrong.join('; ')}\n${lastOf(rig)}`);
  tally.movements += own.length;
}
