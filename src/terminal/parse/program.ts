import { Command as Commander, CommanderError, Option } from 'commander';
import { CliError } from '../../base/errors.ts';
import type { Command, Group } from '../command.ts';
import { GLOBAL_OPTIONS, type Globals } from './globals.ts';
import type { Parameter } from './parameters.ts';
import { readGlobals, type Terminal } from './read-globals.ts';
import { renamedForm } from './renamed-form.ts';

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

/** The width of help without a terminal. */
const HELP_COLUMNS = 80;

/** Parses a command line, loading only the group of its first word. Throws CliError usage. */
export async function parse(given: readonly string[], catalogue: readonly Group[], world: Terminal): Promise<Parsed> {
  const argv = withoutHelpWords(given);
  let help = '';
  let parsed: Parsed | undefined;
  const program = newCommander('fiatrail', world.stdout.columns ?? HELP_COLUMNS, (text) => {
    help += text;
  });
  program.description('Operate a stablecoin fiat-rail account from the command line.').usage('<command> [options]');
  for (const [flags, text] of GLOBAL_OPTIONS) program.addOption(new Option(flags, text));
  program.option('--version', 'print the version');
  const wanted = firstWord(argv);
  const named = catalogue.filter(({ name }) => name === wanted);
  const groups = named.length > 0 ? named : catalogue;
  for (const group of groups) {
    await addGroup(program, group, wanted === group.name, (command, texts) => {
      parsed = { kind: 'command', command, texts, globals: readGlobals(program.opts(), world) };
    });
  }
  program.addHelpText(
    'after',
    '\nRun "fiatrail <command> --help" for more about a command.\nNo account yet? Everything works on the embedded sandbox; start with "fiatrail tour".',
  );
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (
      error instanceof CommanderError &&
      (error.code === 'commander.helpDisplayed' || error.code === 'commander.help')
    ) {
      // A bare `fiatrail` prints help.
      if (wanted === undefined) return { kind: 'help', text: help };
      const words = wordsIn(argv, wanted);
      // Without --help, parsing reports the unknown name.
      if (error.exitCode === 0)
        return (await isCommand(named, words)) ? { kind: 'help', text: help } : parse(words, catalogue, world);
      // An incomplete command such as `fiatrail fx` is an error, so that scripts fail.
      const renamed = renamedForm(words, argv.slice(argv.indexOf(wanted) + words.length));
      if (renamed) throw renamed;
      throw new CliError('usage', `incomplete command: fiatrail ${words.join(' ')}`, {
        hint: await halfCommandHint(groups, words),
      });
    }
    if (!(error instanceof CommanderError)) throw error;
    const words = wordsIn(argv, wanted);
    const renamed = renamedForm(words, argv.slice(argv.indexOf(wanted ?? '') + words.length));
    throw renamed ?? usageError(error, await commandIn(named, words));
  }
  return parsed ?? { kind: 'help', text: help || program.helpInformation() };
}

function newCommander(name: string, columns: number, take: (text: string) => void): Commander {
  return new Commander(name)
    .exitOverride()
    .configureOutput({
      ...{ writeOut: take, writeErr: take, outputError: () => {} },
      ...{ getOutHelpWidth: () => columns, getErrHelpWidth: () => columns },
    })
    .configureHelp({ minWidthToWrap: 24 })
    .showSuggestionAfterError(true)
    .helpCommand(false);
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
  isWanted: boolean,
  chosen: (command: Command, texts: Texts) => void,
): Promise<void> {
  if (!isWanted) {
    program.command(group.name).description(group.summary);
    return;
  }
  const parents = new Map<string, Commander>([['', program]]);
  for (const command of await group.load()) addCommand(parentOf(parents, command.words, group), command, chosen);
}

/** Returns the Commander command for the words before the last, creating it and its parents as needed: `fx`, then `fx orders`. */
function parentOf(parents: Map<string, Commander>, words: readonly string[], group: Group): Commander {
  const above = words.slice(0, -1);
  const known = parents.get(above.join(' '));
  if (known) return known;
  const summary = group.parts?.[above.slice(1).join(' ')] ?? group.summary;
  const made = parentOf(parents, above, group)
    .command(above.at(-1) ?? '')
    .description(summary)
    .helpCommand(false);
  parents.set(above.join(' '), made);
  return made;
}

function addCommand(parent: Commander, command: Command, chosen: (command: Command, texts: Texts) => void): void {
  const name = command.words.at(-1) ?? '';
  const made = parent.command(name).description([command.summary, command.details].filter(Boolean).join('\n\n'));
  made.summary(command.summary);
  const parameters = Object.entries(command.parameters);
  const args = parameters.filter(([, { kind }]) => kind === 'argument');
  for (const [, { name: word, help, repeats }] of args) made.argument(`[${word}${repeats ? '...' : ''}]`, help);
  for (const [key, parameter] of parameters) if (parameter.kind === 'option') made.addOption(optionOf(key, parameter));
  made.addHelpText(
    'after',
    `\nExamples:\n${command.examples.map((example) => `  $ ${example}`).join('\n')}\n\nGlobal options: fiatrail --help`,
  );
  made.action((...given: unknown[]) => {
    const options = made.opts();
    const texts = Object.fromEntries([
      ...args.map(([key], index) => [key, isEmptyList(given[index]) ? undefined : given[index]]),
      ...parameters.filter(([, { kind }]) => kind === 'option').map(([key]) => [key, options[key]]),
    ]);
    chosen(command, texts as Texts);
  });
}

function isEmptyList(given: unknown): boolean {
  return Array.isArray(given) && given.length === 0;
}

function optionOf(key: string, parameter: Parameter<unknown>): Option {
  const option = new Option(parameter.name, parameter.help + (parameter.required ? ' (required)' : ''));
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
  const commands = all.filter(({ words }) => typed.every((word, index) => words[index] === word));
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
  const isKnown = (start: readonly string[]) => all.some(({ words }) => start.every((word, at) => words[at] === word));
  const end = typed.findIndex((_, at) => !isKnown(typed.slice(0, at + 1)));
  return end === -1 ? typed : typed.slice(0, end);
}

const helpHint = (words: readonly string[]) => `run: ${['fiatrail', ...words, '--help'].join(' ')}`;

/** Turns Commander's error into ours: the prefix is dropped and its suggestion becomes the hint. */
function usageError(error: CommanderError, command: readonly string[]): CliError {
  const [first = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const meant = /Did you mean (.*)\?/.exec(suggestion ?? first)?.[1];
  const message = first.replace(/\s*\(Did you mean .*\)$/, '');
  return new CliError('usage', message, { code: 'USAGE', hint: meant ? `did you mean ${meant}?` : helpHint(command) });
}
