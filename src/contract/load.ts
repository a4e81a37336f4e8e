import type { DirectoryEntry } from './directory.ts';
import type { Endpoint } from './endpoint.ts';

const GROUPS: Readonly<Record<DirectoryEntry['group'], () => Promise<object>>> = {
  control: async () => (await import('./control.ts')).controls,
  users: () => import('./endpoints/users.ts'),
  'user-list': () => import('./endpoints/user-list.ts'),
  'user-settings': () => import('./endpoints/user-settings.ts'),
  'default-wallets': () => import('./endpoints/default-wallets.ts'),
  onramp: () => import('./endpoints/onramp.ts'),
  offramp: () => import('./endpoints/offramp.ts'),
  payouts: () => import('./endpoints/payouts.ts'),
  withdrawals: () => import('./endpoints/withdrawals.ts'),
  transfers: () => import('./endpoints/transfers.ts'),
  recovery: () => import('./endpoints/recovery.ts'),
  history: () => import('./endpoints/history.ts'),
  swaps: () => import('./endpoints/swaps.ts'),
  bridge: () => import('./endpoints/bridge.ts'),
  wallets: () => import('./endpoints/wallets.ts'),
  'external-wallets': () => import('./endpoints/external-wallets.ts'),
  'wallet-migration': () => import('./endpoints/wallet-migration.ts'),
  balances: () => import('./endpoints/balances.ts'),
  'virtual-accounts': () => import('./endpoints/virtual-accounts.ts'),
  banks: () => import('./endpoints/banks.ts'),
  fees: () => import('./endpoints/fees.ts'),
  'fee-withdrawals': () => import('./endpoints/fee-withdrawals.ts'),
  'fx-orders': () => import('./endpoints/fx-orders.ts'),
  'fx-book': () => import('./endpoints/fx-book.ts'),
  'fx-quotes': () => import('./endpoints/fx-quotes.ts'),
  'fx-trades': () => import('./endpoints/fx-trades.ts'),
  'fx-vault': () => import('./endpoints/fx-vault.ts'),
  'fx-auto-signing': () => import('./endpoints/fx-auto-signing.ts'),
  management: () => import('./endpoints/management.ts'),
  allowlist: () => import('./endpoints/allowlist.ts'),
};

/** Returns a function that loads an endpoint, with the others of its group, and from then on returns it at once. */
export function createLoader(): (entry: DirectoryEntry) => Endpoint | Promise<Endpoint> {
  const loaded = new Map<string, Endpoint>();
  const load = async ({ id, group }: DirectoryEntry) => {
    for (const endpoint of Object.values(await GROUPS[group]()) as Endpoint[]) loaded.set(endpoint.id, endpoint);
    const found = loaded.get(id);
    if (!found) throw new Error(`${group} has no endpoint ${id}`);
    return found;
  };
  return (entry) => loaded.get(entry.id) ?? load(entry);
}
