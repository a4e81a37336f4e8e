import { expect, onTestFinished, test } from 'vitest';
import { resolveProfile } from '../../src/account/profile.ts';
import { once } from '../../src/base/calls.ts';
import type { Exchange } from '../../src/base/world.ts';
import { zoneNamed } from '../../src/base/zone.ts';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { complete } from '../../src/commands/completion/complete.ts';
import { createEventRecorder } from '../../src/copy/event-recorder.ts';
import { worksWithEvents } from '../../src/engine/evidence/find-work.ts';
import { main } from '../../src/main.ts';
import type { Globals } from '../../src/terminal/parse/globals.ts';
import { openTerminal } from '../../src/terminal/terminal.ts';
import type { InboxEvent } from '../../src/webhooks/inbox/events.ts';
import { furnish, GROUPS, type Place } from '../faults/money-groups.ts';
import { copyOf } from '../support/folder-copy.ts';
import { journalRows } from '../support/journal.ts';
import { type Beginning, openSandbox } from '../support/sandbox.ts';
import { type FakeWorld, fakeWorld } from '../support/world.ts';

const MINUTE_MS = 60_000;
/** Selects the ids of all work. */
const WORK = GROUPS.map(({ work }) => work).join(' UNION ALL ');
const ADD_FAULT = 'INSERT INTO fault_rule (endpoint, kind, times, created_at) VALUES (?, ?, 1, ?)';

/** Rules that allow no change. It is Monday. */
const RULES: readonly (readonly string[])[] = [
  ['--read-only'],
  ['--hours', 'sun 00:00-00:01'],
  ['--max-per-call', 'CNGN 1', '--max-per-day', 'CNGN 1'],
];

/** Takes an event of each kind of work, as the listener does, and looks for what it may be about. */
async function noticed(world: FakeWorld) {
  const profile = resolveProfile('main', world);
  const zone = zoneNamed('UTC');
  const present = { format: 'json', zone, clock: world.clock } as unknown as Globals['present'];
  const globals: Globals = {
    profile: 'main',
    agent: undefined,
    present,
    color: 'never',
    isFormatChosen: true,
    zone,
    isZoneChosen: true,
    isMasked: false,
    quiet: true,
    verbose: false,
    noInput: true,
    yes: true,
    dryRun: false,
    timeoutMs: MINUTE_MS,
  };
  const { account, close } = openTerminal({
    world,
    profile,
    globals,
    command: { line: 'fiatrail webhooks listen', inputName: (field) => field },
    runs: { line: async () => ({}), program: async () => 0, planned: async () => ({}) },
  });
  const recorder = createEventRecorder(account);
  const names = (await worksWithEvents()).flatMap(({ events }) => Object.keys(events ?? {}));
  const eventOf = (event: string) => ({
    event,
    text: JSON.stringify({ event, requestId: 'r', data: {} }),
    held: null,
  });
  await recorder.record(names.map(eventOf) as unknown as readonly InboxEvent[]);
  expect(await recorder.reconcileMentioned()).toBe(0);
  await close();
}

/** Draws the same from every choice. */
const always = (index: number) => ({
  one: <T>(of: readonly T[]): T => of[Math.min(index, of.length - 1)] as T,
  below: () => index,
  percent: () => false,
});

/** A command line of each endpoint that moves money, with a key. */
const linesOf = (place: Place) =>
  GROUPS.filter(({ hasKeys }) => hasKeys).flatMap((group) => {
    const lines = [0, 1, 2].map((index) => group.line(place, always(index), 0));
    return [...new Map(lines.map((line) => [line.endpoint, line])).values()];
  });

/** An account of a service that counts what is asked of it. */
async function rig(beginning?: Beginning) {
  const box = await openSandbox(beginning ? { beginning } : {});
  const changes: string[] = [];
  const effects = { reads: 0 };
  const network: Exchange = async (request, _signal, isRead) => {
    const answer = await box.sandbox.fetch(request, { apiKey: request.headers['x-api-key'], address: '127.0.0.1' });
    if (isRead) effects.reads += 1;
    else changes.push(`${request.method} ${new URL(request.url).pathname}`);
    return { ...answer, headers: { ...answer.headers, ...box.sandbox.timeHeaders() } };
  };
  const world: FakeWorld = fakeWorld({ clock: box.clock, network });
  const run = (argv: readonly string[]) => main(argv, world);
  return { box, world, run, changes, effects };
}

