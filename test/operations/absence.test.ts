import { describe, expect, onTestFinished, test } from 'vitest';
import type { Profile } from '../../src/account/profile.ts';
import type { StoredProfile } from '../../src/account/stored-profile.ts';
import type { Account } from '../../src/engine/account.ts';
import type { Condition } from '../../src/engine/evidence/absence.ts';
import { markOf } from '../../src/engine/evidence/listing.ts';
import { reconcile } from '../../src/engine/evidence/reconcile.ts';
import type { Baseline, Intent } from '../../src/journal/intent.ts';
import type { Operation } from '../../src/journal/operations.ts';
import { INTENT, testJournal } from '../support/journal-intent.ts';
import { fakeClock } from '../support/sandbox.ts';
import { BUSY_MS, START_MS } from './evidence-rig.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface Row {
  readonly id: string;
  /** After the request was sent; a text stands as it is. */
  readonly at: number | string;
  readonly amount?: string;
}

const bridgeRow = ({ id, at, amount = '700' }: Row) => ({
  requestId: id,
  amount,
  status: 'pending',
  createdAt: typeof at === 'string' ? at : new Date(START_MS + at).toISOString(),
});

/** A row from before the request, and one from long after it. */
const OLD: Row = { id: 'old', at: -10 * MINUTE_MS };
const NEW: Row = { id: 'new', at: 90 * MINUTE_MS };
const BEFORE: Baseline['before'] = { ids: [], marks: [markOf('old')], sinceMs: null };

/** Everything that is right, so that a test takes one thing away. */
const RIGHT = {
  mode: 'live' as Profile['mode'],
  unknown: 'auto' as StoredProfile['unknown'],
  baseline: { serviceAtMs: START_MS, hostAheadMs: 0, before: BEFORE } as Baseline,
  /** What the list shows, if asked since a time or for everything. */
  rows: [NEW, OLD] as readonly Row[],
  /** Of these, what it shows if it is asked since a time. */
  ranged: undefined as readonly Row[] | undefined,
  total: undefined as number | undefined,
  hostAheadMs: 0,
  /** How far the journal's clock was ahead when the request was sent. */
  journalAheadMs: 0,
  jumpMs: 0,
  /** How long after the request the first and the last look are. */
  looksAtMs: [91 * MINUTE_MS, 93 * MINUTE_MS] as readonly number[],
  /** Records what another operation did meanwhile. */
  meanwhile: async (_on: On) => {},
};

interface On {
  record(atMs: number, requestId: string | undefined, more?: Partial<Intent>): Promise<string>;
  readonly journal: Awaited<ReturnType<typeof testJournal>>;
}

type Given = Partial<typeof RIGHT>;

/** Looks for a bridge whose request was lost, as often as `looksAtMs` says, and returns what the last look found. */
async function looked(given: Given = {}) {
  const right = { ...RIGHT, ...given };
  const { mode, unknown, rows, total } = right;
  const clock = fakeClock(START_MS);
  const journal = await testJournal({ clock });
  onTestFinished(() => journal.close());
  const stored: StoredProfile = { name: 'p', mode, baseUrl: 'https://s.test', store: { kind: 'file' }, unknown };
  const asked: Readonly<Record<string, unknown>>[] = [];
  // That of a file is this machine's.
  const withJournalClock = async (name: string) =>
    (await journal.find(name)).map(({ baseline, ...each }) => {
      return { ...each, baseline: baseline && { ...baseline, journalAheadMs: right.journalAheadMs } };
    });
  const parts = {
    profile: { mode, stored },
    globals: { timeoutMs: BUSY_MS },
    journal: async () => ({ ...journal, find: withJournalClock }),
    accountNames: async () => INTENT.account,
    time: {
      service: { nowMs: () => clock.now(), hostAheadMs: () => right.hostAheadMs, jumpMs: () => right.jumpMs },
    },
    call: async (_endpoint: unknown, request: { page?: number; startDate?: string }) => {
      asked.push(request);
      const shown = (request.startDate === undefined ? rows : (right.ranged ?? rows))
        .filter((row) => typeof row.at === 'string' || START_MS + row.at <= clock.now())
        .map(bridgeRow);
      const transactions = (request.page ?? 1) === 1 ? shown : [];
      return { data: { transactions, ...(total === undefined ? {} : { pagination: { total } }) } };
    },
  };
  const session = parts as unknown as Account;
  const request = JSON.stringify({ token: 'cngn', amount: 500, fromNetwork: 'base', toNetwork: 'bsc' });
  let keys = 0;
  const record: On['record'] = async (atMs, requestId, more = {}) => {
    clock.set(START_MS + atMs);
    keys += 1;
    const baseline = { ...right.baseline, serviceAtMs: START_MS + atMs };
    const intent: Intent = {
      ...INTENT,
      endpoint: 'bridge.initiate',
      request,
      idempotencyKey: `k-${keys}`,
      baseline,
      ...more,
    };
    const claim = await journal.claim(intent, BUSY_MS);
    if (claim.kind !== 'ours') throw new Error(claim.kind);
    if (requestId !== undefined) await journal.append(claim.operationId, 'accepted', { requestId });
    return claim.operationId;
  };
  const id = await record(0, undefined, { baseline: right.baseline });
  await journal.append(id, 'unknown');
  await right.meanwhile({ record, journal });
  let last: Awaited<ReturnType<typeof reconcile>> | undefined;
  for (const atMs of right.looksAtMs) {
    clock.set(START_MS + atMs);
    const [operation] = await journal.find(id);
    last = await reconcile(session, operation as Operation);
  }
  const [{ state, verdict, detail } = {} as Operation] = await journal.find(id);
  const conditions: readonly Condition[] = last && 'conditions' in last ? last.conditions : [];
  const missing = conditions.filter(({ holds }) => !holds).map(({ name }) => name);
  const lookAgainMs = last && 'lookAgainMs' in last ? last.lookAgainMs : undefined;
  return { found: last?.kind, state, verdict, detail, missing, conditions, asked, lookAgainMs };
}

