import type { Hint } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Parameter } from './parameters.ts';

/** How a parameter is typed: `<user-id>` for an argument, `--amount <naira>` for an option. */
export const typedForm = ({ kind, name }: Pick<Parameter<unknown>, 'kind' | 'name'>): string =>
  kind === 'argument' ? `<${name}>` : name;

/** What follows the values that are missing: what was expected, and what to type. */
interface Expectation {
  /** A phrase, such as `user id, from users list`. */
  readonly expected?: string | undefined;
  readonly hint: Hint;
}

/**
 * The one error for values that a command needs and was not given, such as `missing <user-id>, --amount <naira>`. `forms` are
 * written as they are typed; alternatives are one form: `<address> or --index <n>`.
 */
export function missingError(forms: readonly string[], { expected, hint }: Expectation): CliError {
  const what = `missing ${forms.join(', ')}`;
  return new CliError('usage', expected ? `${what}: ${expected}` : what, { code: 'VALIDATION_ERROR', hint });
}

/** The error for parameters of a command without values; the text of a single one says what was expected. */
export function missingParameters(
  parameters: readonly Pick<Parameter<unknown>, 'kind' | 'name' | 'help'>[],
  hint: Hint,
): CliError {
  const [only, ...others] = parameters;
  // The rest of the text says what happens without the option, or what else it takes.
  const expected = others.length === 0 ? only?.help.split(/; |\. |\n/)[0] : undefined;
  return missingError(parameters.map(typedForm), { expected, hint });
}
