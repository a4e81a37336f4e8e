import { describe, expect, test } from 'vitest';
import { amount } from '../../src/money/amount.ts';
import { depthText } from '../../src/present/chart.ts';
import { present } from '../../src/present/present.ts';
import type { Depth, Level } from '../../src/present/result.ts';
import { columnsOf, printed, sink } from './support.ts';

const level = (price: number, cngn: number): Level => ({
  price: amount('CNGN', BigInt(price) * 1_000_000n),
  takerPrice: undefined,
  amount: amount('CNGN', BigInt(cngn) * 1_000_000n),
});

function depth(upper: readonly Level[], lower: readonly Level[]): Depth {
  return {
    title: 'CNGN-USDC',
    upper: { title: 'USDC on offer', levels: upper },
    middle: 'spread 10.00 cNGN',
    lower: { title: 'cNGN on offer', levels: lower },
  };
}

const BOOK = depth([level(1400, 1000), level(1405, 1000), level(1410, 2000)], [level(1390, 3000), level(1380, 500)]);
const PLAIN = { color: false, isPlain: true } as const;

const linesOf = async (book: Depth, width: number, style = PLAIN as { color: boolean; isPlain?: boolean }) =>
  (await depthText(book, width, style)).split('\n').slice(0, -1);
const bar = (line: string | undefined) => /#+$/.exec(line ?? '')?.[0].length ?? 0;

describe('depthText', () => {
  test('orders prices from the worst ask to the worst bid, with the spread in the middle', async () => {
    const lines = await linesOf(BOOK, 80);
    const prices = lines.flatMap((line) => /^\s*(1,\d{3})/.exec(line)?.[1] ?? (line.startsWith('--') ? ['--'] : []));
    expect(prices).toEqual(['1,410', '1,405', '1,400', '--', '1,390', '1,380']);
    expect(lines.find((line) => line.startsWith('--'))).toContain('spread 10.00 cNGN');
  });

  test('shows what a taker pays beside the price of the book, if the service says it', async () => {
    const taker = { ...level(1400, 1000), takerPrice: amount('CNGN', 1_407_000_000n) };
    const lines = await linesOf(depth([taker], [level(1390, 1000)]), 80);
    expect(lines.find((line) => line.includes('With spread'))).toMatch(/Price +With spread +At this price/);
    expect(lines.find((line) => line.includes('1,400'))).toMatch(/1,400.00 cNGN +1,407.00 cNGN +1,000.00 cNGN/);
    expect((await linesOf(BOOK, 80)).join()).not.toContain('With spread');
  });

  test('draws bars of cumulative depth', async () => {
    const lines = await linesOf(BOOK, 80);
    const at = (price: string) => bar(lines.find((line) => line.trimStart().startsWith(price)));
    const full = at('1,410');
    expect([at('1,405'), at('1,400'), at('1,380')]).toEqual(
      [0.5, 0.25, 0.875].map((share) => Math.round(full * share)),
    );
    expect(lines.find((line) => line.includes('1,380'))).toContain('3,500.00 cNGN');
  });

  test('draws at least one stroke', async () => {
    const lines = await linesOf(depth([level(1400, 1)], [level(1390, 1_000_000)]), 80);
    expect(bar(lines.find((line) => line.includes('1,400')))).toBe(1);
  });

  test.each([20, 30, 40, 60, 80, 120, 200])('fits into %d columns', async (width) => {
    for (const style of [PLAIN, { color: false }]) {
      const lines = await linesOf(BOOK, width, style);
      expect(Math.max(...lines.map(columnsOf))).toBeLessThanOrEqual(width);
      expect(lines.filter((line) => /1,\d{3}/.test(line))).toHaveLength(5);
    }
  });

  test('fills a wide terminal', async () => {
    expect(Math.max(...(await linesOf(BOOK, 160)).map(columnsOf))).toBe(160);
  });

  test('drops amounts before bars', async () => {
    const [narrow, wide] = [await linesOf(BOOK, 44), await linesOf(BOOK, 80)];
    expect({
      wideHasUpToHere: wide.join().includes('Up to here'),
      narrowHasUpToHere: narrow.join().includes('Up to here'),
    }).toEqual({ wideHasUpToHere: true, narrowHasUpToHere: false });
    expect(bar(narrow.find((line) => line.includes('1,410')))).toBeGreaterThan(5);
  });

  test('marks an empty side', async () => {
    expect((await linesOf(depth([], [level(1390, 5)]), 80)).filter((line) => line === '(none)')).toHaveLength(1);
    expect((await linesOf(depth([], []), 80)).filter((line) => line === '(none)')).toHaveLength(2);
  });

  test('draws with ASCII on a plain terminal and block elements on others', async () => {
    expect((await linesOf(BOOK, 80)).join('')).toMatch(/^[\x20-\x7e]*$/);
    expect((await linesOf(BOOK, 80, { color: false })).join('')).toMatch(/[▏▎▍▌▋▊▉█]/);
  });

  test('has the same text without colour', async () => {
    const coloured = (await linesOf(BOOK, 80, { color: true })).join('\n');
    expect(coloured).toContain('\u001b[31m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe((await linesOf(BOOK, 80, { color: false })).join('\n'));
  });

  test('removes control characters from titles', async () => {
    const text = (await linesOf({ ...BOOK, title: 'a\u001b[2Jb', middle: 'c\nd' }, 80)).join('\n');
    expect(text).not.toContain('\u001b');
  });
});

describe('a result with a chart', () => {
  const result = { data: { pair: 'CNGN-USDC' }, depth: BOOK };

  test('is drawn instead of a table, at the width of the terminal', async () => {
    const out = sink(undefined, { columns: 60 });
    await present(result, { format: 'table', color: false, isPlain: true }, out);
    expect(out.writes.join('')).toBe(await depthText(BOOK, 60, PLAIN));
  });

  test('prints plain data in other formats and with --fields', async () => {
    expect(JSON.parse(await printed(result))).toEqual({ pair: 'CNGN-USDC' });
    expect(await printed(result, { format: 'table', fields: ['pair'] })).toBe('Pair  CNGN-USDC\n');
  });
});

describe('a result with a fixed format', () => {
  test('is always JSON and can be queried', async () => {
    const result = { data: { a: { b: 1 } }, always: 'json' } as const;
    expect(JSON.parse(await printed(result, { format: 'csv' }))).toEqual(result.data);
    expect(await printed(result, { format: 'table', query: 'a.b' })).toBe('1\n');
  });

  test('is plain text without fields', async () => {
    const result = { data: 'complete -F _x x\n', always: 'text' } as const;
    expect(await printed(result, { format: 'json' })).toBe(result.data);
    await expect(printed(result, { query: '@' })).rejects.toThrow('--query does not apply');
    await expect(printed(result, { fields: ['a'] })).rejects.toThrow('--fields does not apply');
  });
});

describe('a list inside a document', () => {
  const rows = Array.from({ length: 12 }, (_row, index) => ({ id: `id-${index}`, kind: 'x' }));

  test('shows the given columns and every row', async () => {
    const columns = [{ field: 'rows', title: 'Rows', columns: [{ field: 'id', title: 'Name' }] }];
    const text = await printed({ data: { rows }, columns }, { format: 'table' });
    expect(text.split('\n').filter((line) => line.includes('id-'))).toHaveLength(12);
    expect(text).toContain('Name');
    expect(text).not.toContain('x');
  });
});
