import { changeOfFile, PARTS_OF_FILE, type Part } from '../sqlite/parts.ts';
import { parts } from './sqlite/schema.ts';
import type { Queries } from './store.ts';

/**
 * Returns what is not as this version makes the tables, indexes and triggers, which reject what the entries do not say, or who may do more
 * than a host on a server; undefined if all is as it should be. The cost does not grow with the journal.
 */
export async function changeOfTables(queries: Queries): Promise<string | undefined> {
  if (queries.engine === 'sqlite') return changeOfFile(await queries.all<Part>(PARTS_OF_FILE), parts());
  // Not loaded for a file.
  const [{ wrongOn }, { LAYOUT }] = await Promise.all([import('./postgres/gate.ts'), import('./postgres/schema.ts')]);
  return (await wrongOn(queries, LAYOUT))?.what;
}
