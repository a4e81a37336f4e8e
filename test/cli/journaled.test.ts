import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import type { HttpRequest, HttpResponse } from '../../src/base/world.ts';
import { withdrawFees } from '../../src/contract/endpoints/fee-withdrawals.ts';
import { onboard } from '../../src/contract/endpoints/users.ts';
import type { Account } from '../../src/engine/account.ts';
import { AlreadyDone } from '../../src/engine/guard.ts';
import { sendJournaled } from '../../src/engine/sending/send.ts';
import type { Journal } from '../../src/journal/interface.ts';
import { main } from '../../src/main.ts';
import { DatabaseError } from '../../src/sqlite/errors.ts';
import { temporaryFolder } from '../support/built.ts';
import { success } from '../support/exchange.ts';
import { journalRows } from '../support/journal.ts';
import { testJournal } from '../support/journal-intent.ts';
import { countingIds } from '../support/sandbox.ts';
import { ACCOUNT, fakeWorld } from '../support/world.ts';

const GUARD = { isGuarded: true, isAgain: false, input: '["fees withdraw"]', idempotencyKey: 'k' };

/** Sends a withdrawal under an idempotency key, in a process that runs no more when the next one starts. */
async function sending(path = ':memory:') {
  const world = fakeWorld();
  const host = { ...world.host, isRunning: () => false };
  const journal = await testJournal({ path, ids: countingIds(), host });
  onTestFinished(() => journal.close());
  const session = {
    world,
    journal: async () => journal,
    activity: {},
    globals: { timeoutMs: 60_000 },
    command: { line: 'fiatrail fees withdraw' },
    accountNames: async () => ({ keyFingerprint: '0a1b', profile: 'main', baseUrl: 'https://service.test/v1' }),
    profile: { name: 'main', mode: 'live', baseUrl: 'https://service.test/v1' },
  } as unknown as Account;
  const send = (call: () => Promise<never>) =>
    sendJournaled(session, {
      endpoint: withdrawFees,
      input: { amount: 5 },
      summary: 'withdraw',
      guard: GUARD,
      call,
    });
  return { session, journal, send, stderr: world.stderr };
}

