import { absolutePath } from '../../account/paths.ts';
import { CliError, withDetails } from '../../base/errors.ts';
import type { OutputStream } from '../../base/world.ts';
import { openPartFile, type PartFile } from '../../files/part-file.ts';
import { grouped } from '../../money/decimal.ts';
import type { Result } from '../../present/result.ts';
import type { Account } from '../account.ts';
import { cursorOf, type ResumePoint } from './resume.ts';

/** Where a list goes on, and its file. */
interface SinkOptions {
  readonly after: string | undefined;
  readonly outputFile: string | undefined;
}

/** The formats that can go on in the middle: a row is a line. */
const LINES: readonly string[] = ['csv', 'ndjson'];

/** The file of a list, if it has one, and where the list goes on. */
interface Sink {
  readonly file: PartFile | undefined;
  readonly cursor: string | undefined;
}

function openSink({ globals, world }: Pick<Account, 'globals' | 'world'>, { after, outputFile }: SinkOptions): Sink {
  if (outputFile === undefined) return { file: undefined, cursor: after };
  if (after !== undefined)
    throw new CliError('usage', '--after and --output-file cannot be combined', {
      hint: 'omit --after: a list that is written to a file resumes by itself',
    });
  const { format, query } = globals.present;
  if (!LINES.includes(format) || query !== undefined)
    throw new CliError('usage', '--output-file needs -o csv or -o ndjson, without --query', { hint: 'add -o ndjson' });
  const file = globals.dryRun ? undefined : openPartFile(absolutePath(outputFile), world.ids.uuid, world.host);
  return { file, cursor: file?.cursor };
}

/** Reads a list into its file, if it has one, which is closed if that fails. Throws CliError usage. */
export async function withSink<T>(
  account: Pick<Account, 'globals' | 'world'>,
  options: SinkOptions,
  read: (sink: Sink) => Promise<T>,
): Promise<T> {
  const sink = openSink(account, options);
  try {
    return await read(sink);
  } catch (error) {
    sink.file?.close();
    throw error;
  }
}

interface ResumableList<Row> {
  /** What the rows are: `users`. */
  readonly what: string;
  readonly first: readonly Row[];
  readonly more: AsyncIterable<readonly Row[]>;
  /** Where the list is after the rows that `more` returned last. */
  readonly point: () => ResumePoint;
  readonly total: () => number | undefined;
  /** The rows that an earlier run printed. */
  readonly before: number;
  readonly file: PartFile | undefined;
}

type ResumableParts = Pick<Result, 'more' | 'sink' | 'stopped'>;

/** Follows a list while it is printed, so that a command that stops in the middle can say how to go on. */
export function resumable<Row>(account: Account, list: ResumableList<Row>): ResumableParts {
  const { what, first, more, total, before, file } = list;
  const { progress, globals } = account;
  let count = 0;
  let point: ResumePoint | undefined;
  const wrote = async (rows: readonly Row[]) => {
    count += rows.length;
    point = list.point();
    file?.saveCursor(cursorOf(point));
    await progress.rows(before + count, total(), what);
  };
  async function* pages() {
    // The page before has been printed when the next one is asked for.
    await wrote(first);
    for await (const rows of more) {
      yield rows;
      await wrote(rows);
    }
    await progress.end();
  }
  return {
    more: pages(),
    ...(file ? { sink: sinkOf(file) } : {}),
    stopped: async (error) => {
      await progress.end();
      file?.close();
      const { format, query } = globals.present;
      const isResumable = LINES.includes(format);
      // A query is asked of the whole list, so that nothing was printed.
      if (!(error instanceof CliError) || !point || query !== undefined) return error;
      const all = total();
      const done = before + count;
      const extent = all === undefined ? grouped(done) : `${grouped(done)} of ${grouped(all)}`;
      const resume = file ? 'the same command resumes from there' : `resume with: --after ${cursorOf(point)}`;
      const goOn = isResumable ? resume : 'only -o csv and -o ndjson can be resumed';
      return withDetails(error, {
        message: `${error.message}; ${extent} ${what} were ${file ? 'written' : 'printed'}`,
        hint: [error.hint, goOn].filter((each) => each !== undefined).join('; '),
      });
    },
  };
}

function sinkOf(file: PartFile): NonNullable<Result['sink']> {
  const out: OutputStream = {
    isTerminal: false,
    columns: undefined,
    write: async (text) => file.write(text),
  };
  return {
    out,
    finish: async () => {
      file.finish();
      file.close();
    },
  };
}
