import { Client } from 'pg';
import { ENTRY_COLUMNS, type Entry, type RigJournal } from '../faults/money-journals.ts';
import type { AtEnd } from '../support/built.ts';

/** The tables whose rows are the journal; `setting` has what identifies it. */
const TABLES = ['account_name', 'operation', 'transition', 'rotation', 'tally', 'spent'];

/** A journal on a server that many rigs use one after another. */
export interface ServerJournal extends RigJournal {
  /** Removes everything. */
  clear(): Promise<void>;
}

/** Returns the journal in a database. Its own queries are those of nobody: they neither fail nor count. */
export async function serverJournal(url: string, atEnd: AtEnd): Promise<ServerJournal> {
  const { pathname, searchParams, username } = new URL(url.replace('@/', '@socket.invalid/'));
  const host = searchParams.get('host') ?? '';
  const port = Number(searchParams.get('port'));
  const client = new Client({ host, port, user: username, database: pathname.slice(1) });
  await client.connect();
  atEnd(() => client.end());
  const isThere = async () =>
    (await client.query(`SELECT to_regclass('fiatrail.operation') AS made`)).rows[0].made !== null;
  return {
    env: { FIATRAIL_JOURNAL_URL: url },
    isShared: true,
    clear: async () => void (await client.query('DROP SCHEMA IF EXISTS fiatrail, copied CASCADE')),
    entries: async () => {
      if (!(await isThere())) return [];
      const { rows } = await client.query(`SELECT ${ENTRY_COLUMNS} FROM fiatrail.operation ORDER BY id`);
      return rows.map((row) => ({ ...row, process: Number(row.process) })) as Entry[];
    },
    copy: async () => {
      if (!(await isThere())) return async () => {};
      const copied = TABLES.map((name) => `CREATE TABLE copied.${name} AS SELECT * FROM fiatrail.${name}`);
      await client.query(['DROP SCHEMA IF EXISTS copied CASCADE', 'CREATE SCHEMA copied', ...copied].join('; '));
      const back = TABLES.map(
        (name) => `DELETE FROM fiatrail.${name}; INSERT INTO fiatrail.${name} SELECT * FROM copied.${name}`,
      );
      // Without triggers, as a restored backup is written.
      const sql = ['BEGIN', `SET LOCAL session_replication_role = replica`, ...back, 'COMMIT'].join('; ');
      return async () => void (await client.query(sql));
    },
  };
}
