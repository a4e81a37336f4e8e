import { CliError, StepBack, withDetails } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Asking, Check, Find, Prompter, World } from '../../base/world.ts';
import type { Account } from '../../engine/account.ts';
import type { Outcome } from '../../engine/outcome.ts';
import { commandLines } from '../../present/width.ts';
import type { Command, Guided } from '../command.ts';
import { missingParameters } from '../parse/missing.ts';
import type { Parameter, Picked } from '../parse/parameters.ts';
import { howToGoBack } from '../show/progress.ts';
import type { Terminal } from '../terminal.ts';

/**
 * Prints the command line that is equivalent to the answers of a wizard. `words` are quoted for a POSIX shell; `tail` is printed
 * unchanged, for a redirection of standard input. Neither may contain secrets.
 */
export async function showEquivalentCommand(
  account: Account,
  terminal: Terminal,
  words: readonly string[],
  tail = '',
): Promise<void> {
  const { profile, yes, dryRun } = terminal.globals;
  const all = [
    ...words,
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(yes ? ['--yes'] : []),
    ...(dryRun ? ['--dry-run'] : []),
  ];
  const line = ['fiatrail', ...all.map(shellWord), ...(tail ? [tail] : [])];
  const { columns = Number.POSITIVE_INFINITY } = account.world.stderr;
  for (const each of commandLines(line, columns, 'equivalent command: ')) await account.notices.note(each);
}

/** The outcome that a wizard prints: the last one, or the command's own if --fields or --query apply to it. */
export function wizardOutcome(account: Account, own: Outcome, further: Outcome): Outcome {
  const { fields, query } = account.globals.present;
  return (fields || query) && own.result ? { ...further, result: own.result } : further;
}

/** What a question came to: its result, and the answer that repeats it. A choice is repeated by its name. */
interface Came<K, R> {
  readonly answer: K;
  readonly result: R;
}

/** One question of a conversation. */
interface WizardQuestion<K, R> {
  readonly text: string;
  /** Asks it; `earlier` is its answer before the person went back. */
  put(earlier: K | undefined, asking: Asking): Promise<Came<K, R>>;
  /** Returns the result of an earlier answer without asking; undefined if that is not possible any more. */
  repeat(earlier: K): Promise<Came<K, R> | undefined>;
}

/** What a conversation came to. */
interface Conversation<T> {
  readonly result: T;
  /** Goes back to the last question; undefined if none was asked. */
  readonly again: (() => Promise<Conversation<T>>) | undefined;
}

/**
 * Runs `ask`, which asks questions that follow each other, and lets a person go back: it then runs again, and gets the answers before
 * the previous question without asking. The earlier answer is the default of a question that is asked again. `ask` may read, and
 * must not change anything. `isSeveral` says that there is more than one question, so that the first one says how to go back.
 */
async function inConversation<T>(
  account: Account,
  terminal: Terminal,
  isSeveral: boolean,
  ask: (account: Account, terminal: Terminal) => Promise<T>,
): Promise<Conversation<T>> {
  const {
    world,
    notices: { note, say },
  } = account;
  const answers = answersSoFar(account, isSeveral);
  const prompter = async () => repeatingPrompter(await world.prompter(), answers.next, world.interrupted);
  const inner = {
    world: Object.create(world, { prompter: { value: prompter, enumerable: true } }) as World,
    say: async (text: string) => (answers.areRepeated() ? undefined : say(text)),
    note: async (text: string) => (answers.areRepeated() ? undefined : note(text)),
  };
  const { say: innerSay, note: innerNote } = inner;
  const asking = { ...account, world: inner.world, notices: { ...account.notices, say: innerSay, note: innerNote } };
  const converse = async (): Promise<Conversation<T>> => {
    for (;;) {
      try {
        const result = await ask(asking, { ...terminal, dialog: { ...terminal.dialog, ...inner } });
        answers.end();
        return { result, again: answers.hasAny() ? again : undefined };
      } catch (error) {
        if (!(error instanceof StepBack)) throw error;
        answers.goBack();
      }
    }
  };
  const again = () => {
    answers.goBack();
    return converse();
  };
  return converse();
}

type Next = <K, R>(question: WizardQuestion<K, R>) => Promise<R>;

