import { describe, expect, test } from 'vitest';
import { explore, GUARDS, type Guards, worlds } from './evidence.ts';

/** Explores one world after the other, up to the first violation. */
function explored(guards: Guards) {
  let states = 0;
  let trace: readonly string[] | undefined;
  for (const world of worlds()) {
    const found = explore(world, guards);
    states += found.states;
    trace = found.trace;
    if (trace) break;
  }
  return { states, trace };
}

describe('evidence with wrong clocks, other programs, late rows, keys, copies of the journal and suspended hosts', () => {
  test('never records what is not true', () => {
    const { states, trace } = explored(GUARDS);
    expect(trace).toBeUndefined();
    expect(states).toBeGreaterThan(100_000);
  });

  const NOT_DONE = 'recorded as not done, and the money moved';
  const TAKEN = 'another program’s row was taken';
  const TWICE = 'the money moved twice';

  test.each<[keyof Guards, violation: string, steps: number]>([
    ['usesServiceTime', TAKEN, 6],
    ['needsRightClocks', NOT_DONE, 6],
    ['comparesFields', TAKEN, 5],
    ['knowsRowsBefore', TAKEN, 5],
    ['keepsUnexplained', NOT_DONE, 7],
    ['countsRows', TAKEN, 5],
    ['keepsTagged', 'a row with the tag was left to a person', 6],
    ['asksByKey', TAKEN, 5],
    ['keepsLifetime', TWICE, 5],
    ['knowsJournal', TWICE, 5],
    ['isSteady', NOT_DONE, 8],
  ])('records it without the guard %s', (guard, violation, steps) => {
    const { trace } = explored({ ...GUARDS, [guard]: false });
    expect([trace?.at(-1), (trace?.length ?? 0) - 1]).toEqual([violation, steps]);
  });
});
