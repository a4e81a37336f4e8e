import type { BadCase, Case } from './case.ts';

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

export const bad: readonly BadCase[] = [
  ['swaps.trigger', { ...trigger, walletAddress: 'abc' }, 'walletAddress'],
  ['swaps.trigger', { walletAddress }, 'sellToken'],
  ['swaps.trigger', { ...trigger, sellToken: 'NGN' }, 'sellToken'],
  ['swaps.trigger', { ...trigger, amount: 0 }, 'amount'],
  ['swaps.trigger', { ...trigger, amount: 0.0000001 }, 'amount'],
  ['swaps.trigger', { ...trigger, amount: '5' }, 'amount'],
  ['swaps.trigger', { ...trigger, slippage: -1 }, 'slippage'],
  ['swaps.trigger', { ...trigger, slippage: 101 }, 'slippage'],
  ...Object.keys(swap).map((name): BadCase => ['swaps.create', { ...swap, [name]: undefined }, name]),
  ['swaps.create', { ...swap, buyToken: 'cNGN' }, 'buyToken'],
  ['swaps.create', { ...swap, slippage: '2' }, 'slippage'],
  ['swaps.create', { ...swap, smartWalletAddress: '' }, 'smartWalletAddress'],
  ['swaps.status', {}, 'requestId'],
  ['swaps.history', { limit: 0 }, 'limit'],
  ['swaps.history', { offset: -1 }, 'offset'],
  ['swaps.history', { status: 'queued' }, 'status'],
  ['swaps.history', { startDate: 'yesterday' }, 'startDate'],
  ['swaps.history', { endDate: '2026-13-01' }, 'endDate'],
];
