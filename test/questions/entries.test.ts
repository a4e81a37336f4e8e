import { expect, test } from 'vitest';
import { resolveProfile } from '../../src/account/profile.ts';
import { existingCopy } from '../../src/copy/open.ts';
import { entriesOf, feesOf } from '../../src/copy/questions/entries.ts';
import { balancesAt } from '../../src/copy/questions/report/balance.ts';
import { WORK_KINDS } from '../../src/copy/questions/report/kinds.ts';
import { bookedIn } from '../../src/inspector/account/books.ts';
import { userDeposit } from '../../src/things/deposits.ts';
import { fakeWorld } from '../support/world.ts';
import { must } from './reports.ts';
import { copyOf, DEPOSIT, looks } from './stored.ts';

/** What one row moved in the books, beside its fees. */

test('the sets of every row sum to zero, and say the balance that a report says of that time', async () => {
  const world = fakeWorld();
  await must(world, 'sandbox', 'simulate', '--days', '3', '--users', '8', '--seed', '4', '-q');
  await must(world, 'sync', '-q');
  await must(world, 'sandbox', 'simulate', '--days', '3', '--users', '8', '--seed', '5', '-q');
  await must(world, 'sync', '-q');
  const copy = await existingCopy(world, resolveProfile(undefined, world));
  if (!copy) throw new Error('there is no copy');
  let [sets, known] = [0, 0];
  for (const { thing, table, where } of WORK_KINDS) {
    const rows = await copy.read((queries) =>
      queries.all<{ id: string }>(`SELECT id FROM ${table} WHERE ${where} ORDER BY created_at DESC LIMIT 4`),
    );
    for (const { id } of rows) {
      const { postings } = await bookedIn(copy, thing, id);
      for (const { sums } of postings) {
        sets += 1;
        for (const { isZero, sum } of sums) expect(isZero, `${thing.name} ${id}: ${sum}`).toBe(true);
      }
      for (const { at, entries } of await copy.read((queries) => entriesOf(queries, thing, id))) {
        const [balances] = (await copy.read((queries) => balancesAt(queries, [at]))) ?? [];
        for (const { balance, asset, account } of entries) {
          if (balance === null) continue;
          expect(account).toMatch(/^assets:(wallet|vault|fees)$/);
          expect(balance).toEqual(balances?.get(asset ?? 'NGN'));
          known += Number(balance.minor !== null);
        }
      }
    }
  }
  expect(sets).toBeGreaterThan(20);
  expect(known).toBeGreaterThan(3);
  await copy.close();
});

test('fees of a user’s row are the account’s own and the service’s, and what is not known says why', async () => {
  const row = { ...DEPOSIT, type: 'fintech_user_deposit', user_id: 'u', completed_at: '2026-11-02T09:00:00.000Z' };
  const ask = await copyOf({ deposits: [row], ...looks(['2026-11-01T00:00:00.000Z', 0n]) });
  const fees = await ask((queries) => feesOf(queries, userDeposit, 'd-1'));
  expect(fees.map(({ title }) => title)).toEqual(['Your fee', 'Platform fee']);
  for (const { fee } of fees)
    expect(fee.minor === null ? typeof fee.known?.why : typeof fee.minor).toMatch(/string|bigint/);
  expect(await ask((queries) => feesOf(queries, userDeposit, 'none'))).toEqual([]);
});
