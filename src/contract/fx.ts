import type { Amount, Stablecoin } from '../money/amount.ts';
import { refusal } from './endpoint.ts';
import * as f from './fields.ts';

export const PAIRS = ['CNGN-USDC', 'CNGN-USDT'] as const;
export const SIDES = ['buy', 'sell'] as const;
/** The states of a trade that may still change, those in which it failed, and all. Source: interface. */
export const OPEN_TRADE_STATES = ['pending', 'locked', 'signing', 'settling'] as const;
export const FAILED_TRADE_STATES = ['failed', 'expired'] as const;
export const TRADE_STATES = [...OPEN_TRADE_STATES, 'completed', ...FAILED_TRADE_STATES] as const;
export type Pair = (typeof PAIRS)[number];
/** The stablecoin of each pair. */
export const STABLECOIN_OF = {
  'CNGN-USDC': 'USDC',
  'CNGN-USDT': 'USDT',
} as const satisfies Readonly<Record<Pair, Stablecoin>>;
export type Side = (typeof SIDES)[number];
export const quoteLimits = { rateLimit: { max: 60, windowSeconds: 60 } } as const;
export const listLimits = { rateLimit: { max: 100, windowSeconds: 60 } } as const;

export const pair = (source: f.Source) => f.oneOf(source, PAIRS, { names: 'tokens' });
/** Describes both sides. Source: interface. */
export const SIDE_RULE = 'buy (buy the stablecoin with cNGN) or sell (sell the stablecoin for cNGN)';
export const side = (source: f.Source) => f.oneOf(source, SIDES, { rule: SIDE_RULE });

/** The minimum amount of a trade. Source: interface for quotes and market orders, inferred for trades. */
export const MIN_CNGN: Amount = { asset: 'CNGN', minor: 1_000_000_000n };

/** An amount of a trade in cNGN. Documented ones have no decimal point where the request had none. */
export const cngn = (source: f.Source) => f.moneyText(source, 'decimal-string', 'CNGN', { mayBeBase: 'with-others' });

export const price = (source: f.Source) =>
  f.payText(source, 'CNGN', { rule: 'greater than 0, at most 6 decimals; cNGN per stablecoin' });

/** A figure that the service calculated: a price, or an amount of the order book or a trade. */
export const figure = (source: f.Source, asset: f.AssetRule) =>
  f.moneyText(source, 'decimal-string', asset, { mayBeBase: true });

/** A price per stablecoin, or an amount of the order book, in cNGN. */
export const cngnFigure = (source: f.Source) => figure(source, 'CNGN');

export const usdc = (source: f.Source) => f.maybe(figure(source, 'USDC'));

export const usdt = (source: f.Source) => f.maybe(figure(source, 'USDT'));

export const unfunded = refusal('UNFUNDED_TRADE', 'inferred', 'the wallet balance is too low');

export const selfTrade = refusal('SELF_TRADE', 'interface', "only the caller's own orders could match");
export const noLiquidity = refusal('NO_LIQUIDITY', 'interface', 'the order book cannot fill the amount');

export const cngnAmount = () =>
  f.payText('interface', 'CNGN', { minMinor: MIN_CNGN.minor, rule: 'at least 1000 cNGN' });

export const dollars = () => f.maybe(f.moneyText('public', 'decimal-string', 'USD'));
