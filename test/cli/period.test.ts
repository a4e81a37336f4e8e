import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { zoneNamed } from '../../src/base/zone.ts';
import { periodOf, periodOptions, timesOf } from '../../src/terminal/parse/period.ts';
import { fakeClock } from '../support/world.ts';

const { since, until } = periodOptions;

/** Reads a period as it is typed in a zone, at a time on this machine. */
function typed(zone: string, now: string, from: string | undefined, to?: string) {
  const context = { globals: { zone: zoneNamed(zone) }, dialog: { world: { clock: fakeClock(Date.parse(now)) } } };
  const period = { since: since.parse(from), until: until.parse(to) };
  return { sent: periodOf(period, context), times: timesOf(period, context) };
}

const ms = (timeMs: number) => new Date(timeMs).toISOString();

const NOW = '2026-11-21T13:14:05.678Z';
const NEW_YORK = 'America/New_York';
const LONDON = 'Europe/London';
const LAGOS = 'Africa/Lagos';

describe('a day', () => {
  test.each([
    // zone, now, typed, start, last millisecond
    [LAGOS, NOW, '2026-11-01', '2026-10-31T23:00:00.000Z', '2026-11-01T22:59:59.999Z'],
    ['UTC', NOW, '2026-11-01', '2026-11-01T00:00:00.000Z', '2026-11-01T23:59:59.999Z'],
    [LONDON, NOW, '2026-07-01', '2026-06-30T23:00:00.000Z', '2026-07-01T22:59:59.999Z'],
    ['Asia/Kolkata', NOW, '2026-11-01', '2026-10-31T18:30:00.000Z', '2026-11-01T18:29:59.999Z'],
    ['Pacific/Kiritimati', NOW, '2026-11-01', '2026-10-31T10:00:00.000Z', '2026-11-01T09:59:59.999Z'],
    // The day after the clocks change, and the days of 23 and 25 hours on which they do.
    [NEW_YORK, NOW, '2026-03-07', '2026-03-07T05:00:00.000Z', '2026-03-08T04:59:59.999Z'],
    [NEW_YORK, NOW, '2026-03-08', '2026-03-08T05:00:00.000Z', '2026-03-09T03:59:59.999Z'],
    [NEW_YORK, NOW, '2026-03-09', '2026-03-09T04:00:00.000Z', '2026-03-10T03:59:59.999Z'],
    [NEW_YORK, NOW, '2026-11-01', '2026-11-01T04:00:00.000Z', '2026-11-02T04:59:59.999Z'],
    [LONDON, NOW, '2026-03-29', '2026-03-29T00:00:00.000Z', '2026-03-29T22:59:59.999Z'],
    [LONDON, NOW, '2026-10-25', '2026-10-24T23:00:00.000Z', '2026-10-25T23:59:59.999Z'],
    // Clocks that skip midnight, have it twice, or are put back to the day before.
    ['Africa/Cairo', NOW, '2026-04-24', '2026-04-23T22:00:00.000Z', '2026-04-24T20:59:59.999Z'],
    ['America/Havana', NOW, '2026-11-01', '2026-11-01T04:00:00.000Z', '2026-11-02T04:59:59.999Z'],
    ['Africa/Cairo', NOW, '2026-10-30', '2026-10-29T22:00:00.000Z', '2026-10-30T21:59:59.999Z'],
    // Years and leap days.
    [LAGOS, NOW, '2026-01-01', '2025-12-31T23:00:00.000Z', '2026-01-01T22:59:59.999Z'],
    [NEW_YORK, NOW, '2026-12-31', '2026-12-31T05:00:00.000Z', '2027-01-01T04:59:59.999Z'],
    [LAGOS, NOW, '2028-02-29', '2028-02-28T23:00:00.000Z', '2028-02-29T22:59:59.999Z'],
    ['UTC', NOW, '2028-02-28', '2028-02-28T00:00:00.000Z', '2028-02-28T23:59:59.999Z'],
    // Words.
    [LAGOS, NOW, 'today', '2026-11-20T23:00:00.000Z', '2026-11-21T22:59:59.999Z'],
    [LAGOS, NOW, 'yesterday', '2026-11-19T23:00:00.000Z', '2026-11-20T22:59:59.999Z'],
    [LAGOS, '2026-11-21T22:59:59.999Z', 'today', '2026-11-20T23:00:00.000Z', '2026-11-21T22:59:59.999Z'],
    [LAGOS, '2026-11-21T23:00:00.000Z', 'today', '2026-11-21T23:00:00.000Z', '2026-11-22T22:59:59.999Z'],
    [LAGOS, '2026-12-31T23:30:00Z', 'today', '2026-12-31T23:00:00.000Z', '2027-01-01T22:59:59.999Z'],
    [LAGOS, '2027-01-01T05:00:00Z', 'yesterday', '2026-12-30T23:00:00.000Z', '2026-12-31T22:59:59.999Z'],
    [NEW_YORK, '2026-11-21T04:30:00Z', 'today', '2026-11-20T05:00:00.000Z', '2026-11-21T04:59:59.999Z'],
    [NEW_YORK, '2026-03-08T20:00:00Z', 'today', '2026-03-08T05:00:00.000Z', '2026-03-09T03:59:59.999Z'],
    [NEW_YORK, '2026-11-02T20:00:00Z', 'yesterday', '2026-11-01T04:00:00.000Z', '2026-11-02T04:59:59.999Z'],
    [LONDON, '2026-03-30T12:00:00Z', 'yesterday', '2026-03-29T00:00:00.000Z', '2026-03-29T22:59:59.999Z'],
    ['UTC', '2028-03-01T00:00:00Z', 'yesterday', '2028-02-29T00:00:00.000Z', '2028-02-29T23:59:59.999Z'],
    ['UTC', '2026-03-01T00:00:00Z', 'yesterday', '2026-02-28T00:00:00.000Z', '2026-02-28T23:59:59.999Z'],
  ])('in %s at %s: %s', (zone, now, text, start, last) => {
    const { sent, times } = typed(zone, now, text, text);
    expect(sent).toEqual({ startDate: start, endDate: last });
    // Without the limits of a request, the period ends right before the next day.
    expect(times).toEqual({ sinceMs: Date.parse(start), untilMs: Date.parse(last) + 1 });
  });
});