/** The answers of a conversation, in memory only: some are secrets. */
function answersSoFar({ world, notices: { note } }: Pick<Account, 'world' | 'notices'>, isSeveral: boolean) {
  const given: { readonly text: string; readonly answer: unknown }[] = [];
  let asked = 0;
  /** How many answers are repeated before the next question is asked. */
  let repeated = 0;
  let isOver = false;
  let isExplained = !isSeveral;
  const next: Next = async <K, R>({ text, put, repeat }: WizardQuestion<K, R>) => {
    if (isOver) return (await put(undefined, {})).result;
    const at = asked;
    const earlier = given[at]?.text === text ? (given[at].answer as K) : undefined;
    const found = at < repeated && earlier !== undefined ? await repeat(earlier) : undefined;
    if (!found) {
      repeated = 0;
      if (!isExplained) await note(howToGoBack(world));
      isExplained = true;
    }
    const { answer, result } = found ?? (await put(earlier, { hasBack: at > 0 }));
    given[at] = { text, answer };
    asked = at + 1;
    return result;
  };
  return {
    next,
    areRepeated: () => !isOver && asked < repeated,
    hasAny: () => asked > 0,
    /** Starts again, and stops before the question that was answered last. */
    goBack: () => {
      repeated = asked - 1;
      asked = 0;
      isOver = false;
    },
    end: () => {
      isOver = true;
    },
  };
}

/** A prompter whose questions are those of a conversation. */
function repeatingPrompter(real: Prompter, next: Next, interrupted: AbortSignal): Prompter {
  /** A question whose result is what was answered. */
  const plain = <R>(text: string, put: (earlier: R | undefined, asking: Asking) => Promise<R>) => {
    const came = (result: R) => ({ answer: result, result });
    return next<R, R>({
      text,
      put: async (earlier, asking) => came(await put(earlier, asking)),
      repeat: async (earlier) => came(earlier),
    });
  };
  return {
    confirm: (text) => plain(text, (_earlier, asking) => real.confirm(text, asking)),
    text: (text, check, own) =>
      plain<string>(text, (earlier, asking) => real.text(text, check, { ...asking, preset: earlier || own?.preset })),
    secret: (text, check) =>
      plain<string>(text, async (earlier, asking) => {
        if (earlier === undefined) return real.secret(text, check, asking);
        const checkNew = (typed: string) => typed === '' || check(typed);
        return (await real.secret(`${text} (Enter keeps it)`, checkNew, asking)) || earlier;
      }),
    select: (text, choices, own) =>
      next({
        text,
        put: async (earlier, asking) => {
          const preset = choices.find(({ name }) => name === earlier)?.value ?? own?.preset;
          const result = await real.select(text, choices, { ...asking, preset });
          return { answer: choices.find(({ value }) => value === result)?.name, result };
        },
        repeat: async (earlier) => {
          const found = choices.find(({ name }) => name === earlier);
          return found && { answer: earlier, result: found.value };
        },
      }),
    search: <T>(text: string, find: Find<T>) =>
      next<{ readonly typed: string; readonly value: T }, T>({
        text,
        put: async (earlier, asking) => {
          let typed = '';
          const findTyped: Find<T> = (now, signal) => {
            typed = now;
            return find(now, signal);
          };
          const value = await real.search(text, findTyped, {
            ...asking,
            preset: earlier?.value,
            typed: earlier?.typed,
          });
          return { answer: { typed, value }, result: value };
        },
        repeat: async (earlier) => {
          // The caller may remember what was typed.
          await find(earlier.typed, interrupted);
          return { answer: earlier, result: earlier.value };
        },
      }),
  };
}

type RawText = string | boolean | readonly string[] | undefined;

/** The values of a command's parameters, and the result of its wizard. */
export interface CommandInput {
  readonly input: Record<string, unknown>;
  readonly guided: Guided | undefined;
  /** Asks the last question once more, as a person wishes who sees at a consent what the answers came to; undefined if nothing was asked. */
  readonly again?: (() => Promise<CommandInput>) | undefined;
}

/**
 * Parses the given values and prompts for missing ones on a terminal, with the command's wizard if it has one. `announce` is
 * called before the first prompt. A plan is read by others, so all of it is typed (`mayAsk`). Throws CliError usage.
 */
