import { amount } from '../../money/amount.ts';
import { percentToWire } from '../../money/rates.ts';
import { toWireNumber } from '../../money/units.ts';
import { type Call, isoTime } from '../context.ts';
import { feeSetting } from '../fees.ts';
import { balanceOf, type Direction, fintechFees } from '../ledger.ts';
import type { Operations } from '../operation.ts';

const kobo = (minor: bigint) => toWireNumber(amount('NGN', minor), 'kobo');

const get: Operations['fees.get'] = (call) => {
  const onramp = feeSetting(call.store, call.fintech.id, 'onramp');
  const offramp = feeSetting(call.store, call.fintech.id, 'offramp');
  const show = (setting: typeof onramp) =>
    setting && {
      percentageFee: percentToWire(setting.percent_millionths),
      capFee: kobo(setting.cap_kobo),
      enabled: setting.enabled === 1n,
    };
  const settings = [onramp, offramp].filter((setting) => setting !== undefined);
  const created = settings.map((setting) => setting.created_at).sort()[0];
  const updated = settings
    .map((setting) => setting.updated_at)
    .sort()
    .at(-1);
  return {
    fintechId: call.fintech.fintechId,
    hasConfiguration: settings.length > 0,
    feeConfiguration: {
      ...(onramp ? { onrampFee: show(onramp) } : {}),
      ...(offramp ? { offrampFee: show(offramp) } : {}),
      metadata: { description: null, lastUpdatedBy: call.fintech.fintechId },
    },
    timestamps: {
      createdAt: created === undefined ? null : isoTime(created),
      updatedAt: updated === undefined ? null : isoTime(updated),
    },
    version: '1.0.0',
  };
};

interface Tally {
  readonly transactions: bigint;
  readonly earned_kobo: bigint;
  readonly updated_at: bigint;
}

const NO_TALLY: Tally = { transactions: 0n, earned_kobo: 0n, updated_at: 0n };

/** Fees of money that is still on its way: paid for and not yet booked. */
function pendingKobo(call: Call, direction: Direction): bigint {
  const inFlight =
    direction === 'onramp'
      ? `SELECT COALESCE(SUM(fintech_fee_kobo), 0) AS kobo FROM deposit WHERE fintech = ? AND state = 'processing'`
      : `SELECT COALESCE(SUM(fintech_fee_kobo), 0) AS kobo FROM offramp WHERE fintech = ? AND state = 'payout_pending'`;
  return call.store.get<{ kobo: bigint }>(inFlight, call.fintech.id)?.kobo ?? 0n;
}

/** Withdrawals between these limits are taken. Source: public (an example). */
const WITHDRAWAL_LIMITS_KOBO = { minimum: 1_000n, maximum: 10_000_000n } as const;

const accumulated: Operations['fees.accumulated'] = (call) => {
  const tally = (direction: Direction) =>
    call.store.get<Tally>(
      'SELECT transactions, earned_kobo, updated_at FROM fee_tally WHERE fintech = ? AND direction = ?',
      call.fintech.id,
      direction,
    ) ?? NO_TALLY;
  const onramp = tally('onramp');
  const offramp = tally('offramp');
  const pending = { onramp: pendingKobo(call, 'onramp'), offramp: pendingKobo(call, 'offramp') };
  const collected =
    balanceOf(call.store, fintechFees(call.fintech.id, 'onramp')) +
    balanceOf(call.store, fintechFees(call.fintech.id, 'offramp'));
  const pendingWithdrawals = 0n;
  const lastUpdated = onramp.updated_at > offramp.updated_at ? onramp.updated_at : offramp.updated_at;
  return {
    summary: {
      totalAccumulatedFees: kobo(onramp.earned_kobo + offramp.earned_kobo + pending.onramp + pending.offramp),
      onrampFees: kobo(onramp.earned_kobo + pending.onramp),
      offrampFees: kobo(offramp.earned_kobo + pending.offramp),
      collectedFees: kobo(collected),
      pendingFees: kobo(pending.onramp + pending.offramp),
      transactionCount: Number(onramp.transactions + offramp.transactions),
      pendingWithdrawals: kobo(pendingWithdrawals),
      availableForWithdrawal: kobo(collected - pendingWithdrawals),
    },
    details: {
      lastUpdated: lastUpdated === 0n ? null : isoTime(lastUpdated),
      currency: 'NGN',
      minimumWithdrawal: kobo(WITHDRAWAL_LIMITS_KOBO.minimum),
      maximumWithdrawal: kobo(WITHDRAWAL_LIMITS_KOBO.maximum),
    },
  };
};

export const feesOperations = {
  'fees.get': get,
  'fees.accumulated': accumulated,
} satisfies Partial<Operations>;
