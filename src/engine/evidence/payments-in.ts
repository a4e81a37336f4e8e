import { CliError } from '../../base/errors.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { listDeposits } from '../../contract/endpoints/history.ts';
import type { onrampStatus } from '../../contract/endpoints/onramp.ts';
import { getVirtualAccount } from '../../contract/endpoints/virtual-accounts.ts';
import { type Amount, amountForPeople, fromWire } from '../../money/amount.ts';
import { userDeposit } from '../../things/deposits.ts';
import { isAccountClosed, onramp, waitsForPayment } from '../../things/onramp.ts';
import { outcomeIn } from '../../things/states.ts';
import type { Account, AccountCallOptions } from '../account.ts';
import { PREVIEW_READ } from '../previews/previews.ts';
import type { Meanwhile } from './follow.ts';

/** How often the deposits are read: soon enough to be useful, and far below their rate limit. */
const PACE_MS = 5_000;
/** The clock of the service may be behind ours by this much. */
const SKEW_MS = 5 * 60_000;
const PAGE_ROWS = 100;

type Deposit = NonNullable<ResponseOf<typeof listDeposits>['deposits']>[number];

interface Due {
  readonly accountNumber: string;
  readonly total: Amount;
  readonly sinceMs: number;
  readonly expiresAtMs: number;
}

/**
 * Watches the account of an onramp that waits for its payment, and reports each payment that the service will refund: of a wrong
 * amount, too late, or refused. The status of the onramp does not show them. Source: interface (deposit rule 2), inferred (an
 * account that is used or expired accepts no other payment).
 */
export function watchPaymentsIn(account: Account, requestId: string) {
  const { clock } = account.world;
  const reported = new Set<string>();
  let due: Due | undefined;
  let nextMs = 0;
  let wasHopeless = false;
  return async (data: ResponseOf<typeof onrampStatus>, leftMs: number): Promise<Meanwhile> => {
    const isOver = outcomeIn(onramp, data.status ?? '') === 'failed';
    const isAwaited = waitsForPayment(data);
    if (!isOver && (!isAwaited || clock.now() < nextMs)) return { notes: [] };
    const read = { totalMs: Math.min(PREVIEW_READ.totalMs, leftMs) };
    try {
      // An account that has expired can no longer be read.
      due ??= isOver ? undefined : await dueFor(account, requestId, read);
      if (!due) return { notes: [] };
      const { paid, isComplete } = await paymentsInto(account, due, read);
      const wrong = paid.flatMap((each) => wrongPayment(each, due as Due) ?? []);
      const fresh = wrong.filter(({ id }) => !reported.has(id));
      for (const { id } of fresh) reported.add(id);
      const isHopeless = isAccountClosed(data) && isComplete && paid.length > 0 && wrong.length === paid.length;
      // The payment that closed the account may show later in the list than in the status.
      const isSure = isHopeless && wasHopeless;
      wasHopeless = isHopeless;
      return {
        notes: fresh.map(({ says }) => `warning: ${says}`),
        ...(isAwaited && isSure ? { end: 'no valid payment arrived, and its account accepts no more' } : {}),
      };
    } catch (error) {
      if (error instanceof CliError) return { notes: [] };
      throw error;
    } finally {
      // From its end, so that a list that takes long does not keep the status from being read.
      nextMs = clock.now() + PACE_MS;
    }
  };
}

async function dueFor(account: Account, requestId: string, read: AccountCallOptions): Promise<Due | undefined> {
  const { data } = await account.call(getVirtualAccount, { requestId }, read);
  const { accountNumber, totalAmountWithFee, createdAt } = data.virtualAccount;
  const total = fromWire(totalAmountWithFee, 'naira', 'NGN');
  const openedMs = Date.parse(createdAt ?? '');
  return (
    total && {
      accountNumber,
      total,
      expiresAtMs: Date.parse(data.expiresAt ?? ''),
      sinceMs:
        (Number.isNaN(openedMs) ? (account.time.service.nowMs() ?? account.world.clock.now()) : openedMs) - SKEW_MS,
    }
  );
}

async function paymentsInto(account: Account, { accountNumber, sinceMs }: Due, read: AccountCallOptions) {
  const request = { type: 'user_onramp', startDate: new Date(sinceMs).toISOString(), limit: PAGE_ROWS } as const;
  const { data } = await account.call(listDeposits, request, read);
  const all = data.deposits ?? [];
  const paid = all.filter(({ virtualAccountNumber }) => virtualAccountNumber === accountNumber);
  return { paid, isComplete: all.length < PAGE_ROWS };
}

/** Returns what is wrong with a payment; undefined if it is right, or if the service does not say what was paid. */
function wrongPayment(deposit: Deposit, due: Due): { id: string; says: string } | undefined {
  const paid = deposit.amount == null ? undefined : fromWire(deposit.amount, 'naira', 'NGN');
  if (!paid) return undefined;
  const { id, transactionReference, createdAt, depositor, status } = deposit;
  const says = wrongPaymentText({ paid, status, createdAt, sender: depositor?.name }, due);
  return says === undefined ? undefined : { id: id ?? transactionReference ?? says, says };
}

/** A payment that arrived. */
interface PaymentIn {
  readonly paid: Amount;
  readonly status: string | null | undefined;
  readonly createdAt: string | null | undefined;
  readonly sender: string | null | undefined;
}

/** Says what is wrong with a payment, and what becomes of it; undefined if it is right. */
export function wrongPaymentText(
  { paid, status, createdAt, sender }: PaymentIn,
  { total, expiresAtMs, paidAtMs = Infinity }: Pick<Due, 'total' | 'expiresAtMs'> & { readonly paidAtMs?: number },
): string | undefined {
  // What the service took is right, even if its amount is meant without fees.
  const outcome = outcomeIn(userDeposit, status ?? '');
  if (outcome === 'settled') return undefined;
  const why = () => {
    if (paid.minor !== total.minor) return `but exactly ${amountForPeople(total)} is due`;
    if (Date.parse(createdAt ?? '') > paidAtMs) return 'but the account was paid before';
    if (Date.parse(createdAt ?? '') >= expiresAtMs) return 'but too late';
    if (outcome !== 'failed') return undefined;
    return `but the service rejected it (status: ${status}); the sender's name may not be the user's`;
  };
  const reason = why();
  if (reason === undefined) return undefined;
  return `${amountForPeople(paid)}${sender ? ` from ${sender}` : ''} arrived, ${reason}; the service refunds it`;
}
