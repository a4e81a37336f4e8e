/**
 * A model of how a once key is used: runs of a command on two hosts that share a journal, a network that loses and delays, a service
 * whose list shows a movement late, and a reconciliation that may conclude that nothing was done. Every interleaving of a
 * bounded number of steps is explored. The model is small on purpose: it has one key, and time is a few ticks.
 */

export interface Rules {
  /** Whether `sent` is on disk before the request leaves. Otherwise a host that crashes forgets it. */
  readonly isFlushed: boolean;
  /** Ticks between the two looks after which absence is believed. */
  readonly absenceTicks: number;
  /** Whether the response is kept beside a journal that is locked, and merged by the next run. */
  readonly isKeptAside: boolean;
  /** Whether deciding and recording are one transaction. */
  readonly isAtomic: boolean;
}

export const RULES: Rules = { isFlushed: true, absenceTicks: 3, isKeptAside: true, isAtomic: true };

/** A request may arrive this many ticks after it was sent, and shows in the list this many ticks after it arrived. */
const DELAY = 1;
const LAG = 1;
const LAST_TICK = 6;
const RUNS = 3;

type Entry = 'none' | 'prepared' | 'sent' | 'accepted' | 'unknown' | 'free';

interface Run {
  /** `decided`: it may go on, and has not recorded that. Only without atomicity. */
  readonly at: 'idle' | 'decided' | 'prepared' | 'recorded' | 'waiting' | 'exit';
  readonly exit: 'done' | 'refused' | 'unknown' | 'killed' | null;
  readonly sentAt: number;
}

export interface State {
  readonly tick: number;
  readonly runs: readonly Run[];
  readonly journal: Entry;
  /** What the journal would say after a crash of its host. */
  readonly durable: Entry;
  /** The run that the entry belongs to. */
  readonly owner: number;
  /** Whether the response waits beside the journal. */
  readonly isAside: boolean;
  /** The tick of the first look that found nothing. */
  readonly unseenAt: number | null;
  /** Requests on their way, by run. */
  readonly requests: readonly number[];
  /** Responses on their way, by run; `refused` if nothing was done. */
  readonly responses: readonly { readonly run: number; readonly isRefused: boolean }[];
  readonly movements: number;
  /** From when the list shows the movement. */
  readonly visibleAt: number | null;
}

const IDLE: Run = { at: 'idle', exit: null, sentAt: 0 };

export const START: State = {
  ...{ tick: 0, runs: Array.from({ length: RUNS }, () => IDLE), journal: 'none', durable: 'none', owner: -1 },
  ...{ isAside: false, unseenAt: null, requests: [], responses: [], movements: 0, visibleAt: null },
};

interface Step {
  readonly name: string;
  readonly next: State;
}

/** Returns what is wrong with a state. */
export function violation({ runs, movements }: State): string | undefined {
  if (movements > 1) return 'the money moved twice';
  if (movements === 0 && runs.some(({ exit }) => exit === 'done')) return 'exit 0, and nothing moved';
  return undefined;
}

/** Returns every state that may follow. */
export function stepsOf(state: State, rules: Rules): Step[] {
  const steps = state.runs.flatMap((run, index) => runSteps(state, rules, run, index));
  for (const run of state.requests) {
    steps.push({ name: `request ${run} is lost`, next: { ...state, requests: without(state.requests, run) } });
    steps.push({ name: `request ${run} moves the money`, next: arrived(state, run, false) });
    steps.push({ name: `request ${run} is refused`, next: arrived(state, run, true) });
  }
  for (const response of state.responses) {
    const responses = state.responses.filter((each) => each !== response);
    steps.push({ name: `response ${response.run} is lost`, next: { ...state, responses } });
  }
  // A request that did not arrive in time never will.
  const isStale = state.requests.some((run) => (state.runs[run]?.sentAt ?? 0) + DELAY <= state.tick);
  if (state.tick < LAST_TICK && !isStale) steps.push({ name: 'time passes', next: { ...state, tick: state.tick + 1 } });
  if (state.runs.some(isAlive)) steps.push({ name: 'the host crashes', next: crashed(state) });
  return steps;
}

const isAlive = ({ at }: Run) => at !== 'idle' && at !== 'exit';

const without = (list: readonly number[], one: number) => list.filter((each) => each !== one);

const withRun = (state: State, index: number, run: Partial<Run>): State => ({
  ...state,
  runs: state.runs.map((each, at) => (at === index ? { ...each, ...run } : each)),
});

const ending = (state: State, index: number, exit: Run['exit']) => withRun(state, index, { at: 'exit', exit });

/** Writes an entry. Everything but `sent` is flushed in any case, because nothing waits for it. */
const written = (state: State, journal: Entry, isFlushed = true): State => ({
  ...state,
  journal,
  durable: isFlushed ? journal : state.durable,
});

function arrived(state: State, run: number, isRefused: boolean): State {
  const responses = [...state.responses, { run, isRefused }];
  const rest = { ...state, requests: without(state.requests, run), responses };
  return isRefused ? rest : { ...rest, movements: state.movements + 1, visibleAt: state.visibleAt ?? state.tick + LAG };
}

