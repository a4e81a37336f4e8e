import { type Asset, amount, amountText } from '../../money/amount.ts';
import type { Database } from '../../sqlite/database.ts';
import type { WorkRow } from './work-row.ts';

/** A payment that the page can make with one of the sandbox's controls: what it needs, filled in. */
interface Payment {
  readonly action: 'pay' | 'deposit';
  /** Whether it must be exactly this sum. */
  readonly isExact: boolean;
  readonly input: Readonly<Record<string, string>>;
}

interface Payable {
  readonly number: string;
  readonly minor: bigint;
  readonly name: string | null;
}

/** The payment that a piece of work waits for: the total of an onramp, the tokens of a bridge transaction. Undefined if it waits for none. */
export function paymentOfWork(store: Database, { kind, state, subject }: WorkRow): Payment | undefined {
  if (kind === 'onramp' && (state === 'requested' || state === 'pending')) return paymentOfOnramp(store, subject);
  if (kind === 'bridge' && state === 'initiated') return tokensOfBridge(store, subject);
  return undefined;
}

function paymentOfOnramp(store: Database, subject: bigint): Payment | undefined {
  const due = store.get<Payable>(
    `SELECT number, base_kobo + platform_fee_kobo + fintech_fee_kobo AS minor, concat_ws(' ', first_name, middle_name, last_name) AS name
     FROM onramp o JOIN virtual_account ON virtual_account.onramp = o.id JOIN user ON user.id = o.user WHERE o.id = ?`,
    subject,
  );
  return due && payment(due.number, due.minor, due.name, true);
}

function tokensOfBridge(store: Database, subject: bigint): Payment | undefined {
  const due = store.get<{ address: string; asset: Asset; minor: bigint; network: string; sender: string }>(
    `SELECT receivable_address AS address, asset, amount_base AS minor, from_network AS network, from_address AS sender
     FROM bridge WHERE id = ?`,
    subject,
  );
  if (!due) return undefined;
  const { address, asset, minor, network, sender: from } = due;
  const input = { address, asset, amount: amountText(amount(asset, minor)), network, from };
  return { action: 'deposit', isExact: false, input };
}

/** What is filled in for a user's own account, which takes any sum. */
const ANY_KOBO = 500_000n;

/** A payment into the account of a user; undefined if there is none. */
export function paymentOfUser(store: Database, { id }: { readonly id: bigint }): Payment | undefined {
  const of = store.get<Omit<Payable, 'minor'>>(
    `SELECT number, concat_ws(' ', first_name, middle_name, last_name) AS name FROM virtual_account JOIN user ON user.id = virtual_account.user
     WHERE user.id = ? AND virtual_account.kind = 'user_permanent' ORDER BY virtual_account.id DESC LIMIT 1`,
    id,
  );
  return of && payment(of.number, ANY_KOBO, of.name, false);
}

const payment = (accountNumber: string, kobo: bigint, name: string | null, isExact: boolean): Payment => ({
  ...{ action: 'pay', isExact },
  input: { accountNumber, amount: amountText(amount('NGN', kobo)), senderName: name ?? '' },
});
