import { expect, test } from 'vitest';
import { fixedText, hashOf } from '../../src/journal/chain.ts';
import { INTENT, journals, prepared, testJournal } from '../support/journal-intent.ts';
import { testQueryPlans } from '../support/query-plans.ts';
import { countingIds } from '../support/sandbox.ts';

type Line = Record<string, unknown>;

/** The lines of a journal with one operation that was accepted. */
async function lines(hasKey = false): Promise<Line[]> {
  const journal = await testJournal();
  const id = await prepared(journal);
  await journal.append(id, 'sent');
  await journal.append(id, 'accepted', { requestId: 'r' });
  const all: Line[] = [];
  for await (const page of journal.exported(hasKey)) all.push(...(page as Line[]));
  journal.close();
  return all;
}

/** Numbers the entries again and computes their hashes, as someone would who forges an export. */
function forged(given: readonly Line[]): string[] {
  // As SQLite returns them: every integer is a bigint.
  const columns = (line: Line) => ({
    ...line,
    created_at: BigInt(Number(line['created_at'] ?? 0)),
    process: BigInt(Number(line['process'] ?? 0)),
  });
  const operations = new Map(given.map((line) => [line['id'], columns(line)]));
  let [sequence, previous] = [0, ''];
  return given.map((line) => {
    if (line['type'] !== 'entry') return JSON.stringify(line);
    sequence += 1;
    const operation = line['state'] === 'prepared' ? fixedText(operations.get(line['operation_id']) ?? {}) : null;
    const text = (name: string) => (line[name] ?? null) as string | null;
    previous = hashOf(previous, {
      sequence: BigInt(sequence),
      operationId: text('operation_id'),
      host: String(line['host']),
      state: String(line['state']),
      at: BigInt(Number(line['at'])),
      operation,
      requestId: text('request_id'),
      verdict: text('verdict'),
      detail: text('detail'),
      result: text('result'),
      subject: text('subject'),
      value: text('value'),
      busyUntil: line['busy_until'] === undefined ? null : BigInt(Number(line['busy_until'])),
    });
    return JSON.stringify({ ...line, sequence, hash: previous });
  });
}

const announced = (given: readonly Line[]) => {
  const count = (type: string) => given.filter((line) => line['type'] === type).length;
  return given.map((line) =>
    line['type'] === 'journal' ? { ...line, operations: count('operation'), entries: count('entry') } : line,
  );
};

async function importing(given: readonly Line[], head?: string) {
  const journal = await testJournal({ ids: countingIds(2) });
  try {
    const result = await journal.importFrom(forged(announced(given)), [INTENT.account], head);
    return { ...result, problem: (await journal.verify()).problem };
  } finally {
    expect((await journal.list({ limit: 1 })).length).toBeLessThanOrEqual(1);
    journal.close();
  }
}

const without = (state: string) => async () => (await lines()).filter((line) => line['state'] !== state);

test('lines with right hashes are imported', async () => {
  expect(await importing(await lines())).toEqual({ operations: 1, entries: 5, problem: undefined });
});

test.each([
  ['that starts as sent', without('prepared'), 'cannot become sent first'],
  ['that was accepted without being sent', without('sent'), 'cannot become accepted after prepared'],
  [
    'that was accepted twice',
    async () => {
      const all = await lines();
      return [...all, all.at(-1) ?? {}];
    },
    'cannot become accepted after accepted',
  ],
  ['without entries', async () => (await lines()).filter(({ operation_id: id }) => id === undefined), 'has no entry'],
  [
    'that appears twice',
    async () => (await lines()).flatMap((line) => (line['type'] === 'operation' ? [line, line] : [line])),
    'appears twice',
  ],
  [
    'that lacks its row',
    async () => (await lines()).filter(({ type }) => type !== 'operation'),
    'there is no operation',
  ],
])('an operation %s is not imported, however right its hashes are', async (_what, make, says) => {
  await expect(importing(await make())).rejects.toThrow(says);
});

const changed = async (type: string, change: Line) =>
  (await lines()).map((line) => (line['type'] === type ? { ...line, ...change } : line));

const TOO_LATE = Date.UTC(10_000, 0);

test.each([
  ['an operation of the year 10000', 'operation', { created_at: TOO_LATE }, '(created_at)'],
  ['an entry of the year 10000', 'entry', { at: TOO_LATE }, '(at)'],
  ['a request that is not JSON', 'operation', { request: '{"amount":' }, '(request)'],
  ['a request that is not an object', 'operation', { request: '5' }, '(request)'],
  [
    'a request that is nested too deeply',
    'operation',
    { request: `{"a":${'['.repeat(70)}${']'.repeat(70)}}` },
    '(request)',
  ],
  ['a result that is not JSON', 'entry', { result: 'nothing' }, '(result)'],
] as const)('%s is rejected, because no list could show it', async (_what, type, change, where) => {
  await expect(importing(await changed(type, change))).rejects.toThrow(`it is not a line of an export ${where}`);
});

