import { INDEXES, TABLES, TRIGGERS } from './sqlite/schema.ts';
import type { Queries } from './store.ts';

const nameIn = (sql: string) =>
  /^CREATE (?:UNIQUE )?(TABLE|INDEX|TRIGGER) (\S+)/.exec(sql)?.slice(1).join(' ').toLowerCase();

/**
 * Returns what is not as this version makes the tables, indexes and triggers, which reject what the entries do not say; undefined if all is
 * as it should be. The cost does not grow with the journal.
 */
export async function changeOfTables(queries: Queries): Promise<string | undefined> {
  if (queries.engine === 'sqlite') return changeOfFile(queries);
  // Not loaded for a file.
  return (await import('./postgres/schema.ts')).changeOnServer(queries);
}

async function changeOfFile(queries: Queries): Promise<string | undefined> {
  const rows = await queries.all<{ sql: string }>(
    `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'sqlite_sequence'`,
  );
  const found = new Set(rows.map(({ sql }) => sql));
  const expected = [...TABLES, ...INDEXES, ...TRIGGERS];
  const missing = expected.find((sql) => !found.delete(sql));
  if (missing !== undefined) return `its ${nameIn(missing)} is missing or another one`;
  const [added] = found;
  return added === undefined ? undefined : `${nameIn(added) ?? 'something'} was added to it`;
}
