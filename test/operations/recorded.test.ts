import { expect, test } from 'vitest';
import { verifyWithdrawal, withdrawFees } from '../../src/contract/endpoints/fee-withdrawals.ts';
import type { Account } from '../../src/engine/account.ts';
import { recordedOutcome } from '../../src/engine/evidence/recorded.ts';
import type { Operation } from '../../src/journal/operations.ts';
import { resultIn } from '../../src/journal/states.ts';
import { fakeWorld } from '../support/world.ts';

const DATA = JSON.stringify({ endpoint: withdrawFees.id, data: { withdrawalId: 'FTW_1', status: 'pending' } });

/** Prints what was done under a key, and returns the outcome and the endpoints that were read for it. */
async function repeated(result: string | null, more: Partial<Operation> = {}) {
  const asked: string[] = [];
  const line = { isLive: false, show: async () => {}, clear: async () => {}, end: async () => {} };
  const account = {
    world: fakeWorld(),
    activity: {},
    globals: { present: { format: 'json' } },
    notices: { progress: { line: () => line }, note: async () => {} },
    accountNames: async () => ({}),
    journal: async () => ({ ended: async () => {} }),
    call: async ({ id }: { readonly id: string }, request: unknown) => {
      asked.push(id);
      return { data: { withdrawalId: 'FTW_1', status: 'pending' }, body: '{}', problems: [], request };
    },
  } as unknown as Account;
  const operation = {
    operationId: 'o',
    idempotencyKey: 'k',
    state: 'accepted',
    requestId: 'FTW_1',
    endpoint: withdrawFees.id,
  };
  const recorded = { ...operation, request: '{}', ...resultIn(result), ...more } as unknown as Operation;
  return { outcome: await recordedOutcome(account, recorded, 0), asked };
}

test.each<[string, string | null, readonly string[]]>([
  ['the service’s data are printed as they are', DATA, []],
  ['nothing are read again', null, [verifyWithdrawal.id]],
  ['what looking for an outcome left are read again', '{"unseenSinceMs":1}', [verifyWithdrawal.id]],
])('operations with %s', async (_what, result, expected) => {
  expect((await repeated(result)).asked).toEqual(expected);
});

test('an operation that failed is an error again, with what was recorded of it', async () => {
  const more = { state: 'failed', summary: 'a withdrawal', detail: 'refunded', updatedAt: '2026-01-05T09:00:00.000Z' };
  const { outcome, asked } = await repeated(DATA, more as Partial<Operation>);
  expect(asked).toEqual([]);
  expect(outcome).toMatchObject({
    error: {
      category: 'failed',
      operationId: 'o',
      hint: expect.stringContaining('use another idempotency key'),
      message: expect.stringMatching(/^this failed on 2026-01-05 .*: a withdrawal \(refunded\)$/),
    },
    result: { data: { withdrawalId: 'FTW_1' } },
  });
});

test('an operation that was accepted is no error', async () => {
  expect((await repeated(DATA)).outcome.error).toBeUndefined();
});
