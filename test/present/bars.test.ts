import { expect, test } from 'vitest';
import { barsText } from '../../src/present/bars.ts';
import { widthOf } from '../../src/present/width.ts';

const PLAIN = { color: false, isPlain: true };

const point = (
  label: string,
  size: bigint | null,
  text = size === null ? 'not known' : String(size),
  isBound = false,
) => ({
  ...{ label, size, text, isBound },
});

const linesOf = async (...args: Parameters<typeof barsText>) => (await barsText(...args)).split('\n').slice(0, -1);

test('a bar is as long as its share of the longest, and what is not known has none', async () => {
  const points = [
    point('2026-11-01', 100n),
    point('2026-11-02', 50n),
    point('2026-11-03', null),
    point('2026-11-04', 0n),
  ];
  expect(await linesOf([{ title: 'In', points }], 46, PLAIN)).toEqual([
    'In',
    '2026-11-01        100  ######################',
    '2026-11-02         50  ###########',
    '2026-11-03  not known',
    '2026-11-04          0',
  ]);
});

test('what is not zero has a stroke, however small, and a bound has a sign', async () => {
  const points = [
    point('a', 10n ** 30n),
    point('b', 1n),
    point('c', 5n * 10n ** 29n, 'at least half', true),
    point('d', -(10n ** 30n)),
  ];
  const [, a, b, c, d] = await linesOf([{ title: 'In', points }], 80, { color: false });
  expect(b?.endsWith('▏')).toBe(true);
  expect(c?.endsWith('?')).toBe(true);
  expect(a?.match(/█/g)?.length).toBe(d?.match(/█/g)?.length);
});

test.each([10, 20, 30, 46, 80, 200])('no line is wider than %i columns, unless a figure is', async (width) => {
  const points = [
    point('2026-11-01', 100n, '₦1,000,000,000.00'),
    point('2026-11-02', 1n, '日本'),
    point('2026-11-03', 99n, '1', true),
  ];
  const least = '2026-11-01'.length + 2 + widthOf('₦1,000,000,000.00');
  for (const line of await linesOf([{ title: 'Volumes in NGN', points }], width, { color: false }))
    expect(widthOf(line)).toBeLessThanOrEqual(Math.max(width, least));
});

test('there is colour only where it is wanted, and none is needed to tell what a bar is', async () => {
  const panel = { title: 'In', points: [point('a', 2n), point('b', -1n, '−1')] };
  expect(await barsText([panel], 40, { color: true })).toContain('\u001b[');
  expect(await barsText([panel], 40, { color: false })).not.toContain('\u001b');
  expect(await barsText([], 40, { color: true })).toBe('');
});

test('text of others acts on no terminal', async () => {
  const panel = { title: 'In\u001b[31m', points: [point('a', 2n, '\u001b]0;x\u0007')] };
  const text = await barsText([panel], 60, { color: false });
  for (const control of ['\u001b', '\u0007']) expect(text).not.toContain(control);
});
