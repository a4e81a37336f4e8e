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

describe('evidence with wrong clocks, other programs, odd lists, keys, copies of the journal and suspended hosts', () => {
  test('names every guard', () => {
    expect(FOUND.map(([guard]) => guard).sort()).toEqual(Object.keys(GUARDS).sort());
  });

  test('never records what is not true', () => {
    const { states, trace } = explored(GUARDS);
    expect(trace).toBeUndefined();
    expect(states).toBeGreaterThan(1_000_000);
  });

  const NOT_DONE = 'recorded as not done, and the money moved';
  const TAKEN = 'another program’s row was taken';
  const TWICE = 'the money moved twice';

  const FOUND: readonly [keyof Guards, violation: string, steps: number][] = [
    ['usesServiceTime', TAKEN, 6],
    ['needsRightClocks', NOT_DONE, 14],
    ['comparesFields', TAKEN, 5],
    ['knowsRowsBefore', TAKEN, 5],
    ['keepsUnexplained', NOT_DONE, 13],
    ['countsRows', TAKEN, 5],
    ['keepsTagged', 'a row with the tag was left to a person', 5],
    ['keepsWindow', TWICE, 8],
    ['forgetsLooks', NOT_DONE, 10],
    ['knowsJournal', TWICE, 5],
    ['isSteady', NOT_DONE, 10],
    ['readsOn', NOT_DONE, 11],
    ['needsKept', NOT_DONE, 11],
    ['needsBack', NOT_DONE, 11],
    ['needsCurrent', NOT_DONE, 10],
    ['readsAsLagos', NOT_DONE, 13],
    ['looksTwice', NOT_DONE, 10],
    ['waits', NOT_DONE, 10],
  ];

  test.each(FOUND)('records it without the guard %s', (guard, violation, steps) => {
    const { trace } = explored({ ...GUARDS, [guard]: false });
    expect([trace?.at(-1), (trace?.length ?? 0) - 1]).toEqual([violation, steps]);
  });
});
