import { CliError } from '../base/errors.ts';
import { MIN_CNGN, PAIRS, SIDE_RULE, SIDES, type Side } from '../contract/fx.ts';
import { type Amount, type Asset, amount, amountForPeople, isAsset } from '../money/amount.ts';
import { trimDecimal } from '../money/decimal.ts';
import { fromWire, toWireText, type UnknownFigure } from '../money/units.ts';
import { amountHelp, amountOf, oneOfAnyCase, option, required } from '../terminal/parse/parameters.ts';

export const pair = oneOfAnyCase(...PAIRS);
const side = oneOfAnyCase(...SIDES);

const PAIR_HELP = PAIRS.join(' or ');

export const requiredPair = required('--pair <pair>', PAIR_HELP, pair, `Pair (${PAIR_HELP}):`);
export const requiredSide = required('--side <side>', SIDE_RULE, side, 'Side (buy or sell the stablecoin):');
export const optionalPair = option('--pair <pair>', PAIR_HELP, pair);
export const optionalSide = option('--side <side>', SIDE_RULE, side);

/** Parses an amount that the service quotes. Throws CliError usage if it is below the minimum. */
const quotableCngn = (text: string): Amount => {
  const value = amountOf('CNGN')(text);
  if (value.minor >= MIN_CNGN.minor) return value;
  throw new CliError('usage', `${amountForPeople(value)} is below the minimum of ${amountForPeople(MIN_CNGN)}`, {
    code: 'VALIDATION_ERROR',
  });
};

export const quotedCngn = required(
  '--amount <cngn>',
  `${amountHelp('CNGN')}; at least 1000`,
  quotableCngn,
  'Amount in cNGN, at least 1000:',
);
export const requiredCngn = required('--amount <cngn>', amountHelp('CNGN'), amountOf('CNGN'), 'Amount in cNGN:');
export const optionalCngn = option('--amount <cngn>', amountHelp('CNGN'), amountOf('CNGN'));

/** The stablecoin of a pair: `USDC` of `CNGN-USDC`. */
export function stablecoinOf(text: string): Asset {
  const token = text.replace(/^CNGN-/, '');
  return isAsset(token) ? token : 'USDC';
}

/** The asset that an account on this side of a trade pays. */
export function givenAsset(wanted: Side, text: string): Asset {
  return wanted === 'buy' ? 'CNGN' : stablecoinOf(text);
}

/** Formats an amount for the wire, without trailing zeros: `1390.5`. */
export function wireDecimal(value: Amount): string {
  return trimDecimal(toWireText(value, 'decimal-string'));
}

const MILLION = 1_000_000n;

/** Converts cNGN to stablecoin at a price, truncated to the smallest unit. */
export function inStablecoin(cngn: Amount, price: Amount, asset: Asset): Amount {
  return amount(asset, price.minor === 0n ? 0n : (cngn.minor * MILLION) / price.minor);
}

/** Converts stablecoin to cNGN at a price, truncated to the smallest unit. */
export function inCngn(stablecoin: Amount, price: Amount): Amount {
  return amount('CNGN', (stablecoin.minor * price.minor) / MILLION);
}

/** Parses an amount of a response; undefined if it is missing or its unit is unknown. */
export function amountIn(figure: string | UnknownFigure | null | undefined, asset: Asset): Amount | undefined {
  return typeof figure === 'string' ? fromWire(figure, 'decimal-string', asset) : undefined;
}

/** `buy USDC with 5,000.00 cNGN`, `sell USDC for 5,000.00 cNGN`. */
export function dealWords(wanted: Side, text: string, cngn: Amount): string {
  const stablecoin = text === 'CNGN' ? 'stablecoin' : stablecoinOf(text);
  return `${wanted} ${stablecoin} ${wanted === 'buy' ? 'with' : 'for'} ${amountForPeople(cngn)}`;
}
