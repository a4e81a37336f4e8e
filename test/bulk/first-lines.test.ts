import { expect, test } from 'vitest';
import { firstLines } from '../../src/bulk/first-lines.ts';

test('a text that was there before is found by its first line, and no other text is', () => {
  const firstWith = firstLines();
  const texts = Array.from({ length: 20_000 }, (_, at) => `[{"kind":"saved-account","accountId":"${at}"}] ${at} CNGN`);
  expect(texts.flatMap((text, at) => firstWith(text, at + 2) ?? [])).toEqual([]);
  expect(texts.map((text) => firstWith(text, 1_000_000))).toEqual(texts.map((_, at) => at + 2));
});

test('texts of the same letters in another order are others', () => {
  const firstWith = firstLines();
  const letters = ['a', 'b', 'c', 'd', 'e', 'f'];
  const all = letters.flatMap((one) => letters.flatMap((two) => letters.map((three) => `${one}${two}${three}`)));
  expect(all.flatMap((text) => firstWith(text, 1) ?? [])).toEqual([]);
});
