import { Fault } from '../../contract/faults.ts';
import { amount, toWireNumber, toWireText } from '../../money/amount.ts';
import { bankByCode, VIRTUAL_ACCOUNT_BANK } from '../banks/banks.ts';
import { type Call, isoTime, isoTimeOrNull, type Operations } from '../context.ts';
import { timeRangeOf } from '../wire-values.ts';
import { type MovementFilter, type MovementRow, pageOf, totalsOf } from './movements.ts';

const naira = (kobo: bigint) => toWireNumber(amount('NGN', kobo), 'naira');
const volume = (kobo: bigint) => toWireText(amount('NGN', kobo), 'naira');

/** The filters of a list as sent, without the paging fields. */
interface Filters {
  readonly direction?: 'in' | 'out' | undefined;
  readonly type?: string | undefined;
  readonly userId?: string | undefined;
  readonly status?: string | undefined;
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
}

interface PagedFilters extends Filters {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

function filtersSent({ direction, type, userId, status, startDate, endDate }: Filters): Record<string, string> {
  const all = { direction, type, userId, status, startDate, endDate };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Returns a page of movements with the fields that every list has around it. */
function listed(call: Call, input: PagedFilters, direction: MovementFilter['direction']) {
  const { limit = 20, offset = 0 } = input;
  const { type, status, userId } = input;
  const filter: MovementFilter = { direction, type, status, userId, ...timeRangeOf(input) };
  const totals = totalsOf(call, filter);
  const total = totals.in.movements + totals.out.movements;
  const rows = pageOf(call, filter, { limit, offset, total });
  const around = { total, limit, offset, hasMore: offset + rows.length < total, filters: filtersSent(input) };
  return { rows, totals, around };
}

/** The user filter requires the one type whose rows have users. Source: public. Throws VALIDATION_ERROR. */
function requireType({ userId, type }: Filters, expected: string): void {
  if (userId !== undefined && type !== expected)
    throw new Fault('VALIDATION_ERROR', `userId: expected only with type ${expected}`);
}

/** The fields that a row has in every list. */
function common(call: Call, row: MovementRow) {
  return {
    type: row.type,
    direction: row.direction,
    fintechId: call.fintech.fintechId,
    amount: naira(row.amount_kobo),
    currency: 'NGN',
    status: row.status,
    createdAt: isoTime(row.created_at),
    completedAt: isoTimeOrNull(row.completed_at),
  };
}

/**
 * The additional fields of a deposit. A refunded or cancelled deposit has no minted amount and no fees. Source: client (minted
 * amount and fee on the rows of users), public (the rest).
 */
function depositPart(row: MovementRow) {
  const isMinted = !['refunding', 'refunded', 'cancelled'].includes(row.state);
  const mintedKobo = row.onramp_kobo ?? row.amount_kobo - row.platform_fee_kobo - row.fintech_fee_kobo;
  return {
    ...(row.user_id === null
      ? {}
      : {
          userId: row.user_id,
          fundingAmount: isMinted ? naira(mintedKobo) : null,
          platformFee: isMinted ? naira(row.platform_fee_kobo) : null,
        }),
    virtualAccountNumber: row.virtual_account_number,
    virtualAccountName: row.virtual_account_name,
    depositor: {
      name: row.bank_account_name,
      accountNumber: row.bank_account_number,
      bankName: bankByCode(row.bank_code)?.name,
      bankCode: row.bank_code,
    },
    transactionReference: row.reference,
    provider: VIRTUAL_ACCOUNT_BANK.provider,
    walletAddress: isMinted ? row.wallet_address : null,
    mintTxHash: row.tx_hash,
  };
}

const listDeposits: Operations['transactions.list-deposits'] = (call, input) => {
  requireType(input, 'user_onramp');
  const { rows, around } = listed(call, input, 'in');
  return {
    deposits: rows.map((row) => ({ id: row.public_id, ...common(call, row), ...depositPart(row) })),
    ...around,
  };
};

/** The bank status of each state; states before the bank's part are pending. Source: inferred. */
const BANK_STATUS: Readonly<Record<string, string>> = {
  payout_processing: 'processing',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
  reversed: 'failed',
};

const listPayouts: Operations['transactions.list-payouts'] = (call, input) => {
  requireType(input, 'user_offramp');
  const { rows, around } = listed(call, input, 'out');
  const payouts = rows.map((row) => {
    const feeKobo = row.platform_fee_kobo + row.fintech_fee_kobo;
    return {
      id: row.public_id,
      ...common(call, row),
      sourceWalletAddress: row.wallet_address,
      sourceNetwork: row.network,
      bankAccount: {
        accountNumber: row.bank_account_number,
        accountName: row.bank_account_name,
        bankName: bankByCode(row.bank_code)?.name,
        bankCode: row.bank_code,
      },
      transferTxHash: row.tx_hash,
      payoutReference: row.reference,
      payoutProvider: VIRTUAL_ACCOUNT_BANK.provider,
      payoutStatus: BANK_STATUS[row.state] ?? 'pending',
      processingFee: naira(feeKobo),
      totalDeducted: naira(row.amount_kobo + feeKobo),
      initiatedAt: isoTime(row.created_at),
      updatedAt: isoTimeOrNull(row.updated_at),
    };
  });
  return { payouts, ...around };
};

/**
 * The additional fields of a payout in the combined list: those it shares with a deposit. Source: inferred, because
 * there is no example.
 */
function payoutPart(row: MovementRow) {
  return {
    ...(row.user_id === null ? {} : { userId: row.user_id }),
    platformFee: naira(row.platform_fee_kobo),
    transactionReference: row.reference,
    provider: VIRTUAL_ACCOUNT_BANK.provider,
    walletAddress: row.wallet_address,
  };
}

const listTransactions: Operations['transactions.list'] = (call, input) => {
  const { rows, totals, around } = listed(call, input, input.direction);
  return {
    // In this list a deposit's id is the bank reference, by which clients know it. Source: public.
    transactions: rows.map((row) =>
      row.direction === 'in'
        ? { id: row.reference, ...common(call, row), ...depositPart(row) }
        : { id: row.public_id, ...common(call, row), ...payoutPart(row) },
    ),
    ...around,
    summary: {
      totalDeposits: totals.in.movements,
      totalPayouts: totals.out.movements,
      depositVolume: volume(totals.in.kobo),
      payoutVolume: volume(totals.out.kobo),
    },
  };
};

export const historyOperations = {
  'transactions.list-deposits': listDeposits,
  'transactions.list-payouts': listPayouts,
  'transactions.list': listTransactions,
} satisfies Partial<Operations>;
