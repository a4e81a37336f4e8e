import { type Chances, chancesOf } from './chances.ts';
import { anyError, twisted, unusual, type World, worldOf } from './money-dimensions.ts';
import { GROUPS, type Group, TERSE_GROUPS } from './money-groups.ts';
import type { Restore, RigJournal } from './money-journals.ts';
import { type ClockErrors, type Furnished, openRig, type Rig } from './money-rig.ts';
import {
  decide,
  type Job,
  lookThrice,
  newTally,
  type Run,
  type Storm,
  type Tally,
  troubled,
  weather,
} from './money-storm.ts';
import {
  FORGOTTEN_TWIN,
  falseClaims,
  LOST,
  MARKED_TWIN,
  NOT_MOVED_BESIDE_TWIN,
  type OtherRun,
  RESTORED,
  TWIN,
  truthOf,
} from './money-verdicts.ts';

/** Every kind of work that moves money. */
export const ALL_GROUPS: readonly Group[] = [...GROUPS, ...TERSE_GROUPS];

/** A run in which something untrue was claimed. */
export interface Finding {
  readonly kind: string;
  readonly group: string;
  readonly seed: number;
  /** What was unusual about its world. */
  readonly world: string;
  readonly log: string;
}

/** What a campaign counts. */
export interface CampaignTally extends Tally {
  readonly findings: Finding[];
  /** How commands under a key ended at last. */
  readonly ends: Map<string, number>;
  /** Runs by each choice, and what was claimed in them. */
  readonly choices: Map<string, { runs: number; readonly kinds: Map<string, number> }>;
}

export const newCampaignTally = (): CampaignTally => ({
  ...newTally(),
  findings: [],
  ends: new Map(),
  choices: new Map(),
});

const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

/** What a campaign runs on. */
export interface Ground {
  readonly furnished: Furnished;
  readonly journal: RigJournal;
  readonly tally: CampaignTally;
}

/** Runs commands in the world that a seed chooses, ends every unknownOutcome, and counts every claim that is not true. */
export async function campaignRun(seed: number, { furnished, journal, tally }: Ground): Promise<void> {
  const chances = chancesOf(seed);
  const group = chances.one(ALL_GROUPS);
  const clocks: (keyof ClockErrors)[] = [
    'host-1',
    'host-2',
    'service',
    'date',
    ...(journal.isShared ? ['journal' as const] : []),
  ];
  const world = worldOf(chances, clocks);
  const ends: (() => void | Promise<void>)[] = [];
  try {
    const rig = await openRig(group, (end) => ends.push(end), { ...world, furnished, journal });
    const runs: Run[] = [];
    const others: OtherRun[] = [];
    const storm: Storm = {
      rig,
      group,
      chances,
      tally,
      runs,
      unrest: unrestIn(world, { rig, group, chances, others, furnished }),
    };
    // A copy of a journal has something in it.
    if (world.copy !== 'none') await troubled(storm, { ...group.line(rig.place, chances, 7), key: undefined }, 'none');
    const jobs = await weather(storm, 'k');
    await storm.unrest?.(jobs, 'between');
    await endUnknown(storm, tally, world.isLive ? 'live, ' : '');
    await untilDone(storm, jobs, tally);
    const truth = await truthOf(rig, { group, jobs, runs, others });
    const kinds = new Set(falseClaims(truth).map((kind) => inWorld(kind, world, journal)));
    tally.movements += runs.flatMap(({ ran }) => truth.startedBy(ran.process)).length;
    note(tally, { seed, group, world, kinds, log: rig.log.join('\n') });
  } catch (error) {
    const kinds = new Set([`the run did not end: ${error instanceof Error ? wordsOf(error.message) : error}`]);
    note(tally, { seed, group, world, kinds, log: String(error instanceof Error ? error.stack : error) });
  } finally {
    for (const end of ends) await end();
  }
}

/** Names a false claim by what its world leaves nobody to notice it by. */
function inWorld(kind: string, { needsMarks, copy }: World, { isShared }: RigJournal): string {
  if (kind === TWIN && needsMarks) return MARKED_TWIN;
  const isRestored = copy === 'the machines' && !isShared;
  if (kind === NOT_MOVED_BESIDE_TWIN && isRestored && !needsMarks) return FORGOTTEN_TWIN;
  return kind === LOST && isRestored ? RESTORED : kind;
}

