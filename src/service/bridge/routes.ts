import { type Network, networkOf } from '../../contract/networks.ts';
import { type PercentMillionths, percentOfRoundHalfUp } from '../../money/rates.ts';

/** The only bridge provider. Source: interface (the field), public (the name). */
export const BRIDGE_PROVIDER = 'cngn-bridge';

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

/** Networks that requests accept but the network list omits. Source: interface. */
const UNLISTED = ['arc', 'celo'];

/** Networks in the network list. Source: interface. */
export const LISTED_NETWORKS = ROUTE_NETWORKS.filter((key) => !UNLISTED.includes(key));

/** All networks of the service, including those that carry only other tokens. Source: interface. */
export const ALL_NETWORKS = ['base', 'bsc', 'eth', 'pol', 'trx', 'sol', 'xbn', 'atc', 'monad', 'arc', 'celo'];

/** The duration of a bridge transaction in seconds, from the public example. */
export const BRIDGE_SECONDS = 210;
/** The duration in minutes, rounded up. */
export const BRIDGE_MINUTES = 4;

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
