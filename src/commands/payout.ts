import { getBankAccount } from '../contract/endpoints/banks.ts';
import { startPayout } from '../contract/endpoints/payouts.ts';
import type { Account } from '../engine/account.ts';
import { payeeTerms, payout } from '../engine/evidence/payouts.ts';
import type { ShownLine } from '../engine/plans/line.ts';
import { accountBalance, balanceLine } from '../engine/previews/balances.ts';
import { bankWord, type SavedAccount, savedAccountNamed } from '../engine/previews/banks.ts';
import { platformFeeOn } from '../engine/previews/fees.ts';
import { amountLine, PREVIEW_READ, readPreviews } from '../engine/previews/previews.ts';
import { type Amount, amountForPeople, amount as amountIn, toWireNumber } from '../money/amount.ts';
import { cngnBaseFromKobo, wholeKoboFromCngnBase } from '../money/rates.ts';
import { thingListCommand } from '../terminal/list-command.ts';
import { amountHelp, amountOf, digits, id, option, picked, required } from '../terminal/parse/parameters.ts';
import { change } from '../terminal/terminal.ts';
import { startCommand, statusCommand } from '../terminal/work-commands.ts';
import { payout as aPayout } from '../things/bank-transfers.ts';

async function accountOf(account: Account, accountId: string): Promise<SavedAccount | undefined> {
  return (await account.call(getBankAccount, { accountId }, PREVIEW_READ)).data.accounts?.[0];
}

/** Describes the destination account with its holder. */
function destinationLines(account: SavedAccount | undefined): readonly ShownLine[] {
  return account ? [['account', `${account.accountName}, ${account.accountNumber} at ${account.bankName}`]] : [];
}

/** Reads the platform fee on an amount of cNGN; undefined if it is not known. */
async function feeOn(account: Account, { minor }: Amount): Promise<Amount | undefined> {
  const kobo = wholeKoboFromCngnBase(minor);
  return kobo === undefined ? undefined : platformFeeOn(account, 'offramp', amountIn('NGN', kobo));
}

/** Previews the platform fee and the balance before and after. */
async function costLines(account: Account, amount: Amount): Promise<readonly ShownLine[]> {
  const [before, fee] = await Promise.all([
    accountBalance(account, 'CNGN', 'allNetworks').catch(() => undefined),
    feeOn(account, amount).catch(() => undefined),
  ]);
  // A fee that cannot be read comes on top, so that more is taken than this.
  const taken = -(amount.minor + (fee ? cngnBaseFromKobo(fee.minor) : 0n));
  return [
    ...(fee ? [['fees', `${amountForPeople(fee)} to the platform`] as const] : []),
    ...(before ? [balanceLine(before, taken)] : []),
  ];
}

const NUMBER_HELP = 'number of a saved bank account, in place of its id';

const requestOf = ({ amount, to }: { readonly amount: Amount; readonly to: string }) => ({
  amount: toWireNumber(amount, 'base'),
  bankAccountId: to,
});

const start = startCommand(payout, startPayout, {
  words: ['payout', 'create'],
  money: 'guarded',
  rows: {
    endpoint: startPayout,
    others: {
      accountNumber: option('--account-number <digits>', NUMBER_HELP, digits('account number', 10)),
      bankCode: picked(
        'bank',
        option('--bank-code <code>', 'the bank of the account number, by code or name', bankWord),
      ),
    },
    request: requestOf,
    fees: feeOn,
  },
  summary: 'Start a payout to one of the account’s bank accounts',
  details:
    'Converts the account’s own cNGN to Naira. The bank account receives the full amount; fees are charged to the wallet on top.',
  examples: [
    'fiatrail payout create --amount 50000 --to BANK_ACCOUNT_ID',
    'fiatrail payout create --amount 50000 --to BANK_ACCOUNT_ID --yes --wait -o json',
  ],
  parameters: {
    amount: required('--amount <cngn>', amountHelp('CNGN'), amountOf('CNGN'), 'Amount in cNGN:'),
    to: picked(
      'bank account',
      required('--to <bank-account>', 'bank account id, from bank-accounts list, or default', id, 'To which account?'),
    ),
  },
  fields: { bankAccountId: 'to' },
  send: async (account, terminal, { amount, to: named }, options) => {
    let payee = named === 'default' ? await savedAccountNamed(account, named) : undefined;
    const to = payee?.accountId ?? named;
    return change(
      account,
      terminal,
      startPayout,
      requestOf({ amount, to }),
      {
        summary: `start a payout of ${amountForPeople(amount)} to bank account ${to}`,
        lines: [amountLine(amount, 'base', 'fees are charged on top'), ['destination', `bank account ${to}`]],
        previews: () =>
          readPreviews(
            async () => {
              payee = (await accountOf(account, to)) ?? payee;
              return destinationLines(payee);
            },
            () => costLines(account, amount),
          ),
        payer: () =>
          readPreviews(
            () => costLines(account, amount),
            async () => {
              payee = (await accountOf(account, to)) ?? payee;
              for (const [label, holder] of destinationLines(payee))
                await account.notices.note(`  ${label.padEnd('destination'.length)}  ${holder}`);
              return [];
            },
          ),
        terms: () => payeeTerms(payee),
      },
      options,
    );
  },
});

const status = statusCommand(payout);

const list = thingListCommand(aPayout);

export const commands = [start, status, list];
