import { CliError } from '../../base/errors.ts';
import { RENAMED, RENAMED_FLAGS } from '../../contract/renamed.ts';
import { shellWord } from '../../present/text.ts';
import type { Command } from '../command.ts';

/** What Commander throws. */
interface ParserError {
  readonly code: string;
  readonly message: string;
}

/** A command line that cannot be parsed. */
interface TypedLine {
  readonly argv: readonly string[];
  /** From the first word to the first option after it: `fx orders`. */
  readonly words: readonly string[];
  /** What follows the words. */
  readonly rest: readonly string[];
  /** The commands of the group that the first word names; empty if it names none. */
  readonly commands: readonly Command[];
  /** The names of all groups. */
  readonly groups: readonly string[];
}

const startsWith = (words: readonly string[], start: readonly string[]) =>
  start.every((word, index) => words[index] === word);

/** Returns the error for a command line that Commander cannot parse. */
export async function typingError(error: ParserError, line: TypedLine): Promise<CliError> {
  const { argv, words, commands } = line;
  // The command may have arguments after its words.
  const [chosen] = commands
    .filter((each) => startsWith(words, each.words))
    .toSorted((a, b) => b.words.length - a.words.length);
  // A command may have a name that begins with a former one.
  const renamed = renamedForm(line, chosen?.words.length) ?? (chosen && renamedFlag(error, chosen, argv));
  return renamed ?? usageError(error, commandIn(line), await meantBy(error, line));
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
  const { words, commands, groups } = line;
  const names = commands.length > 0 ? commands.map((each) => each.words.join(' ')) : groups;
  return hintFor({ words, known: commandIn(line), names });
}

/** Turns Commander's error into ours. For an option, its suggestion becomes the hint. */
function usageError(error: ParserError, command: readonly string[], meant?: string): CliError {
  const [first = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const isOption = error.code === 'commander.unknownOption';
  const option = isOption ? /Did you mean (.*)\?/.exec(suggestion ?? first)?.[1] : undefined;
  const message = first.replace(/\s*\(Did you mean .*\)$/, '');
  const help = `run: ${['fiatrail', ...command, '--help'].join(' ')}`;
  return new CliError('usage', message, {
    code: 'USAGE',
    hint: meant ?? (option ? `did you mean ${option}?` : help),
  });
}

/**
 * Returns the error for a command line with a command's former name; undefined for any other. The hint is what to type instead.
 * The first `known` words are the name of a command.
 */
export function renamedForm({ words, rest }: Pick<TypedLine, 'words' | 'rest'>, known = 0): CliError | undefined {
  for (let count = words.length; count > known; count -= 1) {
    const before = words.slice(0, count).join(' ');
    const now = RENAMED.get(before);
    if (now === undefined) continue;
    const given = typed([...words.slice(count), ...rest], now);
    return new CliError('usage', `fiatrail ${before} has another name now: fiatrail ${now}`, {
      code: 'USAGE',
      hint: `type: fiatrail ${now}${given === '' ? '' : ` ${given}`}`,
    });
  }
  return undefined;
}

/** What a page is called by now is another value than what it was called by then. */
const PAGE_FLAGS: readonly string[] = ['--before', '--offset', '--page'];

/** Returns the error for a flag's former name, if the command has the flag that it is now; undefined for any other. */
function renamedFlag(error: ParserError, { words, parameters }: Command, argv: readonly string[]) {
  const flag = /unknown option '(--[\w-]+)/.exec(error.message)?.[1] ?? '';
  const now = RENAMED_FLAGS.get(flag);
  if (now === undefined || !Object.values(parameters).some(({ name }) => name.split(' ')[0] === now)) return undefined;
  const command = words.join(' ');
  const rest = argv.slice(argv.lastIndexOf(words.at(-1) ?? '') + 1);
  const line = rest.map((word) => (word === flag || word.startsWith(`${flag}=`) ? word.replace(flag, now) : word));
  return new CliError('usage', `${flag} has another name now: ${now}`, {
    code: 'USAGE',
    hint: PAGE_FLAGS.includes(flag)
      ? `each page ends with its cursor, for ${now}: run it without ${flag} for the first page, or add --all`
      : `type: fiatrail ${command} ${typed(line, command)}`,
  });
}

/** Typed words of a command for a message, without secrets. */
const typed = (words: readonly string[], command: string) =>
  words.map((word, at, all) => (isBvnOf(command, word, all[at - 1]) ? 'BVN' : withoutSecret(word))).join(' ');

/** Where a BVN is typed, any number that no flag takes may be a part of one. */
const isBvnOf = (command: string, word: string, before = '') =>
  command.startsWith('users ') && /^\d+$/.test(word) && !before.startsWith('-');

/** A typed word for a message: BVNs, and long words that may be keys, become placeholders. */
function withoutSecret(word: string): string {
  const [, flag = '', value = ''] = /^(--?[\w-]+=)?(.*)$/s.exec(word) ?? [];
  if (/^\d{11}$/.test(value.replace(/[\s-]/g, ''))) return `${flag}BVN`;
  const isKnownForm =
    value.length < 20 || /^0x[\da-f]{40}$/i.test(value) || /\s/.test(value) || /^[\w{}]+(-[\w{}]+)+$/.test(value);
  return isKnownForm ? flag + shellWord(value) : `${flag}…`;
}
