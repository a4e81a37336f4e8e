import { type Command, type Group, SECTIONS, type Section } from '../command.ts';
import { GLOBAL_OPTIONS } from '../parse/globals.ts';
import type { Parameter } from '../parse/parameters.ts';
import { COMMON_OPTIONS, optionsOf } from './global-options.ts';
import { type HelpRow, paragraphs, table, widest } from './layout.ts';

/** The width of a terminal, or of help without one. */
const HELP_COLUMNS = 80;

/** Returns the help of a command, of a group or part of one, or of the program if there are no words. */
export async function helpOf(
  words: readonly string[],
  catalogue: readonly Group[],
  columns = HELP_COLUMNS,
): Promise<string> {
  const group = catalogue.find(({ name }) => name === words[0]);
  if (!group) return firstScreen(catalogue, columns);
  const commands = await group.load();
  const found = commands.find((each) => each.words.join(' ') === words.join(' '));
  return found
    ? commandHelp(found, columns, belowOf(group, commands, words))
    : groupHelp(group, commands, words, columns);
}

/** Returns the page of `fiatrail help NAME`, if it is not the help of a command. */
export async function pageNamed(
  words: readonly string[],
  catalogue: readonly Group[],
  columns = HELP_COLUMNS,
): Promise<string | undefined> {
  const name = words.join(' ');
  if (name === 'commands') return commandsPage(catalogue, columns);
  if (name === 'options') return optionsPage(columns);
  const { topicPage, topicsPage } = await import('./topic-page.ts');
  if (name === 'topics') return topicsPage(columns);
  const page = topicPage(name, columns);
  if (page !== undefined || catalogue.some((group) => group.name === words[0])) return page;
  // `help refunds` is the page that `refunds` leads to.
  const [best = ''] = (await import('./suggest.ts')).meaningOf([], words)?.split(', ') ?? [];
  return best.startsWith('help ') ? pageNamed(best.split(' ').slice(1), catalogue, columns) : undefined;
}

/** Returns the help of the program: the commands that people use, by section, then the most common options. */
function firstScreen(catalogue: readonly Group[], columns: number): string {
  const shown = catalogue.filter(({ isSeldomUsed }) => !isSeldomUsed);
  const lines = [
    'Usage: fiatrail <command> [options]',
    ...paragraphs('Operate a stablecoin fiat-rail account from the command line.', columns),
    '',
    ...sectionLines(shown, columns),
    '',
    'Options:',
    ...table(COMMON_OPTIONS, columns, widest(COMMON_OPTIONS)),
    '',
    ...paragraphs('More: fiatrail <command> --help, and fiatrail help commands | options | topics', columns),
    ...paragraphs('No account yet? Everything works on the embedded sandbox: fiatrail tour', columns),
  ];
  return `${lines.join('\n')}\n`;
}

/** The name of the section stands beside its first command, which saves a line for each. */
function sectionLines(groups: readonly Group[], columns: number): string[] {
  const names = groups.map(({ name, summary }): HelpRow => [name, summary]);
  const left = Math.max(...SECTIONS.map(({ length }) => length)) + 2;
  return bySection(groups).flatMap(([section, members]) => {
    const rows = members.map(({ name, summary }): HelpRow => [name, summary]);
    const lines = table(rows, columns, widest(names), ' '.repeat(left));
    return lines.map((line, at) => (at === 0 ? section + line.slice(section.length) : line));
  });
}

const bySection = (groups: readonly Group[]): (readonly [Section, readonly Group[]])[] =>
  SECTIONS.map((section) => [section, groups.filter((each) => each.section === section)] as const).filter(
    ([, members]) => members.length > 0,
  );

/** Returns the page of all commands, also those that the first screen leaves out. */
async function commandsPage(catalogue: readonly Group[], columns: number): Promise<string> {
  const parts = await Promise.all(
    bySection(catalogue).map(async ([section, groups]) => {
      const commands = (await Promise.all(groups.map((group) => group.load()))).flat();
      return [section, commands.map(({ words, summary }): HelpRow => [words.join(' '), summary])] as const;
    }),
  );
  const termColumns = widest(parts.flatMap(([, rows]) => rows));
  const lines = parts.flatMap(([section, rows]) => [`${section}:`, ...table(rows, columns, termColumns), '']);
  return `${[...lines, 'Run "fiatrail <command> --help" for more about a command.'].join('\n')}\n`;
}

