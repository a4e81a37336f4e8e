import { describe, expect, test } from 'vitest';
import type { Journal } from '../../src/journal/interface.ts';
import type { OperationState } from '../../src/journal/states.ts';
import { INTENT, journals, prepared, testJournal } from '../support/journal-intent.ts';
import { countingIds, fakeClock, START_MS, temporaryFolder } from '../support/sandbox.ts';

const iso = (timeMs: number) => new Date(timeMs).toISOString();
const open = (path = ':memory:', ids = countingIds(), clock = fakeClock()) => testJournal({ path, ids, clock });

/** The states that lead to each state. */
const PATHS: Readonly<Record<OperationState, readonly OperationState[]>> = {
  prepared: [],
  sent: ['sent'],
  accepted: ['sent', 'accepted'],
  settled: ['sent', 'accepted', 'settled'],
  failed: ['sent', 'accepted', 'failed'],
  rejected: ['sent', 'rejected'],
  unknown: ['sent', 'unknown'],
  resolved: ['sent', 'unknown', 'resolved'],
};

const STATES = Object.keys(PATHS) as OperationState[];

/** The states that may follow each state, written here a second time. */
const ALLOWED: Readonly<Record<OperationState, readonly OperationState[]>> = {
  prepared: ['sent', 'rejected'],
  sent: ['sent', 'accepted', 'settled', 'failed', 'rejected', 'unknown', 'resolved'],
  accepted: ['settled', 'failed', 'resolved'],
  settled: ['failed'],
  failed: [],
  rejected: [],
  unknown: ['unknown', 'sent', 'accepted', 'settled', 'failed', 'rejected', 'resolved'],
  resolved: [],
};

const pairs = STATES.flatMap((state) =>
  STATES.map((next) => ({ state, next, to: ALLOWED[state].includes(next) ? next : 'an error' })),
);

const move = (journal: Journal, id: string, state: OperationState) =>
  state === 'sent' ? journal.append(id, 'sent') : journal.append(id, state);

async function operationAt(journal: Journal, state: OperationState): Promise<string> {
  const id = await prepared(journal);
  for (const next of PATHS[state]) await move(journal, id, next);
  return id;
}

async function only(journal: Journal, id: string) {
  const found = await journal.find(id);
  expect(found).toHaveLength(1);
  const [operation] = found;
  if (!operation) throw new Error('not found');
  return operation;
}

