import type { Queries } from '../../../journal/store.ts';
import type { Asset } from '../../../money/amount.ts';

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
  /** SQL expressions: when it was completed, and when it failed. */
  readonly completedAt: string;
  readonly failedAt: string;
  /** Where the money goes: to another asset of the account, so that it is traded. */
  readonly isTrade?: boolean;
}

const FAILED = "status IN ('failed', 'cancelled', 'expired')";
const DONE = "status = 'completed'";

const trade = (side: 'buy' | 'sell', token: 'usdc' | 'usdt'): readonly MovementKind[] => {
  const own = `side = '${side}' AND lower(pair) LIKE '%${token}'`;
  const stable = `'${token.toUpperCase()}'`;
  const common = {
    ...{ kind: 'trades', table: 'stored_fx_trades', own, isTrade: true },
    ...{ completedAt: 'created_at', failedAt: 'created_at' },
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

const MOVEMENTS: readonly MovementKind[] = [
  {
    ...{ kind: 'deposits', table: 'stored_deposits', own: "type = 'fintech_deposit'", way: 'in', asset: "'CNGN'" },
    ...{ amount: `amount_minor * ${CNGN_OF_KOBO}`, fee: `${DEPOSIT_FEE} * ${CNGN_OF_KOBO}` },
    ...{ completedAt: 'completed_at', failedAt: 'completed_at' },
  },
  {
    ...{ kind: 'payouts', table: 'stored_payouts', own: "type = 'fintech_offramp'", way: 'out', asset: "'CNGN'" },
    ...{ amount: `amount_minor * ${CNGN_OF_KOBO}`, fee: `coalesce(fee_minor, 0) * ${CNGN_OF_KOBO}` },
    ...{ completedAt: 'completed_at', failedAt: 'coalesce(updated_at, completed_at)' },
    // A payout that the bank sends back comes without its fee, which its row does not say: that is in no list.
  },
  {
    ...{ kind: 'transfers', table: 'stored_withdrawals', own: "type = 'fintech_self_transfer'", way: 'out' },
    ...{ asset: 'amount_asset', amount: 'amount_minor', fee: '0' },
    ...{ completedAt: 'completed_at', failedAt: 'coalesce(completed_at, created_at)' },
  },
  ...(['buy', 'sell'] as const).flatMap((side) => (['usdc', 'usdt'] as const).flatMap((token) => trade(side, token))),
  {
    ...{ kind: 'fee withdrawals', table: 'stored_fee_withdrawals', own: '1 = 1', way: 'out', asset: "'NGN'" },
    ...{ amount: 'amount_minor', fee: '0', completedAt: 'coalesce(completed_at, created_at)' },
    failedAt: 'coalesce(completed_at, created_at)',
  },
];

/** What moved in a period, in the smallest unit. */
export interface Sums {
  in: bigint;
  out: bigint;
  fees: bigint;
  /** What trades brought, less what they took. */
  traded: bigint;
  /** How much more is in flight at the end of the period than at its start. */
  inFlight: bigint;
  /** Earned fees, as the service counts them. */
  earned: bigint;
  count: number;
  failed: number;
}

export const noSums = (): Sums => ({
  ...{ in: 0n, out: 0n, fees: 0n, traded: 0n, inFlight: 0n, earned: 0n, count: 0, failed: 0 },
});

/** What the balance is higher by at the end of the period than at its start, as far as lists say. */
export const effectOf = ({ in: came, out, fees, traded, inFlight, earned }: Sums): bigint =>
  came - out - fees + traded - inFlight + earned;

interface SumRow {
  readonly asset: Asset | null;
  readonly amount: bigint | null;
  readonly fee: bigint | null;
  readonly n: bigint;
}

/** Adds up the movements of a period, by asset. */
export async function sumsIn(queries: Queries, { from, to }: Span): Promise<Map<Asset, Sums>> {
  const all = new Map<Asset, Sums>();
  const sumsOf = (asset: Asset): Sums => {
    const found = all.get(asset) ?? noSums();
    all.set(asset, found);
    return found;
  };
  for (const movement of MOVEMENTS) {
    const { table, own, asset, amount, fee, completedAt, failedAt, way, isTrade } = movement;
    const add = async (condition: string, time: string, use: (sums: Sums, row: SumRow) => void) => {
      const sql = `SELECT ${asset} AS asset, sum(${amount}) AS amount, sum(${fee}) AS fee, count(*) AS n FROM ${table}
        WHERE ${own} AND ${condition} AND ${time} > ? AND ${time} <= ? GROUP BY 1`;
      for (const row of await queries.all<SumRow>(sql, from, to)) if (row.asset) use(sumsOf(row.asset), row);
    };
    await add(DONE, completedAt, (sums, { amount: moved, fee: paid, n }) => {
      if (isTrade) sums.traded += way === 'in' ? (moved ?? 0n) : -(moved ?? 0n);
      else sums[way] += moved ?? 0n;
      sums.fees += paid ?? 0n;
      if (way === 'out') sums.inFlight -= (moved ?? 0n) + (paid ?? 0n);
      if (!isTrade || way === 'out') sums.count += Number(n);
    });
    await add(FAILED, failedAt, (sums, { amount: moved, fee: paid, n }) => {
      if (way === 'out') sums.inFlight -= (moved ?? 0n) + (paid ?? 0n);
      if (!isTrade || way === 'out') sums.failed += Number(n);
    });
    if (way === 'out')
      await add('1 = 1', 'created_at', (sums, { amount: moved, fee: paid }) => {
        sums.inFlight += (moved ?? 0n) + (paid ?? 0n);
      });
  }
  const earned =
    (await sampleAt(queries, 'fees', 'NGN', to, 'earned')) - (await sampleAt(queries, 'fees', 'NGN', from, 'earned'));
  if (earned !== 0n) sumsOf('NGN').earned += earned;
  return all;
}

/** What a balance was at a moment, as it was last seen until then; before it was first seen, what it was then. */
export async function sampleAt(
  queries: Queries,
  source: string,
  asset: Asset,
  at: string,
  place?: string,
): Promise<bigint> {
  const one = place === undefined ? '' : ' AND place = ?';
  const values = place === undefined ? [source, asset] : [source, asset, place];
  const found = await queries.all<{ place: string }>(
    `SELECT DISTINCT place FROM stored_balances WHERE source = ? AND asset = ?${one}`,
    ...values,
  );
  let sum = 0n;
  for (const each of found) {
    const of = [source, asset, each.place] as const;
    const before = await queries.get<{ minor: bigint }>(
      'SELECT minor FROM stored_balances WHERE source = ? AND asset = ? AND place = ? AND at <= ? ORDER BY at DESC LIMIT 1',
      ...[...of, at],
    );
    const first = await queries.get<{ minor: bigint }>(
      'SELECT minor FROM stored_balances WHERE source = ? AND asset = ? AND place = ? ORDER BY at LIMIT 1',
      ...of,
    );
    sum += (before ?? first)?.minor ?? 0n;
  }
  return sum;
}
