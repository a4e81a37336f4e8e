import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonAmbiguity } from '../../src/money/json-text.ts';
import { anyCharacter } from '../support/characters.ts';

describe('an unambiguous JSON text', () => {
  test('is any that JSON.stringify writes from valid Unicode, in any indentation', () => {
    const value = fc.jsonValue({ stringUnit: anyCharacter });
    fc.assert(
      fc.property(value, fc.nat(3), (each, indent) => {
        expect(jsonAmbiguity(JSON.stringify(each, undefined, indent))).toBeUndefined();
      }),
    );
  });

  test('may be long, deep and full of escapes', () => {
    for (const text of [`["${'\\"'.repeat(2e6)}"]`, '['.repeat(1e5) + ']'.repeat(1e5), `"${'\\\\'.repeat(2e6)}"`])
      expect(jsonAmbiguity(text)).toBeUndefined();
  });
});

describe('an ambiguous JSON text', () => {
  test('has a key twice, anywhere and in any spelling', () => {
    const key = fc.string({ unit: anyCharacter });
    const other = fc.jsonValue({ stringUnit: anyCharacter });
    fc.assert(
      fc.property(key, other, other, (name, first, second) => {
        const escaped = [...name]
          .flatMap((each) => each.split(''))
          .map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
        const object = `{${JSON.stringify(name)}: ${JSON.stringify(first)}, "${escaped.join('')}" :${JSON.stringify(second)}}`;
        expect(jsonAmbiguity(object)).toMatch(/appears more than once/);
        expect(jsonAmbiguity(`[1, {"a": [${object}]}]`)).toMatch(/appears more than once/);
      }),
    );
  });

  test.each(['"\\ud800"', '"\\udc00\\ud800"', '["a\\ud83dz"]', '{"\\udfff":1}', '"\ud800"'])(
    '%j has half a pair',
    (text) => {
      expect(jsonAmbiguity(text)).toMatch(/half of a surrogate pair/);
    },
  );
});
