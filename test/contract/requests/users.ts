import type { BadCase, Case } from './case.ts';

const userId = 'usr-s-1';
const long = 'x'.repeat(501);
const wallet = { userId, address: `0x${'AB'.repeat(20)}`, blockchain: 'base' };
const asset = { userId, preferredAsset: 'cNGN' };

export const good: readonly Case[] = [
  ['users.set-status', { userId, active: true }],
  ['users.set-status', { userId, active: false, reason: 'lost phone', unknown: 1 }],
  // Whether a reason is required depends on another field, so the operation checks it.
  ['users.set-status', { userId, active: false }],
  ['users.set-default-wallet', wallet],
  ['users.set-default-wallet', { ...wallet, blockchain: 'Base', label: 'Ada’s own' }],
  [
    'users.set-default-wallet',
    { ...wallet, address: 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF', blockchain: 'xbn', unknown: 1 },
  ],
  ['users.get-default-wallet', { userId }],
  ['users.remove-default-wallet', { userId }],
  ['management.update-onramp-asset', { userId }],
  ['management.update-onramp-asset', asset],
  ['management.update-onramp-asset', { ...asset, preferences: {} }],
  [
    'management.update-onramp-asset',
    { userId, preferences: { defaultAsset: 'USDC', autoSwap: false, slippageTolerance: '0.5' } },
  ],
  ['management.update-onramp-asset', { userId, preferences: { slippageTolerance: '0' } }],
  ['management.update-onramp-asset', { userId, preferences: { slippageTolerance: '100' } }],
  ['management.update-onramp-asset', { userId, preferences: { slippageTolerance: '0.000001' } }],
];

export const bad: readonly BadCase[] = [
  ['users.set-default-wallet', { ...wallet, address: `0x${'aB'.repeat(20)}` }, 'address'],
  ['users.set-default-wallet', { ...wallet, address: 'G'.repeat(56), blockchain: 'xbn' }, 'address'],
  [
    'users.set-default-wallet',
    { ...wallet, address: 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF' },
    'address',
  ],
  ['users.set-status', {}, 'userId', 'active'],
  ['users.set-status', { userId }, 'active'],
  ['users.set-status', { active: true }, 'userId'],
  ['users.set-status', { userId: '', active: true }, 'userId'],
  ['users.set-status', { userId, active: 'true' }, 'active'],
  ['users.set-status', { userId, active: 1 }, 'active'],
  ['users.set-status', { userId, active: null }, 'active'],
  ['users.set-status', { userId, active: false, reason: '' }, 'reason'],
  ['users.set-status', { userId, active: false, reason: 5 }, 'reason'],
  ['users.set-status', { userId, active: false, reason: 'a\nb' }, 'reason'],
  ['users.set-status', { userId, active: false, reason: long }, 'reason'],
  ['users.set-default-wallet', { ...wallet, userId: undefined }, 'userId'],
  ['users.set-default-wallet', { ...wallet, address: undefined }, 'address'],
  ['users.set-default-wallet', { ...wallet, address: '' }, 'address'],
  ['users.set-default-wallet', { ...wallet, address: `${wallet.address}\n` }, 'address'],
  ['users.set-default-wallet', { ...wallet, blockchain: undefined }, 'blockchain'],
  ['users.set-default-wallet', { ...wallet, blockchain: '' }, 'blockchain'],
  ['users.set-default-wallet', { ...wallet, blockchain: 8453 }, 'blockchain'],
  ['users.set-default-wallet', { ...wallet, label: '' }, 'label'],
  ['users.set-default-wallet', { ...wallet, label: long }, 'label'],
  ['users.get-default-wallet', {}, 'userId'],
  ['users.get-default-wallet', { userId: '' }, 'userId'],
  ['users.remove-default-wallet', {}, 'userId'],
  ['users.remove-default-wallet', { userId: null }, 'userId'],
  ['management.update-onramp-asset', { preferredAsset: 'USDC' }, 'userId'],
  ['management.update-onramp-asset', { ...asset, preferredAsset: '' }, 'preferredAsset'],
  ['management.update-onramp-asset', { ...asset, preferences: 'USDC' }, 'preferences'],
  ['management.update-onramp-asset', { ...asset, preferences: { defaultAsset: 1 } }, 'preferences.defaultAsset'],
  ['management.update-onramp-asset', { ...asset, preferences: { autoSwap: 'yes' } }, 'preferences.autoSwap'],
  [
    'management.update-onramp-asset',
    { ...asset, preferences: { slippageTolerance: 0.5 } },
    'preferences.slippageTolerance',
  ],
  [
    'management.update-onramp-asset',
    { ...asset, preferences: { slippageTolerance: '-1' } },
    'preferences.slippageTolerance',
  ],
  [
    'management.update-onramp-asset',
    { ...asset, preferences: { slippageTolerance: '101' } },
    'preferences.slippageTolerance',
  ],
  [
    'management.update-onramp-asset',
    { ...asset, preferences: { slippageTolerance: '0.0000001' } },
    'preferences.slippageTolerance',
  ],
  [
    'management.update-onramp-asset',
    { ...asset, preferences: { slippageTolerance: '00.5' } },
    'preferences.slippageTolerance',
  ],
  [
    'management.update-onramp-asset',
    { ...asset, preferences: { slippageTolerance: '5%' } },
    'preferences.slippageTolerance',
  ],
];
