import { describe, expect, test } from 'vitest';
import { evidenceOf, ownerOf } from '../../src/engine/evidence/evidence.ts';
import type { Baseline } from '../../src/journal/intent.ts';
import { testQueryPlans } from '../support/query-plans.ts';
import { BUSY_MS, idsOf, type ListedRow, requestOf, rig, START_MS, work } from './evidence-rig.ts';

const row = (id: string, atMs: number | null, more: Partial<ListedRow> = {}): ListedRow => ({ id, atMs, ...more });

type Rig = Awaited<ReturnType<typeof rig>>;

/** What is decided about an operation: the row that it gets, or why it gets none. */
async function decided({ session, find }: Rig, id: string, of = work()): Promise<string> {
  const operation = await find(id);
  const found = await evidenceOf(session, of, operation);
  const owner = await ownerOf(session, of, operation, found);
  return owner.kind === 'own' ? owner.row.requestId : owner.kind;
}

/** What is decided about operations one after the other, as often as a decision still changes anything. */
async function allDecided(on: Rig, ids: readonly string[]): Promise<readonly (string | undefined)[]> {
  const ends = new Map<string, string>();
  for (let pass = 0; pass <= ids.length; pass++)
    for (const id of ids) {
      if ((await on.find(id)).state === 'accepted') continue;
      const end = await decided(on, id);
      ends.set(id, end);
      if (!WORDS.has(end)) expect(await on.journal.take(id, { requestId: end, detail: 'found' })).toBe(true);
    }
  return ids.map((id) => ends.get(id));
}

const WORDS: ReadonlySet<string> = new Set(['none', 'busy', 'unclear']);

/** Which rows may be an operation's. */
async function candidates(on: Rig, id: string): Promise<readonly string[]> {
  return idsOf((await evidenceOf(on.session, work(), await on.find(id))).candidates);
}

const DAY_MS = 24 * 3_600_000;

describe('the time of a row, of which nobody knows whether the list had it before', () => {
  test.each<[string, number | null, string]>([
    ['in the middle', 10_000, 'r'],
    ['2 s before the service’s time at the request', -2_000, 'r'],
    ['more than 2 s before it', -2_001, 'unclear'],
    ['2 s after the command stopped waiting', BUSY_MS + 2_000, 'r'],
    ['more than 2 s after it', BUSY_MS + 2_001, 'unclear'],
    ['unknown', null, 'unclear'],
    ['as old as clocks may differ', -5_000, 'unclear'],
    ['older', -5_001, 'unclear'],
    ['a day older', -DAY_MS - 5_000, 'unclear'],
    ['more than a day older', -DAY_MS - 5_001, 'none'],
  ])('%s', async (_what, atMs, expected) => {
    const on = await rig();
    const id = await on.unknownOutcome();
    on.list(row('r', atMs));
    expect(await decided(on, id)).toBe(expected);
  });

  test('is compared with the service’s time alone: a journal whose clock is an hour ahead changes nothing', async () => {
    const on = await rig();
    const id = await on.unknownOutcome({
      atMs: 3_600_000,
      baseline: { serviceAtMs: START_MS, hostAheadMs: 3_600_000 },
    });
    on.list(row('r', 1_000));
    expect(await decided(on, id)).toBe('r');
    on.list(row('r', 3_601_000));
    expect(await decided(on, id)).toBe('unclear');
  });

  test('proves nothing if the service’s time at the request is not known', async () => {
    const on = await rig();
    const id = await on.unknownOutcome({ baseline: null });
    on.list(row('r', 1_000));
    expect(await decided(on, id)).toBe('unclear');
  });

  test.each<[string, number, string[]]>([
    ['within a day before the journal’s time', -DAY_MS - 5_000, ['r']],
    ['longer before it', -DAY_MS - 5_001, []],
  ])('is looked for %s then', async (_what, atMs, expected) => {
    const on = await rig();
    const id = await on.unknownOutcome({ baseline: null });
    on.list(row('r', atMs));
    expect(await candidates(on, id)).toEqual(expected);
  });
});

