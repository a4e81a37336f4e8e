import { Command as Commander, CommanderError, Option } from 'commander';
import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import { DEFAULT_ZONE, zoneName, zoneNamed } from '../../base/zone.ts';
import { FORMATS, type Format } from '../../present/result.ts';
import { hasColor } from '../../present/style.ts';
import { hasLinks } from '../../present/text.ts';
import type { Command, Group } from '../command.ts';
import type { HelpLine } from '../help/help-line.ts';
import { agentIn } from './agent.ts';
import { ALIASES } from './aliases.ts';
import { GLOBAL_OPTIONS, type Globals, WHEN, type When } from './globals.ts';
import { duration, type Parameter } from './parameters.ts';

/** A parsed command line: a command with its raw texts, or help ready to print. */
type ParsedLine = CommandLine | HelpLine;

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
  const help = async (words: readonly string[], options: Record<string, unknown>): Promise<HelpLine> => {
    const { output, json } = options;
    const isFormatGiven = output !== undefined || json !== undefined;
    if (!isFormatGiven) {
      const { helpOf } = await import('../help/help.ts');
      return guided({ kind: 'help', text: await helpOf(words, catalogue, world.stdout.columns) }, options, world);
    }
    return helpLine(words, options, catalogue, world);
  };
  if (firstWord(given) === 'help') return helpCommand(given, catalogue, world);
  const asked = withVersionWord(given);
  let shown: readonly string[] = [];
  let parsed: CommandLine | undefined;
  const program = newCommander('fiatrail', (words) => {
    shown = words;
  });
  for (const [flags] of GLOBAL_OPTIONS) program.addOption(globalOption(flags));
  program.option('--version');
  const wanted = firstWord(asked);
  const group = catalogue.find(({ name }) => name === wanted);
  const commands = (await group?.load()) ?? [];
  const argv = withoutAlias(asked, wordsIn(asked, wanted), commands);
  const typed = wordsIn(argv, wanted);
  const parents = new Map<string, Commander>([['', program]]);
  if (group)
    for (const command of parentsFirst(possible(commands, typed))) {
      const made = addCommand(parentOf(parents, command.words), command, (texts) => {
        const { own, others } = optionsBetween(command, program.opts());
        parsed = { kind: 'command', command, texts: { ...texts, ...own }, globals: readGlobals(others, world) };
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
    if (isHelp && wanted === undefined) return help([], program.opts());
    const { incompleteError, isCommand, typingError } = await import('./typing-error.ts');
    const line = { words: typed, commands, catalogue };
    if (!isHelp) throw await typingError(error, line);
    // Without --help, parsing reports the unknown name.
    if (error.exitCode === 0) return isCommand(line) ? help(shown, program.opts()) : parse(typed, catalogue, world);
    if (helpsWithGroups && argv.length === shown.length) return help(shown, {});
    // A script that lost a word must fail.
    throw await incompleteError(line);
  }
  return parsed ?? help([], program.opts());
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

/** An option of every command. Of two agents, either could be the mistake, and one named like an option is none. */
function globalOption(flags: string): Option {
  const option = new Option(flags);
  if (option.long !== '--agent') return option;
  return option.argParser((text: string, before: string | true | undefined) => {
    if (!text.startsWith('-')) return once(option)(text, before);
    throw new CommanderError(1, 'commander.optionMissingArgument', `error: option '${flags}' argument missing`);
  });
}

/** Turns `--version` into `version`. */
function withVersionWord(argv: readonly string[]): readonly string[] {
  if (firstWord(argv) !== undefined || !argv.includes('--version')) return argv;
  return ['version', ...argv.filter((word) => word !== '--version')];
}

/** Answers `fiatrail help WORDS`, which takes the global options. Throws CliError usage. */
async function helpCommand(given: readonly string[], catalogue: readonly Group[], world: Terminal): Promise<HelpLine> {
  const at = given.indexOf('help');
  const argv = given.filter((word, index) => index !== at && word !== '--help' && word !== '-h');
  const program = newCommander('fiatrail help', () => {}).argument('[words...]');
  for (const [flags] of GLOBAL_OPTIONS) program.addOption(new Option(flags));
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const { typingError } = await import('./typing-error.ts');
    throw await typingError(error, { words: [], commands: [], catalogue });
  }
  return helpLine(program.args, program.opts(), catalogue, world);
}

/** Returns help about words in the format that the options name. Throws CliError usage. */
async function helpLine(
  words: readonly string[],
  options: Record<string, unknown>,
  catalogue: readonly Group[],
  world: Terminal,
): Promise<HelpLine> {
  const { present } = readGlobals(options, world);
  const isFormatGiven = options['output'] !== undefined || options['json'] !== undefined;
  const { helpAbout } = await import('../help/asked.ts');
  const format = isFormatGiven ? present.format : undefined;
  return guided(await helpAbout({ words, format, present, catalogue, world }), options, world);
}

/** Adds to the text of help what an agent must know. Throws CliError usage. */
async function guided(line: HelpLine, { agent }: Record<string, unknown>, { env }: Terminal): Promise<HelpLine> {
  if (!('text' in line) || agentIn(agent as string | undefined, env) === undefined) return line;
  const { FOR_AGENTS } = await import('../help/for-agents.ts');
  return { ...line, text: line.text + FOR_AGENTS };
}

/** Puts the verb of a command in the place of its alias: `users get ID` is `users show ID`. */
function withoutAlias(
  argv: readonly string[],
  typed: readonly string[],
  commands: readonly Command[],
): readonly string[] {
  const at = typed.findIndex((_, index) => !commands.some(({ words }) => startsWith(words, typed.slice(0, index + 1))));
  const alias = typed[at] ?? '';
  const is = (words: readonly string[]) => commands.some((command) => command.words.join(' ') === words.join(' '));
  const verb = (at > 0 ? ALIASES.get(alias) : undefined)?.find((each) => is([...typed.slice(0, at), each]));
  return verb === undefined ? argv : argv.with(argv.indexOf(alias), verb);
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
  // With `report balance`, the options of `report` are not those that are meant.
  const named = parentsFirst(commands).findLast(({ words }) => startsWith(typed, words));
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
  // A command below this one may have options of the same name.
  const made = parent
    .command(command.words.at(-1) ?? '')
    .helpCommand(false)
    .enablePositionalOptions();
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
    throw new CliError('usage', `${long ?? flags} was given more than once; expected one value`);
  };

/** Separates a global option from that of the command, where both have one name: `ops list --agent` is about a list. */
function optionsBetween({ parameters }: Command, given: Record<string, unknown>) {
  const isOwn = ([name]: [string, unknown]) => parameters[name]?.name.startsWith(`--${name} `) === true;
  const [own, others] = [true, false].map((wanted) => Object.entries(given).filter((each) => isOwn(each) === wanted));
  return { own: Object.fromEntries(own ?? []) as Texts, others: Object.fromEntries(others ?? []) };
}

/** The leading words of an incomplete command, up to the first option: `fx orders`. */
function wordsIn(argv: readonly string[], first: string | undefined): string[] {
  const from = argv.slice(argv.indexOf(first ?? ''));
  const end = from.findIndex((word) => word.startsWith('-'));
  return end === -1 ? from : from.slice(0, end);
}

/** The parts of the World that the global flags and help depend on. */
type Terminal = Pick<World, 'env' | 'stdout' | 'ownFile'>;

const DEFAULT_TIMEOUT_MS = 60_000;
const LONGEST_TIMEOUT_MS = 86_400_000;

/** Reads the global flags, and the environment where a flag is omitted. Throws CliError usage. */
function readGlobals(options: Record<string, unknown>, { env, stdout }: Terminal): Globals {
  const text = (name: string) => (typeof options[name] === 'string' ? (options[name] as string) : undefined);
  const timeout = text('timeout');
  const zone = text('tz');
  const color = options['color'] === undefined ? 'auto' : whenOf(options['color']);
  const flag = options['json'] === true ? jsonWith(text('output')) : text('output');
  const given = flag ?? (env['FIATRAIL_OUTPUT'] || undefined);
  const agent = agentIn(text('agent'), env);
  const format =
    given === undefined
      ? agent === undefined
        ? 'table'
        : 'json'
      : formatOf(given, flag === undefined ? 'FIATRAIL_OUTPUT' : '--output');
  const isQueryRequired = options['queryRequired'] === true;
  if (isQueryRequired && options['query'] === undefined)
    throw new CliError('usage', '--query-required needs --query', { hint: 'add --query EXPRESSION' });
  return {
    profile: text('profile'),
    agent,
    color,
    isFormatChosen: given !== undefined,
    present: {
      format,
      fields: text('fields')
        ?.split(',')
        .map((field) => field.trim()),
      query: text('query'),
      isCsvRaw: options['csvRaw'] === true,
      isQueryRequired,
      color: hasColor(color, stdout, env),
      hasLinks: hasLinks(stdout, env),
      isPlain: env['TERM'] === 'dumb',
      isPiped: !stdout.isTerminal,
      isQuiet: options['quiet'] === true && !stdout.isTerminal,
      width: stdout.isTerminal ? undefined : columnsIn(env),
    },
    zone: zoneNamed(zone === undefined ? DEFAULT_ZONE : named('--tz', () => zoneName(zone))),
    isZoneChosen: zone !== undefined,
    isMasked: typeof options['mask'] === 'boolean' ? options['mask'] : undefined,
    // An agent is told what its answer says, and warned.
    quiet: options['quiet'] === true || agent !== undefined,
    verbose: options['verbose'] === true,
    noInput: options['input'] === false || agent !== undefined,
    yes: options['yes'] === true,
    dryRun: options['dryRun'] === true,
    timeoutMs:
      timeout === undefined
        ? DEFAULT_TIMEOUT_MS
        : named('--timeout', () => Math.min(duration(timeout), LONGEST_TIMEOUT_MS)),
  };
}

/** Reads --color; Commander gives false for --no-color. Throws CliError usage. */
function whenOf(text: unknown): When {
  if (text === false) return 'never';
  const found = WHEN.find((each) => each === text);
  if (found) return found;
  throw new CliError('usage', `--color: invalid value "${String(text).slice(0, 30)}"`, {
    hint: `expected one of ${WHEN.join(', ')}`,
  });
}

/** Shells set COLUMNS to the width of their terminal; a value that is no width counts as none. */
function columnsIn({ COLUMNS = '' }: World['env']): number | undefined {
  return /^[1-9]\d{0,4}$/.test(COLUMNS) ? Number(COLUMNS) : undefined;
}

/** Names the flag in an error about its value. */
function named<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof CliError ? new CliError('usage', `${flag}: ${error.message}`, { hint: error.hint }) : error;
  }
}

/** Returns the format of --json, with which `output` may agree. */
function jsonWith(output: string | undefined): string {
  if (output === undefined || output === 'json') return 'json';
  throw new CliError('usage', `--json and --output ${output.slice(0, 30)} cannot be combined`, {
    hint: 'use only one of them',
  });
}

function formatOf(text: string, from: string): Format {
  const found = FORMATS.find((format) => format === text);
  if (found) return found;
  throw new CliError('usage', `${from}: invalid output format "${text.slice(0, 30)}"`, {
    hint: `expected one of ${FORMATS.join(', ')}`,
  });
}

export function isJsonFormat(format: string | undefined): boolean {
  return format === 'json' || format === 'ndjson';
}
