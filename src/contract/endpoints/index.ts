import type { Endpoint } from '../endpoint.ts';
import * as allowlist from './allowlist.ts';
import * as balances from './balances.ts';
import * as banks from './banks.ts';
import * as bridge from './bridge.ts';
import * as defaultWallets from './default-wallets.ts';
import * as externalWallets from './external-wallets.ts';
import * as feeWithdrawals from './fee-withdrawals.ts';
import * as fees from './fees.ts';
import * as fxAutoSigning from './fx-auto-signing.ts';
import * as fxBook from './fx-book.ts';
import * as fxOrders from './fx-orders.ts';
import * as fxQuotes from './fx-quotes.ts';
import * as fxTrades from './fx-trades.ts';
import * as fxVault from './fx-vault.ts';
import * as history from './history.ts';
import * as management from './management.ts';
import * as offramp from './offramp.ts';
import * as onramp from './onramp.ts';
import * as payouts from './payouts.ts';
import * as recovery from './recovery.ts';
import * as swaps from './swaps.ts';
import * as transfers from './transfers.ts';
import * as userList from './user-list.ts';
import * as userSettings from './user-settings.ts';
import * as users from './users.ts';
import * as virtualAccounts from './virtual-accounts.ts';
import * as walletMigration from './wallet-migration.ts';
import * as wallets from './wallets.ts';
import * as withdrawals from './withdrawals.ts';

/**
 * Every endpoint of the service, by group. A group's file has its name (`load-group.ts`); its
 * operations in the sandbox are in service/operations.ts.
 */
export const groups = {
  users,
  'user-list': userList,
  'user-settings': userSettings,
  'default-wallets': defaultWallets,
  onramp,
  offramp,
  payouts,
  withdrawals,
  transfers,
  recovery,
  history,
  swaps,
  bridge,
  wallets,
  'external-wallets': externalWallets,
  'wallet-migration': walletMigration,
  balances,
  'virtual-accounts': virtualAccounts,
  banks,
  fees,
  'fee-withdrawals': feeWithdrawals,
  'fx-orders': fxOrders,
  'fx-book': fxBook,
  'fx-quotes': fxQuotes,
  'fx-trades': fxTrades,
  'fx-vault': fxVault,
  'fx-auto-signing': fxAutoSigning,
  management,
  allowlist,
} as const;

export type EndpointGroup = keyof typeof groups;

export const endpoints: readonly Endpoint[] = Object.values(groups).flatMap(
  (group) => Object.values(group) as Endpoint[],
);
