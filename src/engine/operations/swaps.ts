import { CliError } from '../../base/errors.ts';
import { agrees } from '../../contract/compare.ts';
import type { RequestOf } from '../../contract/endpoint.ts';
import { listSwaps, startSwap, swapStatus, triggerSwap } from '../../contract/endpoints/swaps.ts';
import { getDetails } from '../../contract/endpoints/users.ts';
import { type Asset, isAsset } from '../../money/amount.ts';
import type { Account } from '../account.ts';
import { PAGE_SIZE } from '../lists/pages.ts';
import { listOf } from '../lists/resume.ts';
import { PREVIEW_READ } from '../previews.ts';
import { shownIn } from './listing.ts';
import { amountAt, amountMatch, compared, knownMatch, type Match } from './rows.ts';
import { type FollowedWork, status } from './work.ts';

/** The swaps of the account. */
export const swapsBy = (wanted: RequestOf<typeof listSwaps>) =>
  listOf(listSwaps, {
    columns: [
      { field: 'requestId', title: 'Swap' },
      { field: 'status', title: 'Status' },
      { field: 'amountIn', title: 'Sold' },
      { field: 'amountOut', title: 'Bought' },
      { field: 'executionRate', title: 'Rate' },
      { field: 'createdAt', title: 'When' },
    ],
    request: ({ size, offset }, period) => ({ ...wanted, ...period, limit: size, offset }),
    rowsOf: ({ swaps }) => swaps,
    totalOf: ({ pagination }) => pagination?.total,
    idOf: ({ requestId }) => requestId,
  });

const assetOf = (ticker: unknown): Asset => (typeof ticker === 'string' && isAsset(ticker) ? ticker : 'CNGN');

const FOLLOWED = [
  { field: 'requestId', title: 'Request ID' },
  { field: 'type', title: 'Type' },
  { field: 'status', title: 'Status' },
  { field: 'amountOut', title: 'Bought' },
  { field: 'executionRate', title: 'Rate' },
  { field: 'executionMethod', title: 'Method' },
  { field: 'smartWalletAddress', title: 'Wallet' },
  { field: 'txHash', title: 'Transaction' },
  { field: 'createdAt', title: 'Created' },
  { field: 'updatedAt', title: 'Updated' },
] as const;

/** How a row says which endpoint started it. Source: inferred; other words say nothing. */
const KINDS: ReadonlySet<string> = new Set(['direct', 'trigger', 'auto']);

const LIST_WINDOW_MS = 1_000;

/** Returns the token that a swap buys, which its status does not name, from the list of swaps; undefined if it cannot be read. */
async function boughtToken(
  account: Account,
  requestId: string,
  createdAt: string | null | undefined,
): Promise<string | undefined> {
  const createdMs = Date.parse(createdAt ?? '');
  if (Number.isNaN(createdMs)) return undefined;
  const [startDate, endDate] = [-LIST_WINDOW_MS, LIST_WINDOW_MS].map((ms) => new Date(createdMs + ms).toISOString());
  try {
    const { data } = await account.call(listSwaps, { startDate, endDate, limit: PAGE_SIZE }, PREVIEW_READ);
    return data.swaps?.find((swap) => swap.requestId === requestId)?.buyToken;
  } catch (error) {
    // The status itself was read, and is worth showing without the name of a token.
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

/** Rows name no user, so the wallet shows whose swap it is. Another wallet proves nothing: a user may have several. */
const ownWallet = (shown: unknown, managed: unknown): Match =>
  typeof shown === 'string' && (typeof managed !== 'string' || !agrees(shown, managed)) ? 'unknown' : 'equal';

/** Tokens of a user, or of an onramp wallet, exchanged for others. */
export const swap: FollowedWork = {
  starts: [startSwap, triggerSwap],
  status: status({
    endpoint: swapStatus,
    command: 'swaps status',
    what: 'the swap',
    createdOf: ({ createdAt }) => createdAt,
    columns: FOLLOWED,
    namesFor: async (account, requestId, { amountOut, createdAt }) =>
      (amountOut ?? null) === null || account.globals.present.format === 'raw'
        ? {}
        : { buyToken: await boughtToken(account, requestId, createdAt) },
  }),
  // They name tokens by their contracts, and so do not say what the request said.
  events: { 'swap.completed': { outcome: 'settled' }, 'swap.failed': { outcome: 'failed' } },
  evidence: 'fiatrail swaps list',
  terms: async (account, { userId, walletAddress, smartWalletAddress, managedWallet }) => {
    if (typeof userId !== 'string' || typeof (walletAddress ?? smartWalletAddress ?? managedWallet) === 'string')
      return undefined;
    try {
      const { data } = await account.call(getDetails, { userId });
      const wallet = data.walletDetails?.evmWallet;
      return typeof wallet === 'string' ? { managedWallet: wallet } : undefined;
    } catch (error) {
      // A user who is not shown any more has nothing to compare.
      if (error instanceof CliError && error.category === 'refused') return undefined;
      throw error;
    }
  },
  list: (request) => {
    const { sellToken, buyToken, amount, walletAddress, smartWalletAddress, managedWallet } = request;
    const isNamed = typeof (walletAddress ?? smartWalletAddress) === 'string';
    // Only a triggered swap names the wallet of an onramp.
    const kind = walletAddress === undefined ? 'direct' : 'trigger';
    const wanted = amountAt(amount, 'token', assetOf(sellToken));
    return shownIn(swapsBy({}), {
      compare: (row) =>
        compared(
          // Without an amount, a triggered swap sells whatever the wallet holds, so the row must name the wallet.
          [
            amount === undefined
              ? knownMatch(row.smartWalletAddress)
              : amountMatch(row.amountIn, 'decimal-string', wanted),
            isNamed ? 'equal' : ownWallet(row.smartWalletAddress, managedWallet),
          ],
          [
            agrees(row.sellToken, sellToken),
            agrees(row.buyToken, buyToken),
            agrees(row.smartWalletAddress, walletAddress ?? smartWalletAddress),
            agrees(row.triggerType, KINDS.has(String(row.triggerType)) ? kind : row.triggerType),
          ],
        ),
    });
  },
};
