import { readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Ids } from '../../src/base/world.ts';
import { type Intent, type Journal, type OperationState, openJournal } from '../../src/journal/journal.ts';
import { countingIds, fakeClock, START_MS, temporaryFolder } from '../support/sandbox.ts';

const intent: Intent = {
  profile: 'sandbox',
  mode: 'embedded',
  baseUrl: 'http://sandbox.invalid/v1',
  endpoint: 'transactions.onramp',
  effect: 'money',
  command: 'fiatrail onramp start',
  summary: 'onramp of ₦5,000.00 for user 4f1c',
  request: '{"userId":"4f1c","amount":5000}',
};

const iso = (timeMs: number) => new Date(timeMs).toISOString();
const open = (path = ':memory:', ids = countingIds(), clock = fakeClock()) => openJournal(path, clock, ids);

type Event = 'sent' | 'accepted' | 'refused' | 'unknown';

/** Applies an event to an operation. Throws if the journal does not allow it. */
const apply: Readonly<Record<Event, (journal: Journal, id: string) => void>> = {
  sent: (journal, id) => journal.sent(id),
  accepted: (journal, id) => journal.accepted(id, 'request-1'),
  refused: (journal, id) => journal.refused(id, 'rejected'),
  unknown: (journal, id) => journal.unknown(id, 'no response'),
};

/** The events that lead to a state. */
const PATHS: Readonly<Record<OperationState, readonly Event[]>> = {
  prepared: [],
  sent: ['sent'],
  accepted: ['sent', 'accepted'],
  refused: ['sent', 'refused'],
  unknown: ['sent', 'unknown'],
};

const STATES = Object.keys(PATHS) as OperationState[];
const EVENTS = Object.keys(apply) as Event[];

/** The events allowed in each state. A response is final; before sending, only a refusal is possible. */
const ALLOWED: Readonly<Record<OperationState, readonly Event[]>> = {
  prepared: ['sent', 'refused'],
  sent: ['accepted', 'refused', 'unknown'],
  accepted: [],
  refused: [],
  unknown: [],
};

const pairs = STATES.flatMap((state) =>
  EVENTS.map((event) => ({ state, event, to: ALLOWED[state].includes(event) ? event : 'an error' })),
);

function operationAt(journal: Journal, state: OperationState): string {
  const id = journal.prepare(intent);
  for (const event of PATHS[state]) apply[event](journal, id);
  return id;
}

function only(journal: Journal, id: string) {
  const found = journal.find(id);
  expect(found).toHaveLength(1);
  const [operation] = found;
  if (!operation) throw new Error('not found');
  return operation;
}

describe('an operation', () => {
  test.each(pairs)('moves from $state by $event to $to', async ({ state, event, to }) => {
    const journal = await open();
    const id = operationAt(journal, state);
    const before = only(journal, id);
    const act = () => apply[event](journal, id);
    if (to === 'an error') {
      expect(act).toThrow(id);
      expect(only(journal, id)).toEqual(before);
    } else {
      act();
      expect(only(journal, id).state).toBe(event);
    }
    journal.close();
  });

  test('cannot be sent if it was not prepared', async () => {
    const journal = await open();
    expect(() => journal.sent('nothing')).toThrow('nothing');
    expect(journal.list(10)).toEqual([]);
    journal.close();
  });

  test('records the intent, the times and the outcome', async () => {
    const clock = fakeClock();
    const journal = await open(':memory:', countingIds(), clock);
    const id = journal.prepare(intent);
    expect(only(journal, id)).toEqual({
      ...intent,
      operationId: id,
      state: 'prepared',
      requestId: null,
      detail: null,
      createdAt: iso(START_MS),
      updatedAt: iso(START_MS),
    });
    clock.pass(1500);
    journal.sent(id);
    clock.pass(1);
    journal.accepted(id, 'request-9');
    expect(only(journal, id)).toMatchObject({
      state: 'accepted',
      requestId: 'request-9',
      detail: null,
      createdAt: iso(START_MS),
      updatedAt: iso(START_MS + 1501),
    });
    journal.close();
  });

  test.each([
    ['accepted without an id', 'accepted', null],
    ['refused', 'refused', 'rejected'],
    ['unknown', 'unknown', 'no response'],
  ] as const)('is stored without a request id when %s', async (_what, state, detail) => {
    const journal = await open();
    const id = operationAt(journal, 'sent');
    if (state === 'accepted') journal.accepted(id, undefined);
    else apply[state](journal, id);
    expect(only(journal, id)).toMatchObject({ state, requestId: null, detail });
    journal.close();
  });

  test('does not change other operations', async () => {
    const journal = await open();
    const [first, second] = [operationAt(journal, 'sent'), operationAt(journal, 'sent')];
    journal.refused(first, 'no');
    expect(only(journal, second)).toMatchObject({ state: 'sent', detail: null });
    journal.close();
  });

  test('stores any text unchanged', async () => {
    const journal = await open();
    const summary = `'); DROP TABLE operation; -- "₦" \u0000 🙂 \n`;
    const id = journal.prepare({ ...intent, summary });
    expect(only(journal, id).summary).toBe(summary);
    journal.close();
  });
});