describe('an operation', () => {
  test.each(pairs)('moves from $state to $next: $to', async ({ state, next, to }) => {
    const journal = await open();
    const id = await operationAt(journal, state);
    const before = await only(journal, id);
    const act = () => move(journal, id, next);
    if (to === 'an error') {
      await expect(act()).rejects.toThrow(id);
      expect(await only(journal, id)).toEqual(before);
    } else {
      await act();
      expect((await only(journal, id)).state).toBe(next);
    }
    journal.close();
  });

  test.each<OperationState[]>([
    ['accepted', 'settled'],
    ['accepted', 'settled', 'failed'],
    ['accepted', 'failed'],
    ['unknown', 'unknown'],
    ['unknown', 'settled'],
  ])('keeps what the service said of it: %s, %s, %s', async (...states) => {
    const journal = await open();
    const id = await operationAt(journal, 'sent');
    const [first = 'unknown', ...rest] = states;
    await journal.append(id, first, { requestId: 'r-1', result: '{"a":1}' });
    for (const state of rest) await journal.append(id, state, { detail: 'looked again' });
    expect(await only(journal, id)).toMatchObject({
      state: states.filter(Boolean).at(-1),
      requestId: 'r-1',
      result: '{"a":1}',
      detail: 'looked again',
    });
    journal.close();
  });

  test.each(['accepted', 'settled', 'failed'] as const)(
    'of unknown outcome does not take the request that another one has, which is %s',
    async (state) => {
      const journal = await open();
      const other = await prepared(journal);
      await journal.append(other, 'sent');
      await journal.append(other, 'accepted', { requestId: 'r-1' });
      if (state !== 'accepted') await journal.append(other, state);
      const id = await operationAt(journal, 'unknown');
      expect(await journal.take(id, { requestId: 'r-1', detail: 'found' })).toBe(false);
      expect(await only(journal, id)).toMatchObject({ state: 'unknown', requestId: null });
      expect(await journal.take(id, { requestId: 'r-2', detail: 'found' })).toBe(true);
      expect(await only(journal, id)).toMatchObject({ state: 'accepted', requestId: 'r-2' });
      journal.close();
    },
  );

  test('cannot be sent if it was not prepared', async () => {
    const journal = await open();
    await expect(journal.append('nothing', 'sent')).rejects.toThrow('nothing');
    expect(await journal.list({ limit: 10 })).toEqual([]);
    journal.close();
  });

  test('records the intent, the times and the outcome', async () => {
    const clock = fakeClock();
    const journal = await open(':memory:', countingIds(), clock);
    const id = await prepared(journal, { idempotencyKey: 'fees-2026-11' });
    const { account: _names, input: _input, ...intent } = INTENT;
    const operation = await only(journal, id);
    expect(operation).toEqual({
      ...intent,
      operationId: id,
      state: 'prepared',
      verdict: null,
      requestId: null,
      detail: null,
      result: null,
      searchState: {},
      moves: null,
      baseline: null,
      authority: null,
      tag: null,
      idempotencyKey: 'fees-2026-11',
      runBy: 'ada',
      host: expect.stringMatching(/^host-1(?:\/|$)/),
      processId: 100,
      busyUntil: START_MS + 60_000,
      account: operation.account,
      inputDigest: journal.digest(String(INTENT.input)),
      createdAt: iso(START_MS),
      updatedAt: iso(START_MS),
    });
    clock.pass(1500);
    await journal.append(id, 'sent');
    clock.pass(1);
    await journal.append(id, 'accepted', { requestId: 'request-9' });
    expect(await only(journal, id)).toMatchObject({
      state: 'accepted',
      requestId: 'request-9',
      detail: null,
      createdAt: iso(START_MS),
      updatedAt: iso(START_MS + 1501),
    });
    journal.close();
  });

  test.each(['accepted', 'rejected', 'unknown'] as const)('is stored without a request id when %s', async (state) => {
    const journal = await open();
    const id = await operationAt(journal, 'sent');
    await journal.append(id, state, { detail: 'why' });
    expect(await only(journal, id)).toMatchObject({ state, requestId: null, detail: 'why' });
    journal.close();
  });

  test('keeps its request id and its result when it ends', async () => {
    const journal = await open();
    const id = await operationAt(journal, 'sent');
    await journal.append(id, 'accepted', { requestId: 'r-1', result: '{"a":1}' });
    await journal.append(id, 'settled');
    expect(await only(journal, id)).toMatchObject({ state: 'settled', requestId: 'r-1', result: '{"a":1}' });
    journal.close();
  });

  test('does not change other operations', async () => {
    const journal = await open();
    const [first, second] = [await operationAt(journal, 'sent'), await operationAt(journal, 'sent')];
    await journal.append(first, 'rejected', { detail: 'no' });
    expect(await only(journal, second)).toMatchObject({ state: 'sent', detail: null });
    journal.close();
  });

  test('stores any text unchanged', async () => {
    const journal = await open();
    const summary = `'); DROP TABLE operation; -- "₦" \u0000 🙂 \n`;
    const id = await prepared(journal, { summary });
    // No text of PostgreSQL has a NUL.
    const stored = journals.engine === 'postgres' ? summary.replace('\0', '\u{FFFD}') : summary;
    expect((await only(journal, id)).summary).toBe(stored);
    journal.close();
  });
});

describe('a journal', () => {
  test('keeps every state when it is closed and reopened', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    const first = await open(path);
    const made: [id: string, state: OperationState][] = [];
    for (const state of STATES) made.push([await operationAt(first, state), state]);
    const before = await first.list({ limit: 100 });
    first.close();
    const second = await open(path, countingIds(2));
    expect(await second.list({ limit: 100 })).toEqual(before);
    expect(before.map(({ operationId, state }) => [operationId, state]).reverse()).toEqual(made);
    second.close();
  });

  test('contains a prepared operation before the next call', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    const [writer, reader] = [await open(path), await open(path, countingIds(2))];
    const id = await prepared(writer);
    expect((await only(reader, id)).state).toBe('prepared');
    await writer.append(id, 'sent');
    expect((await only(reader, id)).state).toBe('sent');
    writer.close();
    reader.close();
  });

  test('is shared by two processes, which can continue each other’s operations', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    const [first, second] = [await open(path), await open(path, countingIds(2))];
    const ids: string[] = [];
    for (let index = 0; index < 20; index++) ids.push(await prepared(index % 2 ? first : second));
    for (const id of ids) await first.append(id, 'sent');
    for (const id of ids) await second.append(id, 'accepted', { requestId: id });
    expect(await first.list({ limit: 100 })).toHaveLength(20);
    expect(new Set((await first.list({ limit: 100 })).map(({ requestId }) => requestId))).toEqual(new Set(ids));
    first.close();
    second.close();
  });
});

describe('list', () => {
  test('returns the newest operations first, up to the limit', async () => {
    const journal = await open();
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.push(await prepared(journal));
    expect((await journal.list({ limit: 3 })).map(({ operationId }) => operationId)).toEqual(ids.reverse().slice(0, 3));
    expect(await journal.list({ limit: 100 })).toHaveLength(5);
    journal.close();
  });
});

