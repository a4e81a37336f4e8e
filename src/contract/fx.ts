import { moneyText, oneOf, type Source } from './fields.ts';

export const pairs = ['CNGN-USDC', 'CNGN-USDT'] as const;
export const sides = ['buy', 'sell'] as const;
export const limits = { rateLimit: { max: 30, windowSeconds: 60 } } as const;
export const quoteLimits = { rateLimit: { max: 60, windowSeconds: 60 } } as const;
export const listLimits = { rateLimit: { max: 100, windowSeconds: 60 } } as const;

export const pair = (source: Source) => oneOf(source, pairs);
export const cngn = (source: Source) => moneyText(source, 'decimal-string', 'CNGN');