const NOT_DONE = { found: 'ended', state: 'resolved', verdict: 'not-done' } as const;

/** What the list had before the request. */
const readBefore = (...ids: readonly string[]) =>
  ({ baseline: { ...RIGHT.baseline, before: { ids: [], marks: ids.map(markOf), sinceMs: null } } }) satisfies Given;

describe('a request that is in no list was not done', () => {
  test('if everything holds, and the journal says what showed it', async () => {
    const { detail, asked, ...result } = await looked();
    expect(result).toMatchObject(NOT_DONE);
    expect(detail).toBe('looked for twice, and not found; new came after the request, and is in the list');
    // The whole list is read from an hour before the request on.
    expect(asked.map(({ startDate }) => startDate)).toContain(new Date(START_MS - HOUR_MS).toISOString());
  });

  test.each<[string, Given]>([
    [
      'a sandbox is looked at 10 minutes after it was sent',
      { mode: 'sandbox', looksAtMs: [9.1, 10.6].map(minutes), rows: [at(9), OLD], ...later(9) },
    ],
    [
      'a live account is looked at 60 minutes after it was sent',
      { looksAtMs: [1, 60.6].map(minutes), rows: [at(45), OLD], ...later(45) },
    ],
    ['the first look was long ago', { looksAtMs: [1, 3_000].map(minutes) }],
    ['the list says that it has no more rows, and had none', { ...readBefore(), rows: [NEW], total: 1 }],
    [
      'a row that the list had before is not in what is read as a whole, and the list goes back to it',
      { ranged: [NEW], ...readBefore() },
    ],
    ['an operation of the same kind was sent later, and its row is there', { ...later(45), rows: [at(45), OLD] }],
  ])('if %s', async (_what, given) => {
    expect(await looked(given)).toMatchObject(NOT_DONE);
  });
});

