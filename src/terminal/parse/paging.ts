import { CliError } from '../../base/errors.ts';
import type { RowFilter } from '../../engine/lists/listing.ts';
import { id, newFile, oneOf, option, switchOn, ticker, wholeNumber, word } from './parameters.ts';
import { plainText } from './plain-text.ts';

function outputPath(text: string): string {
  if (text !== '-') return newFile(text);
  throw new CliError('usage', '"-" is not a file name', {
    hint: 'give the path of a file; without --output-file, output goes to stdout',
  });
}

/** The options of a local list that is printed in pages; `rows` names its rows in the help. */
export function pageOptions(rows: string) {
  return {
    limit: option('--limit <count>', `${rows} per page, 1 to 100 (default 20)`, wholeNumber(1, 100)),
    after: option('--after <cursor>', 'the next page: the cursor that the page before ends with', word),
    all: switchOn('--all', 'print all pages as one list'),
  };
}

/** The options of a list of the service. */
export function listOptions(rows: string) {
  return {
    ...pageOptions(rows),
    outputFile: option(
      '--output-file <file>',
      'with --all: write to a new file; after an interruption, run the same command again to resume',
      outputPath,
    ),
  };
}

/** The states of a bank transfer in the history. */
export const BANK_STATUSES = ['pending', 'processing', 'completed', 'failed', 'cancelled'] as const;

/** The states of a withdrawal in the history. */
export const WITHDRAWAL_STATUSES = ['pending', 'completed', 'failed'] as const;

/** An option that filters a list by one of some words: `--status <status>`. */
export function choice<const V extends readonly string[]>(name: string, values: V) {
  return option(`--${name} <${name}>`, `${values.join(', ')} (default all)`, oneOf(...values));
}

/** The option that filters a list by user. */
export const userOption = (help: string) => option('--user <user-id>', help, id);

/** The option that filters a list by token. */
export const tokenFilter = option('--token <ticker>', 'token: CNGN, USDC or USDT (default all)', ticker);

/** The option that filters a list by names; `names` says which. */
export const searchOption = (names: string) =>
  option('--search <text>', `only rows whose ${names} contains this`, plainText);

/** A filter of rows by a text in one of their names, ignoring case. */
export function searchFilter<Row>(
  search: string | undefined,
  namesOf: (row: Row) => readonly (string | null | undefined)[],
): RowFilter<Row> | undefined {
  if (search === undefined) return undefined;
  const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
  return {
    typed: { '--search': search },
    matches: (row) => {
      const names = namesOf(row).join(' ').toLowerCase();
      return wanted.every((word) => names.includes(word));
    },
  };
}
