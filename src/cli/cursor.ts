import { CliError } from '../base/errors.ts';

/**
 * The pages after the first one of a list that goes on after its last row's id, until one comes short. A service that
 * gives the same page again would have no end.
 */
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
    if (!id) throw endless('the last row of a page has no id to go on from');
    rows = await fetchPage(id);
    if (rows.some((row) => idOf(row) === id)) throw endless('the service gave a row again that a page began after');
    if (rows.length > 0) yield rows;
  }
}

function endless(why: string): CliError {
  return new CliError('network', `the list could not be read to its end: ${why}`, {
    code: 'UNUSABLE_ANSWER',
    hint: 'read it page by page, with --limit and --after',
  });
}
