import type { Queries } from '../../../journal/store.ts';
import type { Asset } from '../../../money/amount.ts';
import { DONE, FAILED } from '../../mirror/schema.ts';

/** A period from a moment, not included, to another, included; ISO 8601 in UTC. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

/** cNGN is counted in millionths, Naira in kobo. */
const CNGN_OF_KOBO = 10_000n;

/**
 * A way in which the account's own balance changes, and the rows that show it. Money leaves when its row is made, and is out when that is
 * completed; until then it is in flight. What failed comes back. Money that arrives counts when it is there.
 */
export interface MovementKind {
  readonly kind: string;
  readonly table: string;
  /** Which rows of the table are the account's own. */
  readonly own: string;
  readonly way: 'in' | 'out';
  /** An SQL expression: the asset. */
  readonly asset: string;
  /** SQL expressions, in the smallest unit of the asset. What arrives is the amount without the fee, what leaves the amount and the fee. */
  readonly amount: string;
  readonly fee: string;
  /** Which rows have completed and which have failed, if it is not their status alone that says so. */
  readonly done?: string;
  readonly failed?: string;
  /** SQL expressions: when it was completed, and when it failed. */
  readonly completedAt: string;
  readonly failedAt: string;
  /** SQL expressions, where they are not the times above: the earliest and the latest moment at which the balance may have changed. */
  readonly beganAt?: string;
  readonly endedAt?: string;
  /** The line that it is added to, if not `in` or `out`. */
  readonly line?: 'traded' | 'refunds' | 'bridged';
}

/** When a row was first seen with a status: an SQL expression. */
const notedOf = (table: string, status: string) =>
  `(SELECT min(seen_at) FROM stored_status_changes WHERE kind = '${table.replace('stored_', '')}' AND id = ${table}.id AND status = ${status})`;

/**
 * When a row of a list without that time ended, as far as is known: an SQL expression. If its status was seen to change, it ended before
 * that, and the look at the balances of that sync is taken to have seen it; otherwise it had ended when it was first seen.
 */
const endNotedOf = (table: string) =>
  `(SELECT coalesce((SELECT max(c.at) FROM stored_balance_checks c WHERE c.at <= s.at AND c.at > ${table}.created_at), s.at)
    FROM (SELECT ${notedOf(table, `${table}.status`)} AS at) s)`;

/** SQL expressions for the end of a row of a table: what stands for it, and the latest that it can be. */
export const endOf = (table: string, hasTime: boolean) => {
  const known = hasTime ? 'completed_at, ' : '';
  return {
    end: `coalesce(${known}${endNotedOf(table)}, created_at)`,
    latest: `coalesce(${known}${notedOf(table, `${table}.status`)}, first_seen_at)`,
  };
};

const TRADE_END = endOf('stored_fx_trades', false);
const DEPOSIT_END = endOf('stored_deposits', true);
const TRANSFER_END = endOf('stored_withdrawals', true);
const FEES_END = endOf('stored_fee_withdrawals', true);
const BRIDGE_END = endOf('stored_bridge_transfers', true);

const trade = (side: 'buy' | 'sell', token: 'usdc' | 'usdt'): readonly MovementKind[] => {
  const own = `side = '${side}' AND lower(pair) LIKE '%${token}'`;
  const stable = `'${token.toUpperCase()}'`;
  const common = {
    ...{ kind: 'trades', table: 'stored_fx_trades', own },
    ...{ completedAt: TRADE_END.end, failedAt: TRADE_END.end, endedAt: TRADE_END.latest },
    line: 'traded',
  } as const;
  const tokenMinor = `${token}_minor`;
  const gross = side === 'buy' ? tokenMinor : 'cngn_minor';
  return [
    {
      ...common,
      way: 'out',
      asset: side === 'buy' ? "'CNGN'" : stable,
      amount: side === 'buy' ? 'cngn_minor' : tokenMinor,
      fee: '0',
    },
    {
      ...{ ...common, way: 'in', asset: side === 'buy' ? stable : "'CNGN'", amount: gross },
      fee: `${gross} - coalesce(net_minor, ${gross})`,
    },
  ];
};

