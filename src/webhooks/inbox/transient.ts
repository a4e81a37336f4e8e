import { DatabaseError } from '../../sqlite/errors.ts';

const TRANSIENT: readonly string[] = ['full', 'busy', 'unwritable'];

/** Returns why an inbox cannot be written for a while, such as a full disk. Throws any other error again. */
export function transientProblemOf(error: unknown): string {
  if (error instanceof DatabaseError && TRANSIENT.includes(error.problem)) return error.problem;
  throw error;
}
