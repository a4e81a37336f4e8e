import type { Command, Group } from '../command.ts';
import { optionsOf } from './global-options.ts';
import { paragraphs, type Row, table, widest } from './layout.ts';
import { argumentsOf, formOf, usageOf } from './usage.ts';

/** Returns the help of a command. */
export function commandHelp(command: Command, columns: number): string {
  const { words, summary, details, parameters, examples } = command;
  const rowsOf = (kind: 'argument' | 'option'): Row[] =>
    Object.values(parameters)
      .filter((each) => each.kind === kind)
      .map((each) => [formOf(each), each.help + (kind === 'option' && each.required ? ' (required)' : '')]);
  const sections: readonly (readonly [title: string, rows: readonly Row[]])[] = [
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
export function groupHelp(
  group: Group,
  commands: readonly Command[],
  words: readonly string[],
  columns: number,
): string {
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
function nextRows(group: Group, commands: readonly Command[], words: readonly string[]): Row[] {
  const below = commands.filter((each) => words.every((word, at) => each.words[at] === word));
  const byNext = Map.groupBy(below, (each) => each.words[words.length] ?? '');
  return [...byNext].map(([next, found]): Row => {
    const [only] = found;
    if (only?.words.length === words.length + 1) return [[next, ...argumentsOf(only)].join(' '), only.summary];
    const verbs = [...new Set(found.map((each) => each.words[words.length + 1] ?? ''))];
    return [next, `${partSummary(group, [...words, next]) ?? ''} (${verbs.join(', ')})`.trim()];
  });
}