describe('the journal file', () => {
  test('keeps every state when it is closed and reopened', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    const first = await open(path);
    const made = STATES.map((state) => [operationAt(first, state), state]);
    const before = first.list(100);
    first.close();
    const second = await open(path, countingIds(2));
    expect(second.list(100)).toEqual(before);
    expect(before.map(({ operationId, state }) => [operationId, state]).reverse()).toEqual(made);
    second.close();
  });

  test('contains a prepared operation before the next call', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    const [writer, reader] = [await open(path), await open(path, countingIds(2))];
    const id = writer.prepare(intent);
    expect(only(reader, id).state).toBe('prepared');
    writer.sent(id);
    expect(only(reader, id).state).toBe('sent');
    writer.close();
    reader.close();
  });

  test('is shared by two processes, which can continue each other’s operations', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    const [first, second] = [await open(path), await open(path, countingIds(2))];
    const ids = Array.from({ length: 20 }, (_each, index) => (index % 2 ? first : second).prepare(intent));
    for (const id of ids) first.sent(id);
    for (const id of ids) second.accepted(id, id);
    expect(first.list(100)).toHaveLength(20);
    expect(new Set(first.list(100).map(({ requestId }) => requestId))).toEqual(new Set(ids));
    first.close();
    second.close();
  });

  test('is readable by its owner only', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    const journal = await open(path);
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
    journal.close();
  });

  test('stores the request as given, because redaction is the caller’s job', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    const journal = await open(path);
    journal.prepare({ ...intent, request: '{"bvn":"[redacted]"}' });
    journal.prepare({ ...intent, request: '{"bvn":"98765432109"}' });
    journal.close();
    const bytes = readFileSync(path).toString('latin1');
    expect(bytes).toContain('[redacted]');
    expect(bytes).toContain('98765432109');
  });
});

describe('list', () => {
  test('returns the newest operations first, up to the limit', async () => {
    const journal = await open();
    const ids = Array.from({ length: 5 }, () => journal.prepare(intent));
    expect(journal.list(3).map(({ operationId }) => operationId)).toEqual(ids.reverse().slice(0, 3));
    expect(journal.list(100)).toHaveLength(5);
    journal.close();
  });
});

/** Returns these ids in order. */
function listedIds(ids: readonly string[]): Ids {
  const left = [...ids];
  return { ...countingIds(), uuid: () => left.shift() ?? 'no more' };
}

const finds: [prefix: string, found: string[]][] = [
  ['0198c1f2-0000-7000-8000-000000000001', ['0198c1f2-0000-7000-8000-000000000001']],
  ['0198c1f2-0', ['0198c1f2-0000-7000-8000-000000000001']],
  ['0198c1f2', ['0198c1f2-0000-7000-8000-000000000001', '0198c1f2-1111-7000-8000-000000000002']],
  ['0198c1f3', ['0198c1f3-0000-7000-8000-000000000003']],
  ['0198c1f2-0000-7000-8000-0000000000011', []],
  ['198c1f2', []],
  ['0198C1F2', []],
  ['%', []],
  ['_', []],
  ['0198c1f2-0000-7000-8000-00000000000_', []],
];

describe('find', () => {
  test.each(finds)('finds operations by the prefix %s', async (prefix, found) => {
    const ids = listedIds([
      '0198c1f2-0000-7000-8000-000000000001',
      '0198c1f2-1111-7000-8000-000000000002',
      '0198c1f3-0000-7000-8000-000000000003',
    ]);
    const journal = await open(':memory:', ids);
    for (let count = 0; count < 3; count++) journal.prepare(intent);
    expect(journal.find(prefix).map(({ operationId }) => operationId)).toEqual(found);
    journal.close();
  });
});

describe('a key rotation', () => {
  const plan = (operationId: string) => ({
    operationId,
    keyPlace: 'its file',
    oldFingerprint: '0a1b',
    pushes: ['a', 'b'],
  });

  test('moves with its operation, and only from its current stage', async () => {
    const journal = await open();
    expect(journal.prepareRotation(intent, plan('r-1'))).toBe(true);
    const states = () => [journal.rotations.find('r-1')?.stage, only(journal, 'r-1').state];
    expect(journal.moveRotation('r-1', 'sending', 'answered')).toBe(false);
    expect(states()).toEqual(['prepared', 'prepared']);
    for (const [from, to, state] of [
      ['prepared', 'sending', 'sent'],
      ['sending', 'answered', 'accepted'],
      ['answered', 'stored', 'accepted'],
      ['stored', 'proven', 'accepted'],
      ['proven', 'done', 'accepted'],
    ] as const) {
      expect(journal.moveRotation('r-1', from, to)).toBe(true);
      expect(journal.moveRotation('r-1', from, to)).toBe(false);
      expect(states()).toEqual([to, state]);
    }
    journal.close();
  });

  test('is the only open one of its account', async () => {
    const journal = await open();
    expect(journal.prepareRotation(intent, plan('r-1'))).toBe(true);
    expect(journal.prepareRotation(intent, plan('r-2'))).toBe(false);
    expect(journal.prepareRotation({ ...intent, profile: 'another' }, plan('r-3'))).toBe(true);
    expect(journal.moveRotation('r-1', 'prepared', 'refused', 'rejected')).toBe(true);
    expect(only(journal, 'r-1')).toMatchObject({ state: 'refused', detail: 'rejected' });
    expect(journal.prepareRotation(intent, plan('r-2'))).toBe(true);
    expect(journal.find('r-2')).toHaveLength(1);
    journal.close();
  });

  test('keeps the push commands that succeeded when the others are replaced', async () => {
    const journal = await open();
    journal.prepareRotation(intent, plan('r-1'));
    journal.rotations.pushed('r-1', 1);
    journal.rotations.pushInstead('r-1', ['c', 'd']);
    expect(journal.rotations.find('r-1')).toMatchObject({ pushes: ['a', 'c', 'd'], pushed: 1 });
    journal.close();
  });
});
