import { expect, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { pagesAfter } from '../../src/engine/lists/pages.ts';

interface Row {
  readonly id: string | null;
}

const rows = (...ids: readonly (string | null)[]): Row[] => ids.map((id) => ({ id }));

/** A service with these rows; `cursors` records the requests. */
function service(all: readonly Row[], size: number) {
  const cursors: string[] = [];
  const fetchPage = async (startAfter: string) => {
    cursors.push(startAfter);
    const from = all.findIndex(({ id }) => id === startAfter) + 1;
    return all.slice(from, from + size);
  };
  return { cursors, fetchPage };
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
])('reads %j in pages of two, after the first: %j', async (ids, pages, expected) => {
  const all = rows(...ids);
  const { cursors, fetchPage } = service(all, 2);
  expect(await idsOf(pagesAfter(all.slice(0, 2), 2, idOf, fetchPage))).toEqual(pages);
  expect(cursors).toEqual(expected);
});

test('reads a page only when it is consumed', async () => {
  const all = rows('a', 'b', 'c', 'd', 'e', 'f');
  const { cursors, fetchPage } = service(all, 2);
  for await (const _page of pagesAfter(all.slice(0, 2), 2, idOf, fetchPage)) break;
  expect(cursors).toEqual(['b']);
});

test.each([
  ['repeats a page', async () => rows('a', 'b')],
  ['returns a full page without ids', async () => rows('c', null)],
])('fails if the service %s', async (_how, fetchPage) => {
  const pages = idsOf(pagesAfter(rows('a', 'b'), 2, idOf, fetchPage));
  await expect(pages).rejects.toThrow(CliError);
  await expect(pages).rejects.toMatchObject({ category: 'network' });
});
