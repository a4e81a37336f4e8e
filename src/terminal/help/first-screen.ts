import { type Group, SECTIONS, type Section } from '../command.ts';
import { COMMON_OPTIONS } from './global-options.ts';
import { paragraphs, type Row, table, widest } from './layout.ts';

/** Returns the help of the program: the commands that people use, by section, then the most common options. */
export function firstScreen(catalogue: readonly Group[], columns: number): string {
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
  const names = groups.map(({ name, summary }): Row => [name, summary]);
  const left = Math.max(...SECTIONS.map(({ length }) => length)) + 2;
  return bySection(groups).flatMap(([section, members]) => {
    const rows = members.map(({ name, summary }): Row => [name, summary]);
    const lines = table(rows, columns, widest(names), ' '.repeat(left));
    return lines.map((line, at) => (at === 0 ? section + line.slice(section.length) : line));
  });
}

const bySection = (groups: readonly Group[]): (readonly [Section, readonly Group[]])[] =>
  SECTIONS.map((section) => [section, groups.filter((each) => each.section === section)] as const).filter(
    ([, members]) => members.length > 0,
  );

/** Returns the page of all commands, also those that the first screen leaves out. */
export async function commandsPage(catalogue: readonly Group[], columns: number): Promise<string> {
  const parts = await Promise.all(
    bySection(catalogue).map(async ([section, groups]) => {
      const commands = (await Promise.all(groups.map((group) => group.load()))).flat();
      return [section, commands.map(({ words, summary }): Row => [words.join(' '), summary])] as const;
    }),
  );
  const termColumns = widest(parts.flatMap(([, rows]) => rows));
  const lines = parts.flatMap(([section, rows]) => [`${section}:`, ...table(rows, columns, termColumns), '']);
  return `${[...lines, 'Run "fiatrail <command> --help" for more about a command.'].join('\n')}\n`;
}
