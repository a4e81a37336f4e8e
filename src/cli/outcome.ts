import type { CliError } from '../base/errors.ts';
import type { Result } from '../present/result.ts';

/** The outcome of a command: data to print, and an error to exit with after printing it. */
export interface Outcome {
  readonly result?: Result;
  /** Printed whole: --fields and --query do not apply. */
  readonly isWhole?: boolean;
  readonly error?: CliError;
}
