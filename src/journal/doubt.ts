import type { Operation } from './operations.ts';

/** What was done to end a doubt, as the operation's `result` has it until there is one. */
export interface Looks {
  /** When a complete read of the service's list first did not have it, in milliseconds since the epoch by the service's time. */
  readonly unseenSinceMs?: number;
  /** When it was sent again under its idempotency key, by the journal's time. */
  readonly repeatedAtMs?: number;
  /** The id that the service then gave, which is the work of another operation. */
  readonly repeatedAs?: string;
}

/** Whether the outcome of an operation is unknown. */
export const isInDoubt = ({ state }: Pick<Operation, 'state'>): boolean => state === 'sent' || state === 'unknown';

/** Returns what was done to end a doubt so far. */
export function looksIn(operation: Pick<Operation, 'state' | 'result'>): Looks {
  return isInDoubt(operation) && operation.result !== null ? (JSON.parse(operation.result) as Looks) : {};
}

/** When a complete read first did not have an operation in doubt, by the service's time. */
export const unseenSince = (operation: Pick<Operation, 'state' | 'result'>): number | undefined =>
  looksIn(operation).unseenSinceMs;
