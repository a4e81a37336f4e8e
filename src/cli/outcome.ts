import type { CliError } from '../base/errors.ts';
import type { Result } from '../present/result.ts';

/** What a command leaves behind: data to print, and the error to end with when the data tells of one. */
export interface Outcome {
  readonly result?: Result;
  /** --fields and --query choose from an answer, and this is none. */
  readonly isWhole?: boolean;
  readonly error?: CliError;
}
