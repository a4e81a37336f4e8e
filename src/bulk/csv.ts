import { isUtf8 } from 'node:buffer';
import type { CsvError } from 'csv-parse';
import { CliError } from '../base/errors.ts';

/** A row of a file: the number of its first line, from 1, and its cells. */
export interface FileRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** What may stand between the cells of a row. */
export const DELIMITERS = [',', ';', '\t'] as const;

export type Delimiter = (typeof DELIMITERS)[number];

/** What is read before the delimiter is known. */
export const SAMPLE_BYTES = 64 * 1024;

/** More characters than any row has. */
const LONGEST_ROW = 100_000;

const EXPORT_HINT =
  'export the sheet as CSV in UTF-8: in Excel "CSV UTF-8 (Comma delimited)", in LibreOffice "Text CSV"';

const unreadable = (why: string, hint = EXPORT_HINT) =>
  new CliError('usage', `${why}; nothing was sent`, { code: 'UNUSABLE_FILE', hint });

/** What other kinds of files begin with. */
const OTHER_FILES: readonly (readonly [bytes: readonly number[], what: string])[] = [
  [[0x50, 0x4b, 0x03, 0x04], 'the file is a workbook or a ZIP file, and not CSV'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'the file is an old Excel workbook, and not CSV'],
  [[0x25, 0x50, 0x44, 0x46], 'the file is a PDF, and not CSV'],
  [[0xff, 0xfe], 'the file is in UTF-16, and not in UTF-8'],
  [[0xfe, 0xff], 'the file is in UTF-16, and not in UTF-8'],
  [[0x1f, 0x8b], 'the file is compressed'],
];

/** Throws CliError usage for the first bytes of a file that is no CSV in UTF-8. */
export function requireCsv(start: Uint8Array): void {
  const [, what] = OTHER_FILES.find(([bytes]) => bytes.every((byte, at) => start[at] === byte)) ?? [];
  if (what !== undefined) throw unreadable(what);
  if (start.length === 0) throw unreadable('the file is empty');
  const text = new TextDecoder().decode(start).trimStart();
  if (/^[[{<]/.test(text)) throw unreadable('the file is JSON, XML or HTML, and not CSV');
}

const NEWLINE = 0x0a;

/** Passes on bytes in whole lines. Throws CliError usage for bytes that are no UTF-8. */
function* utf8(parts: Iterable<Uint8Array>, ended: (hasLineEnd: boolean) => void): Generator<Uint8Array> {
  let line = 1;
  let rest: Uint8Array = new Uint8Array();
  const checked = (bytes: Uint8Array) => {
    if (!isUtf8(bytes)) throw unreadable(`line ${line + lineOfBadByte(bytes)} is not in UTF-8`);
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) line += 1;
    return bytes;
  };
  for (const part of parts) {
    const end = part.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      if (rest.length > 4 * LONGEST_ROW) throw tooLong(line);
      rest = Buffer.concat([rest, part]);
      continue;
    }
    yield checked(Buffer.concat([rest, part.subarray(0, end)]));
    rest = part.subarray(end);
  }
  ended(rest.length === 0);
  if (rest.length > 0) yield checked(rest);
}

/** The number of lines before the first one that is no UTF-8. */
function lineOfBadByte(bytes: Uint8Array): number {
  let line = 0;
  for (let start = 0; start < bytes.length; line++) {
    const at = bytes.indexOf(NEWLINE, start);
    const end = at === -1 ? bytes.length : at + 1;
    if (!isUtf8(bytes.subarray(start, end))) break;
    start = end;
  }
  return line;
}

const tooLong = (line: number) =>
  unreadable(
    `the row at line ${line} has more than ${LONGEST_ROW} characters`,
    'a quote that is not closed makes one row of many; look for a single " in that line',
  );

/** What is known once the whole file was read. */
interface FileEnd {
  /** Whether the last line has a line end. Without one, the file may be cut. */
  readonly hasLineEnd: boolean;
}

/**
 * Yields the rows of a CSV file in UTF-8, with or without a byte order mark, of any length in little memory: those of a part of the file at a time. Lines
 * without any text are left out. Returns how it ended. Throws CliError usage for a file that is no CSV, with the line.
 */
export async function* csvRows(
  parts: Iterable<Uint8Array>,
  delimiter: Delimiter,
): AsyncGenerator<readonly FileRow[], FileEnd, undefined> {
  const { CsvError, parse } = await import('csv-parse');
  let hasLineEnd = true;
  let line = 1;
  let rows: FileRow[] = [];
  const parser = parse({
    bom: true,
    delimiter,
    // A file that was put together may have several kinds.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // A quote within a text is only a character.
    relax_quotes: true,
    max_record_size: LONGEST_ROW,
  });
  parser.on('data', (cells: string[]) => {
    const first = line;
    line += 1;
    let hasText = false;
    for (const cell of cells) {
      if (cell === '') continue;
      hasText = true;
      for (let at = cell.indexOf('\n'); at !== -1; at = cell.indexOf('\n', at + 1)) line += 1;
    }
    if (hasText) rows.push({ line: first, cells });
  });
  const failed = new Promise<never>((_, reject) => {
    parser.on('error', reject);
  });
  const bytes = utf8(parts, (found) => {
    hasLineEnd = found;
  });
  const done = (act: (done: () => void) => void) => Promise.race([failed, new Promise<void>(act)]);
  try {
    for (const part of bytes) {
      await done((written) => parser.write(part, () => written()));
      yield rows;
      rows = [];
    }
    await done((ended) => parser.on('end', ended).end());
  } catch (error) {
    throw error instanceof CsvError ? readError(error, line) : error;
  } finally {
    parser.destroy();
  }
  yield rows;
  return { hasLineEnd };
}

function readError({ code, message }: CsvError, line: number): CliError {
  if (code === 'CSV_MAX_RECORD_SIZE') return tooLong(line);
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return unreadable(
      `the row at line ${line} has a quote that is not closed`,
      'the file may be cut; export it again, or look for a single " in that line',
    );
  return unreadable(`the row at line ${line} is not CSV: ${message}`);
}
