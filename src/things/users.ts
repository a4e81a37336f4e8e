import { listUsers } from '../contract/endpoints/user-list.ts';
import { getDetails, onboard, onboardStatus } from '../contract/endpoints/users.ts';
import { failing, flag, good, key, listedBy, personalKey, personName, text, thing, time, waits } from './thing.ts';

/** The verified users, whether they are active or not. */
export const users = listedBy(listUsers, {
  name: 'users',
  about: 'the verified users',
  rows: 'users',
  pages: 'offset',
  readBy: 'count',
  id: 'userId',
  status: '',
  createdAt: 'createdAt',
  request: { status: 'all' },
  label: ['firstName', 'lastName'],
  facts: [
    personName('First name', ['firstName', 'personalDetails.firstName'], 'first_name'),
    personName('Last name', ['lastName', 'personalDetails.lastName'], 'last_name'),
    flag('Active', 'isActive', 'is_active'),
    key('EVM wallet', ['wallets.evm', 'walletDetails.evmWallet'], 'evm_wallet'),
    key('Solana wallet', 'wallets.solana', 'solana_wallet'),
    key('Bantu wallet', 'wallets.bantu', 'bantu_wallet'),
    personalKey('Account number', 'virtualAccount.accountNumber', 'account_number'),
    personName('Account name', 'virtualAccount.accountName', 'account_name'),
    text('Bank', 'virtualAccount.bankName', 'bank_name'),
    time('Created', 'createdAt'),
    time('Verified', 'verifiedAt', 'verified_at'),
  ],
  columns: [],
});

export const user = thing({
  name: 'user',
  of: 'user',
  list: users,
  read: { endpoint: getDetails, id: 'userId' },
  who: ['virtualAccount.accountName', 'lastName', 'firstName', 'personalDetails.lastName'],
  links: [
    'userId',
    'wallets.evm',
    'wallets.solana',
    'wallets.bantu',
    'virtualAccount.accountNumber',
    'walletDetails.evmWallet',
  ],
  lists: 'users list',
  shows: 'users show',
  events: {
    'user.onboarded': { outcome: 'settled', namesAnother: true },
    'virtual.account.created': { outcome: 'accepted', namesAnother: true },
  },
  due: ({ accountNumber }) => [['user.onboarded'], accountNumber != null && ['virtual.account.created']],
  more: ['history deposits --user ID --all'],
  ifActive: ['onramp create ID --amount <naira>'],
  ifInactive: ['users activate ID'],
});

/** A user's verification. */
export const onboarding = thing({
  name: 'onboarding',
  isSpecial: true,
  of: 'user',
  starts: [onboard],
  read: { endpoint: onboardStatus, id: 'requestId' },
  states: {
    processing: waits('waits for the BVN to be verified'),
    completed: good,
    verified: good,
    ...failing(onboardStatus),
  },
  facts: [
    key('User', 'userId'),
    flag('Verified', 'verified'),
    text('Message', ['details.userMessage', 'details.error.message', 'message']),
    time('Requested', 'createdAt'),
  ],
  reason: ['details.userMessage', 'details.error.message', 'message'],
  lists: 'users list',
  shows: 'users onboarding status',
  events: { 'user.onboarded': { outcome: 'settled' } },
});
