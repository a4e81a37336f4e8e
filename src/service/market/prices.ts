import type { Asset } from '../../money/amount.ts';

/** Prices are cNGN for one stablecoin, in millionths: 1388.77 is 1_388_770_000n. */
const MICRO = 1_000_000n;
const HUNDRED_PERCENT = 100n * MICRO;

/**
 * Returns the price for a taker: the maker's price, moved by the spread against the taker. A taker that gets stablecoin
 * pays more cNGN for it; one that gets cNGN gets less. Rounds to millionths against the taker, but never to zero.
 * Source: public (seen live).
 */
export function takerPriceMicro(priceMicro: bigint, spreadMillionths: bigint, makerGives: Asset): bigint {
  if (makerGives === 'CNGN') return (priceMicro * (HUNDRED_PERCENT - spreadMillionths)) / HUNDRED_PERCENT || 1n;
  return ceilDivide(priceMicro * (HUNDRED_PERCENT + spreadMillionths), HUNDRED_PERCENT);
}

/**
 * Converts cNGN to stablecoin at a price, in base units: rounds down if the taker gets it and up if the taker gives it,
 * so that rounding never favours the taker.
 */
export function tokenBaseFor(cngnBase: bigint, priceMicro: bigint, makerGives: Asset): bigint {
  const scaled = cngnBase * MICRO;
  return makerGives === 'CNGN' ? ceilDivide(scaled, priceMicro) : scaled / priceMicro;
}

/** Returns the most cNGN that an amount of stablecoin covers at a price, in base units, rounded down. */
export function cngnBaseFor(tokenBase: bigint, priceMicro: bigint): bigint {
  return (tokenBase * priceMicro) / MICRO;
}

function ceilDivide(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}
