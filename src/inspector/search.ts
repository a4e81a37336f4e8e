import { type Found, type InspectorSource, newestOf, type Row } from './source.ts';

/** How many rows of a list a search shows. */
export const MOST_FOUND = 20;

/** Looks for a text in every list, newest first: in what is listed, and in bodies and postings. */
export async function findIn(lists: InspectorSource['lists'], text: string): Promise<readonly Found[]> {
  const wanted = text.trim();
  if (wanted === '') return [];
  const found = await Promise.all(
    Object.entries(lists).map(async ([name, list]) => {
      const { rows } = await newestOf(list, { text: wanted, state: '', limit: MOST_FOUND, isDeep: true });
      return rows.toReversed().map((row) => foundOf(name, row));
    }),
  );
  return found.flat();
}

const textOrNull = (value: string | number | null | undefined) =>
  value === undefined || value === null ? null : String(value);

/** What a search shows of a row. */
export function foundOf(list: string, row: Row): Found {
  const { id } = row;
  const parts = [
    row['kind'],
    row['event'] ?? row['operation'] ?? row['summary'],
    row['amount'],
    row['who'],
    row['for'],
  ];
  const words = parts.filter((each) => each !== undefined && each !== null);
  return {
    ...{ list, id, at: textOrNull(row['at']), state: textOrNull(row['state'] ?? row['status']) },
    ...{ look: textOrNull(row['look']), text: words.length > 0 ? words.join(' · ') : id },
  };
}
