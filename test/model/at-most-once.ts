/**
 * A model of how an idempotency key is used: runs of one command on two hosts that share a journal, a network that loses and delays, a
 * service whose list shows a movement late, processes that are killed or suspended at any moment, and a reconciliation that may
 * conclude that nothing was done. Every interleaving is explored. Times are countdowns, so that the number of states is finite
 * although time is not.
 */

/** What the program does, so that a test can take one thing away. */
export interface Rules {
  /** Whether `sent` is on disk before the request leaves. Otherwise a host that crashes forgets it. */
  readonly isFlushed: boolean;
  /** Whether the request leaves after `sent` is recorded, not before. */
  readonly isRecordedFirst: boolean;
  /** Whether deciding and recording are one transaction. */
  readonly isAtomic: boolean;
  /** Whether the journal rejects `sent` for an operation that another run has closed. */
  readonly isStateChecked: boolean;
  /** Whether a request that has not left when its run's time is over never leaves. */
  readonly isFenced: boolean;
  /** Whether a response is spooled beside a journal that is locked, and merged by the next command. */
  readonly isSpooled: boolean;
  /** Ticks between the two looks after which absence is believed. */
  readonly absenceTicks: number;
  /** Whether the service lists the movement at all. */
  readonly isListed: boolean;
  /** Whether absence is left to a person, by the profile or because a list does not prove it. */
  readonly isAsked: boolean;
  /** Whether a person who knows what happened decides what the program leaves to one. */
  readonly hasPerson: boolean;
}

/** How long a run may take to send and to wait, a request to arrive, and a movement to show in the list. */
export const BUSY = 1;
export const DELAY = 1;
export const LAG = 1;

export const RULES: Rules = {
  isFlushed: true,
  isRecordedFirst: true,
  isAtomic: true,
  isStateChecked: true,
  isFenced: true,
  isSpooled: true,
  absenceTicks: DELAY + LAG,
  isListed: true,
  isAsked: false,
  hasPerson: false,
};

/** The host of each run. */
const HOSTS = [0, 0, 1] as const;

/** `closed`: refused, abandoned before it was sent, or resolved as not done. Its key is free. */
type Entry = 'none' | 'prepared' | 'sent' | 'unknown' | 'accepted' | 'closed';

/** A run, and the operation that it recorded. */
export interface Run {
  /** `decided`: it may go on, and has not recorded that. `recorded`: it may send. `sending`: it sent, and has not recorded that. */
  readonly at: 'idle' | 'decided' | 'prepared' | 'sending' | 'recorded' | 'waiting' | 'exit';
  readonly entry: Entry;
  /** Whether `sent` would survive a crash of the host. */
  readonly isDurable: boolean;
  /** Ticks for which its process may be at work. */
  readonly busy: number;
  /** Ticks until absence is believed; null before the first look. */
  readonly unseen: number | null;
  /** Its request on its way: the ticks until it arrives or is lost. */
  readonly request: number | null;
  readonly response: 'moved' | 'rejected' | null;
  /** Ticks until the list shows its movement; null if it moved nothing. */
  readonly hidden: number | null;
  /** The response that waits beside the journal. */
  readonly spooled: 'accepted' | 'closed' | null;
  /** Whether it ended by saying what the service answered. */
  readonly isTold: boolean;
}

export type State = readonly Run[];

interface Step {
  readonly name: string;
  readonly next: State;
  /** What is wrong with the step itself. */
  readonly wrong?: string;
}

const IDLE: Run = {
  at: 'idle',
  entry: 'none',
  isDurable: false,
  busy: 0,
  unseen: null,
  request: null,
  response: null,
  hidden: null,
  spooled: null,
  isTold: false,
};

export const START: State = HOSTS.map(() => IDLE);

const isAlive = ({ at }: Run) => at !== 'idle' && at !== 'exit';
const isHeld = ({ entry }: Run) => entry !== 'none' && entry !== 'closed';
const isOutcomeUnknown = ({ entry }: Run) => entry === 'sent' || entry === 'unknown';
const hasMoved = ({ hidden }: Run) => hidden !== null;

