import type { DatabaseError } from '../../../sqlite/errors.ts';
import { MAX_VALUE_BYTES } from '../../../sqlite/query.ts';

/**
 * What the process of a query may take in all, and the command that prints what it finds; Node alone takes a tenth of it. Each counts it itself,
 * because SQLite's hard_heap_limit does nothing in Node, whose SQLite keeps no memory statistics.
 */
export const MEMORY_BYTES = 640 * 1024 * 1024;

/** The first line of what the process reads. For each copy, lines with pages of rows follow, and then one with null. */
export interface QueryOrder {
  /** The file of the local copy. */
  readonly path: string;
  readonly sql: string;
  readonly isExplained: boolean;
  readonly hidesPersonal: boolean;
  /** The names of the views whose rows are copied. */
  readonly copies: readonly string[];
}

/** A row of a copy; an integer is its digits. */
export type WireRow = readonly (string | null)[];

/** A line that the process prints, besides rows, which are arrays. */
export type Message =
  | { readonly columns: readonly string[] }
  | { readonly isEnd: true }
  /** A name that a query must not use. */
  | { readonly closed: string; readonly at: number }
  /** What SQLite says about the query. */
  | { readonly mistake: string; readonly at: number | null }
  /** What is wrong with the file. */
  | { readonly problem: DatabaseError['problem'] };

/**
 * Writes a row as a line: a large integer keeps its digits, bytes are written as SQLite does, and a number that JSON has not is a text. Throws
 * RangeError for a value that is too long.
 */
export function rowLine(row: readonly (string | number | bigint | null | Uint8Array)[]): string {
  return `[${row.map(valueText).join(',')}]\n`;
}

function valueText(value: string | number | bigint | null | Uint8Array): string {
  if ((typeof value === 'string' || value instanceof Uint8Array) && value.length > MAX_VALUE_BYTES)
    throw new RangeError(`a value is longer than ${MAX_VALUE_BYTES / (1024 * 1024)} MiB`);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return String(value);
  if (value === null) return 'null';
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
  return `"X'${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex').toUpperCase()}'"`;
}

/** Yields the whole lines of each part of a text. */
export async function* linesOf(output: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  const begun: string[] = [];
  for await (const bytes of output) {
    const [head = '', ...lines] = decoder.decode(bytes, { stream: true }).split('\n');
    begun.push(head);
    const last = lines.pop();
    if (last === undefined) continue;
    yield [begun.join(''), ...lines];
    begun.splice(0, begun.length, last);
  }
}
