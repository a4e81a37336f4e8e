import { CliError } from '../../base/errors.ts';
import { FORMER_GROUPS, RENAMED, RENAMED_FLAGS } from '../../contract/renamed.ts';
import { shellWord, visible } from '../../present/text.ts';
import type { Command, Group } from '../command.ts';
import type { Parameter } from './parameters.ts';

/** A command line: what was typed before the words of its command, these words with arguments, and the rest from the first option. */
interface TypedLine {
  readonly before: readonly string[];
  readonly words: readonly string[];
  readonly rest: readonly string[];
}

type FindCommand = (name: string) => Promise<Command | undefined>;

/**
 * Returns the error for a command line with a command's former name; undefined for any other. The hint is what to type instead.
 * The first `known` words are the name of a command.
 */
async function renamedForm(line: TypedLine, find: FindCommand, known = 0): Promise<CliError | undefined> {
  const { words, rest } = line;
  for (let count = words.length; count > known; count -= 1) {
    const former = words.slice(0, count).join(' ');
    const named = RENAMED.get(former);
    if (named === undefined) continue;
    const { now, given } = split(former, named, [...words.slice(count), ...rest]);
    return renamedError(former, now, hintLine(line.before, now, given, await find(now)));
  }
  const group = FORMER_GROUPS.get(words.join(' '));
  if (group === undefined || known > 0) return undefined;
  return renamedError(words.join(' '), group, hintLine(line.before, group, rest, await find(group)));
}

const renamedError = (former: string, now: string, hint: string) =>
  new CliError('usage', `fiatrail ${former} has another name now: fiatrail ${now}`, { code: 'USAGE', hint });

/** Some commands did two things. What was typed after their name says which. */
function split(former: string, now: string, given: readonly string[]) {
  const sets = /^--(url|local|independent|password-stdin)(=|$)/;
  if (former === 'profiles journal' && given.some((word) => sets.test(word)))
    return { now: 'profiles journal set', given };
  const accept = given.indexOf('--accept');
  if (former === 'keys platform' && accept !== -1) {
    const isValue = given[accept + 1]?.startsWith('-') === false;
    return { now: 'keys platform accept', given: given.toSpliced(accept, 1, ...(isValue ? ['--fingerprint'] : [])) };
  }
  return { now, given };
}

/** What a page is called by now is another value than what it was called by then. */
const PAGE_FLAGS: readonly string[] = ['--before', '--offset', '--page'];

/** Returns the error for a flag's former name, if the command has the flag that it is now; undefined for any other. */
function renamedFlag(line: TypedLine, command: Command, flag: string): CliError | undefined {
  const now = flagNow(flag, command);
  if (now === undefined) return undefined;
  const name = command.words.join(' ');
  const given = [...line.words.slice(command.words.length), ...line.rest];
  return new CliError('usage', `${flag} has another name now: ${now}`, {
    code: 'USAGE',
    hint: PAGE_FLAGS.includes(flag)
      ? `each page ends with its cursor, for ${now}: run it without ${flag} for the first page, or add --all`
      : hintLine(line.before, name, given, command),
  });
}

const longFlag = ({ kind, name }: Parameter<unknown>) => (kind === 'option' ? /--[\w-]+/.exec(name)?.[0] : undefined);

function flagNow(flag: string, command: Command): string | undefined {
  const flags = Object.values(command.parameters).map(longFlag);
  const now = RENAMED_FLAGS.get(flag);
  return now !== undefined && flags.includes(now) && !flags.includes(flag) ? now : undefined;
}

/** The line to type, with the flags of today and without secrets. */
function hintLine(
  before: readonly string[],
  now: string,
  given: readonly string[],
  command: Command | undefined,
): string {
  const renamed = command === undefined ? given : withFlagsOfToday(given, command);
  const words = [...before.map((word) => withoutSecret(word)), now, ...withoutSecrets(renamed, now, command)];
  return `type: fiatrail ${words.join(' ')}`;
}

function withFlagsOfToday(given: readonly string[], command: Command): string[] {
  return given.flatMap((word, at) => {
    const [flag = '', before = ''] = [word, given[at - 1]].map((each) => each?.replace(/=.*/s, ''));
    const isOldPage = (each: string) => PAGE_FLAGS.includes(each) && flagNow(each, command) !== undefined;
    if (isOldPage(flag) || (given[at - 1] === before && isOldPage(before))) return [];
    const now = flagNow(flag, command);
    return [now === undefined ? word : word.replace(flag, now)];
  });
}

/** Typed words of a command for a message. BVNs, and long words that may be keys, become placeholders. */
function withoutSecrets(given: readonly string[], name: string, command: Command | undefined): string[] {
  const parameters = Object.values(command?.parameters ?? {});
  const args = parameters.filter(({ kind }) => kind === 'argument');
  const ofFlag = (flag: string) => parameters.find((each) => longFlag(each) === flag);
  const takesValue = (flag: string) => ofFlag(flag)?.name.includes('<') ?? flag.startsWith('-');
  let arg = 0;
  const shown = given.map((word, at) => {
    const [, flag = '', value = ''] = /^(--?[\w-]+(?==))=(.*)$/s.exec(word) ?? [];
    if (flag !== '') return `${flag}=${shownValue(value, name, ofFlag(flag), false)}`;
    if (word.startsWith('-')) return withoutSecret(word);
    const before = given[at - 1] ?? '';
    if (before.startsWith('-') && !before.includes('=') && takesValue(before))
      return shownValue(word, name, ofFlag(before), false);
    arg += 1;
    return shownValue(word, name, args[arg - 1], true);
  });
  // A BVN may have been typed in parts.
  return shown.filter((word, at) => word !== 'BVN' || shown[at - 1] !== 'BVN');
}

