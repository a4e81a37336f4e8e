import type { Contradiction } from '../base/errors.ts';

/**
 * `prepared`: recorded, not sent. `sent`: sent, or about to be. `accepted`: the service took it. `settled`, `failed`: how the work
 * ended. `refused`: the service rejected it, or it was never sent. `unknown`: sent, without a usable response.
 * `resolved`: ended by a verdict (see `Verdict`) instead of a response.
 */
export type OperationState = keyof typeof NEXT;

/** The states that may follow each state. A state is never left backwards, and never overwritten. */
export const NEXT = {
  prepared: ['sent', 'rejected'],
  // Again: the service said that nothing was done, and how long to wait.
  sent: ['sent', 'accepted', 'settled', 'failed', 'rejected', 'unknown', 'resolved'],
  // Unknown again: someone looked and did not find it. Sent again: under the service's idempotency key.
  unknown: ['unknown', 'sent', 'accepted', 'settled', 'failed', 'rejected', 'resolved'],
  accepted: ['settled', 'failed', 'resolved'],
  // A bank may return money after it confirmed the payment.
  settled: ['failed'],
  failed: [],
  rejected: [],
  resolved: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** How a resolved operation ended: the money moved, it did not, or the sandbox that knew was deleted. */
export type Verdict = 'completed' | 'not-done' | 'destroyed';

/** Whether a state may follow another one. */
export function mayFollow(from: OperationState, to: OperationState): boolean {
  return (NEXT[from] as readonly OperationState[]).includes(to);
}

/** What an operation does: moves money, does something that cannot be undone, or onboards a user. */
export type OperationKind = 'money' | 'destructive' | 'onboarding';

/** What was done to find an unknown outcome so far. */
export interface SearchState {
  /** When a complete read of the service's list first did not have it, in milliseconds since the epoch by the service's time. */
  readonly unseenSinceMs?: number;
  /** When it was sent again under its idempotency key, by the journal's time. */
  readonly repeatedAtMs?: number;
  /** What the response said in place of what was asked: the service accepted the request, and what it did is unknown until a person decides. */
  readonly contradiction?: Contradiction;
}

const NAMES = ['unseenSinceMs', 'repeatedAtMs', 'contradiction'] as const satisfies readonly (keyof SearchState)[];

/** Writes it as the column that `resultIn` reads. */
export const searchResult = (state: SearchState): string => JSON.stringify(state);

/** Whether the outcome of an operation is unknown. */
export const isOutcomeUnknown = ({ state }: { readonly state: OperationState }): boolean =>
  state === 'sent' || state === 'unknown';

/**
 * Splits the column `result`, which has what was done to find an unknown outcome until it has the service's data. Only this function reads the
 * column, so that nobody takes the one for the other.
 */
export function resultIn(column: string | null): { readonly result: string | null; readonly searchState: SearchState } {
  if (column === null || !NAMES.some((name) => column.startsWith(`{"${name}":`)))
    return { result: column, searchState: {} };
  return { result: null, searchState: JSON.parse(column) as SearchState };
}
