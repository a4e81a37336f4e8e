import type { Queries } from '../../../journal/store.ts';
import { type Amount, type Asset, amount } from '../../../money/amount.ts';
import { DONE, FAILED } from '../../mirror/schema.ts';
import { begunBefore, type Span } from './movements.ts';

/** A kind of work, of the account or of its users, and the rows that show it. */
interface WorkKind {
  readonly kind: string;
  readonly table: string;
  readonly where: string;
  readonly asset: string;
  readonly minor: string;
  /** The column with the time when it was completed, and an SQL expression for the time when it failed. */
  readonly doneAt: string;
  readonly failedAt: string;
}

const bank = (table: string, kind: string, type: string): WorkKind => ({
  ...{ kind, table, where: `type = '${type}'`, asset: 'amount_asset', minor: 'amount_minor' },
  doneAt: 'completed_at',
  failedAt: table === 'stored_payouts' ? 'coalesce(updated_at, completed_at)' : 'coalesce(completed_at, created_at)',
});

const AT_END = { doneAt: 'completed_at', failedAt: 'coalesce(completed_at, created_at)' } as const;

const WORK_KINDS: readonly WorkKind[] = [
  bank('stored_deposits', 'onramps of users', 'user_onramp'),
  bank('stored_deposits', 'deposits of the account', 'fintech_deposit'),
  bank('stored_payouts', 'offramps of users', 'user_offramp'),
  bank('stored_payouts', 'payouts of the account', 'fintech_offramp'),
  {
    ...{ kind: 'withdrawals of users', table: 'stored_withdrawals', where: "type <> 'fintech_self_transfer'" },
    ...{ asset: 'amount_asset', minor: 'amount_minor', ...AT_END },
  },
  {
    ...{ kind: 'transfers of the account', table: 'stored_withdrawals', where: "type = 'fintech_self_transfer'" },
    ...{ asset: 'amount_asset', minor: 'amount_minor', ...AT_END },
  },
  {
    ...{ kind: 'swaps', table: 'stored_swaps', where: '1 = 1', asset: 'sold_asset', minor: 'sold_minor' },
    ...{ doneAt: 'updated_at', failedAt: 'coalesce(updated_at, created_at)' },
  },
  {
    ...{ kind: 'bridge transfers', table: 'stored_bridge_transfers', where: '1 = 1' },
    ...{ asset: 'amount_asset', minor: 'amount_minor', ...AT_END },
  },
  {
    ...{ kind: 'trades', table: 'stored_fx_trades', where: '1 = 1', asset: 'cngn_asset', minor: 'cngn_minor' },
    ...{ doneAt: 'created_at', failedAt: 'created_at' },
  },
  {
    ...{ kind: 'fee withdrawals', table: 'stored_fee_withdrawals', where: '1 = 1' },
    ...{ asset: 'amount_asset', minor: 'amount_minor', ...AT_END },
  },
];

/** What became of a kind of work in a period. */
interface KindReport {
  readonly kind: string;
  readonly completed: number;
  readonly amount: Amount | null;
  readonly failed: number;
  /** How many have not ended yet, whenever they began. */
  readonly open: number;
}

interface KindRow {
  readonly asset: Asset | null;
  readonly n: bigint;
  readonly minor: bigint | null;
}

/** Counts the work that ended in a period, and what is open. */
export async function kindsIn(queries: Queries, { from, to }: Span): Promise<readonly KindReport[]> {
  const reports: KindReport[] = [];
  for (const { kind, table, where, asset, minor, doneAt, failedAt } of WORK_KINDS) {
    const done = await queries.all<KindRow>(
      `SELECT ${asset} AS asset, count(*) AS n, sum(${minor}) AS minor FROM ${table}
       WHERE ${where} AND ${DONE} AND ${doneAt} > ? AND ${doneAt} <= ? GROUP BY 1 ORDER BY 1`,
      ...[from, to],
    );
    const one = async (sql: string, ...values: string[]) =>
      Number(
        (await queries.get<{ n: bigint }>(`SELECT count(*) AS n FROM ${table} WHERE ${where} AND ${sql}`, ...values))
          ?.n ?? 0n,
      );
    const failed = await one(
      `${FAILED} AND created_at > ? AND ${failedAt} > ? AND ${failedAt} <= ?`,
      ...[begunBefore(from), from, to],
    );
    const open = await one('is_open = 1 AND gone_at IS NULL');
    const rows = done.length > 0 ? done : [{ asset: null, n: 0n, minor: 0n }];
    for (const [index, row] of rows.entries())
      reports.push({
        ...{ kind, completed: Number(row.n), amount: row.asset ? amount(row.asset, row.minor ?? 0n) : null },
        ...(index === 0 ? { failed, open } : { failed: 0, open: 0 }),
      });
  }
  return reports.filter(({ completed, failed, open }) => completed + failed + open > 0);
}

/** Something that has not ended. */
interface PendingWork {
  readonly kind: string;
  readonly id: string;
  readonly status: string | null;
  readonly amount: Amount | null;
  readonly since: string | null;
}

/** Lists what is open, the oldest first. */
export async function pendingIn(queries: Queries, limit: number): Promise<readonly PendingWork[]> {
  const all: PendingWork[] = [];
  for (const { kind, table, where, asset, minor } of WORK_KINDS) {
    const rows = await queries.all<{
      id: string;
      status: string | null;
      at: string | null;
      asset: Asset | null;
      minor: bigint | null;
    }>(
      `SELECT id, status, created_at AS at, ${asset} AS asset, ${minor} AS minor FROM ${table}
       WHERE ${where} AND is_open = 1 AND gone_at IS NULL ORDER BY created_at LIMIT ${limit}`,
    );
    for (const { id, status, at, asset: of, minor: sum } of rows)
      all.push({ kind, id, status, since: at, amount: of && sum !== null ? amount(of, sum) : null });
  }
  return all.sort((a, b) => ((a.since ?? '') < (b.since ?? '') ? -1 : 1)).slice(0, limit);
}

/** A user, and what came and went through it in a period. */
interface UserReport {
  readonly user: string;
  readonly name: string | null;
  readonly onramps: number;
  readonly amount: Amount;
  readonly withdrawals: number;
}

/** Lists the users with the largest onramps in a period. */
export async function usersIn(queries: Queries, { from, to }: Span, limit: number): Promise<readonly UserReport[]> {
  const rows = await queries.all<{
    user_id: string;
    n: bigint;
    minor: bigint;
    first: string | null;
    last: string | null;
    w: bigint;
  }>(
    `SELECT d.user_id, count(*) AS n, sum(d.amount_minor) AS minor, u.first_name AS first, u.last_name AS last,
       (SELECT count(*) FROM stored_withdrawals w WHERE w.user_id = d.user_id AND w.status = 'completed'
          AND w.completed_at > ? AND w.completed_at <= ?) AS w
     FROM stored_deposits d LEFT JOIN stored_users u ON u.id = d.user_id
     WHERE d.user_id IS NOT NULL AND d.status = 'completed' AND d.completed_at > ? AND d.completed_at <= ?
     GROUP BY d.user_id, u.first_name, u.last_name ORDER BY 3 DESC, 1 LIMIT ${limit}`,
    ...[from, to, from, to],
  );
  return rows.map(({ user_id, n, minor, first, last, w }) => ({
    ...{ user: user_id, onramps: Number(n), amount: amount('NGN', minor), withdrawals: Number(w) },
    name: first || last ? [first, last].filter(Boolean).join(' ') : null,
  }));
}
