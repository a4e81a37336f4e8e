import { listBankAccounts, listBanks } from '../../contract/endpoints/banks.ts';
import { getDetails } from '../../contract/endpoints/users.ts';
import { getFintechWallet } from '../../contract/endpoints/wallets.ts';
import type { Account } from '../account.ts';
import type { ShownLine } from '../plans/line.ts';
import { bankInWords, banksIn, type SavedAccount } from './banks.ts';
import { PREVIEW_READ } from './previews.ts';

// What people recognise beside the ids of a confirmation. Read only if someone is asked.

/** Reads a user's name, whether the user is active, and the address of the wallet that the service manages for the user. */
export async function userDetails(account: Account, userId: string) {
  const { personalDetails, walletDetails, isActive } = (await account.call(getDetails, { userId }, PREVIEW_READ)).data;
  const name = [personalDetails?.firstName, personalDetails?.lastName].filter(Boolean).join(' ');
  const lines: readonly ShownLine[] = name ? [['user name', name]] : [];
  return { lines, wallet: walletDetails?.evmWallet ?? undefined, isActive: isActive ?? undefined };
}

/** Reads a user's name. */
export const userLines = async (account: Account, userId: string): Promise<readonly ShownLine[]> =>
  (await userDetails(account, userId)).lines;

/** Reads the name of a bank. */
export async function bankLines(account: Account, bankCode: string): Promise<readonly ShownLine[]> {
  const banks = banksIn((await account.call(listBanks, {}, PREVIEW_READ)).data);
  const bank = banks.find(({ code }) => code === bankCode);
  return bank?.name ? [['bank', bankInWords(bank)]] : [];
}

/** `ADA OBI 0123456789`. */
const accountInWords = ({ accountName, accountNumber }: SavedAccount) =>
  [accountName, accountNumber].filter(Boolean).join(' ') || undefined;

/** Reads the default payout account, and another one by its id. */
export async function payoutAccounts(account: Account, accountId?: string) {
  const { accounts } = (await account.call(listBankAccounts, {}, PREVIEW_READ)).data;
  const [chosen, named] = [
    accounts?.find(({ isDefault }) => isDefault),
    accounts?.find((each) => each.accountId === accountId),
  ];
  return {
    now: chosen ? accountInWords(chosen) : accounts ? 'none' : undefined,
    next: named && accountInWords(named),
  };
}

/** Reads the label, type and status of an external wallet of the account; `otherwise` if the address is none. */
export async function externalWalletLines(
  account: Account,
  address: string,
  otherwise: readonly ShownLine[] = [],
): Promise<readonly ShownLine[]> {
  const { externalWallets } = (await account.call(getFintechWallet, {}, PREVIEW_READ)).data;
  const wallet = externalWallets?.find((each) => each.address?.toLowerCase() === address.toLowerCase());
  if (!wallet) return otherwise;
  return [['wallet', [wallet.label, wallet.type, wallet.status].filter(Boolean).join(', ')]];
}
