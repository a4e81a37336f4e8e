import { agrees } from '../contract/compare.ts';
import { listSwaps, startSwap, swapStatus, triggerSwap } from '../contract/endpoints/swaps.ts';
import { type Asset, isAsset } from '../money/amount.ts';
import { amountAt, amountMatch, compared, knownMatch, type Match } from './likeness.ts';
import {
  amount,
  elsewhere,
  failing,
  good,
  listedBy,
  ownerKey,
  sum,
  text,
  thing,
  time,
  uniqueKey,
  waits,
  working,
} from './thing.ts';

export const swaps = listedBy(listSwaps, {
  name: 'swaps',
  about: 'tokens swapped for other tokens',
  rows: 'swaps',
  pages: 'offset',
  readBy: 'dated',
  id: 'requestId',
  idStarts: ['swap-', 'req_'],
  status: 'status',
  createdAt: 'createdAt',
  otherIds: ['txHash'],
  label: ['sellToken', 'buyToken', 'amountIn', 'status'],
  facts: [
    text('Type', 'type', 'type'),
    text('Trigger', 'triggerType', 'trigger'),
    sum('Sold', 'amountIn', 'sold'),
    sum('Bought', 'amountOut', 'bought'),
    amount('Rate', 'executionRate', 'rate'),
    elsewhere(text('Method', 'executionMethod')),
    ownerKey('Wallet', 'smartWalletAddress', 'wallet_address'),
    uniqueKey('Tx hash', 'txHash', 'tx_hash'),
    time('Requested', 'createdAt'),
    time('Changed', 'updatedAt', 'updated_at'),
  ],
  columns: ['requestId', 'createdAt', 'amountIn', 'status', 'amountOut', 'executionRate'],
});

const assetOf = (ticker: unknown): Asset => (typeof ticker === 'string' && isAsset(ticker) ? ticker : 'CNGN');

/** How a row says which endpoint started it. Source: inferred; other words say nothing. */
const KINDS: ReadonlySet<string> = new Set(['direct', 'trigger', 'auto']);

/** Rows name no user, so the wallet shows whose swap it is. Another wallet proves nothing: a user may have several. */
const ownWallet = (shown: unknown, managed: unknown): Match =>
  typeof shown === 'string' && (typeof managed !== 'string' || !agrees(shown, managed)) ? 'unknown' : 'equal';

const QUEUED = waits('waits for its tokens to be swapped');

/** Tokens of a user, or of an onramp wallet, exchanged for others. */
export const swap = thing({
  name: 'swap',
  isSpecial: true,
  of: 'user',
  list: swaps,
  starts: [startSwap, triggerSwap],
  read: { endpoint: swapStatus, id: 'requestId', createdAt: 'createdAt' },
  states: {
    pending: QUEUED,
    requested: QUEUED,
    queued: QUEUED,
    processing: working('is being worked on by the service'),
    completed: good,
    ...failing(swapStatus),
  },
  amount: ['amountIn'],
  who: ['buyToken'],
  lists: 'swaps list',
  shows: 'swaps status',
  // They name tokens by their contracts, and so do not say what the request said.
  events: { 'swap.completed': { outcome: 'settled' }, 'swap.failed': { outcome: 'failed' } },
  likeness: {
    compare: (row, { sellToken, buyToken, amount, walletAddress, smartWalletAddress, managedWallet }) => {
      const isNamed = typeof (walletAddress ?? smartWalletAddress) === 'string';
      // Only a triggered swap names the wallet of an onramp.
      const kind = walletAddress === undefined ? 'direct' : 'trigger';
      return compared(
        [
          // Without an amount, a triggered swap sells whatever the wallet holds, so the row must name the wallet.
          amount === undefined
            ? knownMatch(row.smartWalletAddress)
            : amountMatch(row.amountIn, 'decimal-string', amountAt(amount, 'token', assetOf(sellToken))),
          isNamed ? 'equal' : ownWallet(row.smartWalletAddress, managedWallet),
        ],
        [
          agrees(row.sellToken, sellToken),
          agrees(row.buyToken, buyToken),
          agrees(row.smartWalletAddress, walletAddress ?? smartWalletAddress),
          agrees(row.triggerType, KINDS.has(String(row.triggerType)) ? kind : row.triggerType),
        ],
      );
    },
  },
});