describe('a moment', () => {
  test.each([
    ['24h', '2026-11-20T13:14:05.678Z'],
    ['7d', '2026-11-14T13:14:05.678Z'],
    ['90m', '2026-11-21T11:44:05.678Z'],
    ['30s', '2026-11-21T13:13:35.678Z'],
    ['1.5h', '2026-11-21T11:44:05.678Z'],
    ['2026-11-01T09:30:00Z', '2026-11-01T09:30:00.000Z'],
    ['2026-11-01T09:30Z', '2026-11-01T09:30:00.000Z'],
    ['2026-11-01T09:30:00.123456789Z', '2026-11-01T09:30:00.123Z'],
    ['2026-11-01T00:30:00+01:00', '2026-10-31T23:30:00.000Z'],
    ['2026-10-31T20:00:00-05:00', '2026-11-01T01:00:00.000Z'],
  ])('%s is the same in every zone, as a start and as an end', (text, time) => {
    for (const zone of [LAGOS, NEW_YORK, 'UTC']) {
      const { sent, times } = typed(zone, NOW, text, text);
      expect(sent).toEqual({ startDate: time, endDate: time });
      expect([ms(times.sinceMs ?? 0), ms(times.untilMs ?? 0)]).toEqual([time, time]);
    }
  });

  test('7d is 7 times 24 hours, also when the clocks change in between', () => {
    expect(typed(NEW_YORK, '2026-11-04T12:00:00Z', '7d').sent.startDate).toBe('2026-10-28T12:00:00.000Z');
  });
});

describe('a period', () => {
  test('may have no start and no end', () => {
    expect(typed(LAGOS, NOW, undefined)).toEqual({
      sent: { startDate: undefined, endDate: undefined },
      times: { sinceMs: undefined, untilMs: undefined },
    });
  });

  test.each([
    ['2026-08-02', '2026-08-01'],
    ['today', 'yesterday'],
    ['1h', '2h'],
    ['today', '24h'],
    ['2026-11-22', 'today'],
    ['2026-08-01T10:00:00Z', '2026-08-01T10:30:00+01:00'],
    ['2026-11-20T23:00:00Z', 'yesterday'],
  ])('from %s to %s is an error', (from, to) => {
    expect(() => typed(LAGOS, NOW, from, to)).toThrow(`--since ${from} is after --until ${to}`);
  });

  test.each([
    ['today', 'today'],
    ['yesterday', 'today'],
    ['7d', 'yesterday'],
    ['2026-11-20T22:59:59.999Z', 'yesterday'],
    ['2h', '2h'],
  ])('from %s to %s is not empty', (from, to) => {
    expect(() => typed(LAGOS, NOW, from, to)).not.toThrow();
  });
});

test.each([
  '',
  'now',
  'tomorrow',
  'Today',
  'last week',
  '2026-02-30',
  '2026-02-29',
  '2026-02-30T10:00:00Z',
  '2026-13-01',
  '2026-11-1',
  '0001-01-01',
  '20261101',
  '2026-11-01T10:00',
  '2026-11-01 10:00:00Z',
  '2026-11-01T25:00:00Z',
  '2026-11-01T10:00:00+25:00',
  '24',
  '-24h',
  '0h',
  '7w',
  '300y',
  'toString',
])('"%s" is no date', (text) => {
  const thrown = (() => {
    try {
      return since.parse(text);
    } catch (error) {
      return error;
    }
  })();
  expect(thrown).toBeInstanceOf(CliError);
  expect(thrown).toMatchObject({ category: 'usage', hint: expect.stringMatching(/\d/) });
});
