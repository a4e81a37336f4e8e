import { transferToWallet } from '../contract/endpoints/transfers.ts';
import { listWithdrawals, withdrawAsset } from '../contract/endpoints/withdrawals.ts';
import { isAsset } from '../money/amount.ts';
import type { MoneyUnit } from '../money/units.ts';
import { listing } from './listing.ts';
import { agrees, amountAt, amountMatch, compared, isSameAmount } from './rows.ts';
import type { Listing, Sought, Telling, ToldOf, Work } from './work.ts';

interface Sent {
  readonly type: 'fintech_self_transfer' | undefined;
  readonly ticker: string;
  readonly destination: unknown;
  readonly unit: MoneyUnit;
}

function listOf(
  { amount, userId, internalWallet, network }: Sought['request'],
  { type, ticker, destination, unit }: Sent,
): Listing {
  const asset = isAsset(ticker) ? ticker : 'CNGN';
  const wanted = amountAt(amount, unit, asset);
  return listing({
    endpoint: listWithdrawals,
    done: ['completed'],
    failed: ['failed'],
    page: (limit, offset) => ({ type, limit, offset, userId: typeof userId === 'string' ? userId : undefined }),
    rowsOf: ({ withdrawals }) => withdrawals,
    read: (row) => ({
      requestId: row.requestId ?? row.transactionHash,
      createdAt: row.createdAt,
      state: row.status,
      ...compared(
        [amountMatch(row.amount, 'decimal-string', wanted)],
        [
          agrees(row.ticker, asset),
          agrees(row.type, type ?? row.type),
          agrees(row.userId, userId),
          agrees(row.smartWalletAddress, internalWallet),
          agrees(row.destinationAddress, destination),
          agrees(row.network, network),
        ],
      ),
    }),
  });
}

const EVIDENCE = 'fiatrail history withdrawals';

/** Whether an event says what a request said; `unit` is the unit of the request's amount. */
function isLikeSent({ userId, data }: ToldOf, { request }: Sought, unit: MoneyUnit): boolean {
  const { ticker = 'CNGN', amount, network } = request;
  const asset = typeof ticker === 'string' && isAsset(ticker) ? ticker : 'CNGN';
  return (
    isSameAmount(amountAt(data['amount'], 'token', asset), amountAt(amount, unit, asset)) &&
    agrees(data['ticker'], asset) &&
    agrees(userId, request['userId']) &&
    agrees(data['destinationAddress'], request['destinationWallet'] ?? request['destinationAddress']) &&
    agrees(data['network'], network)
  );
}

const isLikeWithdrawal: Telling['isLike'] = (event, sought) => isLikeSent(event, sought, 'token');
const isLikeTransfer: Telling['isLike'] = (event, sought) => isLikeSent(event, sought, 'base');

/** A user's tokens sent to an external address. */
export const withdrawal: Work = {
  starts: [withdrawAsset],
  told: {
    'fintech.user.asset.transfer.completed': { standing: 'settled', isLike: isLikeWithdrawal },
    'fintech.user.asset.transfer.failed': { standing: 'failed', isLike: isLikeWithdrawal },
  },
  evidence: EVIDENCE,
  list: (request) => {
    const { ticker, destinationWallet } = request;
    return listOf(request, {
      type: undefined,
      ticker: String(ticker),
      destination: destinationWallet,
      unit: 'token',
    });
  },
};

/** The account's own tokens sent to a registered wallet. */
export const transfer: Work = {
  starts: [transferToWallet],
  told: {
    'fintech.asset.transfer.completed': { standing: 'settled', isLike: isLikeTransfer },
    'fintech.asset.transfer.failed': { standing: 'failed' },
  },
  evidence: `${EVIDENCE} --type fintech_self_transfer`,
  list: (request) => {
    const { ticker, destinationAddress } = request;
    return listOf(request, {
      type: 'fintech_self_transfer',
      ticker: typeof ticker === 'string' ? ticker : 'CNGN',
      destination: destinationAddress,
      unit: 'base',
    });
  },
};