describe('a request that is in no list stays unknown', () => {
  test.each<[string, Given, readonly Condition['name'][]]>([
    ['if the profile leaves it to a person', { unknown: 'ask' }, ['automatic', 'twice']],
    ['after one look', { looksAtMs: [93 * MINUTE_MS] }, ['twice']],
    ['after two looks at once', { looksAtMs: [91 * MINUTE_MS, 91 * MINUTE_MS + 59_999] }, ['twice']],
    [
      'on a live account within 60 minutes',
      { looksAtMs: [1, 60.4].map(minutes), ...later(45), rows: [at(45), OLD] },
      ['twice'],
    ],
    [
      'in a sandbox within 10 minutes',
      { mode: 'sandbox', looksAtMs: [1, 10.4].map(minutes), rows: [at(9), OLD], ...later(9) },
      ['twice'],
    ],
    ['if the list says that it has more rows', { total: 3 }, ['whole', 'twice']],
    [
      'if the list was not read before',
      { baseline: { serviceAtMs: START_MS, hostAheadMs: 0 } },
      ['unchanged', 'current', 'twice'],
    ],
    ['if a row that it had before is missing', readBefore('old', 'gone'), ['unchanged', 'twice']],
    ['if the list may be cut off', { ...readBefore(), rows: [NEW] }, ['back', 'twice']],
    [
      'if the list may be cut off at a row that may be later than the request',
      { ...readBefore(), rows: [NEW, { id: 'a', at: -5_000 }] },
      ['back', 'twice'],
    ],
    ['if it is empty', { rows: [], ...readBefore() }, ['back', 'current', 'twice']],
    ['if nothing in it is later', { rows: [OLD] }, ['current']],
    ['if what is later was there before', readBefore('old', 'new'), ['current']],
    [
      'if what is later may be from the same minute',
      { rows: [{ id: 'new', at: BUSY_MS + HOUR_MS + MINUTE_MS }, OLD] },
      ['current'],
    ],
    ['if what is later has no time', { rows: [{ id: 'new', at: '' }, OLD] }, ['current']],
    ['if what is later has the time of Lagos', { rows: [at(45), OLD] }, ['current']],
    [
      'if what is later has the time of Lagos without a zone',
      { rows: [{ id: 'new', at: new Date(START_MS + minutes(45)).toISOString().slice(0, 19) }, OLD] },
      ['current'],
    ],
    [
      'if the operation that is later was sent at the same time',
      { ...later(BUSY_MS / MINUTE_MS), rows: [at(1), OLD] },
      ['current'],
    ],
    [
      'if the operation that is later is of another kind',
      { ...later(45, { endpoint: 'fees.withdraw' }), rows: [at(45), OLD] },
      ['current'],
    ],
    [
      'if the operation that is later was only found by its likeness',
      { ...later(45, {}, true), rows: [at(45), OLD] },
      ['current'],
    ],
    ['if the row of the operation that is later is not there', { ...later(45), rows: [OLD] }, ['current']],
    ['if this machine’s clock is wrong', { hostAheadMs: 5_001 }, ['clocks']],
    ['if the service’s clock was set forward', { jumpMs: 6_000 }, ['clocks']],
    ['if the service’s clock was set back', { jumpMs: -6_000 }, ['clocks']],
    ['if the service’s clock was set back by hours', { jumpMs: -3 * HOUR_MS }, ['clocks']],
    ['if this machine’s clock was wrong', { baseline: { ...RIGHT.baseline, hostAheadMs: -5_001 } }, ['clocks']],
    ['if the journal’s clock was ahead', { journalAheadMs: 5_001 }, ['clocks']],
    ['if the journal’s clock was behind', { journalAheadMs: -5_001 }, ['clocks']],
    ['if the times of the list contradict its order', { rows: [at(80), OLD, NEW] }, ['clocks']],
  ])('%s', async (_what, given, expected) => {
    const { missing, found, state } = await looked(given);
    expect({ missing, found, state }).toEqual({ missing: expected, found: 'unseen', state: 'unknown' });
  });

  test('if a row is like it, and older than what is looked through: the service’s times may disagree', async () => {
    const older: Row = { id: 'older', at: -48 * HOUR_MS, amount: '500' };
    const baseline = { serviceAtMs: START_MS, hostAheadMs: 0 };
    expect(await looked({ rows: [NEW, OLD, older], ranged: [NEW, OLD], baseline })).toMatchObject({
      found: 'several',
      state: 'unknown',
    });
  });

  test('if a response named work for it that another operation has', async () => {
    const meanwhile = async ({ journal }: On) => {
      const [operation] = await journal.list({ limit: 1 });
      const contradiction = { asked: 'new work', answered: 'request id b-1, which is that of another operation' };
      await journal.noteSearch(operation?.operationId ?? '', { contradiction });
    };
    expect(await looked({ meanwhile })).toMatchObject({ found: 'contradicted', state: 'unknown' });
  });

  test('if only the whole list shows a row that may be it', async () => {
    const like: Row = { id: 'like', at: 3 * MINUTE_MS, amount: '500' };
    expect(await looked({ ranged: [NEW, like, OLD] })).toMatchObject({ found: 'several', state: 'unknown' });
  });
});

test('it is said when to look again, and only while that helps', async () => {
  const visibleMs = START_MS + BUSY_MS + HOUR_MS;
  expect(await looked({ looksAtMs: [MINUTE_MS] })).toMatchObject({ lookAgainMs: visibleMs });
  expect(await looked({ looksAtMs: [MINUTE_MS], unknown: 'ask' })).toMatchObject({ lookAgainMs: visibleMs });
  expect(await looked({ looksAtMs: [91 * MINUTE_MS] })).toMatchObject({ lookAgainMs: START_MS + 92 * MINUTE_MS });
  expect(await looked({ looksAtMs: [91 * MINUTE_MS], unknown: 'ask' })).toMatchObject({ lookAgainMs: undefined });
  expect(await looked({ rows: [OLD] })).toMatchObject({ lookAgainMs: undefined });
});

test('every condition has a sentence, whether it holds or not', async () => {
  for (const given of [
    { rows: [OLD] },
    { unknown: 'ask', total: 9, rows: [], looksAtMs: [MINUTE_MS] },
  ] satisfies Given[]) {
    const { conditions } = await looked(given);
    expect(conditions.map(({ name }) => name)).toEqual([
      'automatic',
      'clocks',
      'whole',
      'unchanged',
      'back',
      'current',
      'twice',
    ]);
    for (const { says } of conditions) expect(says).toMatch(/^\S.{10,}\S$/);
  }
});

function minutes(count: number): number {
  return count * MINUTE_MS;
}

function at(count: number): Row {
  return { id: 'new', at: minutes(count) };
}

/** Another operation is sent these minutes later, and accepted; if `isFound`, only after its outcome was unknown. */
function later(count: number, more: Partial<Intent> = {}, isFound = false): Given {
  return {
    meanwhile: async ({ record, journal }) => {
      const id = await record(minutes(count), isFound ? undefined : 'new', more);
      if (!isFound) return;
      await journal.append(id, 'unknown');
      await journal.take(id, { requestId: 'new', detail: 'found' });
    },
  };
}
