import { CliError } from '../../base/errors.ts';
import { newFile, option, switchOn, wholeNumber, word } from './parameters.ts';

/** The options --limit, --offset and --all of a list that is paged by position; `rows` names its rows in the help. */
export function positionOptions(rows: string) {
  return {
    limit: option('--limit <count>', `${rows} per page, 1 to 100 (default 20)`, wholeNumber(1, 100)),
    offset: option('--offset <count>', `${rows} to skip (default 0)`, wholeNumber(0, 1_000_000_000)),
    ...allOptions,
  };
}

function outputPath(text: string): string {
  if (text !== '-') return newFile(text);
  throw new CliError('usage', '"-" is not a file name', {
    hint: 'give the path of a file; without --output-file, output goes to stdout',
  });
}

/** The options of a list that can be read as a whole. */
export const allOptions = {
  all: switchOn('--all', 'fetch all pages and print them as one list'),
  resume: option(
    '--resume <cursor>',
    'with --all: resume a list that stopped, from the cursor in its error message',
    word,
  ),
  outputFile: option(
    '--output-file <file>',
    'with --all: write to a new file; after an interruption, run the same command again to resume',
    outputPath,
  ),
};
