import { beforeEach, describe, expect, test } from 'vitest';
import { journalPath } from '../../../src/account/paths.ts';
import { main } from '../../../src/main.ts';
import { INTENT, prepared, testJournal } from '../../support/journal-intent.ts';
import { countingIds, fakeClock, START_MS } from '../../support/sandbox.ts';
import type { FakeWorld } from '../../support/world.ts';
import { worldAfter } from '../../support/world-after.ts';

let world: FakeWorld;
/** The ids of 60 operations, oldest first. Every fifth is uncertain. */
let ids: readonly string[];
const UNKNOWN = 12;

const afterOperations = worldAfter(async (first) => {
  first.ensurePrivateDir(first.stateDir);
  const clock = fakeClock();
  const journal = await testJournal({ path: journalPath(first), ids: countingIds(), clock });
  const made: string[] = [];
  for (let index = 0; index < 60; index++) {
    clock.pass(60_000);
    const kind = index % 2 === 0 ? 'money' : 'onboarding';
    const id = await prepared(journal, { ...INTENT, kind, idempotencyKey: `k-${index}`, request: '{}' });
    await journal.append(id, 'sent');
    if (index % 5 !== 0) await journal.append(id, 'accepted', { requestId: `r-${index}` });
    made.push(id);
  }
  journal.close();
  return made;
});

beforeEach(async () => {
  ({ world, made: ids } = await afterOperations());
});

async function list(...more: string[]) {
  const before = world.stdout.text().length;
  const code = await main(['ops', 'list', ...more, '-o', 'json', '-q'], world);
  const { operations, pagination } = code === 0 ? JSON.parse(world.stdout.text().slice(before)) : { operations: [] };
  return { code, pagination, ids: (operations as { operationId: string }[]).map(({ operationId }) => operationId) };
}

const newestFirst = (of: readonly string[]) => of.toReversed();
const unknownOutcomes = () => newestFirst(ids.filter((_, index) => index % 5 === 0));
const others = () => newestFirst(ids.filter((_, index) => index % 5 !== 0));

async function pages(...more: string[]): Promise<string[]> {
  const all: string[] = [];
  for (let cursor: string[] = []; ; ) {
    const page = await list(...more, ...cursor);
    all.push(...page.ids);
    expect(page.pagination.hasMore).toBe(page.pagination.after !== null);
    if (page.pagination.after === null) return all;
    cursor = ['--after', page.pagination.after];
  }
}

describe('ops list', () => {
  test.each(['1', '5', '7', '12', '13', '100'])(
    'reads every operation once in pages of %s, unknown outcomes first',
    async (limit) => {
      expect(await pages('--limit', limit)).toEqual([...unknownOutcomes(), ...others()]);
    },
  );

  test.each([['--all'], ['--all', '--limit', '7'], ['--all', '--limit', '6']])(
    '%s %s %s prints the same as one list',
    async (...flags) => {
      expect((await list(...flags.filter((flag) => flag !== undefined))).ids).toEqual([
        ...unknownOutcomes(),
        ...others(),
      ]);
    },
  );

  test('--all continues after an operation', async () => {
    const { after } = (await list('--limit', String(UNKNOWN + 1))).pagination;
    expect((await list('--all', '--after', after)).ids).toEqual(others().slice(1));
  });

  test('a page goes on after an unknown outcome that has ended since, and leaves out no other one', async () => {
    const first = await list('--limit', '3');
    const journal = await testJournal({ path: journalPath(world), ids: countingIds(2) });
    await journal.append(first.ids[2] ?? '', 'accepted', { requestId: 'r' });
    journal.close();
    const rest = (await list('--all', '--after', first.pagination.after)).ids;
    expect(rest.slice(0, UNKNOWN - 3)).toEqual(unknownOutcomes().slice(3));
  });

  test.each([
    [['--status', 'unknown'], (index: number) => index % 5 === 0],
    [['--status', 'unknown', '--kind', 'onboarding'], (index: number) => index % 5 === 0 && index % 2 === 1],
    [['--status', 'accepted'], (index: number) => index % 5 !== 0],
    [['--status', 'accepted', '--kind', 'money'], (index: number) => index % 5 !== 0 && index % 2 === 0],
    [['--status', 'failed'], () => false],
    [['--once', 'k-7'], (index: number) => index === 7],
    [['--once', 'k-7', '--status', 'sent'], () => false],
  ])('%j prints only those, also in pages', async (filter, isWanted) => {
    const wanted = newestFirst(ids.filter((_, index) => isWanted(index)));
    expect((await list(...filter, '--limit', '100')).ids).toEqual(wanted);
    expect(await pages(...filter, '--limit', '3')).toEqual(wanted);
  });

  test('--since prints what was recorded since then, unknown outcomes first', async () => {
    const since = new Date(START_MS + 51 * 60_000).toISOString();
    const recent = (of: readonly string[]) => of.filter((id) => ids.indexOf(id) >= 50);
    expect((await list('--since', since)).ids).toEqual([...recent(unknownOutcomes()), ...recent(others())]);
    expect((await list('--since', since, '--status', 'accepted')).ids).toEqual(recent(others()));
    expect((await list('--since', '2030-01-01')).ids).toEqual([]);
    const earlier = (of: readonly string[]) => of.filter((id) => ids.indexOf(id) < 50);
    expect((await list('--until', since, '--all')).ids).toEqual([...earlier(unknownOutcomes()), ...earlier(others())]);
  });

  test('an unknown outcome is on the first page, however many newer operations there are', async () => {
    expect((await list()).ids.slice(0, UNKNOWN)).toEqual(unknownOutcomes());
  });

  test('--all prints an operation once that ends while the list is read, and hides no unknown outcome', async () => {
    const journal = await testJournal({ path: journalPath(world), ids: countingIds(2) });
    const printed: string[] = [];
    const stdout = {
      ...world.stdout,
      write: async (text: string) => {
        const page = text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).operationId as string);
        printed.push(...page);
        if (printed.length <= UNKNOWN) await journal.append(page.at(-1) ?? '', 'accepted', { requestId: 'r' });
      },
    };
    expect(await main(['ops', 'list', '--all', '--limit', '4', '-o', 'ndjson', '-q'], { ...world, stdout })).toBe(0);
    journal.close();
    expect(printed).toEqual([...unknownOutcomes(), ...others()]);
  });

  test.each([
    [['--after', 'nothing'], '--after: invalid cursor'],
    [['--since', 'last week'], 'invalid date'],
  ])('%j is an error', async (flags, says) => {
    expect((await list(...flags)).code).toBe(2);
    expect(world.stderr.text()).toContain(says);
  });
});
