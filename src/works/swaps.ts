import { listSwaps, startSwap, swapStatus, triggerSwap } from '../contract/endpoints/swaps.ts';
import { type Asset, isAsset } from '../money/amount.ts';
import { agrees, amountAt, isSameAmount, search } from './rows.ts';
import { status, type Work } from './work.ts';

const ENDS = { done: ['completed'], failed: ['failed'] } as const;

const assetOf = (ticker: unknown): Asset => (typeof ticker === 'string' && isAsset(ticker) ? ticker : 'CNGN');

/** Tokens of a user, or of an onramp wallet, exchanged for others. */
export const swap: Work = {
  starts: [startSwap.id, triggerSwap.id],
  status: status({
    ...ENDS,
    endpoint: swapStatus,
    input: (requestId) => ({ requestId }),
    stateOf: ({ status: state }) => state,
    what: 'the swap',
    again: (requestId) => `fiatrail swaps status ${requestId} --wait`,
    columns: [
      { field: 'requestId', title: 'Request ID' },
      { field: 'type', title: 'Type' },
      { field: 'status', title: 'Status' },
      { field: 'amountOut', title: 'Bought (base units)' },
      { field: 'executionRate', title: 'Rate' },
      { field: 'executionMethod', title: 'Method' },
      { field: 'smartWalletAddress', title: 'Wallet' },
      { field: 'txHash', title: 'Transaction' },
      { field: 'createdAt', title: 'Created' },
      { field: 'updatedAt', title: 'Updated' },
    ],
  }),
  evidence: 'fiatrail swaps list',
  find: (session, sought) => {
    const { sellToken, buyToken, amount } = sought.request;
    const wanted = amountAt(amount, 'token', assetOf(sellToken));
    return search(session, sought, {
      ...ENDS,
      endpoint: listSwaps,
      page: (limit, offset) => ({ limit, offset }),
      rowsOf: ({ swaps }) => swaps,
      read: (row) => ({
        requestId: row.requestId,
        createdAt: row.createdAt,
        state: row.status,
        isLike:
          agrees(row.sellToken, sellToken) &&
          agrees(row.buyToken, buyToken) &&
          // Without an amount, a triggered swap sells whatever the wallet holds.
          (wanted === undefined || isSameAmount(amountAt(row.amountIn, 'decimal-string', assetOf(sellToken)), wanted)),
      }),
    });
  },
};
