import { expect, onTestFinished, test } from 'vitest';
import { main } from '../../src/main.ts';
import { AUTUMN, accountAfter, closeMonth, ran, refused, wordsOf } from '../questions/books/life.ts';
import { json } from '../questions/reports.ts';
import type { FakeWorld } from '../support/world.ts';
import { type Moment, type Process, running, watchProcesses } from './money-death.ts';

/** Runs a command line whose process dies at a commit of the journal. Returns whether it died. */
async function killed(world: FakeWorld, line: readonly string[], diesAtCommit: Moment): Promise<boolean> {
  const process: Process = { id: 1, diesAtCommit, journalNow: world.clock.now, commits: 0, requests: 0, isDead: false };
  await running.run(process, () => main([...line, '--yes', '-q'], world)).catch(() => undefined);
  return process.isDead;
}

const IS_LONG = process.env['FIATRAIL_SOAK_KILLS'] !== undefined;

/** More commits than a close makes. */
const MOST_COMMITS = 20;

test('a close that is killed anywhere leaves the month closed or open, and it can be closed, and the journal is whole', async () => {
  watchProcesses(onTestFinished);
  const { hint } = await refused(await accountAfter(AUTUMN), 'report', 'close', '2025-10');
  const line = wordsOf(hint);
  const ends = { survived: 0, open: 0, closed: 0 };
  // Before a commit, the journal has what it has after the one before it; only what is written beside it may be newer.
  const moments = Array.from({ length: MOST_COMMITS }, (_, index): readonly Moment[] => [
    ...(IS_LONG || index % 4 === 0 ? [{ at: index + 1, when: 'before' } as const] : []),
    { at: index + 1, when: 'after' },
  ]).flat();
  for (const moment of moments) {
    const world = await accountAfter(AUTUMN);
    if (!(await killed(world, line, moment))) {
      ends.survived += 1;
      break;
    }
    expect(await json(world, 'ops', 'journal', 'verify')).toMatchObject({ problem: null });
    const { closed } = JSON.parse((await ran(world, 'report', '2025-10', '-o', 'json', '-q')).stdout);
    ends[closed === null ? 'open' : 'closed'] += 1;
    const again = await ran(world, ...line, '--yes', '-q');
    if (closed) expect(again.stderr).toContain('it is closed');
    else expect({ moment, ...again }).toMatchObject({ code: 0 });
    // What the dead one left does not stand in the way of the next month.
    if (closed && (IS_LONG || ends.closed <= 2)) await closeMonth(world, '2025-11');
  }
  expect(ends.open).toBeGreaterThan(1);
  expect(ends.closed).toBeGreaterThan(0);
  expect(ends.survived).toBeGreaterThan(0);
});
