import { describe, expect, it, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { zoneName, zoneNamed } from '../../src/base/zone.ts';
import { present } from '../../src/present/present.ts';
import { FORMATS, type PresentOptions, type Result } from '../../src/present/result.ts';
import { timeText } from '../../src/present/times.ts';
import { printed, sink } from './support.ts';

const AT = '2026-11-21T13:14:05.678Z';
const NOW_MS = Date.parse(AT);

describe('a zone', () => {
  test.each([
    ['Africa/Lagos', AT, 60],
    ['UTC', AT, 0],
    ['America/New_York', '2026-03-08T06:59:59Z', -300],
    ['America/New_York', '2026-03-08T07:00:00Z', -240],
    ['America/New_York', '2026-11-01T05:59:59Z', -240],
    ['America/New_York', '2026-11-01T06:00:00Z', -300],
    ['Europe/London', '2026-10-25T00:59:59Z', 60],
    ['Europe/London', '2026-10-25T01:00:00Z', 0],
    ['Asia/Kathmandu', AT, 345],
    ['America/St_Johns', AT, -210],
    ['Etc/GMT-14', AT, 840],
  ])('%s at %s is %i minutes ahead of UTC', (name, time, minutes) => {
    expect(zoneNamed(name).offsetMs(Date.parse(time))).toBe(minutes * 60_000);
  });

  test('the default zone has the offset that Intl knows', () => {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: 'Africa/Lagos', timeZoneName: 'longOffset' });
    for (const year of [1970, 2000, 2026, 2027, 2050])
      for (const month of [0, 6]) expect(format.format(Date.UTC(year, month))).toMatch(/GMT\+01:00$/);
  });

  test.each([
    ['Africa/Lagos', 'Africa/Lagos'],
    ['africa/lagos', 'Africa/Lagos'],
    ['utc', 'UTC'],
    ['europe/london', 'Europe/London'],
    ['America/New_York', 'America/New_York'],
    ['EST', 'EST'],
  ])('%s is %s', (text, name) => {
    expect(zoneName(text)).toBe(name);
  });

  test.each(['', 'Lagos', 'Africa/Nowhere', '+01:00', 'UTC+1', 'Africa/Lagos ', 'x'.repeat(300)])(
    '"%s" is no zone',
    (text) => {
      expect(() => zoneName(text)).toThrow(CliError);
      expect(() => zoneNamed(text).offsetMs(0)).toThrow('unknown time zone');
    },
  );
});

describe('a time', () => {
  test.each([
    ['Africa/Lagos', AT, '2026-11-21 14:14:05 +01', '2026-11-21 14:14 +01'],
    ['UTC', AT, '2026-11-21 13:14:05Z', '2026-11-21 13:14Z'],
    ['Africa/Lagos', '2026-12-31T23:30:00Z', '2027-01-01 00:30:00 +01', '2027-01-01 00:30 +01'],
    ['America/New_York', '2027-01-01T00:30:00Z', '2026-12-31 19:30:00 -05', '2026-12-31 19:30 -05'],
    ['America/New_York', '2026-07-01T00:30:00Z', '2026-06-30 20:30:00 -04', '2026-06-30 20:30 -04'],
    ['Europe/London', AT, '2026-11-21 13:14:05 +00', '2026-11-21 13:14 +00'],
    ['Europe/London', '2026-07-01T00:00:00Z', '2026-07-01 01:00:00 +01', '2026-07-01 01:00 +01'],
    ['Asia/Kathmandu', AT, '2026-11-21 18:59:05 +05:45', '2026-11-21 18:59 +05:45'],
    ['America/St_Johns', AT, '2026-11-21 09:44:05 -03:30', '2026-11-21 09:44 -03:30'],
    ['Africa/Lagos', '2028-02-28T23:00:00Z', '2028-02-29 00:00:00 +01', '2028-02-29 00:00 +01'],
  ])('in %s: %s', (name, time, full, brief) => {
    const zone = zoneNamed(name);
    expect([timeText(time, { zone }), timeText(time, { zone }, true)]).toEqual([full, brief]);
  });

  test.each([
    [0, 'now'],
    [-999, 'now'],
    [-1_000, '1 s ago'],
    [1_000, 'in 1 s'],
    [-59_999, '59 s ago'],
    [-60_000, '1 min ago'],
    [-4 * 60_000, '4 min ago'],
    [-3_599_999, '59 min ago'],
    [3 * 3_600_000, 'in 3 h'],
    [-86_399_999, '23 h ago'],
    [-86_400_000, '1 d ago'],
    [-45 * 86_400_000, '45 d ago'],
    [-729 * 86_400_000, '729 d ago'],
    [-730 * 86_400_000, '2 y ago'],
    [3650 * 86_400_000, 'in 10 y'],
  ])('%i ms from now is %s', (aheadMs, words) => {
    const time = new Date(NOW_MS + aheadMs).toISOString();
    expect(timeText(time, { zone: zoneNamed('UTC'), nowMs: NOW_MS })).toMatch(new RegExp(` \\d.*Z \\(${words}\\)$`));
  });

  test.each([
    '2026-11-21',
    '13:14:05Z',
    'at 2026-11-21T13:14:05Z',
    '2026-11-21T13:14:05+01:00',
    '2026-99-21T13:14:05Z',
  ])('%s is other text', (text) => {
    expect(timeText(text, { zone: zoneNamed('UTC') })).toBeUndefined();
  });
});

