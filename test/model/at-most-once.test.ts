import { describe, expect, test } from 'vitest';
import { explore, RULES, type Rules } from './at-most-once.ts';

describe('money at most once', () => {
  test('holds in every interleaving', () => {
    const { states, trace } = explore(RULES);
    expect(trace).toBeUndefined();
    expect(states).toBeGreaterThan(10_000);
  });

  test.each<[string, Partial<Rules>, violation: string]>([
    ['the flush before sending is left out', { isFlushed: false }, 'the money moved twice'],
    ['absence is believed at once', { absenceTicks: 0 }, 'the money moved twice'],
    ['absence is believed before a row can appear', { absenceTicks: 1 }, 'the money moved twice'],
    ['two runs may decide before either records it', { isAtomic: false }, 'the money moved twice'],
  ])('is violated if %s', (_what, change, violation) => {
    const { trace } = explore({ ...RULES, ...change });
    expect(trace?.at(-1)).toBe(violation);
  });
});
