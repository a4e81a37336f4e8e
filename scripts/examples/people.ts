/** Users, and money between banks and wallets. */
import { sandboxPay } from '../../src/contract/control.ts';
import { addBankAccount, deleteBankAccount } from '../../src/contract/endpoints/banks.ts';
import {
  getDefaultWallet,
  removeDefaultWallet,
  setDefaultWallet,
} from '../../src/contract/endpoints/default-wallets.ts';
import { addExternalWallet } from '../../src/contract/endpoints/external-wallets.ts';
import { listDeposits, listPayouts, listTransactions } from '../../src/contract/endpoints/history.ts';
import { offrampStatus, startOfframp } from '../../src/contract/endpoints/offramp.ts';
import { onrampStatus, startOnramp } from '../../src/contract/endpoints/onramp.ts';
import { payoutStatus, startPayout } from '../../src/contract/endpoints/payouts.ts';
import { recoverRequest, recoverRequestByPost } from '../../src/contract/endpoints/recovery.ts';
import { transferToWallet } from '../../src/contract/endpoints/transfers.ts';
import { listUsers } from '../../src/contract/endpoints/user-list.ts';
import { setStatus, updateOnrampAsset } from '../../src/contract/endpoints/user-settings.ts';
import { getDetails, onboard, onboardStatus } from '../../src/contract/endpoints/users.ts';
import { getFintechAccount, getVirtualAccount } from '../../src/contract/endpoints/virtual-accounts.ts';
import { listWithdrawals, withdrawAsset } from '../../src/contract/endpoints/withdrawals.ts';
import type { Recorder } from './recorder.ts';

export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
export const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
export const OTHER_ADDRESS = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
export const BANK = { accountNumber: '0123456789', bankCode: '000013' } as const;
/** A bank account to which every payout fails. */
const FAILING = '0000000009';
const HOUR_MS = 3_600_000;

/** Onboards a user by BVN and returns the id. */
export async function onboardUser(box: Recorder, bvn: string): Promise<string> {
  const { requestId, userHash } = await box.ok(onboard, { bvn });
  await box.pass();
  await box.ok(onboardStatus, { requestId });
  return userHash;
}

/** Pays Naira into a virtual account. */
const pay = (box: Recorder, accountNumber: string, amount: number, senderName: string) =>
  box.ok(sandboxPay, { accountNumber, amount, senderName }, { isExample: false });

/** Gives a user cNGN by an onramp, and returns the wallet that has it. */
export async function fund(
  box: Recorder,
  userId: string,
  amount: number,
  more: { readonly sweepToOfframp?: boolean } = {},
) {
  const { requestId, walletAddress } = await box.ok(startOnramp, { userId, amount, ...more });
  await box.pass(200);
  const { virtualAccount } = await box.ok(getVirtualAccount, { requestId });
  await pay(box, virtualAccount.accountNumber, Number(virtualAccount.totalAmountWithFee), 'ADA OBI');
  await box.pass();
  return { requestId, walletAddress };
}

export interface People {
  readonly userId: string;
  readonly walletAddress: string;
  readonly emptyUserId: string;
}

export async function recordPeople(box: Recorder): Promise<People> {
  const userId = await onboardUser(box, '22222222222');
  const emptyUserId = await onboardUser(box, '22222222223');
  await recordUsers(box, userId);
  const { walletAddress } = await recordOnramps(box, userId);
  await recordPayouts(box, userId, emptyUserId);
  await recordTokens(box, userId, walletAddress);
  for (const [list, found] of [
    [listDeposits, { limit: 1 }],
    [listPayouts, { limit: 1 }],
    [listTransactions, { limit: 1 }],
    [listWithdrawals, { limit: 1 }],
  ] as const) {
    await box.ok(list, found);
    await box.refused(list, 'type or status is unknown', { status: 'lost' });
  }
  return { userId, walletAddress, emptyUserId };
}

async function recordUsers(box: Recorder, userId: string): Promise<void> {
  await box.refused(onboard, 'not exactly 11 digits', { bvn: '1234' });
  await box.refused(onboard, 'already belongs', { bvn: '22222222222' });
  await box.refused(onboard, 'identity provider', { bvn: '00000000001' });
  await box.refused(onboardStatus, 'unknown', { requestId: UNKNOWN_ID });
  await box.ok(getDetails, { userId });
  await box.refused(getDetails, 'unknown or not verified', { userId: UNKNOWN_ID });
  await box.ok(listUsers, { limit: 1 });
  await box.refused(listUsers, 'limit', { limit: 101 });
  await box.ok(setStatus, { userId, active: false, reason: 'requested by the user' });
  await box.ok(setStatus, { userId, active: true });
  await box.refused(setStatus, 'unknown or not verified', { userId: UNKNOWN_ID, active: true });
  await box.refused(setStatus, 'no reason', { userId, active: false });
  await box.ok(updateOnrampAsset, { userId, preferredAsset: 'USDC', preferences: { autoSwap: false } });
  await box.refused(updateOnrampAsset, 'unknown', { userId: UNKNOWN_ID, preferredAsset: 'USDC' });
  const wallet = { userId, address: ADDRESS, blockchain: 'base', label: 'cold storage' };
  await box.ok(setDefaultWallet, wallet);
  await box.refused(setDefaultWallet, 'unknown or not verified', { ...wallet, userId: UNKNOWN_ID });
  await box.refused(setDefaultWallet, 'not valid', { ...wallet, address: '0x1234' });
  await box.ok(getDefaultWallet, { userId });
  await box.ok(removeDefaultWallet, { userId });
  for (const endpoint of [getDefaultWallet, removeDefaultWallet])
    await box.refused(endpoint, 'unknown or not verified', { userId: UNKNOWN_ID });
}

