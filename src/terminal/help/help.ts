import { FORMATS } from '../../present/result.ts';
import { type Command, type Group, usesProfile } from '../command.ts';
import { GLOBAL_OPTIONS } from '../parse/globals.ts';
import type { Parameter } from '../parse/parameters.ts';
import type { Topic, TopicBlock } from './topics/topic.ts';

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

/** Returns a page of `fiatrail help NAME` that is about no command; undefined if there is none of this name. */
export async function pageNamed(
  words: readonly string[],
  catalogue: readonly Group[],
  columns = HELP_COLUMNS,
): Promise<string | undefined> {
  const name = words.join(' ');
  if (name === 'commands') return commandsPage(catalogue, columns);
  if (name === 'options') return optionsPage(columns);
  const { TOPICS } = await import('./topics/index.ts');
  return name === 'topics' ? topicsPage(TOPICS, columns) : topicPage(TOPICS, name, columns);
}

/** Returns the name of the page that words mean: `help refunds` is the page that `refunds` leads to. */
export async function pageMeant(words: readonly string[]): Promise<string | undefined> {
  const name = words.join(' ');
  const { TOPICS } = await import('./topics/index.ts');
  if (['commands', 'options', 'topics', ...TOPICS.map((topic) => topic.name)].includes(name)) return name;
  const { meaningOf } = await import('./suggest.ts');
  const [best = ''] = meaningOf([], words, name.split(/[\s_-]+/).length)?.split(', ') ?? [];
  return best.startsWith('help ') ? best.slice('help '.length) : undefined;
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
    ...paragraphs('More: <command> --help, and fiatrail help commands | options | topics | WORDS', columns),
    ...paragraphs('No account yet? Everything works on the embedded sandbox: fiatrail tour', columns),
  ];
  return `${lines.join('\n')}\n`;
}

/** The name of the section stands beside its first command, which saves a line for each. */
function sectionLines(groups: readonly Group[], columns: number): string[] {
  const names = groups.map(({ name, summary }): HelpRow => [name, summary]);
  const sections = [...Map.groupBy(groups, ({ section }) => section)];
  const left = Math.max(...sections.map(([{ length }]) => length)) + 2;
  return sections.flatMap(([section, members]) => {
    const rows = members.map(({ name, summary }): HelpRow => [name, summary]);
    const lines = table(rows, columns, widest(names), ' '.repeat(left));
    return lines.map((line, at) => (at === 0 ? section + line.slice(section.length) : line));
  });
}

/** Returns the page of all commands, also those that the first screen leaves out. */
async function commandsPage(catalogue: readonly Group[], columns: number): Promise<string> {
  const parts = await Promise.all(
    [...Map.groupBy(catalogue, ({ section }) => section)].map(async ([section, groups]) => {
      const commands = (await Promise.all(groups.map((group) => group.load()))).flat();
      return [section, commands.map(({ words, summary }): HelpRow => [words.join(' '), summary])] as const;
    }),
  );
  const termColumns = widest(parts.flatMap(([, rows]) => rows));
  const lines = parts.flatMap(([section, rows]) => [`${section}:`, ...table(rows, columns, termColumns), '']);
  return `${[...lines, 'Run "fiatrail <command> --help" for more about a command.'].join('\n')}\n`;
}

/** What every command takes. */
export const OPTIONS_OF_ALL: readonly HelpRow[] = [
  ...GLOBAL_OPTIONS,
  ['-h, --help', 'show help'],
  ['--version', 'print the version'],
];

