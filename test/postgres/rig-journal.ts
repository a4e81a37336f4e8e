import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Client } from 'pg';
import { ENTRY_COLUMNS, type Entry, type RigJournal } from '../faults/money-journals.ts';
import type { AtEnd } from '../support/built.ts';
import { postgresPrograms } from '../support/postgres.ts';

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
  const program = (name: string, argv: readonly string[], input = '') => {
    const at = ['-h', host, '-p', String(port), '-U', username, '-d', pathname.slice(1)];
    return execFileSync(join(postgresPrograms(), name), [...at, ...argv], { input, encoding: 'utf8' });
  };
  return {
    env: { FIATRAIL_JOURNAL_URL: url },
    isShared: true,
    clear: async () => void (await client.query('DROP SCHEMA IF EXISTS fiatrail CASCADE')),
    entries: async () => {
      if (!(await isThere())) return [];
      const { rows } = await client.query(`SELECT ${ENTRY_COLUMNS} FROM fiatrail.operation ORDER BY id`);
      return rows.map((row) => ({ ...row, process: Number(row.process) })) as Entry[];
    },
    copy: async () => {
      if (!(await isThere())) return async () => {};
      const dump = program('pg_dump', ['--schema=fiatrail']);
      return async () => {
        await client.query('DROP SCHEMA fiatrail CASCADE');
        program('psql', ['-q', '-v', 'ON_ERROR_STOP=1'], dump);
      };
    },
  };
}
