import { getBankAccount, listBankAccounts } from '../contract/endpoints/banks.ts';
import { getFintechWallet } from '../contract/endpoints/wallets.ts';
import { flag, key, listedBy, personalKey, personName, remembered, text, thing, time } from './thing.ts';

export const bankAccounts = listedBy(listBankAccounts, {
  name: 'bank_accounts',
  about: 'the saved bank accounts that payouts go to',
  rows: 'accounts',
  pages: 'whole',
  readBy: 'whole',
  id: 'accountId',
  status: '',
  createdAt: 'createdAt',
  label: ['accountName', 'accountNumber', 'bankName', 'label'],
  facts: [
    personName('Account name', 'accountName', 'account_name'),
    personalKey('Account number', 'accountNumber', 'account_number'),
    text('Bank', 'bankName', 'bank_name'),
    text('Bank code', 'bankCode', 'bank_code'),
    remembered('Label', 'label', 'label'),
    flag('Default', 'isDefault', 'is_default'),
    time('Added', 'createdAt'),
    time('Changed', 'updatedAt', 'updated_at'),
  ],
  columns: [],
});

/** A bank account that payouts go to. */
export const bankAccount = thing({
  name: 'bank account',
  of: 'account',
  list: bankAccounts,
  read: { endpoint: getBankAccount, id: 'accountId' },
  who: ['accountName'],
  links: ['accountNumber'],
  lists: 'bank-accounts list',
  shows: 'bank-accounts show',
  more: ['payout create --amount <cngn> --to ID'],
});

export const externalWallets = listedBy(getFintechWallet, {
  name: 'external_wallets',
  about: 'the registered external wallets',
  rows: 'externalWallets',
  pages: 'whole',
  readBy: 'whole',
  id: 'address',
  status: 'status',
  createdAt: 'addedAt',
  label: ['label', 'blockchain', 'type'],
  facts: [
    key('Address', 'address', 'address'),
    remembered('Label', 'label', 'label'),
    text('Network', 'blockchain', 'blockchain'),
    text('Type', 'type', 'type'),
    flag('Default', 'isDefault', 'is_default'),
    time('Added', 'addedAt'),
  ],
  columns: [],
});

/** A wallet outside that transfers go to. */
export const externalWallet = thing({
  name: 'external wallet',
  of: 'account',
  list: externalWallets,
  lists: 'wallets show',
  who: ['label'],
  links: ['address'],
  more: ['wallets show', 'balances address ID'],
});
