/**
 * Makes the manual pages from the command records at build time: `fiatrail(1)`, and one page for each group. The tables of exit codes
 * and variables are those of docs/errors.md and docs/settings.md.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command, Group } from '../src/terminal/command.ts';
import { aboutOf, formOf, partsOf, usageOf } from '../src/terminal/help/help.ts';
import { GLOBAL_OPTIONS } from '../src/terminal/parse/globals.ts';
import type { Parameter } from '../src/terminal/parse/parameters.ts';

const ROOT = join(import.meta.dirname, '..');

/** A table row: what it is about, and its description. */
type Entry = readonly [term: string, text: string];

/** What every page tells. */
interface Facts {
  readonly version: string;
  /** When what the pages describe was last changed: the first date in the changelog. */
  readonly date: string;
  readonly exits: readonly Entry[];
  readonly variables: readonly Entry[];
  readonly groups: readonly Group[];
}

const FILES: readonly Entry[] = [
  ['~/.config/fiatrail/profiles/NAME.json', 'a profile; FIATRAIL_CONFIG_DIR moves the folder'],
  [
    '~/.local/state/fiatrail/journal.db',
    'the journal of money operations; another FIATRAIL_STATE_DIR has another journal',
  ],
  ['~/.local/state/fiatrail/sandbox.db', 'the embedded sandbox'],
  ['.fiatrail.json', 'names the profile of a folder and its subfolders'],
];

/** Returns the pages by file name: `man/fiatrail.1`, `man/fiatrail-fx.1`. */
export async function manFiles(groups: readonly Group[]): Promise<ReadonlyMap<string, string>> {
  const read = (name: string) => readFile(join(ROOT, name), 'utf8');
  const { version } = JSON.parse(await read('package.json')) as { readonly version: string };
  const facts: Facts = {
    version,
    date: dateIn(await read('CHANGELOG.md')),
    exits: exitsIn(await read('docs/errors.md')),
    variables: variablesIn(await read('docs/settings.md')),
    groups,
  };
  const files = new Map([['man/fiatrail.1', mainPage(facts)]]);
  for (const group of groups) files.set(`man/fiatrail-${group.name}.1`, groupPage(facts, group, await group.load()));
  return files;
}

function dateIn(changelog: string): string {
  const [date] = /\d{4}-\d{2}-\d{2}/.exec(changelog) ?? [];
  if (date === undefined) throw new Error('CHANGELOG.md has no date');
  return date;
}

/** The rows of the table of exit codes. */
function exitsIn(page: string): Entry[] {
  const rows = [...page.matchAll(/^\| (\d+) \| (?:`([a-z-]+)`)? ?\| ([^|]*) ?\| ([^|]*) ?\|$/gm)];
  return rows.map(([, code = '', category = 'success', meaning = '', advice = '']) => [
    `${code} (${category})`,
    sentence([meaning.trim() || 'the command succeeded', advice.trim()].filter(Boolean).join('; ')),
  ]);
}

