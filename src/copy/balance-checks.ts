import type { Queries } from '../journal/store.ts';
import type { Asset } from '../money/amount.ts';

/** The accounts of the books whose balances the service says, and where it says them. */
const SEEN_AS = { wallet: 'assets:wallet', vault: 'assets:vault', fees: 'assets:fees' } as const;

type SeenAccount = (typeof SEEN_AS)[keyof typeof SEEN_AS];

export const SEEN_ACCOUNTS: readonly SeenAccount[] = Object.values(SEEN_AS);

/** The fees that were earned and are not withdrawn: the other balances of fees are parts of them, or what they were before. */
const OF_FEES = 'withdrawable';

/** An account of the books in one asset. */
export interface CheckedBalance {
  readonly account: SeenAccount;
  readonly asset: Asset;
}

export const nameOf = ({ account, asset }: { readonly account: string; readonly asset: string }): string =>
  `${account} ${asset}`;

/** What the balances were when they were looked at. */
export interface Check {
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** By the name of the place, in the smallest unit; a place that was not seen yet had nothing. */
  readonly held: ReadonlyMap<string, bigint>;
}

interface Sample {
  readonly source: keyof typeof SEEN_AS;
  readonly place: string;
  readonly asset: Asset;
  readonly minor: bigint;
  readonly at: string;
}

/** Returns the looks from a time on, with all the balances that anyone ever saw. */
export async function checksSince(
  queries: Queries,
  from: string,
): Promise<{ readonly checks: readonly Check[]; readonly balances: readonly CheckedBalance[] }> {
  const times = await queries.all<{ at: string }>(
    'SELECT at FROM stored_balance_checks WHERE at >= ? ORDER BY at',
    from,
  );
  const samples = await queries.all<Sample>(
    `SELECT source, place, asset, minor, at FROM stored_balances WHERE source <> 'fees' OR place = '${OF_FEES}' ORDER BY at`,
  );
  const balances = new Map<string, CheckedBalance>();
  const latest = new Map<string, { readonly name: string; readonly minor: bigint }>();
  let next = 0;
  const checks = times.map(({ at }): Check => {
    for (let sample = samples[next]; sample && sample.at <= at; sample = samples[++next]) {
      const { source, place, asset, minor } = sample;
      const found = { account: SEEN_AS[source], asset };
      const name = nameOf(found);
      balances.set(name, found);
      latest.set(`${name} ${place}`, { name, minor });
    }
    const held = new Map<string, bigint>();
    for (const { name, minor } of latest.values()) held.set(name, (held.get(name) ?? 0n) + minor);
    return { at, held };
  });
  return { checks, balances: [...balances.values()] };
}
