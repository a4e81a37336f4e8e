import { describe, expect, test } from 'vitest';
import { withEvents } from '../../src/engine/evidence/evidence.ts';
import type { WorkCandidate } from '../../src/engine/evidence/work.ts';
import type { WorkOutcome } from '../../src/things/thing.ts';

const candidate = (requestId: string, outcome: WorkOutcome, state: string): WorkCandidate => ({
  requestId,
  outcome,
  state,
  isExact: false,
  createdAt: '2026-01-05T09:00:00.000Z',
});

describe('what a list and an event show of one request', () => {
  test.each([
    ['the list', 'settled', 'failed', 'settled'],
    ['the list', 'failed', 'settled', 'failed'],
    ['the list', 'settled', 'accepted', 'settled'],
    ['the event', 'accepted', 'settled', 'settled'],
    ['the event', 'accepted', 'failed', 'failed'],
  ] as const)('has the end that %s says: %s there, %s here', (_whose, listed, reported, expected) => {
    const found = withEvents({ candidates: [candidate('r-1', listed, 'in the list')], isComplete: true }, [
      candidate('r-1', reported, 'in the event'),
    ]);
    const state = listed === 'accepted' ? 'in the event' : 'in the list';
    expect(found.candidates).toEqual([candidate('r-1', expected, state)]);
    expect(found.isComplete).toBe(true);
  });

  test('is about that request alone', () => {
    const { candidates } = withEvents({ candidates: [candidate('r-1', 'accepted', 'pending')], isComplete: false }, [
      candidate('r-2', 'settled', 'completed'),
    ]);
    expect(candidates).toEqual([candidate('r-1', 'accepted', 'pending'), candidate('r-2', 'settled', 'completed')]);
  });
});
