import { argument, option, required, wholeNumber, word } from '../../terminal/parse/parameters.ts';

export const fileArgument = argument('file', 'CSV file in UTF-8; see its columns with: bulk template', word, 'File:');

export const asOption = required(
  '--as <command>',
  'command that runs for each row, such as "offramp create"',
  word,
  'Command for each row, such as offramp create:',
);

/** What a person says that a file has, to be compared with it. */
export const controlOptions = {
  count: option('--count <rows>', 'number of rows that the file must have', wholeNumber(1, 10_000_000)),
  total: option('--total <sum>', 'sum that the amounts must have, such as 1250000.00', word),
};
