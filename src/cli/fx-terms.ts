import { CliError } from '../base/errors.ts';
import { LEAST_CNGN, PAIRS, SIDE_RULE, SIDES, type Side } from '../contract/fx.ts';
import { type Amount, type Asset, amount, amountForPeople, isAsset } from '../money/amount.ts';
import { trimDecimal } from '../money/decimal.ts';
import { fromWire, toWireText } from '../money/units.ts';
import { amountHelp, amountOf, oneOfAnyCase, option, required } from './parameters.ts';

export const pair = oneOfAnyCase(...PAIRS);
const side = oneOfAnyCase(...SIDES);

const PAIR_HELP = PAIRS.join(' or ');

export const requiredPair = required('--pair <pair>', PAIR_HELP, pair, `Pair (${PAIR_HELP}):`);
export const requiredSide = required('--side <side>', SIDE_RULE, side, 'Side (buy or sell the stablecoin):');
export const optionalPair = option('--pair <pair>', PAIR_HELP, pair);
export const optionalSide = option('--side <side>', SIDE_RULE, side);

/** The service quotes no less. Throws CliError usage. */
const atLeastThousand = (text: string): Amount => {
  const value = amountOf('CNGN')(text);
  if (value.minor >= LEAST_CNGN.minor) return value;
  throw new CliError(
    'usage',
    `${amountForPeople(value)} is less than ${amountForPeople(LEAST_CNGN)}, the least there is`,
    {
      code: 'INVALID_AMOUNT',
    },
  );
};

export const quotedCngn = required(
  '--amount <cngn>',
  `${amountHelp('CNGN')}; at least 1000`,
  atLeastThousand,
  'Amount in cNGN, at least 1000:',
);
export const requiredCngn = required('--amount <cngn>', amountHelp('CNGN'), amountOf('CNGN'), 'Amount in cNGN:');
export const optionalCngn = option('--amount <cngn>', amountHelp('CNGN'), amountOf('CNGN'));

/** The stablecoin of a pair: `USDC` of `CNGN-USDC`. */
export function stablecoinOf(text: string): Asset {
  const token = text.replace(/^CNGN-/, '');
  return isAsset(token) ? token : 'USDC';
}

/** What an account that takes this side gives. */
export function givenAsset(wanted: Side, text: string): Asset {
  return wanted === 'buy' ? 'CNGN' : stablecoinOf(text);
}

/** Decimal text as it travels, without zeros that say nothing: `1390.5`. */
export function wireDecimal(value: Amount): string {
  return trimDecimal(toWireText(value, 'decimal-string'));
}

const MILLION = 1_000_000n;

/** So much cNGN in stablecoin at a price, cut to the smallest unit. */
export function inStablecoin(cngn: Amount, price: Amount, asset: Asset): Amount {
  return amount(asset, price.minor === 0n ? 0n : (cngn.minor * MILLION) / price.minor);
}

/** So much stablecoin in cNGN at a price, cut to the smallest unit. */
export function inCngn(stablecoin: Amount, price: Amount): Amount {
  return amount('CNGN', (stablecoin.minor * price.minor) / MILLION);
}

/** An amount of an answer; undefined where there is none. */
export function amountIn(text: string | null | undefined, asset: Asset): Amount | undefined {
  return text === null || text === undefined ? undefined : fromWire(text, 'decimal-string', asset);
}

/** `buy USDC with 5,000.00 cNGN`, `sell USDC for 5,000.00 cNGN`. */
export function dealWords(wanted: Side, text: string, cngn: Amount): string {
  const stablecoin = text === 'CNGN' ? 'stablecoin' : stablecoinOf(text);
  return `${wanted} ${stablecoin} ${wanted === 'buy' ? 'with' : 'for'} ${amountForPeople(cngn)}`;
}
