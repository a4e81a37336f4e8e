import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LISTS as SERVICE_LISTS } from '../../src/things/index.ts';
import { copyOf } from '../support/folder-copy.ts';
import { copied, expectCopied, shown } from './copied.ts';
import { type Action, act, DAY_MS, fill, MINUTE_MS, path, play, rig, step, sync } from './moves.ts';
import { LISTS } from './moving-service.ts';

const ALL = Object.keys(LISTS);
/** The lists that say how many rows they have, and those that are read whole each time. */
const COUNTED = SERVICE_LISTS.filter(({ pages }) => pages !== 'after' && pages !== 'limit').map(({ name }) => name);
/** The lists whose final rows are read again for some days. */
const AWAITED = ALL.filter((list) => list !== 'users');

const IS_LONG = process.env['FIATRAIL_SOAK_COPIES'] !== undefined;
const RUNS = Number(process.env['FIATRAIL_SOAK_COPIES'] ?? 2);

describe('a copy of lists that move while they are read', () => {
  test('equals the service after the last full sync, whatever happened before', async () => {
    const steps = fc.array(step(['add', 'late', 'move', 'remove', 'back'], 2 * DAY_MS), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(0, 3, 120), steps, async (count, played) => {
        const rigged = rig();
        await fill(rigged.service, rigged.clock, count);
        await play(rigged, played);
        expect(await sync(rigged.world, '--full'), rigged.world.stderr.text()).toBe(0);
        expectCopied(path(rigged.world), rigged.service);
      }),
      { numRuns: RUNS },
    );
  });

  test.each<[name: string, kinds: Action['kind'][], lists: readonly string[], passesMs: number]>([
    ['at once, if no final row changed and none was removed', ['add', 'late', 'move'], ALL, 0],
    [
      'at once, if the service counts its rows, also when some were removed',
      ['add', 'late', 'move', 'remove'],
      COUNTED,
      0,
    ],
    ['a day later, if final rows of the last days changed', ['add', 'late', 'move', 'back'], AWAITED, DAY_MS],
  ])('equals the service after a sync during which nothing moves: %s', async (_, kinds, lists, passesMs) => {
    const steps = fc.array(step(kinds, DAY_MS / 4), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(0, 3, 120), steps, async (count, played) => {
        const rigged = rig();
        await fill(rigged.service, rigged.clock, count);
        await play(rigged, played);
        await rigged.clock.sleep(passesMs, new AbortController().signal);
        expect(await sync(rigged.world), rigged.world.stderr.text()).toBe(0);
        expectCopied(path(rigged.world), rigged.service, lists);
      }),
      { numRuns: RUNS },
    );
  });
});

test('a row that changed on its last day of being awaited is found by the look after it', async () => {
  const rigged = rig();
  const { clock, service, world } = rigged;
  const sleep = (ms: number) => clock.sleep(ms, new AbortController().signal);
  service.add('deposits');
  service.move('deposits', 0, 'completed');
  await sleep(6 * DAY_MS);
  // Beyond the first page, which is read each time.
  const newer = 120;
  for (let each = 0; each < newer; each++) {
    await sleep(MINUTE_MS);
    service.add('deposits');
    service.move('deposits', 0, 'completed');
  }
  expect(await sync(world), world.stderr.text()).toBe(0);
  service.move('deposits', newer, 'failed');
  await sleep(DAY_MS);
  expect(await sync(world), world.stderr.text()).toBe(0);
  expectCopied(path(world), service);
});

/** A row changes at the last moment at which it is awaited, while the list is read, and the reading ends after it. */
test.each([
  ['first reading', 0],
  ['look back', 2],
])('a row that changed during a %s, and was read before, is found by the look after it', async (_, looksBefore) => {
  const pages = 5;
  for (let page = 1; page <= pages; page++) {
    const { clock, service, world } = rig();
    const sleep = (ms: number) => clock.sleep(ms, new AbortController().signal);
    const { path: payouts } = LISTS['payouts'] ?? {};
    // The row is on the second page of three.
    const [older, newer] = [110, 120];
    const add = async (count: number) => {
      for (let each = 0; each < count; each++) {
        await sleep(MINUTE_MS);
        service.add('payouts');
        service.move('payouts', 0, 'completed');
      }
    };
    await add(older + 1);
    const awaitedUntilMs = clock.now() + 7 * DAY_MS;
    await add(newer);
    for (let look = looksBefore; look > 0; look--) {
      await sleep(awaitedUntilMs - look * DAY_MS - MINUTE_MS - clock.now());
      expect(await sync(world), world.stderr.text()).toBe(0);
    }
    await sleep(awaitedUntilMs - 5000 - clock.now());
    service.requests.length = 0;
    service.onRequest = () => {
      if (service.requests.filter((each) => each === payouts).length !== page) return;
      service.onRequest = undefined;
      service.move('payouts', newer, 'failed');
      void sleep(10_000);
    };
    expect(await sync(world), world.stderr.text()).toBe(0);
    await sleep(DAY_MS);
    expect(await sync(world), world.stderr.text()).toBe(0);
    expectCopied(path(world), service);
  }
});

test.each([
  ['users', 0],
  ['swaps', 1],
])('equals the service although %s were removed during syncs that were killed, wherever that was', async (list, of) => {
  const gone = { list, kind: 'remove', at: 0 } as const;
  const whole = { before: [], passesMs: 0, meanwhile: [], killedAfter: undefined };
  const filled = async () => {
    const rigged = rig();
    await fill(rigged.service, rigged.clock, 3);
    return rigged;
  };
  for (let first = 17; first < 21; first++)
    for (const [turn, start] of [whole, { ...whole, killedAfter: first - 1 }].entries()) {
      // Each two of the four meet in the short form.
      const lasts = [first, first + 1, undefined].filter(
        (_, each) => IS_LONG || ((first + each) % 2 === turn && (Math.floor(first / 2) + each) % 2 === of),
      );
      if (lasts.length === 0) continue;
      const begun = await filled();
      await play(begun, [start, { ...whole, before: [gone], killedAfter: first }]);
      const restore = copyOf(begun.world.stateDir);
      for (const last of lasts) {
        const rigged = await filled();
        restore(rigged.world.stateDir);
        act(rigged.service, gone);
        await rigged.clock.sleep(begun.clock.now() - rigged.clock.now(), new AbortController().signal);
        await play(rigged, [{ ...whole, meanwhile: [gone], killedAfter: last }]);
        expect(await sync(rigged.world)).toBe(0);
        expect(copied(path(rigged.world), list), `killed after ${start.killedAfter}, ${first} and ${last}`).toEqual(
          shown(rigged.service, list),
        );
      }
    }
});

describe('a sync with nothing new', () => {
  test('asks for each list at most twice', async () => {
    const { clock, service, world } = rig();
    await fill(service, clock, 250);
    for (const list of Object.keys(LISTS))
      for (const at of (service.rows[list] ?? []).keys()) service.move(list, at, LISTS[list]?.ends[0]);
    expect(await sync(world)).toBe(0);
    await clock.sleep(60 * MINUTE_MS, new AbortController().signal);
    service.requests.length = 0;
    expect(await sync(world)).toBe(0);
    const counts = Object.entries(Object.groupBy(service.requests, (each) => each)).map(
      ([list, all]) => [list, all?.length ?? 0] as const,
    );
    const short = ['/fx/limit-orders', '/balance/multi'];
    expect(counts.filter(([list, count]) => count > 2 && !short.includes(list))).toEqual([]);
  });
});
