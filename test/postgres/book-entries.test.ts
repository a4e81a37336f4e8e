import { afterAll, beforeAll, test } from 'vitest';
import { SCHEMA } from '../../src/copy/schema.ts';
import { expectBalanced, expectBalances, expectTrue, simulatedAccount, truthIn } from '../copy/ledger.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

test('every account agrees with the sandbox’s ledger after each day', async () => {
  const url = server.newDatabase();
  const account = await simulatedAccount({ seed: 11, users: 20, days: 4, env: { FIATRAIL_COPY_URL: url } });
  const before = truthIn(account.sandboxPath);
  await account.run('sync');
  for (let day = 1; day <= 4; day++) {
    const moment = await account.live();
    await account.run('sync');
    const ask = (sql: string) =>
      server
        .sql(url, `SET search_path = ${SCHEMA}; ${sql}`)
        .split('\n')
        .filter((line) => line !== '' && line !== 'SET')
        .map((line) => line.split('|'));
    expectBalanced(ask);
    expectTrue(ask, account.sandboxPath, before, moment);
    expectBalances(ask, moment);
  }
});
