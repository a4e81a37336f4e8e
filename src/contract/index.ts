import * as banks from './banks.ts';
import type { Endpoint } from './endpoint.ts';
import * as fees from './fees.ts';
import * as transactions from './transactions.ts';
import * as users from './users.ts';
import * as virtualAccounts from './virtual-accounts.ts';
import * as wallets from './wallets.ts';

/** Every endpoint of the service, by the name its group file gives it. */
export const groups = { banks, fees, transactions, users, 'virtual-accounts': virtualAccounts, wallets } as const;

export const endpoints: readonly Endpoint[] = Object.values(groups).flatMap(
  (group) => Object.values(group) as Endpoint[],
);
