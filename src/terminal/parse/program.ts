import { Command as Commander, CommanderError, Option } from 'commander';
import { CliError } from '../../base/errors.ts';
import type { Command, Group } from '../command.ts';
import { GLOBAL_OPTIONS, type Globals } from './globals.ts';
import type { Parameter } from './parameters.ts';
import { readGlobals, type Terminal } from './read-globals.ts';

/** A parsed command line: a command with its raw texts, or help text ready to print. */
type ParsedLine = CommandLine | { readonly kind: 'help'; readonly text: string };

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
): Promise<ParsedLine> {
  const help = async (words: readonly string[]): Promise<ParsedLine> => {
    const { helpOf } = await import('../help/help.ts');
    return { kind: 'help', text: await helpOf(words, catalogue, world.stdout.columns) };
  };
  if (given[0] === 'help') {
    const page = await (await import('../help/help.ts')).pageNamed(given.slice(1), catalogue, world.stdout.columns);
    if (page !== undefined) return { kind: 'help', text: page };
  }
  const argv = withoutHelpWords(given);
  let shown: readonly string[] = [];
  let parsed: CommandLine | undefined;
  const program = newCommander('fiatrail', (words) => {
    shown = words;
  });
  for (const [flags] of GLOBAL_OPTIONS) program.addOption(new Option(flags));
  program.option('--version');
  const wanted = firstWord(argv);
  const typed = wordsIn(argv, wanted);
  const group = catalogue.find(({ name }) => name === wanted);
  const parents = new Map<string, Commander>([['', program]]);
  if (group)
    for (const command of parentsFirst(possible(await group.load(), typed))) {
      const made = addCommand(parentOf(parents, command.words), command, (texts) => {
        parsed = { kind: 'command', command, texts, globals: readGlobals(program.opts(), world) };
      });
      parents.set(command.words.join(' '), made);
    }
  else for (const { name } of catalogue) program.command(name);
  try {
    program.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const isHelp = error.code === 'commander.helpDisplayed' || error.code === 'commander.help';
    // A bare `fiatrail` prints help.
    if (isHelp && wanted === undefined) return help([]);
    const { incompleteError, isCommand, renamedOrUndefined, typingError } = await import('./typing-error.ts');
    const at = wanted === undefined ? 0 : argv.indexOf(wanted);
    const line = {
      ...{ before: argv.slice(0, at), words: typed, rest: argv.slice(at + typed.length) },
      ...{ commands: (await group?.load()) ?? [], catalogue },
    };
    if (!isHelp) throw await typingError(error, line);
    // Without --help, parsing reports the unknown name.
    if (error.exitCode === 0) return isCommand(line) ? help(shown) : parse(typed, catalogue, world);
    const renamed = await renamedOrUndefined(line);
    if (!renamed && helpsWithGroups && argv.length === shown.length) return help(shown);
    // A script that lost a word must fail.
    throw renamed ?? (await incompleteError(line));
  }
  return parsed ?? help([]);
}

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
  for (let at = 0; at < argv.length; at++) {
    const text = argv[at] ?? '';
    if (text === '--') return argv[at + 1];
    if (!text.startsWith('-')) return text;
    if (takesValue(text)) at += 1;
  }
  return undefined;
}

const takesValue = (flag: string) =>
  GLOBAL_OPTIONS.some(([flags]) => flags.includes('<') && flags.replace(/ <.*/, '').split(', ').includes(flag));

/** Returns the one command that the typed words can mean, since defining a command takes a while; all if they may mean several, or none. */
function possible(commands: readonly Command[], typed: readonly string[]): readonly Command[] {
  const named = commands.find(({ words }) => startsWith(typed, words));
  const isOnly = named && commands.every(({ words }) => words === named.words || !startsWith(words, named.words));
  return isOnly ? [named] : commands;
}

/** A command such as `sync` also has others below it: `sync status`. */
const parentsFirst = (commands: readonly Command[]) => commands.toSorted((a, b) => a.words.length - b.words.length);

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

function addCommand(parent: Commander, command: Command, chosen: (texts: Texts) => void): Commander {
  const made = parent.command(command.words.at(-1) ?? '').helpCommand(false);
  const args: string[] = [];
  const options: string[] = [];
  for (const [key, parameter] of Object.entries(command.parameters)) {
    (parameter.kind === 'argument' ? args : options).push(key);
    if (parameter.kind === 'option') made.addOption(optionOf(key, parameter));
    // Commander refuses a missing argument before it can be asked for, so each is optional here; help says which are not.
    else made.argument(`[${parameter.name}${parameter.repeats ? '...' : ''}]`);
  }
  made.action((...given: unknown[]) => {
    const texts: Record<string, unknown> = {};
    for (const [index, key] of args.entries()) texts[key] = isEmptyList(given[index]) ? undefined : given[index];
    for (const key of options) texts[key] = made.opts()[key];
    chosen(texts as Texts);
  });
  return made;
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
  return parameter.repeats ? option.argParser(collected) : option.argParser(once(option));
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
