import type { Outcome } from '../../engine/outcome.ts';
import { command, type Group } from '../../terminal/command.ts';
import { CHECKED_COLUMNS, checkedData, checkedError, checkedSchema } from './checked.ts';
import { asOption, controlOptions, fileArgument } from './file-options.ts';
import { commandAs, rowCommandOf } from './row-command.ts';

export const checkCommand = (catalogue: readonly Group[]) =>
  command({
    words: ['bulk', 'check'],
    summary: 'Check a file of many rows, and send nothing',
    details:
      'Names every row with an error by line and column, and warns of what is unlikely. Compares the rows with the banks, users, accounts, balances and rules of the account.',
    examples: [
      'fiatrail bulk check suppliers.csv --as "offramp create"',
      'fiatrail bulk check suppliers.csv --as "payout create" --count 40 --total 1250000 -o json',
    ],
    endpoints: [],
    prints: checkedSchema,
    parameters: { file: fileArgument, as: asOption, ...controlOptions },
    run: async (account, _terminal, { file, as, count, total }): Promise<Outcome> => {
      const runs = await commandAs(catalogue, as);
      const { checkFile } = await import('../../bulk/check-file.ts');
      const { fees } = runs.rows;
      const checked = await checkFile(account, {
        command: rowCommandOf(runs),
        path: file,
        controls: { count, total },
        ...(fees ? { fees } : {}),
      });
      const result = { data: checkedData(file, runs.words.join(' '), checked), columns: CHECKED_COLUMNS };
      const error = checkedError(checked);
      return error ? { result, error } : { result };
    },
  });
