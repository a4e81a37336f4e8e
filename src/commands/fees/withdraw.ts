import { CliError } from '../../base/errors.ts';
import { feeWithdrawals, verifyWithdrawal, withdrawFees } from '../../contract/endpoints/fee-withdrawals.ts';
import { PAGE_SIZE } from '../../engine/lists/pages.ts';
import { feeWithdrawal } from '../../engine/operations/fees.ts';
import { followWork } from '../../engine/operations/follow-work.ts';
import { startedOutcome } from '../../engine/operations/started.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { command } from '../../terminal/command.ts';
import { NO_PROTECTION } from '../../terminal/parse/money-options.ts';
import { argument, id, oneOf, option, picked, switchOn, wholeNumber, word } from '../../terminal/parse/parameters.ts';
import { waitOption } from '../../terminal/parse/wait-option.ts';
import { destinationOf } from './destination.ts';
import { ACCOUNT_OPTIONS, FEE_AMOUNT, withdrawGuide } from './guide.ts';
import { sendWithdrawal, WORK } from './send.ts';
import { SWEPT, sweep } from './sweep.ts';
import { maximumWithdrawable } from './withdrawable.ts';

const STARTED = [
  { field: 'withdrawalId', title: 'Withdrawal' },
  { field: 'amount', title: 'Amount' },
  { field: 'status', title: 'Status' },
  { field: 'estimatedProcessingTime', title: 'Settles in' },
  { field: 'message', title: 'Message' },
] as const;

const withdrawCommand = command({
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
  prints: { either: [WORK, { form: SWEPT }] },
  parameters: {
    amount: FEE_AMOUNT,
    to: option('--to <bank-account-id>', 'id of a saved account, from bank-accounts list, or default', id),
    ...ACCOUNT_OPTIONS,
    narration: option('--narration <text>', `text for the bank statement; ${NO_PROTECTION}`, word),
    noTag: switchOn(
      '--no-tag',
      'leave the narration empty; without the tag in it, an unknown outcome is harder to find out',
    ),
    reference: option('--reference <text>', `your own reference; ${NO_PROTECTION}`, word),
    note: option('--note <text>', `note to store with the withdrawal; ${NO_PROTECTION}`, word),
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
    const started = outcomeOf(session, withdrawFees, reply, { columns: STARTED });
    if (wait === undefined) return startedOutcome(session, WORK, started);
    return startedOutcome(
      session,
      WORK,
      started,
      await followWork(session, feeWithdrawal, reply.data.withdrawalId, wait),
    );
  },
});

const COLUMNS = [
  { field: 'withdrawalId', title: 'Withdrawal' },
  { field: 'amount', title: 'Amount' },
  { field: 'status', title: 'Status' },
  { field: 'createdAt', title: 'When', isBrief: true },
  { field: 'bankAccountNumber', title: 'Account', isWide: true },
] as const;

/** The error for a service that returns fewer rows than requested and says that there are more. */
function incomplete(count: number): CliError {
  return new CliError('network', `the list is incomplete: the service returned ${count} rows and says there are more`, {
    code: 'UNUSABLE_ANSWER',
    hint: 'narrow the list with --status; the rows received are printed',
  });
}

const listCommand = command({
  words: ['fees', 'withdrawals', 'list'],
  summary: 'List fee withdrawals, newest first',
  details: 'The service does not paginate this list; --all doubles the limit until it has every row.',
  examples: [
    'fiatrail fees withdrawals list --status pending',
    'fiatrail fees withdrawals list --all -o csv --fields withdrawalId,amount,status,processedAt',
  ],
  endpoints: [feeWithdrawals.id],
  prints: { response: feeWithdrawals },
  parameters: {
    status: option(
      '--status <status>',
      'pending, completed or failed (default all)',
      oneOf('pending', 'completed', 'failed'),
    ),
    limit: option('--limit <count>', 'maximum number of withdrawals (default 20)', wholeNumber(1, 1_000_000)),
    all: switchOn('--all', 'list all withdrawals'),
  },
  run: async (session, { status, limit, all }) => {
    let size = all ? (limit ?? PAGE_SIZE) : limit;
    let reply = await session.call(feeWithdrawals, { limit: size, status });
    while (all && size !== undefined && reply.data.withdrawals.length >= size) {
      size *= 2;
      reply = await session.call(feeWithdrawals, { limit: size, status });
    }
    const isIncomplete = all === true && reply.data.pagination?.hasMore === true;
    const list = { isWhole: all === true && !isIncomplete };
    const outcome = await outcomeOf(session, feeWithdrawals, reply, { columns: COLUMNS, list });
    return isIncomplete ? { ...outcome, error: incomplete(reply.data.withdrawals.length) } : outcome;
  },
});

const verifyCommand = command({
  words: ['fees', 'withdrawals', 'status'],
  summary: 'Show the status of a fee withdrawal',
  examples: [
    'fiatrail fees withdrawals status FTW_0198…',
    'fiatrail fees withdrawals status FTW_0198… --wait 5d -o json --query status',
  ],
  endpoints: [verifyWithdrawal.id],
  prints: { response: verifyWithdrawal },
  parameters: {
    withdrawalId: picked(
      'request',
      argument('withdrawal-id', 'withdrawal id, from fees withdrawals start', id, 'Which withdrawal?'),
    ),
    wait: waitOption('until it completes or fails (1 to 3 business days)'),
  },
  run: async (session, { withdrawalId, wait }) => followWork(session, feeWithdrawal, withdrawalId, wait ?? 0),
});

export const withdrawalCommands = [withdrawCommand, listCommand, verifyCommand];
