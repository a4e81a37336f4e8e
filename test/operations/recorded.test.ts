import { expect, test } from 'vitest';
import { verifyWithdrawal, withdrawFees } from '../../src/contract/endpoints/fee-withdrawals.ts';
import type { Account } from '../../src/engine/account.ts';
import { recordedOutcome } from '../../src/engine/operations/recorded.ts';
import type { Operation } from '../../src/journal/operations.ts';
import { resultIn } from '../../src/journal/states.ts';
import { fakeWorld } from '../support/world.ts';

const DATA = JSON.stringify({ endpoint: withdrawFees.id, data: { withdrawalId: 'FTW_1', status: 'pending' } });

/** Prints what was done under a key, and returns the endpoints that were read for it. */
async function readFor(result: string | null): Promise<readonly string[]> {
  const asked: string[] = [];
  const line = { isLive: false, show: async () => {}, clear: async () => {}, end: async () => {} };
  const account = {
    world: fakeWorld(),
    activity: {},
    globals: { present: { format: 'json' } },
    progress: { line: () => line },
    note: async () => {},
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
  await recordedOutcome(account, { ...operation, request: '{}', ...resultIn(result) } as unknown as Operation, 0);
  return asked;
}

test.each<[string, string | null, readonly string[]]>([
  ['the service’s data are printed as they are', DATA, []],
  ['nothing are read again', null, [verifyWithdrawal.id]],
  ['what looking for an outcome left are read again', '{"unseenSinceMs":1}', [verifyWithdrawal.id]],
])('operations with %s', async (_what, result, expected) => {
  expect(await readFor(result)).toEqual(expected);
});