interface Place {
  readonly rig: Rig;
  readonly group: Group;
  readonly chances: Chances;
  readonly others: OtherRun[];
  readonly furnished: Furnished;
}

/** What goes on in a world besides our commands. */
function unrestIn(world: World, { rig, group, chances, others, furnished }: Place): NonNullable<Storm['unrest']> {
  let restore: Restore | 'done' | undefined;
  return async (jobs, when) => {
    const { setsClock, copy } = world;
    if (setsClock && chances.percent(35)) rig.clockErrors[setsClock] = anyError(chances);
    for (let left = world.others; left > 0; left--) {
      if (chances.percent(50)) continue;
      const ours = chances.one(jobs);
      const alike = chances.percent(20) ? group.line(rig.place, chances) : ours;
      const line = group.like(alike, twisted(chances, furnished.otherPlace, alike));
      // Onramps and trades may always be repeated.
      const isGuarded = group.hasKeys && !['onramp', 'fx'].includes(line.argv[0] ?? '');
      const again = isGuarded ? ['--again'] : [];
      const { process } = await rig.runOther([...line.argv, ...again, '--yes', '-q']);
      others.push({ line, process });
    }
    if (copy === 'none' || when === 'during') return;
    if (restore === undefined) restore = await rig.copyJournal(copy);
    else if (restore !== 'done' && chances.percent(40)) {
      await restore();
      restore = 'done';
    }
  };
}

/** Ends every unknownOutcome; a person decides what `ops reconcile` leaves, and knows what happened. */
async function endUnknown(storm: Storm, { unknownOutcomes }: CampaignTally, where: string): Promise<void> {
  const { left, ended, looked } = await lookThrice(storm);
  for (const { state, verdict, detail } of ended)
    count(unknownOutcomes, `${where}ended: ${verdict ?? state}: ${wordsOf(detail)}`);
  for (const each of left) {
    const { found, next } = looked.find(({ operationId }) => operationId === each.id) ?? {
      found: 'not looked for',
      next: null,
    };
    count(unknownOutcomes, `${where}a person: ${found}: ${wordsOf(next)}`);
    await decide(storm, each).catch(() => count(unknownOutcomes, 'a person could not decide'));
  }
}

/** Words without what differs from run to run. */
const wordsOf = (text: string | null) =>
  (text ?? '')
    .replace(/\S*\d\S*/g, '…')
    .replace(/(… (or|and|,)? ?)+…/g, '…')
    .slice(0, 120);

/** Runs commands under their keys as cron would. A person accepts a journal that was replaced, and runs only what the service does not have. */
async function untilDone(storm: Storm, jobs: readonly Job[], { ends }: CampaignTally): Promise<void> {
  const { rig, runs } = storm;
  const movers = new Set((await rig.work()).map(rig.startedBy));
  const hasMoved = (job: Job) => runs.some(({ ran, job: { key } }) => key === job.key && movers.has(ran.process));
  let isReplaced = false;
  for (const job of jobs) {
    if (job.key === undefined) continue;
    if (!isReplaced && (await troubled(storm, job, 'none')).ran.exit === 2) {
      await rig.run(['ops', 'journal', 'verify', '--accept', '--yes', '-q']);
      isReplaced = true;
    }
    if (isReplaced && hasMoved(job)) count(ends, 'stopped by the journal, after it was done');
    else {
      const { exit, stderr } = (await troubled(storm, job, 'none')).ran;
      count(ends, `exit ${exit}${exit === 0 ? '' : `: ${wordsOf(stderr.split('\n')[0] ?? '')}`}`);
    }
  }
}

interface Judged {
  readonly seed: number;
  readonly group: Group;
  readonly world: World;
  readonly kinds: ReadonlySet<string>;
  readonly log: string;
}

function note({ findings, choices }: CampaignTally, { seed, group, world, kinds, log }: Judged): void {
  const said = unusual(world).map(([name, value]) => `${name}: ${value}`);
  for (const kind of kinds) findings.push({ kind, seed, log, group: group.name, world: said.join('; ') });
  for (const choice of [
    `group: ${group.name}`,
    ...Object.entries(world.said).map(([name, value]) => `${name}: ${value}`),
  ]) {
    const counted = choices.get(choice) ?? { runs: 0, kinds: new Map() };
    counted.runs += 1;
    for (const kind of kinds) count(counted.kinds, kind);
    choices.set(choice, counted);
  }
}
