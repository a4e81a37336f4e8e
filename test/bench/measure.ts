import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Command } from './workshop.ts';

const WARM_UPS = 2;

/**
 * Runs a command to completion and returns its milliseconds. Throws if it fails, so that a failure does not count as a
 * fast run.
 */
export function timeMs(command: Command, input?: string): number {
  const start = process.hrtime.bigint();
  printedBy(command, input);
  return Number(process.hrtime.bigint() - start) / 1e6;
}

/** Runs a command to completion and returns what it prints. Throws if it fails. */
export const outputOf = (command: Command): string => printedBy(command).toString();

/** Returns bytes, because what an export prints is too long for a text. */
function printedBy({ file, args, env }: Command, input?: string): Buffer {
  const { status, error, stderr, stdout } = spawnSync(file, args, {
    env,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    maxBuffer: 1e9,
    ...(input === undefined ? {} : { input }),
  });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')}: ${error?.message ?? `exit ${status}: ${stderr}`}`);
  return stdout;
}

/** Prints the CPU seconds of a program, of the user and of the system, after what the program itself printed there. */
const TIMED = `TIMEFORMAT='%3U %3S'; time "$@" >/dev/null`;

/** Returns how to measure a command's CPU milliseconds, from its start to its end; undefined without bash. Throws if the command fails. */
export function cpuMeter(): ((command: Command) => number) | undefined {
  if (spawnSync('bash', ['--version'], { stdio: 'ignore' }).status !== 0) return undefined;
  return ({ file, args, env }) => {
    const { status, stderr } = spawnSync('bash', ['-c', TIMED, 'bash', file, ...args], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (status !== 0) throw new Error(`${file} ${args.join(' ')}: exit ${status}: ${stderr}`);
    const [user = Number.NaN, system = Number.NaN] = stderr.trimEnd().split('\n').at(-1)?.split(' ').map(Number) ?? [];
    return (user + system) * 1000;
  };
}

/**
 * Returns each command's milliseconds, run in turn (A B C A B C …) after warm-ups, so that load spikes affect all of
 * them.
 */
export function timesInTurn<Name extends string>(
  commands: Readonly<Record<Name, Command>>,
  runs: number,
): Promise<Record<Name, number[]>> {
  return inTurn(commands, runs, (command) => timeMs(command));
}

export async function inTurn<Name extends string, Thing, Value>(
  things: Readonly<Record<Name, Thing>>,
  runs: number,
  measure: (thing: Thing) => Value | Promise<Value>,
  warmUps = WARM_UPS,
): Promise<Record<Name, Value[]>> {
  const names = Object.keys(things) as Name[];
  const found = Object.fromEntries(names.map((name) => [name, [] as Value[]])) as Record<Name, Value[]>;
  for (let run = -warmUps; run < runs; run++) {
    for (const name of names) {
      const value = await measure(things[name]);
      if (run >= 0) found[name].push(value);
    }
  }
  return found;
}

/** How to measure peak memory on this machine. */
export interface MemoryMeter {
  readonly how: string;
  /** Returns the peak of one run in megabytes (10^6 bytes). */
  readonly peakMb: (command: Command) => number | Promise<number>;
}

const GNU_TIME = '/usr/bin/time';

/** Uses GNU time if available, or samples /proc on other Linux machines; undefined elsewhere. */
export function memoryMeter(): MemoryMeter | undefined {
  if (spawnSync(GNU_TIME, ['-f', '%M', 'true'], { stdio: 'ignore' }).status === 0)
    return { how: 'peak resident set size, by GNU time', peakMb: peakByGnuTime };
  if (residentMb(process.pid, 'VmHWM') === undefined) return undefined;
  return {
    how: 'peak resident set size (VmHWM), sampled every millisecond; growth just before exit may be missed',
    peakMb: peakBySampling,
  };
}

function peakByGnuTime({ file, args, env }: Command): number {
  const { status, stderr } = spawnSync(GNU_TIME, ['-f', '\n%M', file, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')}: exit ${status}: ${stderr}`);
  return (Number(stderr.trimEnd().split('\n').at(-1)) * 1024) / 1e6;
}

function peakBySampling({ file, args, env }: Command): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env, stdio: 'ignore' });
    let peak = 0;
    const timer = setInterval(() => {
      peak = (child.pid && residentMb(child.pid, 'VmHWM')) || peak;
    }, 1);
    child.once('error', reject);
    child.once('exit', (code) => {
      clearInterval(timer);
      if (code === 0) resolve(peak);
      else reject(new Error(`${file} ${args.join(' ')} ended with ${code}`));
    });
  });
}

/** Returns the resident megabytes of a process, now (VmRSS) or at its peak (VmHWM); undefined without /proc. */
export function residentMb(pid: number, line: 'VmRSS' | 'VmHWM'): number | undefined {
  try {
    const kilobytes = new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : (Number(kilobytes) * 1024) / 1e6;
  } catch {
    return undefined;
  }
}
