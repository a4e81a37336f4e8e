import { Fault } from '../../contract/faults.ts';
import type { Direction } from '../../contract/values.ts';
import { amount, fromWire, toWireNumber } from '../../money/amount.ts';
import { percentFromWire, percentToWire } from '../../money/rates.ts';
import type { Database } from '../../sqlite/database.ts';
import { type Call, isoTime, type Operations, type OperationsOf, VERSION } from '../context.ts';
import { balanceOf, feesWithdrawing, fintechFees } from '../ledger.ts';
import { upsert } from '../rows.ts';
import { FEE_WITHDRAWAL_AT, IS_OPEN_DEPOSIT, IS_OPEN_OFFRAMP } from '../schema/schema.ts';
import { wholeKoboOf } from '../wire-values.ts';
import { type FeeSetting, feeSetting, ownFee, platformFee } from './fees.ts';

const kobo = (minor: bigint) => toWireNumber(amount('NGN', minor), 'kobo');

interface Note {
  readonly description: string | null;
  readonly notes: string | null;
  readonly last_updated_by: string;
}

/** Returns the fees that a fintech has set. A direction that was never set is omitted. Source: public. */
function configuration(call: Call) {
  const setting = (direction: Direction) => feeSetting(call.store, call.fintech.id, direction);
  const [onramp, offramp] = [setting('onramp'), setting('offramp')];
  const note = call.store.get<Note>('SELECT * FROM fee_note WHERE fintech = ?', call.fintech.id);
  const show = ({ percent_millionths, cap_kobo, enabled }: FeeSetting) => ({
    percentageFee: percentToWire(percent_millionths),
    capFee: kobo(cap_kobo),
    enabled: enabled === 1n,
  });
  return {
    onramp,
    offramp,
    fees: { ...(onramp ? { onrampFee: show(onramp) } : {}), ...(offramp ? { offrampFee: show(offramp) } : {}) },
    description: note?.description ?? null,
    notes: note?.notes ?? null,
    lastUpdatedBy: note?.last_updated_by ?? call.fintech.fintechId,
  };
}

const get: Operations['fees.get'] = (call) => {
  const { onramp, offramp, fees, description, lastUpdatedBy } = configuration(call);
  const settings = [onramp, offramp].filter((setting) => setting !== undefined);
  const created = settings.map((setting) => setting.created_at).sort()[0];
  const updated = settings
    .map((setting) => setting.updated_at)
    .sort()
    .at(-1);
  return {
    fintechId: call.fintech.fintechId,
    hasConfiguration: settings.length > 0,
    feeConfiguration: { ...fees, metadata: { description, lastUpdatedBy } },
    timestamps: {
      createdAt: created === undefined ? null : isoTime(created),
      updatedAt: updated === undefined ? null : isoTime(updated),
    },
    version: VERSION,
  };
};

/** The amount of the example calculation. Source: inferred. */
const EXAMPLE_KOBO = 1_000_000n;

function example(setting: FeeSetting | undefined) {
  if (!setting) return undefined;
  const fee = ownFee(setting, EXAMPLE_KOBO);
  return { amount: kobo(EXAMPLE_KOBO), fee: kobo(fee.kobo), capped: fee.capped };
}

type ManageRequest = Parameters<Operations['fees.manage']>[1];

function setFee(call: Call, direction: Direction, fee: ManageRequest['onrampFee']): void {
  if (!fee) return;
  const percent = percentFromWire(fee.percentageFee);
  const cap = fromWire(fee.capFee, 'kobo', 'NGN');
  if (percent === undefined || !cap) throw new Fault('VALIDATION_ERROR', `${direction}Fee: expected numbers`);
  upsert(
    call.store,
    'fee_setting',
    { fintech: call.fintech.id, direction, created_at: call.nowMs },
    { percent_millionths: percent, cap_kobo: cap.minor, enabled: fee.enabled, updated_at: call.nowMs },
  );
}

/** Stores the given notes; `lastUpdatedBy` always belongs to the last change. */
function setNote({ store, fintech }: Call, metadata: ManageRequest['metadata']): void {
  store.run(
    `INSERT INTO fee_note (fintech, description, notes, last_updated_by) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET description = COALESCE(excluded.description, description), notes = COALESCE(excluded.notes, notes),
     last_updated_by = excluded.last_updated_by`,
    fintech.id,
    metadata?.description ?? null,
    metadata?.notes ?? null,
    metadata?.lastUpdatedBy ?? fintech.fintechId,
  );
}

const manage: Operations['fees.manage'] = (call, { onrampFee, offrampFee, metadata }) => {
  if (!onrampFee && !offrampFee && !metadata)
    throw new Fault('VALIDATION_ERROR', 'expected at least one of onrampFee, offrampFee and metadata');
  setFee(call, 'onramp', onrampFee);
  setFee(call, 'offramp', offrampFee);
  setNote(call, metadata);
  const { onramp, offramp, fees, ...note } = configuration(call);
  const [onrampExample, offrampExample] = [example(onramp), example(offramp)];
  return {
    fintechId: call.fintech.fintechId,
    operation: 'updated',
    feeConfiguration: { ...fees, metadata: note },
    exampleCalculation: {
      ...(onrampExample ? { onramp: onrampExample } : {}),
      ...(offrampExample ? { offramp: offrampExample } : {}),
    },
    timestamp: isoTime(call.nowMs),
    version: VERSION,
  };
};

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

function accruedFees(store: Database, fintech: bigint): AccruedFees {
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

const accumulated: Operations['fees.accumulated'] = (call) => {
  const fees = accruedFees(call.store, call.fintech.id);
  return {
    summary: {
      totalAccumulatedFees: kobo(fees.onrampKobo + fees.offrampKobo),
      onrampFees: kobo(fees.onrampKobo),
      offrampFees: kobo(fees.offrampKobo),
      collectedFees: kobo(fees.availableKobo + fees.withdrawingKobo),
      pendingFees: kobo(fees.pendingKobo),
      transactionCount: fees.transactions,
      pendingWithdrawals: kobo(fees.withdrawingKobo),
      availableForWithdrawal: kobo(fees.availableKobo),
    },
    details: {
      lastUpdated: fees.updatedAt === 0n ? null : isoTime(fees.updatedAt),
      currency: 'NGN',
      minimumWithdrawal: kobo(WITHDRAWAL_LIMITS_KOBO.minimum),
      maximumWithdrawal: kobo(WITHDRAWAL_LIMITS_KOBO.maximum),
    },
  };
};

const preview: Operations['fees.preview'] = (call, { amount: wire, transactionType }) => {
  const amountKobo = wholeKoboOf(wire);
  const fee = platformFee(transactionType, amountKobo);
  return {
    input: { amount: kobo(amountKobo), transactionType, fintechId: call.fintech.fintechId },
    result: {
      amount: kobo(amountKobo),
      feePercentage: percentToWire(fee.percent),
      calculatedFee: kobo(fee.beforeCapKobo),
      fixedFee: kobo(0n),
      finalFee: kobo(fee.kobo),
      wasCapped: fee.capped,
      appliedCap: fee.capped ? kobo(fee.capKobo) : null,
      tierUsed: {
        minAmount: kobo(fee.fromKobo),
        maxAmount: fee.belowKobo === undefined ? null : kobo(fee.belowKobo),
      },
      transactionType,
      usedFintechOverride: false,
    },
  };
};

export const feesOperations = {
  'fees.get': get,
  'fees.manage': manage,
  'fees.accumulated': accumulated,
  'fees.preview': preview,
} satisfies OperationsOf<'fees'>;