function shownValue(value: string, name: string, parameter: Parameter<unknown> | undefined, isArgument: boolean) {
  const isPartOfBvn = name === 'users onboarding start' && isArgument && /^\d+$/.test(value);
  const isLikeBvn = /^\d{11}$/.test(value.replace(/[\s-]/g, ''));
  if (isPartOfBvn || (isLikeBvn && (isArgument || name.startsWith('users ')))) return 'BVN';
  return withoutSecret(value, parameter);
}

/** Longer words without a break may be keys. */
const KEY_LIKE = /(?=[\w+=]*\d)[\w+=]{20,}/;

/** A typed word for a message; `…` for what may be a key. Where an id belongs, a long one is shown. */
function withoutSecret(value: string, parameter?: Parameter<unknown>): string {
  if (value.length < 20 || /^0x[\da-f]{40}$/i.test(value) || /^[\w{}]+(-[\w{}]+)+$/.test(value))
    return shellWord(value);
  const takesId = /^[\w-]*-id$|<[\w-]*-id>|<cursor>|<fingerprint>/.test(parameter?.name ?? '');
  if (takesId && /^([\da-f]{64}|[\w-]+\.[\w.-]+)$/i.test(value)) return shellWord(value);
  const hasCredentials = /:\/\/[^/]*@|\?/.test(value);
  const isPlain = (parameter ? !parameter.isSecret : /\s/.test(value)) && !KEY_LIKE.test(value) && !hasCredentials;
  return isPlain ? shellWord(value) : '…';
}

/** What Commander throws. */
interface ParserError {
  readonly code: string;
  readonly message: string;
}

/** A command line that cannot be parsed. */
interface TypedLine {
  readonly before: readonly string[];
  /** From the first word to the first option after it: `fx orders`. */
  readonly words: readonly string[];
  /** What follows the words. */
  readonly rest: readonly string[];
  /** The commands of the group that the first word names; empty if it names none. */
  readonly commands: readonly Command[];
  readonly catalogue: readonly Group[];
}

const startsWith = (words: readonly string[], start: readonly string[]) =>
  start.every((word, index) => words[index] === word);

/** Returns the error for a command line that Commander cannot parse. */
export async function typingError(error: ParserError, line: TypedLine): Promise<CliError> {
  const chosen = commandTyped(line.commands, line.words);
  const flag = /unknown option '(--[\w-]+)/.exec(error.message)?.[1] ?? '';
  // A command may have a name that begins with a former one.
  const renamed = (await renamedOrUndefined(line, chosen?.words.length)) ?? (chosen && renamedFlag(line, chosen, flag));
  return renamed ?? usageError(error, commandIn(line), await meantBy(error, line));
}

/** Returns the command that typed words name, which may have arguments after them. */
const commandTyped = (commands: readonly Command[], typed: readonly string[]) =>
  commands.filter(({ words }) => startsWith(typed, words)).toSorted((a, b) => b.words.length - a.words.length)[0];

/** Returns the error for a former name of a command or a group, unless the first `known` words name a command. */
export function renamedOrUndefined(line: TypedLine, known = 0): Promise<CliError | undefined> {
  const find = async (name: string) => {
    const words = name.split(' ');
    const commands = await line.catalogue.find((group) => group.name === words[0])?.load();
    return commandTyped(commands ?? [], words);
  };
  return renamedForm(line, find, known);
}

/** Returns the error for the words of a group alone, or of a part of one. */
export async function incompleteError({ words, commands }: TypedLine): Promise<CliError> {
  const { seeAlso } = await import('../help/suggest.ts');
  const forms = commands
    .filter((each) => startsWith(each.words, words))
    .map((each) => `fiatrail ${each.words.join(' ')}`);
  return new CliError('usage', `incomplete command: fiatrail ${words.join(' ')}`, {
    hint: `expected one of: ${forms.join(', ')}${seeAlso(words)}`,
  });
}

/** Whether the words name a command, which may have arguments after them, or the start of one. */
export function isCommand(line: TypedLine): boolean {
  const name = commandIn(line);
  return name.length === line.words.length || line.commands.some(({ words }) => words.join(' ') === name.join(' '));
}

/** Returns the typed words that name a command or the start of one: `users show`, or `fx orders` of `fx orders lst`. */
function commandIn({ words, commands }: TypedLine): readonly string[] {
  const isKnown = (start: readonly string[]) => commands.some((each) => startsWith(each.words, start));
  const end = words.findIndex((_, at) => !isKnown(words.slice(0, at + 1)));
  return end === -1 ? words : words.slice(0, end);
}

/** Returns a hint for a word that names no command, or that a command does not take. */
async function meantBy({ code }: ParserError, line: TypedLine) {
  if (code !== 'commander.unknownCommand' && code !== 'commander.excessArguments') return undefined;
  const { hintFor } = await import('../help/suggest.ts');
  return hintFor(line.words, line.catalogue);
}

/** Turns Commander's error into ours. For an option, its suggestion becomes the hint. */
function usageError(error: ParserError, command: readonly string[], meant?: string): CliError {
  const [text = '', , suggested] = /^(.*?)(\s*\(Did you mean (.*)\?\))?$/s.exec(error.message)?.slice(1) ?? [];
  const option = error.code === 'commander.unknownOption' ? suggested : undefined;
  // Commander names the last word of the command only.
  const named = text.replace(/^(error: too many arguments for )'[^']*'/, `$1'${['fiatrail', ...command].join(' ')}'`);
  const help = `run: ${['fiatrail', ...command, '--help'].join(' ')}`;
  return new CliError('usage', visible(named.replace(/^error: /, '')), {
    code: 'USAGE',
    hint: meant ?? (option ? `did you mean ${option}?` : help),
  });
}
