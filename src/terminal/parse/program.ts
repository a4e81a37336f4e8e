import { Command as Commander, CommanderError, Option } from 'commander';
import { CliError } from '../../base/errors.ts';
import { visible } from '../../present/text.ts';
import type { Command, Group } from '../command.ts';
import { GLOBAL_OPTIONS, type Globals } from './globals.ts';
import type { Parameter } from './parameters.ts';
import { readGlobals, type Terminal } from './read-globals.ts';
import { renamedFlag, renamedForm } from './renamed-form.ts';

/** A parsed command line: a command with its raw texts, or help text ready to print. */
type Parsed = CommandLine | { readonly kind: 'help'; readonly text: string };

export interface CommandLine {
  readonly kind: 'command';
  readonly command: Command;
  readonly texts: Texts;
  readonly globals: Globals;
}

/** The raw texts of a command's parameters by name: undefined when omitted, a list when repeatable. */
type Texts = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/**
 * Parses a command line, loading only the group of its first word. `helpsWithGroups`: a group alone, such as `fiatrail fx`, asks
 * for its help. Throws CliError usage.
 */
export async function parse(
  given: readonly string[],
  catalogue: readonly Group[],
  world: Terminal,
  helpsWithGroups = false,
): Promise<Parsed> {
  const help = async (words: readonly string[]): Promise<Parsed> => {
    const { helpOf } = await import('../help/help.ts');
    return { kind: 'help', text: await helpOf(words, catalogue, world.stdout.columns) };
  };
  if (given[0] === 'help') {
    const page = await (await import('../help/help.ts')).pageNamed(given.slice(1), catalogue, world.stdout.columns);
    if (page !== undefined) return { kind: 'help', text: page };
  }
  const argv = withoutHelpWords(given);
  let shown: readonly string[] = [];
  let parsed: Parsed | undefined;
  const program = newCommander('fiatrail', (words) => {
    shown = words;
  });
  for (const [flags] of GLOBAL_OPTIONS) program.addOption(new Option(flags));
  program.option('--version');
  const wanted = firstWord(argv);
  const named = catalogue.filter(({ name }) => name === wanted);
  const groups = named.length > 0 ? named : catalogue;
  const typed = wordsIn(argv, wanted);
  for (const group of groups) {
    await addGroup(program, group, wanted === group.name ? typed : undefined, (command, texts) => {
      parsed = { kind: 'command', command, texts, globals: readGlobals(program.opts(), world) };
    });
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (
      error instanceof CommanderError &&
      (error.code === 'commander.helpDisplayed' || error.code === 'commander.help')
    ) {
      // A bare `fiatrail` prints help.
      if (wanted === undefined) return help([]);
      const words = wordsIn(argv, wanted);
      // Without --help, parsing reports the unknown name.
      if (error.exitCode === 0) return (await isCommand(named, words)) ? help(shown) : parse(words, catalogue, world);
      const renamed = await renamedForm(lineOf(argv, wanted), commandFinder(catalogue));
      if (renamed) throw renamed;
      if (helpsWithGroups && argv.length === shown.length) return help(shown);
      // A script that lost a word must fail.
      const { seeAlso } = await import('../help/suggest.ts');
      throw new CliError('usage', `incomplete command: fiatrail ${words.join(' ')}`, {
        hint: (await halfCommandHint(groups, words)) + seeAlso(words),
      });
    }
    throw error instanceof CommanderError ? await typingError(error, argv, wanted, catalogue) : error;
  }
  return parsed ?? help([]);
}

