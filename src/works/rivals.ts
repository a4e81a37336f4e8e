import type { Session } from '../cli/session.ts';
import type { Operation } from '../journal/journal.ts';
import { parseExactJson } from '../money/decimal.ts';
import type { Candidate, Sought, Work } from './work.ts';

/** A row's time may differ from the request's by the error of two clocks within the same network. */
const CLOCK_ERROR_MS = 2_000;

/** The most operations in doubt that are compared with each other. */
const MAX_RIVALS = 100;

/** Returns what to look for in order to find an operation's work. */
export function soughtOf({ request, tag, createdAt }: Operation): Sought {
  return {
    request: parseExactJson(request) as Record<string, unknown>,
    tag: tag ?? undefined,
    sinceMs: Date.parse(createdAt),
  };
}

/** Whether a row was created while its command may have been at work on the operation. */
export function isOfItsTime({ createdAt: rowTime }: Candidate, { createdAt, busyUntil, mode }: Operation): boolean {
  const atMs = Date.parse(rowTime ?? '');
  // The clock of a sandbox may be ahead of ours. An operation of an older version does not say how long its command waited.
  const untilMs = mode !== 'live' || busyUntil === 0 ? Infinity : busyUntil;
  return atMs >= Date.parse(createdAt) - CLOCK_ERROR_MS && atMs <= untilMs + CLOCK_ERROR_MS;
}

/**
 * Whether a row may as well be the work of another operation in doubt. Of two equal requests, it does not matter which one
 * gets the row.
 */
export async function mayBeAnothers(
  session: Session,
  { starts }: Work,
  operation: Operation,
  row: Candidate,
  candidatesOf: (other: Operation) => Promise<readonly Candidate[]>,
): Promise<boolean> {
  const { operationId, request } = operation;
  const journal = await session.journal();
  const account = await journal.accountIds(await session.accountNames());
  const inDoubt = await journal.list({ account, state: 'in-doubt', limit: MAX_RIVALS });
  for (const other of inDoubt) {
    const isRival = other.operationId !== operationId && starts.some(({ id }) => id === other.endpoint);
    if (!isRival || other.request === request || !isOfItsTime(row, other)) continue;
    if ((await candidatesOf(other)).some(({ requestId }) => requestId === row.requestId)) return true;
  }
  return false;
}
