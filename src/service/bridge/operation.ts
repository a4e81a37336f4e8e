import { Fault } from '../../contract/faults.ts';
import type { Network } from '../../contract/networks.ts';
import { type Asset, amount, isAsset, toWireText } from '../../money/amount.ts';
import { percentToWire } from '../../money/rates.ts';
import {
  type Call,
  hex,
  isoTime,
  isoTimeOrNull,
  type Operations,
  type OperationsOf,
  orderedBytes,
  VERSION,
} from '../context.ts';
import { requirePermitted } from '../events/webhook-url.ts';
import { countOf, insertRow, ownRow } from '../rows.ts';
import { bantuAddress, requireForm, solanaAddress } from '../wallets/addresses.ts';
import { baseOfText, timeRangeOf } from '../wire-values.ts';
import { type BridgeRow, bridgeFee, bridgeNetworkOf, ROUTE_NETWORKS } from './machine.ts';

const cngn = (base: bigint) => toWireText(amount('CNGN', base), 'decimal-string');
/** The only bridge provider. Source: interface (the field), public (the name). */
const BRIDGE_PROVIDER = 'cngn-bridge';

/** Networks that requests accept but the network list omits. Source: interface. */
const UNLISTED = ['arc', 'celo'];

/** Networks in the network list. Source: interface. */
const LISTED_NETWORKS = ROUTE_NETWORKS.filter((key) => !UNLISTED.includes(key));

/** All networks of the service, including those that carry only other tokens. Source: interface. */
const ALL_NETWORKS = ['base', 'bsc', 'eth', 'pol', 'trx', 'sol', 'xbn', 'atc', 'monad', 'arc', 'celo'];

/** The duration of a bridge transaction in seconds, from the public example. */
const BRIDGE_SECONDS = 210;
/** The duration in minutes, rounded up. */
const BRIDGE_MINUTES = 4;

/** Source: public (the id and the expiry of a quote). */
const QUOTE_MS = 5 * 60_000;

interface RouteRequest {
  readonly fromNetwork: string;
  readonly toNetwork: string;
  readonly amount: string;
}

interface BridgeRoute {
  readonly from: Network;
  readonly to: Network;
  readonly amountBase: bigint;
}

function routeNetwork(text: string, field: string): Network {
  const network = bridgeNetworkOf(text);
  if (!network || !ROUTE_NETWORKS.includes(network.key))
    throw new Fault('VALIDATION_ERROR', `${field}: expected one of ${ROUTE_NETWORKS.join(', ')}`);
  return network;
}

/** Returns the route that a request describes. Throws VALIDATION_ERROR. */
function routeOf(request: RouteRequest): BridgeRoute {
  const from = routeNetwork(request.fromNetwork, 'fromNetwork');
  const to = routeNetwork(request.toNetwork, 'toNetwork');
  if (from.key === to.key) throw new Fault('VALIDATION_ERROR', 'toNetwork: expected a network other than fromNetwork');
  return { from, to, amountBase: baseOfText(request.amount, 'CNGN') };
}

const quote: Operations['bridge.quote'] = (call, request) => {
  const { from, to, amountBase } = routeOf(request);
  const fee = bridgeFee(from.key, to.key, amountBase);
  return {
    quoteId: `bridge_quote_${call.nowMs}_${hex(call.ids.bytes(4))}`,
    provider: BRIDGE_PROVIDER,
    token: request.token,
    fromNetwork: from.key,
    toNetwork: to.key,
    inputAmount: request.amount,
    outputAmount: cngn(fee.netBase),
    fee: {
      total: cngn(fee.feeBase),
      percentage: percentToWire(fee.percent),
      breakdown: {
        basePercentage: percentToWire(fee.basePercent),
        networkModifier: percentToWire(fee.modifier),
        finalPercentage: percentToWire(fee.percent),
      },
    },
    estimatedDurationSeconds: BRIDGE_SECONDS,
    estimatedDurationMinutes: BRIDGE_MINUTES,
    validUntil: isoTime(call.nowMs + QUOTE_MS),
  };
};

/** Returns a new address in the network's format, for a single deposit. */
function receivableAddress(call: Call, { form }: Network): string {
  if (form === 'solana') return solanaAddress(orderedBytes(call, 32));
  if (form === 'stellar') return bantuAddress(orderedBytes(call, 32));
  return `0x${hex(orderedBytes(call, 20))}`;
}

const initiate: Operations['bridge.initiate'] = (call, request) => {
  const { from, to, amountBase } = routeOf(request);
  requireForm(from, request.fromAddress, 'fromAddress');
  requireForm(to, request.toAddress, 'toAddress');
  if (request.callbackUrl !== undefined) requirePermitted(request.callbackUrl, 'callbackUrl', call);
  const row = insertRow<BridgeRow>(call.store, 'bridge', {
    request_id: call.ids.uuid(),
    transaction_id: call.ids.uuid(),
    reference: `BRG-${hex(orderedBytes(call, 10)).toUpperCase()}`,
    fintech: call.fintech.id,
    state: 'initiated',
    asset: request.token,
    from_network: from.key,
    to_network: to.key,
    amount_base: amountBase,
    from_address: request.fromAddress,
    to_address: request.toAddress,
    receivable_address: receivableAddress(call, from),
    callback_url: request.callbackUrl,
    created_at: call.nowMs,
  });
  return {
    requestId: row.request_id,
    transactionId: row.transaction_id,
    receivableAddress: row.receivable_address,
    reference: row.reference,
    status: row.state,
    token: row.asset,
    fromNetwork: row.from_network,
    toNetwork: row.to_network,
    amount: cngn(row.amount_base),
    estimatedDurationMinutes: BRIDGE_MINUTES,
    message: `send ${cngn(row.amount_base)} cNGN from ${row.from_address} to ${row.receivable_address} on ${from.name}; the bridge releases the tokens on ${to.name}`,
  };
};