/** Returns what is wrong with a state; if `isWorst`, only whether the money moved twice. */
export function violation(state: State, isWorst: boolean): string | undefined {
  if (state.filter(hasMoved).length > 1) return 'the money moved twice';
  if (isWorst) return undefined;
  const isWrong = state.some(
    (run) => run.entry === 'closed' && (hasMoved(run) || run.request !== null) && !isAlive(run),
  );
  if (isWrong) return 'recorded as not done, and the money moved';
  const isForgotten = merged(state).some((run) => run.isTold && isOutcomeUnknown(run));
  return isForgotten ? 'of unknown outcome, although someone was told how it ended' : undefined;
}

/** Whether nothing is left to find out. */
export const isEnded = (state: State) => state.every((run) => !isAlive(run) && !isOutcomeUnknown(run));

const change = (state: State, index: number, to: Partial<Run>): State =>
  state.map((run, at) => (at === index ? { ...run, ...to } : run));

/** Whether a process is at work on an operation, as seen from a host: only its own host knows whether it lives. */
const isBusy = (run: Run, index: number, from: number) =>
  (run.entry === 'prepared' || run.entry === 'sent') && run.busy > 0 && (HOSTS[index] !== from || isAlive(run));

/** Returns every state that may follow. */
export function stepsOf(state: State, rules: Rules): Step[] {
  const steps: Step[] = [];
  for (const [index, run] of state.entries()) {
    steps.push(...runSteps(state, rules, run, index), ...networkSteps(state, run, index));
    if (isAlive(run)) steps.push({ name: `run ${index} is killed`, next: change(state, index, { at: 'exit' }) });
    steps.push(...reconcileSteps(merged(state), rules, index));
  }
  for (const host of [0, 1])
    if (state.some((run, index) => HOSTS[index] === host && isAlive(run)))
      steps.push({ name: `host ${host} crashes`, next: crashed(state, host) });
  if (state.some(({ spooled }) => spooled !== null))
    steps.push({ name: 'a later command merges the response', next: merged(state) });
  // A request that did not arrive in time never will.
  if (!state.some(({ request }) => request === 0)) steps.push({ name: 'time passes', next: state.map(later) });
  return steps;
}

const less = <T extends number | null>(ticks: T) => (ticks === null ? null : Math.max(0, ticks - 1)) as T;
const later = (run: Run): Run => ({
  ...run,
  busy: less(run.busy),
  unseen: less(run.unseen),
  request: less(run.request),
  hidden: less(run.hidden),
});

/** The processes of a host end, and the journal forgets what it did not flush. */
function crashed(state: State, host: number): State {
  return state.map((run, index) => {
    if (HOSTS[index] !== host || !isAlive(run)) return run;
    return { ...run, at: 'exit', entry: run.entry === 'sent' && !run.isDurable ? 'prepared' : run.entry };
  });
}

/** Every command first merges the spooled responses. */
const merged = (state: State): State =>
  state.map((run) =>
    run.spooled === null ? run : { ...run, entry: isOutcomeUnknown(run) ? run.spooled : run.entry, spooled: null },
  );

function networkSteps(state: State, run: Run, index: number): Step[] {
  const steps: Step[] = [];
  if (run.request !== null) {
    const gone = { request: null } as const;
    steps.push({ name: `request ${index} is lost`, next: change(state, index, gone) });
    steps.push({ name: `request ${index} is rejected`, next: change(state, index, { ...gone, response: 'rejected' }) });
    const moves = change(state, index, { ...gone, response: 'moved', hidden: LAG });
    steps.push({ name: `request ${index} moves the money`, next: moves });
  }
  if (run.response !== null)
    steps.push({ name: `response ${index} is lost`, next: change(state, index, { response: null }) });
  return steps;
}

