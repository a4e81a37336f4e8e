import type { Case } from './case.ts';

const walletAddress = `0x${'AB'.repeat(20)}`;
const trigger = { walletAddress, sellToken: 'CNGN' };
const swap = { sellToken: 'CNGN', buyToken: 'USDC', amount: 500, userId: 'usr-s-1' };

export const good: readonly Case[] = [
  ['swaps.trigger', trigger],
  ['swaps.trigger', { ...trigger, buyToken: 'USDT', amount: 0.000001, slippage: 0 }],
  ['swaps.create', swap],
  ['swaps.create', { ...swap, slippage: 100, smartWalletAddress: walletAddress, destinationAssetSwap: walletAddress }],
  ['swaps.status', { requestId: 'swap-1' }],
  ['swaps.history', {}],
  [
    'swaps.history',
    { limit: 100, offset: 5, status: 'failed', startDate: '2026-01-01', endDate: '2026-01-02T00:00:00Z' },
  ],
];

export const bad: readonly Case[] = [
  ['swaps.trigger', { ...trigger, walletAddress: 'abc' }],
  ['swaps.trigger', { walletAddress }],
  ['swaps.trigger', { ...trigger, sellToken: 'NGN' }],
  ['swaps.trigger', { ...trigger, amount: 0 }],
  ['swaps.trigger', { ...trigger, amount: 0.0000001 }],
  ['swaps.trigger', { ...trigger, amount: '5' }],
  ['swaps.trigger', { ...trigger, slippage: -1 }],
  ['swaps.trigger', { ...trigger, slippage: 101 }],
  ...Object.keys(swap).map((name): Case => ['swaps.create', { ...swap, [name]: undefined }]),
  ['swaps.create', { ...swap, buyToken: 'cNGN' }],
  ['swaps.create', { ...swap, slippage: '2' }],
  ['swaps.create', { ...swap, smartWalletAddress: '' }],
  ['swaps.status', {}],
  ['swaps.history', { limit: 0 }],
  ['swaps.history', { offset: -1 }],
  ['swaps.history', { status: 'queued' }],
  ['swaps.history', { startDate: 'yesterday' }],
  ['swaps.history', { endDate: '2026-13-01' }],
];
