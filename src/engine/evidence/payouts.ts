import { CliError } from '../../base/errors.ts';
import { getBankAccount } from '../../contract/endpoints/banks.ts';
import type { Baseline } from '../../journal/intent.ts';
import { offramp as anOfframp, payout as aPayout } from '../../things/bank-transfers.ts';
import type { SavedAccount } from '../previews/banks.ts';
import { followedWorkOf } from './of-thing.ts';

/** A saved bank account as the terms of a payout to it. */
export function payeeTerms(account: SavedAccount | undefined): Baseline['terms'] {
  const { accountNumber, accountName, bankCode } = account ?? {};
  return {
    ...(typeof accountNumber === 'string' ? { accountNumber } : {}),
    ...(typeof accountName === 'string' ? { accountName } : {}),
    ...(typeof bankCode === 'string' ? { bankCode } : {}),
  };
}

export const offramp = followedWorkOf(anOfframp);

export const payout = followedWorkOf(aPayout, {
  terms: async (account, { accountNumber, bankAccountId }) => {
    if (typeof accountNumber === 'string') return undefined;
    try {
      const { data } = await account.call(getBankAccount, { accountId: String(bankAccountId) });
      return payeeTerms(data.accounts?.[0]);
    } catch (error) {
      // An account that was removed has nothing to compare.
      if (error instanceof CliError && error.category === 'rejected') return undefined;
      throw error;
    }
  },
});