test.each([
  ['its last entry was changed', `UPDATE entry SET at = at + 1 WHERE sequence = 3`],
  ['its last entry was removed', 'DELETE FROM entry WHERE sequence = 3'],
])('nothing leaves when the journal is not what it was: %s', async (_what, sql) => {
  const path = join(temporaryFolder(onTestFinished), 'journal.db');
  const { journal, send } = await sending(path);
  let calls = 0;
  const call = async () => {
    calls += 1;
    throw new CliError('rejected', 'no');
  };
  await expect(send(call)).rejects.toMatchObject({ category: 'rejected' });
  const database = new DatabaseSync(path);
  database.exec(`DROP TRIGGER entry_update; DROP TRIGGER entry_delete; ${sql}`);
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

test('a response that names the work of another operation ends of unknown outcome, and a person decides', async () => {
  const network = async ({ url }: HttpRequest): Promise<HttpResponse> =>
    success(url.endsWith('/fx/trade') ? { trade: { tradeId: 't-1', status: 'pending' } } : { trades: [] });
  const world = fakeWorld({ network, env: ACCOUNT });
  const trade = (key: string) =>
    main(`fx trade --pair CNGN-USDC --side buy --amount 1000 --yes -q --once ${key}`.split(' '), world);
  expect([await trade('a'), await trade('b')]).toEqual([0, 6]);
  expect(world.stderr.text()).toContain(
    'asked for new work; the response says request id t-1, which is that of operation',
  );
  const states = () => journalRows(world.stateDir).map(({ state, request_id }) => [state, request_id]);
  expect(await main(['ops', 'reconcile', '-o', 'json'], world)).toBe(6);
  expect(world.stdout.text()).toContain('"found": "contradicted"');
  expect(states()).toEqual([
    ['accepted', 't-1'],
    ['unknown', null],
  ]);
});

test.each([
  ['of the same person', '["a"]', true],
  ['of a person that the journal cannot recognize', undefined, true],
  ['of another person', '["b"]', false],
])('the id of an earlier onboarding is right for one %s', async (_, input, isRight) => {
  const { session } = await sending();
  const reply = { data: { requestId: 'on-1', status: 'processing', userHash: 'u-1' }, body: '{}', problems: [] };
  const start = (typed: string | undefined) =>
    sendJournaled(session, {
      endpoint: onboard,
      // The journal recognizes a person by a key of the profile, and this one has none.
      input: typed === undefined ? { bvn: '12345678901' } : { of: typed },
      summary: 'onboard a user',
      guard: { isGuarded: false, isAgain: true, input: '[]', idempotencyKey: undefined },
      call: async () => reply,
    });
  await start('["a"]');
  const [second] = await Promise.allSettled([start(input)]);
  expect(second.status).toBe(isRight ? 'fulfilled' : 'rejected');
});

describe('a request that was sent again while its process was suspended', () => {
  const refused = new CliError('rejected', 'too late');

  /** Sends a withdrawal of which another process learns something before the first response arrives. */
  async function overtaken(meanwhile: (journal: Journal, id: string) => Promise<unknown>, end: () => Promise<never>) {
    const { journal, send, stderr } = await sending();
    const ended = await send(async () => {
      const [operation] = await journal.list({ limit: 1 });
      const id = operation?.operationId ?? '';
      await journal.append(id, 'unknown', { detail: 'suspended' });
      await meanwhile(journal, id);
      return end();
    }).catch((error: unknown) => error);
    return { ended, stderr: stderr.text(), operations: await journal.list({ limit: 5 }) };
  }

  test('and accepted then ends with what the journal knows, although its own attempt was rejected', async () => {
    const { ended, operations } = await overtaken(
      async (journal, id) => {
        await journal.claimRepeat(id, 1_000);
        await journal.take(id, { requestId: 'w-2', detail: 'found' });
      },
      () => Promise.reject(refused),
    );
    expect(ended).toBeInstanceOf(AlreadyDone);
    expect(ended).toMatchObject({ operation: { state: 'accepted', requestId: 'w-2' } });
    expect(operations).toMatchObject([{ state: 'accepted', requestId: 'w-2' }]);
  });

  test('without a usable response stays uncertain, although its own attempt was rejected', async () => {
    const { ended, operations } = await overtaken(
      (journal, id) => journal.claimRepeat(id, 1_000),
      () => Promise.reject(refused),
    );
    expect(ended).toMatchObject({ category: 'unknown', code: 'OUTCOME_UNKNOWN', operationId: expect.any(String) });
    expect(operations).toMatchObject([{ state: 'unknown' }]);
  });

  test.each([
    ['the same work', 'w-1', ''],
    ['other work', 'w-2', 'warning: it was accepted (request id w-1), but the journal says otherwise of operation'],
  ])(
    'and is then accepted itself, warns only if the journal names other work: %s',
    async (_what, requestId, warning) => {
      const { ended, stderr } = await overtaken(
        (journal, id) => journal.take(id, { requestId, detail: 'found' }),
        async () => ({ data: { withdrawalId: 'w-1', status: 'pending' } }) as never,
      );
      expect(ended).toMatchObject({ reply: { data: { withdrawalId: 'w-1' } } });
      expect(stderr.slice(0, warning.length || undefined)).toBe(warning);
    },
  );

  test('warns if it is accepted after a person said that it was not done', async () => {
    const { stderr } = await overtaken(
      (journal, id) => journal.append(id, 'resolved', { verdict: 'not-done', detail: 'a person' }),
      async () => ({ data: { withdrawalId: 'w-1', status: 'pending' } }) as never,
    );
    expect(stderr).toContain('but the journal says otherwise of operation');
    expect(stderr).toContain('(not-done)');
  });

  test('ends as rejected if a person said that it was not done', async () => {
    const { ended } = await overtaken(
      (journal, id) => journal.append(id, 'resolved', { verdict: 'not-done', detail: 'a person' }),
      () => Promise.reject(refused),
    );
    expect(ended).toMatchObject({ category: 'rejected' });
  });
});

describe('an error after a request was sent', () => {
  test.each([
    ['an internal error', new TypeError('x is not a function')],
    ['another one', new RangeError('too deep')],
    ['a text', 'a text that was thrown'],
  ])('that nobody expected leaves its outcome unknown, and its idempotency key taken: %s', async (_what, error) => {
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
    ['the service rejected it', new CliError('rejected', 'no')],
    ['the sandbox could not commit it', new DatabaseError('full', 'sandbox.db', undefined)],
  ])('that says that nothing was done is a rejection, and the idempotency key is free: %s', async (_what, error) => {
    const { journal, send } = await sending();
    for (const count of [1, 2]) {
      await expect(send(() => Promise.reject(error))).rejects.toMatchObject({ message: error.message });
      expect((await journal.list({ limit: 5 })).map(({ state }) => state)).toEqual(Array(count).fill('rejected'));
    }
  });
});
