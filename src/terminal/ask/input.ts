import { CliError, withDetails } from '../../base/errors.ts';
import type { Check } from '../../base/world.ts';
import { shellWord } from '../../present/text.ts';
import type { Command, Guided } from '../command.ts';
import type { Parameter, Picked } from '../parse/parameters.ts';
import type { Session } from '../session.ts';
import { inConversation } from './conversation.ts';

type RawText = string | boolean | readonly string[] | undefined;

/** The values of a command's parameters, and the result of its wizard. */
interface CommandInput {
  readonly input: Record<string, unknown>;
  readonly guided: Guided | undefined;
}

/**
 * Parses the given values and prompts for missing ones on a terminal, with the command's wizard if it has one. `announce` is
 * called before the first prompt. A plan is read by others, so all of it is typed (`mayAsk`). Throws CliError usage.
 */
export async function readInput(
  command: Command,
  texts: Readonly<Record<string, RawText>>,
  session: Session,
  mayAsk: boolean,
  announce: () => Promise<void>,
): Promise<CommandInput> {
  const isAsked = mayAsk && session.isInteractive;
  const entries = Object.entries(command.parameters);
  const missing = entries.filter(([key, { required }]) => required && texts[key] === undefined);
  const given: Record<string, unknown> = {};
  // Report bad values before prompting for missing ones: a bad value may have swallowed the missing one.
  for (const [key, parameter] of entries)
    if (!missing.some(([name]) => name === key)) given[key] = readValue(parameter, texts[key]);
  if (missing.length > 0 && !isAsked) {
    const names = missing.map(([, parameter]) => usageOf(parameter)).join(', ');
    throw new CliError('usage', `missing required input: ${names}`, {
      code: 'VALIDATION_ERROR',
      hint: `for example: ${command.examples[0]}`,
    });
  }
  await announce();
  if (!isAsked) return { input: given, guided: undefined };
  const lacking = (input: Record<string, unknown>) => {
    const also = command.asks?.(input as never, session) ?? [];
    return entries.filter(([key, { required }]) => input[key] === undefined && (required || also.includes(key)));
  };
  const isSeveral = command.guide !== undefined || lacking(given).length > 1;
  return inConversation(session, isSeveral, async (asking) => {
    const guided = await command.guide?.(asking, given as never);
    const input = { ...given, ...guided?.values };
    for (let [next] = lacking(input); next; [next] = lacking(input)) {
      const [key, parameter] = next;
      input[key] = await askForMissing({ question: parameter.name, ...parameter }, asking, command, input);
    }
    return { input, guided };
  });
}

/** Asks for a missing value: offers what there is, where that is known, and else takes a text. */
async function askForMissing(
  parameter: Parameter<unknown> & { readonly question: string },
  session: Session,
  { words: [group = ''] }: Pick<Command, 'words'>,
  input: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const { picks, values, question, parse } = parameter;
  const chosen = picks && (await (await import('./pick/index.ts')).pick(picks, question, session, group, input));
  if (chosen !== undefined) return parse(chosen);
  // There is nothing to choose from, but a person may know what it is.
  if (picks && question.endsWith('?'))
    return askFor({ ...parameter, question: `${question} Type its ${identityOf(picks)}:` }, session);
  const fitting = (text: string) => {
    const value = parse(text);
    parameter.fits?.(value, input);
    return value;
  };
  if (!values || parameter.isSecret) return askFor({ ...parameter, parse: fitting }, session);
  const isFitting = (value: string) => {
    try {
      fitting(value);
      return true;
    } catch (error) {
      if (error instanceof CliError) return false;
      throw error;
    }
  };
  const choices = values.filter(isFitting).map((value) => ({ name: value, value }));
  return parse(await (await session.world.prompter()).select(question, choices));
}

/** What a thing is named by. */
const identityOf = (picks: Picked) =>
  picks.includes('wallet') ? 'address' : /network|profile/.test(picks) ? 'name' : 'id';

/** Returns the flag or argument that a request field, or the object around it, comes from; the field itself if none does. */
export function inputName({ parameters, fields = {} }: Pick<Command, 'parameters' | 'fields'>, field: string): string {
  const parts = field.split('.');
  for (let end = parts.length; end > 0; end--) {
    const name = parts.slice(0, end).join('.');
    const key = Object.hasOwn(fields, name) ? (fields[name] ?? name) : name;
    const parameter = Object.hasOwn(parameters, key) ? parameters[key] : undefined;
    if (parameter) return flagOf(parameter);
  }
  return field;
}

/** `--to` for an option, `user-id` for an argument. */
function flagOf({ kind, name }: Parameter<unknown>): string {
  return kind === 'argument' ? name : (/--[\w-]+/.exec(name)?.[0] ?? name);
}

/** Returns a command line that gives these texts, as a shell would take it. */
export function commandLineOf(
  { words, parameters }: Pick<Command, 'words' | 'parameters'>,
  texts: Readonly<Record<string, unknown>>,
): string {
  const typed = Object.entries(parameters).flatMap(([key, parameter]) => {
    const text = texts[key];
    const values = [text].flat().filter((each) => each !== undefined && each !== false);
    if (parameter.kind === 'argument') return values.map(String);
    return values.flatMap((each) => (each === true ? [flagOf(parameter)] : [flagOf(parameter), String(each)]));
  });
  return ['fiatrail', ...words, ...typed.map(shellWord)].join(' ');
}

function usageOf({ kind, name }: Parameter<unknown>): string {
  return kind === 'argument' ? `<${name}>` : name;
}

function readValue(parameter: Parameter<unknown>, given: RawText): unknown {
  if (given === undefined) return undefined;
  const parse = (text: string | undefined) => {
    try {
      return parameter.parse(text);
    } catch (error) {
      throw error instanceof CliError ? withName(error, parameter) : error;
    }
  };
  if (Array.isArray(given)) return (given as readonly string[]).flatMap((text) => parse(text) as readonly unknown[]);
  return parse(typeof given === 'string' ? given : undefined);
}

/**
 * Prefixes an error with the name of its parameter, unless the message already names it: `invalid BVN`. A bad value has the code
 * with which the service rejects one, unless it has a code of its own.
 */
function withName(error: CliError, parameter: Parameter<unknown>): CliError {
  const message = isNamedIn(error.message, parameter) ? error.message : `${flagOf(parameter)}: ${error.message}`;
  return withDetails(error, { message, code: error.code === 'USAGE' ? 'VALIDATION_ERROR' : error.code });
}

/** Whether a message such as `invalid profile name "a b"` names the argument `name`. A flag is always named as typed. */
function isNamedIn(message: string, { kind, name }: Parameter<unknown>): boolean {
  const [, subject = ''] = /^invalid ([\w ]+)/.exec(message) ?? [];
  return kind === 'argument' && subject.trim().toLowerCase().split(' ').at(-1) === name.toLowerCase();
}

/** Turns a parser into the check of a prompt, which reports the errors of the flag. */
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

/** A value to prompt for. An empty answer means `preset`, if there is one. */
interface Prompt<T> extends Pick<Parameter<T>, 'question' | 'isSecret'> {
  readonly preset?: string | undefined;
  parse(text: string): T;
}

/** Prompts for one value; spaces around the answer are ignored. */
export async function askFor<T>({ parse, question = '', isSecret, preset }: Prompt<T>, session: Session): Promise<T> {
  const prompter = await session.world.prompter();
  const check = checkOf(parse);
  const text = isSecret ? await prompter.secret(question, check) : await prompter.text(question, check, { preset });
  return parse(text.trim());
}
