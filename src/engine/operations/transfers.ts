import { agrees, agreesNetwork } from '../../contract/compare.ts';
import { transferToWallet } from '../../contract/endpoints/transfers.ts';
import { withdrawAsset } from '../../contract/endpoints/withdrawals.ts';
import { BASE } from '../../contract/networks.ts';
import { type Amount, type Asset, isAsset } from '../../money/amount.ts';
import { withdrawalsBy } from '../lists/history.ts';
import { shownIn } from './listing.ts';
import { agreesText, amountAt, amountMatch, compared, type Match } from './rows.ts';
import type { EventContent, EventMeaning, EvidenceList, EvidenceQuery, Likeness, Work } from './work.ts';

interface SentTokens {
  readonly isOwn: boolean;
  readonly asset: Asset;
  readonly amount: Amount | undefined;
  readonly network: unknown;
}

/** What a request sends: the account's own tokens, in base units, or those of a user. */
function sentBy(isOwn: boolean, { ticker, amount, network }: EvidenceQuery['request']): SentTokens {
  const asset = typeof ticker === 'string' && isAsset(ticker) ? ticker : 'CNGN';
  // A withdrawal names its network, or goes to Base; a transfer names none.
  const wantedNetwork = isOwn ? undefined : (network ?? BASE.key);
  return { isOwn, asset, amount: amountAt(amount, isOwn ? 'base' : 'token', asset), network: wantedNetwork };
}

const OWN = 'fintech_self_transfer' as const;

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

function listed(request: EvidenceQuery['request'], isOwn: boolean): EvidenceList {
  const { userId, internalWallet } = request;
  const sent = sentBy(isOwn, request);
  const wanted = { type: isOwn ? OWN : undefined, userId: typeof userId === 'string' ? userId : undefined };
  return shownIn(
    { ...withdrawalsBy(wanted), idOf: (row) => row.requestId ?? row.transactionHash },
    {
      compare: (row) =>
        compared(
          // Users may start withdrawals of their own, which are said to have another type.
          [unsureMatch(row.amount, sent.amount), row.type === 'user_withdrawal' ? 'unknown' : 'equal'],
          [
            agreesType(row.type, isOwn),
            agrees(row.ticker, sent.asset),
            agrees(row.userId, userId),
            agrees(row.smartWalletAddress, internalWallet),
            agrees(row.destinationAddress, request['destinationWallet'] ?? request['destinationAddress']),
            agreesNetwork(row.network, sent.network),
          ],
        ),
    },
  );
}

const EVIDENCE = 'fiatrail history withdrawals';

/** Compares an event with a request. */
function compareSent({ userId, data }: EventContent, request: EvidenceQuery['request'], isOwn: boolean): Likeness {
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
}

const compareWithdrawal: EventMeaning['compare'] = (event, request) => compareSent(event, request, false);
const compareTransfer: EventMeaning['compare'] = (event, request) => compareSent(event, request, true);

/** A user's tokens sent to an external address. */
export const withdrawal: Work = {
  starts: [withdrawAsset],
  events: {
    'fintech.user.asset.transfer.completed': { outcome: 'settled', compare: compareWithdrawal },
    'fintech.user.asset.transfer.failed': { outcome: 'failed', compare: compareWithdrawal },
  },
  evidence: EVIDENCE,
  list: (request) => listed(request, false),
};

/** The account's own tokens sent to a registered wallet. */
export const transfer: Work = {
  starts: [transferToWallet],
  events: {
    'fintech.asset.transfer.completed': {
      ...{ outcome: 'settled', compare: compareTransfer },
      textOf: ({ data }) => data['note'],
    },
    'fintech.asset.transfer.failed': { outcome: 'failed' },
  },
  evidence: `${EVIDENCE} --type fintech_self_transfer`,
  list: (request) => listed(request, true),
};
