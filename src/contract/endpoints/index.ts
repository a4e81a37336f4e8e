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
 * Every endpoint of the service, by group, with what the group is about. A group's file has its name (`load-group.ts`); its
 * operations in the sandbox are in service/operations.ts.
 */
export const groups = {
  users: { about: 'Onboarding by BVN', endpoints: users },
  'user-list': { about: 'Users of the account', endpoints: userList },
  'user-settings': { about: 'User activation and onramp assets', endpoints: userSettings },
  'default-wallets': { about: 'External wallets that receive users’ cNGN', endpoints: defaultWallets },
  onramp: { about: 'Bank deposits in Naira converted to cNGN', endpoints: onramp },
  offramp: { about: 'Users’ cNGN paid out to bank accounts in Naira', endpoints: offramp },
  payouts: { about: 'The account’s own cNGN paid out to its bank accounts', endpoints: payouts },
  withdrawals: { about: 'Users’ tokens withdrawn to external addresses', endpoints: withdrawals },
  transfers: { about: 'The account’s own tokens transferred to registered wallets', endpoints: transfers },
  recovery: { about: 'Recovery of stuck requests', endpoints: recovery },
  history: { about: 'Deposits, payouts and transactions', endpoints: history },
  swaps: { about: 'Swaps between tokens', endpoints: swaps },
  bridge: { about: 'Moving cNGN between networks', endpoints: bridge },
  wallets: { about: 'Wallets of the account and its users', endpoints: wallets },
  'external-wallets': { about: 'External wallets registered for transfers', endpoints: externalWallets },
  'wallet-migration': { about: 'Creation and migration of users’ wallets', endpoints: walletMigration },
  balances: { about: 'Wallet balances on each network', endpoints: balances },
  'virtual-accounts': { about: 'Bank accounts for Naira deposits', endpoints: virtualAccounts },
  banks: { about: 'Banks and payout accounts', endpoints: banks },
  fees: { about: 'Fee settings and earned fees', endpoints: fees },
  'fee-withdrawals': { about: 'Withdrawals of earned fees', endpoints: feeWithdrawals },
  'fx-orders': { about: 'The account’s orders', endpoints: fxOrders },
  'fx-book': { about: 'The order book', endpoints: fxBook },
  'fx-quotes': { about: 'Quotes for trades between cNGN and stablecoins', endpoints: fxQuotes },
  'fx-trades': { about: 'Trades between cNGN and stablecoins', endpoints: fxTrades },
  'fx-vault': { about: 'The vault that holds the stablecoins', endpoints: fxVault },
  'fx-auto-signing': { about: 'Auto-signing of trades', endpoints: fxAutoSigning },
  management: { about: 'Keys, webhooks and auto-signing', endpoints: management },
  allowlist: { about: 'The IP allowlist', endpoints: allowlist },
} as const;

export type EndpointGroup = keyof typeof groups;

export const endpoints: readonly Endpoint[] = Object.values(groups).flatMap(
  (group) => Object.values(group.endpoints) as Endpoint[],
);
