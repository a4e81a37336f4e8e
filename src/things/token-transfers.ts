import { agrees, agreesNetwork } from '../contract/compare.ts';
import { transferToWallet } from '../contract/endpoints/transfers.ts';
import { listWithdrawals, withdrawAsset } from '../contract/endpoints/withdrawals.ts';
import { BASE } from '../contract/networks.ts';
import { type Amount, type Asset, isAsset } from '../money/amount.ts';
import {
  agreesText,
  amountAt,
  amountMatch,
  compared,
  type EventContent,
  type Likeness,
  type Match,
  type Wanted,
} from './likeness.ts';
import {
  elsewhere,
  ended,
  failing,
  fee,
  good,
  key,
  listedBy,
  ownerKey,
  type RowLikeness,
  type RowOf,
  sum,
  text,
  thing,
  time,
  uniqueKey,
  waits,
} from './thing.ts';

/** Tokens sent to external addresses. */
export const withdrawals = listedBy(listWithdrawals, {
  name: 'withdrawals',
  about: 'tokens sent to external addresses, by users and by the account',
  rows: 'withdrawals',
  pages: 'offset',
  readBy: 'dated',
  id: 'requestId',
  status: 'status',
  createdAt: 'createdAt',
  otherIds: ['transactionHash'],
  label: ['amount', 'network', 'status'],
  facts: [
    text('Type', 'type', 'type'),
    ownerKey('User', 'userId', 'user_id'),
    sum('Amount', 'amount', 'amount'),
    elsewhere(fee('Fee', 'feeBreakdown.totalFee')),
    text('Network', 'network', 'network'),
    ownerKey('From wallet', 'smartWalletAddress', 'wallet_address'),
    key('To', ['destinationAddress', 'destinationWallet'], 'to_address'),
    uniqueKey('Tx hash', 'transactionHash', 'tx_hash'),
    time('Requested', 'createdAt'),
    ended('Completed', 'completedAt', 'completed_at'),
  ],
  columns: [
    'requestId',
    'createdAt',
    'amount',
    'status',
    { field: 'type', isWide: true },
    { field: 'network', isWide: true },
    { field: 'destinationAddress', isWide: true },
  ],
});

const TOKENS_SENT = {
  list: withdrawals,
  amount: ['amount'],
  who: ['destinationAddress'],
  shows: 'withdrawals status',
  states: { pending: waits('waits for the service'), completed: good, ...failing(withdrawAsset) },
} as const;

interface SentTokens {
  readonly isOwn: boolean;
  readonly asset: Asset;
  readonly amount: Amount | undefined;
  readonly network: unknown;
}

/** What a request sends: the account's own tokens, in base units, or those of a user. */
function sentBy(isOwn: boolean, { ticker, amount, network }: Wanted): SentTokens {
  const asset = typeof ticker === 'string' && isAsset(ticker) ? ticker : 'CNGN';
  // A withdrawal names its network, or goes to Base; a transfer names none.
  const wantedNetwork = isOwn ? undefined : (network ?? BASE.key);
  return { isOwn, asset, amount: amountAt(amount, isOwn ? 'base' : 'token', asset), network: wantedNetwork };
}

const OWN = 'fintech_self_transfer';

/** Whether a row is of the kind of the request, which only some of the types say. */
const agreesType = (type: unknown, isOwn: boolean): boolean => typeof type !== 'string' || (type === OWN) === isOwn;

/**
 * Compares an amount of a list whose unit is not documented: tokens, as in similar lists. One that is equal in base units may be the request's,
 * and a person decides.
 */
function unsureMatch(value: unknown, wanted: Amount | undefined): Match {
  const match = amountMatch(value, 'decimal-string', wanted);
  return match === 'other' && amountMatch(value, 'base', wanted) === 'equal' ? 'unknown' : match;
}

/** The rows that may be a request for the account's own tokens, or for those of a user. */
const likenessOf = (isOwn: boolean): RowLikeness<RowOf<typeof withdrawals>> => ({
  asked: ({ userId }) => ({ userId: typeof userId === 'string' ? userId : undefined }),
  idOf: ({ requestId, transactionHash }) => requestId ?? transactionHash,
  compare: (row, request) => {
    const sent = sentBy(isOwn, request);
    return compared(
      // Users may start withdrawals of their own, which are said to have another type.
      [unsureMatch(row.amount, sent.amount), row.type === 'user_withdrawal' ? 'unknown' : 'equal'],
      [
        agreesType(row.type, isOwn),
        agrees(row.ticker, sent.asset),
        agrees(row.userId, request['userId']),
        agrees(row.smartWalletAddress, request['internalWallet']),
        agrees(row.destinationAddress, request['destinationWallet'] ?? request['destinationAddress']),
        agreesNetwork(row.network, sent.network),
      ],
    );
  },
});

/** Compares an event with a request. */
const compareSent =
  (isOwn: boolean) =>
  ({ userId, data }: EventContent, request: Wanted): Likeness => {
    const { asset, amount, network } = sentBy(isOwn, request);
    return compared(
      [amountMatch(data['amount'], 'token', amount)],
      [
        agrees(data['ticker'], asset),
        agrees(userId, request['userId']),
        agrees(data['smartWalletAddress'], request['internalWallet']),
        agrees(data['destinationAddress'], request['destinationWallet'] ?? request['destinationAddress']),
        agreesNetwork(data['network'], network),
        agreesText(data['note'], request['note']),
      ],
    );
  };

/** A user's tokens sent to an external address. */
export const withdrawal = thing({
  ...TOKENS_SENT,
  name: 'withdrawal',
  of: 'user',
  types: ['user_withdrawal', 'fintech_user_withdrawal'],
  starts: [withdrawAsset],
  lists: 'withdrawals list',
  events: {
    'fintech.user.asset.transfer.completed': { outcome: 'settled', compare: compareSent(false) },
    'fintech.user.asset.transfer.failed': { outcome: 'failed', compare: compareSent(false) },
  },
  likeness: likenessOf(false),
});

/** The account's own tokens sent to a registered wallet. */
export const transfer = thing({
  ...TOKENS_SENT,
  name: 'transfer',
  of: 'account',
  types: [OWN],
  starts: [transferToWallet],
  lists: 'transfers list',
  events: {
    'fintech.asset.transfer.completed': {
      outcome: 'settled',
      compare: compareSent(true),
      textOf: ({ data }) => data['note'],
    },
    'fintech.asset.transfer.failed': { outcome: 'failed' },
  },
  likeness: likenessOf(true),
});
