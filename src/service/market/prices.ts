import type { Asset } from '../../money/amount.ts';

/** Prices are cNGN for one stablecoin, in millionths: 1388.77 is 1_388_770_000n. */
const MICRO = 1_000_000n;
const HUNDRED_PERCENT = 100n * MICRO;

/**
 * The price a taker sees: the maker's, moved by the spread away from the taker. Who gets stablecoin pays more cNGN for it,
 * who gets cNGN gets less. Rounded to millionths away from the taker, but never to nothing. Source: public (seen live).
 */
export function takerPriceMicro(priceMicro: bigint, spreadMillionths: bigint, makerGives: Asset): bigint {
  if (makerGives === 'CNGN') return (priceMicro * (HUNDRED_PERCENT - spreadMillionths)) / HUNDRED_PERCENT || 1n;
  return ceilDivide(priceMicro * (HUNDRED_PERCENT + spreadMillionths), HUNDRED_PERCENT);
}

/**
 * Stablecoin for an amount of cNGN at a price, in base units: cut where the taker gets it, rounded up where the taker gives it,
 * so that no truncation is in the taker's favour.
 */
export function tokenBaseFor(cngnBase: bigint, priceMicro: bigint, makerGives: Asset): bigint {
  const scaled = cngnBase * MICRO;
  return makerGives === 'CNGN' ? ceilDivide(scaled, priceMicro) : scaled / priceMicro;
}

/** The most cNGN that an amount of stablecoin covers at a price, in base units: cut. */
export function cngnBaseFor(tokenBase: bigint, priceMicro: bigint): bigint {
  return (tokenBase * priceMicro) / MICRO;
}

function ceilDivide(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}
