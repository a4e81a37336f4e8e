import { outlineOf, pagesOf, picker, rawRowsOf } from './content.ts';
import type { Plain } from './plain.ts';
import type { Result } from './result.ts';
import { jsonText } from './text.ts';
import { yamlOf } from './yaml.ts';

/** How a format writes a document with a list. `name` is undefined if the list is the document. */
interface Writer {
  /** What comes before the rows. */
  start(before: readonly Field[], name: string | undefined): string;
  rows(rows: readonly Plain[], isFirst: boolean, name: string | undefined): string;
  /** What comes after them. `isEmpty`: there were none. */
  end(after: readonly Field[], isEmpty: boolean, name: string | undefined): string;
}

type Field = readonly [name: string, value: Plain];

/**
 * Yields a document with the rows of all pages, as they are read. If reading them fails, the document stays open. With `fields`, only
 * these fields of the rows are printed, and those around the list are left out.
 */
export async function* longListText(
  result: Result,
  format: 'json' | 'yaml' | 'raw',
  fields: readonly string[] | undefined,
): AsyncGenerator<string> {
  const writer = format === 'yaml' ? yamlWriter(await yamlOf()) : jsonWriter(format === 'json');
  const { name, before, after } = outlineOf(result, fields !== undefined, format === 'raw');
  let count = 0;
  for await (const page of format === 'raw' ? rawRowsOf(result) : pagesOf(result, fields)) {
    const rows = (page as readonly Plain[]).map(picker(fields));
    if (count === 0 && rows.length > 0) yield writer.start(before, name);
    if (rows.length > 0) yield writer.rows(rows, count === 0, name);
    count += rows.length;
  }
  if (count === 0) yield writer.start(before, name);
  yield writer.end(after(count), count === 0, name);
}

/** JSON with two spaces for each level, or on one line. */
function jsonWriter(isIndented: boolean): Writer {
  const indent = isIndented ? 2 : undefined;
  const line = (level: number) => (isIndented ? `\n${'  '.repeat(level)}` : '');
  const textAt = (value: Plain, level: number) => jsonText(value, indent).replaceAll('\n', line(level));
  const key = (name: string) => `${jsonText(name)}:${isIndented ? ' ' : ''}`;
  const field = ([name, value]: Field) => `${line(1)}${key(name)}${textAt(value, 1)}`;
  return {
    start: (before, name) =>
      name === undefined ? '[' : `{${before.map((each) => `${field(each)},`).join('')}${line(1)}${key(name)}[`,
    rows: (rows, isFirst, name) => {
      const level = name === undefined ? 1 : 2;
      const text = rows.map((row) => `${line(level)}${textAt(row, level)}`).join(',');
      return isFirst ? text : `,${text}`;
    },
    end: (after, isEmpty, name) => {
      const level = name === undefined ? 0 : 1;
      const closed = isEmpty ? ']' : `${line(level)}]`;
      return `${closed}${after.map((each) => `,${field(each)}`).join('')}${name === undefined ? '' : `${line(0)}}`}\n`;
    },
  };
}

/** The package needs thirty times the memory of the text, so it gets a long list in parts. */
const PART = 100;

function yamlWriter(text: (part: Plain) => string): Writer {
  const field = ([name, value]: Field) => text({ [name]: value });
  const inList = (rows: readonly Plain[], name: string | undefined) =>
    name === undefined ? text(rows) : text(rows).replace(/^(?=.)/gm, '  ');
  return {
    start: (before) => before.map(field).join(''),
    rows: (rows, isFirst, name) => {
      const parts: string[] = [];
      for (let start = 0; start < rows.length; start += PART) {
        const part = rows.slice(start, start + PART);
        parts.push(isFirst && start === 0 && name !== undefined ? text({ [name]: part }) : inList(part, name));
      }
      return parts.join('');
    },
    end: (after, isEmpty, name) =>
      `${isEmpty ? text(name === undefined ? [] : { [name]: [] }) : ''}${after.map(field).join('')}`,
  };
}
