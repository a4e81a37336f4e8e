import { expect, test } from 'vitest';
import { clockNeeds } from '../../src/inspector/account/now.ts';
import { fakeClock, fakeWorld } from '../support/world.ts';

const NOW_MS = Date.UTC(2026, 10, 2, 9);

const needs = (mode: 'live' | 'sandbox', checkedMs: number | undefined) => {
  const world = fakeWorld({ clock: fakeClock(NOW_MS) });
  const checkedAt = checkedMs === undefined ? undefined : new Date(checkedMs).toISOString();
  return clockNeeds({ world, profile: { mode } as Parameters<typeof clockNeeds>[0]['profile'] }, checkedAt);
};

test('a clock that is behind what the service said is worth a word on a live account', () => {
  expect(needs('live', NOW_MS + 31_000)).toMatchObject([
    { what: 'The clock of this machine is at least 31 s behind the service’s', todo: 'fiatrail doctor' },
  ]);
  for (const checkedMs of [NOW_MS + 30_000, NOW_MS, NOW_MS - 86_400_000, undefined])
    expect(needs('live', checkedMs)).toEqual([]);
  expect(needs('sandbox', NOW_MS + 86_400_000)).toEqual([]);
});
