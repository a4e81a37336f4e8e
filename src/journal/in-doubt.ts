import type { OperationState } from './states.ts';

/** What was done to find an unknown outcome so far. */
export interface SearchState {
  /** When a complete read of the service's list first did not have it, in milliseconds since the epoch by the service's time. */
  readonly unseenSinceMs?: number;
  /** When it was sent again under its idempotency key, by the journal's time. */
  readonly repeatedAtMs?: number;
  /** The id that the service then gave, which is the work of another operation. */
  readonly repeatedAs?: string;
}

const NAMES = ['unseenSinceMs', 'repeatedAtMs', 'repeatedAs'] as const satisfies readonly (keyof SearchState)[];

/** Whether the outcome of an operation is unknown. */
export const isInDoubt = ({ state }: { readonly state: OperationState }): boolean =>
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
