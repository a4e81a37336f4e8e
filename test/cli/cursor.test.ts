import { expect, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { pagesAfter } from '../../src/cli/cursor.ts';

interface Row {
  readonly id: string | null;
}

const rows = (...ids: readonly (string | null)[]): Row[] => ids.map((id) => ({ id }));

/** A service with these rows; `asked` has the cursors it was asked for. */
function service(all: readonly Row[], size: number) {
  const asked: string[] = [];
  const fetchPage = async (startAfter: string) => {
    asked.push(startAfter);
    const from = all.findIndex(({ id }) => id === startAfter) + 1;
    return all.slice(from, from + size);
  };
  return { asked, fetchPage };
}

async function idsOf(pages: AsyncIterable<readonly Row[]>): Promise<(string | null)[][]> {
  const found: (string | null)[][] = [];
  for await (const page of pages) found.push(page.map(({ id }) => id));
  return found;
}

const idOf = ({ id }: Row) => id;

test.each([
  [['a'], [], []],
  [['a', 'b'], [], ['b']],
  [['a', 'b', 'c'], [['c']], ['b']],
  [['a', 'b', 'c', 'd'], [['c', 'd']], ['b', 'd']],
  [
    ['a', 'b', 'c', 'd', 'e'],
    [['c', 'd'], ['e']],
    ['b', 'd'],
  ],
])('of %j, two at a time, the further pages are %j', async (ids, pages, cursors) => {
  const all = rows(...ids);
  const { asked, fetchPage } = service(all, 2);
  expect(await idsOf(pagesAfter(all.slice(0, 2), 2, idOf, fetchPage))).toEqual(pages);
  expect(asked).toEqual(cursors);
});

test('a page is asked for only when it is wanted', async () => {
  const all = rows('a', 'b', 'c', 'd', 'e', 'f');
  const { asked, fetchPage } = service(all, 2);
  for await (const _page of pagesAfter(all.slice(0, 2), 2, idOf, fetchPage)) break;
  expect(asked).toEqual(['b']);
});

test.each([
  ['gives the same page again', async () => rows('a', 'b')],
  ['gives a full page without ids', async () => rows('c', null)],
])('a service that %s ends the list with an error, not without end', async (_how, fetchPage) => {
  const pages = idsOf(pagesAfter(rows('a', 'b'), 2, idOf, fetchPage));
  await expect(pages).rejects.toThrow(CliError);
  await expect(pages).rejects.toMatchObject({ category: 'network' });
});
