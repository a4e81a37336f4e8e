import type { FaultKind } from '../../src/contract/fault-kinds.ts';
import type { Chances } from './chances.ts';
import type { Group, MoneyLine } from './money-groups.ts';
import type { Entry, Ran, Rig } from './money-rig.ts';

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
  readonly doubts: Map<string, number>;
  runs: number;
  commands: number;
  movements: number;
}

export const newTally = (): Tally => ({ firsts: new Map(), doubts: new Map(), runs: 0, commands: 0, movements: 0 });

const count = (counts: Map<string, number>, name: string, by = 1) => counts.set(name, (counts.get(name) ?? 0) + by);

/** A command of a run, under a once key or without one. */
interface Job extends MoneyLine {
  readonly key: string | undefined;
}

interface Storm {
  readonly rig: Rig;
  readonly group: Group;
  readonly chances: Chances;
  readonly tally: Tally;
}

const SERVICE_FAULTS: readonly Trouble[] = TROUBLES.slice(0, 8);
const MACHINE_FAULTS = ['late', 'suspended', 'locked', 'killed at a commit', 'killed at a request'] as const;

/** Starts a command in a trouble. */
async function troubled(storm: Storm, job: Job, trouble: Trouble): Promise<Ran> {
  const { rig, chances, tally } = storm;
  const argv = [...job.argv, '--yes', '-q', ...(job.key === undefined ? [] : ['--once', job.key])];
  if (SERVICE_FAULTS.includes(trouble)) await rig.fault(job.endpoint, trouble as FaultKind);
  const when = chances.one(['before', 'after'] as const);
  const host = chances.percent(15) ? 'host-2' : 'host-1';
  tally.commands += 1;
  return rig.run(argv, {
    host,
    isLate: trouble === 'late',
    suspended: trouble === 'suspended' ? () => meanwhile(storm, job) : undefined,
    lockedFrom: trouble === 'locked' ? 1 + chances.below(4) : undefined,
    diesAtCommit: trouble === 'killed at a commit' ? { at: 1 + chances.below(3), when } : undefined,
    diesAtRequest: trouble === 'killed at a request' ? { at: 1 + chances.below(2), when } : undefined,
  });
}

/** What happens while a command is suspended: time passes, and others run it or look for it. */
async function meanwhile(storm: Storm, job: Job): Promise<void> {
  const { rig, chances } = storm;
  for (let steps = 1 + chances.below(3); steps > 0; steps--) {
    await rig.pass(chances.one(PAUSES_MS));
    await (chances.percent(50) ? reconcile(storm, 'none') : troubled(storm, job, 'none'));
  }
}

/** Starts a command in a trouble, or two of it at once. */
async function attempt(storm: Storm, job: Job, trouble: Trouble): Promise<readonly Ran[]> {
  if (trouble !== 'two runners') return [await troubled(storm, job, trouble)];
  const others = [...SERVICE_FAULTS, ...MACHINE_FAULTS, 'none'] as const;
  const [one, other] = [storm.chances.one(others), storm.chances.one(others)];
  return Promise.all([troubled(storm, job, one), troubled(storm, job, other)]);
}

const LOOKING_TROUBLES = ['none', 'locked', 'killed at a commit', 'killed at a request'] as const;

/** Looks for what is in doubt, in a trouble or without one. */
async function reconcile(storm: Storm, trouble: (typeof LOOKING_TROUBLES)[number]): Promise<Ran> {
  const { rig, chances } = storm;
  const when = chances.one(['before', 'after'] as const);
  return rig.run(['ops', 'reconcile', '-q', '-o', 'json'], {
    lockedFrom: trouble === 'locked' ? 1 + chances.below(3) : undefined,
    diesAtCommit: trouble === 'killed at a commit' ? { at: 1 + chances.below(3), when } : undefined,
    diesAtRequest: trouble === 'killed at a request' ? { at: 1 + chances.below(2), when } : undefined,
  });
}