/** Returns the error for a command line that Commander cannot parse. */
async function typingError(
  error: CommanderError,
  argv: readonly string[],
  wanted: string | undefined,
  catalogue: readonly Group[],
): Promise<CliError> {
  const words = wordsIn(argv, wanted);
  const named = catalogue.filter(({ name }) => name === wanted);
  const chosen = await commandTyped(named, words);
  const line = lineOf(argv, wanted);
  // A command may have a name that begins with a former one.
  const renamed =
    (await renamedForm(line, commandFinder(catalogue), chosen?.words.length)) ??
    (chosen && renamedFlag(line, chosen, /unknown option '(--[\w-]+)/.exec(error.message)?.[1] ?? ''));
  return renamed ?? usageError(error, await commandIn(named, words), await meantBy(error, words, catalogue));
}

/** Returns the command that typed words name, which may have arguments after them. */
async function commandTyped([group]: readonly Group[], typed: readonly string[]): Promise<Command | undefined> {
  const all = (await group?.load()) ?? [];
  return all
    .filter(({ words }) => words.every((word, at) => typed[at] === word))
    .toSorted((a, b) => b.words.length - a.words.length)[0];
}

/** Cuts a command line at the words of its command, and at its first option. */
function lineOf(argv: readonly string[], wanted: string | undefined) {
  const words = wordsIn(argv, wanted);
  const at = wanted === undefined ? 0 : argv.indexOf(wanted);
  return { before: argv.slice(0, at), words, rest: argv.slice(at + words.length) };
}

const commandFinder = (catalogue: readonly Group[]) => async (name: string) => {
  const words = name.split(' ');
  return commandTyped(
    catalogue.filter((group) => group.name === words[0]),
    words,
  );
};

/** Makes the parser. It prints nothing: `shows` receives the command whose help was asked for (src/terminal/help/). */
function newCommander(name: string, shows: (words: readonly string[]) => void): Commander {
  return new Commander(name)
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {}, outputError: () => {} })
    .configureHelp({
      formatHelp: (command) => {
        shows(pathOf(command));
        return '';
      },
    })
    .showSuggestionAfterError(true)
    .helpCommand(false);
}

/** The words of a command, from the program to it: `fx`, `orders`. */
function pathOf(command: Commander): string[] {
  return command.parent ? [...pathOf(command.parent), command.name()] : [];
}

/** Turns `help fx trades start` into `fx trades start --help`, and `--version` into `version`. */
function withoutHelpWords(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  if (first === 'help') return [...rest, '--help'];
  if (firstWord(argv) !== undefined || !argv.includes('--version')) return argv;
  return ['version', ...argv.filter((word) => word !== '--version')];
}

/** Returns the first word that is neither an option nor an option's value. */
function firstWord(argv: readonly string[]): string | undefined {
  const withValue = new Set(
    GLOBAL_OPTIONS.flatMap(([flags]) =>
      flags.includes('<')
        ? flags
            .replace(/<.*/, '')
            .split(',')
            .map((flag) => flag.trim())
        : [],
    ),
  );
  for (let at = 0; at < argv.length; at++) {
    const text = argv[at] ?? '';
    if (text === '--') return argv[at + 1];
    if (!text.startsWith('-')) return text;
    if (withValue.has(text)) at += 1;
  }
  return undefined;
}

async function addGroup(
  program: Commander,
  group: Group,
  typed: readonly string[] | undefined,
  chosen: (command: Command, texts: Texts) => void,
): Promise<void> {
  if (!typed) {
    program.command(group.name);
    return;
  }
  const parents = new Map<string, Commander>([['', program]]);
  for (const command of possible(await group.load(), typed))
    addCommand(parentOf(parents, command.words), command, chosen);
}

/** Returns the one command that the typed words can mean, since defining a command takes a while; all if they may mean several, or none. */
function possible(commands: readonly Command[], typed: readonly string[]): readonly Command[] {
  const named = commands.find(({ words }) => startsWith(typed, words));
  const isOnly = named && commands.every(({ words }) => words === named.words || !startsWith(words, named.words));
  return isOnly ? [named] : commands;
}

/** Returns the Commander command for the words before the last, creating it and its parents as needed: `fx`, then `fx orders`. */
function parentOf(parents: Map<string, Commander>, words: readonly string[]): Commander {
  const above = words.slice(0, -1);
  const known = parents.get(above.join(' '));
  if (known) return known;
  const made = parentOf(parents, above)
    .command(above.at(-1) ?? '')
    .helpCommand(false);
  parents.set(above.join(' '), made);
  return made;
}

function addCommand(parent: Commander, command: Command, chosen: (command: Command, texts: Texts) => void): void {
  const name = command.words.at(-1) ?? '';
  const made = parent.command(name);
  const parameters = Object.entries(command.parameters);
  const args = parameters.filter(([, { kind }]) => kind === 'argument');
  // Commander refuses a missing argument before it can be asked for, so each is optional here; help says which are not.
  for (const [, { name: word, repeats }] of args) made.argument(`[${word}${repeats ? '...' : ''}]`);
  for (const [key, parameter] of parameters) if (parameter.kind === 'option') made.addOption(optionOf(key, parameter));
  made.action((...given: unknown[]) => {
    const options = made.opts();
    const texts = Object.fromEntries([
      ...args.map(([key], index) => [key, isEmptyList(given[index]) ? undefined : given[index]]),
      ...parameters.filter(([, { kind }]) => kind === 'option').map(([key]) => [key, options[key]]),
    ]);
    chosen(command, texts as Texts);
  });
}

