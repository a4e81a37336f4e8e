import { describe, expect, test } from 'vitest';
import { balanceMulti } from '../../../src/contract/endpoints/balances.ts';
import { addBankAccount, listBankAccounts } from '../../../src/contract/endpoints/banks.ts';
import { withdrawFees } from '../../../src/contract/endpoints/fee-withdrawals.ts';
import { accumulatedFees, getFees, manageFees } from '../../../src/contract/endpoints/fees.ts';
import { startOnramp } from '../../../src/contract/endpoints/onramp.ts';
import { listUsers } from '../../../src/contract/endpoints/user-list.ts';
import { onboard } from '../../../src/contract/endpoints/users.ts';
import { getFintechWallet } from '../../../src/contract/endpoints/wallets.ts';
import { openSandbox, type TestSandbox } from '../../support/sandbox.ts';
import { fund, offramp, onboardUser, secondKey } from '../steps.ts';
import { seededAccount } from '../transfers/steps.ts';

/** The first fintech's data, and the second one's key. */
interface Two {
  readonly box: TestSandbox;
  readonly otherKey: string;
  readonly userId: string;
  readonly onboardingId: string;
  readonly onrampId: string;
  readonly offrampId: string;
}

async function openTwo(): Promise<Two & AsyncDisposable> {
  const box = await openSandbox();
  const otherKey = await secondKey(box);
  const { requestId: onboardingId } = await box.ask(onboard, { bvn: '22222222222' });
  const user = await onboardUser(box);
  await fund(box, user, 1000);
  const { requestId: onrampId } = await box.ask(startOnramp, { userId: user.userId, amount: 10 });
  const { requestId: offrampId } = await offramp(box, user.userId, 100n);
  const ids = { userId: user.userId, onboardingId, onrampId, offrampId };
  return { box, otherKey, ...ids, [Symbol.asyncDispose]: box.close };
}

type Request = [method: string, path: string, body?: object];

const toBank = { accountNumber: '0123456789', bankCode: '000013', ticker: 'CNGN' };

const byId: [endpoint: string, request: (two: Two) => Request][] = [
  ['users.onboard-status', ({ onboardingId }) => ['POST', '/onboardstatus', { requestId: onboardingId }]],
  ['users.get-details', ({ userId }) => ['POST', '/getuserdetails', { userId }]],
  ['users.get-details by BVN', ({ userId }) => ['POST', '/getuserdetails', { userId, bvn: '22222222222' }]],
  ['transactions.onramp', ({ userId }) => ['POST', '/cngnonramp', { userId, amount: 1 }]],
  ['transactions.onramp-status', ({ onrampId }) => ['POST', '/cngnonrampstatus', { requestId: onrampId }]],
  ['transactions.offramp', ({ userId }) => ['POST', '/cngnofframp', { userId, amount: 1, ...toBank }]],
  ['transactions.offramp-status', ({ offrampId }) => ['POST', '/cngnofframpstatus', { requestId: offrampId }]],
  ['virtual-accounts.get', ({ onrampId }) => ['POST', '/getvirtualaccount', { requestId: onrampId }]],
  ['wallets.list-user', ({ userId }) => ['POST', '/listuserwallets', { userId }]],
  ['wallets.balance-user', ({ userId }) => ['GET', `/balance/user/${userId}`]],
];

describe('the id of another fintech', () => {
  test.each(byId)("%s: is found with the owner's key", async (_endpoint, request) => {
    await using two = await openTwo();
    const { status } = await two.box.call(...withBody(request(two)), two.box.apiKey);
    expect(status).toBe(200);
  });

  test.each(byId)('%s: is not found with another key', async (_endpoint, request) => {
    await using two = await openTwo();
    const { status, envelope } = await two.box.call(...withBody(request(two)), two.otherKey);
    expect({ status, response_code: envelope.response_code }).toEqual({ status: 404, response_code: '02' });
    expect(envelope.data).toBeUndefined();
  });
});

