import { describe, expect, test } from 'vitest';
import { createServiceClock } from '../../src/engine/connection/service-time.ts';

const START_MS = Date.UTC(2026, 0, 5, 9);
const HOUR_MS = 3_600_000;

/** What a service says of its time, given the time that it has. */
type Says = (serviceMs: number) => Readonly<Record<string, string>>;

const itsDate: Says = (serviceMs) => ({ date: new Date(serviceMs).toUTCString() });
const sandboxClock =
  (movedMs = 0): Says =>
  (serviceMs) => ({ 'x-sandbox-clock': `${serviceMs} ${movedMs}` });

/** A host whose clock may be wrong and may be set, a service with a clock of its own, and time that passes for both. */
function rig({ isLive = true, hostAheadMs = 0 } = {}) {
  let passedMs = 0;
  let hostMs = START_MS + hostAheadMs;
  let serviceMs = START_MS;
  const clock = createServiceClock({ now: () => hostMs + passedMs, steadyMs: () => 7_000 + passedMs }, isLive);
  return {
    clock,
    pass: (durationMs: number) => {
      passedMs += durationMs;
    },
    /** Lets time pass that a clock which nobody sets does not see. */
    sleep: (durationMs: number) => {
      hostMs += durationMs;
      serviceMs += durationMs;
    },
    setHost: (byMs: number) => {
      hostMs += byMs;
    },
    setService: (byMs: number) => {
      serviceMs += byMs;
    },
    /** Makes a request that takes a while to arrive, and whose response does too. */
    call: (says: Says = itsDate, { thereMs = 0, backMs = 0 } = {}) => {
      const answered = clock.ask();
      passedMs += thereMs;
      const headers = says(serviceMs + passedMs);
      passedMs += backMs;
      answered({ headers });
    },
    heard: () => ({ nowMs: clock.nowMs(), hostAheadMs: clock.hostAheadMs(), jumpMs: clock.jumpMs() }),
  };
}

const NOTHING = { nowMs: undefined, hostAheadMs: undefined, jumpMs: 0 };

test('before the first response, nothing is known', () => {
  const { clock, heard } = rig();
  clock.ask();
  expect(heard()).toEqual(NOTHING);
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['no date', {}],
  ['an empty date', { date: '' }],
  ['words', { date: 'now' }],
  ['a time in another zone', { date: 'Mon, 05 Jan 2026 10:00:00 +0100' }],
  ['a time without a zone', { date: 'Mon, 05 Jan 2026 09:00:00' }],
  ['a date with something before it', { date: 'x Mon, 05 Jan 2026 09:00:00 GMT' }],
  ['a date with something behind it', { date: 'Mon, 05 Jan 2026 09:00:00 GMT+1' }],
  ['a time of ISO 8601', { date: '2026-01-05T09:00:00Z' }],
  ['a date of RFC 850', { date: 'Monday, 05-Jan-26 09:00:00 GMT' }],
  ['a date of C', { date: 'Mon Jan  5 09:00:00 2026' }],
  ['a day that no month has', { date: 'Mon, 45 Jan 2026 09:00:00 GMT' }],
  ['a month that no year has', { date: 'Mon, 05 Foo 2026 09:00:00 GMT' }],
  ['a date of 30 seconds ago, from a cache', { date: 'Mon, 05 Jan 2026 08:59:30 GMT', age: '30' }],
  ['an age that is no number', { date: 'Mon, 05 Jan 2026 09:00:00 GMT', age: 'old' }],
])('a service that says %s does not say its time', (_what, headers) => {
  const { call, heard } = rig();
  call(() => headers);
  expect(heard()).toEqual(NOTHING);
});

test.each(['0', '00', ' 0 '])('a response whose age is "%s" did not come from a cache', (age) => {
  const { call, heard } = rig();
  call((serviceMs) => ({ ...itsDate(serviceMs), age }));
  expect(heard()).toMatchObject({ nowMs: START_MS });
});

test('a response without a time leaves what was heard before', () => {
  const { call, pass, heard } = rig();
  call();
  pass(3_000);
  call(() => ({}));
  expect(heard()).toEqual({ nowMs: START_MS + 3_000, hostAheadMs: 0, jumpMs: 0 });
});

test('the time goes on with a clock that nobody sets, from when the response arrived', () => {
  const { call, pass, setHost, clock } = rig();
  call(itsDate, { thereMs: 200, backMs: 300 });
  expect(clock.nowMs()).toBe(START_MS);
  pass(4_000);
  setHost(-HOUR_MS);
  expect(clock.nowMs()).toBe(START_MS + 4_000);
  pass(-9_000);
  expect(clock.nowMs()).toBe(START_MS);
});

test('without such a clock, it goes on with the clock there is', () => {
  let hostMs = START_MS;
  const clock = createServiceClock({ now: () => hostMs }, true);
  clock.ask()({ headers: itsDate(START_MS) });
  hostMs += 5_000;
  expect(clock.nowMs()).toBe(START_MS + 5_000);
});

