import { CliError } from '../../base/errors.ts';
import { bankWord, savedAccounts } from '../../engine/banks.ts';
import { withdrawableFees } from '../../engine/previews.ts';
import { type Amount, amountForPeople, amountText } from '../../money/amount.ts';
import { trimDecimal } from '../../money/decimal.ts';
import { askFor } from '../../terminal/ask/input.ts';
import { pickBank } from '../../terminal/ask/pick/banks.ts';
import { showEquivalentCommand } from '../../terminal/ask/wizard.ts';
import type { Guided } from '../../terminal/command.ts';
import { bankOption } from '../../terminal/parse/field-options.ts';
import { amountHelp, amountOf, digits, option, required } from '../../terminal/parse/parameters.ts';
import { plainText } from '../../terminal/parse/plain-text.ts';
import { waitWords } from '../../terminal/parse/wait-option.ts';
import type { Session } from '../../terminal/session.ts';

const WORDS = ['max', 'all'] as const;

type FeeAmount = Amount | (typeof WORDS)[number];

export const FEE_AMOUNT = required(
  '--amount <naira|max|all>',
  `max for one withdrawal, all for as many as are needed, or an ${amountHelp('NGN')}`,
  (text) => WORDS.find((each) => each === text.toLowerCase()) ?? amountOf('NGN')(text),
  'Amount in Naira, max or all:',
);

const accountNumberOf = digits('account number', 10);

/** The options that name a bank account in full. */
export const ACCOUNT_OPTIONS = {
  bankCode: bankOption,
  accountNumber: option('--account-number <digits>', 'account number, 10 digits', accountNumberOf),
  accountName: option('--account-name <name>', 'name of the account holder', plainText),
};

/** A bank account that is named in full, or will be. */
interface GivenAccount {
  readonly bankCode?: string | undefined;
  readonly accountNumber?: string | undefined;
  readonly accountName?: string | undefined;
}

interface GivenWithdrawal extends GivenAccount {
  readonly amount?: FeeAmount | undefined;
  readonly to?: string | undefined;
  readonly narration?: string | undefined;
  readonly reference?: string | undefined;
  readonly note?: string | undefined;
  readonly wait?: number | undefined;
}

/** Prompts for the amount and the bank account, and ends with the equivalent command. */
export async function withdrawGuide(
  session: Session,
  given: GivenWithdrawal,
): Promise<Guided<GivenWithdrawal> | undefined> {
  const parts = [given.bankCode, given.accountNumber, given.accountName];
  const isAccountGiven = given.to !== undefined || parts.every((part) => part !== undefined);
  if (given.amount !== undefined && isAccountGiven) return undefined;
  const amount = given.amount ?? (await askAmount(session));
  const account = isAccountGiven ? {} : await askAccount(session, given);
  const values = { amount, ...account };
  return { values, end: () => showEquivalentCommand(session, commandWords({ ...given, ...values })) };
}

async function askAmount(session: Session): Promise<FeeAmount> {
  const fees = await unlessUnreadable(withdrawableFees(session, true));
  if (fees?.available) {
    const limits = [
      fees.minimum && `at least ${amountForPeople(fees.minimum)}`,
      fees.maximum && `at most ${amountForPeople(fees.maximum)}`,
    ].filter((limit) => limit !== undefined);
    const each = limits.length > 0 ? `; ${limits.join(' and ')} per withdrawal` : '';
    await session.say(`  ${amountForPeople(fees.available)} available${each}`);
  }
  return askFor(FEE_AMOUNT, session);
}

/** Prompts for a saved account or, if there is none or another is wanted, for the parts of one that are missing. */
async function askAccount(session: Session, given: GivenAccount): Promise<Pick<GivenWithdrawal, 'to'> | GivenAccount> {
  const givenPart = given.bankCode ?? given.accountNumber ?? given.accountName;
  const saved = givenPart === undefined ? await savedAccounts(session) : [];
  if (saved.length > 0) {
    const prompter = await session.world.prompter();
    const to = await prompter.select<string | undefined>('To which account?', [
      ...saved,
      { name: 'another account', value: undefined },
    ]);
    if (to !== undefined) return { to };
  }
  return {
    bankCode:
      given.bankCode ??
      (await pickBank(session)) ??
      (await askFor({ parse: bankWord, question: 'Bank code:' }, session)),
    accountNumber:
      given.accountNumber ??
      (await askFor({ parse: accountNumberOf, question: 'Account number (10 digits):' }, session)),
    accountName:
      given.accountName ?? (await askFor({ parse: plainText, question: 'Name of the account holder:' }, session)),
  };
}

/** Reads something that is only shown; undefined if it cannot be read, because the request itself may still succeed. */
async function unlessUnreadable<T>(read: Promise<T>): Promise<T | undefined> {
  return read.catch((error: unknown) => {
    if (error instanceof CliError && error.category !== 'interrupted') return undefined;
    throw error;
  });
}

/** The equivalent command line. */
function commandWords({ amount, wait, ...given }: GivenWithdrawal): string[] {
  const options = [
    ['--amount', typeof amount === 'object' ? trimDecimal(amountText(amount)) : amount],
    ['--to', given.to],
    ['--bank-code', given.bankCode],
    ['--account-number', given.accountNumber],
    ['--account-name', given.accountName],
    ['--narration', given.narration],
    ['--reference', given.reference],
    ['--note', given.note],
  ] as const;
  return [
    ...['fees', 'withdrawals', 'start'],
    ...options.flatMap(([name, value]) => (value === undefined ? [] : [name, value])),
    ...(wait === undefined ? [] : waitWords(wait)),
  ];
}
