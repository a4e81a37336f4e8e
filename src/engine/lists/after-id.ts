import { CliError } from '../../base/errors.ts';

/** Reads the pages after the first one, each after the last row's id, until a page is short. Throws CliError network if the service repeats a page. */
export async function* pagesAfter<Row>(
  first: readonly Row[],
  size: number,
  idOf: (row: Row) => string | null | undefined,
  fetchPage: (startAfter: string) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let rows = first;
  while (rows.length >= size) {
    const last = rows.at(-1);
    const id = last === undefined ? undefined : idOf(last);
    if (!id) throw unreadable('the last row of a page has no id');
    rows = await fetchPage(id);
    if (rows.some((row) => idOf(row) === id)) throw unreadable('the service returned the last row of a page again');
    if (rows.length > 0) yield rows;
  }
}

function unreadable(why: string): CliError {
  return new CliError('network', `cannot read the whole list: ${why}`, {
    code: 'UNUSABLE_ANSWER',
    hint: 'read it page by page with --limit and --after',
  });
}
