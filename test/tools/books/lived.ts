import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { type Moment, truthIn } from '../../copy/ledger.ts';
import { chances } from '../../copy/served.ts';
import { type Machine, type Ran, type Served, served } from '../../copy/truth/rig.ts';
import { DAY_MS, working } from '../../copy/truth/work.ts';
import { wordsOf } from '../../questions/books/life.ts';

const HOUR_MS = 3_600_000;
/** Midnight in Lagos. */
const START_MS = Date.UTC(2026, 9, 1) - HOUR_MS;

/** The months of the account, and how many days each of them has. */
export const MONTHS = [
  ['2026-10', 31],
  ['2026-11', 30],
] as const;

export interface LivedAccount {
  readonly service: Served;
  readonly machine: Machine;
  /** What the sandbox's ledger said before anything moved, and at the end of each month. */
  readonly moments: readonly Moment[];
}

interface Life {
  readonly seed: number;
  /** On which days of its 61 it works, the first being 0; on the others nothing happens. */
  isAtWork(day: number): boolean;
}

/** Lets an account live through October and November 2026: some days are simulated, on others programs work with it over HTTP. It is synced each evening. */
export async function livedAccount({ seed, isAtWork }: Life): Promise<LivedAccount> {
  const service = await served(START_MS - HOUR_MS);
  const account = await working(service, chances(seed));
  const machine = service.machine();
  await service.moveTo(START_MS - 1);
  const moments = [momentOf(service)];
  await must(machine, 'sync');
  let day = 0;
  for (const [, days] of MONTHS) {
    const endDay = day + days;
    for (; day < endDay; day++) {
      if (!isAtWork(day)) continue;
      await service.moveTo(START_MS + day * DAY_MS);
      if (day % 2 === 0) await service.simulateDay({ seed, users: 12 });
      else await account.work(START_MS + (day + 1) * DAY_MS - 1, 20);
      await must(machine, 'sync');
    }
    await service.moveTo(START_MS + endDay * DAY_MS - 1);
    moments.push(momentOf(service));
    await service.moveTo(START_MS + endDay * DAY_MS);
    await must(machine, 'sync');
  }
  // What is under way at the end of November ends in December.
  await service.moveTo(service.now() + 2 * DAY_MS);
  await must(machine, 'sync');
  return { service, machine, moments };
}

const momentOf = (service: Served): Moment => ({
  at: new Date(service.now()).toISOString(),
  sums: truthIn(service.path),
});

export async function must(machine: Machine, ...argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await machine.run(...argv);
  expect(code, `${argv.join(' ')}: ${stderr}`).toBe(0);
  return stdout;
}

/** The code of the error that a command ended with; undefined if it ended well. */
export const codeOf = ({ code, stderr }: Ran): string | undefined =>
  code === 0 ? undefined : (JSON.parse(stderr) as { error: { code: string } }).error.code;

const MOST_STEPS = 10;

/** Closes a month: types what the hints say until it is closed. Returns the lines that it typed. */
export async function closed(
  machine: Machine,
  month: string,
  consent: '--yes' | '--dry-run' = '--yes',
): Promise<readonly (readonly string[])[]> {
  const typed: (readonly string[])[] = [];
  let line: readonly string[] = ['report', 'close', month];
  while (typed.length < MOST_STEPS) {
    const isClose = line[1] === 'close';
    const whole = [...line, isClose ? consent : '--yes'];
    typed.push(whole);
    const { code, stderr } = await machine.run(...whole, '-o', 'json');
    if (code === 0 && isClose) return typed;
    const { hint, message } = code === 0 ? { hint: '', message: '' } : JSON.parse(stderr).error;
    if (code !== 0) expect(hint, message).toMatch(/fiatrail report (?:close|accept) /);
    line = code === 0 ? ['report', 'close', month] : wordsOf(hint);
  }
  throw new Error(`${month} cannot be closed: ${typed.map((each) => each.join(' ')).join('\n')}`);
}

/** Changes a local copy as nobody should, asks something, and takes the change back. */
export async function edited<T>({ copyPath }: Machine, sql: string, ask: () => Promise<T>): Promise<T> {
  const saved = `${copyPath}.saved`;
  const open = (path: string) => new DatabaseSync(path);
  const before = open(copyPath);
  before.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  before.close();
  copyFileSync(copyPath, saved);
  try {
    const database = open(copyPath);
    database.exec(sql);
    database.close();
    return await ask();
  } finally {
    for (const end of ['-wal', '-shm']) rmSync(`${copyPath}${end}`, { force: true });
    copyFileSync(saved, copyPath);
    rmSync(saved);
  }
}

export const inHome = (machine: Machine, name: string): string => join(machine.world.homeDir, name);
