import {
  BUSY,
  DELAY,
  isEnded,
  LAG,
  type Rules,
  type Run,
  START,
  type State,
  stepsOf,
  violation,
} from './at-most-once.ts';

export interface Explored {
  readonly states: number;
  readonly steps: number;
  /** How the first violation comes about; undefined if there is none. */
  readonly trace: readonly string[] | undefined;
}

const PLACES = ['idle', 'decided', 'prepared', 'sending', 'recorded', 'waiting', 'exit'] as const;
const ENTRIES = ['none', 'prepared', 'sent', 'unknown', 'accepted', 'closed'] as const;
const RESPONSES = [null, 'moved', 'rejected'] as const;
const SPOOLED = [null, 'accepted', 'closed'] as const;
/** Longer countdowns than any, and one for null. */
const TICKS = 4;

/** Returns a number for a state; equal for equal states only. It is below 2^53. */
const keyOf = (state: State): number => state.reduce((key, run) => key * 2 ** 17 + numberOf(run), 0);

function numberOf({ at, entry, isDurable, isTold, busy, unseen, request, response, hidden, spooled }: Run): number {
  const ticks = (count: number | null) => (count === null ? 0 : count + 1);
  let number = 0;
  const add = (digit: number, base: number) => {
    number = number * base + digit;
  };
  add(PLACES.indexOf(at), PLACES.length);
  add(ENTRIES.indexOf(entry), ENTRIES.length);
  add((isDurable ? 1 : 0) + (isTold ? 2 : 0), 4);
  add(busy, BUSY + 1);
  add(ticks(unseen), TICKS);
  add(ticks(request), DELAY + 2);
  add(RESPONSES.indexOf(response), RESPONSES.length);
  add(ticks(hidden), LAG + 2);
  add(SPOOLED.indexOf(spooled), SPOOLED.length);
  return number;
}

/** The states found so far: each has the one it was found from, by which step, and the ones that may lead to it. */
interface Graph {
  readonly numbers: Map<number, number>;
  readonly states: State[];
  readonly from: { readonly before: number; readonly name: string }[];
  readonly before: number[][];
}

/**
 * Explores every state that can be reached, breadth first, up to the first violation, or up to the worst: money that moved twice. Then checks that from every state, some
 * way leads to one without unknownOutcomes.
 */
export function explore(rules: Rules, isWorst = false): Explored {
  const graph: Graph = { numbers: new Map(), states: [], from: [], before: [] };
  add(graph, START, { before: -1, name: '' });
  let steps = 0;
  for (let number = 0; number < graph.states.length; number++) {
    const state = graph.states[number] ?? START;
    const wrong = violation(state, isWorst);
    if (wrong) return { states: graph.states.length, steps, trace: [...traceTo(graph, number), wrong] };
    for (const { name, next, wrong: ofStep } of stepsOf(state, rules)) {
      steps += 1;
      if (ofStep) return { states: graph.states.length, steps, trace: [...traceTo(graph, number), name, ofStep] };
      add(graph, next, { before: number, name });
    }
  }
  const stuck = firstStuck(graph);
  const trace = stuck === undefined ? undefined : [...traceTo(graph, stuck), 'an unknown outcome that nothing ends'];
  return { states: graph.states.length, steps, trace };
}

function add(graph: Graph, state: State, from: Graph['from'][number]): void {
  const key = keyOf(state);
  const known = graph.numbers.get(key);
  const number = known ?? graph.states.length;
  if (known === undefined) {
    graph.numbers.set(key, number);
    graph.states.push(state);
    graph.from.push(from);
    graph.before.push([]);
  }
  if (from.before >= 0) graph.before[number]?.push(from.before);
}

/** Returns the first state from which no way leads to one without unknownOutcomes. */
function firstStuck({ states, before }: Graph): number | undefined {
  const isGood = states.map(isEnded);
  const open = states.flatMap((_state, number) => (isGood[number] ? [number] : []));
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    for (const earlier of before[number] ?? []) {
      if (isGood[earlier]) continue;
      isGood[earlier] = true;
      open.push(earlier);
    }
  }
  const stuck = isGood.indexOf(false);
  return stuck === -1 ? undefined : stuck;
}

function traceTo({ from }: Graph, number: number): string[] {
  const names: string[] = [];
  for (let at = number; at > 0; at = from[at]?.before ?? 0) names.unshift(from[at]?.name ?? '');
  return names;
}
