import { startOfframp } from '../contract/endpoints/offramp.ts';
import type { Account } from '../engine/account.ts';
import { offramp } from '../engine/evidence/payouts.ts';
import { balanceLine, paidFrom, userBalance } from '../engine/previews/balances.ts';
import { bankCodeFor } from '../engine/previews/banks.ts';
import { feePreview } from '../engine/previews/fees.ts';
import { bankLines, userLines } from '../engine/previews/names.ts';
import { amountLine, readPreviews } from '../engine/previews/previews.ts';
import { type Amount, amountForPeople, amount as amountIn, toWireNumber } from '../money/amount.ts';
import { cngnBaseFromKobo } from '../money/rates.ts';
import { thingListCommand } from '../terminal/list-command.ts';
import { requiredBank, userArgument } from '../terminal/parse/field-options.ts';
import { amountHelp, amountOf, digits, required } from '../terminal/parse/parameters.ts';
import { change } from '../terminal/terminal.ts';
import { startCommand, statusCommand } from '../terminal/work-commands.ts';
import { offramp as anOfframp } from '../things/bank-transfers.ts';

/** Previews the names, the fees and the balance before and after. */
function lookAhead(account: Account, userId: string, bankCode: string, amount: Amount) {
  const names = [() => userLines(account, userId), () => bankLines(account, bankCode)];
  return readPreviews(...names, async () => {
    const [{ lines, total }, before] = await Promise.all([
      feePreview(account, 'offramp', amount),
      userBalance(account, userId, 'CNGN').catch(() => undefined),
    ]);
    const taken = total && -cngnBaseFromKobo(amount.minor + total.minor);
    return [...lines, ...(before ? [balanceLine(before, taken)] : [])];
  });
}

interface TypedOfframp {
  readonly userId: string;
  readonly amount: Amount;
  readonly bankCode: string;
  readonly accountNumber: string;
}

const requestOf = ({ userId, amount, accountNumber, bankCode }: TypedOfframp) => ({
  userId,
  amount: toWireNumber(amount, 'naira'),
  accountNumber,
  bankCode,
  ticker: 'CNGN',
});

const start = startCommand(offramp, startOfframp, {
  words: ['offramp', 'create'],
  money: 'guarded',
  rows: {
    endpoint: startOfframp,
    request: requestOf,
    fees: async (account, amount) => (await feePreview(account, 'offramp', amount)).total,
  },
  summary: 'Start an offramp to a Nigerian bank account',
  details:
    'Converts a user’s cNGN to Naira. The bank account receives the full amount; fees are charged to the wallet on top.',
  examples: [
    'fiatrail offramp create USER_ID --amount 2000 --bank-code 000013 --account-number 0123456789',
    'fiatrail offramp create USER_ID --amount 2000 --bank-code 000013 --account-number 0123456789 --yes --wait -o json',
  ],
  parameters: {
    userId: userArgument('active user', 'user whose cNGN is paid out'),
    amount: required('--amount <naira>', amountHelp('NGN'), amountOf('NGN'), 'Amount in Naira:'),
    bankCode: requiredBank,
    accountNumber: required(
      '--account-number <digits>',
      'account number, 10 digits',
      digits('account number', 10),
      'Account number (10 digits):',
    ),
  },
  send: async (account, terminal, { userId, amount, bankCode: bank, accountNumber }, options) => {
    const bankCode = await bankCodeFor(account, bank);
    const request = requestOf({ userId, amount, accountNumber, bankCode });
    return change(
      account,
      terminal,
      startOfframp,
      request,
      {
        summary: `start an offramp of ${amountForPeople(amount)} from user ${userId} to account ${accountNumber} at bank ${bankCode}`,
        lines: [
          ['user', userId],
          amountLine(amount, 'naira', 'fees are charged on top'),
          ['destination', `account ${accountNumber} at bank ${bankCode}`],
          // The service resolves it when it takes the request, and has no way to ask before. Source: interface.
          ['holder', 'not known before it is sent'],
        ],
        previews: () => lookAhead(account, userId, bankCode, amount),
        // The fees come on top, so that more is taken than this.
        payer: paidFrom(() => userBalance(account, userId, 'CNGN'), amountIn('CNGN', cngnBaseFromKobo(amount.minor))),
      },
      options,
    );
  },
});

const status = statusCommand(offramp);

const list = thingListCommand(anOfframp);

export const commands = [start, status, list];
