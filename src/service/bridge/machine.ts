import { ledgerNetwork, type Network, networkOf } from '../../contract/networks.ts';
import { amount, toWireText } from '../../money/amount.ts';
import { type PercentMillionths, percentOfRoundHalfUp } from '../../money/rates.ts';
import { type Context, isoTime, newTxHash } from '../context.ts';
import { emit } from '../events/deliveries.ts';
import { type AccountRef, BRIDGING, platformTokens, post } from '../ledger.ts';
import { type Machine, schedule } from '../machine.ts';
import { update } from '../rows.ts';
import { isTestAmount } from '../values.ts';
import { accountAt } from '../wallets/wallets.ts';

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
  /** The amount received at the receivable address; null until it arrives. */
  readonly received_base: bigint | null;
  /** The amount released to the destination; null until it is released. */
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

/** Why a bridge failed, for its notice. Source: inferred. */
const WRONG_SENDER = 'the deposit did not come from fromAddress and was returned';
const NOT_RELEASED = 'the tokens could not be released on the destination network and were returned';

const hasReceived = (_context: Context, row: BridgeRow) => row.received_base !== null;

const BRIDGE_TABLE = `
CREATE TABLE bridge (
  id INTEGER PRIMARY KEY, request_id TEXT NOT NULL UNIQUE, transaction_id TEXT NOT NULL UNIQUE, reference TEXT NOT NULL UNIQUE, fintech INTEGER NOT NULL,
  state TEXT NOT NULL, asset TEXT NOT NULL, from_network TEXT NOT NULL, to_network TEXT NOT NULL, amount_base INTEGER NOT NULL,
  received_base INTEGER, released_base INTEGER, sender TEXT, from_address TEXT NOT NULL, to_address TEXT NOT NULL, receivable_address TEXT NOT NULL UNIQUE,
  callback_url TEXT, tx_hash TEXT, created_at INTEGER NOT NULL, completed_at INTEGER) STRICT;
CREATE INDEX bridge_by_fintech ON bridge (fintech, id);`;

/** Source: interface (the states), inferred (the transitions, and that a refused deposit is returned). */
export const bridge: Machine<BridgeRow> = {
  name: 'bridge',
  table: 'bridge',
  schema: BRIDGE_TABLE,
  transitions: [
    { on: 'deposit-seen', from: ['initiated'], to: 'pending', when: hasReceived, effect: startRelease },
    {
      on: 'deposit-refused',
      from: ['initiated'],
      to: 'failed',
      when: hasReceived,
      effect: (at, row) => sendBack(at, row, WRONG_SENDER),
    },
    { on: 'release-failed', from: ['pending'], to: 'failed', effect: (at, row) => sendBack(at, row, NOT_RELEASED) },
    { on: 'released', from: ['pending'], to: 'completed', effect: release },
  ],
};

/** Returns the ledger account of an address on a network; `key` is the bridge's key of the network. */
function accountOf(context: Context, address: string, key: string): AccountRef {
  const network = bridgeNetworkOf(key);
  return accountAt(context.store, address, network ? ledgerNetwork(network) : key, 'CNGN');
}

function startRelease(context: Context, row: BridgeRow): void {
  const fails = isTestAmount('bridgeFails', amount('CNGN', row.received_base ?? 0n));
  schedule(context, bridge.name, row.id, fails ? 'release-failed' : 'released', context.pace.bridge);
}

/**
 * The common part of the events for the callback URL of the request; undefined if it gave none. The registered webhook
 * receives no bridge events. Source: public, the content inferred.
 */
function noticeOf(row: BridgeRow) {
  if (row.callback_url === null) return undefined;
  const data = {
    callbackUrl: row.callback_url,
    requestId: row.request_id,
    transactionId: row.transaction_id,
    reference: row.reference,
    token: row.asset,
    fromNetwork: row.from_network,
    toNetwork: row.to_network,
    amount: toWireText(amount('CNGN', row.amount_base), 'decimal-string'),
  };
  return { fintech: row.fintech, requestId: row.request_id, data };
}

function release(context: Context, row: BridgeRow): void {
  const { feeBase, netBase } = bridgeFee(row.from_network, row.to_network, row.received_base ?? 0n);
  const txHash = newTxHash(context);
  post(context, 'bridge.released', row.request_id, [
    { account: BRIDGING, minor: -(feeBase + netBase) },
    { account: platformTokens('CNGN'), minor: feeBase },
    { account: accountOf(context, row.to_address, row.to_network), minor: netBase },
  ]);
  update(context.store, 'bridge', row.id, { released_base: netBase, tx_hash: txHash, completed_at: context.nowMs });
  const notice = noticeOf(row);
  if (!notice) return;
  emit(context, {
    ...notice,
    event: 'bridge.completed',
    data: {
      ...notice.data,
      status: 'completed',
      actualAmount: toWireText(amount('CNGN', netBase), 'decimal-string'),
      txHash,
      completedAt: isoTime(context.nowMs),
    },
  });
}

/** Returns the received tokens to their sender. */
function sendBack(context: Context, row: BridgeRow, reason: string): void {
  const received = row.received_base ?? 0n;
  post(context, 'bridge.returned', row.request_id, [
    { account: BRIDGING, minor: -received },
    { account: accountOf(context, row.sender ?? '', row.from_network), minor: received },
  ]);
  const notice = noticeOf(row);
  if (!notice) return;
  emit(context, {
    ...notice,
    event: 'bridge.failed',
    data: { ...notice.data, status: 'failed', reason, failedAt: isoTime(context.nowMs) },
  });
}

/** The base fee of every route, in percent. Source: public (an example). */
const BASE_PERCENT: PercentMillionths = 500_000n;

/**
 * The surcharge of each network, at either end. Source: interface (the networks and the existence of a surcharge),
 * inferred (the values).
 */
const MODIFIERS: Readonly<Record<string, PercentMillionths>> = {
  base: 0n,
  bsc: 0n,
  eth: 250_000n,
  sol: 100_000n,
  pol: 0n,
  atc: 0n,
  lisk: 0n,
  xbn: 100_000n,
  arc: 0n,
  celo: 0n,
};

/** Networks that a request may name as either end of a route. Source: interface (the request of a quote). */
export const ROUTE_NETWORKS = Object.keys(MODIFIERS);

/** Returns a network by any of its names. `asc` and `atc` are keys of one network; the bridge uses `atc`. */
export function bridgeNetworkOf(text: string): Network | undefined {
  const network = networkOf(text);
  return network?.key === 'asc' ? networkOf('atc') : network;
}

interface BridgeFee {
  readonly basePercent: PercentMillionths;
  readonly modifier: PercentMillionths;
  readonly percent: PercentMillionths;
  readonly feeBase: bigint;
  /** The amount that arrives. */
  readonly netBase: bigint;
}

/**
 * Computes the fee of a route for an amount of cNGN in base units. Networks are given by key. Source: public (the
 * arithmetic).
 */
export function bridgeFee(from: string, to: string, amountBase: bigint): BridgeFee {
  const modifier = (MODIFIERS[from] ?? 0n) + (MODIFIERS[to] ?? 0n);
  const percent = BASE_PERCENT + modifier;
  const feeBase = percentOfRoundHalfUp(amountBase, percent);
  return { basePercent: BASE_PERCENT, modifier, percent, feeBase, netBase: amountBase - feeBase };
}