test.each<[string, Baseline, string | undefined, readonly string[]]>([
  ['is kept', {}, undefined, ['r']],
  ['is nothing if an operation has it', {}, 'r', []],
  ['is nothing if the list had it', { before: { ids: ['r'], sinceMs: null } }, undefined, []],
  [
    'is nothing if the list, which was read, went back less far',
    { before: { ids: [], sinceMs: START_MS } },
    undefined,
    [],
  ],
])('a row from before the time that is looked through %s', async (_what, baseline, taken, ids) => {
  const on = await rig();
  const id = await on.unknownOutcome({ baseline });
  if (taken !== undefined) await on.journal.take(await on.unknownOutcome(), { requestId: taken, detail: 'found' });
  on.list(row('r', -2 * DAY_MS));
  const found = await evidenceOf(on.session, work(), await on.find(id));
  expect([idsOf(found.candidates), idsOf(found.older ?? [])]).toEqual([[], ids]);
});

test.each([
  [5_000, 'r'],
  [5_001, 'unclear'],
])('of two requests, between which a clock was set by %i ms, the first gets: %s', async (setMs, expected) => {
  const on = await rig();
  const [one] = [
    await on.unknownOutcome(),
    await on.unknownOutcome({ atMs: 3_600_000, baseline: { hostAheadMs: setMs } }),
  ];
  on.list(row('r', 1_000));
  expect(await decided(on, one)).toBe(expected);
});

describe('a list that was read before the request', () => {
  const HOUR_MS = 3_600_000;

  test.each<[string, { ids: string[]; sinceMs: number | null } | undefined, ListedRow, string]>([
    ['had the row', { ids: ['r'], sinceMs: null }, row('r', 1_000), 'none'],
    ['had the row, which has no time', { ids: ['r'], sinceMs: null }, row('r', null), 'none'],
    ['had another one', { ids: ['q'], sinceMs: null }, row('r', 1_000), 'r'],
    ['was whole, and lacked a row of an hour ago', { ids: [], sinceMs: null }, row('r', -HOUR_MS), 'unclear'],
    ['went back beyond a row that it lacked', { ids: [], sinceMs: START_MS - HOUR_MS }, row('r', -HOUR_MS), 'unclear'],
    ['did not go back to a row', { ids: [], sinceMs: START_MS - HOUR_MS }, row('r', -HOUR_MS - 1), 'none'],
    [
      'was whole, and had another row, older than the request',
      { ids: ['q'], sinceMs: null },
      row('q', -HOUR_MS),
      'none',
    ],
    ['could not be read', undefined, row('r', -HOUR_MS), 'unclear'],
  ])('and %s', async (_what, before, shown, expected) => {
    const on = await rig();
    const id = await on.unknownOutcome({ baseline: { before } });
    on.list(shown);
    expect(await decided(on, id)).toBe(expected);
  });

  test('does not keep a row with the tag from being found', async () => {
    const on = await rig();
    const id = await on.unknownOutcome({ tag: 'fr-1', baseline: { before: { ids: ['r'], sinceMs: null } } });
    on.list(row('r', -HOUR_MS, { text: 'fr-1' }));
    expect(await decided(on, id)).toBe('r');
  });
});

describe('a row with the tag', () => {
  test.each<[string, ListedRow[], string]>([
    ['counts before one that is equal', [row('a', 1_000), row('b', 2_000, { text: 'x fr-1 y' })], 'b'],
    ['counts whatever it says', [row('a', 1_000, { amount: 1, text: 'fr-1' })], 'a'],
    ['counts whatever its time', [row('a', 90_000, { text: 'fr-1' })], 'a'],
    [
      'does not count if there are two',
      [row('a', 1_000, { text: 'fr-1' }), row('b', 2_000, { text: 'fr-1' })],
      'unclear',
    ],
  ])('%s', async (_what, rows, expected) => {
    const on = await rig();
    const id = await on.unknownOutcome({ tag: 'fr-1' });
    on.list(...rows);
    expect(await decided(on, id)).toBe(expected);
  });
});

test('a row that another operation has is not a candidate', async () => {
  const on = await rig();
  const [one, other] = [await on.unknownOutcome(), await on.unknownOutcome()];
  on.list(row('r', 1_000));
  expect(await on.journal.take(one, { requestId: 'r', detail: 'found' })).toBe(true);
  expect(await decided(on, other)).toBe('none');
});

