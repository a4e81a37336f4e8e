import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { CliError } from '../../src/base/errors.ts';
import { causeText } from '../../src/present/error.ts';
import { FORMATS, type PresentOptions, type Result } from '../../src/present/result.ts';
import { anyCharacter } from '../support/characters.ts';
import { pagesOf, printed } from './support.ts';

/** Control characters that no output contains; a newline ends a line of the format. */
const CONTROLS =
  /(?!\n)[\p{Cc}\xad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|(?<!\p{Extended_Pictographic})\u200d|\u200d(?!\p{Extended_Pictographic})/u;

const CLASSES = [
  ['escape', '\u001b'],
  ['an escape sequence', '\u001b[31m'],
  ['null', '\0'],
  ['backspace', '\b'],
  ['tab', '\t'],
  ['carriage return', '\r'],
  ['newline', '\n'],
  ['vertical tab', '\v'],
  ['delete', '\u007f'],
  ['next line', '\u0085'],
  ['C1 control sequence', '\u009b'],
  ['an unfinished C1 string', '\u009d'],
  ['right-to-left override', '\u202e'],
  ['left-to-right isolate', '\u2066'],
  ['pop directional isolate', '\u2069'],
  ['right-to-left mark', '\u200f'],
  ['Arabic letter mark', '\u061c'],
  ['line separator', '\u2028'],
  ['paragraph separator', '\u2029'],
  ['zero-width no-break space', '\ufeff'],
  ['zero-width space', '\u200b'],
  ['zero-width non-joiner', '\u200c'],
  ['a joiner that joins nothing', '\u200d'],
  ['word joiner', '\u2060'],
  ['soft hyphen', '\u00ad'],
  ['Mongolian vowel separator', '\u180e'],
  ['interlinear annotation', '\ufff9'],
  ['a tag', '\u{e0041}'],
] as const;

const BREAKS = /[\t-\r\u0085\u2028\u2029]/;

describe.each(CLASSES)('%s', (_name, control) => {
  const text = `Ada${control}élan`;
  const data = { [text]: text, list: [{ [text]: [text, { deep: text }] }] };

  test.each(FORMATS)('is not written as it is in %s', async (format) => {
    const results: readonly Result[] = [
      { data },
      { data, raw: JSON.stringify(data) },
      { data, raw: `<p>${text}</p>` },
      { data: [data], more: pagesOf([data], [{ other: text }]) },
      { data: [text, [text]] },
      { data: text },
    ];
    for (const result of results) {
      const written = await printed(result, { format });
      expect(written).toContain('élan');
      expect(written).not.toMatch(CONTROLS);
    }
  });

  test.each(['json', 'ndjson', 'raw', 'yaml'] as const)('is escaped in %s', async (format) => {
    const written = await printed({ data, raw: JSON.stringify(data) }, { format });
    expect(parseYaml(written)).toEqual(data);
    expect(written.split('Ada')[1]).toMatch(/^\\/);
  });

  test.each(['csv', 'table'] as const)('is dropped or becomes a space in %s', async (format) => {
    const shown = BREAKS.test(control) ? 'Ada élan' : 'Adaélan';
    const written = await printed({ data: [{ name: text }] }, { format });
    expect(written.split('\n').at(-2)).toBe(shown);
    expect(await printed({ data: text }, { format: 'table' })).toBe(`${shown}\n`);
  });
});

describe('a response', () => {
  const raw = (text: string) => printed({ data: {}, raw: text }, { format: 'raw' });

  it('keeps its layout and escapes in raw JSON', async () => {
    expect(await raw('{\r\n\t"a": "\\u001b \\\\\u202e",\r\t"b": 1.50\n}')).toBe(
      '{\n "a": "\\u001b \\\\\\u202e",\n "b": 1.50\n}\n',
    );
  });

  it('loses its control characters if it is not JSON', async () => {
    expect(await raw('<p>\u001b[2JAda\u202e\tObi\n</p>')).toBe('<p>Ada Obi\n</p>\n');
  });

  it('keeps emoji and text in any script', async () => {
    const text = 'Adé 日本 عمر 👩‍👩‍👧 🏳️‍🌈 👩🏽‍🔧';
    for (const format of ['json', 'ndjson', 'csv', 'yaml', 'raw'] as const)
      expect(await printed({ data: { text } }, { format })).toContain(text);
  });

  it('is also plain text in the cause of an internal error', () => {
    expect(causeText(new CliError('internal', 'x', { cause: 'a\u001b[31m\u2028b' }))).toBe('ab\n');
  });
});

/** Text with many control characters, halves of surrogate pairs and syntax of the formats. */
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...CLASSES.map(([, control]) => control)),
    fc.constantFrom('"', "'", '\\', '\\u001b', ',', ';', '=', ':', '#', '- ', '\ud800', '\udc00', ' ', '{', '|', '%'),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
    fc.constantFrom('Ada', 'null', '1e5', '日', '👩‍👧'),
  ),
  maxLength: 60,
});

const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, hostile, fc.boolean(), fc.constant(null), fc.integer(), tie('list'), tie('object')),
  list: fc.array(tie('any'), { maxLength: 4 }),
  object: fc
    .dictionary(hostile, tie('any'), { maxKeys: 4 })
    .filter((object) => !Object.hasOwn(object, '__proto__'))
    .map((object) => ({ ...object })),
})).any;

describe('any value', () => {
  const written = (data: unknown, options: Partial<PresentOptions>) =>
    printed({ data, raw: JSON.stringify(data) }, options);

  it.each([
    ['json', JSON.parse],
    ['raw', JSON.parse],
    ['yaml', parseYaml],
    ['yaml', (text: string) => parseYaml(text, { version: '1.1' })],
  ] as const)('is the same when it is read again, without control characters: %s', async (format, parse) => {
    await fc.assert(
      fc.asyncProperty(value, async (data) => {
        const text = await written(data, { format });
        expect(text).not.toMatch(CONTROLS);
        expect(parse(text)).toEqual(data);
      }),
      { numRuns: 300 },
    );
  });

  it('has one line for each row in ndjson', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 5 }), async (rows) => {
        const text = await printed({ data: rows }, { format: 'ndjson' });
        expect(text).not.toMatch(CONTROLS);
        expect(
          text
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line)),
        ).toEqual(rows);
      }),
    );
  });

  it.each(['csv', 'table'] as const)('has no control characters: %s', async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 5 }), async (rows) => {
        expect(await printed({ data: rows }, { format })).not.toMatch(CONTROLS);
      }),
    );
  });

  it('has one line for each record in CSV, and no formula', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostile, { minLength: 1, maxLength: 5 }), async (texts) => {
        const text = await printed({ data: texts.map((v) => ({ v, w: 1 })) }, { format: 'csv' });
        const [title, ...lines] = text.split('\n').slice(0, -1);
        expect({ title, count: lines.length }).toEqual({ title: 'v,w', count: texts.length });
        for (const line of lines) expect(line).not.toMatch(/^"?\s*[=+\-@](?![\d.]+,1$)/);
      }),
    );
  });
});