/** The base of transaction links; it resolves to no site. */
const EXPLORER = 'https://explorer.invalid';

/** Formats a transaction for status and history. */
function shown(row: BridgeRow) {
  return {
    requestId: row.request_id,
    transactionId: row.transaction_id,
    reference: row.reference,
    status: row.state,
    token: row.asset,
    fromNetwork: row.from_network,
    toNetwork: row.to_network,
    amount: cngn(row.amount_base),
    actualAmount: row.released_base === null ? null : cngn(row.released_base),
    fromAddress: row.from_address,
    toAddress: row.to_address,
    receivableAddress: row.receivable_address,
    txHash: row.tx_hash,
    explorerLink: row.tx_hash === null ? null : `${EXPLORER}/${row.to_network}/tx/${row.tx_hash}`,
    createdAt: isoTime(row.created_at),
    completedAt: isoTimeOrNull(row.completed_at),
  };
}

const status: Operations['bridge.status'] = (call, { requestId }) =>
  shown(ownRow<BridgeRow>(call, ['bridge', 'request_id', requestId], 'no bridge transaction has this request id'));

const networks: Operations['bridge.networks'] = () => ({
  tokens: [{ token: 'CNGN', networks: [...LISTED_NETWORKS], preferredProvider: BRIDGE_PROVIDER }],
  allSupportedNetworks: [...ALL_NETWORKS],
});

type HistoryRequest = Parameters<Operations['bridge.history']>[1];

/**
 * Returns the key of a network named in a filter: any network of the service, even if it carries no cNGN. Throws
 * VALIDATION_ERROR.
 */
function filteredNetwork(text: string | undefined, field: string): string | undefined {
  if (text === undefined) return undefined;
  const network = bridgeNetworkOf(text);
  if (!network) throw new Fault('VALIDATION_ERROR', `${field}: expected a network of the service`);
  return network.key;
}

function filteredToken(text: string | undefined): Asset | undefined {
  if (text === undefined) return undefined;
  const token = text.toUpperCase();
  if (!isAsset(token) || token === 'NGN') throw new Fault('VALIDATION_ERROR', 'token: expected CNGN, USDC or USDT');
  return token;
}

function filtersOf(request: HistoryRequest) {
  const { fromMs, untilMs } = timeRangeOf(request);
  return {
    status: request.status,
    token: filteredToken(request.token),
    fromNetwork: filteredNetwork(request.fromNetwork, 'fromNetwork'),
    toNetwork: filteredNetwork(request.toNetwork, 'toNetwork'),
    startDate: fromMs === undefined ? undefined : isoTime(fromMs),
    endDate: untilMs === undefined ? undefined : isoTime(untilMs),
    fromMs,
    untilMs,
  };
}

/** `?1` is the fintech; an unused filter is null. */
const FILTERED = `FROM bridge WHERE fintech = ?1 AND (?2 IS NULL OR state = ?2) AND (?3 IS NULL OR asset = ?3)
  AND (?4 IS NULL OR from_network = ?4) AND (?5 IS NULL OR to_network = ?5)
  AND (?6 IS NULL OR created_at >= ?6) AND (?7 IS NULL OR created_at <= ?7)`;

const history: Operations['bridge.history'] = (call, request) => {
  const { limit = 20, page = 1 } = request;
  const offset = (page - 1) * limit;
  if (!Number.isSafeInteger(offset)) throw new Fault('VALIDATION_ERROR', 'page: expected a lower number');
  const { fromMs, untilMs, ...filters } = filtersOf(request);
  const values = [
    call.fintech.id,
    filters.status ?? null,
    filters.token ?? null,
    filters.fromNetwork ?? null,
    filters.toNetwork ?? null,
    fromMs ?? null,
    untilMs ?? null,
  ];
  const total = countOf(call.store, `SELECT COUNT(*) AS n ${FILTERED}`, ...values);
  const rows = call.store.all<BridgeRow>(
    `SELECT * ${FILTERED} ORDER BY id DESC LIMIT ?8 OFFSET ?9`,
    ...values,
    limit,
    offset,
  );
  return {
    transactions: rows.map(shown),
    pagination: { total, limit, offset, hasMore: offset + rows.length < total },
    filters,
    version: VERSION,
  };
};

export const bridgeOperations = {
  'bridge.quote': quote,
  'bridge.initiate': initiate,
  'bridge.status': status,
  'bridge.networks': networks,
  'bridge.history': history,
} satisfies OperationsOf<'bridge'>;
