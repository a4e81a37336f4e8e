import { type Asset, amount } from '../../money/amount.ts';
import { toWireText } from '../../money/units.ts';
import type { SqlValue } from '../../sqlite/database.ts';
import { type Call, isoTime, isoTimeOrNull } from '../context.ts';
import type { Operations } from '../operation.ts';
import { timeRangeOf } from './dates.ts';

interface WithdrawalRow {
  readonly request_id: string;
  readonly type: string;
  readonly status: string;
  readonly user_id: string | null;
  readonly from_address: string;
  readonly destination: string;
  readonly asset: Asset;
  readonly amount_base: bigint;
  readonly network: string;
  readonly tx_hash: string;
  readonly created_at: bigint;
  readonly completed_at: bigint | null;
}

/** The three statuses of the list: whatever has not ended is pending. Source: interface. */
const STATUS = `CASE WHEN withdrawal.state IN ('completed', 'failed') THEN withdrawal.state ELSE 'pending' END`;

const JOINED = 'FROM withdrawal LEFT JOIN user ON user.id = withdrawal.user';

type Filters = Parameters<Operations['transactions.list-withdrawals']>[1];

function conditionOf(call: Call, { token, status, type, userId, ...dates }: Filters) {
  const { fromMs, untilMs } = timeRangeOf(dates);
  const parts: readonly (readonly [sql: string, value: SqlValue | undefined])[] = [
    ['withdrawal.fintech = ?', call.fintech.id],
    ['asset = ?', token],
    [`${STATUS} = ?`, status],
    ['withdrawal.type = ?', type],
    ['user_id = ?', userId],
    ['withdrawal.created_at >= ?', fromMs],
    ['withdrawal.created_at <= ?', untilMs],
  ];
  const given = parts.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  return { sql: given.map(({ sql }) => sql).join(' AND '), values: given.map(({ value }) => value) };
}

/** Tokens sent to other wallets, newest first. Source: interface for the list and its filters, inferred for the rows. */
export const listWithdrawals: Operations['transactions.list-withdrawals'] = (call, input) => {
  const { limit = 20, offset = 0 } = input;
  const { sql, values } = conditionOf(call, input);
  const total = Number(
    call.store.get<{ n: bigint }>(`SELECT COUNT(*) AS n ${JOINED} WHERE ${sql}`, ...values)?.n ?? 0n,
  );
  const rows = call.store.all<WithdrawalRow>(
    `SELECT request_id, withdrawal.type, ${STATUS} AS status, user_id, address AS from_address, destination, asset, amount_base,
       network, tx_hash, withdrawal.created_at, completed_at
     ${JOINED} JOIN wallet ON wallet.id = withdrawal.wallet WHERE ${sql} ORDER BY withdrawal.id DESC LIMIT ? OFFSET ?`,
    ...values,
    limit,
    offset,
  );
  return {
    withdrawals: rows.map((row) => ({
      requestId: row.request_id,
      type: row.type,
      status: row.status,
      userId: row.user_id,
      smartWalletAddress: row.from_address,
      destinationAddress: row.destination,
      amount: toWireText(amount(row.asset, row.amount_base), 'decimal-string'),
      ticker: row.asset,
      network: row.network,
      transactionHash: row.tx_hash,
      createdAt: isoTime(row.created_at),
      completedAt: isoTimeOrNull(row.completed_at),
    })),
    total,
    limit,
    offset,
    hasMore: offset + rows.length < total,
  };
};
