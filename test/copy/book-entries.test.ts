import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copied } from '../questions/copy.ts';
import { ACCOUNT, fakeWorld } from '../support/world.ts';
import {
  expectBalanced,
  expectBalances,
  expectTrue,
  inFile,
  type Moment,
  simulatedAccount,
  truthIn,
  withFile,
} from './ledger.ts';

const DAYS = 6;

test.each([
  ['each day', 1],
  ['every third day', 3],
  ['once, at the end', DAYS],
])('every account agrees with the sandbox’s ledger, synced %s', async (_, days) => {
  const account = await simulatedAccount({ seed: 2, users: 40, days: DAYS });
  const before = truthIn(account.sandboxPath);
  if (days < DAYS) await account.run('sync');
  const moments: Moment[] = [];
  for (let day = 1; day <= DAYS; day++) {
    moments.push(await account.live());
    if (day % days === 0) await account.run('sync');
  }
  withFile(account.copyPath, (ask) => {
    expectBalanced(ask);
    for (const moment of moments) expectTrue(ask, account.sandboxPath, before, moment);
    const last = moments.at(-1);
    if (last) expectBalances(ask, last);
    expect(ask('SELECT count(DISTINCT thing) FROM book_entries')).toEqual([['10']]);
  });
});

test('an entry says why its money came back, and nothing personal', async () => {
  const world = fakeWorld({ env: ACCOUNT });
  const withdrawal = (withdrawalId: string, more: object) => ({
    withdrawalId,
    amount: { value: '700.00', asset: 'NGN' },
    accountName: 'BOLA EZE',
    bankAccountNumber: '0123456789',
    narration: 'rent of BOLA EZE',
    createdAt: '2026-01-04T10:00:00.000Z',
    ...more,
  });
  await copied(world, {
    fee_withdrawals: [
      withdrawal('w-1', { status: 'failed', failureReason: 'the bank did not accept it' }),
      withdrawal('w-2', { status: 'completed', processedAt: '2026-01-04T10:01:00.000Z' }),
    ],
  });
  const ask = inFile(join(world.stateDir, 'copy-environment.db'));
  expect(ask(`SELECT DISTINCT id, step, coalesce(note, '') FROM book_entries ORDER BY 1, 2`)).toEqual([
    ['w-1', 'returned', 'the bank did not accept it'],
    ['w-1', 'taken', ''],
    ['w-2', 'done', ''],
    ['w-2', 'taken', ''],
  ]);
});
