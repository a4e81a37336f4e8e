import { CliError } from '../base/errors.ts';
import type { Check } from '../base/world.ts';
import type { Command, Guided } from './command.ts';
import type { Parameter } from './parameters.ts';
import type { Session } from './session.ts';

type Given = string | boolean | readonly string[] | undefined;

/** The values of a command's parameters, and what its wizard has more to do. */
interface Read {
  readonly input: Record<string, unknown>;
  readonly guided: Guided | undefined;
}

/**
 * Reads what was given. What is missing is asked for on a terminal, by the command's wizard where it has one; `announce`
 * comes before the first question. Throws CliError usage.
 */
export async function readInput(
  command: Command,
  texts: Readonly<Record<string, Given>>,
  session: Session,
  announce: () => Promise<void>,
): Promise<Read> {
  const entries = Object.entries(command.parameters);
  const missing = entries.filter(([key, { required }]) => required && texts[key] === undefined);
  const input: Record<string, unknown> = {};
  // What was given is read first: a wrong value is said before anything is asked, or missed that it swallowed.
  for (const [key, parameter] of entries)
    if (!missing.some(([name]) => name === key)) input[key] = readValue(parameter, texts[key]);
  if (missing.length > 0 && !session.isInteractive) {
    const names = missing.map(([, parameter]) => written(parameter)).join(', ');
    throw new CliError('usage', `${missing.length === 1 ? 'this is' : 'these are'} missing: ${names}`, {
      code: 'MISSING_INPUT',
      hint: `for example: ${command.examples[0]}`,
    });
  }
  await announce();
  const guided = session.isInteractive ? await command.guide?.(session, input as never) : undefined;
  Object.assign(input, guided?.values);
  for (const [key, parameter] of missing)
    input[key] ??= await askFor({ question: parameter.name, ...parameter }, session);
  return { input, guided };
}

function written({ kind, name }: Parameter<unknown>): string {
  return kind === 'argument' ? `<${name}>` : name;
}

function readValue(parameter: Parameter<unknown>, given: Given): unknown {
  if (given === undefined) return undefined;
  const inContext = (text: string | undefined) => {
    try {
      return parameter.parse(text);
    } catch (error) {
      throw error instanceof CliError ? named(error, parameter) : error;
    }
  };
  if (Array.isArray(given))
    return (given as readonly string[]).flatMap((text) => inContext(text) as readonly unknown[]);
  return inContext(typeof given === 'string' ? given : undefined);
}

/** The same error, with the parameter it is about. */
function named(error: CliError, parameter: Parameter<unknown>): CliError {
  const flag =
    parameter.kind === 'argument' ? parameter.name : (/--[\w-]+/.exec(parameter.name)?.[0] ?? parameter.name);
  return new CliError(error.category, `${flag}: ${error.message}`, {
    code: error.code,
    hint: error.hint,
    cause: error,
  });
}

/** What a prompt says of an answer: the same that is said of a flag. */
function checkOf(parse: (text: string) => unknown): Check {
  return (text) => {
    try {
      parse(text.trim());
      return true;
    } catch (error) {
      const hint = error instanceof CliError && error.hint ? `; ${error.hint}` : '';
      return error instanceof Error ? error.message + hint : 'try again';
    }
  };
}

/** A value to ask for: its parameter's words and check; an empty answer means `preset`, where there is one. */
interface Asking<T> extends Pick<Parameter<T>, 'question' | 'isSecret'> {
  readonly preset?: string | undefined;
  parse(text: string): T;
}

/** Asks for one value; blanks around an answer count for nothing. */
export async function askFor<T>({ parse, question = '', isSecret, preset }: Asking<T>, session: Session): Promise<T> {
  const prompter = await session.world.prompter();
  const check = checkOf(parse);
  const text = isSecret ? await prompter.secret(question, check) : await prompter.text(question, check, preset);
  return parse(text.trim());
}
