import type { World } from '../base/world.ts';
import { siblingFiles, siblingPath } from '../files/inspect.ts';
import { readPrivateFile, writePrivateFile } from '../files/private-file.ts';
import { openDamaged } from '../sqlite/database.ts';

/** The unknown outcomes of a damaged journal, as they were saved. */
interface SavedOperations {
  readonly path: string;
  readonly count: number;
}

const START = 'unknown-outcomes-';
const ENDING = '.ndjson';
const OUTCOME_UNKNOWN = `state IN ('sent', 'unknown')`;

/**
 * Saves every operation with an unknown outcome that can still be read from a damaged journal to a file beside it, as one line of
 * JSON each. A file that an earlier command saved with the same content is used instead. Returns undefined if nothing can
 * be read. Throws CliError usage, or the system's error.
 */
export async function saveUnknown(
  path: string,
  { clock, ids }: Pick<World, 'clock' | 'ids'>,
): Promise<SavedOperations | undefined> {
  const found = await readableUnknown(path);
  if (found.length === 0) return undefined;
  const text = found.map((row) => `${JSON.stringify(row)}\n`).join('');
  const saved = siblingFiles(path, START, ENDING).find((each) => readPrivateFile(each) === text);
  if (saved) return { path: saved, count: found.length };
  const time = new Date(clock.now()).toISOString().replace(/[-:.]/g, '');
  const file = siblingPath(path, `${START}${time}${ENDING}`);
  writePrivateFile(file, text, ids.uuid());
  return { path: file, count: found.length };
}

/** Reads the operations with an unknown outcome from both ends of the table and through its index, because any page of them may be damaged. */
async function readableUnknown(path: string): Promise<object[]> {
  try {
    const damaged = await openDamaged(path);
    try {
      const whole = (tail: string) => damaged.rows(`SELECT * FROM operation ${tail}`);
      const rows = [
        ...whole(`NOT INDEXED WHERE ${OUTCOME_UNKNOWN}`),
        ...whole(`NOT INDEXED WHERE ${OUTCOME_UNKNOWN} ORDER BY id DESC`),
      ];
      const known = new Map(rows.map((row) => [String(row['id']), row]));
      for (const { id } of damaged.rows(`SELECT id FROM operation WHERE ${OUTCOME_UNKNOWN}`)) {
        const name = String(id);
        if (!known.has(name))
          known.set(name, damaged.rows('SELECT * FROM operation WHERE id = ?', name)[0] ?? { id, state: 'unknown' });
      }
      return [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    } finally {
      damaged.close();
    }
  } catch {
    // Not even its first page can be read.
    return [];
  }
}
