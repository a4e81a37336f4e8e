import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { afterBusinessDays } from '../../../src/service/fees/withdrawals.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Times as shown by a clock in Lagos, which is UTC+1. */
const lagos = (text: string) => Date.parse(`${text}+01:00`);
const shown = (timeMs: number) => new Date(timeMs + HOUR_MS).toISOString().slice(0, 19);

describe('a payout ordered in Lagos', () => {
  test.each([
    ['Monday morning', '2026-01-05T10:00:00', 1, '2026-01-06T10:00:00'],
    ['Monday morning', '2026-01-05T10:00:00', 2, '2026-01-07T10:00:00'],
    ['Monday morning', '2026-01-05T10:00:00', 3, '2026-01-08T10:00:00'],
    ['Thursday noon', '2026-01-08T12:00:00', 1, '2026-01-09T12:00:00'],
    ['Thursday noon', '2026-01-08T12:00:00', 2, '2026-01-12T12:00:00'],
    ['Friday noon', '2026-01-09T12:00:00', 1, '2026-01-12T12:00:00'],
    ['Friday noon', '2026-01-09T12:00:00', 3, '2026-01-14T12:00:00'],
    ['Friday evening', '2026-01-09T18:30:00', 1, '2026-01-12T16:00:00'],
    ['Friday evening', '2026-01-09T18:30:00', 3, '2026-01-14T16:00:00'],
    ['Friday, the last second', '2026-01-09T23:59:59', 1, '2026-01-12T16:00:00'],
    ['Friday before opening', '2026-01-09T07:59:59', 1, '2026-01-09T16:00:00'],
    ['Friday before opening', '2026-01-09T00:00:00', 3, '2026-01-13T16:00:00'],
    ['Saturday morning', '2026-01-10T11:00:00', 1, '2026-01-12T11:00:00'],
    ['Saturday before opening', '2026-01-10T03:00:00', 1, '2026-01-12T16:00:00'],
    ['Sunday night', '2026-01-11T23:30:00', 1, '2026-01-12T16:00:00'],
    ['Sunday noon', '2026-01-11T12:00:00', 3, '2026-01-14T12:00:00'],
    ['Monday before opening', '2026-01-12T06:00:00', 1, '2026-01-12T16:00:00'],
    ['at opening', '2026-01-05T08:00:00', 1, '2026-01-06T08:00:00'],
    ['at closing', '2026-01-05T16:00:00', 1, '2026-01-06T16:00:00'],
    ['one second after closing', '2026-01-05T16:00:01', 1, '2026-01-06T16:00:00'],
    ['at the end of a year', '2025-12-31T12:00:00', 1, '2026-01-01T12:00:00'],
    ['on the last Friday of a year', '2027-12-31T15:00:00', 1, '2028-01-03T15:00:00'],
    ['before a leap day', '2028-02-28T09:00:00', 1, '2028-02-29T09:00:00'],
    // 23:30 UTC is the next day in Lagos.
    ['Thursday night in UTC, Friday in Lagos', '2026-01-09T00:30:00', 1, '2026-01-09T16:00:00'],
  ])('%s (%s): arrives %d business days later, at %s', (_what, ordered, days, lands) => {
    expect(shown(afterBusinessDays(lagos(ordered), days))).toBe(lands);
  });
});

test('arrives on a weekday during banking hours, never within five hours and never after five days', () => {
  const time = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2100, 0) });
  fc.assert(
    fc.property(time, fc.constantFrom(1, 2, 3), (fromMs, days) => {
      const landsMs = afterBusinessDays(fromMs, days);
      const local = new Date(landsMs + HOUR_MS);
      const hours = (local.getTime() % DAY_MS) / HOUR_MS;
      expect([1, 2, 3, 4, 5]).toContain(local.getUTCDay());
      expect(hours >= 8 && hours <= 16).toBe(true);
      expect(landsMs - fromMs).toBeGreaterThan(5 * HOUR_MS);
      expect(landsMs - fromMs).toBeLessThanOrEqual(5 * DAY_MS);
    }),
    { numRuns: 2000 },
  );
});
