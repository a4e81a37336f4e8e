import { expect, test } from 'vitest';
import { expectTrue, inFile, lessBy, simulatedAccount, truthIn } from './ledger.ts';

test.each([
  ['each day', 1],
  ['every fourth day', 4],
])('every account agrees with the sandbox’s ledger, synced %s', async (_, days) => {
  const account = await simulatedAccount({ seed: 7, users: 40, days: 12 });
  const before = truthIn(account.sandboxPath);
  if (days < 12) await account.run('sync');
  for (let day = 1; day <= 12; day++) {
    await account.live();
    if (day % days > 0) continue;
    await account.run('sync');
    expectTrue(inFile(account.copyPath), lessBy(truthIn(account.sandboxPath), before), {});
  }
  expect(inFile(account.copyPath)('SELECT count(DISTINCT thing) FROM book_entries')).toEqual([['9']]);
});
