import { ledgerNetwork } from '../../contract/networks.ts';
import { amount } from '../../money/amount.ts';
import { toWireText } from '../../money/units.ts';
import { bridgeFee, bridgeNetworkOf } from '../bridge-routes.ts';
import { type Context, isoTime, newTxHash } from '../context.ts';
import { type AccountRef, BRIDGING, platformTokens, post } from '../ledger.ts';
import { type Machine, schedule } from '../machine.ts';
import { emit } from '../outbox.ts';
import { accountAt } from '../wallets.ts';

export interface BridgeRow {
  readonly id: bigint;
  readonly request_id: string;
  readonly transaction_id: string;
  readonly reference: string;
  readonly fintech: bigint;
  readonly state: 'initiated' | 'pending' | 'completed' | 'failed';
  readonly asset: 'CNGN';
  readonly from_network: string;
  readonly to_network: string;
  readonly amount_base: bigint;
  /** What arrived at the receivable address; null before. */
  readonly received_base: bigint | null;
  /** What was released to the destination; null before. */
  readonly released_base: bigint | null;
  readonly sender: string | null;
  readonly from_address: string;
  readonly to_address: string;
  readonly receivable_address: string;
  readonly callback_url: string | null;
  readonly tx_hash: string | null;
  readonly created_at: bigint;
  readonly completed_at: bigint | null;
}

const hasReceived = (_context: Context, row: BridgeRow) => row.received_base !== null;

/** Source: interface for the states; what leads from one to the next, and that a refused deposit is sent back, is inferred. */
export const bridge: Machine<BridgeRow> = {
  name: 'bridge',
  table: 'bridge',
  transitions: [
    { on: 'deposit-seen', from: ['initiated'], to: 'pending', when: hasReceived, effect: startRelease },
    { on: 'deposit-refused', from: ['initiated'], to: 'failed', when: hasReceived, effect: sendBack },
    { on: 'released', from: ['pending'], to: 'completed', effect: release },
  ],
};

/** Where tokens of an address are in the ledger, on a network by the bridge's key. */
function accountOf(context: Context, address: string, key: string): AccountRef {
  const network = bridgeNetworkOf(key);
  return accountAt(context.store, address, network ? ledgerNetwork(network) : key, 'CNGN');
}

function startRelease(context: Context, row: BridgeRow): void {
  schedule(context, bridge.name, row.id, 'released', context.pace.bridge);
}

/** Tells the address the request gave, if any. The registered webhook hears nothing of bridges. Source: public, the content inferred. */
function notify(context: Context, row: BridgeRow, event: string, more: Record<string, unknown>): void {
  if (row.callback_url === null) return;
  emit(context, {
    fintech: row.fintech,
    event,
    requestId: row.request_id,
    data: {
      callbackUrl: row.callback_url,
      requestId: row.request_id,
      transactionId: row.transaction_id,
      reference: row.reference,
      token: row.asset,
      fromNetwork: row.from_network,
      toNetwork: row.to_network,
      amount: toWireText(amount('CNGN', row.amount_base), 'decimal-string'),
      ...more,
    },
  });
}

function release(context: Context, row: BridgeRow): void {
  const { feeBase, netBase } = bridgeFee(row.from_network, row.to_network, row.received_base ?? 0n);
  const txHash = newTxHash(context);
  post(context, 'bridge.released', row.request_id, [
    { account: BRIDGING, minor: -(feeBase + netBase) },
    { account: platformTokens('CNGN'), minor: feeBase },
    { account: accountOf(context, row.to_address, row.to_network), minor: netBase },
  ]);
  context.store.run(
    'UPDATE bridge SET released_base = ?, tx_hash = ?, completed_at = ? WHERE id = ?',
    netBase,
    txHash,
    context.nowMs,
    row.id,
  );
  notify(context, row, 'bridge.completed', {
    status: 'completed',
    actualAmount: toWireText(amount('CNGN', netBase), 'decimal-string'),
    txHash,
    completedAt: isoTime(context.nowMs),
  });
}

function sendBack(context: Context, row: BridgeRow): void {
  const received = row.received_base ?? 0n;
  post(context, 'bridge.returned', row.request_id, [
    { account: BRIDGING, minor: -received },
    { account: accountOf(context, row.sender ?? '', row.from_network), minor: received },
  ]);
  notify(context, row, 'bridge.failed', {
    status: 'failed',
    reason: 'the deposit did not come from fromAddress; it was sent back',
    failedAt: isoTime(context.nowMs),
  });
}
