import { type Amount, type Asset, DECIMALS } from './amount.ts';

/** cNGN is redeemed for Naira at 1:1, so a limit of either counts both. Source: interface. */
const NAIRA: readonly Asset[] = ['NGN', 'CNGN'];

/** Returns the assets that are counted together with an asset, itself included. */
export const countedWith = (asset: Asset): readonly Asset[] => (NAIRA.includes(asset) ? NAIRA : [asset]);

/** The decimals of a sum: those of tokens, which are the most, so that adding and comparing never rounds. */
const SUM_DECIMALS = DECIMALS.CNGN;

const perMinor = (asset: Asset): bigint => 10n ** BigInt(SUM_DECIMALS - DECIMALS[asset]);

/** Returns an amount in millionths of a Naira or token, in which Naira and cNGN can be added and compared. */
export const millionthsOf = ({ asset, minor }: Amount): bigint => minor * perMinor(asset);

/** Returns what is left for a spender in an asset, rounded down; 0 if nothing is. */
export const leftIn = (asset: Asset, millionths: bigint): Amount => ({
  asset,
  minor: millionths > 0n ? millionths / perMinor(asset) : 0n,
});
