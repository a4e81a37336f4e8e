import type { Operations } from '../operation.ts';
import { banksOperations } from './banks.ts';
import { feesOperations } from './fees.ts';
import { offrampOperations } from './offramp.ts';
import { onrampOperations } from './onramp.ts';
import { usersOperations } from './users.ts';
import { virtualAccountsOperations } from './virtual-accounts.ts';
import { walletsOperations } from './wallets.ts';

/** What every endpoint does. */
export const operations: Operations = {
  ...banksOperations,
  ...feesOperations,
  ...offrampOperations,
  ...onrampOperations,
  ...usersOperations,
  ...virtualAccountsOperations,
  ...walletsOperations,
};
