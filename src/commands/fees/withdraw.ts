import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { verifyWithdrawal, withdrawFees } from '../../contract/endpoints/fee-withdrawals.ts';
import type { Account } from '../../engine/account.ts';
import { outcomeOfStart, printedWork } from '../../engine/evidence/started.ts';
import { bankWord, savedAccounts } from '../../engine/previews/banks.ts';
import { withdrawableFees } from '../../engine/previews/fees.ts';
import { type Amount, amountForPeople, amountText } from '../../money/amount.ts';
import { trimDecimal } from '../../money/decimal.ts';
import { askFor, showEquivalentCommand } from '../../terminal/ask/input.ts';
import { pickBank } from '../../terminal/ask/pick/banks.ts';
import { command, type Guided } from '../../terminal/command.ts';
import { thingListCommand } from '../../terminal/list-command.ts';
import { bankOption, noTagOption, noteOption, waitOption, waitWords } from '../../terminal/parse/field-options.ts';
import {
  amountHelp,
  amountOf,
  digits,
  id,
  NO_PROTECTION,
  option,
  plainText,
  required,
} from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { statusCommand } from '../../terminal/work-commands.ts';
import { feeWithdrawal as aFeeWithdrawal } from '../../things/fee-withdrawal.ts';
import { destinationOf, feeWithdrawal, readWithdrawable, requireWithdrawable, sendWithdrawal } from './send.ts';
import { sweptSchema } from './swept.ts';

const WORDS = ['max', 'all'] as const;

type FeeAmount = Amount | (typeof WORDS)[number];

const FEE_AMOUNT = required(
  '--amount <naira|max|all>',
  `max for one withdrawal, all for as many as are needed, or an ${amountHelp('NGN')}`,
  (text) => WORDS.find((each) => each === text.toLowerCase()) ?? amountOf('NGN')(text),
  'Amount in Naira, max or all:',
);

const accountNumberOf = digits('account number', 10);

/** The options that name a bank account in full. */
const ACCOUNT_OPTIONS = {
  bankCode: bankOption,
  accountNumber: option('--account-number <digits>', 'account number, 10 digits', accountNumberOf),
  accountName: option('--account-name <name>', 'name of the account holder', plainText),
};

/** A bank account that is named in full, or will be. */
interface GivenDestination {
  readonly bankCode?: string | undefined;
  readonly accountNumber?: string | undefined;
  readonly accountName?: string | undefined;
}

interface GivenWithdrawal extends GivenDestination {
  readonly amount?: FeeAmount | undefined;
  readonly to?: string | undefined;
  readonly narration?: string | undefined;
  readonly reference?: string | undefined;
  readonly note?: string | undefined;
  readonly wait?: number | undefined;
}

/** Prompts for the amount and the bank account, and ends with the equivalent command. */
async function withdrawGuide(
  account: Account,
  terminal: Terminal,
  given: GivenWithdrawal,
): Promise<Guided<GivenWithdrawal> | undefined> {
  const parts = [given.bankCode, given.accountNumber, given.accountName];
  const isAccountGiven = given.to !== undefined || parts.every((part) => part !== undefined);
  if (given.amount !== undefined && isAccountGiven) return undefined;
  const amount = given.amount ?? (await askAmount(account));
  const destination = isAccountGiven ? {} : await askAccount(account, given);
  const values = { amount, ...destination };
  return { values, end: () => showEquivalentCommand(account, terminal, commandWords({ ...given, ...values })) };
}

async function askAmount(account: Account): Promise<FeeAmount> {
  const fees = await unlessUnreadable(withdrawableFees(account, true));
  if (fees?.available) {
    const limits = [
      fees.minimum && `at least ${amountForPeople(fees.minimum)}`,
      fees.maximum && `at most ${amountForPeople(fees.maximum)}`,
    ].filter((limit) => limit !== undefined);
    const each = limits.length > 0 ? `; ${limits.join(' and ')} per withdrawal` : '';
    await account.notices.say(`  ${amountForPeople(fees.available)} available${each}`);
  }
  return askFor(FEE_AMOUNT, account);
}