const finds: [prefix: string, found: string[]][] = [
  ['0198c1f2-0000-7000-8000-000000000001', ['0198c1f2-0000-7000-8000-000000000001']],
  ['0198c1f2-0', ['0198c1f2-0000-7000-8000-000000000001']],
  ['0198c1f2', ['0198c1f2-1111-7000-8000-000000000002', '0198c1f2-0000-7000-8000-000000000001']],
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
    const next: string[] = [];
    const journal = await open(':memory:', { ...countingIds(), uuid: () => next.shift() ?? 'of the host' });
    next.push('the account', '0198c1f2-0000-7000-8000-000000000001');
    next.push('0198c1f2-1111-7000-8000-000000000002', '0198c1f3-0000-7000-8000-000000000003');
    for (let count = 0; count < 3; count++) await prepared(journal);
    expect((await journal.find(prefix)).map(({ operationId }) => operationId)).toEqual(found);
    journal.close();
  });
});

describe('a key rotation', () => {
  const plan = (operationId: string) => ({
    operationId,
    keyLocation: 'its file',
    oldFingerprint: '0a1b',
    pushes: ['a', 'b'],
  });

  test('moves with its operation, and only from its current stage', async () => {
    const journal = await open();
    expect(await journal.prepareRotation(INTENT, plan('r-1'))).toBe(true);
    const states = async () => [(await journal.rotations.find('r-1'))?.stage, (await only(journal, 'r-1')).state];
    expect(await journal.moveRotation('r-1', 'sending', 'answered')).toBe(false);
    expect(await states()).toEqual(['prepared', 'prepared']);
    for (const [from, to, state] of [
      ['prepared', 'sending', 'sent'],
      ['sending', 'answered', 'accepted'],
      ['answered', 'stored', 'accepted'],
      ['stored', 'proven', 'accepted'],
      ['proven', 'done', 'settled'],
    ] as const) {
      expect(await journal.moveRotation('r-1', from, to)).toBe(true);
      expect(await journal.moveRotation('r-1', from, to)).toBe(false);
      expect(await states()).toEqual([to, state]);
    }
    journal.close();
  });

  test.each(['answered', 'rejected'] as const)('that is lost is not %s by a process that was slower', async (to) => {
    const journal = await open();
    await journal.prepareRotation(INTENT, plan('r-1'));
    await journal.moveRotation('r-1', 'prepared', 'sending');
    await journal.moveRotation('r-1', 'sending', 'lost');
    expect(await journal.moveRotation('r-1', 'sending', to)).toBe(false);
    expect([(await journal.rotations.find('r-1'))?.stage, (await only(journal, 'r-1')).state]).toEqual([
      'lost',
      'unknown',
    ]);
    journal.close();
  });

  test('is the only open one of its account in two processes', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    const [first, second] = [await open(path), await open(path, countingIds(2))];
    const made = await Promise.all([
      first.prepareRotation(INTENT, plan('r-1')),
      second.prepareRotation(INTENT, plan('r-2')),
    ]);
    expect(made.toSorted()).toEqual([false, true]);
    expect(await second.find(made[0] ? 'r-2' : 'r-1')).toEqual([]);
    first.close();
    second.close();
  });

  test('is the only open one of its account', async () => {
    const journal = await open();
    expect(await journal.prepareRotation(INTENT, plan('r-1'))).toBe(true);
    expect(await journal.prepareRotation(INTENT, plan('r-2'))).toBe(false);
    expect(await journal.prepareRotation({ ...INTENT, profile: 'another' }, plan('r-3'))).toBe(true);
    expect(await journal.moveRotation('r-1', 'prepared', 'rejected', { detail: 'rejected' })).toBe(true);
    expect(await only(journal, 'r-1')).toMatchObject({ state: 'rejected', detail: 'rejected' });
    expect(await journal.prepareRotation(INTENT, plan('r-2'))).toBe(true);
    expect(await journal.find('r-2')).toHaveLength(1);
    journal.close();
  });

  test('keeps the push commands that succeeded when the others are replaced', async () => {
    const journal = await open();
    await journal.prepareRotation(INTENT, plan('r-1'));
    await journal.rotations.pushed('r-1', 1);
    await journal.rotations.pushInstead('r-1', ['c', 'd']);
    expect(await journal.rotations.find('r-1')).toMatchObject({ pushes: ['a', 'c', 'd'], pushed: 1 });
    journal.close();
  });
});

describe('a clock that was set back', () => {
  test('breaks neither the chain nor the guard; each transition keeps the time that the clock said', async () => {
    const clock = fakeClock();
    const journal = await open(':memory:', countingIds(), clock);
    const first = await prepared(journal, { isGuarded: true });
    await journal.append(first, 'sent');
    await journal.append(first, 'accepted', { requestId: 'r-1' });
    clock.pass(-3_600_000);
    expect(await journal.claim({ ...INTENT, isGuarded: true })).toMatchObject({ kind: 'repeated' });
    const second = await prepared(journal, { input: 'another' });
    await journal.append(second, 'sent');
    await journal.append(first, 'settled');
    expect((await journal.verify()).problem).toBeUndefined();
    await journal.requireLastLink();
    expect(await only(journal, first)).toMatchObject({
      state: 'settled',
      createdAt: iso(START_MS),
      updatedAt: iso(START_MS - 3_600_000),
    });
    expect(await only(journal, second)).toMatchObject({ createdAt: iso(START_MS - 3_600_000) });
    journal.close();
  });
});