const list: Result = {
  data: [
    { id: 'a', createdAt: '2026-11-21T13:10:05Z', amount: 5 },
    { id: 'b', createdAt: '2026-11-20T23:30:00Z', amount: 6 },
  ],
};
const LAGOS = { zone: zoneNamed('Africa/Lagos'), clock: { now: () => NOW_MS } };
const columns = [
  { field: 'createdAt', title: 'When', isBrief: true },
  { field: 'id', title: 'ID' },
] as const;

describe('a table', () => {
  const table = (result: Result, options: Partial<PresentOptions> = {}) =>
    printed(result, { format: 'table', ...LAGOS, ...options });

  it('of a list has how long ago a time was, on a terminal', async () => {
    expect(await table({ ...list, columns })).toBe(
      [
        'When                              ID',
        '────────────────────────────────────',
        '2026-11-21 14:10 +01 (4 min ago)  a',
        '2026-11-21 00:30 +01 (13 h ago)   b',
        '',
      ].join('\n'),
    );
  });

  it('has absolute times only for another program', async () => {
    const text = await table({ ...list, columns }, { isPiped: true });
    expect(text).toContain('2026-11-21 14:10 +01  a\n2026-11-21 00:30 +01  b\n');
  });

  it('has absolute times only if the rows would not fit on their lines', async () => {
    const width = '2026-11-21 14:10 +01 (4 min ago)  a'.length + 1;
    expect(await table({ ...list, columns }, { width })).toContain('(4 min ago)');
    expect(await table({ ...list, columns }, { width: width - 2 })).toContain('14:10 +01  a\n');
  });

  it('has how long ago a time was on a line of its own that has room for it', async () => {
    const data = [{ id: 'i'.repeat(36), createdAt: '2026-11-21T13:10:05Z' }];
    const named = [
      { field: 'id', title: 'ID' },
      { field: 'createdAt', title: 'When' },
    ];
    expect(await table({ data, columns: named }, { width: 40 })).toContain('\n  2026-11-21 14:10:05 +01 (4 min ago)\n');
    expect(await table({ data, columns: named }, { width: 36 })).toContain('\n  2026-11-21 14:10:05 +01\n');
  });

  it('gives no room of other columns to how long ago a time was', async () => {
    const data = [{ createdAt: '2026-11-21T13:10:05Z', name: 'Adaeze Chukwuemeka Oluwaseun Okoro' }];
    expect(await table({ data }, { width: 62 })).toContain(
      '2026-11-21 14:10:05 +01  Adaeze Chukwuemeka Oluwaseun Okoro\n',
    );
    expect(await table({ data }, { width: 50 })).not.toContain('ago');
    expect(await table({ data }, { width: 80 })).toContain('(4 min ago)  Adaeze Chukwuemeka Oluwaseun Okoro\n');
  });

  it('keeps a time on one line', async () => {
    const data = [{ note: 'word '.repeat(30).trim(), createdAt: AT }];
    const titles = [
      { field: 'note', title: 'Note' },
      { field: 'createdAt', title: 'When' },
    ];
    const { zone } = LAGOS;
    const text = await printed({ data, columns: titles }, { format: 'table', zone, width: 40 });
    expect(text).toContain('\n  2026-11-21 14:14:05 +01\n');
  });

  it('of a document has how long ago a time was beside each value, but not in its lists', async () => {
    const data = { id: 'a', createdAt: '2026-11-21T13:10:05Z', steps: [{ at: '2026-11-21T13:11:05Z' }] };
    const text = await table({ data });
    expect(text).toContain('2026-11-21 14:10:05 +01 (4 min ago)\n');
    expect(text).toMatch(/2026-11-21 14:11:05 \+01$/m);
  });

  it('is in UTC without a zone', async () => {
    expect(await printed({ ...list, columns }, { format: 'table' })).toContain('2026-11-21 13:10Z  a\n');
  });
});

it.each(FORMATS.filter((format) => format !== 'table'))('%s has times in UTC', async (format) => {
  const out = sink();
  await present({ ...list, raw: JSON.stringify(list.data) }, { format, color: false, ...LAGOS }, out);
  const text = out.writes.join('');
  expect(text).toContain('2026-11-20T23:30:00Z');
  expect(text).not.toContain('ago');
});
