import { type Found, type InspectorSource, newestOf } from './source.ts';

const MOST_FOUND = 20;

/** Looks for a text in every list, newest first. */
export async function findIn(lists: InspectorSource['lists'], text: string): Promise<readonly Found[]> {
  const wanted = text.trim();
  if (wanted === '') return [];
  const found = await Promise.all(
    Object.entries(lists).map(async ([name, list]) => {
      const { rows } = await newestOf(list, { text: wanted, state: '', limit: MOST_FOUND });
      return rows.toReversed().map((row) => ({ list: name, id: row.id, text: textOf(row) }));
    }),
  );
  return found.flat();
}

const textOf = ({ id, ...row }: Readonly<Record<string, unknown>>) =>
  [
    row['at'],
    row['kind'],
    row['event'] ?? row['operation'] ?? row['summary'],
    row['state'] ?? row['status'],
    row['subject'] ?? id,
  ]
    .filter((each) => each !== undefined && each !== null)
    .join(' · ');
