import { agrees, agreesNetwork } from '../contract/compare.ts';
import { bridgeStatus, listBridges, startBridge } from '../contract/endpoints/bridge.ts';
import { amountAt, amountMatch, compared } from './likeness.ts';
import { ended, failing, good, key, listedBy, sum, text, thing, time, uniqueKey, waits } from './thing.ts';

export const bridgeTransfers = listedBy(listBridges, {
  name: 'bridge_transfers',
  about: 'cNGN moved between networks',
  rows: 'transactions',
  pages: 'page',
  readBy: 'dated',
  id: 'requestId',
  status: 'status',
  createdAt: 'createdAt',
  label: ['fromNetwork', 'toNetwork', 'amount', 'status'],
  facts: [
    uniqueKey('Transaction', 'transactionId', 'transaction_id'),
    uniqueKey('Reference', 'reference', 'reference'),
    text('From network', 'fromNetwork', 'from_network'),
    text('To network', 'toNetwork', 'to_network'),
    sum('Amount', 'amount', 'amount'),
    sum('Arrived', 'actualAmount', 'arrived'),
    key('From', 'fromAddress', 'from_address'),
    key('To', 'toAddress', 'to_address'),
    key('Send the tokens to', 'receivableAddress', 'receivable_address'),
    uniqueKey('Tx hash', 'txHash', 'tx_hash'),
    time('Started', 'createdAt'),
    ended('Completed', 'completedAt', 'completed_at'),
  ],
  columns: ['requestId', 'createdAt', 'amount', 'status', 'fromNetwork', 'toNetwork', 'actualAmount'],
});

/** cNGN on its way to another network. */
export const bridgeTransfer = thing({
  name: 'bridge transfer',
  of: 'account',
  list: bridgeTransfers,
  starts: [startBridge],
  read: { endpoint: bridgeStatus, id: 'requestId' },
  states: {
    initiated: waits('waits for the tokens to arrive', 'send them to the address that is shown'),
    pending: waits('has the tokens, and releases them on the other network'),
    completed: good,
    ...failing(bridgeStatus),
  },
  amount: ['amount'],
  who: ['toNetwork'],
  lists: 'bridge list',
  shows: 'bridge status',
  likeness: {
    compare: (row, { token, amount, fromNetwork, toNetwork, fromAddress, toAddress }) =>
      compared(
        [amountMatch(row.amount, 'decimal-string', amountAt(amount, 'decimal-string', 'CNGN'))],
        [
          agrees(row.token, token),
          agreesNetwork(row.fromNetwork, fromNetwork),
          agreesNetwork(row.toNetwork, toNetwork),
          agrees(row.fromAddress, fromAddress),
          agrees(row.toAddress, toAddress),
        ],
      ),
  },
});