/** Returns the page of all global options. */
function optionsPage(columns: number): string {
  const rows: readonly HelpRow[] = [...GLOBAL_OPTIONS, ['-h, --help', 'show help'], ['--version', 'print the version']];
  const lines = [
    'Global options, which every command takes:',
    ...table(rows, columns, widest(rows)),
    '',
    'FIATRAIL_PROFILE and FIATRAIL_OUTPUT set a default for --profile and -o.',
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns the help of a command. */
function commandHelp(command: Command, columns: number, below: readonly HelpRow[]): string {
  const { words, summary, details, parameters, examples } = command;
  const rowsOf = (kind: 'argument' | 'option'): HelpRow[] =>
    Object.values(parameters)
      .filter((each) => each.kind === kind)
      .map((each) => [formOf(each), each.help + (kind === 'option' && each.required ? ' (required)' : '')]);
  const sections: readonly (readonly [title: string, rows: readonly HelpRow[]])[] = [
    ['Commands', below],
    ['Arguments', rowsOf('argument')],
    ['Options', rowsOf('option')],
    ['Global options', optionsOf(command)],
  ];
  const termColumns = widest(sections.flatMap(([, rows]) => rows));
  const lines = [
    `Usage: ${['fiatrail', ...words, usageOf(command)].filter(Boolean).join(' ')}`,
    '',
    ...paragraphs([summary, details].filter(Boolean).join('\n\n'), columns),
    ...sections.flatMap(([title, rows]) =>
      rows.length > 0 ? ['', `${title}:`, ...table(rows, columns, termColumns)] : [],
    ),
    '',
    'Examples:',
    ...examples.map((example) => `  $ ${example}`),
    '',
    'All global options: fiatrail help options',
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns the help of a group, or of a part of it such as `fx orders`, with what can be typed next. */
function groupHelp(group: Group, commands: readonly Command[], words: readonly string[], columns: number): string {
  const name = ['fiatrail', ...words].join(' ');
  const rows = nextRows(group, commands, words);
  const lines = [
    `Usage: ${name} <command> [options]`,
    '',
    ...paragraphs(partSummary(group, words) ?? group.summary, columns),
    '',
    'Commands:',
    ...table(rows, columns, widest(rows)),
    '',
    ...paragraphs(`Run "${name} <command> --help" for more about a command.`, columns),
  ];
  return `${lines.join('\n')}\n`;
}

const partSummary = ({ parts }: Group, words: readonly string[]) => parts?.[words.slice(1).join(' ')];

/** What may follow the words: a command with its arguments, or a part with the verbs that it has. */
function nextRows(group: Group, commands: readonly Command[], words: readonly string[]): HelpRow[] {
  const below = commands.filter((each) => words.every((word, at) => each.words[at] === word));
  const byNext = Map.groupBy(below, (each) => each.words[words.length] ?? '');
  return [...byNext].map(([next, found]): HelpRow => {
    const [only] = found;
    if (only?.words.length === words.length + 1) return [[next, ...argumentsOf(only)].join(' '), only.summary];
    const verbs = [...new Set(found.map((each) => each.words[words.length + 1] ?? ''))];
    return [next, `${partSummary(group, [...words, next]) ?? ''} (${verbs.join(', ')})`.trim()];
  });
}

/** What can be typed after a command that is a group too, such as `sync`. */
const belowOf = (group: Group, commands: readonly Command[], words: readonly string[]): HelpRow[] =>
  nextRows(
    group,
    commands.filter((each) => each.words.length > words.length),
    words,
  );

/** How a parameter is written: `<user-id>` for a required argument, `[address]` for an optional one, and an option as it is. */
export function formOf({ kind, name, required }: Parameter<unknown>): string {
  if (kind === 'option') return name;
  return required ? `<${name}>` : `[${name}]`;
}

/** Returns the arguments of a command as they are typed. */
function argumentsOf({ parameters }: Pick<Command, 'parameters'>): string[] {
  const args = Object.values(parameters).filter(({ kind }) => kind === 'argument');
  return args.map((each) => formOf(each) + (each.repeats ? '...' : ''));
}

/** Returns what follows the name of a command: `<user-id> [options]`. */
export function usageOf(command: Pick<Command, 'parameters'>): string {
  const hasOptions = Object.values(command.parameters).some(({ kind }) => kind === 'option');
  return [...argumentsOf(command), ...(hasOptions ? ['[options]'] : [])].join(' ');
}