/** Every process ends, and the journal says what was on disk. */
function crashed(state: State): State {
  const runs = state.runs.map((run): Run => (isAlive(run) ? { ...run, at: 'exit', exit: 'killed' } : run));
  return { ...state, runs, journal: state.durable };
}

function runSteps(state: State, rules: Rules, run: Run, index: number): Step[] {
  const killed = { name: `run ${index} is killed`, next: ending(state, index, 'killed') };
  switch (run.at) {
    case 'idle':
      return claim(state, rules, index);
    case 'decided':
      return [{ name: `run ${index} records its intent`, next: own(state, index) }, killed];
    case 'prepared':
      return [
        {
          name: `run ${index} records sent`,
          next: withRun(written(state, 'sent', rules.isFlushed), index, { at: 'recorded' }),
        },
        killed,
      ];
    case 'recorded': {
      const waiting = withRun(state, index, { at: 'waiting', sentAt: state.tick });
      return [{ name: `run ${index} sends`, next: { ...waiting, requests: [...state.requests, index] } }, killed];
    }
    case 'waiting':
      return [...answerSteps(state, rules, run, index), killed];
    default:
      return [];
  }
}

const own = (state: State, index: number) =>
  withRun({ ...written(state, 'prepared'), owner: index, unseenAt: null }, index, { at: 'prepared' });

function answerSteps(state: State, rules: Rules, run: Run, index: number): Step[] {
  const response = state.responses.find((each) => each.run === index);
  if (response) {
    const rest = { ...state, responses: state.responses.filter((each) => each !== response) };
    const entry = response.isRefused ? 'free' : 'accepted';
    const exit = response.isRefused ? 'refused' : 'done';
    const locked = { ...rest, isAside: rules.isKeptAside && !response.isRefused };
    return [
      { name: `run ${index} records the response`, next: ending(written(rest, entry), index, exit) },
      { name: `run ${index} cannot write the journal`, next: ending(locked, index, exit) },
    ];
  }
  if (state.tick <= run.sentAt + DELAY) return [];
  return [{ name: `run ${index} times out`, next: ending(written(state, 'unknown'), index, 'unknown') }];
}

/** A new run looks into the journal and decides. */
function claim(given: State, rules: Rules, index: number): Step[] {
  const state = given.isAside ? { ...written(given, 'accepted'), isAside: false } : given;
  const owner = state.runs[state.owner];
  const isBusy = owner !== undefined && isAlive(owner);
  const starts = () => [
    {
      name: `run ${index} gets the key`,
      next: rules.isAtomic ? own(state, index) : withRun(state, index, { at: 'decided' }),
    },
  ];
  if (state.journal === 'none' || state.journal === 'free') return starts();
  if (state.journal === 'accepted')
    return [{ name: `run ${index} prints the recorded result`, next: ending(state, index, 'done') }];
  // It waits for the run that has the key.
  if (isBusy) return [];
  if (state.journal === 'prepared') return starts();
  return reconcile(state, rules, index);
}

function reconcile(state: State, rules: Rules, index: number): Step[] {
  const doubt = written(state, 'unknown');
  if (state.visibleAt !== null && state.visibleAt <= state.tick)
    return [{ name: `run ${index} finds it in the list`, next: ending(written(state, 'accepted'), index, 'done') }];
  if (state.unseenAt === null) {
    const looked = { ...doubt, unseenAt: state.tick };
    // Another run may look later, so this one may be repeated.
    return [{ name: `run ${index} does not find it`, next: looked }];
  }
  if (state.tick < state.unseenAt + rules.absenceTicks) return [];
  return [
    { name: `run ${index} concludes that nothing was done`, next: { ...written(doubt, 'free'), unseenAt: null } },
  ];
}

export interface Explored {
  readonly states: number;
  readonly steps: number;
  /** How the first violation comes about; undefined if there is none. */
  readonly trace: readonly string[] | undefined;
}

/** Explores every state that can be reached, breadth first, up to the first violation. */
export function explore(rules: Rules): Explored {
  const from = new Map<string, { readonly before: string | undefined; readonly name: string }>();
  const keyOf = (state: State) => JSON.stringify(state);
  const first = keyOf(START);
  from.set(first, { before: undefined, name: '' });
  let steps = 0;
  for (let level: State[] = [START]; level.length > 0; ) {
    const nextLevel: State[] = [];
    for (const state of level) {
      const key = keyOf(state);
      const wrong = violation(state);
      if (wrong) return { states: from.size, steps, trace: [...traceTo(from, key), wrong] };
      for (const { name, next } of stepsOf(state, rules)) {
        steps += 1;
        const nextKey = keyOf(next);
        if (from.has(nextKey)) continue;
        from.set(nextKey, { before: key, name });
        nextLevel.push(next);
      }
    }
    level = nextLevel;
  }
  return { states: from.size, steps, trace: undefined };
}

function traceTo(
  from: ReadonlyMap<string, { readonly before: string | undefined; readonly name: string }>,
  key: string,
) {
  const names: string[] = [];
  for (let at: string | undefined = key; at !== undefined; at = from.get(at)?.before)
    names.unshift(from.get(at)?.name ?? '');
  return names.filter((name) => name !== '');
}
