import { waitOption } from '../../terminal/parse/field-options.ts';
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

/** The options of a command that sends rows. */
export const runOptions = {
  first: option('--first <rows>', 'send at most this many rows, as a pilot', wholeNumber(1, 1_000_000)),
  stopAfter: option(
    '--stop-after <errors>',
    'stop after this many rows that are rejected, that fail, or whose outcome is unknown (default 10)',
    wholeNumber(1, 1_000_000),
  ),
  wait: waitOption,
};
