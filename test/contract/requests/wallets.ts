import type { Case } from './case.ts';

const address = `0x${'AB'.repeat(20)}`;
const external = { address, blockchain: 'base', type: 'cold' };

export const good: readonly Case[] = [
  ['wallets.add-external', external],
  ['wallets.add-external', { ...external, blockchain: 'Ethereum', type: 'hot' }],
  ['wallets.add-external', { ...external, type: 'custodial', label: 'Treasury', purpose: 'reserves', isDefault: true }],
  [
    'wallets.add-external',
    { ...external, type: 'other', metadata: { custodian: 'A', location: 'B', backupExists: true, more: 1 } },
  ],
  ['wallets.set-external-status', { address, status: 'active' }],
  ['wallets.set-external-status', { address, status: 'inactive', unknown: 1 }],
  ['wallets.remove-external', { address }],
  ['wallets.migrate-users', { userId: ['usr-s-1'] }],
  ['wallets.migrate-users', { userId: ['usr-s-1', 'usr-s-2'], force: true, options: { any: 1 } }],
  ['wallets.migrate-users', { userId: Array.from({ length: 1000 }, () => 'u') }],
  ['wallets.balance-address', { address }],
  ['wallets.balance-address', { address, token: 'USDT', networks: ['base', 'BSC'] }],
  ['wallets.balance-address', { address, networks: [] }],
];

export const bad: readonly Case[] = [
  ['wallets.add-external', { ...external, address: undefined }],
  ['wallets.add-external', { ...external, address: '' }],
  ['wallets.add-external', { ...external, blockchain: undefined }],
  ['wallets.add-external', { ...external, blockchain: '' }],
  ['wallets.add-external', { ...external, type: undefined }],
  ['wallets.add-external', { ...external, type: 'warm' }],
  ['wallets.add-external', { ...external, type: 'Cold' }],
  ['wallets.add-external', { ...external, label: '' }],
  ['wallets.add-external', { ...external, purpose: 1 }],
  ['wallets.add-external', { ...external, isDefault: 'true' }],
  ['wallets.add-external', { ...external, metadata: 'none' }],
  ['wallets.add-external', { ...external, metadata: { backupExists: 'yes' } }],
  ['wallets.add-external', { ...external, metadata: { custodian: '' } }],
  ['wallets.set-external-status', { address }],
  ['wallets.set-external-status', { status: 'active' }],
  ['wallets.set-external-status', { address, status: 'Active' }],
  ['wallets.set-external-status', { address, status: 'gone' }],
  ['wallets.remove-external', {}],
  ['wallets.remove-external', { address: '' }],
  ['wallets.migrate-users', {}],
  ['wallets.migrate-users', { userId: 'usr-s-1' }],
  ['wallets.migrate-users', { userId: [] }],
  ['wallets.migrate-users', { userId: ['usr s 1'] }],
  ['wallets.migrate-users', { userId: [''] }],
  ['wallets.migrate-users', { userId: Array.from({ length: 1001 }, () => 'u') }],
  ['wallets.migrate-users', { userId: ['usr-s-1'], force: 'true' }],
  ['wallets.migrate-users', { userId: ['usr-s-1'], options: 'none' }],
  ['wallets.balance-address', {}],
  ['wallets.balance-address', { address: address.slice(0, -1) }],
  ['wallets.balance-address', { address: 'G'.repeat(56) }],
  ['wallets.balance-address', { address, token: 'DOGE' }],
  ['wallets.balance-address', { address, networks: 'base,eth' }],
  ['wallets.balance-address', { address, networks: ['base 1'] }],
];
