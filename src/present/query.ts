import { CliError } from '../base/errors.ts';
import { type Plain, toPlain } from './plain.ts';

/** Throws CliError (usage) when `expression` is no JMESPath. */
export async function checkQuery(expression: string): Promise<void> {
  const { compile } = await import('@jmespath-community/jmespath');
  named(() => compile(expression));
}

/** What the JMESPath `expression` finds in a document. Throws CliError (usage) naming what is wrong with it. */
export async function runQuery(document: Plain, expression: string): Promise<Plain> {
  const { search } = await import('@jmespath-community/jmespath');
  // The package's type of JSON has mutable arrays; it changes none.
  return toPlain(named(() => search(document as Parameters<typeof search>[0], expression)));
}

function named<T>(run: () => T): T {
  try {
    return run();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError('usage', `--query is no usable JMESPath: ${why}`, {
      hint: "a name, a path or a filter, such as: --query 'users[?isActive].userId'",
      cause,
    });
  }
}
