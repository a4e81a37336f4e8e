import type { OfframpState } from '../../contract/endpoints/offramp.ts';
import type { PayoutState } from '../../contract/endpoints/payouts.ts';
import { Fault } from '../../contract/faults.ts';
import { amount, toWireNumber, toWireText } from '../../money/amount.ts';
import type { SqlValue } from '../../sqlite/database.ts';
import { bankByCode, VIRTUAL_ACCOUNT_BANK } from '../banks/banks.ts';
import { type Call, isoTime, isoTimeOrNull, type Operations, type OperationsOf } from '../context.ts';
import { OFFRAMP_BANK_STATUS } from '../offramp/operation.ts';
import { HALVES } from '../payout/operation.ts';
import type { ListStatus } from '../schema/schema.ts';
import { timeRangeOf } from '../wire-values.ts';

/** Selects movements of a fintech. Times are milliseconds since the epoch, inclusive at both ends. */
interface MovementFilter {
  readonly direction?: 'in' | 'out' | undefined;
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly userId?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** The number of movements that match a filter and their sum in kobo, by direction. */
interface MovementTotals {
  readonly in: { readonly movements: number; readonly kobo: bigint };
  readonly out: { readonly movements: number; readonly kobo: bigint };
}

/** A movement joined with its source: a deposit if it came in, a payout if it went out. */
interface MovementRow {
  readonly type: 'fintech_deposit' | 'user_onramp' | 'fintech_offramp' | 'user_offramp';
  readonly direction: 'in' | 'out';
  readonly status: ListStatus;
  readonly user_id: string | null;
  readonly amount_kobo: bigint;
  readonly platform_fee_kobo: bigint;
  readonly fintech_fee_kobo: bigint;
  /** What a deposit into a temporary account mints; null for other movements. */
  readonly onramp_kobo: bigint | null;
  readonly created_at: bigint;
  readonly updated_at: bigint | null;
  readonly completed_at: bigint | null;
  /** The deposit id, or the request id of the payout. */
  readonly public_id: string;
  /** The bank session reference of a deposit, or the payout reference. */
  readonly reference: string;
  readonly tx_hash: string | null;
  /** The wallet that received a deposit's cNGN, or the one that paid for a payout. */
  readonly wallet_address: string | null;
  readonly network: string | null;
  readonly state: string;
  readonly virtual_account_number: string | null;
  readonly virtual_account_name: string | null;
  /** The sender's account for a deposit, the recipient's for a payout. */
  readonly bank_account_number: string;
  readonly bank_account_name: string;
  readonly bank_code: string;
}

const MANAGED = `(SELECT address FROM wallet WHERE wallet.user = page.user AND kind = 'managed')`;

const SMART = `(SELECT address FROM wallet WHERE wallet.fintech = page.fintech AND kind = 'fintech')`;

/** The first wallet that an offramp drew on. */
const DRAWN_FROM = `FROM offramp_source JOIN wallet ON wallet.id = offramp_source.wallet
    WHERE offramp_source.offramp = offramp.id ORDER BY wallet.id, network LIMIT 1`;

/** Matches a row of `offramp` or `payout` that ended without a transfer to the vault. */
const NEVER_SENT = `transferred_at IS NULL AND page.status IN ('failed', 'cancelled')`;

const COLUMNS = `page.type, page.direction, page.status, page.amount_kobo, page.created_at, user.user_id,
  COALESCE(deposit.deposit_id, offramp.request_id, payout.request_id) AS public_id,
  COALESCE(deposit.reference, offramp.payout_reference, payout.payout_reference) AS reference,
  COALESCE(deposit.state, offramp.state, payout.state) AS state,
  COALESCE(deposit.platform_fee_kobo, offramp.platform_fee_kobo, payout.platform_fee_kobo) AS platform_fee_kobo,
  COALESCE(deposit.fintech_fee_kobo, offramp.fintech_fee_kobo, 0) AS fintech_fee_kobo,
  onramp.base_kobo AS onramp_kobo,
  COALESCE(offramp.updated_at, payout.updated_at) AS updated_at,
  CASE page.status WHEN 'completed' THEN COALESCE(deposit.ended_at, payout.completed_at, offramp.updated_at) END AS completed_at,
  COALESCE(deposit.tx_hash, CASE WHEN NOT (offramp.${NEVER_SENT}) THEN offramp.tx_hash END,
    CASE WHEN NOT (payout.${NEVER_SENT}) THEN payout.tx_hash END) AS tx_hash,
  CASE page.type
    WHEN 'user_offramp' THEN (SELECT wallet.address ${DRAWN_FROM})
    WHEN 'fintech_offramp' THEN ${SMART}
    ELSE COALESCE(deposit.delivered_to, generated.address, ${MANAGED}, ${SMART}) END AS wallet_address,
  CASE page.type
    WHEN 'user_offramp' THEN (SELECT network ${DRAWN_FROM})
    WHEN 'fintech_offramp' THEN (SELECT network FROM payout_source WHERE payout_source.payout = payout.id ORDER BY network <> 'base', network LIMIT 1)
    END AS network,
  account.number AS virtual_account_number, account.name AS virtual_account_name,
  COALESCE(deposit.sender_account, offramp.account_number, payout.account_number) AS bank_account_number,
  COALESCE(deposit.sender_name, offramp.account_name, payout.account_name) AS bank_account_name,
  COALESCE(deposit.sender_bank_code, offramp.bank_code, payout.bank_code) AS bank_code`;

const JOINS = `LEFT JOIN user ON user.id = page.user
  LEFT JOIN deposit ON page.direction = 'in' AND deposit.id = page.subject
  LEFT JOIN onramp ON onramp.id = deposit.onramp
  LEFT JOIN wallet AS generated ON generated.id = onramp.wallet
  LEFT JOIN virtual_account AS account ON account.id = deposit.virtual_account
  LEFT JOIN offramp ON page.type = 'user_offramp' AND offramp.id = page.subject
  LEFT JOIN payout ON page.type = 'fintech_offramp' AND payout.id = page.subject`;

/** Returns an SQL condition on movements and its parameter values. */
function conditionOf(call: Call, { direction, type, status, userId, fromMs, untilMs }: MovementFilter) {
  const user = userId === undefined ? undefined : (rowIdOf(call, userId) ?? NOBODY);
  const parts: readonly (readonly [sql: string, value: SqlValue | undefined])[] = [
    // The plus sign disables the fintech index in favour of the user index: a user's movements all belong to one
    // fintech.
    [user === undefined ? 'fintech = ?' : '+fintech = ?', call.fintech.id],
    ['user = ?', user],
    ['direction = ?', direction],
    ['type = ?', type],
    ['status = ?', status],
    ['created_at >= ?', fromMs],
    ['created_at <= ?', untilMs],
  ];
  const given = parts.filter(([, value]) => value !== undefined);
  return {
    sql: given.map(([sql]) => sql).join(' AND '),
    values: given.flatMap(([, value]) => (value === undefined ? [] : [value])),
  };
}

/** An id that no row has. */
const NOBODY = 0n;

/** Returns the row id of a user of the calling fintech; undefined for other fintechs' users too. */
function rowIdOf({ store, fintech }: Call, userId: string): bigint | undefined {
  return store.get<{ id: bigint }>('SELECT id FROM user WHERE user_id = ? AND fintech = ?', userId, fintech.id)?.id;
}

const isCounted = ({ userId, fromMs, untilMs }: MovementFilter) =>
  userId !== undefined || fromMs !== undefined || untilMs !== undefined;

/** Reads totals from the tallies, at constant cost; rows are counted only when the filter has a user or a time. */
export function totalsOf(call: Call, filter: MovementFilter): MovementTotals {
  const { store, fintech } = call;
  const condition = conditionOf(call, filter);
  const rows = isCounted(filter)
    ? store.all<{ direction: string; movements: bigint; kobo: bigint }>(
        `SELECT direction, COUNT(*) AS movements, SUM(amount_kobo) AS kobo FROM movement WHERE ${condition.sql} GROUP BY direction`,
        ...condition.values,
      )
    : store
        .all<{ type: string; status: string; movements: bigint; kobo: bigint }>(
          'SELECT type, status, movements, kobo FROM movement_tally WHERE fintech = ?',
          fintech.id,
        )
        .filter(({ type }) => filter.type === undefined || type === filter.type)
        .filter(({ status }) => filter.status === undefined || status === filter.status)
        .map((tally) => ({ ...tally, direction: isIncoming(tally.type) ? 'in' : 'out' }));
  const sum = (direction: 'in' | 'out') => {
    const own = rows.filter((row) => row.direction === direction);
    const isIncluded = filter.direction === undefined || filter.direction === direction;
    return {
      movements: isIncluded ? Number(own.reduce((total, { movements }) => total + movements, 0n)) : 0,
      kobo: isIncluded ? own.reduce((total, { kobo }) => total + kobo, 0n) : 0n,
    };
  };
  return { in: sum('in'), out: sum('out') };
}

const isIncoming = (type: string) => type === 'fintech_deposit' || type === 'user_onramp';

/**
 * Returns one page, newest first, in one statement. If the only filter is the direction, the page is found by position,
 * so every depth costs the same; otherwise rows are skipped from the nearer end.
 */
function pageOf(
  call: Call,
  filter: MovementFilter,
  page: { readonly limit: number; readonly offset: number; readonly total: number },
): MovementRow[] {
  const { limit, offset, total } = page;
  const size = Math.max(0, Math.min(limit, total - offset));
  if (size === 0) return [];
  const place = filter.direction === undefined ? 'position' : 'direction_position';
  const condition = conditionOf(call, filter);
  const isPlain = filter.type === undefined && filter.status === undefined && !isCounted(filter);
  const fromEnd = offset > total / 2;
  // An index has the rows of a period in this order.
  const isDated = filter.fromMs !== undefined || filter.untilMs !== undefined;
  const order = (way: 'ASC' | 'DESC', of = '') =>
    `ORDER BY ${isDated ? `${of}created_at ${way}, ` : ''}${of}position ${way}`;
  const [found, values]: [string, readonly SqlValue[]] = isPlain
    ? [
        `${condition.sql} AND ${place} BETWEEN ? AND ?`,
        [...condition.values, total - offset - size + 1, total - offset],
      ]
    : [
        `${condition.sql} ${order(fromEnd ? 'ASC' : 'DESC')} LIMIT ? OFFSET ?`,
        [...condition.values, size, fromEnd ? total - offset - size : offset],
      ];
  return call.store.all<MovementRow>(
    `SELECT ${COLUMNS} FROM (SELECT * FROM movement WHERE ${found}) AS page ${JOINS} ${order('DESC', 'page.')}`,
    ...values,
  );
}

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

/** The bank status of a row of `payouts`, as its own endpoint shows it. */
const bankStatusOf = ({ type, state }: MovementRow) =>
  type === 'fintech_offramp' ? HALVES[state as PayoutState][1] : OFFRAMP_BANK_STATUS[state as OfframpState];

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
      payoutStatus: bankStatusOf(row),
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
} satisfies OperationsOf<'history'>;
