import type { World } from '../../base/world.ts';
import { zoneNames } from '../../base/zone.ts';
import { FORMATS } from '../../present/result.ts';
import { plainLine } from '../../present/text.ts';
import type { Group } from '../../terminal/command.ts';
import { GLOBAL_OPTIONS } from '../../terminal/parse/globals.ts';
import type { Candidate } from './known.ts';
import { type Outline, type OutlinedParameter, outlineOf } from './outline.ts';

/** Tells the shell to complete file names itself. */
export const FILES = 'files';

interface Option {
  /** `-o` and `--output`. */
  readonly names: readonly string[];
  /** The text in `<…>`; undefined for a switch. */
  readonly placeholder: string | undefined;
  /** False for `--wait [duration]`. */
  readonly needsValue: boolean;
  readonly about: string;
  readonly values?: readonly string[];
  readonly repeats?: boolean;
}

/** The words and flags before the cursor. */
interface LineSoFar {
  readonly words: readonly string[];
  readonly given: readonly string[];
  /** The option whose value is being typed. */
  readonly open: Option | undefined;
  readonly profile: string | undefined;
}

/** A partial command line, resolved up to the cursor. */
interface LineState {
  readonly current: string;
  readonly group: Group | undefined;
  /** The commands of the group. */
  readonly commands: readonly Outline[];
  readonly command: Outline | undefined;
  /** The command's own options and the global ones. */
  readonly options: readonly Option[];
  readonly line: LineSoFar;
}

/** Returns the next words of a command that is itself an argument, as after `schema` and `help`. */
async function commandWords(words: readonly string[], catalogue: readonly Group[]): Promise<readonly Candidate[]> {
  const group = catalogue.find(({ name }) => name === words[0]);
  return nextWords({ group, commands: group ? await outlineOf(group) : [] }, words, catalogue);
}

/** Returns the words after `help`: a command, or a page that is about none. */
async function helpWords(words: readonly string[], catalogue: readonly Group[]): Promise<readonly Candidate[]> {
  const commands = await commandWords(words, catalogue);
  if (words.length > 0) return commands;
  const { TOPICS } = await import('../../terminal/help/topics/index.ts');
  const topics = TOPICS.map(({ name, title }): Candidate => ({ text: name, about: title }));
  const pages = [
    { text: 'commands', about: 'All commands' },
    { text: 'options', about: 'All global options' },
    { text: 'topics', about: 'All topics' },
  ];
  return [...commands, ...pages, ...topics];
}

async function resolveLine(typed: readonly string[], catalogue: readonly Group[]): Promise<LineState> {
  const all = joined(typed);
  const before = all.slice(0, -1);
  const { words } = read(before, GLOBALS);
  const group = catalogue.find(({ name }) => name === words[0]);
  const commands = group ? await outlineOf(group) : [];
  const command = commandIn(commands, words);
  const options = [...(command ? optionsOf(command) : []), ...GLOBALS];
  return { current: all.at(-1) ?? '', group, commands, command, options, line: read(before, options) };
}

/**
 * Returns the completions for a command line whose last word is being typed. Sends nothing and writes nothing: ids come
 * from the journal, the embedded sandbox and the copy of the account.
 */
export async function candidatesFor(
  typed: readonly string[],
  catalogue: readonly Group[],
  world: World,
): Promise<readonly Candidate[] | typeof FILES> {
  const at = await resolveLine(typed, catalogue);
  const { current, line, options } = at;
  const valuesOf = async (option: Option, start: string, prefix = '') => {
    const values = await valuesFor(option, { line, start }, world);
    if (values === FILES) return FILES;
    return matching(values, start).map((each) => ({ ...each, text: prefix + each.text }));
  };
  const [, name, text = ''] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  if (name !== undefined) {
    const option = options.find(({ names }) => names.includes(name));
    return option ? valuesOf(option, text, `${name}=`) : [];
  }
  if (line.open?.needsValue) return valuesOf(line.open, current);
  if (current.startsWith('-')) return matching(flagsOf(options, line), current);
  if (line.words[0] === 'help') return matching(await helpWords(line.words.slice(1), catalogue), current);
  if (!at.command) return matching(nextWords(at, line.words, catalogue), current);
  const position = line.words.length - at.command.words.length;
  const argument = argumentAt(at.command, position);
  if (!argument) return matching(flagsOf(options, line), current);
  if (argument.placeholder !== 'command') return valuesOf(argument, current);
  return matching(await commandWords(line.words.slice(at.command.words.length), catalogue), current);
}

/** Bash makes `=` a separate word: joins `--output`, `=`, `json` into an option and its value, which may still be empty. */
function joined(words: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    if (word !== '=' || !words[index - 1]?.startsWith('--')) return [word];
    return index === words.length - 1 ? [''] : [];
  });
}

function matching(candidates: readonly Candidate[], start: string): Candidate[] {
  return candidates.filter(({ text, isNamed }) => isNamed || text.startsWith(start));
}

const GLOBAL_VALUES: Readonly<Record<string, readonly string[]>> = {
  format: FORMATS,
};

const GLOBALS: readonly Option[] = [...GLOBAL_OPTIONS, ['-h, --help', 'show help'] as const].map(([flags, about]) => {
  const option = optionOf(flags, about);
  const values = GLOBAL_VALUES[option.placeholder ?? ''];
  return values ? { ...option, values } : option;
});

function optionOf(flags: string, about: string): Option {
  const names = flags.split(/,? /).filter((part) => part.startsWith('-'));
  const [, open, placeholder] = /([<[])([^>\]]*)[>\]]$/.exec(flags) ?? [];
  return { names, placeholder, needsValue: open === '<', about };
}

