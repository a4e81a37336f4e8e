import { balanceMulti, balanceUser } from '../contract/endpoints/balances.ts';
import { accumulatedFees, getFees, previewFees } from '../contract/endpoints/fees.ts';
import type { Direction } from '../contract/fees.ts';
import { type Amount, amount, amountForPeople, minorForPeople, type Token } from '../money/amount.ts';
import type { WireNumber } from '../money/decimal.ts';
import { cappedPercentOf, percentFromWire } from '../money/rates.ts';
import { fromWire, type MoneyUnit, toWireNumber, wireForPeople } from '../money/units.ts';
import type { Session, SessionCallOptions } from './session.ts';

/** A label and its value, for the person who confirms. */
export type Line = readonly [label: string, value: string];

/** Somebody waits to be asked: what takes longer is done without. */
export const PREVIEW_READ = { totalMs: 5_000 } as const;

/** What can be read, all at once. What cannot is left out: it is no reason to stop. */
export async function readPreviews(...reads: readonly (() => Promise<readonly Line[]>)[]): Promise<readonly Line[]> {
  return (await Promise.all(reads.map((read) => read().catch(() => [])))).flat();
}

/** The amount in both units and as it travels: `₦5,000.00 (500,000 kobo), sent as 5000 naira`. */
export function amountLine(value: Amount, unit: MoneyUnit, more = ''): Line {
  return [
    'amount',
    `${amountForPeople(value)} (${minorForPeople(value)}), sent as ${wireForPeople(value, unit)}${more && `; ${more}`}`,
  ];
}

/** `1,500.00 cNGN before, 1,480.00 cNGN after`; what is missing where it is too little; without a change, only what is there. */
export function balanceLine(before: Amount, changeMinor?: bigint): Line {
  const now = `${amountForPeople(before)} before`;
  if (changeMinor === undefined) return ['balance', now];
  const after = amount(before.asset, before.minor + changeMinor);
  if (after.minor >= 0n) return ['balance', `${now}, ${amountForPeople(after)} after`];
  return ['balance', `${now}: ${amountForPeople(amount(before.asset, -after.minor))} too little`];
}

/** What a user holds of a token; in one wallet, where `wallet` names it. */
export async function userBalance(
  session: Session,
  userId: string,
  token: Token,
  wallet?: string,
): Promise<Amount | undefined> {
  const { data } = await session.call(balanceUser, { userId, token }, PREVIEW_READ);
  const held = wallet
    ? data.networkBalances?.find(({ walletAddress }) => walletAddress?.toLowerCase() === wallet.toLowerCase())?.balance
    : data.totalBalance;
  return fromWire(held ?? '', 'token', token);
}

/** What the account's smart wallet holds of a token. */
export async function accountBalance(
  session: Session,
  token: Token,
  options: SessionCallOptions = PREVIEW_READ,
): Promise<Amount | undefined> {
  const { data } = await session.call(balanceMulti, { token }, options);
  return fromWire(data.totalBalance ?? '', 'token', token);
}

/** An amount of a reply in kobo; undefined where there is none. */
export function nairaOf(kobo: WireNumber | null | undefined): Amount | undefined {
  return kobo === null || kobo === undefined ? undefined : fromWire(kobo, 'kobo', 'NGN');
}

/** The fees that can be withdrawn, and between which limits. */
export async function withdrawableFees(session: Session, isBeforehand: boolean) {
  const { data } = await session.call(accumulatedFees, {}, isBeforehand ? { isBeforehand } : PREVIEW_READ);
  return {
    available: nairaOf(data.summary?.availableForWithdrawal),
    minimum: nairaOf(data.details?.minimumWithdrawal),
    maximum: nairaOf(data.details?.maximumWithdrawal),
  };
}

/** What the platform takes for an amount, by its own preview. */
export async function platformFeeOn(
  session: Session,
  direction: Direction,
  value: Amount,
): Promise<Amount | undefined> {
  const request = { amount: toWireNumber(value, 'kobo'), transactionType: direction };
  return nairaOf((await session.call(previewFees, request, PREVIEW_READ)).data.result?.finalFee);
}

/** What the account itself takes: its percentage, up to its cap; nothing where it has set none. */
async function ownFeeOn(session: Session, direction: Direction, value: Amount): Promise<Amount | undefined> {
  const { data } = await session.call(getFees, {}, PREVIEW_READ);
  const setting = data.feeConfiguration?.[`${direction}Fee`];
  if (!setting?.enabled || data.hasConfiguration === false) return amount('NGN', 0n);
  const percent = percentFromWire(setting.percentageFee ?? 0);
  if (percent === undefined) return undefined;
  return amount('NGN', cappedPercentOf(value.minor, percent, nairaOf(setting.capFee)?.minor).minor);
}

interface FeePreview {
  readonly lines: readonly Line[];
  /** All of them together; undefined where one could not be read. */
  readonly total: Amount | undefined;
}

/** The fees on an amount: `₦100.00: ₦75.00 to the platform, ₦25.00 to you`. */
export async function feePreview(session: Session, direction: Direction, value: Amount): Promise<FeePreview> {
  const unreadable = () => undefined;
  const [platform, own] = await Promise.all([
    platformFeeOn(session, direction, value).catch(unreadable),
    ownFeeOn(session, direction, value).catch(unreadable),
  ]);
  const parts = [
    platform && `${amountForPeople(platform)} to the platform`,
    own && `${amountForPeople(own)} to you`,
  ].filter((part) => part !== undefined);
  if (!platform || !own) return { lines: parts.map((part) => ['fees', part]), total: undefined };
  const total = amount('NGN', platform.minor + own.minor);
  return { lines: [['fees', `${amountForPeople(total)}: ${parts.join(', ')}`]], total };
}
