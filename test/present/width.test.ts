import xterm from '@xterm/headless';
import fastStringWidth from 'fast-string-width';
import { describe, expect, test } from 'vitest';
import { charactersOf, cut, leastWidth, widthOf, wrap } from '../../src/present/width.ts';
import { printed } from './support.ts';

const { Terminal } = xterm;

/**
 * Texts with the columns that we count, that tmux 3.3a gave them (where its cursor stood after the text), and that xterm.js gives them. Where
 * they differ, these two know an older Unicode: they draw a symbol with its emoji variation (U+FE0F) in one column, tmux draws the color of
 * a hand beside the hand, and xterm.js draws an emoji in one column.
 */
const SAMPLES: readonly (readonly [text: string, columns: number, inTmux: number, inXterm: number])[] = [
  // Latin
  ['Adaeze Okafor', 13, 13, 13],
  ['Ṣọlá Ọláyínká', 13, 13, 13],
  ['S\u0323o\u0323la\u0301', 4, 4, 4],
  // Signs
  ['₦5,000.00', 9, 9, 9],
  ['— …', 3, 3, 3],
  ['Acme™', 5, 5, 5],
  ['© ®', 3, 3, 3],
  ['✔ done', 6, 6, 6],
  ['✓ ✗', 3, 3, 3],
  ['→ ↔', 3, 3, 3],
  ['⚠ late', 6, 6, 6],
  // Variation selectors
  ['✔\ufe0e', 1, 1, 1],
  ['✔\ufe0f', 2, 1, 1],
  ['❤\ufe0f', 2, 1, 1],
  ['1\ufe0f\u20e3', 2, 1, 1],
  // Arabic and Hebrew
  ['محمد', 4, 4, 4],
  ['مُحَمَّد', 4, 4, 4],
  ['שָׁלוֹם', 4, 4, 4],
  // Indic
  ['हिन्दी', 5, 5, 5],
  ['नमस्ते', 4, 4, 4],
  ['বাংলা', 5, 5, 5],
  ['தமிழ்', 4, 4, 4],
  ['മലയാളം', 6, 6, 6],
  // Han and its neighbours
  ['中文', 4, 4, 4],
  ['カタカナ', 8, 8, 8],
  ['ｶﾀｶﾅ', 4, 4, 4],
  ['한글', 4, 4, 4],
  // Emoji
  ['🎉 party', 8, 8, 7],
  ['👍🏽', 2, 4, 2],
  ['👩\u200d💻', 2, 2, 2],
  ['🇳🇬', 2, 2, 2],
];

/** Returns a terminal that has received a text. */
async function terminalWith(text: string) {
  const terminal = new Terminal({ cols: 80, rows: 50, allowProposedApi: true, convertEol: true });
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  return terminal.buffer.active;
}

test('a plain character is as wide as the package says', () => {
  const characters = Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code));
  const measured = characters.filter((character) => !/[\p{Cc}\p{Cf}\p{Mc}]/u.test(character));
  expect(measured.length).toBeGreaterThan(7_000);
  expect(measured.filter((character) => widthOf(character) !== fastStringWidth(character))).toEqual([]);
});

describe('the width of a text', () => {
  test.each(SAMPLES)('%s takes %i columns', async (text, columns, _inTmux, inXterm) => {
    expect(widthOf(text)).toBe(columns);
    expect((await terminalWith(text)).cursorX).toBe(inXterm);
  });

  test('is the sum of the widths of its characters', () => {
    const whole = SAMPLES.map(([text]) => text).join(' ');
    expect(charactersOf(whole).join('')).toBe(whole);
    expect(charactersOf(whole).reduce((sum, character) => sum + widthOf(character), 0)).toBe(widthOf(whole));
  });
});

