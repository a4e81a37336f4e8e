import type { Direction } from '../../contract/values.ts';
import { amount } from '../../money/amount.ts';
import { cappedPercentOf, type PercentMillionths } from '../../money/rates.ts';
import type { Database } from '../../sqlite/database.ts';
import type { Context } from '../context.ts';
import { fintechFees, type Posting, platformFees } from '../ledger.ts';
import { isTestAmount } from '../values.ts';

/** A tier of the platform's price list: amounts from `fromKobo` up to the next tier. */
interface Tier {
  readonly fromKobo: bigint;
  readonly percent: PercentMillionths;
  readonly capKobo: bigint;
}

/**
 * Source: public examples (1.7 percent at ₦520, 1.5 at ₦5,000, and 0.4 for offramps of ₦1,000 to ₦5,000), inferred (the
 * rest).
 */
const PLATFORM_TIERS: Readonly<Record<Direction, readonly Tier[]>> = {
  onramp: [
    { fromKobo: 0n, percent: 1_700_000n, capKobo: 200_000n },
    { fromKobo: 500_000n, percent: 1_500_000n, capKobo: 200_000n },
    { fromKobo: 10_000_000n, percent: 1_000_000n, capKobo: 500_000n },
  ],
  offramp: [
    { fromKobo: 0n, percent: 500_000n, capKobo: 100_000n },
    { fromKobo: 100_000n, percent: 400_000n, capKobo: 100_000n },
    { fromKobo: 500_000n, percent: 300_000n, capKobo: 100_000n },
  ],
};

/** The rate of an older public example. Source: client. */
const GATEWAY_PERCENT: PercentMillionths = 1_500_000n;

interface FeePart {
  readonly kobo: bigint;
  readonly beforeCapKobo: bigint;
  readonly percent: PercentMillionths;
  readonly capped: boolean;
}

/** The platform fee on an amount and how it was calculated. */
interface PlatformFee extends FeePart {
  readonly capKobo: bigint;
  /** The tier ranges from `fromKobo` to below `belowKobo`, the start of the next tier; the last one is open. */
  readonly fromKobo: bigint;
  readonly belowKobo: bigint | undefined;
}

export interface Fees {
  readonly platform: FeePart;
  readonly fintech: FeePart;
  readonly totalKobo: bigint;
}

export interface FeeSetting {
  readonly percent_millionths: bigint;
  readonly cap_kobo: bigint;
  readonly enabled: bigint;
  readonly created_at: bigint;
  readonly updated_at: bigint;
}

export function feeSetting(store: Database, fintech: bigint, direction: Direction): FeeSetting | undefined {
  return store.get<FeeSetting>(
    'SELECT percent_millionths, cap_kobo, enabled, created_at, updated_at FROM fee_setting WHERE fintech = ? AND direction = ?',
    fintech,
    direction,
  );
}

function cappedFee(amountKobo: bigint, percent: PercentMillionths, capKobo: bigint): FeePart {
  const { minor, beforeCapMinor, isCapped } = cappedPercentOf(amountKobo, percent, capKobo);
  return { kobo: minor, beforeCapKobo: beforeCapMinor, percent, capped: isCapped };
}

export function platformFee(direction: Direction, amountKobo: bigint): PlatformFee {
  const tiers = PLATFORM_TIERS[direction];
  const at = tiers.findLastIndex(({ fromKobo }) => amountKobo >= fromKobo);
  const { fromKobo = 0n, percent = 0n, capKobo = 0n } = tiers[at] ?? {};
  return {
    ...cappedFee(amountKobo, percent, capKobo),
    capKobo,
    fromKobo,
    belowKobo: tiers[at + 1]?.fromKobo,
  };
}

/**
 * Returns both fees on an amount: the platform's tier and the fintech's own fee. Each is a share of the amount, not of
 * the other fee.
 */
export function feesOn(store: Database, fintech: bigint, direction: Direction, amountKobo: bigint): Fees {
  const platform = platformFee(direction, amountKobo);
  const own = ownFee(feeSetting(store, fintech, direction), amountKobo);
  return { platform, fintech: own, totalKobo: platform.kobo + own.kobo };
}

/**
 * Returns the gateway's fee on an onramp of this amount; undefined without one. It is not stored, because the test amount
 * alone decides it.
 */
export function gatewayFee(baseKobo: bigint): Pick<FeePart, 'kobo' | 'percent'> | undefined {
  if (!isTestAmount('gatewayFee', amount('NGN', baseKobo))) return undefined;
  return { kobo: cappedPercentOf(baseKobo, GATEWAY_PERCENT, undefined).minor, percent: GATEWAY_PERCENT };
}

/** Returns the fintech's own fee: zero if it was never set or is disabled. */
export function ownFee(setting: FeeSetting | undefined, amountKobo: bigint): FeePart {
  return setting?.enabled
    ? cappedFee(amountKobo, setting.percent_millionths, setting.cap_kobo)
    : { kobo: 0n, beforeCapKobo: 0n, percent: 0n, capped: false };
}

/**
 * Returns the postings that collect the fees of one transaction, and counts it in the tally. Call it once, when the
 * money moves.
 */
export function collectFees(
  context: Context,
  fintech: bigint,
  direction: Direction,
  platformKobo: bigint,
  fintechKobo: bigint,
): Posting[] {
  context.store.run(
    `INSERT INTO fee_tally (fintech, direction, transactions, earned_kobo, updated_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET transactions = transactions + excluded.transactions, earned_kobo = earned_kobo + excluded.earned_kobo,
     updated_at = excluded.updated_at`,
    fintech,
    direction,
    fintechKobo > 0n ? 1 : 0,
    fintechKobo,
    context.nowMs,
  );
  return [
    { account: platformFees(direction), minor: platformKobo },
    { account: fintechFees(fintech, direction), minor: fintechKobo },
  ];
}
