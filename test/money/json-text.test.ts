import { describe, expect, test } from 'vitest';
import { excessIn } from '../../src/money/json-text.ts';

const DEEP = 'its JSON is nested more than 64 levels deep';
const listOf = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join(',')}]`;
const names = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')}}`;

describe('excessIn', () => {
  test.each([
    ['64 lists', `${'['.repeat(64)}${']'.repeat(64)}`, undefined],
    ['65 lists', `${'['.repeat(65)}${']'.repeat(65)}`, DEEP],
    ['65 objects', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, DEEP],
    ['lists beside each other', `[${'[],'.repeat(100)}[]]`, undefined],
    ['brackets in a text', JSON.stringify({ a: '['.repeat(100) }), undefined],
    ['brackets after an escaped quote in a text', JSON.stringify({ a: `\\"${'['.repeat(100)}` }), undefined],
    ['brackets after a text that ends with a backslash', `["\\\\",${'['.repeat(65)}`, DEEP],
    ['a text without an end', `["${'['.repeat(100)}`, undefined],
    ['100,000 lists', listOf(99_999, '[]'), undefined],
    ['100,001 lists', listOf(100_000, '[]'), 'its JSON has more than 100000 lists and objects'],
    ['750,001 values', listOf(750_001, '1'), undefined],
    ['750,002 values', listOf(750_002, '1'), 'its JSON has more than 750000 values'],
    ['10,000 names', names(10_000), undefined],
    ['10,001 names', names(10_001), 'its JSON has more than 10000 field names'],
    ['few names in many rows', listOf(50_000, '{"a":1,"b":2}'), undefined],
  ])('%s', (_what, text, excess) => {
    expect(excessIn(text)).toBe(excess);
  });
});
