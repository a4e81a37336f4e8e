import { describe, expect, test } from 'vitest';
import { balanceUser } from '../../../src/contract/endpoints/balances.ts';
import { listUsers } from '../../../src/contract/endpoints/user-list.ts';
import { migrateUserWallets } from '../../../src/contract/endpoints/wallet-migration.ts';
import { listUserWallets } from '../../../src/contract/endpoints/wallets.ts';
import { withdrawAsset } from '../../../src/contract/endpoints/withdrawals.ts';
import { openSandbox } from '../../support/sandbox.ts';
import { expectSettledLedger, fund, offramp, onboardUser, payIn, secondKey, settle } from '../steps.ts';
import { managedAddress, OUTSIDE } from '../transfers/steps.ts';

describe('the migration of wallets', () => {
  test('skips users with a wallet, and fails for each unknown id', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const theirs = await onboardUser(box, undefined, await secondKey(box));
    const answer = await box.ask(migrateUserWallets, { userId: ['nobody', userId, theirs.userId, userId] });
    const { results, requestId, ...counts } = answer;
    expect(counts).toEqual({ totalProcessed: 3, created: 0, migrated: 0, skipped: 1, failed: 2 });
    expect(requestId).toMatch(/^migrate_/);
    expect(results?.map((each) => [each.userId, each.status, each.deployed])).toEqual([
      ['nobody', 'failed', undefined],
      [userId, 'skipped', undefined],
      [theirs.userId, 'failed', undefined],
    ]);
    expect(results?.filter(({ reason }) => !reason)).toEqual([]);
    expect(results?.[1]?.walletAddress).toBe(await managedAddress(box, userId));
  });

  test('with force creates a new wallet, which all reads then use', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    const { userId } = user;
    const old = await managedAddress(box, userId);
    const { migrated, results } = await box.ask(migrateUserWallets, { userId: [userId], force: true });
    const fresh = await managedAddress(box, userId);
    expect(migrated).toBe(1);
    expect(results).toMatchObject([{ userId, status: 'migrated', walletAddress: fresh, deployed: true }]);
    expect(fresh).not.toBe(old);
    const { users } = await box.ask(listUsers, {});
    expect(users.map(({ wallets }) => wallets?.evm)).toEqual([fresh]);
    await payIn(box, user.accountNumber, 100_000n, user.name);
    await fund(box, user, 22, { sweepToOfframp: true });
    const { wallets } = await box.ask(listUserWallets, { userId });
    const held = wallets?.filter(({ balances }) => Number(balances?.CNGN?.balance) > 0);
    expect(held?.map(({ walletAddress, balances }) => [walletAddress, balances?.CNGN?.balance])).toEqual([
      [fresh, '1000.000000'],
    ]);
    await expectSettledLedger(box);
  });

  test("with force leaves the old wallet's balance available for withdrawals and payouts", async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    const { userId } = user;
    await fund(box, user, 300, { sweepToOfframp: true });
    const old = await managedAddress(box, userId);
    for (let round = 0; round < 2; round++) await box.ask(migrateUserWallets, { userId: [userId], force: true });
    const { totalBalance, networkBalances } = await box.ask(balanceUser, { userId });
    expect(totalBalance).toBe('300.000000');
    expect(networkBalances?.find(({ walletAddress }) => walletAddress === old)?.balance).toBe('300.000000');
    const request = { userId, internalWallet: old, destinationWallet: OUTSIDE, amount: 99, ticker: 'CNGN' } as const;
    await box.ask(withdrawAsset, request);
    await offramp(box, userId, 10_000n);
    await settle(box);
    expect((await box.ask(balanceUser, { userId })).totalBalance).toBe('100.000000');
    await expectSettledLedger(box);
  });
});