/** The fee of an own deposit: as the row says, or as the service says for such an amount. */
const DEPOSIT_FEE = `coalesce(fee_minor, amount_minor - funding_minor,
  (SELECT f.fee_minor FROM stored_deposit_fees f WHERE f.amount_minor = stored_deposits.amount_minor), 0)`;

/** A payout that the bank sent back after it was completed: the list shows it as failed, and not when it was completed. */
export const CAME_BACK = `${FAILED} AND EXISTS (SELECT 1 FROM stored_status_changes s WHERE s.kind = 'payouts' AND s.id = stored_payouts.id
  AND s.status IN ('completed', 'reversed'))`;

const PAYOUT_FEE = `coalesce(fee_minor, 0) * ${CNGN_OF_KOBO}`;

/** When it was completed: an SQL expression. */
export const CAME_BACK_AFTER = `coalesce(completed_at, ${notedOf('stored_payouts', "'completed'")}, created_at)`;

const isPayout = (cameBack: boolean) => ({
  ...{
    table: 'stored_payouts',
    own: `type = 'fintech_offramp' AND ${cameBack ? '' : 'NOT '}(${CAME_BACK})`,
    asset: "'CNGN'",
  },
  amount: `amount_minor * ${CNGN_OF_KOBO}`,
});

/** What arrives of a bridge transfer. */
const BRIDGED = 'coalesce(arrived_minor, amount_minor)';

/** Whether an address is the account's smart wallet, as other rows of the account name it: an SQL condition. */
const isOwnWallet = (address: string) => {
  const rows = { withdrawals: 'fintech_self_transfer', payouts: 'fintech_offramp', deposits: 'fintech_deposit' };
  const found = Object.entries(rows).map(
    ([table, type]) =>
      `EXISTS (SELECT 1 FROM stored_${table} w WHERE w.wallet_address = ${address} AND w.type = '${type}')`,
  );
  return `(${found.join(' OR ')})`;
};

export const MOVEMENTS: readonly MovementKind[] = [
  {
    ...{ kind: 'deposits', table: 'stored_deposits', own: "type = 'fintech_deposit'", way: 'in', asset: "'CNGN'" },
    ...{ amount: `amount_minor * ${CNGN_OF_KOBO}`, fee: `${DEPOSIT_FEE} * ${CNGN_OF_KOBO}` },
    ...{ completedAt: 'completed_at', failedAt: DEPOSIT_END.end },
  },
  {
    ...{ ...isPayout(false), kind: 'payouts', way: 'out', fee: PAYOUT_FEE },
    ...{ completedAt: 'completed_at', failedAt: 'coalesce(updated_at, completed_at)' },
  },
  {
    ...{ ...isPayout(true), kind: 'payouts', way: 'out', fee: PAYOUT_FEE, done: FAILED, failed: '1 = 0' },
    ...{
      completedAt: CAME_BACK_AFTER,
      failedAt: 'updated_at',
      endedAt: `coalesce(${notedOf('stored_payouts', "'completed'")}, updated_at)`,
    },
  },
  {
    // The bank sends the amount back, and the fee stays with the service.
    ...{ ...isPayout(true), kind: 'refunds', way: 'in', line: 'refunds', fee: '0' },
    ...{ done: FAILED, failed: '1 = 0', completedAt: 'updated_at', failedAt: 'updated_at', beganAt: CAME_BACK_AFTER },
  },
  {
    ...{ kind: 'transfers', table: 'stored_withdrawals', own: "type = 'fintech_self_transfer'", way: 'out' },
    ...{ asset: 'amount_asset', amount: 'amount_minor', fee: '0' },
    ...{ completedAt: 'completed_at', failedAt: TRANSFER_END.end, endedAt: TRANSFER_END.latest },
  },
  ...(['buy', 'sell'] as const).flatMap((side) => (['usdc', 'usdt'] as const).flatMap((token) => trade(side, token))),
  {
    ...{ kind: 'fee withdrawals', table: 'stored_fee_withdrawals', own: '1 = 1', way: 'out', asset: "'NGN'" },
    ...{
      amount: 'amount_minor',
      fee: '0',
      completedAt: FEES_END.end,
      failedAt: FEES_END.end,
      endedAt: FEES_END.latest,
    },
  },
  // What leaves for the bridge is a transfer of the account. What stays its own is no money that came or went, except for the bridge's fee.
  ...([true, false] as const).map((isOwn): MovementKind => {
    const own = `${isOwnWallet('stored_bridge_transfers.to_address')} AND ${isOwn ? '' : 'NOT '}${isOwnWallet('stored_bridge_transfers.from_address')}`;
    return {
      ...{ kind: 'bridge transfers', table: 'stored_bridge_transfers', own },
      ...{
        way: 'in',
        asset: "'CNGN'",
        amount: isOwn ? 'amount_minor' : BRIDGED,
        fee: isOwn ? `amount_minor - ${BRIDGED}` : '0',
      },
      ...{ completedAt: 'completed_at', failedAt: BRIDGE_END.end, ...(isOwn ? { line: 'bridged' } : {}) },
    };
  }),
];

