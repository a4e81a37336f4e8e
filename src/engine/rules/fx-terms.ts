import {
  type Amount,
  type Asset,
  amount,
  fromWire,
  STABLECOINS,
  type Stablecoin,
  toWireText,
  type UnknownFigure,
} from '../../money/amount.ts';
import { trimDecimal } from '../../money/decimal.ts';

/** The stablecoin that a pair of a response or of a request names: `USDC` of `CNGN-USDC`; undefined if it names none. */
export function stablecoinIn(text: string): Stablecoin | undefined {
  return STABLECOINS.find((each) => text.toUpperCase().endsWith(each));
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