const startsWith = (words: readonly string[], start: readonly string[]) =>
  start.every((word, index) => words[index] === word);

function isEmptyList(given: unknown): boolean {
  return Array.isArray(given) && given.length === 0;
}

function optionOf(key: string, parameter: Parameter<unknown>): Option {
  const option = new Option(parameter.name);
  // Values are stored under the parameter's name, not the flag's.
  option.attributeName = () => key;
  // A switch such as `--no-tag` is ours to read. Commander would take it for the opposite of `--tag`, and set that when it is omitted.
  option.negate = false;
  if (parameter.repeats) option.argParser(collected);
  else option.argParser(once(option));
  return option;
}

const collected = (text: string, before: readonly string[] | undefined) => [...(before ?? []), text];

/** Rejects a repeated option: with two amounts, either could be the mistake. */
const once =
  ({ long, flags }: Option) =>
  (text: string, before: string | true | undefined) => {
    if (before === undefined) return text;
    throw new CliError('usage', `${long ?? flags} was given more than once`, {
      code: 'USAGE',
      hint: 'give it only once',
    });
  };

/** The leading words of an incomplete command, up to the first option: `fx orders`. */
function wordsIn(argv: readonly string[], first: string | undefined): string[] {
  const from = argv.slice(argv.indexOf(first ?? ''));
  const end = from.findIndex((word) => word.startsWith('-'));
  return end === -1 ? from : from.slice(0, end);
}

async function halfCommandHint([group]: readonly Group[], typed: readonly string[]): Promise<string> {
  const all = (await group?.load()) ?? [];
  const commands = all.filter(({ words }) => startsWith(words, typed));
  return `expected one of: ${commands.map(({ words }) => `fiatrail ${words.join(' ')}`).join(', ')}`;
}

/** Whether words name a command, which may have arguments after them, or the start of one. */
async function isCommand(named: readonly Group[], words: readonly string[]): Promise<boolean> {
  const name = await commandIn(named, words);
  const all = (await named[0]?.load()) ?? [];
  return name.length === words.length || all.some((each) => each.words.join(' ') === name.join(' '));
}

/** Returns the typed words that name a command or the start of one: `users show`, or `fx orders` of `fx orders lst`. */
async function commandIn([group]: readonly Group[], typed: readonly string[]): Promise<readonly string[]> {
  const all = (await group?.load()) ?? [];
  const isKnown = (start: readonly string[]) => all.some(({ words }) => startsWith(words, start));
  const end = typed.findIndex((_, at) => !isKnown(typed.slice(0, at + 1)));
  return end === -1 ? typed : typed.slice(0, end);
}

const helpHint = (words: readonly string[]) => `run: ${['fiatrail', ...words, '--help'].join(' ')}`;

/** Returns a hint for a word that names no command, or that a command does not take. */
async function meantBy({ code }: CommanderError, words: readonly string[], catalogue: readonly Group[]) {
  if (code !== 'commander.unknownCommand' && code !== 'commander.excessArguments') return undefined;
  const { hintFor } = await import('../help/suggest.ts');
  return hintFor(words, catalogue);
}

/** Turns Commander's error into ours. For an option, its suggestion becomes the hint. */
function usageError(error: CommanderError, command: readonly string[], meant?: string): CliError {
  const [text = '', , suggested] = /^(.*?)(\s*\(Did you mean (.*)\?\))?$/s.exec(error.message)?.slice(1) ?? [];
  const option = error.code === 'commander.unknownOption' ? suggested : undefined;
  // Commander names the last word of the command only.
  const named = text.replace(/^(error: too many arguments for )'[^']*'/, `$1'${['fiatrail', ...command].join(' ')}'`);
  const hint = meant ?? (option ? `did you mean ${option}?` : helpHint(command));
  return new CliError('usage', visible(named.replace(/^error: /, '')), { code: 'USAGE', hint });
}
