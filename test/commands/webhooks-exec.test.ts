import { expect, test } from 'vitest';
import type { ProgramEnd, ProgramOptions, World } from '../../src/base/world.ts';
import { openProfileInbox } from '../../src/engine/connection/inbox.ts';
import { main } from '../../src/main.ts';
import { listenUntil } from '../support/listen.ts';
import { type FakeWorld, fakeWorld } from '../support/world.ts';
import { deliveryOf, onboarded, received } from '../webhooks/support.ts';

interface Run {
  readonly words: readonly string[];
  readonly options: ProgramOptions;
}

const ended = (code: number): ProgramEnd => ({ kind: 'ended', code, stdout: '' });

/** A world whose programs end as told, and the programs that were run in it. */
function worldWith(endOf: (run: number) => ProgramEnd) {
  const runs: Run[] = [];
  const runProgram: World['runProgram'] = async (words, options) => {
    runs.push({ words, options });
    return endOf(runs.length);
  };
  return { world: fakeWorld({ runProgram }), runs };
}

async function forwardings(world: FakeWorld): Promise<(string | null)[]> {
  const before = world.stdout.text().length;
  await main(['webhooks', 'inbox', 'list', '--event', 'user.onboarded', '-q', '-o', 'json'], world);
  const { events } = JSON.parse(world.stdout.text().slice(before)) as { events: { status: string | null }[] };
  return events.map(({ status }) => status);
}

const EXEC = ['--event', 'user.onboarded', '--exec', './on-event.sh "$HOME"'];

/** Lets a listener with a command begin, and then something happen on the account. */
async function onboardUnder(world: FakeWorld): Promise<void> {
  await listenUntil(world, () => true, ...EXEC);
  await main(['users', 'onboard', '22222222222', '--wait', '-q'], world);
}

test('a command gets each event on its standard input, and what it is about in its environment', async () => {
  const { world, runs } = worldWith(() => ended(0));
  await onboardUnder(world);
  await listenUntil(world, () => runs.length > 0, ...EXEC);
  expect(runs).toHaveLength(1);
  const [{ words, options } = { words: [], options: { timeoutMs: 0 } }] = runs;
  expect(words).toEqual(['./on-event.sh "$HOME"']);
  expect(options).toMatchObject({
    isShell: true,
    env: {
      FIATRAIL_EVENT: 'user.onboarded',
      FIATRAIL_EVENT_ID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      FIATRAIL_EVENT_IS_LATE: 'false',
      FIATRAIL_EVENT_IS_EARLY: 'false',
    },
  });
  expect(JSON.parse(options.input ?? '')).toMatchObject({
    event: 'user.onboarded',
    data: { firstName: expect.any(String) },
  });
  expect(await forwardings(world)).toEqual(['forwarded']);
  await listenUntil(world, () => false, ...EXEC);
  expect(runs).toHaveLength(1);
});

test.each([
  ['it fails', ended(3)],
  ['it cannot be started', { kind: 'missing' }],
  ['it takes too long', { kind: 'late' }],
] as const)('a command is run again if %s', async (_how, end) => {
  const { world, runs } = worldWith((run) => (run === 1 ? end : ended(0)));
  await onboardUnder(world);
  await listenUntil(world, () => runs.length > 1, ...EXEC);
  await listenUntil(world, () => true, ...EXEC);
  expect([runs.length, await forwardings(world)]).toEqual([2, ['forwarded']]);
});

/** A world in which a listener of another machine has the inbox, and does not show itself unless `isAlive`. */
async function takenWorld(isAlive: boolean) {
  const world = fakeWorld();
  const other = { ...world, host: { ...world.host, name: 'container-1', processId: 1 } };
  const inbox = await openProfileInbox(other, { name: 'sandbox', mode: 'embedded' });
  await inbox.claim('port 4777');
  const clock = {
    ...world.clock,
    sleep: async (durationMs: number, signal: AbortSignal) => {
      if (isAlive && durationMs === 1_000) await inbox.touch();
      await world.clock.sleep(durationMs, signal);
    },
  };
  return { world: { ...world, clock }, inbox };
}

test('the place of a listener that crashed in another container is waited for', async () => {
  const { world, inbox } = await takenWorld(false);
  const before = world.clock.now();
  let taken = 0;
  const isTaken = async () => {
    const { host, startedAtMs = 0 } = (await inbox.listeners())[0] ?? {};
    if (host === world.host.name) taken = startedAtMs;
    return taken > 0;
  };
  expect(await listenUntil(world, isTaken)).toBe(0);
  expect(taken - before).toBe(60_000);
  expect(await inbox.touch()).toBe(false);
  await inbox.close();
});

test('a listener that is alive keeps its place', async () => {
  const { world, inbox } = await takenWorld(true);
  expect(await listenUntil(world, () => false)).toBe(9);
  expect(world.stderr.text()).toContain('another listener has this inbox: process 1 on container-1');
  expect(await inbox.touch()).toBe(true);
  await inbox.close();
});

test('a listener deletes old events that need nothing more, in small steps', async () => {
  const { world } = worldWith(() => ended(0));
  const inbox = await openProfileInbox(world, { name: 'sandbox', mode: 'embedded' });
  const deliveries = Array.from({ length: 1_100 }, (_, number) => received(deliveryOf(onboarded(number))));
  await inbox.add(await Promise.all(deliveries));
  await inbox.add([await received(deliveryOf('{}'))]);
  await inbox.close();
  await world.clock.sleep(86_400_001, new AbortController().signal);
  await listenUntil(world, () => false, '--keep', '1d', '--log', 'plain');
  expect(world.stderr.text()).toContain('1100 old events deleted');
  const left = await openProfileInbox(world, { name: 'sandbox', mode: 'embedded' });
  expect(await left.counts()).toMatchObject({ events: 1, quarantined: 1 });
  await left.close();
});

test('events are routed by their name to several targets', async () => {
  const { world, runs } = worldWith(() => ended(0));
  const one = ['--route', 'user.onboarded,swap.completed=exec:./one'];
  const routes = [
    ...one,
    '--route',
    'virtual.account.created=exec:./two',
    '--route',
    'swap.failed=exec:./three',
    '--exec',
    './all',
  ];
  // A route takes nothing from a target that gets everything.
  routes.push('--route', 'swap.failed=exec:./all');
  await listenUntil(world, () => true, ...routes);
  await main(['users', 'onboard', '22222222222', '--wait', '-q'], world);
  await listenUntil(world, () => runs.length > 3, ...routes);
  const ran = runs.map(({ words, options: { env } }) => `${words.join(' ')} ${env?.['FIATRAIL_EVENT']}`);
  expect(ran.toSorted()).toEqual([
    './all user.onboarded',
    './all virtual.account.created',
    './one user.onboarded',
    './two virtual.account.created',
  ]);
});

test.each([
  ['user.onboarded', 'invalid route'],
  ['user.onboard=http://127.0.0.1:9/', 'unknown event'],
  ['user.onboarded=ftp://host/', 'invalid target'],
])('the route %s is rejected', async (route, message) => {
  const world = fakeWorld();
  expect(await listenUntil(world, () => true, '--route', route)).toBe(2);
  expect(world.stderr.text()).toContain(message);
});
