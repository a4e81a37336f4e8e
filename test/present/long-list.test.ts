import { describe, expect, test } from 'vitest';
import { documentOf } from '../../src/present/content.ts';
import { present } from '../../src/present/present.ts';
import type { PresentOptions, Result } from '../../src/present/result.ts';
import { jsonText } from '../../src/present/text.ts';
import { yamlText } from '../../src/present/yaml.ts';

const row = (id: number) => ({ id, text: `row ${id}\u0007\nof: many`, nested: { list: [id], none: [], empty: {} } });
const rows = (from: number, count: number) => Array.from({ length: count }, (_, index) => row(from + index));

async function* pagesOf(...pages: readonly (readonly unknown[])[]) {
  yield* pages;
}

type Make = () => Result;

const around = (first: readonly unknown[]) => ({ owner: { name: 'Ada' }, rows: first, total: 450, note: 'last' });

const LISTS: readonly (readonly [string, Make])[] = [
  ['in a document', () => ({ data: around(rows(0, 3)), lists: 'rows', more: pagesOf(rows(3, 220), rows(223, 7)) })],
  [
    'with its position',
    () => ({ data: around(rows(0, 1)), lists: 'rows', list: { isWhole: true }, more: pagesOf(rows(1, 100)) }),
  ],
  ['whose first page is empty', () => ({ data: around([]), lists: 'rows', more: pagesOf([], rows(0, 2)) })],
  ['without rows', () => ({ data: around([]), lists: 'rows', list: { isWhole: true }, more: pagesOf([]) })],
  ['that is the document', () => ({ data: rows(0, 101), more: pagesOf(rows(101, 100)) })],
  ['that is an empty document', () => ({ data: [], more: pagesOf() })],
];

async function printed(result: Result, options: Partial<PresentOptions>): Promise<string[]> {
  const texts: string[] = [];
  const out = { isTerminal: false, columns: undefined, write: async (text: string) => void texts.push(text) };
  await present(result, { format: 'json', ...options } as PresentOptions, out);
  return texts;
}

describe.each(LISTS)('a list of many pages %s', (_what, make) => {
  test('is the same JSON as if it were whole', async () => {
    const whole = jsonText(await documentOf(make()), 2);
    expect((await printed(make(), { format: 'json' })).join('')).toBe(`${whole}\n`);
  });

  test('is the same YAML as if it were whole', async () => {
    expect((await printed(make(), { format: 'yaml' })).join('')).toBe(await yamlText(await documentOf(make())));
  });

  test('is one line of raw JSON', async () => {
    const whole = jsonText(await documentOf(make()));
    expect((await printed(make(), { format: 'raw' })).join('')).toBe(`${whole}\n`);
  });

  test('has the chosen fields only', async () => {
    const texts = await printed(make(), { format: 'json', fields: ['id', 'nested.list'] });
    const found = JSON.parse(texts.join('')) as object;
    const list = Array.isArray(found) ? found : (found as { rows: unknown[] }).rows;
    const whole = (await documentOf(make())) as { rows?: unknown[] } | unknown[];
    const ids = (Array.isArray(whole) ? whole : (whole.rows ?? [])).map((each) => (each as { id: number }).id);
    expect(list).toEqual(ids.map((id) => ({ id, nested: { list: [id] } })));
    if (!Array.isArray(found))
      expect(Object.keys(found)).toEqual('pagination' in found ? ['rows', 'pagination'] : ['rows']);
  });
});

test.each(['json', 'yaml', 'raw'] as const)('%s appears while the pages are read', async (format) => {
  let asked = 0;
  const texts: string[] = [];
  async function* more() {
    asked = texts.length;
    yield rows(2, 2);
  }
  const out = { isTerminal: false, columns: undefined, write: async (text: string) => void texts.push(text) };
  await present({ data: around(rows(0, 2)), lists: 'rows', more: more() }, { format } as PresentOptions, out);
  expect(asked).toBeGreaterThan(0);
});

test('a document whose pages cannot be read to the end stays open', async () => {
  async function* more(): AsyncGenerator<readonly unknown[]> {
    yield rows(2, 2);
    throw new Error('the service is away');
  }
  const texts: string[] = [];
  const out = { isTerminal: false, columns: undefined, write: async (text: string) => void texts.push(text) };
  const result = { data: around(rows(0, 2)), lists: 'rows', more: more() };
  await expect(present(result, { format: 'json' } as PresentOptions, out)).rejects.toThrow('away');
  expect(texts.join('')).toContain('"id": 3');
  expect(() => JSON.parse(texts.join(''))).toThrow();
});
