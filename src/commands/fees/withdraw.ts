import { CliError } from '../../base/errors.ts';
import { feeWithdrawals, verifyWithdrawal, withdrawFees } from '../../contract/endpoints/fee-withdrawals.ts';
import { feeWithdrawal, feeWithdrawalsBy } from '../../engine/operations/fees.ts';
import { outcomeOfStart, printedWork } from '../../engine/operations/started.ts';
import { command } from '../../terminal/command.ts';
import { listCommand } from '../../terminal/list-command.ts';
import { NO_PROTECTION } from '../../terminal/parse/money-options.ts';
import { choice, WITHDRAWAL_STATUSES } from '../../terminal/parse/paging.ts';
import { id, option, switchOn } from '../../terminal/parse/parameters.ts';
import { plainText } from '../../terminal/parse/plain-text.ts';
import { waitOption } from '../../terminal/parse/wait-option.ts';
import { statusCommand } from '../../terminal/work-commands.ts';
import { ACCOUNT_OPTIONS, FEE_AMOUNT, withdrawGuide } from './guide.ts';
import { destinationOf, maximumWithdrawable, sendWithdrawal } from './send.ts';
import { sweep, sweptSchema } from './sweep.ts';

const STARTED = [
  { field: 'withdrawalId', title: 'Withdrawal' },
  { field: 'amount', title: 'Amount' },
  { field: 'status', title: 'Status' },
  { field: 'estimatedProcessingTime', title: 'Settles in' },
  { field: 'message', title: 'Message' },
] as const;

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
