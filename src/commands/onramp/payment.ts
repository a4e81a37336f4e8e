import { CliError } from '../../base/errors.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { type onrampStatus, startOnramp } from '../../contract/endpoints/onramp.ts';
import { getVirtualAccount } from '../../contract/endpoints/virtual-accounts.ts';
import { type Following, interruptedWait } from '../../engine/operations/follow.ts';
import { onramp } from '../../engine/operations/onramps.ts';
import { followWork, printedWork, startedOutcome } from '../../engine/operations/started.ts';
import type { Outcome } from '../../engine/outcome.ts';
import { PREVIEW_READ } from '../../engine/previews.ts';
import { amountForPeople, fromWire } from '../../money/amount.ts';
import { timeText } from '../../present/times.ts';
import { printLines } from '../../terminal/ask/confirm.ts';
import type { Session } from '../../terminal/session.ts';

const MINUTE_MS = 60_000;
/** The 30 minutes in which the account can be paid, plus time to process the payment. */
export const PAYMENT_WAIT_MS = 40 * MINUTE_MS;

type Shows = Following<typeof onrampStatus>['shows'];

/** Shows the account to pay for an onramp that was just started, and waits for the payment. */
export async function awaitPayment(session: Session, own: Outcome, waitMs: number): Promise<Outcome> {
  const requestId = session.activity.changed?.requestId;
  if (requestId === undefined) return own;
  const { world } = session;
  // The account opens after the reply, so it expires slightly later than this counts.
  const sinceMs = world.clock.now();
  const account = await accountToPay(session, requestId);
  if (account) await sayWhatToPay(session, account);
  const shown = account && { shows: countdown(session, account, sinceMs) };
  const ended = await followWork(session, onramp, requestId, waitMs, shown);
  return startedOutcome(session, printedWork(onramp, startOnramp), own, ended);
}

/** Says what to pay, also with --quiet: without it, nobody can pay. */
export async function sayWhatToPay(session: Session, account: AccountToPay): Promise<void> {
  const { expiresAt } = account;
  const until = expiresAt && (timeText(expiresAt, { zone: session.globals.zone }) ?? expiresAt);
  await printLines(session.world, session.say, [
    ['pay exactly', totalOf(account)],
    ['account number', account.accountNumber],
    ['bank', account.bankName],
    ['account name', account.accountName],
    ...(until === undefined ? [] : [['until', until] as const]),
  ]);
}

/** The states in which the payment may be missing. */
const MAYBE_UNPAID: readonly unknown[] = ['requested', 'pending'];

/** While nothing was paid, says how to see what to pay: the amounts in a status exclude fees, and only the exact total is accepted. */
export async function sayWhereToPay(session: Session, { result }: Outcome): Promise<void> {
  const { requestId, status, wallet } = (result?.data ?? {}) as Partial<ResponseOf<typeof onrampStatus>>;
  const isClosed = ['used', 'expired'].includes(wallet?.virtualAccountStatus ?? '');
  if (requestId === undefined || !MAYBE_UNPAID.includes(status) || isClosed) return;
  await session.note(`these amounts exclude fees; show what to pay with: fiatrail onramp account ${requestId}`);
}

type AccountToPay = ResponseOf<typeof getVirtualAccount>['virtualAccount'] & { readonly expiresAt: string | undefined };

/** Polling of the account: about 30 seconds in total, within the rate limit. */
const FIRST_PAUSE_MS = 150;
const PAUSE_GROWTH = 2;
const MAX_READS = 8;

/** Waits until the service has opened the account. If it cannot be read, says so and returns undefined; the onramp continues. */
export async function accountToPay(session: Session, requestId: string): Promise<AccountToPay | undefined> {
  const { clock, interrupted } = session.world;
  const leave = () =>
    interruptedWait(
      session,
      { again: `fiatrail onramp status ${requestId} --wait` },
      'before the account could be shown',
    );
  let pauseMs = FIRST_PAUSE_MS;
  for (let read = 1; ; read++, pauseMs *= PAUSE_GROWTH) {
    try {
      const { data } = await session.call(getVirtualAccount, { requestId }, PREVIEW_READ);
      return { ...data.virtualAccount, expiresAt: data.expiresAt ?? undefined };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      if (error.category === 'interrupted') throw leave();
      if (error.httpStatus !== 404 || read === MAX_READS) {
        const again = `fiatrail onramp account ${requestId}`;
        await session.say(`the account to pay could not be read: ${error.message}; show it with: ${again}`);
        return undefined;
      }
    }
    await clock.sleep(pauseMs, interrupted).catch(() => {
      throw leave();
    });
  }
}

function totalOf({ totalAmountWithFee }: AccountToPay): string {
  const total = fromWire(totalAmountWithFee, 'naira', 'NGN');
  return total ? amountForPeople(total) : 'the total shown by the service';
}

/**
 * Returns the progress text: `pay ₦5,100.00 to 7549681956 (Harmattan Pay…) within 29:43` until the payment arrives. The
 * service's clock may differ from ours, so the account's lifetime is counted down; per minute if each text is a new line.
 */
function countdown(session: Session, account: AccountToPay, sinceMs: number): NonNullable<Shows> {
  const { clock, stderr } = session.world;
  const spanMs = Date.parse(account.expiresAt ?? '') - Date.parse(account.createdAt ?? '');
  const within = (isLive: boolean) => {
    if (Number.isNaN(spanMs)) return '';
    const leftMs = Math.max(0, sinceMs + spanMs - clock.now());
    if (!isLive) return ` within ${Math.ceil(leftMs / MINUTE_MS)} min`;
    const seconds = Math.floor(leftMs / 1000);
    return ` within ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  };
  return (state, isLive) => {
    if (!MAYBE_UNPAID.includes(state)) return undefined;
    const [before, after] = [`pay ${totalOf(account)} to ${account.accountNumber} (`, `)${within(isLive)}`];
    const width = (stderr.columns ?? 80) - before.length - after.length - 1;
    return `${before}${isLive ? shortened(account.accountName, width) : account.accountName}${after}`;
  };
}

function shortened(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}
