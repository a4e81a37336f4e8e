import { describe, expect, test } from 'vitest';
import { ENTRY_SOURCES, isPlainId, plainAbout, wordOfBank } from '../../src/contract/completion-entries.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { rowsOf } from '../../src/contract/rows.ts';

describe('what is remembered of responses', () => {
  test.each(Object.entries(ENTRY_SOURCES))('%s is in the contract', (id, places) => {
    const endpoint = endpoints.find((each) => each.id === id);
    if (!endpoint) throw new Error('no such endpoint');
    const rows = new Map(rowsOf(endpoint.response()).map((row) => [row.name, row]));
    for (const { in: list, id: name, about } of places) {
      for (const field of [name, ...about]) {
        const full = list === undefined ? field : `${list}[].${field}`;
        const row = rows.get(full) ?? rows.get(`${endpoint.nests}.${full}`);
        expect(row, full).toBeDefined();
        expect(row?.secret, full).toBeFalsy();
      }
    }
  });

  test('is only of reads', () => {
    const effects = Object.keys(ENTRY_SOURCES).map((id) => endpoints.find((each) => each.id === id)?.effect);
    expect(new Set(effects)).toEqual(new Set(['read']));
  });
});

test.each([
  ['01a2-b.c_d', true],
  ['0x52908400098527886E0F7030069857D2E4169EE7', true],
  ['-a', false],
  ['a b', false],
  ['22345678901', false],
  ['x'.repeat(201), false],
])('%s as an id: %s', (text, isPlain) => {
  expect(isPlainId(text)).toBe(isPlain);
});

test('a description is one line without control characters or long figures', () => {
  expect(plainAbout('  A\u001b[1m\nB\u2028C 22345678901 ')).toBe('A [1m B C …');
});

test.each([
  ['GUARANTY TRUST BANK', 'guaranty-trust-bank'],
  ["St. Mary's & Co (MFB)", 'st-mary-s-co-mfb'],
])('%s in one word is %s', (name, word) => {
  expect(wordOfBank(name)).toBe(word);
});