describe('a table on a terminal', () => {
  test.each([{}, { align: 'right' as const }])('has what follows each text in one column (%j)', async (aligned) => {
    // The joiners of emoji are not printed.
    const names = SAMPLES.filter(([text, columns, , inXterm]) => columns === inXterm && !text.includes('\u200d'));
    const data = names.map(([name]) => ({ name, end: '|' }));
    const columns = [
      { field: 'name', title: 'Name', ...aligned },
      { field: 'end', title: 'End' },
    ];
    const text = await printed({ data, columns }, { format: 'table' });
    const buffer = await terminalWith(text);
    const at = Math.max(...names.map(([, width]) => width)) + 2;
    const found = names.map((_name, row) =>
      buffer
        .getLine(row + 2)
        ?.getCell(at)
        ?.getChars(),
    );
    expect(names).toHaveLength(26);
    expect(found).toEqual(names.map(() => '|'));
    for (const [name] of names) expect(text).toContain(name);
  });
});

test('a word that is wider than its column and cannot be shortened is shown whole', async () => {
  const word = 'हिन्दी'.repeat(20);
  const text = await printed({ data: [{ id: 'a', note: `ok ${word} ok`, end: '|' }] }, { format: 'table', width: 40 });
  expect(text).toContain(word);
  expect(text).not.toContain('…');
});

describe('charactersOf', () => {
  test.each([
    ['abc', ['a', 'b', 'c']],
    ['e\u0301a', ['e\u0301', 'a']],
    ['हिन्', ['हि', 'न्']],
    ['👍🏽👍', ['👍🏽', '👍']],
    ['👩\u200d💻!', ['👩\u200d💻', '!']],
    ['🇳🇬🇬🇭', ['🇳🇬', '🇬🇭']],
    ['1\ufe0f\u20e3', ['1\ufe0f\u20e3']],
    ['a\nb', ['a', '\n', 'b']],
    ['', []],
  ])('%j', (text, characters) => {
    expect(charactersOf(text)).toEqual(characters);
  });
});

describe('wrap', () => {
  test.each([
    ['between words', 'one two three', 7, ['one two', 'three']],
    ['never in a word', 'abcdefgh ij', 4, ['abcdefgh', 'ij']],
    ['never in a word with signs', '✔✔✔✔✔✔ ij', 4, ['✔✔✔✔✔✔', 'ij']],
    ['never in a word of an Indic script', 'हिन्दीहिन्दी कि', 4, ['हिन्दीहिन्दी', 'कि']],
    ['between Han characters', '中文中文', 5, ['中文', '中文']],
    ['after a Han character with what is joined to it', '中a文b', 3, ['中a', '文b']],
    ['never in an emoji', '👍🏽👍🏽👍🏽', 4, ['👍🏽👍🏽', '👍🏽']],
    ['never in a flag', '🇳🇬🇬🇭', 2, ['🇳🇬', '🇬🇭']],
  ])('breaks lines %s', (_where, text, width, lines) => {
    expect(wrap(text, width)).toEqual(lines);
  });

  test('shortens a long word in the middle if it may, and counts characters, not units', () => {
    expect(wrap('see abcdefghij', 6, true)).toEqual(['see', 'abc…ij']);
    expect(wrap('see ọ́ọ́ọ́ọ́ọ́ọ́ọ́ọ́', 6, true)).toEqual(['see', 'ọ́ọ́ọ́…ọ́ọ́']);
    expect(wrap('abcdefghij', 6, true)).toEqual(['abcdefghij']);
    const hindi = 'हिन्दी'.repeat(3);
    expect(wrap(`see ${hindi}`, 4, true)).toEqual(['see', hindi]);
  });

  test.each(SAMPLES)('keeps %s at the width that it says is enough', (text) => {
    const least = leastWidth(text);
    for (const line of wrap(text, least)) expect(widthOf(line)).toBeLessThanOrEqual(least);
    expect(wrap(text, least).join(' ').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
  });
});

test.each([
  ['Acme™ pays', 10, 'Acme™ pays'],
  ['Acme™ pays now', 10, 'Acme™ pay…'],
  ['中文中文', 6, '中文…'],
  ['மலையாளம்', 4, 'மலை…'],
  ['👍🏽👍🏽👍🏽', 5, '👍🏽👍🏽…'],
  ['0x1234567890', 6, '0x123…'],
  ['中', 1, '…'],
])('cut of %s at %i columns is %s', (text, width, shown) => {
  expect(cut(text, width)).toBe(shown);
  expect(widthOf(shown)).toBeLessThanOrEqual(width);
});
