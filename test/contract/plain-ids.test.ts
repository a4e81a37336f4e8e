import { expect, test } from 'vitest';
import { isPlainId, plainAbout, wordOfBank } from '../../src/contract/plain-ids.ts';

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
