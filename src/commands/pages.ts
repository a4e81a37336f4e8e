/** Rows asked for at a time by `--all`: the most that the lists of the service give. */
export const PAGE_SIZE = 100;

/** The pages after the first one, until one comes short. */
export async function* allPages<Row>(
  firstRows: number,
  firstOffset: number,
  size: number,
  fetchPage: (offset: number) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let offset = firstOffset + firstRows;
  for (let rows = firstRows; rows >= size; offset += rows) {
    const page = await fetchPage(offset);
    yield page;
    rows = page.length;
  }
}
