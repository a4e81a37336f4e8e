import { CliError } from '../../base/errors.ts';
import { feeWithdrawals, verifyWithdrawal, withdrawFees } from '../../contract/endpoints/fee-withdrawals.ts';
import { bankWord, savedAccounts } from '../../engine/banks.ts';
import { feeWithdrawal, feeWithdrawalsBy } from '../../engine/operations/fees.ts';
import { outcomeOfStart, printedWork } from '../../engine/operations/started.ts';
import { withdrawableFees } from '../../engine/previews.ts';
import { type Amount, amountForPeople, amountText } from '../../money/amount.ts';
import { trimDecimal } from '../../money/decimal.ts';
import { askFor } from '../../terminal/ask/input.ts';
import { pickBank } from '../../terminal/ask/pick/banks.ts';
import { showEquivalentCommand } from '../../terminal/ask/wizard.ts';
import { command, type Guided } from '../../terminal/command.ts';
import { choice, listCommand, WITHDRAWAL_STATUSES } from '../../terminal/list-command.ts';
import { bankOption, waitOption, waitWords } from '../../terminal/parse/field-options.ts';
import { NO_PROTECTION } from '../../terminal/parse/money-options.ts';
import {
  amountHelp,
  amountOf,
  digits,
  id,
  option,
  plainText,
  required,
  switchOn,
} from '../../terminal/parse/parameters.ts';
import type { Session } from '../../terminal/session.ts';
import { statusCommand } from '../../terminal/work-commands.ts';
import { destinationOf, readWithdrawable, requireWithdrawable, sendWithdrawal } from './send.ts';
import { sweep, sweptSchema } from './sweep.ts';

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
async function withdrawGuide(session: Session, given: GivenWithdrawal): Promise<Guided<GivenWithdrawal> | undefined> {
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

const STARTED = [
  { field: 'withdrawalId', title: 'Withdrawal' },
  { field: 'amount', title: 'Amount' },
  { field: 'status', title: 'Status' },
  { field: 'estimatedProcessingTime', title: 'Settles in' },
  { field: 'message', title: 'Message' },
] as const;

/** Returns the largest amount that can be withdrawn now: the available fees, up to the maximum withdrawal. Throws CliError declined. */
async function maximumWithdrawable(session: Session): Promise<Amount> {
  const found = await readWithdrawable(session);
  requireWithdrawable(found);
  const { available, maximum } = found;
  if (!maximum || available.minor <= maximum.minor) return available;
  await session.note(
    `${amountForPeople(available)} available; withdrawing ${amountForPeople(maximum)}, the maximum per withdrawal. Use --amount all for the rest`,
  );
  return maximum;
}

const start = command({
  words: ['fees', 'withdrawals', 'start'],
  money: 'guarded',
  summary: 'Withdraw earned fees to a bank account',
  details:
    '"max" withdraws everything available, up to the maximum per withdrawal. "all" makes as many withdrawals as are needed; with --once KEY, they have the keys KEY/1, KEY/2 and so on, and running the same command again resumes where it stopped. Settlement takes 1 to 3 business days. "max", "all" and --to are looked up first, even in a dry run. On a terminal, without an amount or a bank account, the command prompts for each value.',
  examples: [
    'fiatrail fees withdrawals start --amount 25000 --bank-code 000013 --account-number 0123456789 --account-name "ADA OBI"',
    'fiatrail fees withdrawals start --amount max --to 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de --yes -o json',
    'fiatrail fees withdrawals start --amount all --to default --once "fees-{year}-{month}-{day}" --yes',
  ],
  endpoints: [withdrawFees.id, verifyWithdrawal.id],
  prints: { either: [printedWork(feeWithdrawal, withdrawFees), sweptSchema] },
  parameters: {
    amount: FEE_AMOUNT,
    to: option('--to <bank-account>', 'id of a saved account, from bank-accounts list, or default', id),
    ...ACCOUNT_OPTIONS,
    narration: option('--narration <text>', `text for the bank statement; ${NO_PROTECTION}`, plainText),
    noTag: switchOn(
      '--no-tag',
      'leave the narration empty; without the tag in it, an unknown outcome is harder to find out',
    ),
    reference: option('--reference <text>', `your own reference; ${NO_PROTECTION}`, plainText),
    note: option('--note <text>', `note to store with the withdrawal; ${NO_PROTECTION}`, plainText),
    wait: waitOption('until the bank has been paid (1 to 3 business days)'),
  },
  fields: { bankAccountNumber: 'accountNumber', 'metadata.reference': 'reference', 'metadata.notes': 'note' },
  guide: withdrawGuide,
  run: async (session, { amount: wanted, narration, noTag, reference, note, wait, ...input }) => {
    if (wanted === 'all' && wait !== undefined)
      throw new CliError('usage', '--wait follows one withdrawal, and --amount all may make several', {
        hint: 'omit --wait, and follow each with: fiatrail fees withdrawals status',
      });
    const destination = await destinationOf(session, input);
    const texts = { destination, narration, noTag, reference, note };
    if (wanted === 'all') return sweep(session, texts);
    const amount = wanted === 'max' ? await maximumWithdrawable(session) : wanted;
    const reply = await sendWithdrawal(session, texts, amount);
    return outcomeOfStart(session, feeWithdrawal, withdrawFees, reply, { wait, columns: STARTED });
  },
});

const list = listCommand(feeWithdrawals, {
  words: ['fees', 'withdrawals', 'list'],
  summary: 'List fee withdrawals, newest first',
  examples: [
    'fiatrail fees withdrawals list --status pending',
    'fiatrail fees withdrawals list --all -o csv --fields withdrawalId,amount,status,processedAt',
  ],
  rows: 'withdrawals',
  parameters: { status: choice('status', WITHDRAWAL_STATUSES) },
  listing: feeWithdrawalsBy,
});

const status = statusCommand(feeWithdrawal, {
  summary: 'Show the status of a fee withdrawal',
  id: 'withdrawal id, from fees withdrawals start',
  examples: ['FTW_0198…', 'FTW_0198… --wait 5d -o json --query status'],
  until: 'until it completes or fails (1 to 3 business days)',
});

export const withdrawalCommands = [start, list, status];
