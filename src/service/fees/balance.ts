import type { Direction } from '../../contract/values.ts';
import type { Database } from '../../sqlite/database.ts';
import { balanceOf, feesWithdrawing, fintechFees } from '../ledger.ts';
import { FEE_WITHDRAWAL_AT, IS_OPEN_DEPOSIT, IS_OPEN_OFFRAMP } from '../schema/conditions.ts';

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