describe('the distance of this machine’s clock', () => {
  // A date has whole seconds: what it says may be a second ago when it is said.
  test.each([
    ['right', 0, 0],
    ['half a second ahead', 500, 0],
    ['half a second behind', -500, -500],
    ['2 s ahead', 2_000, 1_000],
    ['2 s behind', -2_000, -2_000],
    ['70 s ahead', 70_000, 69_000],
    ['70 s behind', -70_000, -70_000],
    ['an hour ahead', HOUR_MS, HOUR_MS - 1_000],
    ['an hour behind', -HOUR_MS, -HOUR_MS],
  ])('is as little as a response at once allows: %s', (_what, hostAheadMs, expected) => {
    const { call, clock } = rig({ hostAheadMs });
    call();
    expect(clock.hostAheadMs()).toBe(expected);
  });

  test.each([
    ['was long on its way there, and the clock is ahead', 5_000, { thereMs: 10_000 }, 0],
    ['was long on its way there, and the clock is behind', -5_000, { thereMs: 10_000 }, -5_000],
    ['was long on its way back, and the clock is ahead', 5_000, { backMs: 10_000 }, 4_000],
    ['was long on its way back, and the clock is behind', -5_000, { backMs: 10_000 }, 0],
    ['was long on its way, and the clock is further off', -70_000, { thereMs: 5_000, backMs: 5_000 }, -65_000],
  ])('is as little as a slow response allows: it %s', (_what, hostAheadMs, takes, expected) => {
    const { call, clock } = rig({ hostAheadMs });
    call(itsDate, takes);
    expect(clock.hostAheadMs()).toBe(expected);
  });

  test('is that of the last response', () => {
    const { call, setHost, clock } = rig();
    call();
    setHost(70_000);
    call();
    expect(clock.hostAheadMs()).toBe(69_000);
  });
});

describe('a service’s clock', () => {
  test.each([
    ['forward by an hour', HOUR_MS, HOUR_MS - 1_000],
    ['back by an hour', -HOUR_MS, -HOUR_MS + 1_000],
    ['forward by 7 s', 7_000, 6_000],
    ['back by 7 s', -7_000, -6_000],
    ['forward by 6 s, as far as two dates show', 6_000, 0],
    ['back by 6 s, as far as two dates show', -6_000, 0],
    ['not at all', 0, 0],
  ])('that is set %s between two responses', (_what, byMs, jumpMs) => {
    const { call, pass, setService, clock } = rig();
    call();
    pass(60_000);
    setService(byMs);
    call();
    expect(clock.jumpMs()).toBe(jumpMs);
  });

  test('that is set forward and back again was set', () => {
    const { call, setService, clock } = rig();
    call();
    setService(HOUR_MS);
    call();
    setService(-HOUR_MS);
    call();
    setService(8_000);
    call();
    expect(Math.abs(clock.jumpMs())).toBe(HOUR_MS - 1_000);
  });

  test('is not set when this machine’s is', () => {
    const { call, pass, setHost, clock } = rig();
    call();
    pass(60_000);
    setHost(-HOUR_MS);
    call();
    expect(clock.jumpMs()).toBe(0);
  });

  test('is not set because this machine slept, while its steady clock stood still', () => {
    const { call, sleep, clock } = rig();
    call();
    sleep(HOUR_MS);
    call();
    expect(clock.jumpMs()).toBe(0);
  });

  test.each([
    ['the first response was long on its way back', { backMs: 30_000 }, {}],
    ['the first request was long on its way there', { thereMs: 30_000 }, {}],
    ['the second request was long on its way there', {}, { thereMs: 30_000 }],
    ['the second response was long on its way back', {}, { backMs: 30_000 }],
  ])('is not set because %s', (_what, first, second) => {
    const { call, clock } = rig();
    call(itsDate, first);
    call(itsDate, second);
    expect(clock.jumpMs()).toBe(0);
  });

  test.each([
    ['forward', 100_000, 69_000],
    ['back', -100_000, -69_000],
  ])('that was set %s is noticed behind slow responses, as far as they show it', (_what, byMs, jumpMs) => {
    const { call, setService, clock } = rig();
    call(itsDate, { thereMs: 30_000 });
    setService(byMs);
    call(itsDate, byMs > 0 ? {} : { thereMs: 30_000 });
    expect(clock.jumpMs()).toBe(jumpMs);
  });
});

describe('the clock of a sandbox', () => {
  test('is said exactly', () => {
    const { call, clock } = rig({ isLive: false, hostAheadMs: 1_234 });
    call(sandboxClock());
    expect(clock.nowMs()).toBe(START_MS);
    expect(clock.hostAheadMs()).toBe(1_234);
  });

  test('may be moved on purpose, which is neither a distance nor a jump', () => {
    const { call, setService, heard } = rig({ isLive: false });
    call(sandboxClock());
    setService(HOUR_MS);
    call(sandboxClock(HOUR_MS));
    expect(heard()).toEqual({ nowMs: START_MS + HOUR_MS, hostAheadMs: 0, jumpMs: 0 });
    setService(-2 * HOUR_MS);
    call(sandboxClock(-HOUR_MS));
    expect(heard()).toEqual({ nowMs: START_MS - HOUR_MS, hostAheadMs: 0, jumpMs: 0 });
  });

  test.each(['', 'x', '1767603600000', '1767603600000 0 0', '1767603600000.5 0', '-5 0', '9'.repeat(16)])(
    'that says "%s" is not understood, and the date counts',
    (text) => {
      const { call, clock } = rig({ isLive: false });
      call((serviceMs) => ({ ...itsDate(serviceMs - 60_000), 'x-sandbox-clock': text }));
      expect(clock.nowMs()).toBe(START_MS - 60_000);
    },
  );

  test('is not believed of a live service: it cannot have moved its clock on purpose', () => {
    const { call, heard } = rig({ isLive: true });
    call((serviceMs) => ({ ...itsDate(serviceMs), ...sandboxClock(HOUR_MS)(serviceMs + HOUR_MS) }));
    expect(heard()).toEqual({ nowMs: START_MS, hostAheadMs: 0, jumpMs: 0 });
  });
});