const PAUSES_MS = [0, 1_000, 30_000, 61_000, 4 * 60_000, 11 * 60_000];

/** Runs one or two commands in troubles, again and again; then ends every doubt, and checks every claim of docs/money.md. */
export async function storm(storm: Storm, name: string): Promise<void> {
  const { rig, group, chances, tally } = storm;
  tally.runs += 1;
  const first = group.line(rig.place, chances);
  const line = () => (chances.percent(50) ? first : group.line(rig.place, chances));
  const hasKey = group.hasKeys && chances.percent(80);
  const jobs: Job[] = Array.from({ length: 1 + chances.below(2) }, (_, index) => ({
    ...(index === 0 ? first : line()),
    key: hasKey ? `${name}-${index}` : undefined,
  }));
  const trouble = chances.one(TROUBLES);
  const exits: { job: Job; ran: Ran }[] = [];
  const attempted = async (job: Job, by: Trouble) => {
    const all = await attempt(storm, job, by);
    for (const ran of all) exits.push({ job, ran });
    return all;
  };
  const [job = { ...first, key: undefined }] = jobs;
  for (const { exit } of await attempted(job, trouble)) count(tally.firsts, `${trouble}: ${exit}`);
  for (let steps = 1 + chances.below(4); steps > 0; steps--) {
    await rig.pass(chances.one(PAUSES_MS));
    const looks = chances.percent(30);
    const looking = looks ? reconcile(storm, chances.one(LOOKING_TROUBLES)) : undefined;
    if (!looks || chances.percent(40)) await attempted(chances.one(jobs), chances.one(TROUBLES));
    await looking;
  }
  await endDoubts(storm);
  if (hasKey) for (const each of jobs) await untilDone(storm, each, exits);
  await check(storm, jobs, exits);
}

/** Ends every doubt with `ops reconcile`; a person decides only where nothing else can. */
async function endDoubts(storm: Storm): Promise<void> {
  const { rig, tally } = storm;
  await rig.clearFaults();
  await rig.pass(61_000);
  const before = rig.journal().filter(isInDoubt);
  await reconcile(storm, 'none');
  await rig.pass(11 * 60_000);
  // A request whose row was taken for another one's until then is not found for the first time now.
  await reconcile(storm, 'none');
  await rig.pass(11 * 60_000);
  const { exit, stdout, stderr } = await reconcile(storm, 'none');
  const left = rig.journal().filter(isInDoubt);
  if ((exit === 0) !== (left.length === 0)) throw new Error(`reconcile: exit ${exit}, left ${left.length}: ${stderr}`);
  for (const { id } of before) {
    const { state, verdict } = entry(rig, id);
    if (state !== 'unknown' && state !== 'sent') count(tally.doubts, verdict ?? state);
  }
  const { operations } = JSON.parse(stdout) as { operations: { operationId: string; found: string }[] };
  for (const each of left) {
    const found = operations.find(({ operationId }) => operationId === each.id)?.found ?? 'nothing';
    count(tally.doubts, `a person: ${found}`);
    await decide(storm, each, found);
  }
}

/** Decides as a person who knows, and only if `ops reconcile` is right to leave it to one. */
async function decide({ rig, group }: Storm, doubt: Entry, found: string): Promise<void> {
  const hasEvidence = group.hasEvidence(doubt.endpoint);
  if (found !== (hasEvidence ? 'several' : 'no-evidence'))
    throw new Error(`operation ${doubt.id} was left in doubt: ${found}\n${lastOf(rig)}`);
  const journal = rig.journal();
  const free = (await rig.work()).filter((id) => !journal.some(({ request_id }) => request_id === id));
  // An equal request that has the work of this one leaves its own to it.
  const leavesIt = (id: string) => {
    const by = journal.find(({ process }) => process === rig.startedBy(id));
    return by?.id === doubt.id || (by?.input_digest === doubt.input_digest && !isInDoubt(by));
  };
  const own = free.filter(leavesIt);
  const verdict = own[0] === undefined ? ['--not-done'] : ['--completed', '--request-id', own[0]];
  const { exit, stderr } = await rig.run(['ops', 'resolve', doubt.id, ...verdict, '--reason', 'seen', '-q']);
  if (exit !== 0) throw new Error(`ops resolve: exit ${exit}: ${stderr}`);
}

