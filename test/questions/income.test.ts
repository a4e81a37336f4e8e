import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { resolveProfile } from '../../src/account/profile.ts';
import { openCopy } from '../../src/copy/open.ts';
import { type Moment, simulatedAccount, truthIn } from '../copy/ledger.ts';
import { ACCOUNT, fakeWorld } from '../support/world.ts';
import { allRead, copied, deposit } from './copy.ts';
import { json, run } from './reports.ts';

interface Figure {
  readonly value: string | null;
  readonly known?: { readonly is: string; readonly why: string };
}

interface Income {
  readonly earned: Figure;
  readonly parts: readonly { readonly name: string | null; readonly earned: Figure; readonly movements: number }[];
}

const kobo = ({ value, known }: Figure) => {
  expect(known).toBeUndefined();
  return BigInt(String(value).replace('.', ''));
};

test('by kind, by user and by day it is what the sandbox’s books say was earned', async () => {
  const account = await simulatedAccount({ seed: 21, users: 20, days: 5 });
  await account.run('sync');
  const before = truthIn(account.sandboxPath);
  let last: Moment | undefined;
  for (let day = 0; day < 5; day++) {
    last = await account.live();
    await account.run('sync');
  }
  const earned = (kind: string) => (before[`income:${kind} NGN`] ?? 0n) - (last?.sums[`income:${kind} NGN`] ?? 0n);
  const [onramp, offramp] = [earned('onramp'), earned('offramp')];
  const ask = (by: string): Promise<Income> => json(account.world, 'report', 'income', '--since', '60d', '--by', by);
  const byKind = await ask('kind');
  expect(Object.fromEntries(byKind.parts.map(({ name, earned: sum }) => [name, kobo(sum)]))).toEqual({
    onramp,
    offramp,
  });
  expect(onramp > 0n && offramp > 0n).toBe(true);
  for (const by of ['kind', 'user', 'day']) {
    const found = await ask(by);
    expect(kobo(found.earned), by).toBe(onramp + offramp);
    expect(found.parts.reduce((sum, part) => sum + kobo(part.earned), 0n)).toBe(onramp + offramp);
    expect(found.parts.length).toBeGreaterThan(1);
  }
  const days = (await ask('day')).parts.map(({ name }) => name);
  expect(days).toEqual(days.toSorted());
});

test('a fee that is not known makes the sums that lack it bounds, and no others', async () => {
  const world = fakeWorld({ env: ACCOUNT });
  const naira = (value: string) => ({ value, asset: 'NGN' });
  const known = { amount: naira('5100.00'), fundingAmount: naira('5000.00'), platformFee: naira('75.00') };
  await copied(world, {
    deposits: [
      deposit('d1', known),
      deposit('d2', { ...known, platformFee: null, userId: 'user-0002' }),
      deposit('d3', { ...known, platformFee: null, fundingAmount: null, completedAt: '2026-01-03T09:00:00.000Z' }),
    ],
  });
  // As after a sync that knows of the first one what was earned.
  const database = new DatabaseSync(join(world.stateDir, 'copy-environment.db'));
  database.exec("UPDATE stored_deposits SET own_fee_minor = 2500, fee_known = NULL WHERE id = 'd1'");
  database.close();
  const found: Income = await json(world, 'report', 'income', '--by', 'user');
  expect(found.earned).toMatchObject({ value: '25.00', known: { is: 'at least', rows: 2 } });
  expect(found.parts).toMatchObject([
    { name: 'user-0001', earned: { value: '25.00', known: { is: 'at least' } }, movements: 2 },
    { name: 'user-0002', earned: { value: null, known: { is: 'no' } } },
  ]);
  const days: Income = await json(
    world,
    'report',
    'income',
    '--by',
    'day',
    '--since',
    '2026-01-03',
    '--until',
    '2026-01-03',
  );
  expect(days.parts).toMatchObject([{ name: '2026-01-03', earned: { value: null, known: { is: 'no' } } }]);
  expect((await run(world, 'report', 'income', '--complete')).code).toBe(9);
  expect((await run(world, 'report', 'income', '--by', 'week')).code).toBe(2);
});

test('a list that was not read to its end makes every sum a bound', async () => {
  const world = fakeWorld({ env: ACCOUNT });
  await copied(world, {});
  const copy = await openCopy(world, resolveProfile(undefined, world));
  await copy.write((queries) => allRead(queries, ['payouts']));
  await copy.close();
  expect(await json(world, 'report', 'income')).toMatchObject({
    earned: { value: null, known: { is: 'no', why: 'LIST_INCOMPLETE' } },
    parts: [],
  });
});
