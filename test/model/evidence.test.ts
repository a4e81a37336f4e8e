import { describe, expect, test } from 'vitest';
import { explore, GUARDS, type Guards, WORLD, type World, worlds } from './evidence.ts';

describe('evidence with wrong clocks, other programs, odd lists, keys, copies of the journal and suspended hosts', () => {
  test('names every guard', () => {
    expect(FOUND.map(([guard]) => guard).sort()).toEqual(Object.keys(GUARDS).sort());
  });

  test('never records what is not true, in any world', () => {
    const explored = [...worlds()].map((world) => explore(world, GUARDS));
    expect(explored.filter(({ trace }) => trace)).toEqual([]);
    expect(explored.reduce((sum, { states }) => sum + states, 0)).toBeGreaterThan(1_000_000);
  });

  const NOT_DONE = 'recorded as not done, and the money moved';
  const TAKEN = 'another program’s row was taken';
  const TWICE = 'the money moved twice';

  /** For each guard a world that needs it, by what differs from WORLD, and the shortest way to a violation there. */
  const FOUND: readonly [keyof Guards, differs: Partial<World>, violation: string, steps: number][] = [
    ['usesServiceTime', { journal: -3, other: 'equal', read: 'nothing' }, TAKEN, 6],
    ['needsRightClocks', { jump: -2, later: 1, read: 'newest' }, NOT_DONE, 14],
    ['comparesFields', { later: 1, keyTicks: 4 }, TAKEN, 5],
    ['knowsRowsBefore', { other: 'equal', keyTicks: 4 }, TAKEN, 5],
    ['keepsUnexplained', { rows: -3, later: 1, read: 'newest' }, NOT_DONE, 13],
    ['countsRows', { other: 'equal', read: 'nothing' }, TAKEN, 5],
    [
      'keepsTagged',
      { jump: -2, later: 1, isTagged: true, read: 'newest' },
      'a row with the tag was left to a person',
      5,
    ],
    ['keepsWindow', { later: 1, keyTicks: 4 }, TWICE, 8],
    ['forgetsLooks', { later: 1, ownLag: 4, keyTicks: 4 }, NOT_DONE, 10],
    ['knowsJournal', { isRestored: true }, TWICE, 5],
    ['isSteady', { later: 1, isSuspended: true }, NOT_DONE, 10],
    ['readsOn', { later: 1, cut: 'page' }, NOT_DONE, 11],
    ['needsKept', { later: 2, history: [-2, -1], hole: [-1, 2] }, NOT_DONE, 11],
    ['needsBack', { later: 1, cut: 'list', history: [] }, NOT_DONE, 11],
    ['needsCurrent', { later: 2, lag: 5 }, NOT_DONE, 10],
    ['readsAsLagos', { rows: 2, later: 2, lag: 5 }, NOT_DONE, 13],
    ['looksTwice', { later: 2, isFlaky: true }, NOT_DONE, 10],
    ['waits', { later: 1, ownLag: 4, keyTicks: 4 }, NOT_DONE, 10],
  ];

  test.each(FOUND)('records it without the guard %s', (guard, differs, violation, steps) => {
    const world = { ...WORLD, ...differs };
    expect([...worlds()]).toContainEqual(world);
    const { trace } = explore(world, { ...GUARDS, [guard]: false });
    expect([trace?.at(-1), (trace?.length ?? 0) - 1]).toEqual([violation, steps]);
  });
});
