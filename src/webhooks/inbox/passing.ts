import { DatabaseError } from '../../sqlite/errors.ts';

const PASSING: readonly string[] = ['full', 'busy', 'unwritable'];

/** Returns why an inbox cannot be written for a while, such as a full disk. Throws any other error again. */
export function passingProblemOf(error: unknown): string {
  if (error instanceof DatabaseError && PASSING.includes(error.problem)) return error.problem;
  throw error;
}
