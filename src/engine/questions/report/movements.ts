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
interface MovementKind {
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
  readonly line?: 'traded' | 'refunds';
}

const trade = (side: 'buy' | 'sell', token: 'usdc' | 'usdt'): readonly MovementKind[] => {
  const own = `side = '${side}' AND lower(pair) LIKE '%${token}'`;
  const stable = `'${token.toUpperCase()}'`;
  const common = {
    ...{ kind: 'trades', table: 'stored_fx_trades', own },
    // The list does not say when a trade ended.
    ...{ completedAt: 'created_at', failedAt: 'created_at', endedAt: 'changed_at' },
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

/** A payout that the bank sent back after it was completed. */
const CAME_BACK = `${FAILED} AND completed_at IS NOT NULL AND updated_at > completed_at`;
const PAYOUTS = { table: 'stored_payouts', own: "type = 'fintech_offramp'", asset: "'CNGN'" } as const;

/** The account's smart wallet, as the rows name it. */
const OWN_WALLETS = `SELECT wallet_address FROM stored_withdrawals WHERE type = 'fintech_self_transfer'
  UNION SELECT wallet_address FROM stored_payouts WHERE type = 'fintech_offramp'`;

const MOVEMENTS: readonly MovementKind[] = [
  {
    ...{ kind: 'deposits', table: 'stored_deposits', own: "type = 'fintech_deposit'", way: 'in', asset: "'CNGN'" },
    ...{ amount: `amount_minor * ${CNGN_OF_KOBO}`, fee: `${DEPOSIT_FEE} * ${CNGN_OF_KOBO}` },
    ...{ completedAt: 'completed_at', failedAt: 'completed_at' },
  },
  {
    ...{ ...PAYOUTS, kind: 'payouts', way: 'out', amount: `amount_minor * ${CNGN_OF_KOBO}` },
    ...{ fee: `coalesce(fee_minor, 0) * ${CNGN_OF_KOBO}`, done: `(${DONE} OR (${CAME_BACK}))` },
    failed: `${FAILED} AND (completed_at IS NULL OR updated_at IS NULL OR updated_at <= completed_at)`,
    ...{ completedAt: 'completed_at', failedAt: 'coalesce(updated_at, completed_at)' },
  },
  {
    // The bank sends the amount back, and the fee stays with the service.
    ...{ ...PAYOUTS, kind: 'refunds', way: 'in', line: 'refunds', amount: `amount_minor * ${CNGN_OF_KOBO}`, fee: '0' },
    ...{ done: CAME_BACK, failed: '1 = 0', completedAt: 'updated_at', failedAt: 'updated_at', beganAt: 'completed_at' },
  },
  {
    ...{ kind: 'transfers', table: 'stored_withdrawals', own: "type = 'fintech_self_transfer'", way: 'out' },
    ...{ asset: 'amount_asset', amount: 'amount_minor', fee: '0' },
    ...{ completedAt: 'completed_at', failedAt: 'coalesce(completed_at, created_at)' },
    endedAt: 'coalesce(completed_at, changed_at)',
  },
  ...(['buy', 'sell'] as const).flatMap((side) => (['usdc', 'usdt'] as const).flatMap((token) => trade(side, token))),
  {
    ...{ kind: 'fee withdrawals', table: 'stored_fee_withdrawals', own: '1 = 1', way: 'out', asset: "'NGN'" },
    ...{ amount: 'amount_minor', fee: '0', completedAt: 'coalesce(completed_at, created_at)' },
    ...{ failedAt: 'coalesce(completed_at, created_at)', endedAt: 'coalesce(completed_at, changed_at)' },
  },
  {
    // What leaves is a transfer to the bridge; what arrives in the account's own wallet on the other network is less.
    ...{ kind: 'bridge transfers', table: 'stored_bridge_transfers', own: `to_address IN (${OWN_WALLETS})`, way: 'in' },
    ...{ asset: "'CNGN'", amount: 'coalesce(arrived_minor, amount_minor)', fee: '0' },
    ...{ completedAt: 'completed_at', failedAt: 'completed_at' },
  },
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
  readonly n: bigint;
  readonly asset: Asset | null;
  readonly amount: bigint | null;
  readonly fee: bigint | null;
  readonly rows: bigint;
}

/** What failed in a period began at most so long before it. Source: inferred. */
const LONGEST_MS = 30 * 86_400_000;

export const begunBefore = (from: string): string => new Date(Date.parse(from) - LONGEST_MS).toISOString();

/** The most periods in one statement: each has three values. */
const MOST_PARTS = 5_000;

/** Adds up the movements of each of some periods, by asset. Earned fees are in no list: balances have them. */
export async function sumsIn(queries: Queries, spans: readonly Span[]): Promise<readonly Map<Asset, Sums>[]> {
  const all = spans.map(() => new Map<Asset, Sums>());
  for (let at = 0; at < spans.length; at += MOST_PARTS)
    await addSums(queries, spans.slice(at, at + MOST_PARTS), all.slice(at, at + MOST_PARTS));
  return all;
}

/** The sums of an asset in a period, to add to. */
export function sumsOf(sums: Map<Asset, Sums>, asset: Asset): Sums {
  const found = sums.get(asset) ?? noSums();
  sums.set(asset, found);
  return found;
}

async function addSums(queries: Queries, spans: readonly Span[], all: readonly Map<Asset, Sums>[]): Promise<void> {
  const parts = spans.map((_, index) => `(${index}, ?, ?, ?)`).join(', ');
  const values = spans.flatMap(({ from, to }) => [from, to, begunBefore(from)]);
  for (const { table, own, asset, amount, fee, way, line, ...kind } of MOVEMENTS) {
    const add = async (condition: string, time: string, use: (sums: Sums, row: SumRow) => void) => {
      const sql = `WITH part (n, after, until, begun) AS (VALUES ${parts})
        SELECT n, ${asset} AS asset, sum(${amount}) AS amount, sum(${fee}) AS fee, count(*) AS rows FROM part CROSS JOIN ${table}
        WHERE ${own} AND ${condition} AND ${time} > after AND ${time} <= until GROUP BY 1, 2`;
      for (const row of await queries.all<SumRow>(sql, ...values)) {
        const sums = all[Number(row.n)];
        if (row.asset && sums) use(sumsOf(sums, row.asset), row);
      }
    };
    const total = ({ amount: moved, fee: paid }: SumRow) => (moved ?? 0n) + (paid ?? 0n);
    const isCounted = line !== 'traded' || way === 'out';
    await add(kind.done ?? DONE, kind.completedAt, (sums, row) => {
      const moved = row.amount ?? 0n;
      sums[line ?? way] += line === 'traded' && way === 'out' ? -moved : moved;
      sums.fees += row.fee ?? 0n;
      if (way === 'out') sums.inFlight -= total(row);
      if (isCounted) sums.count += Number(row.rows);
    });
    await add(`${kind.failed ?? FAILED} AND created_at > begun`, kind.failedAt, (sums, row) => {
      if (way === 'out') sums.inFlight -= total(row);
      if (isCounted) sums.failed += Number(row.rows);
    });
    if (way === 'out')
      await add('1 = 1', 'created_at', (sums, row) => {
        sums.inFlight += total(row);
      });
  }
}

/** A movement that was under way when the balances were looked at, so that nothing says whether they had changed by it. */
export interface UnderWay {
  readonly asset: Asset;
  /** What the balance changes by, if it is not as the rules above say that it was at a moment. */
  effectAt(at: string): bigint;
  /** The time in which the balance changed, to the minute; without an end, it goes on. */
  readonly from: string;
  readonly until: string | undefined;
}

interface UnderWayRow {
  readonly asset: Asset | null;
  readonly minor: bigint | null;
  readonly state: 'done' | 'failed' | 'open';
  readonly began: string;
  readonly ended: string;
  readonly changes: string | null;
}

/** Up to the minute: the balances of one look are read one after the other, and clocks differ. */
export const minuteOf = (at: string): string => at.slice(0, 16);

/** Work whose end is not known ended at most so long after it began. Source: inferred. */
const LONGEST_UNKNOWN_MS = 86_400_000;

/** Returns the movements that were under way at one of the looks from a moment to another. */
export async function underWay(queries: Queries, { from, to }: Span): Promise<readonly UnderWay[]> {
  const found: UnderWay[] = [];
  for (const { table, own, asset, amount, fee, way, ...kind } of MOVEMENTS) {
    const [done, failed] = [kind.done ?? DONE, kind.failed ?? FAILED];
    const began = kind.beganAt ?? 'created_at';
    const changes = `CASE WHEN ${done} THEN ${kind.completedAt} ELSE ${kind.failedAt} END`;
    const ended = `coalesce(${kind.endedAt ?? changes}, changed_at)`;
    const isOpen = kind.beganAt ? '1 = 0' : 'is_open = 1 AND gone_at IS NULL';
    const isOver = way === 'out' ? `(${done} OR ${failed})` : done;
    const rows = await queries.all<UnderWayRow>(
      `SELECT ${asset} AS asset, ${amount} ${way === 'in' ? '-' : '+'} (${fee}) AS minor, ${began} AS began, ${ended} AS ended, ${changes} AS changes,
         CASE WHEN is_open = 1 THEN 'open' WHEN ${done} THEN 'done' ELSE 'failed' END AS state FROM ${table}
       WHERE ${own} AND created_at > ? AND created_at <= ? AND ((${isOpen}) OR (is_open = 0 AND ${isOver}
         AND EXISTS (SELECT 1 FROM stored_balance_checks c WHERE c.at >= substr(${began}, 1, 16) AND substr(c.at, 1, 16) <= ${ended})))`,
      ...[begunBefore(from), `${minuteOf(to)}~`],
    );
    for (const row of rows) if (row.asset && row.minor) found.push(underWayOf(row, way, row.asset, row.minor));
  }
  return found;
}

function underWayOf(
  { state, began, ended, changes }: UnderWayRow,
  way: MovementKind['way'],
  asset: Asset,
  minor: bigint,
): UnderWay {
  const isChanged = (at: string) => {
    if (way === 'in') return state === 'done' && changes !== null && changes <= at;
    return began <= at && !(state === 'failed' && changes !== null && changes <= at);
  };
  const effect = way === 'in' ? minor : -minor;
  const latest = new Date(Date.parse(began) + LONGEST_UNKNOWN_MS).toISOString();
  return {
    asset,
    effectAt: (at) => (isChanged(at) ? -effect : effect),
    from: minuteOf(began),
    until: state === 'open' ? undefined : ended === changes || ended < latest ? ended : latest,
  };
}