const isInDoubt = ({ state }: Entry) => state === 'sent' || state === 'unknown';

function entry(rig: Rig, id: string): Entry {
  const found = rig.journal().find((each) => each.id === id);
  if (!found) throw new Error(`the journal lost operation ${id}`);
  return found;
}

/** Runs a command under its key as cron would: it must succeed now, and print the recorded result afterwards. */
async function untilDone(storm: Storm, job: Job, exits: { job: Job; ran: Ran }[]): Promise<void> {
  const { rig } = storm;
  for (let again = 0; again < 2; again++) {
    const ran = await troubled(storm, job, 'none');
    exits.push({ job, ran });
    // An onramp that nobody pays fails after half an hour; it still holds its key.
    const isExpired = ran.exit === 3 && job.endpoint === 'transactions.onramp';
    if (ran.exit !== 0 && !isExpired)
      throw new Error(`exit ${ran.exit} under ${job.key}: ${ran.stderr}\n${lastOf(rig)}`);
  }
}

const lastOf = ({ log }: Rig) => log.slice(-16).join('\n');

/** Whether an operation may have moved money; one that was never sent is `prepared` for good if no key asks for it. */
const holds = ({ state, verdict }: Entry) => state !== 'refused' && state !== 'prepared' && verdict !== 'not-done';

/** Compares the journal with the ledger: what it says moved did, once, and nothing else. */
async function check(
  { rig, tally }: Storm,
  jobs: readonly Job[],
  exits: readonly { readonly job: Job; readonly ran: Ran }[],
): Promise<void> {
  const entries = rig.journal().filter(({ endpoint }) => jobs.some((job) => job.endpoint === endpoint));
  const work = await rig.work();
  const moved = entries.filter(holds);
  const firstProcess = Math.min(...exits.map(({ ran }) => ran.process));
  const own = moved.filter(({ process }) => process >= firstProcess);
  const wrong = exits.flatMap(({ ran }) => (ran.exit === 1 ? [`an internal error: ${ran.stderr}`] : []));
  const ids = moved.map(({ request_id }) => request_id ?? 'none');
  if (new Set(ids).size !== ids.length) wrong.push('two operations have the same work');
  for (const each of moved) {
    if (!work.includes(each.request_id ?? '')) wrong.push(`${each.id} (${each.state}) moved nothing`);
    const by = entries.find(({ process }) => process === rig.startedBy(each.request_id ?? ''));
    // Two equal requests may be taken for each other, and nobody can tell the difference.
    if (by && by.input_digest !== each.input_digest) wrong.push(`${each.id} has the work of ${by.id}`);
  }
  const strays = work.filter(
    (id) => rig.startedBy(id) !== undefined && !rig.journal().some((e) => e.request_id === id),
  );
  for (const id of strays) wrong.push(`${id} is work of process ${rig.startedBy(id)} that no operation knows`);
  for (const { key, argv } of jobs.filter((job) => job.key !== undefined)) {
    const under = moved.filter(({ once_key }) => once_key === key);
    if (under.length !== 1) wrong.push(`${under.length} movements under ${key} (${argv.join(' ')})`);
  }
  const successes = exits.filter(({ job, ran }) => job.key === undefined && ran.exit === 0).length;
  const keyless = own.filter(({ once_key }) => once_key === null);
  if (keyless.length < successes) wrong.push(`${successes} runs without a key succeeded, and ${keyless.length} moved`);
  if (wrong.length > 0) throw new Error(`${wrong.join('; ')}\n${lastOf(rig)}`);
  tally.movements += own.length;
}
