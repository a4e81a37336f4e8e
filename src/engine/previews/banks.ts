import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Choice } from '../../base/world.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { listBankAccounts, listBanks } from '../../contract/endpoints/banks.ts';
import { wordOfBank } from '../../contract/plain-ids.ts';
import { printable } from '../../money/amount.ts';
import { visible } from '../../present/text.ts';
import type { Account } from '../account.ts';

/** A bank of the service's list. */
export interface ListedBank {
  readonly code: string;
  readonly name: string;
}

const CODE = /^\d{3,6}$/;

/** Parses a bank code, or a name that `bankCodeFor` looks up. Throws CliError usage. */
export function bankWord(text: string): string {
  const word = text.trim();
  if (CODE.test(word)) return word;
  if (/^\d+$/.test(word) || word.length < 2 || word.length > 60 || /[\p{Cc}\p{Cf}]/u.test(word))
    throw new CliError('usage', `invalid bank "${printable(text)}"; expected a code of 3 to 6 digits or a name`, {
      hint: advice`find it with: [fiatrail banks --search NAME]`,
    });
  return word;
}

/** Reads the service's list of banks. */
export async function readBanks(account: Account): Promise<readonly ListedBank[]> {
  return banksIn((await account.call(listBanks, {}, { isBeforehand: true })).data);
}

/** Returns the banks of a response that have a code. */
export function banksIn({ banks }: ResponseOf<typeof listBanks>): readonly ListedBank[] {
  return (banks ?? []).flatMap((bank) => {
    const [name, code] = [bank.bankName ?? bank.bank_name, bank.bankCode ?? bank.bank_code];
    return code ? [{ code, name: visible(name ?? '') }] : [];
  });
}

/** Whether a bank's name or code contains a word, or its initials begin with it: `gtb` for Guaranty Trust Bank. */
function isIn({ name, code }: ListedBank, word: string): boolean {
  const lower = name.toLowerCase();
  const initials = [...lower.matchAll(/\b[a-z]/g)].join('');
  return lower.includes(word) || code.includes(word) || initials.startsWith(word);
}

/** Returns the banks that every word matches. `gtbank` is also `gt` of a bank. */
export function matchingBanks(banks: readonly ListedBank[], text: string): readonly ListedBank[] {
  const found = (words: readonly string[]) => banks.filter((bank) => words.every((word) => isIn(bank, word)));
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const all = found(words);
  return all.length > 0 ? all : found(words.map((word) => word.replace(/(?<=.{2})bank$/, '')));
}

/** `Kuda (50211)`. */
export const bankInWords = ({ name, code }: ListedBank) => `${name} (${code})`.trim();

/** How many candidates a message names. */
const MAX_NAMED = 5;

/** Returns the code of a bank that was named by its code, or by a name that matches one bank. Throws CliError usage with the candidates. */
export async function bankCodeFor(account: Account, text: string): Promise<string> {
  if (CODE.test(text)) return text;
  const only = bankNamed(await readBanks(account), text);
  await account.notices.note(`bank: ${bankInWords(only)}`);
  return only.code;
}

/** Returns the one bank of a list that a name matches. Throws CliError usage with the candidates. */
export function bankNamed(banks: readonly ListedBank[], text: string): ListedBank {
  const typed = text.toLowerCase();
  // Completion writes a name as one word.
  const exact = banks.filter(({ name }) => name.toLowerCase() === typed || wordOfBank(name) === typed);
  const found = exact.length > 0 ? exact : matchingBanks(banks, text);
  const [only, ...others] = found;
  if (!only)
    throw new CliError('usage', `no bank is named "${printable(text)}"`, {
      code: 'NOT_FOUND',
      hint: advice`find it with: [fiatrail banks --search NAME]`,
    });
  if (others.length > 0) {
    const more = found.length > MAX_NAMED ? `, and ${found.length - MAX_NAMED} more` : '';
    throw new CliError('usage', `"${printable(text)}" matches ${found.length} banks`, {
      code: 'AMBIGUOUS_BANK',
      hint: `give the code of one: ${found.slice(0, MAX_NAMED).map(bankInWords).join(', ')}${more}`,
    });
  }
  return only;
}

/** A bank account that the service keeps for this account. */
export type SavedAccount = NonNullable<ResponseOf<typeof listBankAccounts>['accounts']>[number];

/** Returns a bank account by its id, or the default one for `default`. Throws CliError usage if there is none. */
export async function savedAccountNamed(account: Account, text: string): Promise<SavedAccount> {
  const { data } = await account.call(listBankAccounts, {}, { isBeforehand: true });
  const isNamed = ({ accountId, isDefault }: SavedAccount) =>
    text === 'default' ? isDefault === true : accountId === text;
  const found = data.accounts?.find(isNamed);
  if (found) return found;
  const isDefault = text === 'default';
  throw new CliError(
    'usage',
    isDefault ? '--to: there is no default bank account' : '--to: no payout bank account has this id',
    {
      code: 'NOT_FOUND',
      hint: isDefault
        ? advice`make one the default with: [fiatrail bank-accounts update ID --default]`
        : advice`list the accounts with: [fiatrail bank-accounts list]`,
    },
  );
}

/** Returns the account's bank accounts as choices, the default one first; empty if they cannot be read. */
export async function savedAccounts(account: Account): Promise<readonly Choice<string>[]> {
  const { data } = await account.call(listBankAccounts, {}, { isBeforehand: true }).catch((error: unknown) => {
    if (error instanceof CliError && error.category !== 'interrupted') return { data: { accounts: [] } };
    throw error;
  });
  // The first one is chosen by Enter alone.
  const accounts = [...(data.accounts ?? [])].sort((a, b) => Number(b.isDefault ?? 0) - Number(a.isDefault ?? 0));
  return accounts.flatMap(({ accountId, accountName, accountNumber, bankName, isDefault }) => {
    const name = visible([accountName, accountNumber, bankName, isDefault && 'default'].filter(Boolean).join(' · '));
    return accountId ? [{ name: name || accountId, value: accountId }] : [];
  });
}
