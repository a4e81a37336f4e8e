import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { main } from '../../../src/main.ts';
import { contentOf, copyOf, type FolderContent, writeContent } from '../../support/folder-copy.ts';
import { firstPlace, type IdPlace, idsFrom } from '../../support/ids.ts';
import { onceInRun } from '../../support/once-in-run.ts';
import { type FakeWorld, fakeClock, fakeHost, fakeWorld } from '../../support/world.ts';
import { must } from '../reports.ts';

/** What an account lived: when it began, when each sync was, and until when. */
export interface Life {
  readonly seed: number;
  readonly users: number;
  /** The days of 2025 on which it begins and ends, in Lagos: `10-24`. */
  readonly from: string;
  readonly until: string;
  /** The day of the first sync; each later day has one, too. */
  readonly syncedFrom: string;
  /** The days without a sync. */
  readonly missed?: readonly string[];
  /** The first and the last of the days on which nobody asks for anything. */
  readonly quiet?: readonly [from: string, until: string];
}

/** An account that lived from the end of October 2025 to the start of December, and was copied on each day on which something happened. */
export const AUTUMN: Life = {
  seed: 3,
  users: 24,
  from: '10-24',
  until: '12-02',
  syncedFrom: '10-27',
  quiet: ['11-05', '11-22'],
};

const DAY_MS = 86_400_000;
/** The end of a day, in Lagos. */
const endMs = (day: string) => Date.parse(`2025-${day}T23:00:00.000Z`);

interface Lived {
  readonly content: FolderContent;
  readonly place: IdPlace;
  readonly nowMs: number;
}

const lived = new Map<Life, Lived>();

export interface WorldOf {
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly host?: string;
}

function worldAt(nowMs: number, place: IdPlace, { env = {}, user = 'ada', host = 'web-1' }: WorldOf): FakeWorld {
  const machine = { ...fakeHost(), name: host, user };
  const made = fakeWorld({ clock: fakeClock(nowMs), env, host: machine });
  return { ...made, ids: idsFrom(place) };
}

/** Opens an account after a life. The life runs once in a run of the suite, or once for a file whose lists are on a server; others are copies. */
export async function accountAfter(life: Life, options: WorldOf = {}): Promise<FakeWorld> {
  const left = lived.get(life) ?? (options.env ? undefined : await onceInRun(nameOf(life), () => leftBy(life, {})));
  const { content, place, nowMs } = left ?? (await leftBy(life, options));
  lived.set(life, { content, place, nowMs });
  const world = worldAt(nowMs, { ...place }, options);
  writeContent(content, world.stateDir);
  return world;
}

const nameOf = (life: Life) => `life-${createHash('sha256').update(JSON.stringify(life)).digest('hex').slice(0, 16)}`;

/** Lives a life, and returns what it left. */
async function leftBy(life: Life, options: WorldOf): Promise<Lived> {
  const place = firstPlace();
  const world = worldAt(endMs(life.from) - DAY_MS, place, options);
  await must(world, 'sandbox', 'seed', '--users', '1', '--rate-limits', 'off', '--pace', 'real');
  const days = Math.round((endMs(life.until) - endMs(life.from)) / DAY_MS) + 1;
  const [quietFrom = '~', quietUntil = ''] = life.quiet ?? [];
  for (let day = 0; day < days; day++) {
    const users = String(Math.ceil((life.users * (day + 1)) / days));
    const ended = new Date(endMs(life.from) + day * DAY_MS).toISOString().slice(5, 10);
    if (ended >= quietFrom && ended <= quietUntil) {
      await must(world, 'sandbox', 'advance', '1d');
      continue;
    }
    await must(world, 'sandbox', 'simulate', '--days', '1', '--users', users, '--seed', String(life.seed));
    if (ended >= life.syncedFrom && !life.missed?.includes(ended)) await must(world, 'sync');
  }
  return { content: contentOf(world.stateDir), place: { ...place }, nowMs: world.clock.now() };
}

/** Returns what opens an account as `begin` leaves one that had a life. `begin` runs once; later accounts are copies of all its files. */
export function accountThen(life: Life, begin: (world: FakeWorld) => Promise<void>): () => Promise<FakeWorld> {
  const begun = async () => {
    const first = await accountAfter(life);
    await begin(first);
    return { restore: copyOf(first.homeDir), nowMs: first.clock.now() };
  };
  let beginning: ReturnType<typeof begun> | undefined;
  return async () => {
    beginning ??= begun();
    const { restore, nowMs } = await beginning;
    const world = worldAt(nowMs, firstPlace(2), {});
    restore(world.homeDir);
    return world;
  };
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line of an account, and returns what it printed and the error that it ended with. */
export async function ran(world: FakeWorld, ...argv: readonly string[]): Promise<Ran> {
  const [before, errors] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main([...argv], world);
  return { code, stdout: world.stdout.text().slice(before), stderr: world.stderr.text().slice(errors) };
}

/** The error of a command that must fail, and what it says to type. */
export async function refused(world: FakeWorld, ...argv: readonly string[]) {
  const { code, stderr } = await ran(world, ...argv, '-o', 'json', '-q');
  expect(code, stderr).not.toBe(0);
  const { error } = JSON.parse(stderr) as { error: { code: string; message: string; hint: string } };
  return { exit: code, code: error.code, message: error.message, hint: error.hint };
}

/** Splits a command line that a hint names, from `fiatrail` on. */
export function wordsOf(hint: string, reason = 'statement of the bank'): readonly string[] {
  const [, line = ''] = /fiatrail (.*)$/.exec(hint) ?? [];
  return [...line.replace('"…"', `"${reason}"`).matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, quoted, single, word = '']) => quoted ?? single ?? word,
  );
}

/** A balance of a close, as it is printed. */
interface PrintedBalance {
  readonly account: string;
  readonly balance: { readonly value: string; readonly asset: string };
}

export interface PrintedClose {
  readonly month: string;
  readonly opening: readonly PrintedBalance[];
  readonly adjustments: readonly PrintedBalance[];
  readonly moved: readonly PrintedBalance[];
  readonly closing: readonly PrintedBalance[];
  readonly accepted: readonly { readonly code: string; readonly sets: number }[];
  readonly digest: string;
  readonly closedBy: string;
  readonly closedAt: string;
}

/** Closes a month. If something must be stated or accepted, it types what the hint says. */
export async function closeMonth(world: FakeWorld, month: string, ...more: readonly string[]): Promise<PrintedClose> {
  const line = ['report', 'close', month];
  const first = await ran(world, ...line, ...more, '--yes', '-o', 'json', '-q');
  if (first.code === 0) return JSON.parse(first.stdout);
  const { hint } = (JSON.parse(first.stderr) as { error: { hint: string } }).error;
  expect(hint, first.stderr).toMatch(/^if this is right: /);
  const second = await ran(world, ...wordsOf(hint), ...more, '--yes', '-o', 'json', '-q');
  expect(second.code, second.stderr).toBe(0);
  return JSON.parse(second.stdout);
}
