import { expect, test } from 'vitest';
import { setAt } from '../../src/commands/webhooks/events.ts';

test.each([
  [['__proto__', 'polluted']],
  [['constructor', 'prototype', 'polluted']],
  [['deposit', '__proto__', 'polluted']],
])('a path to what an event inherits is rejected: %j', (path) => {
  expect(() => setAt({ deposit: {} }, path, 1)).toThrow('the event has no field');
  expect('polluted' in {}).toBe(false);
});

test('a field of any name is set', () => {
  const content: Record<string, unknown> = { deposit: { amount: 1 } };
  setAt(content, ['deposit', 'amount'], 2);
  setAt(content, ['__proto__'], 3);
  expect(JSON.stringify(content)).toBe('{"deposit":{"amount":2},"__proto__":3}');
});
