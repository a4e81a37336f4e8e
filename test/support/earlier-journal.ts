import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UPGRADES, VERSION_3 } from '../../src/journal/sqlite/schema.ts';
import { ROOT } from './built.ts';

/** `frjr` in ASCII: the application id that marks a file as a journal. */
export const JOURNAL = 0x66726a72;

export type Line = Readonly<Record<string, string | number | null>>;

/** A journal as an earlier build exported it. It never changes: hashes that are out in the world must verify forever. */
export const EARLIER_LINES = readFileSync(join(ROOT, 'test', 'journal', 'kept-lines.ndjson'), 'utf8')
  .trimEnd()
  .split('\n');

/** The last hash of each of its hosts. */
export const EARLIER_HEADS = {
  'host-1': 'QaL4KaAcnz-2mRoxyvGXVZzYCUA_tQqhLa7fmGUsk0I',
  'host-2': 'Yar1F5bVOL_-uh28VyWdV4DyvLAyUM68Ki0fb1ONg_4',
};

const parsed = EARLIER_LINES.map((line) => JSON.parse(line) as Line);
export const earlierLines = (type: string): readonly Line[] => parsed.filter((line) => line['type'] === type);

/** The transitions that files have: all but the last one, so that an operation is in doubt. */
const transitions = earlierLines('transition').slice(0, -1);

/** The last hash of each host in files. */
export const FILE_HEADS = Object.fromEntries(transitions.map(({ host, hash }) => [String(host), String(hash)]));
export const FILE_ENTRIES = transitions.length;

/** What a version added to the tables before it. */
const ADDED: Readonly<Record<number, string>> = {
  ...{ 3: `${VERSION_3}${UPGRADES[1]}`, 4: String(UPGRADES[3]), 5: String(UPGRADES[4]), 6: String(UPGRADES[5]) },
};

/**
 * Writes the journal of an earlier build as a file of a version from 3 to 6. Hashes that cover what a version did not have yet are not those that
 * it wrote. Returns the ids of the operations whose outcome is unknown.
 */
export function writeEarlier(path: string, version: number): readonly string[] {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA application_id = ${JOURNAL}; BEGIN`);
  for (let each = 3; each <= version; each++) database.exec(ADDED[each] ?? '');
  const insert = (table: string, row: Readonly<Record<string, string | number | null>>) => {
    const names = Object.keys(row);
    const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
    database
      .prepare(sql)
      .run(...Object.values(row).map((value) => (typeof value === 'number' ? BigInt(value) : value)));
  };
  insert('setting', { name: 'digest-key', value: String(parsed[0]?.['digestKey']) });
  for (const { type: _, ...row } of earlierLines('account')) insert('account_name', row);
  for (const row of earlierOperations()) {
    const { asset = null, minor = null, baseline = null, ...rest } = row;
    insert('operation', {
      ...rest,
      ...(version >= 5 ? { asset, minor: null } : {}),
      ...(version >= 6 ? { baseline } : {}),
    });
    // It may be larger than a number of JavaScript.
    if (version >= 5 && minor !== null)
      database.prepare('UPDATE operation SET minor = ? WHERE id = ?').run(BigInt(minor), rest['id'] ?? null);
  }
  for (const { type: _, ...row } of transitions) insert('transition', row);
  if (version >= 5) database.exec(SPENT);
  database.exec(`COMMIT; PRAGMA user_version = ${version}`);
  const doubts = database.prepare(`SELECT id FROM operation WHERE state IN ('sent', 'unknown') ORDER BY id`).all();
  database.close();
  return doubts.map(({ id }) => String(id));
}

/** The operations as their rows were: with what their transitions lead to. */
function earlierOperations(): readonly Line[] {
  return earlierLines('operation').map(({ type: _, ...row }) => {
    const own = transitions.filter((link) => link['operation_id'] === row['id']);
    const latest = (name: string) => own.findLast((link) => link[name] !== null)?.[name] ?? null;
    const { state = null, verdict = null, detail = null, at = null } = own.at(-1) ?? {};
    return {
      ...row,
      ...{ state, verdict, detail, request_id: latest('request_id'), result: latest('result') },
      ...{ updated_at: at, busy_until: Number(at) + 60_000 },
    };
  });
}

/** Returns SQL that writes the journal of an earlier build into the tables of version 2 of a server. */
export function earlierSql(): string {
  const literal = (value: string | number | null) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
  const insert = (table: string, row: Line) =>
    `INSERT INTO fiatrail.${table} (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).map(literal).join(', ')})`;
  const bare = (lines: readonly Line[]) => lines.map(({ type: _, ...row }) => row);
  const key = String(parsed[0]?.['digestKey']);
  return [
    'CREATE SCHEMA fiatrail; SET search_path = fiatrail',
    readFileSync(join(ROOT, 'test', 'postgres', 'version-2.sql'), 'utf8')
      .trimEnd()
      .replace(/;$/, ''),
    `INSERT INTO setting VALUES ('version', '2'), ('id', '0badcafe'), ('digest-key', '${key}')`,
    ...bare(earlierLines('account')).map((row) => insert('account_name', row)),
    ...earlierOperations().map((row) => insert('operation', row)),
    ...bare(transitions).map((row) => insert('transition', row)),
    SPENT,
    `INSERT INTO setting SELECT 'server', (SELECT system_identifier FROM pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)`,
  ].join(';\n');
}

/** Sums what the operations moved. */
const SPENT = `INSERT INTO spent SELECT account, asset, (created_at + 3600000) / 86400000, command, sum(minor) FROM operation
  WHERE asset IS NOT NULL AND state NOT IN ('refused', 'failed') AND (verdict IS NULL OR verdict = 'completed') GROUP BY 1, 2, 3, 4`;
