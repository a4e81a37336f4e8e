import type { Operations } from '../operation.ts';
import { allowlistOperations } from './allowlist.ts';
import { balancesOperations } from './balances.ts';
import { banksOperations } from './banks.ts';
import { bridgeOperations } from './bridge.ts';
import { defaultWalletsOperations } from './default-wallets.ts';
import { externalWalletsOperations } from './external-wallets.ts';
import { feeWithdrawalsOperations } from './fee-withdrawals.ts';
import { feesOperations } from './fees.ts';
import { fxAutoSigningOperations } from './fx-auto-signing.ts';
import { fxBookOperations } from './fx-book.ts';
import { fxOrdersOperations } from './fx-orders.ts';
import { fxQuotesOperations } from './fx-quotes.ts';
import { fxTradesOperations } from './fx-trades.ts';
import { fxVaultOperations } from './fx-vault.ts';
import { historyOperations } from './history.ts';
import { managementOperations } from './management.ts';
import { offrampOperations } from './offramp.ts';
import { onrampOperations } from './onramp.ts';
import { payoutsOperations } from './payouts.ts';
import { recoveryOperations } from './recovery.ts';
import { swapsOperations } from './swaps.ts';
import { transfersOperations } from './transfers.ts';
import { userListOperations } from './user-list.ts';
import { userSettingsOperations } from './user-settings.ts';
import { usersOperations } from './users.ts';
import { virtualAccountsOperations } from './virtual-accounts.ts';
import { walletMigrationOperations } from './wallet-migration.ts';
import { walletsOperations } from './wallets.ts';
import { withdrawalsOperations } from './withdrawals.ts';

/** The operations of all endpoints. */
export const operations: Operations = {
  ...allowlistOperations,
  ...balancesOperations,
  ...banksOperations,
  ...bridgeOperations,
  ...defaultWalletsOperations,
  ...externalWalletsOperations,
  ...feeWithdrawalsOperations,
  ...feesOperations,
  ...fxAutoSigningOperations,
  ...fxBookOperations,
  ...fxOrdersOperations,
  ...fxQuotesOperations,
  ...fxTradesOperations,
  ...fxVaultOperations,
  ...historyOperations,
  ...managementOperations,
  ...offrampOperations,
  ...onrampOperations,
  ...payoutsOperations,
  ...recoveryOperations,
  ...swapsOperations,
  ...transfersOperations,
  ...userListOperations,
  ...userSettingsOperations,
  ...usersOperations,
  ...virtualAccountsOperations,
  ...walletMigrationOperations,
  ...walletsOperations,
  ...withdrawalsOperations,
};
