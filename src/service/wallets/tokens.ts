import type { Asset } from '../../money/amount.ts';
import type { Context } from '../context.ts';

/** Addresses of the sandbox's token contracts and of the vault for offramped cNGN. They exist on no chain. */
export const TOKEN_ADDRESS: Readonly<Record<Exclude<Asset, 'NGN'>, string>> = {
  CNGN: `0x${'c0'.repeat(20)}`,
  USDC: `0x${'dc'.repeat(20)}`,
  USDT: `0x${'d7'.repeat(20)}`,
};
export const VAULT_ADDRESS = `0x${'fa'.repeat(20)}`;

/** Gas and gas price of a token transfer, as integer text; the sandbox charges nothing for it. */
export const GAS = { gasUsed: '65000', effectiveGasPrice: '1000000' } as const;

/** Returns the number of the current block: one every 2 seconds since a day in 2023, like Base. */
export function blockNumber({ nowMs }: Context): number {
  return Math.floor((nowMs - Date.UTC(2023, 5, 15)) / 2000);
}
