import { unread } from '../../base/errors.ts';
import { accumulatedFees, getFees, previewFees } from '../../contract/endpoints/fees.ts';
import type { Direction } from '../../contract/values.ts';
import {
  type Amount,
  amount,
  amountForPeople,
  fromWire,
  isUnknownFigure,
  printable,
  toWireNumber,
  type UnknownFigure,
} from '../../money/amount.ts';
import type { WireNumber } from '../../money/decimal.ts';
import { cappedPercentOf, percentFromWire } from '../../money/rates.ts';
import type { Account, KnownFees } from '../account.ts';
import type { ShownLine } from '../plans/line.ts';
import { PREVIEW_READ } from './previews.ts';

/** Parses an amount in kobo; undefined if it is missing, or its unit or asset is not known. */
export function nairaOf(kobo: WireNumber | UnknownFigure | null | undefined): Amount | undefined {
  return kobo === null || kobo === undefined ? undefined : fromWire(kobo, 'kobo', 'NGN');
}

const FEE_WORDS = {
  available: 'the withdrawable amount',
  minimum: 'the minimum withdrawal',
  maximum: 'the maximum withdrawal',
} as const;

/** Reads the fees available for withdrawal and the withdrawal limits. */
export async function withdrawableFees(account: Account, isBeforehand: boolean) {
  const { data } = await account.call(accumulatedFees, {}, isBeforehand ? { isBeforehand } : PREVIEW_READ);
  const stated = {
    available: data.summary?.availableForWithdrawal,
    minimum: data.details?.minimumWithdrawal,
    maximum: data.details?.maximumWithdrawal,
  };
  const [name, figure] = Object.entries(stated).find((each) => isUnknownFigure(each[1])) ?? [];
  const found: KnownFees = {
    available: nairaOf(stated.available),
    minimum: nairaOf(stated.minimum),
    maximum: nairaOf(stated.maximum),
    ...(isUnknownFigure(figure)
      ? {
          uncertain: {
            uncertainty: `${FEE_WORDS[name as keyof typeof stated]} is "${printable(figure.value)}", which is not known to be in kobo`,
          },
        }
      : {}),
  };
  account.activity.fees = found;
  return found;
}

/** Reads the platform fee on an amount from its fee preview. */
export async function platformFeeOn(account: Account, direction: Direction, value: Amount) {
  const request = { amount: toWireNumber(value, 'kobo'), transactionType: direction };
  return nairaOf((await account.call(previewFees, request, PREVIEW_READ)).data.result?.finalFee);
}

/** Computes the account's own fee: its percentage up to its cap, or zero if no fee is set. */
async function ownFeeOn(account: Account, direction: Direction, value: Amount): Promise<Amount | undefined> {
  const { data } = await account.call(getFees, {}, PREVIEW_READ);
  const setting = data.feeConfiguration?.[`${direction}Fee`];
  if (!setting?.enabled || data.hasConfiguration === false) return amount('NGN', 0n);
  const percent = percentFromWire(setting.percentageFee ?? 0);
  if (percent === undefined || isUnknownFigure(setting.capFee)) return undefined;
  return amount('NGN', cappedPercentOf(value.minor, percent, nairaOf(setting.capFee)?.minor).minor);
}

interface FeePreview {
  readonly lines: readonly ShownLine[];
  /** The sum of the fees; undefined if one could not be read. */
  readonly total: Amount | undefined;
}

/** Reads the fees on an amount: `₦100.00: ₦75.00 to the platform, ₦25.00 to you`. */
export async function feePreview(account: Account, direction: Direction, value: Amount): Promise<FeePreview> {
  const [platform, own] = await Promise.all([
    platformFeeOn(account, direction, value).catch(unread),
    ownFeeOn(account, direction, value).catch(unread),
  ]);
  const parts = [
    platform && `${amountForPeople(platform)} to the platform`,
    own && `${amountForPeople(own)} to you`,
  ].filter((part) => part !== undefined);
  if (!platform || !own) return { lines: parts.map((part) => ['fees', part]), total: undefined };
  const total = amount('NGN', platform.minor + own.minor);
  return { lines: [['fees', `${amountForPeople(total)}: ${parts.join(', ')}`]], total };
}
