import { describe, expect, test } from 'vitest';
import { RULES, type Rules } from './at-most-once.ts';
import { explore } from './explore.ts';

describe('money moves at most once, and every unknownOutcome can be ended', () => {
  test.each<[string, Partial<Rules>, states: number]>([
    ['by looking twice', {}, 60_000],
    ['by a person, where no list proves it', { isAsked: true, hasPerson: true }, 60_000],
    ['by a person, where the service lists nothing', { isListed: false, hasPerson: true }, 20_000],
  ])('%s, in every interleaving', (_how, change, least) => {
    const { states, trace } = explore({ ...RULES, ...change });
    expect(trace).toBeUndefined();
    expect(states).toBeGreaterThan(least);
  });

  const NOT_DONE = 'recorded as not done, and the money moved';
  const TWICE = 'the money moved twice';

  test.each<[string, Partial<Rules>, violation: string]>([
    ['the flush before sending is left out', { isFlushed: false }, NOT_DONE],
    ['the request leaves before `sent` is recorded', { isRecordedFirst: false }, NOT_DONE],
    ['two runs may decide before either records it', { isAtomic: false }, TWICE],
    ['an operation that another run has closed may still be sent', { isStateChecked: false }, TWICE],
    ['a process that was suspended may send as late as it likes', { isFenced: false }, NOT_DONE],
    ['absence is believed at the first look', { absenceTicks: 0 }, NOT_DONE],
    ['absence is believed before a row can appear', { absenceTicks: 1 }, NOT_DONE],
    [
      'a response is lost when the journal is locked',
      { isSpooled: false },
      'of unknown outcome, although someone was told how it ended',
    ],
    ['nobody decides where no list proves it', { isAsked: true }, 'an unknown outcome that nothing ends'],
  ])('is violated if %s', (_what, change, violation) => {
    expect(explore({ ...RULES, ...change }).trace?.at(-1)).toBe(violation);
  });

  test('the same mistakes move the money twice', () => {
    // What is recorded as not done has a free key, so a second run pays again.
    for (const change of [{ isFlushed: false }, { isRecordedFirst: false }, { isFenced: false }, { absenceTicks: 0 }])
      expect(explore({ ...RULES, ...change }, true).trace?.at(-1)).toBe(TWICE);
  });
});