function optionsOf({ parameters }: Outline): Option[] {
  return Object.values(parameters)
    .filter(({ kind }) => kind === 'option')
    .map((parameter) => ({ ...optionOf(parameter.name, parameter.help), ...shown(parameter) }));
}

function shown({ values, repeats }: OutlinedParameter) {
  return { ...(values ? { values } : {}), ...(repeats ? { repeats } : {}) };
}

/** Separates words from flags; an option that takes a value consumes the next word. */
function read(typed: readonly string[], options: readonly Option[]): LineSoFar {
  const words: string[] = [];
  const given: string[] = [];
  let open: Option | undefined;
  let profile: string | undefined;
  for (const word of typed) {
    if (open && (open.needsValue || !word.startsWith('-'))) {
      if (open.names.includes('--profile')) profile = word;
      open = undefined;
    } else if (word.startsWith('-')) {
      const [name = '', value] = word.split('=', 2);
      const option = options.find(({ names }) => names.includes(name));
      given.push(name);
      open = value === undefined && option?.placeholder !== undefined ? option : undefined;
      if (name === '--profile' && value !== undefined) profile = value;
    } else {
      words.push(word);
    }
  }
  return { words, given, open, profile };
}

/** Returns the longest command that the words begin with: one command may be a prefix of another. */
function commandIn(commands: readonly Outline[], words: readonly string[]): Outline | undefined {
  const fitting = commands.filter((each) => each.words.every((word, index) => word === words[index]));
  return fitting.toSorted((a, b) => b.words.length - a.words.length)[0];
}

/** The next words that lead to a command. */
function nextWords(
  { group, commands }: Pick<LineState, 'group' | 'commands'>,
  words: readonly string[],
  catalogue: readonly Group[],
): Candidate[] {
  if (words.length === 0) return catalogue.map(({ name, summary }) => ({ text: name, about: summary }));
  const below = commands.filter((each) => words.every((word, index) => each.words[index] === word));
  const next = new Map(
    below.map((each): [string, string] => {
      const path = each.words.slice(0, words.length + 1);
      const about = path.length === each.words.length ? each.summary : group?.parts?.[path.slice(1).join(' ')];
      return [path.at(-1) ?? '', about ?? each.summary];
    }),
  );
  return [...next].map(([text, about]) => ({ text, about }));
}

/** The flags not given yet, by their long names. */
function flagsOf(options: readonly Option[], { given }: LineSoFar): Candidate[] {
  return options
    .filter(({ names, repeats }) => repeats || !names.some((name) => given.includes(name)))
    .map(({ names, about }) => ({ text: names.at(-1) ?? '', about }));
}

/** The argument at a position; a repeatable last argument covers all later positions. */
function argumentAt({ parameters }: Outline, index: number): Option | undefined {
  const all = Object.values(parameters).filter(({ kind }) => kind === 'argument');
  const found = all[index] ?? (all.at(-1)?.repeats ? all.at(-1) : undefined);
  if (!found) return undefined;
  const placeholder = found.name.replace(/\.\.\.$/, '');
  return { names: [], placeholder, needsValue: true, about: found.help, ...shown(found) };
}

/** Whether the value is a profile name: `--profile`, `--save <profile>` and the argument of `profiles use`. */
function isProfile(names: readonly string[], placeholder: string, { words: [group] }: LineSoFar): boolean {
  const isArgument = names.length === 0 && placeholder === 'name' && group === 'profiles';
  return isArgument || names.includes('--profile') || placeholder === 'profile';
}

const FILE_PLACEHOLDERS = ['file', 'path'];

interface Typing {
  readonly line: LineSoFar;
  /** The typed part of the value. */
  readonly start: string;
}

async function valuesFor(
  { names, values, placeholder = '' }: Option,
  { line, start }: Typing,
  world: World,
): Promise<readonly Candidate[] | typeof FILES> {
  if (values) return values.map((text) => ({ text }));
  if (FILE_PLACEHOLDERS.includes(placeholder)) return FILES;
  if (placeholder === 'zone') return zoneNames().map((text) => ({ text }));
  if (/^endpoint(-id)?$/.test(placeholder)) {
    const { endpoints } = await import('../../contract/endpoints/index.ts');
    return endpoints.map(({ id, summary }) => ({ text: id, about: summary }));
  }
  const isOfProfiles = isProfile(names, placeholder, line);
  if (placeholder === '' && !isOfProfiles) return [];
  const { isKnown, knownFor, PLAN, profileCandidates } = await import('./known.ts');
  if (isOfProfiles) return profileCandidates(world);
  if (!isKnown(placeholder)) return [];
  const found = await knownFor(placeholder, { group: line.words[0] ?? '', profile: line.profile, start }, world);
  return found.length === 0 && placeholder === PLAN ? FILES : found;
}

const LONGEST_ABOUT = 80;

/** A word that needs no quoting in any shell. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** Prints one completion per line with its description after a tab, or `:files` alone. Never fails. */
export async function complete(typed: readonly string[], catalogue: readonly Group[], world: World): Promise<number> {
  try {
    const found = await candidatesFor(typed, catalogue, world);
    const lines = found === FILES ? [':files'] : found.filter(({ text }) => PLAIN_WORD.test(text)).map(lineOf);
    await world.stdout.write(lines.map((line) => `${line}\n`).join(''));
  } catch {
    // A failed completion prints nothing.
  }
  return 0;
}

function lineOf({ text, about = '' }: Candidate): string {
  const plain = plainLine(about).trim();
  const short = plain.length > LONGEST_ABOUT ? `${plain.slice(0, LONGEST_ABOUT - 1).toWellFormed()}…` : plain;
  return short === '' ? text : `${text}\t${short}`;
}