/** Prompts for a saved account or, if there is none or another is wanted, for the parts of one that are missing. */
async function askAccount(
  account: Account,
  given: GivenDestination,
): Promise<Pick<GivenWithdrawal, 'to'> | GivenDestination> {
  const givenPart = given.bankCode ?? given.accountNumber ?? given.accountName;
  const saved = givenPart === undefined ? await savedAccounts(account) : [];
  if (saved.length > 0) {
    const prompter = await account.world.prompter();
    const to = await prompter.select<string | undefined>('To which account?', [
      ...saved,
      { name: 'another account', value: undefined },
    ]);
    if (to !== undefined) return { to };
  }
  return {
    bankCode:
      given.bankCode ??
      (await pickBank(account)) ??
      (await askFor({ parse: bankWord, question: 'Bank code:' }, account)),
    accountNumber:
      given.accountNumber ??
      (await askFor({ parse: accountNumberOf, question: 'Account number (10 digits):' }, account)),
    accountName:
      given.accountName ?? (await askFor({ parse: plainText, question: 'Name of the account holder:' }, account)),
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
    'fees',
    'withdraw',
    ...options.flatMap(([name, value]) => (value === undefined ? [] : [name, value])),
    ...(wait === undefined ? [] : waitWords(wait)),
  ];
}

const STARTED = [
  { field: 'withdrawalId', title: 'Withdrawal' },
  { field: 'amount', title: 'Amount' },
  { field: 'status', title: 'Status' },
  { field: 'estimatedProcessingTime', title: 'Settles in' },
  { field: 'message', title: 'Message' },
] as const;

/** Returns the largest amount that can be withdrawn now: the available fees, up to the maximum withdrawal. Throws CliError declined. */
async function maximumWithdrawable(account: Account): Promise<Amount> {
  const found = await readWithdrawable(account);
  requireWithdrawable(found);
  const { available, maximum } = found;
  if (!maximum || available.minor <= maximum.minor) return available;
  await account.notices.note(
    `${amountForPeople(available)} available; withdrawing ${amountForPeople(maximum)}, the maximum per withdrawal. Use --amount all for the rest`,
  );
  return maximum;
}

const start = command({
  words: ['fees', 'withdraw'],
  money: 'guarded',
  summary: 'Withdraw earned fees to a bank account',
  details:
    '"max" withdraws everything available, up to the maximum per withdrawal. "all" makes as many withdrawals as are needed; with --once KEY, they have the keys KEY/1, KEY/2 and so on, and running the same command again resumes where it stopped. Settlement takes 1 to 3 business days. "max", "all" and --to are looked up first, even in a dry run. On a terminal, without an amount or a bank account, the command prompts for each value.',
  examples: [
    'fiatrail fees withdraw --amount 25000 --bank-code 000013 --account-number 0123456789 --account-name "ADA OBI"',
    'fiatrail fees withdraw --amount max --to BANK_ACCOUNT_ID --yes -o json',
    'fiatrail fees withdraw --amount all --to default --once "fees-{year}-{month}-{day}" --yes',
  ],
  endpoints: [withdrawFees.id, verifyWithdrawal.id],
  prints: { either: [printedWork(feeWithdrawal, withdrawFees), sweptSchema] },
  parameters: {
    amount: FEE_AMOUNT,
    to: option('--to <bank-account>', 'bank account id, from bank-accounts list, or default', id),
    ...ACCOUNT_OPTIONS,
    narration: option('--narration <text>', `text for the bank statement; ${NO_PROTECTION}`, plainText),
    noTag: noTagOption,
    reference: option('--reference <text>', `your own reference; ${NO_PROTECTION}`, plainText),
    note: noteOption,
    wait: waitOption,
  },
  fields: { bankAccountNumber: 'accountNumber', 'metadata.reference': 'reference', 'metadata.notes': 'note' },
  guide: withdrawGuide,
  run: async (account, terminal, { amount: wanted, narration, noTag, reference, note, wait, ...input }) => {
    if (wanted === 'all' && wait !== undefined)
      throw new CliError('usage', '--wait follows one withdrawal, and --amount all may make several', {
        hint: advice`omit --wait, and follow each with: [fiatrail fees withdrawals status]`,
      });
    const destination = await destinationOf(account, input);
    const texts = { destination, narration, noTag, reference, note };
    if (wanted === 'all') return (await import('./sweep.ts')).sweep(account, terminal, texts);
    const amount = wanted === 'max' ? await maximumWithdrawable(account) : wanted;
    const reply = await sendWithdrawal(account, terminal, texts, amount);
    return outcomeOfStart(account, feeWithdrawal, withdrawFees, reply, { wait, columns: STARTED });
  },
});

const list = thingListCommand(aFeeWithdrawal);

const status = statusCommand(feeWithdrawal, {});

export const withdrawalCommands = [start, list, status];
