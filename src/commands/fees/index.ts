import { once } from '../../base/calls.ts';
import { CliError } from '../../base/errors.ts';
import type { RequestOf } from '../../contract/endpoint.ts';
import { verifyWithdrawal, withdrawFees } from '../../contract/endpoints/fee-withdrawals.ts';
import { accumulatedFees, getFees, manageFees, previewFees } from '../../contract/endpoints/fees.ts';
import { DIRECTIONS, type Direction } from '../../contract/values.ts';
import type { Account } from '../../engine/account.ts';
import { outcomeOfStart, printedWork } from '../../engine/evidence/started.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { bankWord, savedAccounts } from '../../engine/previews/banks.ts';
import { nairaOf, withdrawableFees } from '../../engine/previews/fees.ts';
import { PREVIEW_READ } from '../../engine/previews/previews.ts';
import {
  type Amount,
  amountForPeople,
  amountText,
  isUnknownFigure,
  printable,
  toWireNumber,
  type UnknownFigure,
} from '../../money/amount.ts';
import { trimDecimal, type WireNumber } from '../../money/decimal.ts';
import { type PercentMillionths, percentFromWire, percentText, percentToWire } from '../../money/rates.ts';
import { askFor, showEquivalentCommand } from '../../terminal/ask/input.ts';
import { pickBank } from '../../terminal/ask/pick/banks.ts';
import { callCommand, command, type Guided } from '../../terminal/command.ts';
import { thingListCommand } from '../../terminal/list-command.ts';
import { bankOption, noTagOption, noteOption, waitOption, waitWords } from '../../terminal/parse/field-options.ts';
import {
  amountHelp,
  amountOf,
  amountOrZeroOf,
  digits,
  id,
  NO_PROTECTION,
  nothingTo,
  oneOf,
  onOrOff,
  option,
  percent,
  plainText,
  required,
} from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { change } from '../../terminal/terminal.ts';
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
        hint: 'omit --wait, and follow each with: fiatrail fees withdrawals status',
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

const withdrawalCommands = [start, list, status];

/** The requested changes for one direction; undefined values stay as they are. */
interface WantedFee {
  readonly percent: PercentMillionths | undefined;
  readonly cap: Amount | undefined;
  readonly isOn: boolean | undefined;
}

interface Current {
  readonly percentageFee?: WireNumber | null | undefined;
  readonly capFee?: WireNumber | UnknownFigure | null | undefined;
  readonly enabled?: boolean | null | undefined;
}

const isChanged = (wanted: WantedFee) => Object.values(wanted).some((value) => value !== undefined);

const isComplete = (wanted: WantedFee) => Object.values(wanted).every((value) => value !== undefined);

/** Builds the complete setting for a direction, because the service accepts no partial one. Omitted values are sent unchanged. */
async function settingOf(account: Account, direction: Direction, wanted: WantedFee, current: Current | undefined) {
  const now = {
    percent: percentFromWire(current?.percentageFee ?? Number.NaN),
    cap: nairaOf(current?.capFee),
    isOn: current?.enabled ?? undefined,
  };
  if (wanted.cap === undefined && isUnknownFigure(current?.capFee))
    throw new CliError(
      'network',
      `the cap of the ${direction} fee is "${printable(current.capFee.value)}", which is not known to be in kobo; nothing was sent`,
      {
        code: 'UNUSABLE_RESPONSE',
        hint: `add --${direction}-cap`,
      },
    );
  const value = { percent: wanted.percent ?? now.percent, cap: wanted.cap ?? now.cap, isOn: wanted.isOn ?? now.isOn };
  if (value.percent === undefined || value.cap === undefined || value.isOn === undefined) {
    throw new CliError('usage', `the ${direction} fee is not set yet; all of its settings are required`, {
      code: 'VALIDATION_ERROR',
      hint: `add --${direction}-percent, --${direction}-cap and --${direction}`,
    });
  }
  const unchanged = [
    wanted.percent === undefined ? `${percentText(value.percent)}%` : '',
    wanted.cap === undefined ? `cap ${amountForPeople(value.cap)}` : '',
    wanted.isOn === undefined ? (value.isOn ? 'on' : 'off') : '',
  ].filter((part) => part !== '');
  if (unchanged.length > 0) await account.notices.note(`unchanged for the ${direction} fee: ${unchanged.join(', ')}`);
  return {
    percentageFee: percentToWire(value.percent),
    capFee: toWireNumber(value.cap, 'kobo'),
    enabled: value.isOn,
  };
}

