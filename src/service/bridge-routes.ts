import { type Network, networkOf } from '../contract/networks.ts';
import { type PercentMillionths, percentOfRoundHalfUp } from '../money/rates.ts';

/** One provider moves all cNGN. Source: interface (the field), public (the name). */
export const BRIDGE_PROVIDER = 'cngn-bridge';

/** Every route costs this much, in percent. Source: public (an example). */
const BASE_PERCENT: PercentMillionths = 500_000n;

/** What a network adds, at either end. Source: interface (the networks, that there is such a part), inferred (how much). */
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

/** Networks that cNGN can be moved between, as a request may name them. Source: interface (the request of a quote). */
export const ROUTE_NETWORKS = Object.keys(MODIFIERS);

/** Networks that requests may name and the list of networks leaves out. Source: interface. */
const UNLISTED = ['arc', 'celo'];

/** The same as the list of networks tells them. Source: interface. */
export const LISTED_NETWORKS = ROUTE_NETWORKS.filter((key) => !UNLISTED.includes(key));

/** Networks of the service at large, on which other tokens may be. Source: interface. */
export const ALL_NETWORKS = ['base', 'bsc', 'eth', 'pol', 'trx', 'sol', 'xbn', 'atc', 'monad', 'arc', 'celo'];

/** From start to end on the public example. Seconds. */
export const BRIDGE_SECONDS = 210;
/** The same in minutes, rounded up. */
export const BRIDGE_MINUTES = 4;

/** A network by any of its names; `asc` and `atc` are two keys of one, and the bridge says `atc`. */
export function bridgeNetworkOf(text: string): Network | undefined {
  const network = networkOf(text);
  return network?.key === 'asc' ? networkOf('atc') : network;
}

export interface BridgeFee {
  readonly basePercent: PercentMillionths;
  readonly modifier: PercentMillionths;
  readonly percent: PercentMillionths;
  readonly feeBase: bigint;
  /** What arrives. */
  readonly netBase: bigint;
}

/** What the way between two networks, by their keys, takes of an amount of cNGN in base units. Source: public (the arithmetic). */
export function bridgeFee(from: string, to: string, amountBase: bigint): BridgeFee {
  const modifier = (MODIFIERS[from] ?? 0n) + (MODIFIERS[to] ?? 0n);
  const percent = BASE_PERCENT + modifier;
  const feeBase = percentOfRoundHalfUp(amountBase, percent);
  return { basePercent: BASE_PERCENT, modifier, percent, feeBase, netBase: amountBase - feeBase };
}
