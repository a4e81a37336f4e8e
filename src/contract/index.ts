import * as balances from './balances.ts';
import * as banks from './banks.ts';
import * as bridge from './bridge.ts';
import type { Endpoint } from './endpoint.ts';
import * as fees from './fees.ts';
import * as fxOrders from './fx-orders.ts';
import * as fxTrades from './fx-trades.ts';
import * as fxVault from './fx-vault.ts';
import * as history from './history.ts';
import * as management from './management.ts';
import * as swaps from './swaps.ts';
import * as transactions from './transactions.ts';
import * as transfers from './transfers.ts';
import * as users from './users.ts';
import * as virtualAccounts from './virtual-accounts.ts';
import * as wallets from './wallets.ts';

/** Every endpoint of the service, by the name its group file gives it. */
export const groups = {
  users,
  transactions,
  transfers,
  history,
  swaps,
  bridge,
  wallets,
  balances,
  'virtual-accounts': virtualAccounts,
  banks,
  fees,
  'fx-orders': fxOrders,
  'fx-trades': fxTrades,
  'fx-vault': fxVault,
  management,
} as const;

export type Group = keyof typeof groups;

export const endpoints: readonly Endpoint[] = Object.values(groups).flatMap(
  (group) => Object.values(group) as Endpoint[],
);