/** What moved in a period, in the smallest unit. */
export interface Sums {
  in: bigint;
  out: bigint;
  fees: bigint;
  /** What trades brought, less what they took. */
  traded: bigint;
  /** What the bank sent back of payouts that were completed. */
  refunds: bigint;
  /** How much more is in flight at the end of the period than at its start. */
  inFlight: bigint;
  /** Earned fees, as the service counts them. */
  earned: bigint;
  count: number;
  failed: number;
}

export const noSums = (): Sums => ({
  ...{ in: 0n, out: 0n, fees: 0n, traded: 0n, refunds: 0n, inFlight: 0n, earned: 0n, count: 0, failed: 0 },
});

/** What the balance is higher by because of what was completed, as far as lists say. */
export const completedEffect = ({ in: came, out, fees, traded, refunds, earned }: Sums): bigint =>
  came - out - fees + traded + refunds + earned;

/** What the balance is higher by at the end of the period than at its start, as far as lists say. */
export const effectOf = (sums: Sums): bigint => completedEffect(sums) - sums.inFlight;

interface SumRow {
  /** When it moved, or the end of the part in which it did. */
  readonly at: string;
  readonly asset: Asset | null;
  readonly amount: bigint | null;
  readonly fee: bigint | null;
  readonly rows: bigint;
}

/** What failed in a period began at most so long before it. Source: inferred. */
const LONGEST_MS = 90 * 86_400_000;

export const begunBefore = (from: string): string => new Date(Date.parse(from) - LONGEST_MS).toISOString();

/** The sums of an asset in a period, to add to. */
export function sumsOf(sums: Map<Asset, Sums>, asset: Asset): Sums {
  const found = sums.get(asset) ?? noSums();
  sums.set(asset, found);
  return found;
}

/** What moved between any two of some times. */
export type MovedBetween = (span: Span) => Map<Asset, Sums>;

/** Adds up the movements between some times, by asset. Earned fees are in no list: balances have them. */
export async function movedBetween(queries: Queries, some: readonly string[]): Promise<MovedBetween> {
  const times = [...new Set(some)].toSorted();
  const parts = times.map(() => new Map<Asset, Sums>());
  for (const kind of MOVEMENTS) await addMovements(queries, kind, times, parts);
  // From the movements before each time to all of them until then.
  for (const [index, part] of parts.entries())
    for (const [asset, sums] of parts[index - 1] ?? []) add(sumsOf(part, asset), sums, 1n);
  const until = new Map(times.map((at, index) => [at, parts[index]]));
  return ({ from, to }) => {
    const moved = new Map<Asset, Sums>();
    for (const [asset, sums] of until.get(to) ?? []) add(sumsOf(moved, asset), sums, 1n);
    for (const [asset, sums] of until.get(from) ?? []) add(sumsOf(moved, asset), sums, -1n);
    return new Map(
      [...moved].filter(([, sums]) => FIELDS.some((field) => sums[field] !== 0n) || sums.count + sums.failed > 0),
    );
  };
}

