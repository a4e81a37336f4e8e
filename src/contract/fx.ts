import type { Amount } from '../money/amount.ts';
import { moneyText, oneOf, type Source } from './fields.ts';

export const PAIRS = ['CNGN-USDC', 'CNGN-USDT'] as const;
export const SIDES = ['buy', 'sell'] as const;
export type Pair = (typeof PAIRS)[number];
export type Side = (typeof SIDES)[number];
export const limits = { rateLimit: { max: 30, windowSeconds: 60 } } as const;
export const quoteLimits = { rateLimit: { max: 60, windowSeconds: 60 } } as const;
export const listLimits = { rateLimit: { max: 100, windowSeconds: 60 } } as const;

export const pair = (source: Source) => oneOf(source, PAIRS);
/** What a side means, in words. Source: interface. */
export const SIDE_RULE = 'buy (the stablecoin, with cNGN) or sell (the stablecoin, for cNGN)';
export const side = (source: Source) => oneOf(source, SIDES, { rule: SIDE_RULE });

/** The least that is traded by an amount. Source: interface for quotes and market orders, inferred for trades. */
export const LEAST_CNGN: Amount = { asset: 'CNGN', minor: 1_000_000_000n };

export const cngn = (source: Source) => moneyText(source, 'decimal-string', 'CNGN');
