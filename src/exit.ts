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

/** The one error the program prints. `message` says what is wrong, `hint` what to type instead. Neither may hold a secret. */
export class CliError extends Error {
  override name = 'CliError';
  readonly category: Category;
  readonly code: string;
  readonly hint: string | undefined;
  readonly httpStatus: number | undefined;
  readonly responseCode: string | undefined;
  readonly operationId: string | undefined;

  constructor(
    category: Category,
    message: string,
    details: {
      code?: string;
      hint?: string | undefined;
      httpStatus?: number | undefined;
      responseCode?: string | undefined;
      operationId?: string | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.category = category;
    this.code = details.code ?? category.toUpperCase().replace('-', '_');
    this.hint = details.hint;
    this.httpStatus = details.httpStatus;
    this.responseCode = details.responseCode;
    this.operationId = details.operationId;
  }
}