const FIELDS = ['in', 'out', 'fees', 'traded', 'refunds', 'inFlight', 'earned'] as const;

function add(sums: Sums, more: Sums, times: 1n | -1n): void {
  for (const field of FIELDS) sums[field] += times * more[field];
  sums.count += Number(times) * more.count;
  sums.failed += Number(times) * more.failed;
}

/** The index of the first of some times, in their order, that is not before another one. */
export function indexFrom(times: readonly string[], at: string): number {
  let low = 0;
  for (let high = times.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? '') < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The most periods that the database adds up for; of more, it adds up what has one time, which takes less. */
const MOST_PARTS = 100;

/** Times that an index has in their order. */
const INDEXED = ['created_at', 'completed_at'];

/** A condition as the planner looks for no index of it: there is a smaller one for the other conditions. */
export const unindexed = (condition: string) => `(CASE WHEN ${condition} THEN 1 ELSE 0 END) = 1`;

/** Adds the movements of a kind to the part that ends with the first time that is not before them. */
async function addMovements(
  queries: Queries,
  { table, own, asset, amount, fee, way, line, ...kind }: MovementKind,
  times: readonly string[],
  parts: readonly Map<Asset, Sums>[],
): Promise<void> {
  const [first = '', last = ''] = [times[0], times.at(-1)];
  const columns = `${asset} AS asset, sum(${amount}) AS amount, sum(${fee}) AS fee, count(*) AS rows`;
  const rowsOf = async (condition: string, time: string): Promise<SumRow[]> => {
    if (!INDEXED.includes(time))
      return queries.all<SumRow>(
        `SELECT * FROM (SELECT ${time} AS at, ${columns} FROM ${table} WHERE ${unindexed(own)} AND ${condition} AND created_at > ? AND created_at <= ?
           GROUP BY 1, 2) moved WHERE at > ? AND at <= ?`,
        ...[begunBefore(first), last, first, last],
      );
    if (times.length > MOST_PARTS)
      return queries.all<SumRow>(
        `SELECT ${time} AS at, ${columns} FROM ${table} WHERE ${own} AND ${condition} AND ${time} > ? AND ${time} <= ? GROUP BY 1, 2`,
        ...[first, last],
      );
    const ends = times.slice(1);
    return queries.all<SumRow>(
      `WITH part (after, until) AS (VALUES ${times.map(() => '(?, ?)').join(', ')})
       SELECT until AS at, ${columns} FROM part CROSS JOIN ${table}
       WHERE ${own} AND ${condition} AND ${time} > after AND ${time} <= until GROUP BY 1, 2`,
      ...[first, first, ...ends.flatMap((until, index) => [times[index] ?? '', until])],
    );
  };
  const addAll = async (condition: string, time: string, use: (sums: Sums, row: SumRow) => void) => {
    for (const row of await rowsOf(condition, time)) {
      const part = parts[indexFrom(times, row.at)];
      if (row.asset && part) use(sumsOf(part, row.asset), row);
    }
  };
  const total = ({ amount: moved, fee: paid }: SumRow) => (moved ?? 0n) + (paid ?? 0n);
  const isCounted = line !== 'traded' || way === 'out';
  await addAll(kind.done ?? DONE, kind.completedAt, (sums, row) => {
    const moved = row.amount ?? 0n;
    if (line === 'bridged') sums.out -= moved;
    else sums[line ?? way] += line === 'traded' && way === 'out' ? -moved : moved;
    sums.fees += row.fee ?? 0n;
    if (way === 'out') sums.inFlight -= total(row);
    if (isCounted) sums.count += Number(row.rows);
  });
  await addAll(kind.failed ?? FAILED, kind.failedAt, (sums, row) => {
    if (way === 'out') sums.inFlight -= total(row);
    if (isCounted) sums.failed += Number(row.rows);
  });
  if (way === 'out')
    await addAll('1 = 1', 'created_at', (sums, row) => {
      sums.inFlight += total(row);
    });
}