/** The rows of the table of variables. */
function variablesIn(page: string): Entry[] {
  const [, table = ''] = page.split('| variable | meaning |\n');
  const rows = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| (`.*) \| (.*) \|$/gm)];
  return rows.map(([, names = '', meaning = '']) => [names.replaceAll('`', ''), meaning]);
}

function mainPage(facts: Facts): string {
  return page(facts, 'fiatrail', 'operate a stablecoin fiat-rail account from the command line', [
    section('SYNOPSIS', [bold('fiatrail') + roff(' <command> [options]')]),
    section('DESCRIPTION', [
      ...paragraphs(
        'Onboards users, converts Naira to cNGN and back, trades stablecoins, withdraws fees and receives webhooks. The whole service is embedded as a sandbox, so that every command works without an account; start with: fiatrail tour',
        'Each group of commands has a page of its own, such as fiatrail-users(1). "fiatrail <command> --help" prints the help of a command.',
      ),
    ]),
    section(
      'COMMANDS',
      facts.groups.map(({ name, summary }) => entry(bold(`fiatrail ${name}`), sentence(summary))),
    ),
    section(
      'OPTIONS',
      GLOBAL_OPTIONS.map(([flags, help]) => entry(flagsOf(flags), help)),
    ),
    section('EXAMPLES', [
      verbatim(['fiatrail tour', 'fiatrail users list -o json --query "users[].userId"', 'fiatrail schema users list']),
    ]),
    exitStatus(facts),
    section(
      'ENVIRONMENT',
      facts.variables.map(([names, meaning]) => entry(bold(names), meaning)),
    ),
    section(
      'FILES',
      FILES.map(([path, meaning]) => entry(italic(path), meaning)),
    ),
    seeAlso(facts.groups.map(({ name }) => `fiatrail-${name}`)),
  ]);
}

function groupPage(facts: Facts, { name, summary, parts = {} }: Group, commands: readonly Command[]): string {
  return page(facts, `fiatrail-${name}`, lowerFirst(summary), [
    section(
      'SYNOPSIS',
      commands.flatMap((command, index) => [...(index > 0 ? ['.br'] : []), synopsisOf(command)]),
    ),
    section('DESCRIPTION', [
      ...paragraphs(sentence(summary)),
      ...Object.entries(parts).map(([part, about]) => entry(bold(`fiatrail ${name} ${part}`), sentence(about))),
      ...paragraphs('The options that every command takes, such as -o and --profile, are in fiatrail(1).'),
    ]),
    section('COMMANDS', commands.map(commandSection)),
    section('EXAMPLES', [verbatim(commands.flatMap(({ examples }) => examples))]),
    exitStatus(facts),
    section('ENVIRONMENT', paragraphs('fiatrail(1) lists the variables that every command reads.')),
    section('FILES', paragraphs('fiatrail(1) lists the files of fiatrail.')),
    seeAlso(['fiatrail']),
  ]);
}

const exitStatus = ({ exits }: Facts) =>
  section(
    'EXIT STATUS',
    exits.map(([code, meaning]) => entry(bold(code), meaning)),
  );

function seeAlso(names: readonly string[]): string {
  const lines = names.map((name, index) => `.BR ${roff(name)} (1)${index < names.length - 1 ? ' ,' : ''}`);
  return ['.SH SEE ALSO', ...lines].join('\n');
}

function synopsisOf(command: Command): string {
  const usage = usageOf(command);
  return bold(['fiatrail', ...command.words].join(' ')) + (usage === '' ? '' : roff(` ${usage}`));
}

function commandSection(command: Command): string {
  const { words, summary, details = '', parameters } = command;
  return [
    `.SS ${roff(words.join(' '))}`,
    synopsisOf(command),
    ...paragraphs(sentence(summary)),
    ...details.split('\n\n').filter(Boolean).flatMap(detail),
    ...Object.values(parameters).map(parameterEntry),
  ].join('\n');
}

/** A paragraph, and the list at its end. */
function detail(text: string): string[] {
  const { lead, rows } = partsOf(text);
  if (rows.length === 0) return paragraphs(sentence(lead));
  const left = Math.max(...rows.map(([term]) => term.length));
  return [...paragraphs(lead), verbatim(rows.map(([term, about]) => `  ${term.padEnd(left)}  ${about}`))];
}

function parameterEntry(parameter: Parameter<unknown>): string {
  const { kind, name } = parameter;
  return entry(kind === 'argument' ? italic(formOf(parameter)) : flagsOf(name), aboutOf(parameter));
}

// roff: the man(7) macros.

function page({ version, date }: Facts, name: string, about: string, sections: readonly string[]): string {
  // Not the day of the build, so that equal sources make equal pages.
  const head = `.TH ${roff(name.toUpperCase())} 1 "${date}" "fiatrail ${roff(version)}" "fiatrail Manual"`;
  return [head, '.SH NAME', filled(`${name} - ${about}`), ...sections, ''].join('\n');
}

function section(title: string, lines: readonly string[]): string {
  // A heading begins a paragraph by itself.
  const body = lines[0] === '.PP' ? lines.slice(1) : lines;
  return [`.SH ${title}`, ...body].join('\n');
}

const paragraphs = (...texts: readonly string[]) => texts.flatMap((text) => ['.PP', filled(text)]);

const entry = (term: string, text: string) => ['.TP', term, filled(text)].join('\n');

const verbatim = (lines: readonly string[]) => ['.EX', ...lines.map((line) => roff(line)), '.EE'].join('\n');

const bold = (text: string) => `\\fB${roff(text)}\\fR`;
const italic = (text: string) => `\\fI${roff(text)}\\fR`;

/** `-o, --output <format>` with the flags in bold and the value in italics. */
function flagsOf(text: string): string {
  const [, flags = '', value = ''] = /^(.*?)(\s[<[].*)?$/.exec(text) ?? [];
  return bold(flags) + (value === '' ? '' : ` ${italic(value.trim())}`);
}

const MAX_COLUMNS = 80;

/** A text on as many lines as it needs. A line that began with a dot would be a macro. */
function filled(text: string): string {
  const lines = [''];
  for (const word of roff(text).split(/ +/)) {
    const line = [lines.at(-1), word].filter(Boolean).join(' ');
    if (line.length <= MAX_COLUMNS || lines.at(-1) === '') lines[lines.length - 1] = line;
    else lines.push(word.startsWith('.') ? `\\&${word}` : word);
  }
  return lines.join('\n');
}

/** Characters that are written as their names; other characters that are not ASCII are written as numbers. */
const NAMED: Readonly<Record<string, string>> = { '’': '\\(cq', '“': '\\(lq', '”': '\\(rq', '…': '...', '"': '\\(dq' };

/** Escapes a text on one line, without the marks of Markdown. */
function roff(text: string): string {
  const plain = text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
  const escaped = plain
    .replaceAll('\n', ' ')
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/["’“”…]/g, (found) => NAMED[found] ?? found)
    .replaceAll("'", '\\(aq')
    .replace(
      /[^\0-\x7f]/gu,
      (found) => `\\[u${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
  return escaped.replace(/^[.]/, '\\&$&');
}

const lowerFirst = (text: string) => text.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());

/** Begins with a capital letter, unless it is a name such as cNGN, and ends with a full stop. */
function sentence(text: string): string {
  const begun = text.replace(/^[a-z](?![A-Z])/, (letter) => letter.toUpperCase());
  return /[.:?!]$/.test(begun) ? begun : `${begun}.`;
}
