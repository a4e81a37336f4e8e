import type { Queries } from '../store.ts';
import { EXPECTED_LINES } from './schema.ts';

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

/** Like `changeOfTables`, on a server. */
export async function changeOnServer(queries: Queries): Promise<string | undefined> {
  const rows = await queries.all<{ line: string }>(GUARDS);
  const found = new Set(rows.map(({ line }) => line));
  const named = (line: string) => line.split(' ', 2).join(' ');
  const missing = EXPECTED_LINES.find((line) => !found.delete(line));
  if (missing !== undefined) return `its ${named(missing)} is missing or another one`;
  const [added] = found;
  return added === undefined ? undefined : `${named(added)} was added to it`;
}
