import { expect, test } from 'vitest';
import { expectBalances, expectTrue, inFile, type Moment, simulatedAccount, truthIn } from './ledger.ts';

test.each([
  ['each day', 1],
  ['every fourth day', 4],
  ['once, at the end', 12],
])('every account agrees with the sandbox’s ledger, synced %s', async (_, days) => {
  const account = await simulatedAccount({ seed: 7, users: 40, days: 12 });
  const before = truthIn(account.sandboxPath);
  if (days < 12) await account.run('sync');
  const moments: Moment[] = [];
  for (let day = 1; day <= 12; day++) {
    moments.push(await account.live());
    if (day % days === 0) await account.run('sync');
  }
  for (const moment of moments) expectTrue(inFile(account.copyPath), account.sandboxPath, before, moment);
  const last = moments.at(-1);
  if (last) expectBalances(inFile(account.copyPath), last);
  expect(inFile(account.copyPath)('SELECT count(DISTINCT thing) FROM book_entries')).toEqual([['10']]);
});
