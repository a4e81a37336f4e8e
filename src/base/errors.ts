/**
 * Every error has one category; the category decides the exit code and whether trying again can help.
 * One table, shown in docs/exit-codes.md. Source: the command line's conventions.
 */
export const CATEGORIES = {
  internal: { exit: 1, retryable: false },
  usage: { exit: 2, retryable: false },
  refused: { exit: 3, retryable: false },
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

/** What an error may say besides what is wrong. */
interface ErrorDetails {
  readonly code?: string;
  readonly hint?: string | undefined;
  readonly httpStatus?: number | undefined;
  readonly responseCode?: string | undefined;
  readonly operationId?: string | undefined;
  readonly cause?: unknown;
}

/** The one error the program prints. `message` says what is wrong, `hint` what to type instead. Neither may hold a secret. */
export class CliError extends Error {
  override name = 'CliError';
  readonly category: Category;
  readonly code: string;
  readonly hint: string | undefined;
  readonly httpStatus: number | undefined;
  readonly responseCode: string | undefined;
  readonly operationId: string | undefined;

  constructor(category: Category, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.category = category;
    this.code = details.code ?? category.toUpperCase().replace('-', '_');
    this.hint = details.hint;
    this.httpStatus = details.httpStatus;
    this.responseCode = details.responseCode;
    this.operationId = details.operationId;
  }
}

/** An error as it is to be told where more is known: it keeps what is not given anew, and is the cause. */
export function withDetails(
  error: CliError,
  {
    category = error.category,
    message = error.message,
    ...more
  }: ErrorDetails & { category?: Category; message?: string },
): CliError {
  return new CliError(category, message, { ...error, cause: error, ...more });
}

/** What `act` gives, or the error that it is refused with; any other error passes. */
export function attempt<T>(act: () => T): T | CliError {
  try {
    return act();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

/** What `act` gives; undefined where it is refused. Any other error passes. */
export function orUndefined<T>(act: () => T): T | undefined {
  const found = attempt(act);
  return found instanceof CliError ? undefined : found;
}
