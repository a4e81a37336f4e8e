import * as z from 'zod/mini';
import { absolutePath } from '../../account/paths.ts';
import { CliError } from '../../base/errors.ts';
import { ownerOf } from '../../copy/acceptances.ts';
import { closesOf } from '../../copy/closes.ts';
import { filesOf } from '../../copy/questions/books/archive.ts';
import { bookOf } from '../../copy/questions/books/read.ts';
import { endDryRun } from '../../engine/requests.ts';
import { BytesFileError, createPrivateFile } from '../../files/plain-file.ts';
import { zipped } from '../../files/zip.ts';
import { requireUnmasked } from '../../present/result.ts';
import { command } from '../../terminal/command.ts';
import { newFile, option } from '../../terminal/parse/parameters.ts';
import { periodOptions } from '../../terminal/parse/period.ts';
import { errorOf } from './books.ts';
import { periodArgument, periodIn, periodSchema, spanIn, withCopyFor } from './period.ts';

const COLUMNS = [
  { field: 'file', title: 'Archive' },
  { field: 'bytes', title: 'Bytes' },
  { field: 'isComplete', title: 'Complete' },
  { field: 'files', title: 'Files' },
] as const;

export const exportCommand = command({
  words: ['report', 'export'],
  summary: 'Write an archive of a period for an accountant',
  details:
    'A ZIP file with the books as CSV, for hledger and for Beancount, each list as CSV with payees, accounts, fees and local times, and a page that explains the columns. It has names and account numbers of people, so that only you can read the file. Exits with 9 if an amount is not known or a difference is not accepted; the page in the archive says so too.',
  examples: ['fiatrail report export last month --save-to last-month.zip'],
  endpoints: [],
  prints: () =>
    z.object({
      ...periodSchema(),
      file: z.string(),
      bytes: z.int(),
      isComplete: z.boolean(),
      files: z.array(z.string()),
    }),
  isLocal: true,
  parameters: {
    period: periodArgument,
    saveTo: option('--save-to <file>', 'the new file (default: fiatrail-PROFILE-PERIOD.zip in this folder)', newFile),
    ...periodOptions,
  },
  run: (account, terminal, { period: name, saveTo, since, until }) => {
    requireUnmasked(account.globals.present, 'the archive contains');
    account.world.steadyMemory();
    return withCopyFor(account, terminal, name, { since, until }, (copy) =>
      copy.read(async (queries) => {
        const period = await periodIn(account, terminal, queries, name, { since, until });
        const { zone } = terminal.globals;
        const { all: closes } = await closesOf(account, await ownerOf(queries));
        const title = `Books of ${account.profile.name}`;
        const of = { ...period, title, zone, closes };
        const book = await bookOf(queries, of);
        for await (const _ of book.sets);
        const error = await errorOf(queries, book, closes);
        const { first, last } = book.days;
        const path = absolutePath(
          saveTo ?? `fiatrail-${account.profile.name}-${period.month ?? `${first}-to-${last}`}.zip`,
        );
        endDryRun(account, { ...spanIn(period), file: path, isComplete: error === undefined });
        const names: string[] = [];
        async function* files() {
          for await (const each of filesOf(queries, of, error ? [`${error.message}.`] : [])) {
            names.push(each.name);
            yield each;
          }
        }
        const bytes = await createPrivateFile(path, zipped(files(), period.untilMs)).catch((cause) => {
          throw cause instanceof BytesFileError ? unusable(path, cause) : cause;
        });
        const data = { ...spanIn(period), file: path, bytes, isComplete: error === undefined, files: names };
        return { result: { data, columns: COLUMNS }, ...(error ? { error } : {}) };
      }),
    );
  },
});

function unusable(path: string, cause: BytesFileError): CliError {
  const what =
    cause.problem === 'exists'
      ? 'the file already exists'
      : cause.problem === 'missing'
        ? 'the folder does not exist'
        : 'the file cannot be written';
  return new CliError('usage', `${path}: ${what}`, {
    code: 'UNUSABLE_FILE',
    hint: 'use --save-to with a path that does not exist yet',
    cause,
  });
}
