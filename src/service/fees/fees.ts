import type { Direction } from '../../contract/fees.ts';
import { amount } from '../../money/amount.ts';
import { cappedPercentOf, type PercentMillionths } from '../../money/rates.ts';
import type { Database } from '../../sqlite/database.ts';
import type { Context } from '../context.ts';
import { balanceOf, feesWithdrawing, fintechFees, type Posting, platformFees } from '../ledger.ts';
import { FEE_WITHDRAWAL_AT, IS_OPEN_DEPOSIT, IS_OPEN_OFFRAMP } from '../schema/schema.ts';
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

function cappedFee(amountKobo: bigint, percent: PercentMillionths, capKobo: bigint): FeePart {
  const { minor, beforeCapMinor, isCapped } = cappedPercentOf(amountKobo, percent, capKobo);
  return { kobo: minor, beforeCapKobo: beforeCapMinor, percent, capped: isCapped };
}

export function feeSetting(store: Database, fintech: bigint, direction: Direction): FeeSetting | undefined {
  return store.get<FeeSetting>(
    'SELECT percent_millionths, cap_kobo, enabled, created_at, updated_at FROM fee_setting WHERE fintech = ? AND direction = ?',
    fintech,
    direction,
  );
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

/** The minimum and maximum of a fee withdrawal. Source: public (an example). */
export const WITHDRAWAL_LIMITS_KOBO = { minimum: 1_000n, maximum: 10_000_000n } as const;

/** A fintech's earned fees, and how much of them it still has. */
interface AccruedFees {
  /**
   * Fees by direction since creation, withdrawn or not, including those of pending transactions. Source: interface
   * (since creation).
   */
  readonly onrampKobo: bigint;
  readonly offrampKobo: bigint;
  /** Fees of transactions that are paid but not yet posted. */
  readonly pendingKobo: bigint;
  /** Fees on the way to the bank. */
  readonly withdrawingKobo: bigint;
  /** Fees that can be withdrawn. */
  readonly availableKobo: bigint;
  readonly transactions: number;
  /** Milliseconds since the epoch; 0 if there were never any fees. */
  readonly updatedAt: bigint;
}

/** Queries for the fees of transactions that are still in flight. */
const IN_FLIGHT: Readonly<Record<Direction, string>> = {
  onramp: `SELECT COALESCE(SUM(fintech_fee_kobo), 0) AS kobo FROM deposit
    WHERE fintech = ? AND ${IS_OPEN_DEPOSIT} AND state = 'processing'`,
  offramp: `SELECT COALESCE(SUM(fintech_fee_kobo), 0) AS kobo FROM offramp WHERE fintech = ? AND ${IS_OPEN_OFFRAMP}`,
};

const EARNED = 'SELECT earned_kobo AS kobo FROM fee_tally WHERE fintech = ? AND direction = ?';

const LATEST = `SELECT COALESCE(MAX(at), 0) AS at, COALESCE(SUM(transactions), 0) AS transactions FROM (
  SELECT updated_at AS at, transactions FROM fee_tally WHERE fintech = ?1
  UNION ALL SELECT * FROM (
    SELECT ${FEE_WITHDRAWAL_AT} AS at, 0 FROM fee_withdrawal WHERE fintech = ?1 ORDER BY ${FEE_WITHDRAWAL_AT} DESC LIMIT 1))`;

export function accruedFees(store: Database, fintech: bigint): AccruedFees {
  const of = (direction: Direction) => ({
    earned: store.get<{ kobo: bigint }>(EARNED, fintech, direction)?.kobo ?? 0n,
    available: balanceOf(store, fintechFees(fintech, direction)),
    withdrawing: balanceOf(store, feesWithdrawing(fintech, direction)),
    pending: store.get<{ kobo: bigint }>(IN_FLIGHT[direction], fintech)?.kobo ?? 0n,
  });
  const [onramp, offramp] = [of('onramp'), of('offramp')];
  const latest = store.get<{ at: bigint; transactions: bigint }>(LATEST, fintech);
  return {
    onrampKobo: onramp.earned + onramp.pending,
    offrampKobo: offramp.earned + offramp.pending,
    pendingKobo: onramp.pending + offramp.pending,
    withdrawingKobo: onramp.withdrawing + offramp.withdrawing,
    availableKobo: onramp.available + offramp.available,
    transactions: Number(latest?.transactions ?? 0n),
    updatedAt: latest?.at ?? 0n,
  };
}