function runSteps(state: State, rules: Rules, run: Run, index: number): Step[] {
  const to = (name: string, next: Partial<Run>) => ({ name: `run ${index} ${name}`, next: change(state, index, next) });
  const mayLeave = !rules.isFenced || run.busy > 0;
  const isOpen = run.entry === 'prepared' || !rules.isStateChecked;
  const sent = { entry: 'sent', isDurable: rules.isFlushed, busy: BUSY } as const;
  switch (run.at) {
    case 'idle':
      return claimSteps(merged(state), rules, index);
    case 'decided':
      return [to('records its intent', { at: 'prepared', entry: 'prepared', busy: BUSY })];
    case 'prepared':
      if (!rules.isRecordedFirst) return [to('sends', { at: 'sending', request: DELAY })];
      return [
        isOpen
          ? to('records sent', { at: 'recorded', ...sent })
          : to('finds that another run closed it', { at: 'exit' }),
        to('cannot write the journal', { at: 'exit' }),
      ];
    case 'sending':
      return [to('records sent', { at: 'waiting', ...sent })];
    case 'recorded':
      if (mayLeave) return [to('sends', { at: 'waiting', request: DELAY })];
      return [to('is too late to send', { at: 'exit', entry: isOutcomeUnknown(run) ? 'closed' : run.entry })];
    case 'waiting':
      return answerSteps(state, rules, run, index);
    case 'exit':
      return [];
  }
}

function answerSteps(state: State, rules: Rules, run: Run, index: number): Step[] {
  const to = (name: string, next: Partial<Run>) => ({ name: `run ${index} ${name}`, next: change(state, index, next) });
  const written = (entry: Entry): Partial<Run> => ({ at: 'exit', entry: isOutcomeUnknown(run) ? entry : run.entry });
  if (run.response === null) {
    if (run.busy > 0) return [];
    return [to('times out', written('unknown')), to('times out, and cannot write the journal', { at: 'exit' })];
  }
  const entry = run.response === 'moved' ? 'accepted' : 'closed';
  const spooled = rules.isSpooled ? entry : null;
  const told = { response: null, isTold: true };
  return [
    to('records the response', { ...written(entry), ...told }),
    to('says the outcome, and cannot write the journal', { at: 'exit', ...told, spooled }),
  ];
}

/** A new run looks into the journal and decides. */
function claimSteps(state: State, rules: Rules, index: number): Step[] {
  const holder = state.findIndex(isHeld);
  const run = state[holder];
  const starts = (from: State): Step => ({
    name: `run ${index} gets the key`,
    next: change(from, index, rules.isAtomic ? { at: 'prepared', entry: 'prepared', busy: BUSY } : { at: 'decided' }),
  });
  if (!run) return [starts(state)];
  if (run.entry === 'accepted') {
    const wrong = state.some(hasMoved) ? {} : { wrong: 'exit 0, and nothing moved' };
    return [{ name: `run ${index} prints the recorded result`, next: change(state, index, { at: 'exit' }), ...wrong }];
  }
  // It waits for the run that has the key, or leaves its unknownOutcome to a reconciliation.
  if (run.entry !== 'prepared' || isBusy(run, holder, HOSTS[index] ?? 0)) return [];
  return [starts(change(state, holder, { entry: 'closed' }))];
}

/** Someone looks for an operation with an unknown outcome. */
function reconcileSteps(state: State, rules: Rules, index: number): Step[] {
  const run = state[index];
  if (!run || !isOutcomeUnknown(run) || isBusy(run, index, HOSTS[index] ?? 0)) return [];
  const to = (name: string, next: Partial<Run>) => ({ name: `${name} ${index}`, next: change(state, index, next) });
  const steps: Step[] = [];
  const isSettled = run.request === null && (!isAlive(run) || (rules.isFenced && run.busy === 0));
  if (rules.hasPerson && isSettled && (run.unseen === 0 || !rules.isListed))
    steps.push(to('a person decides about', { entry: hasMoved(run) ? 'accepted' : 'closed' }));
  if (!rules.isListed) return steps;
  if (run.hidden === 0) return [...steps, to('someone finds in the list', { entry: 'accepted' })];
  if (run.unseen === null)
    return [...steps, to('someone does not find', { entry: 'unknown', unseen: rules.absenceTicks })];
  if (run.unseen === 0 && !rules.isAsked)
    steps.push(to('someone concludes that nothing was done about', { entry: 'closed' }));
  return steps;
}
