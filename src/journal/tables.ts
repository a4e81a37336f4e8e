import { EXPECTED_LINES } from './postgres/schema.ts';
import { INDEXES, TABLES, TRIGGERS } from './sqlite/schema.ts';
import type { Queries } from './store.ts';

const nameIn = (sql: string) =>
  /^CREATE (?:UNIQUE )?(TABLE|INDEX|TRIGGER) (\S+)/.exec(sql)?.slice(1).join(' ').toLowerCase();

/**
 * Returns what is not as this version makes the tables, indexes and triggers, which reject what the entries do not say; undefined if all is
 * as it should be. The cost does not grow with the journal.
 */
export async function changeOfTables(queries: Queries): Promise<string | undefined> {
  return queries.engine === 'sqlite' ? changeOfFile(queries) : changeOnServer(queries);
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

/** Everything in the schema that acts or rejects, as a line each. */
const GUARDS = `
  SELECT 'trigger ' || t.tgname || ' ' || c.relname || ' ' || t.tgtype::text || ' ' || t.tgenabled::text || ' ' || p.proname AS line
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_proc p ON p.oid = t.tgfoid WHERE n.nspname = 'fiatrail' AND NOT t.tgisinternal
  UNION ALL SELECT 'function ' || p.proname || ' ' || p.prosrc FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = 'fiatrail'
  UNION ALL SELECT 'rule ' || r.rulename FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'fiatrail'
  UNION ALL SELECT 'index ' || c.relname || ' ' || i.indisunique::text || ' ' || (i.indisvalid AND i.indisready)::text
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'fiatrail'
  UNION ALL SELECT 'table ' || c.relname || ' ' || (SELECT string_agg(a.attname, ' ' ORDER BY a.attname) FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'fiatrail' AND c.relkind <> 'i'`;

async function changeOnServer(queries: Queries): Promise<string | undefined> {
  const rows = await queries.all<{ line: string }>(GUARDS);
  const found = new Set(rows.map(({ line }) => line));
  const named = (line: string) => line.split(' ', 2).join(' ');
  const missing = EXPECTED_LINES.find((line) => !found.delete(line));
  if (missing !== undefined) return `its ${named(missing)} is missing or another one`;
  const [added] = found;
  return added === undefined ? undefined : `${named(added)} was added to it`;
}