test('the last millisecond of the year 9999 is imported', async () => {
  expect(await importing(await changed('entry', { at: TOO_LATE - 1 }))).toMatchObject({ entries: 5 });
});

test('a live operation needs its account, which holds its idempotency key', async () => {
  const live = await changed('operation', { mode: 'live' });
  expect(await importing(live)).toMatchObject({ operations: 1 });
  const isAccount = ({ subject }: Line) => String(subject).startsWith('account ');
  const [fact] = live.filter(isAccount);
  await expect(importing(live.filter((line) => !isAccount(line)))).rejects.toThrow('the account of the operation');
  const renamed = live.map((line) => (isAccount(line) ? { ...line, value: 'another' } : line));
  await expect(importing(renamed)).rejects.toThrow('the account of the operation');
  // What it was called before it turned out to be another one.
  const merged = { ...fact, subject: `account account:${fact?.['value']}`, value: 'another' };
  expect(await importing([...renamed, merged])).toMatchObject({ operations: 1, entries: 6 });
});

test('an export without the entry of a checkpoint that was kept is rejected', async () => {
  const all = await lines();
  const head = String(all.at(-1)?.['hash']);
  expect(await importing(all, head)).toMatchObject({ entries: 5 });
  await expect(importing(all.slice(0, -1), head)).rejects.toThrow(
    'entries were removed, or the file is of another journal',
  );
});

test('an export with a digest key has the one that its entries know', async () => {
  const all = await lines(true);
  const withKey = (digestKey: unknown) =>
    all.map((line) => (line['type'] === 'journal' ? { ...line, digestKey } : line));
  expect(all[0]).toMatchObject({ type: 'journal', digestKey: expect.stringMatching(/^[\w-]{43}$/) });
  expect(await importing(all)).toEqual({ operations: 1, entries: 5, problem: undefined });
  await expect(importing(withKey('x'.repeat(43)))).rejects.toThrow(
    'its digest key is not the one that its entries know',
  );
  await expect(importing(withKey('short'))).rejects.toThrow('it is not a line of an export (digestKey)');
});

test('an export without the entry about an idempotency key is rejected: the key would be free', async () => {
  const keyed = { ...INTENT, idempotencyKey: 'k' };
  const from = await testJournal();
  await from.append(await prepared(from, keyed), 'sent');
  const all: Line[] = [];
  for await (const page of from.exported(true)) all.push(...(page as Line[]));
  const without = all.filter(({ subject }) => !String(subject).startsWith('idempotency key '));
  expect(without).toHaveLength(all.length - 1);
  const journal = await testJournal({ ids: countingIds(2) });
  await expect(journal.importFrom(forged(announced(without)), [INTENT.account])).rejects.toThrow(
    'the idempotency keys of its operations are not what its entries say',
  );
  journal.close();
});

test('an export without the entry where a journal begins is rejected', async () => {
  const all = await lines(true);
  const without = all.filter(({ subject }) => subject !== 'digest key');
  expect(without).toHaveLength(all.length - 1);
  await expect(importing(without)).rejects.toThrow('the entry where the journal begins is missing');
});

test.each([
  ['has no entry at all', () => [], 'the entry where the journal begins is missing'],
  [
    'has an entry of an operation in the state of a fact',
    (all: readonly Line[]) => all.map((line) => (line['state'] === 'sent' ? { ...line, state: 'fact' } : line)),
    'is neither of an operation nor a fact',
  ],
  [
    'has an entry of an operation that is about something too',
    (all: readonly Line[]) => all.map((line) => (line['state'] === 'sent' ? { ...line, subject: 's' } : line)),
    'is neither of an operation nor a fact',
  ],
  [
    'has an entry of nothing',
    (all: readonly Line[]) =>
      all.map(({ operation_id: id, ...line }) => (line['state'] === 'sent' ? line : { ...line, operation_id: id })),
    'is neither of an operation nor a fact',
  ],
  [
    'has a fact in the state of an operation',
    (all: readonly Line[]) => all.map((line) => (line['subject'] ? { ...line, state: 'prepared' } : line)),
    'is neither of an operation nor a fact',
  ],
  [
    'has a rotation without a value',
    (all: readonly Line[]) => [...all, { ...all[2], subject: 'rotation nobody', value: undefined }],
    'the rotation nobody is no fact about an operation',
  ],
  [
    'has a rotation of an unknown operation',
    (all: readonly Line[]) => [
      ...all,
      { ...all[2], subject: 'rotation nobody', value: JSON.stringify(['p', 'u', 'prepared', 'k', 'f', [], 0]) },
    ],
    'the rotation nobody is no fact about an operation',
  ],
])('an export that %s is rejected', async (_what, change, says) => {
  const all = await lines();
  const header = all.filter(({ type }) => type === 'journal');
  const rest = change(all.filter(({ type }) => type !== 'journal'));
  await expect(importing([...header, ...rest])).rejects.toThrow(says);
});

if (journals.engine === 'sqlite') testQueryPlans();