/** Returns the page of all global options. */
function optionsPage(columns: number): string {
  const lines = [
    'Global options, which every command takes:',
    ...table(OPTIONS_OF_ALL, columns, widest(OPTIONS_OF_ALL)),
    '',
    'FIATRAIL_PROFILE and FIATRAIL_OUTPUT set a default for --profile and -o.',
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns the help of a command. */
async function commandHelp(command: Command, columns: number, below: readonly HelpRow[]): Promise<string> {
  const { words, summary, details, parameters, examples } = command;
  const rowsOf = (kind: 'argument' | 'option'): HelpRow[] =>
    Object.values(parameters)
      .filter((each) => each.kind === kind)
      .map((each) => [formOf(each), aboutOf(each)]);
  const sections: readonly (readonly [title: string, rows: readonly HelpRow[]])[] = [
    ['Commands', below],
    ['Arguments', rowsOf('argument')],
    ['Options', rowsOf('option')],
    ['Global options', await optionsOf(command)],
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

export const partSummary = ({ parts }: Group, words: readonly string[]) => parts?.[words.slice(1).join(' ')];

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

/** What is said of a parameter everywhere: its help, whether it can be repeated, and whether an option is required. */
export function aboutOf({ kind, help, required, repeats }: Parameter<unknown>): string {
  if (kind === 'argument') return help;
  return `${help}${repeats ? '; can be repeated' : ''}${required ? ' (required)' : ''}`;
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

/** Code needs no marks where everything is in one font. */
const plain = (text: string) => text.replaceAll('`', '');

/** Returns the page of a topic, if there is one of this name. */
function topicPage(topics: readonly Topic[], name: string, columns: number): string | undefined {
  const topic = topics.find((each) => each.name === name);
  if (!topic) return undefined;
  const parts = numbered(topic).flatMap(({ block, number }) => ['', ...blockLines(block, number, columns)]);
  return `${[topic.title, ...parts, '', `More: docs/${topic.more}, and fiatrail help topics`].join('\n')}\n`;
}

/** Gives each step its number. */
export function numbered({ blocks }: Topic): { readonly block: TopicBlock; readonly number: number }[] {
  return blocks.map((block, at) => ({ block, number: blocks.slice(0, at + 1).filter(isStep).length }));
}

export const isStep = (block: TopicBlock): block is Extract<TopicBlock, { step: string }> =>
  typeof block !== 'string' && 'step' in block;

const commandLines = (run: readonly string[], indent: string) => run.map((line) => `${indent}$ ${line}`);

function blockLines(block: TopicBlock, number: number, columns: number): string[] {
  if (typeof block === 'string') return paragraphs(plain(block), columns);
  if (isStep(block)) {
    const [first = '', ...rest] = paragraphs(plain(block.step), columns - 3);
    return [`${number}. ${first}`, ...rest.map((line) => `   ${line}`), ...commandLines(block.run ?? [], '     ')];
  }
  if ('run' in block) return commandLines(block.run, '  ');
  const rows = block.rows.map(([what, how]): HelpRow => [plain(what), plain(how)]);
  return table(rows, columns, widest(rows));
}

/** Returns the list of topics. */
function topicsPage(topics: readonly Topic[], columns: number): string {
  const rows = topics.map(({ name, title }): HelpRow => [name, title]);
  const lines = ['Topics, which fiatrail help TOPIC prints:', ...table(rows, columns, widest(rows))];
  return `${[...lines, '', 'To look for words in topics, commands and the pages below docs/: fiatrail help WORDS'].join('\n')}\n`;
}

const PROFILE: HelpRow = ['--profile <name>', 'profile to use'];

const OUTPUT: HelpRow = ['-o, --output <format>', FORMATS.join(', ')];

const FIELDS: HelpRow = ['--fields <a,b>', 'fields to print, comma-separated'];

const QUERY: HelpRow = ['--query <JMESPath>', 'filter the output with a JMESPath expression'];

const ZONE: HelpRow = ['--tz <zone>', 'time zone of the dates'];

const YES: HelpRow = ['-y, --yes', 'skip confirmation prompts'];

const DRY_RUN: HelpRow = ['--dry-run', 'print the request without sending it'];

/** Of commands that send no request to the service. */
const LOCAL_DRY_RUN: HelpRow = ['--dry-run', 'show what the command would do, without doing it'];

/** The options that people use most, for the first screen. */
const COMMON_OPTIONS: readonly HelpRow[] = [PROFILE, OUTPUT, YES, DRY_RUN, ['-h, --help', 'show help']];

/** Commands that ask before they do something, besides those that move money. */
export const ASKING: readonly string[] = [
  'agent remove',
  'agent setup',
  'api',
  'bank-accounts add',
  'bank-accounts remove',
  'bank-accounts update',
  'bulk cancel',
  'bulk create',
  'bulk resume',
  'fees set',
  'fx auto-signing enable',
  'fx auto-signing set',
  'fx orders cancel',
  'fx orders pause',
  'fx orders resume',
  'fx orders update',
  'fx vault register',
  'ip add',
  'ip remove',
  'ip replace',
  'keys encryption enable',
  'keys encryption rotate',
  'keys platform accept',
  'keys rotate',
  'plans apply',
  'ops resolve',
  'plans approve',
  'ops journal verify',
  'profiles journal set',
  'profiles inbox set',
  'profiles plans set',
  'profiles approvers add',
  'profiles approvers cancel',
  'profiles approvers remove',
  'profiles remove',
  'profiles rules set',
  'profiles approval-threshold set',
  'profiles trust',
  'report accept',
  'report close',
  'report reopen',
  'sandbox reset',
  'sandbox restore',
  'sync forget',
  'users activate',
  'users deactivate',
  'users default-wallet remove',
  'users default-wallet set',
  'users migrate-wallets',
  'users onboard',
  'users onramp-asset set',
  'wallets external add',
  'wallets external enable',
  'wallets external remove',
  'webhooks disable',
  'webhooks inbox prune',
  'webhooks listen',
  'webhooks set',
];

/** Whether a command asks before it does something. */
export const asksForConsent = ({ words, money }: Command): boolean =>
  money !== undefined || ASKING.includes(words.join(' '));

/** Returns the global options that matter for a command. */
export async function optionsOf(command: Command): Promise<readonly HelpRow[]> {
  const { parameters, prints } = command;
  const { effectOf } = await import('./effects.ts');
  const isDated = Object.values(parameters).some((each) => each.name.startsWith('--since '));
  const effect = await effectOf(command);
  const sends = command.endpoints.length > 0 || effect === 'money';
  return [
    ...(usesProfile(command) ? [PROFILE] : []),
    ...(prints ? [OUTPUT, FIELDS, QUERY] : []),
    ...(isDated ? [ZONE] : []),
    ...(asksForConsent(command) ? [YES] : []),
    ...(effect === 'read' ? [] : [sends ? DRY_RUN : LOCAL_DRY_RUN]),
  ];
}

/** A row of help: what is typed, and what it does. */
type HelpRow = readonly [term: string, text: string];

/** Below this width, a text goes on lines of its own. */
const LEAST_TEXT_COLUMNS = 24;

/** Breaks a paragraph into lines; a word that is longer than a line stays whole. */
function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

/** Breaks each paragraph of a text, with an empty line between them. The indented lines of a paragraph are the rows of a list. */
export function paragraphs(text: string, columns: number): string[] {
  return text.split('\n\n').flatMap((each, at) => {
    const { lead, rows } = partsOf(each);
    return [...(at > 0 ? [''] : []), ...wrapped(lead, columns), ...table(rows, columns, widest(rows))];
  });
}

/** Separates a paragraph from the list at its end, whose lines are indented: `  slow    the response is delayed`. */
export function partsOf(paragraph: string): { readonly lead: string; readonly rows: readonly HelpRow[] } {
  const [lead = '', ...lines] = paragraph.split(/\n {2}/);
  const rows = lines.map((line): HelpRow => {
    const [term = '', ...text] = line.split(/ {2,}/);
    return [term, text.join(' ')];
  });
  return { lead, rows };
}

/** Lays rows out in two columns. The first one is as wide as `termColumns` says. */
function table(rows: readonly HelpRow[], columns: number, termColumns: number, indent = '  '): string[] {
  const left = indent.length + termColumns + 2;
  if (columns - left < LEAST_TEXT_COLUMNS)
    return rows.flatMap(([term, text]) => [
      indent + term,
      ...wrapped(text, columns - 6).map((line) => `      ${line}`),
    ]);
  return rows.flatMap(([term, text]) => {
    const [first = '', ...rest] = wrapped(text, columns - left);
    return [`${indent}${term.padEnd(termColumns)}  ${first}`.trimEnd(), ...rest.map((line) => ' '.repeat(left) + line)];
  });
}

const widest = (rows: readonly HelpRow[]): number => Math.max(0, ...rows.map(([term]) => term.length));

/** The width of a terminal, or of help without one. */
export const HELP_COLUMNS = 80;
