/** The account’s wallets, bank accounts, fees, keys and webhook. */
import { sandboxSettle } from '../../src/contract/control.ts';
import { ipAllowlist } from '../../src/contract/endpoints/allowlist.ts';
import { balanceAddress, balanceMulti, balanceUser } from '../../src/contract/endpoints/balances.ts';
import {
  addBankAccount,
  deleteBankAccount,
  getBankAccount,
  listBankAccounts,
  listBanks,
  updateBankAccount,
} from '../../src/contract/endpoints/banks.ts';
import {
  addExternalWallet,
  removeExternalWallet,
  setExternalWalletStatus,
} from '../../src/contract/endpoints/external-wallets.ts';
import { feeWithdrawals, verifyWithdrawal, withdrawFees } from '../../src/contract/endpoints/fee-withdrawals.ts';
import { accumulatedFees, getFees, manageFees, previewFees } from '../../src/contract/endpoints/fees.ts';
import {
  autoSigningConfig,
  createSandboxKey,
  getAesKey,
  getPlatformPublicKey,
  getWebhook,
  regenerateApiKey,
  setWebhook,
  storePublicKey,
  toggleWebhook,
} from '../../src/contract/endpoints/management.ts';
import { migrateUserWallets } from '../../src/contract/endpoints/wallet-migration.ts';
import { getFintechWallet, listUserWallets } from '../../src/contract/endpoints/wallets.ts';
import { ADDRESS, BANK, OTHER_ADDRESS, type People, UNKNOWN_ID } from './people.ts';
import type { Recorder } from './recorder.ts';

export async function recordAccount(box: Recorder, people: People): Promise<void> {
  await recordWallets(box, people);
  await recordBankAccounts(box);
  await recordFees(box);
  await recordManagement(box);
}

async function recordWallets(box: Recorder, { userId }: People): Promise<void> {
  await box.ok(listUserWallets, { userId });
  await box.refused(listUserWallets, 'unknown or not verified', { userId: UNKNOWN_ID });
  await box.ok(migrateUserWallets, { userId: [userId] });
  await box.ok(balanceMulti, { token: 'CNGN', networks: 'base,bsc' });
  await box.ok(balanceAddress, { address: ADDRESS, token: 'CNGN', networks: ['base'] });
  await box.refused(balanceAddress, 'EVM', { address: '0x1234' });
  await box.ok(balanceUser, { userId, token: 'CNGN' });
  await box.refused(balanceUser, 'unknown', { userId: UNKNOWN_ID });
  const wallet = { address: OTHER_ADDRESS, blockchain: 'base', type: 'cold', label: 'reserve' } as const;
  await box.ok(addExternalWallet, wallet);
  await box.refused(addExternalWallet, 'not valid', { ...wallet, address: '0x1234' });
  await box.refused(addExternalWallet, 'already registered', wallet);
  await box.ok(getFintechWallet, {});
  await box.ok(setExternalWalletStatus, { address: OTHER_ADDRESS, status: 'inactive' });
  await box.refused(setExternalWalletStatus, 'neither', { address: OTHER_ADDRESS, status: 'lost' });
  await box.ok(removeExternalWallet, { address: OTHER_ADDRESS });
  const unknown = { address: OTHER_ADDRESS, status: 'active' };
  await box.refused(setExternalWalletStatus, 'no external wallet', unknown);
  await box.refused(removeExternalWallet, 'no external wallet', { address: OTHER_ADDRESS });
}

async function recordBankAccounts(box: Recorder): Promise<void> {
  await box.ok(listBanks, {});
  await box.refused(addBankAccount, '10 digits', { ...BANK, accountNumber: '1234' });
  await box.refused(addBankAccount, 'does not have this account', { ...BANK, accountNumber: '0000000000' });
  const { accountId = '' } = await box.ok(addBankAccount, { ...BANK, accountNumber: '0123456780', label: 'fees' });
  const given = { accountId: accountId ?? '' };
  await box.ok(updateBankAccount, { ...given, label: 'fees and refunds' });
  await box.ok(getBankAccount, given);
  await box.ok(listBankAccounts, {});
  await box.ok(deleteBankAccount, given);
  for (const endpoint of [updateBankAccount, getBankAccount, deleteBankAccount])
    await box.refused(endpoint, 'no payout account', { accountId: UNKNOWN_ID, label: 'fees' });
}

async function recordFees(box: Recorder): Promise<void> {
  await box.ok(getFees, {});
  const onrampFee = { percentageFee: 0.5, capFee: 50_000, enabled: true };
  await box.ok(manageFees, { onrampFee, metadata: { notes: 'agreed in January' } });
  await box.refused(manageFees, 'incomplete', { onrampFee: { percentageFee: 0.5 } });
  await box.ok(previewFees, { amount: 500_000, transactionType: 'onramp' });
  await box.refused(previewFees, 'missing', { amount: 500_000, transactionType: 'swap' });
  await box.ok(accumulatedFees, {});
  const { accountNumber: bankAccountNumber, bankCode } = BANK;
  const withdrawal = {
    bankAccountNumber,
    bankCode,
    accountName: 'HARMATTAN PAY',
    amount: 2_500_000,
    narration: 'January fees',
  };
  const { withdrawalId } = await box.ok(withdrawFees, withdrawal);
  await box.refused(withdrawFees, 'required field', { ...withdrawal, accountName: undefined });
  await box.refused(withdrawFees, 'below the minimum', { ...withdrawal, amount: 100 });
  await box.refused(withdrawFees, 'above the maximum', { ...withdrawal, amount: 900_000_000_000 });
  await box.refused(withdrawFees, 'above the available', { ...withdrawal, amount: 90_000_000 });
  await box.ok(sandboxSettle, {}, { isExample: false });
  await box.ok(verifyWithdrawal, { withdrawalId });
  await box.refused(verifyWithdrawal, 'no fee withdrawal', { withdrawalId: UNKNOWN_ID });
  await box.ok(feeWithdrawals, { limit: 1 });
}

async function recordManagement(box: Recorder): Promise<void> {
  await box.refused(toggleWebhook, 'no webhook', { enabled: true });
  const webhook = {
    webhookUrl: 'https://hooks.example.com/fiatrail',
    secret: 'EXAMPLE',
    enabled: true,
    events: ['all'],
  };
  await box.ok(setWebhook, webhook);
  await box.refused(setWebhook, 'not HTTPS', { ...webhook, webhookUrl: 'ftp://hooks.example.com' });
  await box.refused(setWebhook, 'event name', { ...webhook, events: ['lost'] });
  await box.ok(getWebhook, {});
  await box.ok(toggleWebhook, { enabled: false });
  await box.ok(ipAllowlist, { action: 'add', ipAddress: '203.0.113.7', description: 'office' });
  await box.refused(ipAllowlist, 'malformed', { action: 'add' });
  await box.refused(ipAllowlist, 'not on the list', { action: 'remove', ipAddress: '203.0.113.8' });
  await box.ok(getPlatformPublicKey, {});
  await box.ok(getAesKey, {});
  await box.ok(autoSigningConfig, {});
  await box.ok(createSandboxKey, { fintechName: 'Harmattan Pay' }, { apiKey: await box.keyOf(1, 'production') });
  await box.refused(createSandboxKey, 'production key', {}, 'wrong');
  await box.refused(storePublicKey, '64 hexadecimal', { data: 'ab' });
  // Last, because the key no longer works then, and responses are encrypted.
  const { apiKey: renewed } = await box.ok(regenerateApiKey, {});
  await box.ok(storePublicKey, { data: 'e5'.repeat(32) }, { apiKey: renewed ?? '' });
}
