import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { RequestOf, ResponseOf } from '../../contract/endpoint.ts';
import { withdrawFees } from '../../contract/endpoints/fee-withdrawals.ts';
import type { Account, AccountReply } from '../../engine/account.ts';
import { followedWorkOf } from '../../engine/evidence/of-thing.ts';
import { printedWork, startedShape } from '../../engine/evidence/started.ts';
import type { ShownLine } from '../../engine/plans/line.ts';
import { balanceLine } from '../../engine/previews/balances.ts';
import { bankCodeFor, savedAccountNamed } from '../../engine/previews/banks.ts';
import { withdrawableFees } from '../../engine/previews/fees.ts';
import { bankLines } from '../../engine/previews/names.ts';
import { amountLine, readPreviews } from '../../engine/previews/previews.ts';
import { newTag } from '../../engine/requests.ts';
import type { Sweep } from '../../journal/intent.ts';
import { type Amount, amountForPeople, toWireNumber } from '../../money/amount.ts';
import { missingError } from '../../terminal/parse/missing.ts';
import { change, type Terminal } from '../../terminal/terminal.ts';
import { feeWithdrawal as aFeeWithdrawal } from '../../things/fee-withdrawal.ts';

/** The account that a fee withdrawal is paid into. */
interface FeeDestination {
  readonly bankAccountNumber: string;
  readonly bankCode: string;
  readonly accountName: string;
}

/** The flags that name the account. */
interface DestinationInput {
  readonly to: string | undefined;
  readonly bankCode: string | undefined;
  readonly accountNumber: string | undefined;
  readonly accountName: string | undefined;
}

/** Returns the destination: a saved account or one given in full. Throws CliError usage. */
export async function destinationOf(account: Account, input: DestinationInput): Promise<FeeDestination> {
  const { to, bankCode, accountNumber, accountName } = input;
  const parts = { '--bank-code': bankCode, '--account-number': accountNumber, '--account-name': accountName };
  const missing = Object.entries(parts).flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (to !== undefined) {
    if (missing.length < 3) {
      throw new CliError('usage', '--to cannot be combined with --bank-code, --account-number or --account-name', {
        hint: 'use --to, or the other three',
      });
    }
    return savedAccount(account, to);
  }
  if (bankCode === undefined || accountNumber === undefined || accountName === undefined) {
    throw missingError(missing.length === 3 ? ['--to <bank-account>'] : missing, {
      expected: missing.length === 3 ? 'the bank account to pay' : undefined,
      hint: 'add --to <bank-account>, or --bank-code, --account-number and --account-name',
    });
  }
  return { bankAccountNumber: accountNumber, bankCode: await bankCodeFor(account, bankCode), accountName };
}

async function savedAccount(account: Account, accountId: string): Promise<FeeDestination> {
  const { accountNumber, bankCode, accountName } = await savedAccountNamed(account, accountId);
  if (!/^\d{10}$/.test(accountNumber ?? '') || !bankCode || !accountName) {
    throw new CliError('usage', '--to: the service did not return this account’s full details', {
      hint: 'use --bank-code, --account-number and --account-name instead',
    });
  }
  return { bankAccountNumber: accountNumber ?? '', bankCode, accountName };
}

/** What a withdrawal says besides its amount. */
export interface WithdrawalTexts {
  readonly destination: FeeDestination;
  /** Text for the bank statement; undefined for a tag of its own. */
  readonly narration: string | undefined;
  readonly noTag: boolean;
  readonly reference: string | undefined;
  readonly note: string | undefined;
}

/** `account 0123456789 at bank 000013` */
export const destinationText = ({ bankAccountNumber, bankCode }: FeeDestination): string =>
  `account ${bankAccountNumber} at bank ${bankCode}`;

/** Returns the request for a withdrawal. */
export function withdrawalRequest(
  { destination, narration, reference, note }: Omit<WithdrawalTexts, 'noTag'>,
  amount: Amount,
): RequestOf<typeof withdrawFees> {
  return {
    ...destination,
    amount: toWireNumber(amount, 'kobo'),
    narration,
    metadata: reference === undefined && note === undefined ? undefined : { reference, notes: note },
  };
}

