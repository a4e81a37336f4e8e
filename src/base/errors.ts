import { type Advice, type AdvisedCommand, commandsOf, type Hint, withCommands } from './advice.ts';

/**
 * Error categories. The category of an error decides its exit code and whether a retry can help.
 * docs/errors.md shows this table. Source: the command line's conventions.
 */
export const CATEGORIES = {
  internal: { exit: 1, retryable: false },
  usage: { exit: 2, retryable: false },
  rejected: { exit: 3, retryable: false },
  failed: { exit: 3, retryable: false },
  auth: { exit: 4, retryable: false },
  network: { exit: 5, retryable: true },
  unknown: { exit: 6, retryable: false },
  'rate-limited': { exit: 7, retryable: true },
  pending: { exit: 8, retryable: false },
  declined: { exit: 9, retryable: false },
  interrupted: { exit: 130, retryable: false },
} as const;

export type Category = keyof typeof CATEGORIES;

/** A condition under which the service refuses a request. */
interface RefusalCondition {
  readonly name: string;
  readonly when: string;
  readonly remedy: Hint;
}

/** What was asked, and what a response says in its place. */
export interface Contradiction {
  readonly asked: string;
  readonly answered: string;
  /** The service's id of what the response is about. */
  readonly requestId?: string | undefined;
}

/** Says what is uncertain about a change that was accepted. */
export const contradictedText = ({ asked, answered }: Contradiction): string =>
  `the service accepted the request, but its response contradicts it: asked for ${asked}; the response says ${answered}`;

/** Optional details of an error. */
interface ErrorDetails {
  readonly code?: string;
  readonly hint?: Hint | undefined;
  /** The command lines of a hint that is only its text. */
  readonly commands?: readonly AdvisedCommand[];
  readonly httpStatus?: number | undefined;
  readonly responseCode?: string | undefined;
  /** Of a refusal that several conditions fit: those conditions. */
  readonly candidates?: readonly RefusalCondition[];
  /** Of a response that is not the answer to the request. */
  readonly contradiction?: Contradiction | undefined;
  readonly operationId?: string | undefined;
  readonly cause?: unknown;
}

/**
 * What a command ends with, and what each call of `fiatrail/client` that fails rejects with, as `FiatrailError`. `message` says what is
 * wrong, `hint` what to do. Neither may contain a secret.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import { FiatrailError } from 'fiatrail/client';
 * import { startSandbox } from 'fiatrail/sandbox';
 *
 * await using sandbox = await startSandbox();
 * await sandbox.control.faultAdd({ endpoint: 'transactions.onramp', kind: 'lost-response' });
 * try {
 *   await sandbox.client.call('transactions.onramp', { userId: 'u-1', amount: { value: '5000', asset: 'NGN' } });
 * } catch (error) {
 *   if (!(error instanceof FiatrailError)) throw error;
 *   // The change may have been made: do not send it again until you know.
 *   assert.equal(error.category, 'unknown');
 * }
 * ```
 */
export class CliError extends Error {
  override name = 'CliError';
  /** What kind of failure it is, which decides what to do. */
  readonly category: Category;
  /** Its code, such as `NO_LIQUIDITY`. */
  readonly code: string;
  /** What to do, in words for a person. */
  readonly hint: string | undefined;
  /** The command lines in the hint. */
  readonly commands: readonly AdvisedCommand[];
  /** The HTTP status of the response, if there was one. */
  readonly httpStatus: number | undefined;
  /** The service's own code, from the body of the response. */
  readonly responseCode: string | undefined;
  /** The conditions that may be why the service rejected the request, if it does not say which one. */
  readonly candidates: readonly RefusalCondition[];
  /** What was asked and what the response says, if the response contradicts the request. */
  readonly contradiction: Contradiction | undefined;
  /** The id of the operation in the journal, if the command line recorded one. */
  readonly operationId: string | undefined;

  constructor(category: Category, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.category = category;
    this.code = details.code ?? category.toUpperCase().replace('-', '_');
    this.hint = details.hint === undefined ? undefined : String(details.hint);
    this.commands = details.commands ?? commandsOf(details.hint);
    this.httpStatus = details.httpStatus;
    this.responseCode = details.responseCode;
    this.candidates = details.candidates ?? [];
    this.contradiction = details.contradiction;
    this.operationId = details.operationId;
  }
}

/** Returns the hint of an error with its command lines, to make another one of. */
export const hintOf = ({ hint, commands }: CliError): Advice | undefined =>
  hint === undefined ? undefined : withCommands(hint, commands);

/** Ends a prompt whose reader wants to answer the previous question again. */
export class StepBack extends Error {}

/** Returns a copy of an error with some details replaced; the original becomes its cause. */
export function withDetails(
  error: CliError,
  {
    category = error.category,
    message = error.message,
    ...more
  }: ErrorDetails & { category?: Category; message?: string },
): CliError {
  // The command lines are those of the hint.
  const commands = !('hint' in more) || more.hint === error.hint ? error.commands : commandsOf(more.hint);
  return new CliError(category, message, { ...error, cause: error, ...more, commands });
}

/** Returns the result of `act`, or the CliError that it throws. Other errors are rethrown. */
export function attempt<T>(act: () => T): T | CliError {
  try {
    return act();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

/** Returns the result of `act`, or undefined if it throws a CliError. Other errors are rethrown. */
export function orUndefined<T>(act: () => T): T | undefined {
  const result = attempt(act);
  return result instanceof CliError ? undefined : result;
}

/** Returns what a text says as JSON, or undefined if it is none. Its numbers must be such that their rounding does no harm. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The reason of a request that had to leave earlier. */
export const TOO_LATE = 'this process was suspended, and its time to send the request has passed';

/** Thrown when an exchange gets no response. */
export class ExchangeError extends Error {
  override name = 'ExchangeError';
  /** False only if it is certain that no byte of the request was sent. */
  readonly sent: boolean;

  constructor(message: string, sent: boolean, cause?: unknown) {
    super(message, { cause });
    this.sent = sent;
  }
}

/** Leaves out what a read that may fail did not return. Throws CliError interrupted. */
export function unread(error: unknown): undefined {
  if (error instanceof CliError && error.category === 'interrupted') throw error;
}
