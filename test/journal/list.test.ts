import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listQuery, type Selection } from '../../src/journal/operations.ts';
import { prepared, testJournal } from '../support/journal-intent.ts';
import { testQueryPlans } from '../support/query-plans.ts';
import { countingIds, fakeClock, START_MS, temporaryFolder } from '../support/sandbox.ts';

const AFTER = { createdAt: new Date(START_MS).toISOString(), operationId: 'x' };

/** Every set of filters that ops list offers. */
const FILTERS: Omit<Selection, 'limit'>[] = [
  undefined,
  'unknown-outcome',
  'known-outcome',
  'accepted',
  'unknown',
].flatMap((state) =>
  [undefined, 'money'].flatMap((kind) =>
    [undefined, 'k'].flatMap((givenIdempotencyKey) =>
      [undefined, START_MS].flatMap((sinceMs) =>
        [undefined, AFTER].map(
          (after) => ({ state, kind, givenIdempotencyKey, sinceMs, after }) as Omit<Selection, 'limit'>,
        ),
      ),
    ),
  ),
);

describe('a page of the list', () => {
  test('is read from an index in the order of the list, whatever the filters are', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder[Symbol.dispose]());
    const path = folder.file('journal.db');
    (await testJournal({ path })).close();
    const database = new DatabaseSync(path);
    onTestFinished(() => database.close());
    const slow = FILTERS.flatMap((filter) => {
      const { sql, values } = listQuery({ ...filter, limit: 20 }, 'sqlite');
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
      const steps = plan.map(({ detail }) => String(detail));
      return steps.length === 1 && / USING INDEX /.test(steps[0] ?? '') ? [] : [{ filter, steps }];
    });
    expect(FILTERS).toHaveLength(80);
    expect(slow).toEqual([]);
  });

  test.each([
    [{ state: 'unknown-outcome' }, 'operation_unknown'],
    [{ state: 'unknown-outcome', kind: 'money' }, 'operation_unknown_by_kind'],
    [{ state: 'accepted', kind: 'money' }, 'operation_by_state_kind'],
    [{ state: 'known-outcome', kind: 'money' }, 'operation_by_kind'],
    [{ state: 'accepted' }, 'operation_by_state'],
    [{}, 'operation_by_time'],
    // Before a payment leaves: equal ones of the last minutes, and those of unknown outcome, which do not add up over the years.
    [{ account: 'a', inputDigest: 'd', state: 'may-have-moved', sinceMs: START_MS }, 'operation_like'],
    [{ account: 'a', inputDigest: 'd', state: 'unknown-outcome' }, 'operation_unknown'],
  ] as const)('with %j is read from %s', async (filter, index) => {
    const folder = temporaryFolder();
    onTestFinished(() => folder[Symbol.dispose]());
    const path = folder.file('journal.db');
    (await testJournal({ path })).close();
    const database = new DatabaseSync(path);
    onTestFinished(() => database.close());
    const { sql, values } = listQuery({ ...filter, limit: 20 }, 'sqlite');
    const [step] = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
    expect(String(step?.['detail'])).toMatch(new RegExp(`USING INDEX ${index}( |$)`));
  });

  test('follows the one before it, also among operations of the same moment', async () => {
    const clock = fakeClock();
    const journal = await testJournal({ ids: countingIds(), clock });
    const ids: string[] = [];
    for (let index = 0; index < 10; index++) {
      if (index % 3 === 0) clock.pass(1);
      ids.push(await prepared(journal));
    }
    const listed: string[] = [];
    for (let page = await journal.list({ limit: 3 }); page.length > 0; ) {
      listed.push(...page.map(({ operationId }) => operationId));
      const after = page.at(-1);
      page = await journal.list({ limit: 3, ...(after ? { after } : {}) });
    }
    expect(listed).toEqual(ids.toReversed());
    journal.close();
  });

  test('starts at a time', async () => {
    const clock = fakeClock();
    const journal = await testJournal({ clock });
    await prepared(journal);
    clock.pass(1_000);
    const later = await prepared(journal);
    const since = async (sinceMs: number) =>
      (await journal.list({ limit: 9, sinceMs })).map(({ operationId }) => operationId);
    expect(await since(START_MS)).toHaveLength(2);
    expect(await since(START_MS + 1)).toEqual([later]);
    expect(await since(START_MS + 1_001)).toEqual([]);
    journal.close();
  });
});

test('operations are counted as they are recorded', async () => {
  const journal = await testJournal();
  expect(await journal.count()).toBe(0);
  for (let count = 0; count < 7; count++) await prepared(journal);
  expect(await journal.count()).toBe(7);
  journal.close();
});

testQueryPlans();
