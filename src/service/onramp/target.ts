import type { RequestOf } from '../../contract/endpoint.ts';
import type { startOnramp } from '../../contract/endpoints/onramp.ts';
import { Fault } from '../../contract/faults.ts';
import type { Token } from '../../money/amount.ts';
import type { Call } from '../context.ts';

/** The asset that an onramp delivers, and the maximum slippage of the swap. */
export interface OnrampTarget {
  readonly autoSwap: boolean;
  readonly asset: Token;
  readonly slippageMillionths: bigint;
}

/** Source: interface (the default of the swap trigger), inferred (that an onramp's swap shares it). */
const SLIPPAGE: bigint = 5_000_000n;

/** The fields of an onramp request that choose its target. */
type SwapRequest = Pick<RequestOf<typeof startOnramp>, 'autoSwap' | 'assetSwap'>;

interface PreferenceRow {
  readonly asset: Token;
  readonly auto_swap: bigint;
  readonly slippage_millionths: bigint | null;
}

/**
 * Returns the target of an onramp: auto-swap as requested, or else the user's preference. Throws VALIDATION_ERROR if a
 * swap has no asset.
 */
export function targetOf(
  { store }: Pick<Call, 'store'>,
  user: bigint,
  { autoSwap, assetSwap }: SwapRequest,
): OnrampTarget {
  const preference = store.get<PreferenceRow>(
    'SELECT asset, auto_swap, slippage_millionths FROM onramp_preference WHERE user = ?',
    user,
  );
  const isOn = autoSwap ?? preference?.auto_swap === 1n;
  const asset = assetSwap ?? preference?.asset ?? 'CNGN';
  if (autoSwap && asset === 'CNGN')
    throw new Fault('VALIDATION_ERROR', 'assetSwap: expected USDC or USDT with autoSwap');
  const swaps = isOn && asset !== 'CNGN';
  return {
    autoSwap: swaps,
    asset: swaps ? asset : 'CNGN',
    slippageMillionths: preference?.slippage_millionths ?? SLIPPAGE,
  };
}
