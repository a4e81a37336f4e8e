import type { Case } from './case.ts';

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

export const bad: readonly Case[] = [
  ['users.set-default-wallet', { ...wallet, address: `0x${'aB'.repeat(20)}` }],
  ['users.set-default-wallet', { ...wallet, address: 'G'.repeat(56), blockchain: 'xbn' }],
  ['users.set-default-wallet', { ...wallet, address: 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF' }],
  ['users.set-status', {}],
  ['users.set-status', { userId }],
  ['users.set-status', { active: true }],
  ['users.set-status', { userId: '', active: true }],
  ['users.set-status', { userId, active: 'true' }],
  ['users.set-status', { userId, active: 1 }],
  ['users.set-status', { userId, active: null }],
  ['users.set-status', { userId, active: false, reason: '' }],
  ['users.set-status', { userId, active: false, reason: 5 }],
  ['users.set-status', { userId, active: false, reason: 'a\nb' }],
  ['users.set-status', { userId, active: false, reason: long }],
  ['users.set-default-wallet', { ...wallet, userId: undefined }],
  ['users.set-default-wallet', { ...wallet, address: undefined }],
  ['users.set-default-wallet', { ...wallet, address: '' }],
  ['users.set-default-wallet', { ...wallet, address: `${wallet.address}\n` }],
  ['users.set-default-wallet', { ...wallet, blockchain: undefined }],
  ['users.set-default-wallet', { ...wallet, blockchain: '' }],
  ['users.set-default-wallet', { ...wallet, blockchain: 8453 }],
  ['users.set-default-wallet', { ...wallet, label: '' }],
  ['users.set-default-wallet', { ...wallet, label: long }],
  ['users.get-default-wallet', {}],
  ['users.get-default-wallet', { userId: '' }],
  ['users.remove-default-wallet', {}],
  ['users.remove-default-wallet', { userId: null }],
  ['management.update-onramp-asset', { preferredAsset: 'USDC' }],
  ['management.update-onramp-asset', { ...asset, preferredAsset: '' }],
  ['management.update-onramp-asset', { ...asset, preferences: 'USDC' }],
  ['management.update-onramp-asset', { ...asset, preferences: { defaultAsset: 1 } }],
  ['management.update-onramp-asset', { ...asset, preferences: { autoSwap: 'yes' } }],
  ['management.update-onramp-asset', { ...asset, preferences: { slippageTolerance: 0.5 } }],
  ['management.update-onramp-asset', { ...asset, preferences: { slippageTolerance: '-1' } }],
  ['management.update-onramp-asset', { ...asset, preferences: { slippageTolerance: '101' } }],
  ['management.update-onramp-asset', { ...asset, preferences: { slippageTolerance: '0.0000001' } }],
  ['management.update-onramp-asset', { ...asset, preferences: { slippageTolerance: '00.5' } }],
  ['management.update-onramp-asset', { ...asset, preferences: { slippageTolerance: '5%' } }],
];
