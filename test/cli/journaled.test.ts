import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { sendJournaled } from '../../src/cli/journaled.ts';
import type { Session } from '../../src/cli/session.ts';
import { withdrawFees } from '../../src/contract/endpoints/fee-withdrawals.ts';
import { DatabaseError } from '../../src/sqlite/errors.ts';
import { temporaryFolder } from '../support/built.ts';
import { testJournal } from '../support/journal-intent.ts';
import { countingIds } from '../support/sandbox.ts';
import { fakeWorld } from '../support/world.ts';

const GUARD = { isGuarded: true, isAgain: false, input: '["fees withdraw"]', onceKey: 'k' };

/** Sends a withdrawal under a once key, in a process that runs no more when the next one starts. */
async function sending(path = ':memory:') {
  const world = fakeWorld();
  const host = { ...world.host, isRunning: () => false };
  const journal = await testJournal({ path, ids: countingIds(), host });
  onTestFinished(() => journal.close());
  const session = {
    ...{ world, journal: async () => journal, inFlight: () => {}, globals: { timeoutMs: 60_000 } },
    ...{ commandLine: 'fiatrail fees withdraw', mayWait: false },
    profile: { name: 'main', mode: 'live', baseUrl: 'https://service.test/v1' },
  } as unknown as Session;
  const send = (call: () => Promise<never>) =>
    sendJournaled(session, {
      ...{ endpoint: withdrawFees, input: { amount: 5 }, summary: 'withdraw', guard: GUARD },
      ...{ keyFingerprint: () => '0a1b', call },
    });
  return { journal, send };
}

test.each([
  ['its last entry was changed', `UPDATE transition SET at = at + 1 WHERE sequence = 3`],
  ['its last entry was removed', 'DELETE FROM transition WHERE sequence = 3'],
])('nothing leaves when the journal is not what it was: %s', async (_what, sql) => {
  const path = join(temporaryFolder(onTestFinished), 'journal.db');
  const { journal, send } = await sending(path);
  let calls = 0;
  const call = async () => {
    calls += 1;
    throw new CliError('refused', 'no');
  };
  await expect(send(call)).rejects.toMatchObject({ category: 'refused' });
  const database = new DatabaseSync(path);
  database.exec(`DROP TRIGGER transition_update; DROP TRIGGER transition_delete; ${sql}`);
  database.close();
  await expect(send(call)).rejects.toMatchObject({
    category: 'usage',
    message: expect.stringContaining('nothing was sent'),
  });
  expect({ calls, operations: await journal.count() }).toEqual({ calls: 1, operations: 1 });
});

test('what the service said is recorded with its request id', async () => {
  const { journal, send } = await sending();
  const data = { withdrawalId: 'w-1', status: 'pending' };
  await send(async () => ({ data }) as never);
  const [operation] = await journal.list({ limit: 1 });
  expect(operation).toMatchObject({ state: 'accepted', requestId: 'w-1' });
  expect(JSON.parse(operation?.result ?? '')).toEqual({ endpoint: 'fees.withdraw', data });
});

describe('an error after a request was sent', () => {
  test.each([
    ['an internal error', new TypeError('x is not a function')],
    ['another one', new RangeError('too deep')],
    ['a text', 'a text that was thrown'],
  ])('that nobody expected leaves its outcome unknown, and its once key taken: %s', async (_what, error) => {
    const { journal, send } = await sending();
    const thrown = await send(() => Promise.reject(error)).catch((each: unknown) => each);
    expect(thrown).toMatchObject({ category: 'unknown', code: 'OUTCOME_UNKNOWN', operationId: expect.any(String) });
    expect(await journal.list({ limit: 5 })).toMatchObject([{ state: 'unknown' }]);
    let sent = 0;
    await send(() => {
      sent += 1;
      return Promise.reject(error);
    }).catch(() => {});
    expect(sent).toBe(0);
    expect(await journal.count()).toBe(1);
  });

  test.each([
    ['the service refused it', new CliError('refused', 'no')],
    ['the sandbox could not commit it', new DatabaseError('full', 'sandbox.db', undefined)],
  ])('that says that nothing was done is a refusal, and the once key is free: %s', async (_what, error) => {
    const { journal, send } = await sending();
    for (const count of [1, 2]) {
      await expect(send(() => Promise.reject(error))).rejects.toMatchObject({ message: error.message });
      expect((await journal.list({ limit: 5 })).map(({ state }) => state)).toEqual(Array(count).fill('refused'));
    }
  });
});
