import type { Asset } from '../money/amount.ts';
import type { Context } from './context.ts';

/** The sandbox's token contracts, and the vault that offramped cNGN goes to. No chain behind any of them. */
export const TOKEN_ADDRESS: Readonly<Record<Exclude<Asset, 'NGN'>, string>> = {
  CNGN: `0x${'c0'.repeat(20)}`,
  USDC: `0x${'dc'.repeat(20)}`,
  USDT: `0x${'d7'.repeat(20)}`,
};
export const VAULT_ADDRESS = `0x${'fa'.repeat(20)}`;

/** Gas of a token transfer and its price, as text of integers: nothing is paid for it here. */
export const GAS = { gasUsed: '65000', effectiveGasPrice: '1000000' } as const;

/** Blocks of two seconds, counted from a day in 2023, as the chain the wallets are on has them. */
export function blockNumber({ nowMs }: Context): number {
  return Math.floor((nowMs - Date.UTC(2023, 5, 15)) / 2000);
}
