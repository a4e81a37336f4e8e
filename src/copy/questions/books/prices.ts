import type { Posting } from './sets.ts';

/** The account through which one asset becomes another. */
export const CONVERSION = 'equity:conversion';

/** A posting of an asset that was received for another one: what all of it cost. */
export interface PricedPosting extends Posting {
  readonly cost?: Pick<Posting, 'asset' | 'minor'>;
}

const absolute = (minor: bigint): bigint => (minor < 0n ? -minor : minor);

/**
 * States what was received for what, where a set has one asset go into conversion and one come out: each posting of the received asset has
 * its part of the cost, and the conversion itself needs no posting. The parts have the sum of the cost to the smallest unit. Any other set
 * stays as it is, and balances in each asset.
 */
export function priced(postings: readonly Posting[]): readonly PricedPosting[] {
  const conversions = postings.filter(({ account }) => account === CONVERSION);
  const given = conversions.find(({ minor }) => minor > 0n);
  const taken = conversions.find(({ minor }) => minor < 0n);
  if (conversions.length !== 2 || !given || !taken || given.asset === taken.asset) return postings;
  const others = postings.filter(({ account }) => account !== CONVERSION);
  const received = others.filter(({ asset }) => asset === taken.asset);
  const sum = -taken.minor;
  const parts = received.map(({ minor }) => (given.minor * minor) / sum);
  const rest = given.minor - parts.reduce((total, part) => total + part, 0n);
  const [largest] = received
    .map(({ minor }, index) => ({ index, minor: absolute(minor) }))
    .sort((one, other) => (one.minor === other.minor ? one.index - other.index : one.minor < other.minor ? 1 : -1));
  const costs = parts.map((part, index) => (index === largest?.index ? part + rest : part));
  return others.map((posting) => {
    const cost = costs[received.indexOf(posting)];
    return cost === undefined ? posting : { ...posting, cost: { asset: given.asset, minor: absolute(cost) } };
  });
}
