import { CliError } from '../../base/errors.ts';
import { problemsOf } from '../../contract/check.ts';
import { sandboxSimulate } from '../../contract/control.ts';
import type { AskSandbox } from './ask.ts';

/** The seed of a history that was given none, as `sandbox simulate` has it. */
const SEED = 1;

/** How far a simulation is. */
interface Progress {
  readonly done: number;
  readonly days: number;
}

/** A new history of the sandbox, one at a time. */
export interface Histories {
  /** Replaces everything in the sandbox by so many simulated days. Rejects with CliError, and then has changed nothing if it is for the input. */
  simulate(input: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
  /** Ends it after the day that it is at. */
  stop(): Record<string, unknown>;
  /** What runs now; undefined if nothing does. */
  running(): Progress | undefined;
}

export function createHistories(ask: AskSandbox): Histories {
  let running: Progress | undefined;
  let isStopped = false;
  const next = async (request: object, done: number, days: number) => {
    running = { done, days };
    return ask('POST', '/_sandbox/simulate', { ...request, days: days - done });
  };
  const run = async (request: object, days: number) => {
    await renew(ask);
    let day = await next(request, 0, days);
    let done = 1;
    for (; done < days && !isStopped; done++)
      day = await next({ ...request, until: day['until'], from: day['now'] }, done, days);
    await toPresent(ask);
    return { days: done };
  };
  return {
    simulate: async ({ days, users = 200, seed = SEED }) => {
      if (running) throw new CliError('usage', 'a history is being simulated; wait for it to end, or stop it');
      const request = { seed, users };
      // Once the sandbox is empty, it is too late to find out.
      requireValid({ ...request, days });
      running = { done: 0, days: Number(days) };
      isStopped = false;
      try {
        return await run(request, Number(days));
      } finally {
        running = undefined;
      }
    },
    stop: () => {
      isStopped = true;
      return {};
    },
    running: () => running,
  };
}

/** Throws CliError usage for what the control would not take. */
function requireValid(input: Readonly<Record<string, unknown>>): void {
  const [problem] = problemsOf(sandboxSimulate.request(), input);
  if (problem) throw new CliError('usage', `${problem.field}: ${problem.message}`);
}

/** Empties the sandbox. Its pace and its rate limits stay. */
async function renew(ask: AskSandbox): Promise<void> {
  const { pace, rateLimits } = await ask('GET', '/_sandbox/status');
  await ask('POST', '/_sandbox/reset', { pace, rateLimits: rateLimits === 'on' });
}

/** The last day ends a little before the present. */
async function toPresent(ask: AskSandbox): Promise<void> {
  const { now, machineTime } = await ask('GET', '/_sandbox/clock');
  const durationMs = Date.parse(String(machineTime)) - Date.parse(String(now));
  if (durationMs > 0) await ask('POST', '/_sandbox/advance', { durationMs });
}