async function recordOnramps(box: Recorder, userId: string) {
  const funded = await fund(box, userId, 50_000);
  await box.ok(onrampStatus, { requestId: funded.requestId });
  await box.refused(onrampStatus, 'request id', { requestId: UNKNOWN_ID });
  await box.refused(startOnramp, 'amount of 0', { userId, amount: 0 });
  await box.refused(startOnramp, 'unknown or not verified', { userId: UNKNOWN_ID, amount: 5000 });
  await box.refused(getVirtualAccount, 'no bank account', { requestId: UNKNOWN_ID });
  const { requestId } = await box.ok(startOnramp, { userId, amount: 5000 });
  await box.pass(HOUR_MS);
  await box.refused(getVirtualAccount, 'older than 30 minutes', { requestId });
  const { virtualAccount } = await box.ok(getFintechAccount, {});
  await pay(box, virtualAccount.accountNumber, 250_000, 'ADA OBI');
  const {
    virtualAccounts: [own],
    personalDetails,
  } = await box.ok(getDetails, { userId });
  const name = [personalDetails?.firstName, personalDetails?.middleName, personalDetails?.lastName]
    .filter(Boolean)
    .join(' ');
  await pay(box, own?.accountNumber ?? '', 20_000, name);
  await pay(box, own?.accountNumber ?? '', 20_000, 'SOMEONE ELSE');
  await box.pass();
  return funded;
}

async function recordPayouts(box: Recorder, userId: string, emptyUserId: string): Promise<void> {
  const offramp = { userId, amount: 2000, ...BANK, ticker: 'CNGN' };
  const { requestId } = await box.ok(startOfframp, offramp);
  await box.pass();
  await box.ok(offrampStatus, { requestId });
  await box.ok(startOfframp, { ...offramp, accountNumber: FAILING });
  await box.pass(HOUR_MS);
  await box.refused(offrampStatus, 'unknown', { requestId: UNKNOWN_ID });
  await box.refused(startOfframp, 'bank code with letters', { ...offramp, bankCode: 'GTB' });
  await box.refused(startOfframp, 'below the amount', { ...offramp, amount: 90_000_000 });
  await box.refused(startOfframp, 'has a balance', { ...offramp, userId: emptyUserId });
  await box.refused(startOfframp, 'unknown or not verified', { ...offramp, userId: UNKNOWN_ID });
  await box.ok(recoverRequest, { requestId });
  await box.ok(recoverRequestByPost, { requestId });
  for (const endpoint of [recoverRequest, recoverRequestByPost])
    await box.refused(endpoint, 'unknown', { requestId: UNKNOWN_ID });

  const account = await box.ok(addBankAccount, { ...BANK, isDefault: true, label: 'settlement' });
  const bankAccountId = account.accountId ?? '';
  const payout = { amount: 5_000_000_000, bankAccountId };
  const { requestId: payoutId } = await box.ok(startPayout, payout);
  await box.refused(deleteBankAccount, 'pending', { accountId: bankAccountId });
  await box.pass();
  await box.ok(payoutStatus, { requestId: payoutId });
  await box.refused(payoutStatus, 'unknown', { requestId: UNKNOWN_ID });
  await box.refused(startPayout, 'greater than 0', { ...payout, amount: 0 });
  await box.refused(startPayout, 'no payout account', { ...payout, bankAccountId: UNKNOWN_ID });
  await box.refused(startPayout, 'too low', { ...payout, amount: 900_000_000_000_000 });
  const failing = await box.ok(addBankAccount, { ...BANK, accountNumber: FAILING });
  await box.ok(startPayout, { amount: 5_000_000_000, bankAccountId: failing.accountId ?? '' });
  await box.pass(HOUR_MS);
}

async function recordTokens(box: Recorder, userId: string, internalWallet: string): Promise<void> {
  const withdrawal = {
    userId,
    internalWallet,
    destinationWallet: OTHER_ADDRESS,
    amount: 200,
    ticker: 'CNGN',
    network: 'base',
  } as const;
  await box.ok(withdrawAsset, withdrawal);
  await box.refused(withdrawAsset, 'amount of 0', { ...withdrawal, amount: 0 });
  await box.refused(withdrawAsset, 'unknown or not verified', { ...withdrawal, userId: UNKNOWN_ID });
  await box.refused(withdrawAsset, 'too low', { ...withdrawal, amount: 900_000 });
  // The amount of a withdrawal that fails.
  await box.ok(withdrawAsset, { ...withdrawal, amount: 1601 });
  await box.ok(addExternalWallet, { address: ADDRESS, blockchain: 'base', type: 'cold', label: 'vault' });
  const transfer = {
    destinationAddress: ADDRESS,
    amount: 1_000_000_000,
    ticker: 'CNGN',
    note: 'monthly sweep',
  } as const;
  await box.ok(transferToWallet, transfer);
  await box.refused(transferToWallet, 'not a registered', { ...transfer, destinationAddress: OTHER_ADDRESS });
  await box.refused(transferToWallet, 'too low', { ...transfer, amount: 900_000_000_000_000 });
  await box.ok(transferToWallet, { ...transfer, amount: 1_601_000_000 });
  await box.pass(HOUR_MS);
}