export async function readInput(
  command: Command,
  texts: Readonly<Record<string, RawText>>,
  account: Account,
  terminal: Terminal,
  mayAsk: boolean,
  announce: () => Promise<void>,
): Promise<CommandInput> {
  const isAsked = mayAsk && account.notices.isInteractive;
  const entries = Object.entries(command.parameters);
  const given: Record<string, unknown> = {};
  // Report bad values before prompting for missing ones: a bad value may have swallowed the missing one.
  for (const [key, parameter] of entries)
    if (!parameter.required || texts[key] !== undefined) given[key] = readValue(parameter, texts[key]);
  const needed = (input: Record<string, unknown>) => {
    const needs = command.needs?.(input as never) ?? [];
    return entries.filter(([key, { required }]) => input[key] === undefined && (required || needs.includes(key)));
  };
  const missing = needed(given);
  if (missing.length > 0 && !isAsked) {
    const parameters = missing.map(([, parameter]) => parameter);
    throw missingParameters(parameters, `for example: ${command.examples[0]}`);
  }
  await announce();
  if (!isAsked) return { input: given, guided: undefined };
  const lacking = (input: Record<string, unknown>) => {
    const also = command.asks?.(input as never, account, terminal) ?? [];
    const needs = needed(input);
    return entries.filter(
      (entry) => needs.includes(entry) || (input[entry[0]] === undefined && also.includes(entry[0])),
    );
  };
  const isSeveral = command.guide !== undefined || lacking(given).length > 1;
  const conversation = await inConversation(account, terminal, isSeveral, async (asking, terminal) => {
    const guided = await command.guide?.(asking, terminal, given as never);
    const input = { ...given, ...guided?.values };
    for (let [next] = lacking(input); next; [next] = lacking(input)) {
      const [key, parameter] = next;
      input[key] = await askForMissing({ question: parameter.name, ...parameter }, asking, terminal, command, input);
    }
    return { input, guided };
  });
  return commandInput(conversation);
}

const commandInput = ({ result, again }: Conversation<CommandInput>): CommandInput => ({
  ...result,
  again: again && (async () => commandInput(await again())),
});

/** Asks for a missing value: offers what there is, where that is known, and else takes a text. */
async function askForMissing(
  parameter: Parameter<unknown> & { readonly question: string },
  account: Account,
  terminal: Terminal,
  { words: [group = ''] }: Pick<Command, 'words'>,
  input: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const { picks, values, question, parse } = parameter;
  const chosen =
    picks && (await (await import('./pick/index.ts')).pick(picks, question, account, terminal, group, input));
  if (chosen !== undefined) return parse(chosen);
  // There is nothing to choose from, but a person may know what it is.
  if (picks && question.endsWith('?'))
    return askFor({ ...parameter, question: `${question} Type its ${identityOf(picks)}:` }, account);
  const fitting = (text: string) => {
    const value = parse(text);
    parameter.fits?.(value, input);
    return value;
  };
  if (!values || parameter.isSecret) return askFor({ ...parameter, parse: fitting }, account);
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
  return parse(await (await account.world.prompter()).select(question, choices));
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

/** A field that the service names in a refusal, in front of what it expected. */
const NAMED_FIELD = /(^|[:;,] )([a-z]\w*(?:\.\w+)*): (?=expected |missing; )/g;

/** Returns an error of the service that names fields as they are typed: `--from-network: expected …`. */
export function withInputNames(error: CliError, command: Pick<Command, 'parameters' | 'fields'>): CliError {
  if (error.responseCode === undefined) return error;
  const message = error.message.replace(
    NAMED_FIELD,
    (_all, before: string, field: string) => `${before}${inputName(command, field)}: `,
  );
  return message === error.message ? error : withDetails(error, { message });
}

/** `--to` for an option, `<user-id>` for an argument. */
function flagOf({ kind, name }: Parameter<unknown>): string {
  return kind === 'argument' ? `<${name}>` : (/--[\w-]+/.exec(name)?.[0] ?? name);
}

/** Returns the words of a command line that gives these texts, without `fiatrail`. */
export function wordsOfLine(
  { words, parameters }: Pick<Command, 'words' | 'parameters'>,
  texts: Readonly<Record<string, unknown>>,
): string[] {
  const typed = Object.entries(parameters).flatMap(([key, parameter]) => {
    const text = texts[key];
    const values = [text].flat().filter((each) => each !== undefined && each !== false);
    if (parameter.kind === 'argument') return values.map(String);
    return values.flatMap((each) => (each === true ? [flagOf(parameter)] : [flagOf(parameter), String(each)]));
  });
  return [...words, ...typed];
}

/** Returns such a command line as a shell would take it. */
export const commandLineOf = (
  command: Pick<Command, 'words' | 'parameters'>,
  texts: Readonly<Record<string, unknown>>,
): string => ['fiatrail', ...wordsOfLine(command, texts).map(shellWord)].join(' ');

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
export async function askFor<T>({ parse, question = '', isSecret, preset }: Prompt<T>, account: Account): Promise<T> {
  const prompter = await account.world.prompter();
  const check = checkOf(parse);
  const text = isSecret ? await prompter.secret(question, check) : await prompter.text(question, check, { preset });
  return parse(text.trim());
}
