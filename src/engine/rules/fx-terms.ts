import {
  type Amount,
  type Asset,
  amount,
  fromWire,
  isAsset,
  toWireText,
  type UnknownFigure,
} from '../../money/amount.ts';
import { trimDecimal } from '../../money/decimal.ts';

/** The stablecoin of a pair: `USDC` of `CNGN-USDC`. */
export function stablecoinOf(text: string): Asset {
  const token = text.replace(/^CNGN-/, '');
  return isAsset(token) ? token : 'USDC';
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

/** Parses an amount of a response; undefined if it is missing or its unit is unknown. */
export function amountIn(figure: string | UnknownFigure | null | undefined, asset: Asset): Amount | undefined {
  return typeof figure === 'string' ? fromWire(figure, 'decimal-string', asset) : undefined;
}
