import type { Session } from '../cli/session.ts';
import { transferToWallet } from '../contract/endpoints/transfers.ts';
import { listWithdrawals, withdrawAsset } from '../contract/endpoints/withdrawals.ts';
import { isAsset } from '../money/amount.ts';
import type { MoneyUnit } from '../money/units.ts';
import { agrees, amountAt, isSameAmount, search } from './rows.ts';
import type { Found, Sought, Work } from './work.ts';

interface Sent {
  readonly type: 'fintech_self_transfer' | undefined;
  readonly ticker: string;
  readonly destination: unknown;
  readonly unit: MoneyUnit;
}

function findWithdrawal(session: Session, sought: Sought, { type, ticker, destination, unit }: Sent): Promise<Found> {
  const { amount, userId, network } = sought.request;
  const asset = isAsset(ticker) ? ticker : 'CNGN';
  const wanted = amountAt(amount, unit, asset);
  return search(session, sought, {
    endpoint: listWithdrawals,
    done: ['completed'],
    failed: ['failed'],
    page: (limit, offset) => ({ type, limit, offset, userId: typeof userId === 'string' ? userId : undefined }),
    rowsOf: ({ withdrawals }) => withdrawals,
    read: (row) => ({
      requestId: row.requestId ?? row.transactionHash,
      createdAt: row.createdAt,
      state: row.status,
      isLike:
        isSameAmount(amountAt(row.amount, 'decimal-string', asset), wanted) &&
        agrees(row.ticker, asset) &&
        agrees(row.destinationAddress, destination) &&
        agrees(row.network, network),
    }),
  });
}

const EVIDENCE = 'fiatrail history withdrawals';

/** A user's tokens sent to an external address. */
export const withdrawal: Work = {
  starts: [withdrawAsset],
  evidence: EVIDENCE,
  find: (session, sought) => {
    const { ticker, destinationWallet } = sought.request;
    return findWithdrawal(session, sought, {
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
  evidence: `${EVIDENCE} --type fintech_self_transfer`,
  find: (session, sought) => {
    const { ticker, destinationAddress } = sought.request;
    return findWithdrawal(session, sought, {
      type: 'fintech_self_transfer',
      ticker: typeof ticker === 'string' ? ticker : 'CNGN',
      destination: destinationAddress,
      unit: 'base',
    });
  },
};
