import { CliError } from '../base/errors.ts';

/** A parameter of a command, as `fiatrail help commands -o json` prints it. */
export interface ParameterRecord {
  /** `--amount` of an option, `user-id` of an argument. */
  readonly name: string;
  readonly kind: 'option' | 'argument';
  readonly help: string;
  readonly type: 'string' | 'integer' | 'boolean';
  readonly format?: string;
  readonly values?: readonly string[];
  readonly isRequired: boolean;
  readonly isRepeatable?: boolean;
  readonly isSecret?: boolean;
  readonly changes?: boolean;
}

/** A command, as `fiatrail help commands -o json` prints it. */
export interface CommandRecord {
  readonly words: readonly string[];
  readonly summary: string;
  readonly details: string | null;
  readonly effect: 'read' | 'write' | 'money' | 'destructive';
  readonly isPlannable: boolean;
  readonly parameters: readonly ParameterRecord[];
  readonly endpoints: readonly string[];
}

/** How a command ended in this process. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process. The signal interrupts it. */
export type RunCommand = (argv: readonly string[], signal: AbortSignal) => Promise<Ran>;

export const nameOf = ({ words }: Pick<CommandRecord, 'words'>): string => words.join(' ');

/** The name of a parameter in the arguments of a call: `amount` for `--amount`. */
export const fieldOf = ({ name }: Pick<ParameterRecord, 'name'>): string =>
  name.replace(/^--/, '').replaceAll('-', '_');

/** What no agent is given, whatever a command does with it: files of this machine, secrets, waiting without end, and consent. */
const WITHHELD = [
  '--again',
  '--all',
  '--every',
  '--generate',
  '--once',
  '--plan',
  '--plan-expires',
  '--print-key',
  '--reason',
  '--show',
  '--values',
  '--wait',
  '--watch',
  '--when-approved',
  '--without-approval',
  '--without-personal-data',
];

/** Forms of values that reach beyond the account: files, other machines, programs, and keys that someone else must choose. */
const WITHHELD_FORMS = ['command', 'file', 'idempotency key', 'postgresql url', 'url'];

/** What pages through a list; a call has `limit` and `cursor` instead. */
const PAGING = ['--limit', '--after'];

const isWithheld = ({ name, format = '', isSecret = false, changes = false }: ParameterRecord): boolean =>
  isSecret || changes || WITHHELD_FORMS.includes(format) || /stdin/.test(name) || WITHHELD.includes(name);

/** The parameters of a command that a call may give. */
export const offered = ({ parameters }: Pick<CommandRecord, 'parameters'>): readonly ParameterRecord[] =>
  parameters.filter((each) => !isWithheld(each) && !PAGING.includes(each.name));

export const takes = ({ parameters }: Pick<CommandRecord, 'parameters'>, name: string): boolean =>
  parameters.some((each) => each.name === name);

/** Commands about keys, profiles and the machine, which no tool runs, and those that show a secret or read a file. */
const NEVER =
  /^(api|completion|doctor|explain|fx book-token|init|inspect|keys|profiles|receipt|webhooks (listen|open))\b/;

/** What reads the account into the local copy, which is what reports and queries read. */
const COPYING = ['sync', 'sync status'];

/** Whether a call could run a command at all: it is not one of those, and needs nothing that no agent is given. */
const isPossible = (command: CommandRecord): boolean =>
  !NEVER.test(nameOf(command)) && command.parameters.every((each) => !each.isRequired || !isWithheld(each));

/** Whether all that a command does is to read the account: its endpoints only read, and it has some. */
export const isRead = (command: CommandRecord): boolean =>
  command.effect === 'read' &&
  (command.endpoints.length > 0 || COPYING.includes(nameOf(command))) &&
  isPossible(command);

/** Whether a command adds up what came in and went out. */
export const isReport = (command: CommandRecord): boolean =>
  command.words[0] === 'report' && command.effect === 'read' && isPossible(command);

/** Whether a call may plan a command: it moves money, and what it would send can be written down. */
export const isPlanned = (command: CommandRecord): boolean =>
  command.effect === 'money' && command.isPlannable && isPossible(command);

/** The longest value of an argument, in characters. */
const LONGEST = 100_000;

/** A call that is wrong. Nothing was sent. */
const wrong = (message: string, hint: string) => new CliError('usage', message, { code: 'INVALID_ARGUMENTS', hint });

/** Returns the words of one value on a command line. Throws CliError usage. */
function wordsOf(parameter: ParameterRecord, value: unknown): readonly string[] {
  const { name, kind, type, isRepeatable } = parameter;
  const field = fieldOf(parameter);
  if (Array.isArray(value) && isRepeatable) return value.flatMap((each) => wordsOf(parameter, each));
  if (type === 'boolean') {
    if (typeof value !== 'boolean') throw wrong(`${field}: expected true or false`, `give true, or omit ${field}`);
    return value ? [name] : [];
  }
  if (typeof value !== 'string' && !(typeof value === 'number' && Number.isFinite(value)))
    throw wrong(`${field}: expected a ${type === 'integer' ? 'whole number' : 'text'}`, parameter.help);
  const text = String(value);
  if (text.length > LONGEST) throw wrong(`${field}: expected at most ${LONGEST} characters`, 'give a shorter text');
  if (kind === 'option') return [`${name}=${text}`];
  // It would be taken for an option wherever the words of a line are searched for one.
  if (text.startsWith('-')) throw wrong(`${field}: a value cannot start with -`, parameter.help);
  return [text];
}

/**
 * Returns the command line of a call: its words, its options, then `globals`, then its arguments behind `--`, so that no value
 * becomes an option. Throws CliError usage.
 */
export function lineOf(
  command: CommandRecord,
  given: Readonly<Record<string, unknown>>,
  globals: readonly string[],
): readonly string[] {
  const parameters = offered(command);
  const fields = parameters.map(fieldOf);
  const unknown = Object.keys(given).find((each) => !fields.includes(each.replace(/^--/, '').replaceAll('-', '_')));
  if (unknown !== undefined)
    throw wrong(
      `${nameOf(command)}: unknown argument "${unknown.slice(0, 60)}"`,
      fields.length === 0 ? 'it takes none' : `expected some of: ${fields.join(', ')}`,
    );
  const byField = new Map(
    Object.entries(given).map(([name, value]) => [name.replace(/^--/, '').replaceAll('-', '_'), value]),
  );
  const givenFor = (each: ParameterRecord) => byField.get(fieldOf(each)) ?? undefined;
  const missing = parameters.find((each) => each.isRequired && givenFor(each) === undefined);
  if (missing)
    throw wrong(`${nameOf(command)}: ${fieldOf(missing)} is missing`, `${fieldOf(missing)}: ${missing.help}`);
  const wordsFor = (kind: ParameterRecord['kind']) =>
    parameters.flatMap((each) => {
      const value = givenFor(each);
      return each.kind === kind && value !== undefined ? wordsOf(each, value) : [];
    });
  const values = wordsFor('argument');
  return [...command.words, ...wordsFor('option'), ...globals, ...(values.length > 0 ? ['--', ...values] : [])];
}