/** `0.5%, at most ₦500.00`, as far as the setting says it. */
function settingInWords(setting: Current | null | undefined): string | undefined {
  if (!setting) return undefined;
  const { percentageFee, capFee, enabled } = setting;
  const percentage = percentageFee == null ? undefined : percentFromWire(percentageFee);
  const cap = nairaOf(capFee);
  const parts = [
    percentage === undefined ? '' : `${percentText(percentage)}%`,
    cap ? `at most ${amountForPeople(cap)}` : '',
    enabled === false ? 'off' : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function directionOptions(direction: Direction) {
  return {
    percent: option(`--${direction}-percent <percent>`, `percentage charged on an ${direction}, such as 0.5%`, percent),
    cap: option(
      `--${direction}-cap <naira>`,
      'maximum fee per transaction, in Naira unless a unit is given',
      amountOrZeroOf('NGN'),
    ),
    isOn: option(`--${direction} <on|off>`, `turn the ${direction} fee on or off`, onOrOff),
  };
}

const onramp = directionOptions('onramp');

const offramp = directionOptions('offramp');

/** The columns of the current fee settings. */
const SETTING = [
  { field: 'feeConfiguration.onrampFee.percentageFee', title: 'Onramp fee percentage' },
  { field: 'feeConfiguration.onrampFee.capFee', title: 'Onramp fee cap' },
  { field: 'feeConfiguration.onrampFee.enabled', title: 'Onramp fee enabled' },
  { field: 'feeConfiguration.offrampFee.percentageFee', title: 'Offramp fee percentage' },
  { field: 'feeConfiguration.offrampFee.capFee', title: 'Offramp fee cap' },
  { field: 'feeConfiguration.offrampFee.enabled', title: 'Offramp fee enabled' },
] as const;

const SET = [
  ...SETTING,
  { field: 'exampleCalculation.onramp.amount', title: 'Example onramp' },
  { field: 'exampleCalculation.onramp.fee', title: 'Fee earned' },
  { field: 'exampleCalculation.offramp.amount', title: 'Example offramp' },
  { field: 'exampleCalculation.offramp.fee', title: 'Fee earned' },
] as const;

const SETTINGS = {
  onrampPercent: onramp.percent,
  onrampCap: onramp.cap,
  onramp: onramp.isOn,
  offrampPercent: offramp.percent,
  offrampCap: offramp.cap,
  offramp: offramp.isOn,
};

const setCommand = command({
  words: ['fees', 'set'],
  summary: 'Set the fees that the account charges its users',
  details:
    'The fee is a percentage of the amount, up to the cap. Omitted settings stay unchanged: the current settings are read first, even in a dry run, and sent back in full.',
  examples: [
    'fiatrail fees set --onramp-percent 0.5% --onramp-cap 500 --onramp on',
    'fiatrail fees set --offramp-percent 0.5% --offramp-cap 500 --offramp off --note "free in August" --yes -o json',
  ],
  endpoints: [manageFees.id, getFees.id],
  prints: { response: manageFees },
  parameters: {
    ...SETTINGS,
    note: option('--note <text>', 'reason, for the audit log', plainText),
    description: option('--description <text>', 'description of the settings, for the audit log', plainText),
    updatedBy: option('--updated-by <name>', 'who changes the settings, for the audit log', plainText),
  },
  fields: {
    'onrampFee.percentageFee': 'onrampPercent',
    'onrampFee.capFee': 'onrampCap',
    'onrampFee.enabled': 'onramp',
    'offrampFee.percentageFee': 'offrampPercent',
    'offrampFee.capFee': 'offrampCap',
    'offrampFee.enabled': 'offramp',
    'metadata.notes': 'note',
  },
  run: async (account, terminal, input) => {
    const wanted = {
      onramp: { percent: input.onrampPercent, cap: input.onrampCap, isOn: input.onramp },
      offramp: { percent: input.offrampPercent, cap: input.offrampCap, isOn: input.offramp },
    };
    const changed = DIRECTIONS.filter((direction) => isChanged(wanted[direction]));
    if (changed.length === 0) throw nothingTo('set', SETTINGS);
    const isWhole = changed.every((direction) => isComplete(wanted[direction]));
    const read = once(
      async () => (await account.call(getFees, {}, isWhole ? PREVIEW_READ : { isBeforehand: true })).data,
    );
    const current = isWhole ? undefined : (await read()).feeConfiguration;
    const request: RequestOf<typeof manageFees> = {};
    for (const direction of changed) {
      request[`${direction}Fee`] = await settingOf(
        account,
        direction,
        wanted[direction],
        current?.[`${direction}Fee`] ?? undefined,
      );
    }
    const metadata = { notes: input.note, description: input.description, lastUpdatedBy: input.updatedBy };
    if (Object.values(metadata).some((value) => value !== undefined)) request.metadata = metadata;
    const replaces = changed.map((direction) => ({
      label: `${direction} fee`,
      next: settingInWords(request[`${direction}Fee`]) ?? '',
      read: async () => {
        const { feeConfiguration, hasConfiguration } = await read();
        return { now: hasConfiguration === false ? 'none' : settingInWords(feeConfiguration?.[`${direction}Fee`]) };
      },
    }));
    const summary = `set the ${replaces.map(({ label, next }) => `${label} to ${next}`).join(' and the ')}`;
    const reply = await change(account, terminal, manageFees, request, { summary, lines: [], replaces });
    return outcomeOf(account, manageFees, reply, { columns: SET });
  },
});

const showCommand = callCommand(getFees, {
  words: ['fees', 'show'],
  summary: 'Show the fees that the account charges its users',
  examples: ['fiatrail fees show', 'fiatrail fees show -o json --query feeConfiguration.onrampFee'],
  parameters: {},
  request: () => ({}),
  columns: [...SETTING, { field: 'timestamps.updatedAt', title: 'Updated' }],
});

const EARNED = [
  { field: 'summary.availableForWithdrawal', title: 'Available to withdraw' },
  { field: 'summary.pendingWithdrawals', title: 'Pending withdrawals' },
  { field: 'summary.collectedFees', title: 'Collected' },
  { field: 'summary.pendingFees', title: 'Not collected yet' },
  { field: 'summary.totalAccumulatedFees', title: 'Total earned' },
  { field: 'summary.onrampFees', title: 'From onramps' },
  { field: 'summary.offrampFees', title: 'From offramps' },
  { field: 'summary.transactionCount', title: 'Transactions' },
  { field: 'details.minimumWithdrawal', title: 'Minimum withdrawal' },
  { field: 'details.maximumWithdrawal', title: 'Maximum withdrawal' },
  { field: 'details.lastUpdated', title: 'Last updated' },
] as const;

const earnedCommand = callCommand(accumulatedFees, {
  words: ['fees', 'earned'],
  summary: 'Show earned and withdrawable fees',
  examples: ['fiatrail fees earned', 'fiatrail fees earned -o json --query summary.availableForWithdrawal.value'],
  parameters: {},
  request: () => ({}),
  columns: EARNED,
});

const PREVIEW = [
  { field: 'amount', title: 'Amount' },
  { field: 'transactionType', title: 'Direction' },
  { field: 'finalFee', title: 'Platform fee' },
  { field: 'feePercentage', title: 'Percentage' },
  { field: 'calculatedFee', title: 'Before the cap' },
  { field: 'fixedFee', title: 'Fixed part' },
  { field: 'appliedCap', title: 'Capped at' },
  { field: 'tierUsed.minAmount', title: 'Tier from' },
  { field: 'tierUsed.maxAmount', title: 'Tier to' },
  { field: 'usedFintechOverride', title: 'Custom rate' },
] as const;

const previewCommand = callCommand(previewFees, {
  words: ['fees', 'preview'],
  summary: 'Preview the platform fee on an amount',
  details: 'The account’s own fee is added on top; see it with: fiatrail fees show',
  examples: [
    'fiatrail fees preview --amount 5000 --transaction-type onramp',
    'fiatrail fees preview --amount ₦150,000 --transaction-type offramp -o json --query finalFee.value',
  ],
  parameters: {
    amount: required('--amount <naira>', amountHelp('NGN'), amountOf('NGN'), 'Amount in Naira:'),
    direction: required(
      '--transaction-type <type>',
      'onramp or offramp',
      oneOf(...DIRECTIONS),
      'Type (onramp or offramp):',
    ),
  },
  fields: { transactionType: 'direction' },
  request: ({ amount, direction }) => ({ amount: toWireNumber(amount, 'kobo'), transactionType: direction }),
  columns: PREVIEW,
});

export const commands = [showCommand, setCommand, earnedCommand, previewCommand, ...withdrawalCommands];
