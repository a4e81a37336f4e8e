import { agrees, agreesNetwork } from '../../contract/compare.ts';
import type { RequestOf } from '../../contract/endpoint.ts';
import { bridgeStatus, listBridges, startBridge } from '../../contract/endpoints/bridge.ts';
import { DEFAULT_LIMIT, listOf } from '../lists/resume.ts';
import { shownIn } from './listing.ts';
import { amountAt, amountMatch, compared } from './rows.ts';
import { type FollowedWork, status } from './work.ts';

/** The bridges of the account. */
export const bridgesBy = (wanted: RequestOf<typeof listBridges>) =>
  listOf(listBridges, {
    columns: [
      { field: 'requestId', title: 'Bridge' },
      { field: 'status', title: 'Status' },
      { field: 'createdAt', title: 'When' },
      { field: 'fromNetwork', title: 'From' },
      { field: 'toNetwork', title: 'To' },
      { field: 'amount', title: 'Amount' },
      { field: 'actualAmount', title: 'Arrived' },
    ],
    request: ({ size = DEFAULT_LIMIT, offset }, period) => ({
      ...{ ...wanted, ...period },
      limit: size,
      page: offset === undefined ? undefined : Math.floor(offset / size) + 1,
    }),
    // The service counts pages, so an offset that falls inside a page skips its first rows.
    skipped: (offset, size) => offset % size,
    rowsOf: ({ transactions }) => transactions,
    totalOf: ({ pagination }) => pagination?.total,
    idOf: ({ requestId }) => requestId,
  });

/** cNGN on its way to another network. */
export const bridge: FollowedWork = {
  starts: [startBridge],
  status: status({
    endpoint: bridgeStatus,
    command: 'bridge status',
    what: 'the bridge',
  }),
  evidence: 'fiatrail bridge list',
  list: ({ token, amount, fromNetwork, toNetwork, fromAddress, toAddress }) => {
    const wanted = amountAt(amount, 'decimal-string', 'CNGN');
    return shownIn(bridgesBy({}), {
      isByPage: true,
      compare: (row) =>
        compared(
          [amountMatch(row.amount, 'decimal-string', wanted)],
          [
            agrees(row.token, token),
            agreesNetwork(row.fromNetwork, fromNetwork),
            agreesNetwork(row.toNetwork, toNetwork),
            agrees(row.fromAddress, fromAddress),
            agrees(row.toAddress, toAddress),
          ],
        ),
    });
  },
};
