import { CliError } from '../base/errors.ts';
import { type Plain, toPlain } from './plain.ts';

/** Throws CliError usage if `expression` is not valid JMESPath. */
export async function checkQuery(expression: string): Promise<void> {
  const { compile } = await import('@jmespath-community/jmespath');
  withUsageError(() => compile(expression));
}

/** Evaluates a JMESPath `expression` on a document. Throws CliError usage if it is invalid. */
export async function runQuery(document: Plain, expression: string): Promise<Plain> {
  const { search } = await import('@jmespath-community/jmespath');
  // The package's JSON type has mutable arrays, but search does not modify its input.
  return toPlain(withUsageError(() => search(document as Parameters<typeof search>[0], expression)));
}

function withUsageError<T>(run: () => T): T {
  try {
    return run();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError('usage', `invalid JMESPath in --query: ${reason}`, {
      hint: "use a name, a path or a filter, such as: --query 'users[?isActive].userId'",
      cause,
    });
  }
}
