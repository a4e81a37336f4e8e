import type { Step } from '../../service/context.ts';
import type { Life } from '../source.ts';
import { machineNamed } from './work-columns.ts';
import type { WorkRow } from './work-row.ts';

/** The steps of work that this process saw. The oldest are forgotten. */
export interface StepLog {
  readonly onStep: (step: Step) => void;
  of(machine: string, subject: bigint): readonly Step[];
}

const MOST_WORK = 5_000;

export function createStepLog(): StepLog {
  const stepsOf = new Map<string, Step[]>();
  return {
    onStep: (step) => {
      const key = `${step.machine} ${step.subject}`;
      const steps = stepsOf.get(key) ?? [];
      stepsOf.delete(key);
      stepsOf.set(key, [...steps, step]);
      if (stepsOf.size > MOST_WORK) for (const oldest of stepsOf.keys()) return void stepsOf.delete(oldest);
    },
    of: (machine, subject) => stepsOf.get(`${machine} ${subject}`) ?? [],
  };
}

/** The states of a machine, how one leads to another, and the path that this work took. */
export function lifeOf(
  { kind, subject, state, created_at: at }: Pick<WorkRow, 'kind' | 'subject' | 'state' | 'created_at'>,
  log: StepLog,
): Life | undefined {
  const machine = machineNamed(kind);
  if (!machine) return undefined;
  const steps = machine.transitions.flatMap(({ from, to, on }) => from.map((each) => ({ from: each, to, on })));
  const states = [...new Set(steps.flatMap(({ from, to }) => [from, to]))];
  const start = states.find((each) => steps.every(({ to }) => to !== each)) ?? states[0] ?? state;
  const stepsOf = log.of(kind, subject);
  const isoTime = (timeMs: number | bigint) => new Date(Number(timeMs)).toISOString();
  // What was undone after it was stepsOf leads elsewhere.
  if (stepsOf[0]?.from === start && stepsOf.at(-1)?.to === state) {
    const path = stepsOf.map((each) => ({ state: each.to, at: isoTime(each.atMs) }));
    return { states, steps, state, path: [{ state: start, at: isoTime(at) }, ...path], isObserved: true };
  }
  const path = shortest(steps, start, state).map((each) => ({ state: each, at: each === start ? isoTime(at) : null }));
  return { states, steps, state, path, isObserved: path.length < 2 };
}

/** The shortest way from one state to another. */
function shortest(steps: Life['steps'], from: string, to: string): string[] {
  const ways = [[from]];
  const reached = new Set([from]);
  for (const way of ways) {
    const last = way.at(-1);
    if (last === to) return way;
    for (const step of steps)
      if (step.from === last && !reached.has(step.to)) {
        reached.add(step.to);
        ways.push([...way, step.to]);
      }
  }
  return [to];
}
