import { Fault } from '../../contract/faults.ts';
import type { Pair, Side } from '../../contract/fx.ts';
import type { Call } from '../context.ts';
import type { Slice } from './order-book.ts';
import { type Fill, match } from './order-book.ts';
import { legsOf, stablecoinOf } from './orders.ts';
import { decimal } from './terms.ts';

/** Fills an amount of cNGN from the book. Throws NO_LIQUIDITY, SELF_TRADE. */
export function fillFor(call: Call, pair: Pair, side: Side, cngnBase: bigint): Fill {
  const { gets } = legsOf(side, pair);
  const found = match(call.store, { pair, makerGives: gets, amount: { cngnBase }, taker: call.fintech.id });
  if ('fill' in found) return found.fill;
  if (found.unfilled === 'own')
    throw new Fault('SELF_TRADE', 'only your own orders could fill this amount, and self-trades are not allowed');
  throw new Fault('NO_LIQUIDITY', `the order book of ${pair} cannot fill this amount`);
}

/** Returns the token amount under its field name for the pair. */
export function tokenAmount(pair: Pair, tokenBase: bigint) {
  const stablecoin = stablecoinOf(pair);
  return { [stablecoin === 'USDC' ? 'usdcAmount' : 'usdtAmount']: decimal(stablecoin, tokenBase) };
}

export function slicesText(slices: readonly Slice[]): string {
  return JSON.stringify(slices, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

const BIGINT_FIELDS = ['order', 'maker', 'priceMicro', 'spreadMillionths', 'cngnBase', 'tokenBase'] as const;

export function readSlices(text: string): Slice[] {
  return JSON.parse(text, (key, value: unknown) =>
    BIGINT_FIELDS.some((field) => field === key) ? BigInt(value as string) : value,
  ) as Slice[];
}
