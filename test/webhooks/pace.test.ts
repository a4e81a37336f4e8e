import { expect, test } from 'vitest';
import { createPace, type PaceOptions } from '../../src/webhooks/listen/pace.ts';
import { sendTo } from '../../src/webhooks/listen/sending.ts';
import { httpServer, testNetwork } from '../support/loopback.ts';
import { fakeClock } from '../support/sandbox.ts';
import { deliveryOf, NOW_MS, onboarded, received, testInbox } from './support.ts';

const HOUR_MS = 3_600_000;
const NEVER = new AbortController().signal;
const TARGET = 'http://127.0.0.1:9/';

function pacing(options: PaceOptions = {}) {
  const clock = fakeClock(NOW_MS);
  const told: boolean[] = [];
  const pace = createPace(clock, options, (isFailing) => void told.push(isFailing));
  /** Starts as many events as may start, and returns how many. */
  const start = (running = 0) => {
    const room = pace.room(running);
    for (let count = 0; count < room; count += 1) pace.started();
    return room;
  };
  return { clock, pace, told, start };
}

test('no more events are on their way at once than was asked for', () => {
  expect(pacing().start()).toBe(32);
  const { start } = pacing({ concurrency: 4 });
  expect([start(), start(3), start(4)]).toEqual([4, 1, 0]);
});

test.each([
  [10, 10, 10],
  [0.5, 1, 0],
])('at %d events a second, %d start at once and %d in the second after', (perSecond, first, second) => {
  const { clock, start } = pacing({ perSecond });
  const started = [start()];
  let later = 0;
  for (let step = 0; step < 10; step += 1) {
    clock.pass(100);
    later += start();
  }
  expect([...started, later]).toEqual([first, second]);
});

test('a minute of a rate has as many events as it says', () => {
  const { clock, start } = pacing({ perSecond: 2 });
  let count = start();
  for (let step = 0; step < 240; step += 1) {
    clock.pass(250);
    count += start();
  }
  expect(count).toBe(122);
});

test('a target that asks for a rest gets nothing until then, and is tried after 5 minutes at the latest', () => {
  const { clock, pace, start } = pacing();
  pace.ended({ status: 429, retryAfterMs: 30_000 });
  clock.pass(29_999);
  expect(start()).toBe(0);
  clock.pass(1);
  expect(start()).toBe(32);
  pace.ended({ status: 503, retryAfterMs: HOUR_MS });
  clock.pass(5 * 60_000);
  expect(start()).toBe(32);
});

test('a target that fails for an hour is told of once, and once when it is back', () => {
  const { clock, pace, told } = pacing();
  pace.ended({ status: 500 });
  for (let minute = 0; minute < 59; minute += 1) {
    clock.pass(60_000);
    pace.ended({ problem: 'no response' });
    pace.look();
  }
  expect(told).toEqual([]);
  clock.pass(60_000);
  for (const _each of [1, 2]) pace.look();
  expect(told).toEqual([true]);
  for (const _each of [1, 2]) pace.ended({ status: 200 });
  expect(told).toEqual([true, false]);
  clock.pass(2 * HOUR_MS);
  pace.look();
  expect(told).toEqual([true, false]);
});

test.each([
  [503, '30', 30_000],
  [429, '30', 30_000],
  [503, new Date(NOW_MS + 60_000).toUTCString(), 60_000],
  [503, 'soon', undefined],
  [503, '0', undefined],
  [503, new Date(NOW_MS - 60_000).toUTCString(), undefined],
  [500, '30', undefined],
])('of %i with Retry-After %j, the wait is read', async (status, text, retryAfterMs) => {
  const { inbox, clock } = await testInbox();
  await inbox.add([await received(deliveryOf(onboarded(1)))]);
  const [event] = await inbox.list({ limit: 1 });
  const { port } = await httpServer((_request, response) => response.writeHead(status, { 'retry-after': text }).end());
  if (!event) throw new Error('the inbox is empty');
  const end = await sendTo(`http://127.0.0.1:${port}/`, event, { exchange: testNetwork(), clock }, NEVER);
  expect(end).toEqual({ status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
});

test.each([
  [undefined, 1_000],
  [500, 1_000],
  [30_000, 30_000],
  [72 * HOUR_MS, 24 * HOUR_MS],
])('an event whose target asks for %s ms is due again after %i ms', async (retryAfterMs, waitMs) => {
  const { inbox, clock } = await testInbox();
  await inbox.claim('here');
  await inbox.forwardTo({ targets: [TARGET] });
  await inbox.add([await received(deliveryOf(onboarded(1)))]);
  const [due] = await inbox.forwards.due(TARGET, 1);
  if (due) await inbox.forwards.ended([[due, { status: 503, retryAfterMs }]]);
  clock.pass(waitMs - 1);
  expect(await inbox.forwards.due(TARGET, 1)).toEqual([]);
  clock.pass(1);
  expect(await inbox.forwards.due(TARGET, 1)).toHaveLength(1);
});
