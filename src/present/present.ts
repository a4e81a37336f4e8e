import { CliError } from '../base/errors.ts';
import type { OutputStream } from '../base/world.ts';
import { checkFields, declaredLeaves, documentOf, isList, type Leaf, pagesOf, picker, rawDocument } from './content.ts';
import { type Plain, toPlain } from './plain.ts';
import type { PresentOptions, Result, ResultShape } from './result.ts';
import { jsonText, plainLines, rawText } from './text.ts';

const DEFAULT_WIDTH = 80;
const MIN_WIDTH = 20;

/**
 * Prints a result to `out` in the format of `options`. The only place that prints data; every write is awaited. If a
 * query found nothing, returns the names that it could have asked for. Throws CliError usage for unknown fields and invalid queries before printing anything.
 */
export async function present(
  given: Result,
  options: PresentOptions,
  out: OutputStream,
): Promise<readonly string[] | undefined> {
  // Before a query and --fields too, which therefore see no more than what is printed.
  const { mask } = options;
  // What always has one form is for programs: a script or a schema has nothing personal, and an export is refused.
  const result = mask && !given.always ? (await import('./masked.ts')).maskedResult(given, mask) : given;
  await checkOptions(result, options);
  const { query, ...rest } = options;
  const { always } = result;
  if (query === undefined) {
    await print(result, options, out);
    return undefined;
  }
  const document = await documentOf(result);
  const data = await runQuery(document, query);
  await print({ data }, { ...rest, format: always === 'text' ? 'json' : (always ?? options.format) }, out);
  return data === null || (Array.isArray(data) && data.length === 0) ? namesIn(document) : undefined;
}

/** Returns the names of a document as a query writes them, those of the rows in its lists too: `users[].userId`. */
function namesIn(document: Plain): readonly string[] {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return [];
  return Object.entries(document).flatMap(([name, value]) => {
    const names = Array.isArray(value) ? namesIn(value[0] ?? null) : [];
    return names.length > 0 ? names.map((each) => `${name}[].${each}`) : [name];
  });
}

async function print(result: Result, options: PresentOptions, out: OutputStream): Promise<void> {
  if (options.format === 'raw' && result.exact && !out.isTerminal) return out.write(result.exact);
  for await (const text of textsOf(result, options, out)) await out.write(text);
}

/** Yields the output, in parts as rows are read. */
async function* textsOf(result: Result, options: PresentOptions, out: OutputStream): AsyncGenerator<string> {
  const { always, depth, bars } = result;
  const { fields } = options;
  if (always === 'text') return yield plainLines(String(result.data));
  const format = always ?? options.format;
  // The pages of a list need not be in memory together.
  if ((format === 'json' || format === 'yaml' || format === 'raw') && isList(result) && result.more !== undefined)
    return yield* (await import('./long-list.ts')).longListText(result, format, fields);
  switch (format) {
    case 'raw':
      return yield `${rawText(rawDocument(result))}\n`;
    case 'json':
      return yield `${jsonText(await documentOf(result, fields), 2)}\n`;
    case 'yaml':
      return yield (await import('./yaml.ts')).yamlText(await documentOf(result, fields));
    case 'ndjson':
      return yield* linesText(result, fields);
    case 'csv':
      return yield* (await import('./csv.ts')).csvText(result, options);
    case 'table': {
      if (depth && !fields)
        return yield await (await import('./chart.ts')).depthText(depth, widthOf(options, out), options);
      if (bars && !fields) {
        const width = widthOf(options, out);
        yield await (await import('./bars.ts')).barsText(bars, width, options);
        return yield* (await import('./view.ts')).tablesBelow(result, options, width);
      }
      const width = options.isPiped ? (options.width ?? Number.POSITIVE_INFINITY) : widthOf(options, out);
      return yield* (await import('./view.ts')).tableText(result, options, width);
    }
  }
}

/**
 * Throws CliError usage if the options do not fit the result. Commands that move money call it before sending.
 */
export async function checkOptions(
  shape: ResultShape & { readonly names?: readonly string[] },
  options: PresentOptions,
): Promise<void> {
  const { fields, query } = options;
  const format = shape.always === 'text' ? options.format : (shape.always ?? options.format);
  if (shape.always === 'text' && (fields || query !== undefined)) {
    throw new CliError(
      'usage',
      `${fields ? '--fields' : '--query'} does not apply to this command; its output is plain text`,
    );
  }
  if (fields && query !== undefined) {
    throw new CliError('usage', '--fields and --query cannot be combined', {
      hint: "select the fields in the query: --query 'users[].{id: userId, name: firstName}'",
    });
  }
  if (format === 'raw' && (fields || query !== undefined)) {
    throw new CliError(
      'usage',
      `-o raw prints the response unchanged and cannot be combined with ${fields ? '--fields' : '--query'}`,
      {
        hint: 'use another format, such as: -o json',
      },
    );
  }
  if (options.isCsvRaw && format !== 'csv') {
    throw new CliError('usage', `--csv-raw applies only to CSV; the output format is ${format}`, {
      hint: 'add -o csv, or omit --csv-raw',
    });
  }
  if (query !== undefined) await checkQuery(query);
  if (!fields) return;
  const leaves = shape.names?.map((name): Leaf => ({ path: [name], kind: 'text' })) ?? declaredLeaves(shape);
  if (leaves) checkFields(fields, leaves);
}

async function* linesText(result: Result, fields: readonly string[] | undefined): AsyncGenerator<string> {
  for await (const rows of pagesOf(result, fields)) {
    const lines = rows.map(picker(fields)).map((row) => `${jsonText(row)}\n`);
    if (rows.length > 0) yield lines.join('');
  }
}

/** Falls back to the default width if the terminal reports none, or one too narrow for any table. */
function widthOf(options: PresentOptions, out: OutputStream): number {
  const width = options.width ?? out.columns ?? DEFAULT_WIDTH;
  return width >= MIN_WIDTH ? width : DEFAULT_WIDTH;
}

/** Throws CliError usage if `expression` is not valid JMESPath. */
async function checkQuery(expression: string): Promise<void> {
  const { compile } = await import('@jmespath-community/jmespath');
  withUsageError(() => compile(expression));
}

/** Evaluates a JMESPath `expression` on a document. Throws CliError usage if it is invalid. */
export async function runQuery(document: Plain, expression: string): Promise<Plain> {
  const { search } = await import('@jmespath-community/jmespath');
  // The package's JSON type has mutable arrays, but search does not modify its input.
  return toPlain(withUsageError(() => search(document as Parameters<typeof search>[0], expression)));
}

function withUsageError<T>(run: () => T): T {
  try {
    return run();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError('usage', `invalid JMESPath in --query: ${reason}`, {
      hint: "use a name, a path or a filter, such as: --query 'users[?isActive].userId'",
      cause,
    });
  }
}
