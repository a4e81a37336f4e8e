import { balanceMulti } from '../../contract/endpoints/balances.ts';
import { accumulatedFees } from '../../contract/endpoints/fees.ts';
import type { Queries } from '../../journal/store.ts';
import { type Asset, fromWire, type MoneyUnit, TOKENS } from '../../money/amount.ts';
import type { WireNumber } from '../../money/decimal.ts';
import type { Account } from '../account.ts';

/** A balance at a moment. */
interface Balance {
  /** `wallet`: the account's smart wallet, by network. `fees`: earned fees, by what became of them. */
  readonly source: 'wallet' | 'fees';
  readonly place: string;
  readonly asset: Asset;
  readonly minor: bigint;
}

const balanceOf = (
  source: Balance['source'],
  place: string | null | undefined,
  value: WireNumber | string | null | undefined,
  unit: MoneyUnit,
  asset: Asset,
): Balance[] => {
  const amount = value === null || value === undefined ? undefined : fromWire(value, unit, asset);
  return place && amount ? [{ source, place, ...amount }] : [];
};

/** Reads what the account has now. Rejects with CliError. */
export async function readBalances(account: Account): Promise<readonly Balance[]> {
  const balances: Balance[] = [];
  for (const token of TOKENS) {
    const { data } = await account.call(balanceMulti, { token });
    for (const { network, balance } of data.networkBalances ?? [])
      balances.push(...balanceOf('wallet', network, balance as string, 'token', token));
  }
  const { summary } = (await account.call(accumulatedFees, {})).data;
  const fees = {
    earned: summary?.totalAccumulatedFees,
    onramp: summary?.onrampFees,
    offramp: summary?.offrampFees,
    collected: summary?.collectedFees,
    pending: summary?.pendingFees,
    withdrawable: summary?.availableForWithdrawal,
  };
  for (const [place, kobo] of Object.entries(fees)) balances.push(...balanceOf('fees', place, kobo, 'kobo', 'NGN'));
  return balances;
}

/** Writes the balances that are not what they were. Returns how many. */
export async function saveBalances(queries: Queries, balances: readonly Balance[], at: string): Promise<number> {
  let count = 0;
  for (const { source, place, asset, minor } of balances) {
    const last = await queries.get<{ minor: bigint }>(
      'SELECT minor FROM stored_balances WHERE source = ? AND place = ? AND asset = ? ORDER BY at DESC LIMIT 1',
      ...[source, place, asset],
    );
    if (last?.minor === minor) continue;
    count += await queries.run(
      `INSERT INTO stored_balances (source, place, asset, minor, at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (source, place, asset, at) DO UPDATE SET minor = excluded.minor`,
      ...[source, place, asset, minor, at],
    );
  }
  return count;
}
