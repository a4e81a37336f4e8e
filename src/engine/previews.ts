import { balanceMulti, balanceUser } from '../contract/endpoints/balances.ts';
import { accumulatedFees, getFees, previewFees } from '../contract/endpoints/fees.ts';
import type { Direction } from '../contract/values.ts';
import { type Amount, amount, amountForPeople, minorForPeople, type Token } from '../money/amount.ts';
import type { WireNumber } from '../money/decimal.ts';
import { cappedPercentOf, percentFromWire } from '../money/rates.ts';
import { fromWire, type MoneyUnit, toWireNumber, wireForPeople } from '../money/units.ts';
import type { Account, AccountCallOptions } from './account.ts';
import type { Balance, ShownLine } from './plans/line.ts';

/** A label and its value in a confirmation. */
export type Line = ShownLine;

/** A user is waiting for the prompt, so a preview that takes longer is left out. */
export const PREVIEW_READ = { totalMs: 5_000 } as const;

/** Reads previews, none longer than `PREVIEW_READ` from now. A preview that cannot be read is left out. */
export async function readPreviews(...reads: readonly (() => Promise<readonly Line[]>)[]): Promise<readonly Line[]> {
  return (await Promise.all(reads.map((read) => read().catch(() => [])))).flat();
}

/** The amount in both units and in its wire unit: `₦5,000.00 (500,000 kobo), sent as 5000 naira`. */
export function amountLine(value: Amount, unit: MoneyUnit, more = ''): Line {
  return [
    'amount',
    `${amountForPeople(value)} (${minorForPeople(value)}), sent as ${wireForPeople(value, unit)}${more && `; ${more}`}`,
  ];
}

/** Returns the preview of the balance that an amount is paid from. */
export function paidFrom(read: () => Promise<Amount | undefined>, paid: Amount): () => Promise<readonly Line[]> {
  return () =>
    readPreviews(async () => {
      const before = await read();
      return before ? [balanceLine(before, -paid.minor)] : [];
    });
}

/** `1,500.00 cNGN before, 1,480.00 cNGN after`, or the shortfall; without a change, only the current balance. */
export function balanceLine(
  before: Amount,
  changeMinor?: bigint,
  more: Pick<Balance, 'isEstimate' | 'minimumMinor'> = {},
): Line {
  const now = `${amountForPeople(before)} before`;
  const balance = { asset: before.asset, beforeMinor: before.minor, ...more };
  if (changeMinor === undefined) return ['balance', now, { ...balance, afterMinor: undefined }];
  const after = amount(before.asset, before.minor + changeMinor);
  const known = { ...balance, afterMinor: after.minor };
  if (after.minor >= 0n) return ['balance', `${now}, ${amountForPeople(after)} after`, known];
  return ['balance', `${now}, ${amountForPeople(amount(before.asset, -after.minor))} short`, known];
}

/** Reads a user's balance of a token, in all wallets or in `wallet`. */
export async function userBalance(
  account: Account,
  userId: string,
  token: Token,
  wallet?: string,
): Promise<Amount | undefined> {
  const { data } = await account.call(balanceUser, { userId, token }, PREVIEW_READ);
  if (!wallet) return fromWire(data.totalBalance ?? '', 'token', token);
  // An address may hold the token on several networks.
  const own = data.networkBalances?.filter(
    ({ walletAddress }) => walletAddress?.toLowerCase() === wallet.toLowerCase(),
  );
  const held = own?.map(({ balance }) => fromWire(balance ?? '', 'token', token)) ?? [];
  if (held.length === 0 || held.includes(undefined)) return undefined;
  return amount(
    token,
    held.reduce((sum, each) => sum + (each?.minor ?? 0n), 0n),
  );
}

/** Reads the balance of a token in the account's smart wallet. */
export async function accountBalance(
  account: Account,
  token: Token,
  options: AccountCallOptions = PREVIEW_READ,
): Promise<Amount | undefined> {
  const { data } = await account.call(balanceMulti, { token }, options);
  return fromWire(data.totalBalance ?? '', 'token', token);
}

/** Parses an amount in kobo; undefined if it is missing. */
export function nairaOf(kobo: WireNumber | null | undefined): Amount | undefined {
  return kobo === null || kobo === undefined ? undefined : fromWire(kobo, 'kobo', 'NGN');
}

/** Reads the fees available for withdrawal and the withdrawal limits. */
export async function withdrawableFees(account: Account, isBeforehand: boolean) {
  const { data } = await account.call(accumulatedFees, {}, isBeforehand ? { isBeforehand } : PREVIEW_READ);
  const found = {
    available: nairaOf(data.summary?.availableForWithdrawal),
    minimum: nairaOf(data.details?.minimumWithdrawal),
    maximum: nairaOf(data.details?.maximumWithdrawal),
  };
  account.activity.fees = found;
  return found;
}

/** Reads the platform fee on an amount from its fee preview. */
export async function platformFeeOn(
  account: Account,
  direction: Direction,
  value: Amount,
): Promise<Amount | undefined> {
  const request = { amount: toWireNumber(value, 'kobo'), transactionType: direction };
  return nairaOf((await account.call(previewFees, request, PREVIEW_READ)).data.result?.finalFee);
}

/** Computes the account's own fee: its percentage up to its cap, or zero if no fee is set. */
async function ownFeeOn(account: Account, direction: Direction, value: Amount): Promise<Amount | undefined> {
  const { data } = await account.call(getFees, {}, PREVIEW_READ);
  const setting = data.feeConfiguration?.[`${direction}Fee`];
  if (!setting?.enabled || data.hasConfiguration === false) return amount('NGN', 0n);
  const percent = percentFromWire(setting.percentageFee ?? 0);
  if (percent === undefined) return undefined;
  return amount('NGN', cappedPercentOf(value.minor, percent, nairaOf(setting.capFee)?.minor).minor);
}

interface FeePreview {
  readonly lines: readonly Line[];
  /** The sum of the fees; undefined if one could not be read. */
  readonly total: Amount | undefined;
}

/** Reads the fees on an amount: `₦100.00: ₦75.00 to the platform, ₦25.00 to you`. */
export async function feePreview(account: Account, direction: Direction, value: Amount): Promise<FeePreview> {
  const unreadable = () => undefined;
  const [platform, own] = await Promise.all([
    platformFeeOn(account, direction, value).catch(unreadable),
    ownFeeOn(account, direction, value).catch(unreadable),
  ]);
  const parts = [
    platform && `${amountForPeople(platform)} to the platform`,
    own && `${amountForPeople(own)} to you`,
  ].filter((part) => part !== undefined);
  if (!platform || !own) return { lines: parts.map((part) => ['fees', part]), total: undefined };
  const total = amount('NGN', platform.minor + own.minor);
  return { lines: [['fees', `${amountForPeople(total)}: ${parts.join(', ')}`]], total };
}
