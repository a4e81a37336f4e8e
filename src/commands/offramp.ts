import { listPayouts } from '../contract/endpoints/history.ts';
import { offrampStatus, startOfframp } from '../contract/endpoints/offramp.ts';
import { bankCodeFor } from '../engine/banks.ts';
import { payoutsBy } from '../engine/lists/history.ts';
import { listed } from '../engine/lists/listed.ts';
import { followWork } from '../engine/operations/follow-work.ts';
import { offramp } from '../engine/operations/payouts.ts';
import { startedOutcome, startedShape } from '../engine/operations/started.ts';
import { outcomeOf } from '../engine/outcome.ts';
import { amountLine, balanceLine, feePreview, readPreviews, userBalance } from '../engine/previews.ts';
import { type Amount, amountForPeople } from '../money/amount.ts';
import { cngnBaseFromKobo } from '../money/rates.ts';
import { toWireNumber } from '../money/units.ts';
import { command } from '../terminal/command.ts';
import { requiredBank } from '../terminal/parse/field-options.ts';
import { BANK_STATUSES, choice, listOptions, userOption } from '../terminal/parse/paging.ts';
import { amountHelp, amountOf, argument, digits, id, picked, required } from '../terminal/parse/parameters.ts';
import { periodOf, periodOptions } from '../terminal/parse/period.ts';
import { waitOption } from '../terminal/parse/wait-option.ts';
import type { Session } from '../terminal/session.ts';

/** Previews the fees and the balance before and after. */
function lookAhead(session: Session, userId: string, amount: Amount) {
  return readPreviews(async () => {
    const [{ lines, total }, before] = await Promise.all([
      feePreview(session, 'offramp', amount),
      userBalance(session, userId, 'CNGN').catch(() => undefined),
    ]);
    const taken = total && -cngnBaseFromKobo(amount.minor + total.minor);
    return [...lines, ...(before ? [balanceLine(before, taken)] : [])];
  });
}

const WORK = { start: startOfframp, status: offrampStatus } as const;

const startCommand = command({
  words: ['offramp', 'start'],
  money: 'guarded',
  summary: 'Start an offramp to a Nigerian bank account',
  details:
    'Converts a user’s cNGN to Naira. The bank account receives the full amount; fees are charged to the wallet on top.',
  examples: [
    'fiatrail offramp start 4f1c… --amount 2000 --bank-code 000013 --account-number 0123456789',
    'fiatrail offramp start 4f1c… --amount 2000 --bank-code 000013 --account-number 0123456789 --yes --wait -o json',
  ],
  endpoints: [startOfframp.id, offrampStatus.id],
  prints: WORK,
  parameters: {
    userId: picked('active user', argument('user-id', 'user whose cNGN is paid out', id, 'Which user?')),
    amount: required('--amount <naira>', amountHelp('NGN'), amountOf('NGN'), 'Amount in Naira:'),
    bankCode: requiredBank,
    accountNumber: required(
      '--account-number <digits>',
      'account number, 10 digits',
      digits('account number', 10),
      'Account number (10 digits):',
    ),
    wait: waitOption('until the bank has been paid'),
  },
  run: async (session, { userId, amount, bankCode: bank, accountNumber, wait }) => {
    const bankCode = await bankCodeFor(session, bank);
    const request = { userId, amount: toWireNumber(amount, 'naira'), accountNumber, bankCode, ticker: 'CNGN' };
    const reply = await session.change(
      startOfframp,
      request,
      {
        summary: `start an offramp of ${amountForPeople(amount)} from user ${userId} to account ${accountNumber} at bank ${bankCode}`,
        lines: [
          ['user', userId],
          amountLine(amount, 'naira', 'fees are charged on top'),
          ['destination', `account ${accountNumber} at bank ${bankCode}`],
        ],
        previews: () => lookAhead(session, userId, amount),
      },
      { prints: startedShape(WORK) },
    );
    const started = outcomeOf(session, startOfframp, reply);
    if (wait === undefined) return startedOutcome(session, WORK, started);
    return startedOutcome(session, WORK, started, await followWork(session, offramp, reply.data.requestId, wait));
  },
});

const statusCommand = command({
  words: ['offramp', 'status'],
  summary: 'Show the status of an offramp',
  examples: [
    'fiatrail offramp status 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de',
    'fiatrail offramp status 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de --wait -o json',
  ],
  endpoints: [offrampStatus.id],
  prints: { response: offrampStatus },
  parameters: {
    requestId: picked('request', argument('request-id', 'request id, from offramp start', id, 'Which request?')),
    wait: waitOption('until it completes or fails'),
  },
  run: async (session, { requestId, wait }) => followWork(session, offramp, requestId, wait ?? 0),
});

const listCommand = command({
  words: ['offramp', 'list'],
  summary: 'List the bank transfers of offramps, newest first',
  details: 'fiatrail history payouts has those of the account too.',
  examples: [
    'fiatrail offramp list --status failed --since 7d',
    'fiatrail offramp list --since 2026-11-01 --until 2026-11-30 --all -o csv',
  ],
  endpoints: [listPayouts.id],
  isView: true,
  prints: { response: listPayouts },
  parameters: {
    status: choice('status', BANK_STATUSES),
    user: userOption('only those of this user'),
    ...periodOptions,
    ...listOptions('rows'),
  },
  fields: { userId: 'user', startDate: 'since', endDate: 'until' },
  run: async (session, { status, user: userId, ...page }) =>
    listed(session, payoutsBy({ type: 'user_offramp', userId, status }), page, periodOf(page, session)),
});

export const commands = [startCommand, statusCommand, listCommand];
