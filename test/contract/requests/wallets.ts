import type { BadCase, Case } from './case.ts';

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

export const bad: readonly BadCase[] = [
  ['wallets.add-external', { ...external, address: undefined }, 'address'],
  ['wallets.add-external', { ...external, address: '' }, 'address'],
  ['wallets.add-external', { ...external, blockchain: undefined }, 'blockchain'],
  ['wallets.add-external', { ...external, blockchain: '' }, 'blockchain'],
  ['wallets.add-external', { ...external, type: undefined }, 'type'],
  ['wallets.add-external', { ...external, type: 'warm' }, 'type'],
  ['wallets.add-external', { ...external, type: 'Cold' }, 'type'],
  ['wallets.add-external', { ...external, label: '' }, 'label'],
  ['wallets.add-external', { ...external, purpose: 1 }, 'purpose'],
  ['wallets.add-external', { ...external, isDefault: 'true' }, 'isDefault'],
  ['wallets.add-external', { ...external, metadata: 'none' }, 'metadata'],
  ['wallets.add-external', { ...external, metadata: { backupExists: 'yes' } }, 'metadata.backupExists'],
  ['wallets.add-external', { ...external, metadata: { custodian: '' } }, 'metadata.custodian'],
  ['wallets.set-external-status', { address }, 'status'],
  ['wallets.set-external-status', { status: 'active' }, 'address'],
  ['wallets.set-external-status', { address, status: 'Active' }, 'status'],
  ['wallets.set-external-status', { address, status: 'gone' }, 'status'],
  ['wallets.remove-external', {}, 'address'],
  ['wallets.remove-external', { address: '' }, 'address'],
  ['wallets.migrate-users', {}, 'userId'],
  ['wallets.migrate-users', { userId: 'usr-s-1' }, 'userId'],
  ['wallets.migrate-users', { userId: [] }, 'userId'],
  ['wallets.migrate-users', { userId: ['usr s 1'] }, 'userId.0'],
  ['wallets.migrate-users', { userId: [''] }, 'userId.0'],
  ['wallets.migrate-users', { userId: Array.from({ length: 1001 }, () => 'u') }, 'userId'],
  ['wallets.migrate-users', { userId: ['usr-s-1'], force: 'true' }, 'force'],
  ['wallets.migrate-users', { userId: ['usr-s-1'], options: 'none' }, 'options'],
  ['wallets.balance-address', {}, 'address'],
  ['wallets.balance-address', { address: address.slice(0, -1) }, 'address'],
  ['wallets.balance-address', { address: 'G'.repeat(56) }, 'address'],
  ['wallets.balance-address', { address, token: 'DOGE' }, 'token'],
  ['wallets.balance-address', { address, networks: 'base,eth' }, 'networks'],
  ['wallets.balance-address', { address, networks: ['base 1'] }, 'networks.0'],
];
