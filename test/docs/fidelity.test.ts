import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const PAGE = readFileSync(new URL('docs/contributing/inferred.md', ROOT), 'utf8');

/** The sections with rows; the page begins with an explanation of the columns. */
const SECTIONS = PAGE.split(/^## /m).slice(1);

interface Row {
  readonly topic: string;
  /** The last cell: `test/….test.ts`: a title. */
  readonly test: string;
}

/** The rows of the tables in a section, without headers. */
function rowsIn(section: string): Row[] {
  const tables = section.split('\n').filter((line) => line.startsWith('|'));
  return tables
    .filter((line, index) => !/^\|[-|]+\|$/.test(line) && !/^\|[-|]+\|$/.test(tables[index + 1] ?? ''))
    .map((line) => line.slice(2, -2).split(' | '))
    .map((cells) => ({ topic: cells[0] ?? '', test: cells.at(-1) ?? '' }));
}

const rows = SECTIONS.flatMap(rowsIn);

/** Whether a file has a text as a whole string, such as the title of a test or the name of a case. */
function contains(source: string, title: string): boolean {
  return [`'${title}'`, `"${title}"`, `\`${title}\``, `'${title.replaceAll("'", "\\'")}'`].some((each) =>
    source.includes(each),
  );
}

describe('docs/contributing/inferred.md', () => {
  test.each(rows)('names an existing test for: $topic', ({ test: named }) => {
    const [, path = '', title = ''] = /^`(test\/[\w/.-]+\.ts)`: (.+)$/.exec(named) ?? [];
    expect({ named, isThere: path !== '' && existsSync(new URL(path, ROOT)) }).toEqual({ named, isThere: true });
    expect(contains(readFileSync(new URL(path, ROOT), 'utf8'), title), `${path} has no "${title}"`).toBe(true);
  });

  test('has a table with rows in every section', () => {
    const empty = SECTIONS.filter((section) => rowsIn(section).length === 0).map((section) => section.split('\n')[0]);
    expect(empty).toEqual([]);
    expect(rows.length).toBeGreaterThan(290);
  });
});