describe('a profile whose user is asked', () => {
  const marks = async () =>
    rig({
      mode: 'sandbox',
      stored: { name: 'p', mode: 'sandbox', baseUrl: 'https://s.test', store: { kind: 'file' }, unknown: 'ask' },
    });

  test('is shown an equal row', async () => {
    const on = await marks();
    const id = await on.unknownOutcome();
    on.list(row('r', 1_000));
    expect(await decided(on, id)).toBe('unclear');
  });

  test('finds a row with the tag', async () => {
    const on = await marks();
    const id = await on.unknownOutcome({ tag: 'fr-1' });
    on.list(row('r', 1_000, { text: 'fr-1' }));
    expect(await decided(on, id)).toBe('r');
  });
});

test('a row that can only be compared in part is shown to a person', async () => {
  const on = await rig();
  const id = await on.unknownOutcome();
  on.list(row('r', 1_000));
  expect(await decided(on, id, work({ isPartial: true }))).toBe('unclear');
});

describe('equal requests of unknown outcome', () => {
  /** Requests at these times. */
  const unknownOutcomes = async (on: Rig, ...times: readonly number[]) => {
    const ids: string[] = [];
    for (const atMs of times) ids.push(await on.unknownOutcome({ atMs }));
    return ids;
  };

  test.each<[string, number[], ListedRow[], string[]]>([
    ['get a row that only one of them may have made', [0, 60_000], [row('a', 1_000)], ['a', 'none']],
    ['get no row that is older than they are', [0, 60_000], [row('b', 61_000)], ['none', 'b']],
    ['leave a row that any of them may have made to a person', [0, 100], [row('a', 1_000)], ['unclear', 'unclear']],
    ['do so with a row each', [0, 100], [row('b', 2_000), row('a', 1_000)], ['unclear', 'unclear']],
    ['get none without rows', [0, 100], [], ['none', 'none']],
  ])('%s', async (_what, times, rows, expected) => {
    for (const inOrder of [(ids: string[]) => ids, (ids: string[]) => ids.toReversed()]) {
      const on = await rig();
      const ids = await unknownOutcomes(on, ...times);
      on.list(...rows);
      expect(await allDecided(on, inOrder(ids))).toEqual(inOrder(expected));
    }
  });

  test('wait for one whose command still runs', async () => {
    const on = await rig();
    const id = await on.unknownOutcome();
    await on.unknownOutcome({ atMs: 100, isBusy: true });
    on.list(row('a', 1_000));
    expect(await decided(on, id)).toBe('busy');
    on.clock.pass(BUSY_MS + 1);
    expect(await decided(on, id)).toBe('unclear');
  });

  const tagged = (tag: string) => ({ tag, request: requestOf(500, { note: tag }) });

  test('lose a row to the tag of another', async () => {
    const on = await rig();
    const ids = [await on.unknownOutcome(tagged('fr-1')), await on.unknownOutcome({ atMs: 5_000, ...tagged('fr-2') })];
    on.list(row('b', 6_000, { text: 'fr-2' }));
    expect(await allDecided(on, ids)).toEqual(['none', 'b']);
  });

  test('without the service’s time take no row from another, nor give it one', async () => {
    const on = await rig();
    const old = await on.unknownOutcome({ baseline: null });
    const id = await on.unknownOutcome({ atMs: 100 });
    on.list(row('a', 1_000));
    expect(await allDecided(on, [old, id])).toEqual(['unclear', 'unclear']);
  });
});

describe('different requests of unknown outcome', () => {
  const other = requestOf(500, { note: 'other' });

  test.each<[string, Parameters<Rig['unknownOutcome']>[0], string]>([
    ['that share the row', { request: other }, 'unclear'],
    ['that share the row, and of which one lacks the service’s time', { request: other, baseline: null }, 'unclear'],
    ['whose time is another', { request: other, atMs: 60_000 }, 'a'],
    ['of another amount', { request: requestOf(700) }, 'a'],
    ['of another kind of work', { request: requestOf(500), endpoint: 'transactions.onramp' }, 'a'],
  ])('%s', async (_what, competing, expected) => {
    const on = await rig();
    const id = await on.unknownOutcome();
    await on.unknownOutcome(competing);
    on.list(row('a', 1_000));
    expect(await decided(on, id)).toBe(expected);
  });
});

test('two equal rows of one request are shown to a person', async () => {
  const on = await rig();
  const id = await on.unknownOutcome();
  on.list(row('a', 1_000), row('b', 2_000));
  expect(await decided(on, id)).toBe('unclear');
});

testQueryPlans();
