import { appendFileSync } from 'node:fs';
import { expect } from 'vitest';
import { type Ask, type Moment, truthIn, withFile } from '../ledger.ts';
import { chances } from '../served.ts';
import { compareEntries } from './entries.ts';
import { postingsIn } from './postings.ts';
import { compareProfit, salesIn } from './profit.ts';
import {
  compareBalances,
  compareFees,
  compareIncome,
  compareKinds,
  compareNow,
  compareOwedAt,
  compareReport,
  compareStatements,
  compareUsers,
  days,
  daysIn,
  lagosDay,
  month,
} from './reports.ts';
import { type Machine, type Served, served } from './rig.ts';
import { newTally, type Tally, tallyText } from './tally.ts';
import { DAY_MS, type Done, working } from './work.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** A machine of a campaign: when it syncs, and how its copy is asked. */
export interface Case {
  readonly name: string;
  readonly machine: Machine;
  /** Before anything moves, and when all is over. */
  readonly isBefore?: boolean;
  readonly isAtEnd?: boolean;
  /** Whether a listener listens the service's events. */
  readonly listens?: true;
  /** When it reads what users hold: after each sync, or after the last one. */
  readonly reads?: 'each time' | 'at the end';
  /** On each day, at these times of it: 0 is midnight in Lagos, when the day begins. */
  readonly dailyMs?: readonly number[];
  /** On this day at the latest, the first being 0. */
  readonly untilDay?: number;
  readonly ask?: Ask;
  /** What it does on each day instead of a sync. */
  onDay?(machine: Machine, day: number): Promise<void>;
}

/** A month begins with it, so that all of that month is after the first sync. */
export const FIRST_DAY = '2026-10-01';

export interface Campaign {
  readonly seed: number;
  readonly days: number;
  readonly operations: number;
  readonly startDay?: string;
}

export interface Told {
  readonly service: Served;
  readonly done: Done;
  readonly tallies: ReadonlyMap<string, Tally>;
}

async function sync({ machine, listens, reads }: Case): Promise<void> {
  if (listens) await machine.listen();
  await done(machine, 'sync');
  if (reads === 'each time') await done(machine, 'report', 'owed', '--max-age', '0');
}

async function done({ run }: Machine, ...argv: readonly string[]): Promise<void> {
  const { code, stderr } = await run(...argv);
  expect(code, stderr).toBe(0);
}

/** Has an account work for some days, with machines that copy it, and compares what each of them says with the ledger. */
export async function campaign(
  { seed, days: count, operations, startDay = FIRST_DAY }: Campaign,
  casesOf: (service: Served) => readonly Case[] | Promise<readonly Case[]>,
): Promise<Told> {
  const startMs = Date.parse(`${startDay}T00:00:00Z`) - HOUR_MS;
  const service = await served(startMs - HOUR_MS);
  const account = await working(service, chances(seed));
  const cases = await casesOf(service);
  const syncOf = (each: Case, day?: number) =>
    each.onDay && day !== undefined ? each.onDay(each.machine, day) : sync(each);
  await service.moveTo(startMs - HOUR_MS / 2);
  for (const each of cases) if (each.isBefore) await syncOf(each);
  await service.moveTo(startMs - 1);
  const before = momentOf(service);
  const moments: Moment[] = [];
  for (let day = 0; day < count; day++) {
    const dayMs = startMs + day * DAY_MS;
    const at = new Map<number, () => Promise<void>>();
    for (const each of cases)
      for (const time of day <= (each.untilDay ?? day) ? (each.dailyMs ?? []) : []) {
        const all = at.get(dayMs + time) ?? (async () => {});
        at.set(dayMs + time, () => all().then(() => syncOf(each, day)));
      }
    const some = Math.round((operations * (day + 1)) / count) - Math.round((operations * day) / count);
    await account.work(dayMs + DAY_MS - 1, some, at);
    moments.push(momentOf(service));
  }
  await service.moveTo(service.now() + MINUTE_MS);
  for (const each of cases) if (each.isAtEnd) await syncOf(each);
  for (const { machine, reads } of cases) if (reads) await done(machine, 'report', 'owed');
  const last = lagosDay(startMs + (count - 1) * DAY_MS);
  const tallies = new Map<string, Tally>();
  for (const each of cases) {
    const tally = await compared(service, each.machine, [startDay, last]);
    if (each.isAtEnd) await compareNow(each.machine, postingsIn(service.path), tally);
    const known = moments.slice(0, each.untilDay ?? count);
    const compareBy = (ask: Ask) =>
      compareEntries(ask, service.path, postingsIn(service.path), { before, moments: known }, tally);
    if (each.ask) compareBy(each.ask);
    else withFile(each.machine.copyPath, compareBy);
    tallies.set(each.name, tally);
  }
  return { service, done: account.done, tallies };
}

const momentOf = (service: Served): Moment => ({
  at: new Date(service.now()).toISOString(),
  sums: truthIn(service.path),
});

export async function compared(
  service: Served,
  machine: Machine,
  [first, last]: readonly [string, string],
): Promise<Tally> {
  const tally = newTally();
  const [truth, sales] = [postingsIn(service.path), salesIn(service.path)];
  const months = [...new Set([first.slice(0, 7), last.slice(0, 7)])].map((name) => month(name, service.now()));
  // Some days in the middle have neighbours on both sides.
  const middle = daysIn(days(first, last)).slice(1, -1);
  const inside = middle.length > 0 ? [days(middle[0] ?? '', middle.at(-1) ?? '')] : [];
  for (const asked of [...months, ...inside]) {
    await compareReport(machine, truth, asked, tally);
    await compareKinds(machine, truth, asked, tally);
    await compareFees(machine, truth, asked, tally);
    await compareBalances(machine, truth, asked, tally);
    await compareUsers(machine, truth, asked, tally);
    await compareIncome(machine, truth, asked, tally);
    await compareStatements(machine, truth, asked, tally);
    await compareProfit(machine, sales, asked, tally);
  }
  await compareOwedAt(machine, truth, days(first, last), tally);
  return tally;
}

/** Prints what was found, and adds it to the file of FIATRAIL_SOAK_LOG. */
export function report(title: string, { done, tallies }: Told): void {
  const acts = [...done].map(
    ([name, { done: some, rejected }]) => `${name} ${some}${rejected ? ` (${rejected} rejected)` : ''}`,
  );
  const text = [
    title,
    `  ${acts.join(', ')}`,
    ...[...tallies].flatMap(([name, tally]) => [
      `  ${name}: ${tallyText(tally)}`,
      ...tally.wrong.map((line) => `    WRONG ${line}`),
    ]),
  ].join('\n');
  console.info(text);
  const path = process.env['FIATRAIL_SOAK_LOG'];
  if (path) appendFileSync(path, `${text}\n`);
}
