import { CliError } from '../../../base/errors.ts';
import type { Choice } from '../../../base/world.ts';
import type { Account } from '../../../engine/account.ts';
import { bankInWords, matchingBanks, readBanks, savedAccounts } from '../../../engine/previews/banks.ts';

/** Fits a terminal; what is typed narrows the choices down. */
const MAX_CHOICES = 50;

/** Asks for a bank by its name or code; undefined if the list cannot be read. */
export async function pickBank(account: Account): Promise<string | undefined> {
  const banks = await readBanks(account).catch((error: unknown) => {
    if (error instanceof CliError && error.category !== 'interrupted') return [];
    throw error;
  });
  if (banks.length === 0) return undefined;
  const prompter = await account.world.prompter();
  return prompter.search(
    'Which bank? Type part of its name or code:',
    async (typed): Promise<Choice<string>[]> =>
      matchingBanks(banks, typed)
        .slice(0, MAX_CHOICES)
        .map((bank) => ({ name: bankInWords(bank), value: bank.code })),
  );
}

/** Asks for one of the account’s bank accounts, the default one first; undefined if the list cannot be read or is empty. */
export async function pickBankAccount(account: Account, question: string): Promise<string | undefined> {
  const accounts = await savedAccounts(account);
  if (accounts.length === 0) return undefined;
  return (await account.world.prompter()).select(question, accounts);
}
