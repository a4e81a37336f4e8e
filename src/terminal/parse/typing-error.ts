import { advice, type Hint, joined } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { visible } from '../../present/text.ts';
import type { Command, Group } from '../command.ts';
import { GLOBAL_OPTIONS } from './globals.ts';
import { missingParameters, typedForm } from './missing.ts';

/** What Commander throws. */
interface ParserError {
  readonly code: string;
  readonly message: string;
}

/** A command line that cannot be parsed. */
interface TypedLine {
  /** From the first word to the first option after it: `fx orders`. */
  readonly words: readonly string[];
  /** The commands of the group that the first word names; empty if it names none. */
  readonly commands: readonly Command[];
  readonly catalogue: readonly Group[];
}

/** Returns the error for a command line that Commander cannot parse. */
export async function typingError(error: ParserError, line: TypedLine): Promise<CliError> {
  const command = commandIn(line);
  const flag = flagWithValue(error, command, line);
  if (flag === undefined) return usageError(error, command, line, await meantBy(error, line));
  return new CliError('usage', `${flag} takes no value`, {
    code: 'USAGE',
    hint: `type ${flag} alone, or leave it out`,
  });
}

/** Returns the flag that takes no value and was given one, as in `--yes=false`. To Commander, such an option is unknown. */
function flagWithValue(
  { message }: ParserError,
  typed: readonly string[],
  { commands }: TypedLine,
): string | undefined {
  const flag = /^error: unknown option '(--[^=]+)=/.exec(message)?.[1];
  const command = commands.find(({ words }) => words.join(' ') === typed.join(' '));
  const own = Object.values(command?.parameters ?? {}).map(({ name }) => name);
  // One that takes a value names it: `--amount <amount>`.
  const flags = [...GLOBAL_OPTIONS.map(([names]) => names), ...own, '--help'].flatMap((names) => names.split(', '));
  return flags.find((each) => each === flag);
}

const startsWith = (words: readonly string[], start: readonly string[]) =>
  start.every((word, index) => words[index] === word);

/** Returns the error for the words of a group alone, or of a part of one. */
export async function incompleteError({ words, commands }: TypedLine): Promise<CliError> {
  const { seeAlso } = await import('../help/suggest.ts');
  const forms = commands
    .filter((each) => startsWith(each.words, words))
    .map((each) => advice`[fiatrail ${each.words}]`);
  return new CliError('usage', `incomplete command: fiatrail ${words.join(' ')}`, {
    hint: advice`expected one of: ${joined(forms, ', ')}${seeAlso(words)}`,
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

/** An option that more commands have says little about which one is meant. */
const MAX_OWNERS = 2;

/** Returns a hint for an option that this command does not take, and one or two others do: `init --embedded`. */
async function ownerOf({ message }: ParserError, { words: typed, catalogue }: TypedLine): Promise<Hint | undefined> {
  const [, flag] = /unknown option '(--[^=']+)/.exec(message) ?? [];
  const { HARMFUL } = await import('./nearest.ts');
  const commands = (await Promise.all(catalogue.map((group) => group.load()))).flat();
  const owners = commands.filter(
    ({ words, parameters }) =>
      !HARMFUL.includes(words.at(-1) ?? '') &&
      words.join(' ') !== typed.join(' ') &&
      Object.values(parameters).some(({ name }) => name.split(/[\s,]+/).includes(flag ?? '')),
  );
  if (flag === undefined || owners.length === 0 || owners.length > MAX_OWNERS) return undefined;
  const forms = owners.map(({ words }) => advice`[fiatrail ${words} ${flag}]`);
  return advice`did you mean ${joined(forms, ' or ')}?`;
}

/** Returns a hint for a word that names no command, or that a command does not take. */
async function meantBy(error: ParserError, line: TypedLine) {
  const { code } = error;
  if (code === 'commander.unknownOption' && !error.message.includes('(Did you mean')) return ownerOf(error, line);
  if (code !== 'commander.unknownCommand' && code !== 'commander.excessArguments') return undefined;
  const { hintFor } = await import('../help/suggest.ts');
  return hintFor(line.words, line.catalogue);
}

/** Turns Commander's error into ours. For an option, its suggestion becomes the hint. */
function usageError(error: ParserError, words: readonly string[], { commands }: TypedLine, meant?: Hint): CliError {
  const [text = '', , suggested] = /^(.*?)(\s*\(Did you mean (.*)\?\))?$/s.exec(error.message)?.slice(1) ?? [];
  const option = error.code === 'commander.unknownOption' ? suggested : undefined;
  const command = commands.find((each) => each.words.join(' ') === words.join(' '));
  const hint = meant ?? (option ? `did you mean ${option}?` : advice`run: [fiatrail ${[...words, '--help']}]`);
  if (error.code === 'commander.optionMissingArgument') return withoutValue(text, command, hint);
  return new CliError('usage', visible(inFull(text.replace(/^error: /, ''), words, command)), { code: 'USAGE', hint });
}

/** Says what Commander says of the last word of a command about the whole command. */
function inFull(text: string, words: readonly string[], command: Command | undefined): string {
  const expected = Object.values(command?.parameters ?? {}).filter(({ kind }) => kind === 'argument');
  return text
    .replace(/^(unknown command ')/, words.length > 0 ? `$1${words.join(' ')} ` : '$1')
    .replace(
      /^too many arguments for .*? Expected \d+ arguments? but got \d+: (.*)\.$/s,
      (_all, got: string) =>
        `too many arguments for '${['fiatrail', ...words].join(' ')}': expected ${expected.map(typedForm).join(' ') || 'none'}; got ${got}`,
    );
}

/** The error for an option without its value: Commander says `option '-o, --output <format>' argument missing`. */
function withoutValue(text: string, command: Command | undefined, hint: Hint): CliError {
  const [, flags = ''] = /'(.*)'/s.exec(text) ?? [];
  const global = GLOBAL_OPTIONS.find(([names]) => names === flags);
  const own = Object.values(command?.parameters ?? {}).find(({ name }) => name === flags);
  const name = flags.replace(/^-\w, /, '');
  return missingParameters([{ kind: 'option', name, help: own?.help ?? global?.[1] ?? 'a value' }], hint);
}