/** Returns the text for the bank statement of one withdrawal; undefined for none. */
function narrationOf(account: Account, { narration, noTag }: WithdrawalTexts): string | undefined {
  return narration ?? (noTag ? undefined : newTag(account));
}

/** Returns the request that `sendWithdrawal` would make. */
export function withdrawalToSend(account: Account, texts: WithdrawalTexts, amount: Amount) {
  return withdrawalRequest({ ...texts, narration: narrationOf(account, texts) }, amount);
}

/** What is available before and after a withdrawal, if this command has read it. */
function feesLines({ activity }: Account, taken: Amount): readonly ShownLine[] {
  const { available, minimum, uncertain } = activity.fees ?? {};
  if (uncertain) return [balanceLine(uncertain)];
  return available ? [balanceLine(available, -taken.minor, { minimumMinor: minimum?.minor })] : [];
}

/** One of the withdrawals of a sweep. */
interface PartToSend extends Sweep {
  /** From 1. */
  readonly number: number;
}

const partInWords = ({ number, count, total }: PartToSend) =>
  `, part ${number} of ${count} of ${amountForPeople(total)}`;

/** Withdraws an amount, after the user agreed to it, or before to all of which it is a part. */
export async function sendWithdrawal(
  account: Account,
  terminal: Terminal,
  texts: WithdrawalTexts,
  amount: Amount,
  part?: PartToSend,
): Promise<AccountReply<ResponseOf<typeof withdrawFees>>> {
  const { destination, reference, note } = texts;
  const narration = narrationOf(account, texts);
  const tag = texts.narration === undefined ? narration : undefined;
  const where = destinationText(destination);
  return change(
    account,
    terminal,
    withdrawFees,
    withdrawalRequest({ ...texts, narration }, amount),
    {
      summary: `withdraw ${amountForPeople(amount)} in fees to ${where}${part ? partInWords(part) : ''}`,
      tag,
      sweep: part && { total: part.total, count: part.count },
      lines: [
        amountLine(amount, 'kobo'),
        ['destination', `${where}, ${destination.accountName}`],
        ...(narration === undefined ? [] : [['narration', narration] as const]),
        ...(reference === undefined ? [] : [['reference', reference] as const]),
        ...(note === undefined ? [] : [['note', note] as const]),
      ],
      previews: () =>
        readPreviews(
          () => bankLines(account, destination.bankCode),
          async () => {
            await withdrawableFees(account, false);
            return feesLines(account, amount);
          },
        ),
      payer: () =>
        readPreviews(async () => {
          if (!account.activity.fees) await withdrawableFees(account, false);
          return feesLines(account, amount);
        }),
    },
    { prints: startedShape(printedWork(feeWithdrawal, withdrawFees)) },
  );
}

/** What can be withdrawn now, with the limits of one withdrawal; a limit that the service does not report is undefined. */
interface Withdrawable {
  readonly available: Amount;
  readonly minimum: Amount | undefined;
  readonly maximum: Amount | undefined;
}

/** The error for a balance that allows no withdrawal. */
const nothingToWithdraw = (message: string) =>
  new CliError('declined', `${message}; nothing was sent`, {
    code: 'NOTHING_TO_WITHDRAW',
    hint: advice`show the fees with: [fiatrail fees earned]`,
  });

/** Reads what can be withdrawn. Throws CliError network if the service does not report it. */
export async function readWithdrawable(account: Account): Promise<Withdrawable> {
  const { available, minimum, maximum, uncertain } = await withdrawableFees(account, true);
  if (available && !uncertain) return { available, minimum, maximum };
  throw new CliError('network', uncertain?.uncertainty ?? 'the service did not report the withdrawable amount', {
    code: 'UNUSABLE_RESPONSE',
    hint: 'use an amount instead of max or all',
  });
}

/** Throws CliError declined if what is available is below the minimum. */
export function requireWithdrawable({ available, minimum }: Withdrawable): void {
  const there = `${amountForPeople(available)} available`;
  if (available.minor <= 0n)
    throw nothingToWithdraw(`${there}${minimum ? `; the minimum withdrawal is ${amountForPeople(minimum)}` : ''}`);
  if (minimum && available.minor < minimum.minor)
    throw nothingToWithdraw(`${there}, below the minimum withdrawal of ${amountForPeople(minimum)}`);
}

export const feeWithdrawal = followedWorkOf(aFeeWithdrawal);
