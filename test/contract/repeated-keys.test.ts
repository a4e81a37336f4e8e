import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contradictingKey } from '../../src/contract/check.ts';

describe('a key that an object has twice', () => {
  test.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"b":{"c":"x","d":[{"e":1,"e":true}],"c":"x"}}', 'e'],
    ['{"a":{"b":1},"a":{"b":2}}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"a":1,"a":1,"a":2}', 'a'],
    ['{"amount":9007199254740993,"amount":9007199254740992}', 'amount'],
    ['{"":1,"":2}', ''],
  ])('with different values contradicts itself: %s', (text, key) => {
    expect(contradictingKey(text)).toBe(key);
  });

  test.each([
    '{"a":1,"a":1}',
    '{"a":{"b":[1]},"a":{"b":[1]}}',
    '{"a":{"b":1},"c":{"b":2}}',
    '[{"a":1},{"a":2}]',
    '{"a":"{\\"b\\":1,\\"b\\":2}"}',
    '{"a":["b","b"],"b":2}',
    '7',
    '"a"',
  ])('with the same value, or in another object, does not: %s', (text) => {
    expect(contradictingKey(text)).toBeUndefined();
  });

  test('is found in no text that JSON.stringify writes', () => {
    fc.assert(fc.property(fc.json({ maxDepth: 4 }), (text) => contradictingKey(text) === undefined));
  });
});
