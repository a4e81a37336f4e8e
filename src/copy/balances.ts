import { CliError } from '../base/errors.ts';
import type { ResponseOf } from '../contract/endpoint.ts';
import { balanceAddress, balanceMulti } from '../contract/endpoints/balances.ts';
import { accumulatedFees } from '../contract/endpoints/fees.ts';
import { fxSettings } from '../contract/endpoints/fx-vault.ts';
import type { Account } from '../engine/account.ts';
import { isUncertain } from '../engine/plans/line.ts';
import { balanceIn } from '../engine/previews/balances.ts';
import { nairaOf } from '../engine/previews/fees.ts';
import type { Queries } from '../journal/store.ts';
import { type Asset, STABLECOINS, TOKENS, type Token } from '../money/amount.ts';
import { insertion, replacing, UNLESS_THERE } from '../store/table.ts';
import { ACCOUNT_WALLETS, BALANCE_CHECKS, BALANCES } from './schema.ts';

/** What the account has in one place. */
interface PlacedBalance {
  /** `wallet`: the account wallet, by network. `vault`: its stablecoins for trades. `fees`: earned fees, by what became of them. */
  readonly source: 'wallet' | 'vault' | 'fees';
  readonly place: string;
  readonly asset: Asset;
  readonly minor: bigint;
}

/** What the account has, and since when at least, in UTC. */
interface BalanceLook {
  readonly at: string;
  readonly balances: readonly PlacedBalance[];
  /** The addresses of the account's own wallet, in lower case. */
  readonly wallets: readonly string[];
}

/** Reads what the account has now. The time is the service's, if it says one. Rejects with CliError. */
export async function readBalances(account: Account): Promise<BalanceLook> {
  const balances: PlacedBalance[] = [];
  const wallets = new Set<string>();
  let at: string | undefined;
  for (const token of TOKENS) {
    const { data } = await account.call(balanceMulti, { token });
    const checkedMs = Date.parse(data.checkedAt ?? '');
    at ??= new Date(Number.isNaN(checkedMs) ? account.world.clock.now() : checkedMs).toISOString();
    balances.push(...ofNetworks('wallet', token, data));
    if (data.walletAddress) wallets.add(data.walletAddress.toLowerCase());
  }
  for (const [token, address] of await vaultsOf(account)) {
    const { data } = await account.call(balanceAddress, { address, token });
    balances.push(...ofNetworks('vault', token, data));
  }
  const { summary } = (await account.call(accumulatedFees, {})).data;
  const fees = {
    earned: summary?.totalAccumulatedFees,
    onramp: summary?.onrampFees,
    offramp: summary?.offrampFees,
    pending: summary?.pendingFees,
    withdrawable: summary?.availableForWithdrawal,
  };
  for (const [place, kobo] of Object.entries(fees)) balances.push(...placed('fees', place, nairaOf(kobo)));
  return { at: at ?? new Date(account.world.clock.now()).toISOString(), balances, wallets: [...wallets] };
}

/** A balance that is not known is in no place. */
const placed = (
  source: PlacedBalance['source'],
  place: string | null | undefined,
  found: ReturnType<typeof balanceIn>,
): PlacedBalance[] => (place && found && !isUncertain(found) ? [{ source, place, ...found }] : []);

type Networks = Pick<ResponseOf<typeof balanceMulti>, 'networkBalances'>;

const ofNetworks = (source: PlacedBalance['source'], token: Token, data: Networks): PlacedBalance[] =>
  (data.networkBalances ?? []).flatMap((row) =>
    placed(source, row.network, balanceIn(row.balance, token, [data, row])),
  );

/** The vault's wallets by token; none for an account that does not trade. */
async function vaultsOf(account: Account): Promise<readonly (readonly [Token, string])[]> {
  try {
    const { tokenWallets } = (await account.call(fxSettings, {})).data;
    return STABLECOINS.flatMap((token) => {
      const address = tokenWallets?.[token];
      return address ? [[token, address] as const] : [];
    });
  } catch (error) {
    // An account that may not trade is refused; anything else stops the sync.
    if (error instanceof CliError && error.category === 'rejected') return [];
    throw error;
  }
}

/** Writes the balances that are not what they were, and when they were looked at. Returns how many are new. */
export async function saveBalances(queries: Queries, { at, balances, wallets }: BalanceLook): Promise<number> {
  const addresses = wallets.map((address) => ({ address }));
  if (addresses.length > 0) await queries.run(...insertion(ACCOUNT_WALLETS, addresses, UNLESS_THERE));
  await queries.run(...insertion(BALANCE_CHECKS, [{ at }], UNLESS_THERE));
  let count = 0;
  for (const { source, place, asset, minor } of balances) {
    const last = await queries.get<{ minor: bigint }>(
      'SELECT minor FROM stored_balances WHERE source = ? AND place = ? AND asset = ? ORDER BY at DESC LIMIT 1',
      source,
      place,
      asset,
    );
    if (last?.minor === minor) continue;
    const row = { source, place, asset, minor, at };
    count += await queries.run(...insertion(BALANCES, [row], replacing(BALANCES, ['minor'])));
  }
  return count;
}
