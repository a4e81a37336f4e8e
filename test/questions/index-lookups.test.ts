import { expect, test } from 'vitest';
import { copyPath } from '../../src/account/paths.ts';
import { resolveProfile } from '../../src/account/profile.ts';
import { openCopyFile } from '../../src/copy/database.ts';
import { reachOf, rowsWithKey, rowsWithSum, statusesOf, userWith } from '../../src/copy/questions/in-copy.ts';
import { thingNamed } from '../../src/things/index.ts';
import { testQueryPlans } from '../support/query-plans.ts';
import { fakeWorld } from '../support/world.ts';
import { copied, deposit, payout, SYNCED_AT, USER } from './copy.ts';

/** What the local copy has, read by `work`. */
async function reading<T>(work: Parameters<Awaited<ReturnType<typeof openCopyFile>>['read']>[0]): Promise<T> {
  const world = fakeWorld();
  await copied(world, { users: [USER], deposits: [deposit('d1'), deposit('d2')], payouts: [payout('p1')] });
  const copy = await openCopyFile(copyPath(world, resolveProfile(undefined, world)), world);
  try {
    return (await copy.read(work)) as T;
  } finally {
    await copy.close();
  }
}

const found = ({ rows }: Awaited<ReturnType<typeof rowsWithKey>>) =>
  rows.map(({ kind, id, rank, matchedBy }) => `${kind.name} ${id}: ${rank}, ${matchedBy}`);

test.each([
  ['an id', 'p1', ['payout p1: 0, id']],
  ['a bank reference', 'bank-p1', ['payout p1: 2, reference']],
  ['a hash', `0x${'d1'.padEnd(64, '0')}`, ['deposit d1: 2, tx_hash']],
  [
    'an account number',
    '7000000001',
    ['user user-0001: 1, account_number', 'deposit d1: 3, account_number', 'deposit d2: 3, account_number'],
  ],
  ['nothing', 'nobody', []],
])('%s is found in every list by index', async (_, key, expected) => {
  expect(found(await reading((queries) => rowsWithKey(queries, [key], 20)))).toEqual(expected);
});

test('a sum is found in each of its columns, in its asset only', async () => {
  const sum = (asset: 'NGN' | 'USDC', minor: bigint) =>
    reading<Awaited<ReturnType<typeof rowsWithSum>>>((queries) => rowsWithSum(queries, [{ asset, minor }], 20));
  expect(found(await sum('NGN', 510_000n))).toEqual(['deposit d1: 3, amount', 'deposit d2: 3, amount']);
  expect(found(await sum('USDC', 510_000n))).toEqual([]);
});

test('more rows than are listed are said', async () => {
  const { rows, cut } = await reading<Awaited<ReturnType<typeof rowsWithKey>>>((queries) =>
    rowsWithKey(queries, ['user-0001'], 1),
  );
  expect({ count: rows.length, cut }).toEqual({ count: 2, cut: ['deposits'] });
});

test('the user of a wallet, the statuses of a row and the reach of the copy are found by index', async () => {
  const user = await reading<Awaited<ReturnType<typeof userWith>>>((queries) =>
    userWith(queries, [`0x${'a'.repeat(40)}`]),
  );
  expect(user?.id).toBe('user-0001');
  expect(await reading((queries) => statusesOf(queries, { kind: thingNamed('payout'), id: 'p1' }))).toEqual([]);
  expect(await reading(reachOf)).toEqual({ from: USER.createdAt, syncedAt: SYNCED_AT, partial: [] });
});

testQueryPlans();
