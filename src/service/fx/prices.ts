import type { Asset } from '../../money/amount.ts';
import { ceilDivide } from '../../money/rates.ts';

/** Prices are cNGN for one stablecoin, in millionths: 1388.77 is 1_388_770_000n. */
const MICRO = 1_000_000n;

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