function withBody([method, path, body]: Request): [string, string, object | undefined] {
  return [method, path, body];
}

describe("lists without an id contain only the caller's data", () => {
  test('users', async () => {
    await using two = await openTwo();
    const mine = await onboardUser(two.box, '44444444444', two.otherKey);
    const { users, pagination } = await two.box.ask(listUsers, {}, two.otherKey);
    expect(users.map(({ userId }) => userId)).toEqual([mine.userId]);
    expect(pagination).toMatchObject({ total: 1, hasMore: false });
    expect((await two.box.ask(listUsers, {})).users.map(({ userId }) => userId)).not.toContain(mine.userId);
  });

  test('bank accounts and their default', async () => {
    await using two = await openTwo();
    const seeded = await seededAccount(two.box, two.otherKey);
    const { accountId } = await two.box.ask(
      addBankAccount,
      { accountNumber: '1234567890', bankCode: '000013', isDefault: true },
      two.otherKey,
    );
    const theirs = await two.box.ask(listBankAccounts, {}, two.otherKey);
    const ours = await two.box.ask(listBankAccounts, {});
    expect(theirs.accounts?.map((account) => account.accountId)).toEqual([accountId, seeded]);
    expect(theirs.defaultAccount?.accountId).toBe(accountId);
    expect(ours.total).toBe(1);
    expect(ours.defaultAccount?.accountId).toBe(ours.accounts?.[0]?.accountId);
    expect([accountId, seeded]).not.toContain(ours.defaultAccount?.accountId);
  });

  test('fees', async () => {
    await using two = await openTwo();
    const ours = await two.box.ask(getFees, {});
    const earned = await two.box.ask(accumulatedFees, {});
    await two.box.ask(manageFees, { onrampFee: { percentageFee: 9, capFee: 9, enabled: false } }, two.otherKey);
    const request = {
      bankAccountNumber: '0123456789',
      bankCode: '000013',
      accountName: 'SAVANNA REMIT',
      amount: 1_000,
    };
    await two.box.ask(withdrawFees, request, two.otherKey);
    const theirs = await two.box.ask(accumulatedFees, {}, two.otherKey);
    expect(theirs.summary).toMatchObject({ pendingWithdrawals: 1_000, totalAccumulatedFees: 25_000_000 });
    expect(await two.box.ask(getFees, {})).toEqual(ours);
    expect(await two.box.ask(accumulatedFees, {})).toEqual(earned);
    expect((await two.box.ask(getFees, {}, two.otherKey)).fintechId).not.toBe(ours.fintechId);
  });

  test('the account wallet and its balance', async () => {
    await using two = await openTwo();
    const wallet = await two.box.ask(getFintechWallet, {}, two.otherKey);
    expect(wallet).toMatchObject({ fintechName: 'Savanna Remit', totalUsers: 0 });
    const ours = await two.box.ask(getFintechWallet, {});
    expect(ours.totalUsers).toBe(2);
    expect(wallet.smartWallet.address).not.toBe(ours.smartWallet.address);
    expect(await two.box.ask(balanceMulti, {}, two.otherKey)).toMatchObject({ totalBalance: '2000000.000000' });
  });

  test('rate limits', async () => {
    await using box = await openSandbox({ rateLimits: true });
    const otherKey = await secondKey(box);
    const get = async (key: string) => (await box.call('GET', '/getfees', undefined, key)).status;
    for (let count = 0; count < 60; count++) await get(box.apiKey);
    expect({ apiKeyGet: await get(box.apiKey), otherKeyGet: await get(otherKey) }).toEqual({
      apiKeyGet: 429,
      otherKeyGet: 200,
    });
  });
});

test('a BVN is unique across all fintechs', async () => {
  await using two = await openTwo();
  const { status, envelope } = await two.box.call('POST', '/onboarduser', { bvn: '22222222222' }, two.otherKey);
  expect({ status, response_code: envelope.response_code }).toEqual({ status: 400, response_code: '01' });
});
