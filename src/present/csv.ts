import { declaredLeaves, type Leaf, leavesOfFields, leavesOfRows, pagesOf, valueAt } from './content.ts';
import { isPlainAmount, isPlainObject, type Plain } from './plain.ts';
import type { PresentOptions, Result } from './result.ts';
import { jsonText, plainCell } from './text.ts';

/** RFC 4180 says CRLF and readers accept both, but shell tools expect LF. */
const END_OF_RECORD = '\n';

/** Converts text to the content of a cell: `plainCell`, or `inertCell` for spreadsheets. */
type CellText = (text: string) => string;

// A spreadsheet runs text that begins like this as a formula, possibly after spaces or with full-width characters.
// Source: OWASP, "CSV Injection".
const FORMULA = /^\s*[=+\-@\uff0b\uff0d\uff1d\uff20]/;

/** A number, which includes a phone number in international form. */
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Yields a list as CSV page by page. Takes the columns from the schema, or else from the first page that has rows. */
export async function* csvText(result: Result, { fields, isCsvRaw }: PresentOptions): AsyncGenerator<string> {
  const cellText = isCsvRaw ? plainCell : inertCell;
  const chosen = (leaves: readonly Leaf[]) => (fields ? leavesOfFields(fields, leaves) : leaves);
  const declared = declaredLeaves(result);
  let columns = declared && chosen(declared);
  if (columns && !result.isContinued) yield csvHeader(columns, cellText, result);
  for await (const rows of pagesOf(result, fields)) {
    if (rows.length === 0) continue;
    const isHeaderDue = columns === undefined && !result.isContinued;
    columns ??= chosen(leavesOfRows(rows));
    const header = isHeaderDue ? csvHeader(columns, cellText, result) : '';
    yield header + csvRows(rows, columns, cellText, result);
  }
}

/** Prefixes an apostrophe if a spreadsheet would otherwise run the text as a formula. */
function inertCell(text: string): string {
  const plain = plainCell(text);
  const mayRun = FORMULA.test(plain) || /^[\t\r]/.test(text);
  return mayRun && !NUMBER.test(plain) ? `'${plain}` : plain;
}

type Figures = Pick<Result, 'hasFigures'>;

/** Returns the header record. An amount has two columns: `amount` and `amount_asset`; a figure of a report has `amount_known` too. */
function csvHeader(leaves: readonly Leaf[], cellText: CellText, { hasFigures }: Figures): string {
  return record(
    leaves.flatMap(({ path, kind }) => {
      const name = cellText(path.join('.') || 'value');
      if (kind !== 'amount') return [name];
      return [name, `${name}_asset`, ...(hasFigures ? [`${name}_known`] : [])];
    }),
  );
}

/** Returns one record per row with the columns of `leaves`. */
function csvRows(rows: readonly Plain[], leaves: readonly Leaf[], cellText: CellText, { hasFigures }: Figures): string {
  const cellsOf = (row: Plain, { path, kind }: Leaf) => {
    const value = valueAt(row, path);
    return [...cells(value, kind, cellText), ...(kind === 'amount' && hasFigures ? [knownCell(value)] : [])];
  };
  return rows.map((row) => record(leaves.flatMap((leaf) => cellsOf(row, leaf)))).join('');
}

function cells(value: Plain | undefined, kind: Leaf['kind'], cellText: CellText): string[] {
  if (kind !== 'amount') return [cell(value, cellText)];
  if (!isPlainAmount(value)) return [cell(value, cellText), ''];
  // Without a unit, the value is no amount of the asset.
  return [cellText(value.value ?? ''), value.unit ?? value.asset ?? ''];
}

/** How far a figure is known: `yes`, or `no` and `at least` with the code of the reason. */
function knownCell(value: Plain | undefined): string {
  if (!isPlainAmount(value)) return '';
  return value.known ? `${value.known.is} (${value.known.why})` : 'yes';
}

function cell(value: Plain | undefined, cellText: CellText): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return cellText(value);
  if (isPlainAmount(value) && value.value === null) return '';
  if (isPlainAmount(value)) return cellText(`${value.value} ${value.unit ?? value.asset ?? ''}`.trimEnd());
  return Array.isArray(value) || isPlainObject(value) ? jsonText(value) : JSON.stringify(value);
}

function record(values: readonly string[]): string {
  return values.map(quoted).join(',') + END_OF_RECORD;
}

function quoted(value: string): string {
  return /[",]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