/** Finds out in every way how the operations of an account ended, and expects that this only reads. */
async function expectOnlyReads({ box, world, run, changes, effects }: Awaited<ReturnType<typeof rig>>, count: number) {
  const work = () => box.inside(({ store }) => store.all<{ id: string }>(WORK).map(({ id }) => id), 'read');
  const before = await work();
  changes.length = 0;
  effects.reads = 0;
  const ids = journalRows(world.stateDir).map(({ id }) => id);
  for (const argv of [
    ['ops', 'reconcile'],
    ['ops', 'reconcile', '--all'],
    ...ids.map((id) => ['ops', 'reconcile', id]),
    ['ops', 'list', '--refresh'],
    ['ops', 'resume', '--all'],
    ['ops', 'show', ids[0] ?? ''],
    ['sync'],
    ['status'],
    ['doctor'],
  ])
    await run([...argv, '-q']);
  await complete(['ops', 'retry', ''], CATALOGUE, world);
  await complete(['fx', 'trades', 'status', ''], CATALOGUE, world);
  await noticed(world);
  expect(changes).toEqual([]);
  expect(await work()).toEqual(before);
  expect(effects.reads).toBeGreaterThan(2 * count);
}

/** What is left of an account with an operation of every kind that has an unknown outcome, after a first look at them without a rule. */
const looked = once(async () => {
  const rigged = await rig();
  const { box, world, run } = rigged;
  const added = await main(['profiles', 'add', 'main', '--base-url', 'http://127.0.0.1:9/v1', '--key-stdin', '-q'], {
    ...fakeWorld({ stdin: box.apiKey }),
    env: world.env,
  });
  expect(added).toBe(0);
  await run(['profiles', 'use', 'main', '-q']);
  const json = async (words: readonly string[]) => {
    const start = world.stdout.text().length;
    const exit = await run([...words, '--yes', '-q', '-o', 'json']);
    expect({ exit, stderr: world.stderr.text() }).toEqual({ exit: 0, stderr: '' });
    return JSON.parse(world.stdout.text().slice(start)) as Record<string, unknown>;
  };
  const place = await furnish(json, async () => box.clock.pass(MINUTE_MS));
  const lines = linesOf(place);
  for (const { endpoint, argv } of lines) {
    await box.inside(({ store, nowMs }) => void store.run(ADD_FAULT, endpoint, 'lost-request', nowMs));
    expect([argv.join(' '), await run([...argv, '--once', endpoint, '--yes', '-q'])]).toEqual([argv.join(' '), 6]);
  }
  // And one that was accepted, and has not ended.
  await run(['fx', 'trade', '--pair', 'CNGN-USDC', '--side', 'buy', '--amount', '1234', '--yes', '-q']);
  expect(lines.length).toBeGreaterThanOrEqual(11);
  expect(journalRows(world.stateDir).filter(({ state }) => state === 'unknown').length).toBe(lines.length);
  await expectOnlyReads(rigged, lines.length);
  await box.clock.pass(2 * 60 * MINUTE_MS);
  const left = { count: lines.length, beginning: box.copy(), restore: copyOf(world.homeDir) };
  await box.close();
  return left;
});

test.each(RULES)('finding out how something ended only reads, with the rule %s or without', async (...rule) => {
  const { count, beginning, restore } = await looked();
  const rigged = await rig(beginning);
  onTestFinished(() => rigged.box.close());
  restore(rigged.world.homeDir);
  const flags = rule.filter((each) => each !== undefined);
  expect(await rigged.run(['profiles', 'rules', 'set', 'main', ...flags, '--yes', '-q'])).toBe(0);
  await expectOnlyReads(rigged, count);
});
