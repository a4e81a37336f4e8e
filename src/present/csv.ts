import { type Leaf, valueAt } from './fields.ts';
import { isPlainAmount, isPlainObject, type Plain } from './plain.ts';
import { jsonText } from './text.ts';

/** RFC 4180 says CRLF and readers accept both, but shell tools expect LF. */
const END_OF_RECORD = '\n';

/** Returns the header record. An amount has two columns: `amount` and `amount_asset`. */
export function csvHeader(leaves: readonly Leaf[]): string {
  return record(
    leaves.flatMap(({ path, kind }) => {
      const name = path.join('.') || 'value';
      return kind === 'amount' ? [name, `${name}_asset`] : [name];
    }),
  );
}

/** Returns one record per row with the columns of `leaves`. */
export function csvRows(rows: readonly Plain[], leaves: readonly Leaf[]): string {
  return rows.map((row) => record(leaves.flatMap((leaf) => cells(valueAt(row, leaf.path), leaf.kind)))).join('');
}

function cells(value: Plain | undefined, kind: Leaf['kind']): string[] {
  if (kind !== 'amount') return [cell(value)];
  return isPlainAmount(value) ? [value.value, value.asset] : [cell(value), ''];
}

function cell(value: Plain | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (isPlainAmount(value)) return `${value.value} ${value.asset}`;
  return Array.isArray(value) || isPlainObject(value) ? jsonText(value) : JSON.stringify(value);
}

function record(values: readonly string[]): string {
  return values.map(quoted).join(',') + END_OF_RECORD;
}

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
