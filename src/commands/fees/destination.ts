import { CliError } from '../../base/errors.ts';
import { bankCodeFor, savedAccountNamed } from '../../engine/banks.ts';
import type { Session } from '../../terminal/session.ts';

/** The account that a fee withdrawal is paid into. */
export interface Destination {
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
export async function destinationOf(session: Session, input: DestinationInput): Promise<Destination> {
  const { to, bankCode, accountNumber, accountName } = input;
  const parts = { '--bank-code': bankCode, '--account-number': accountNumber, '--account-name': accountName };
  const missing = Object.entries(parts).flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (to !== undefined) {
    if (missing.length < 3) {
      throw new CliError('usage', '--to cannot be combined with --bank-code, --account-number or --account-name', {
        hint: 'use --to, or the other three',
      });
    }
    return savedAccount(session, to);
  }
  if (bankCode === undefined || accountNumber === undefined || accountName === undefined) {
    throw new CliError(
      'usage',
      missing.length === 3 ? 'the destination is missing' : `missing: ${missing.join(', ')}`,
      {
        code: 'VALIDATION_ERROR',
        hint: 'add --to <bank-account>, or --bank-code, --account-number and --account-name',
      },
    );
  }
  return { bankAccountNumber: accountNumber, bankCode: await bankCodeFor(session, bankCode), accountName };
}

async function savedAccount(session: Session, accountId: string): Promise<Destination> {
  const account = await savedAccountNamed(session, accountId);
  const { accountNumber, bankCode, accountName } = account;
  if (!/^\d{10}$/.test(accountNumber ?? '') || !bankCode || !accountName) {
    throw new CliError('usage', '--to: the service did not return this account’s full details', {
      hint: 'use --bank-code, --account-number and --account-name instead',
    });
  }
  return { bankAccountNumber: accountNumber ?? '', bankCode, accountName };
}
