import type { ResponseOf } from '../../contract/endpoint.ts';
import { listBankAccounts } from '../../contract/endpoints/banks.ts';
import { listUsers } from '../../contract/endpoints/user-list.ts';
import { getFintechWallet } from '../../contract/endpoints/wallets.ts';
import { listOf } from './resume.ts';

/** A list without pages, so that a second page of it has no rows. */
const WHOLE = { columns: [], request: () => ({}), skipped: (offset: number) => offset } as const;

export const bankAccounts = listOf(listBankAccounts, {
  ...WHOLE,
  rowsOf: ({ accounts }) => accounts,
  idOf: ({ accountId }) => accountId,
});

type ExternalWallet = NonNullable<ResponseOf<typeof getFintechWallet>['externalWallets']>[number];

export const externalWallets = listOf(getFintechWallet, {
  ...WHOLE,
  rowsOf: ({ externalWallets }) => externalWallets,
  idOf: ({ address }: ExternalWallet) => address,
});

/** The users of the account, whether they are active or not. */
export const users = listOf(listUsers, {
  columns: [],
  request: ({ size, offset }) => ({ limit: size, offset, status: 'all' }) as const,
  rowsOf: ({ users }) => users,
  totalOf: ({ pagination }) => pagination?.total,
  idOf: ({ userId }) => userId,
});
