import { CliError } from '../../base/errors.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { listSwaps, type swapStatus } from '../../contract/endpoints/swaps.ts';
import { getDetails } from '../../contract/endpoints/users.ts';
import { swap as aSwap } from '../../things/swap.ts';
import type { Account } from '../account.ts';
import { PAGE_SIZE } from '../lists/pages.ts';
import { PREVIEW_READ } from '../previews/previews.ts';
import { followedWorkOf } from './of-thing.ts';

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

export const swap = followedWorkOf(aSwap, {
  status: {
    namesFor: async (account, requestId, { amountOut, createdAt }: ResponseOf<typeof swapStatus>) => {
      if ((amountOut ?? null) === null || account.globals.present.format === 'raw') return {};
      return { buyToken: await boughtToken(account, requestId, createdAt) };
    },
  },
  terms: async (account, { userId, walletAddress, smartWalletAddress, managedWallet }) => {
    if (typeof userId !== 'string' || typeof (walletAddress ?? smartWalletAddress ?? managedWallet) === 'string')
      return undefined;
    try {
      const { data } = await account.call(getDetails, { userId });
      const wallet = data.walletDetails?.evmWallet;
      return typeof wallet === 'string' ? { managedWallet: wallet } : undefined;
    } catch (error) {
      // A user who is not shown any more has nothing to compare.
      if (error instanceof CliError && error.category === 'rejected') return undefined;
      throw error;
    }
  },
});
