import { bridgeStatus, listBridges, startBridge } from '../../contract/endpoints/bridge.ts';
import { listing } from './listing.ts';
import { agrees, agreesNetwork, amountAt, amountMatch, compared } from './rows.ts';
import { type FollowedWork, status } from './work.ts';

const ENDS = { done: ['completed'], failed: ['failed'] } as const;

/** cNGN on its way to another network. */
export const bridge: FollowedWork = {
  starts: [startBridge],
  status: status({
    endpoint: bridgeStatus,
    command: 'bridge status',
    what: 'the bridge',
  }),
  evidence: 'fiatrail bridge list',
  list: (request) => {
    const { token, amount, fromNetwork, toNetwork, fromAddress, toAddress } = request;
    const wanted = amountAt(amount, 'decimal-string', 'CNGN');
    return listing({
      ...ENDS,
      endpoint: listBridges,
      page: (limit, count) => ({ limit, page: Math.floor(count / limit) + 1 }),
      rowsOf: ({ transactions }) => transactions,
      read: (row) => ({
        requestId: row.requestId,
        createdAt: row.createdAt,
        state: row.status,
        ...compared(
          [amountMatch(row.amount, 'decimal-string', wanted)],
          [
            agrees(row.token, token),
            agreesNetwork(row.fromNetwork, fromNetwork),
            agreesNetwork(row.toNetwork, toNetwork),
            agrees(row.fromAddress, fromAddress),
            agrees(row.toAddress, toAddress),
          ],
        ),
      }),
    });
  },
};
