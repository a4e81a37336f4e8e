import { describe, expect, test } from 'vitest';
import { readSql, writeSql } from '../../src/journal/postgres/store.ts';

const FACTS =
  /^SELECT floor\(extract\(epoch FROM clock_timestamp\(\)\) \* 1000\)::bigint AS now, \(SELECT value FROM fiatrail\.setting WHERE name = 'version'\) AS version,\s+\(SELECT value FROM fiatrail\.setting WHERE name = 'server'\) AS known, (.*) AS server, (.*) AS tables$/;

/** The server and its timeline. */
const SERVER = `(SELECT system_identifier FROM pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)`;

/** The database, a table, and the transaction that wrote the setting: a dump that was restored has others. */
const TABLES = `(SELECT oid::text FROM pg_database WHERE datname = current_database()) || '/' || 'fiatrail.entry'::regclass::oid::text || '/' || (SELECT xmin::text FROM fiatrail.setting WHERE name = 'server')`;

describe('a transaction on a server begins with', () => {
  test('a commit that is on the disk, and the only lock, before it reads anything', () => {
    const statements = writeSql().sql.split('; ');
    expect(statements.slice(0, -1)).toEqual([
      'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
      'SET LOCAL search_path = pg_catalog, fiatrail, pg_temp',
      'SET LOCAL lock_timeout = 20000',
      'SET LOCAL idle_in_transaction_session_timeout = 30000',
      `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') IN ('off', 'local')`,
      'SELECT pg_advisory_xact_lock(1718774386)',
    ]);
    expect(FACTS.exec(statements.at(-1) ?? '')?.slice(1)).toEqual([SERVER, TABLES]);
  });

  test.each([
    [0, 1],
    [0.2, 1],
    [1_500.5, 1_501],
  ])('a wait of %d ms as %d ms, because 0 would be forever', (waitMs, said) => {
    expect(writeSql(waitMs).sql).toContain(`SET LOCAL lock_timeout = ${said};`);
  });

  test('whose server it must be, unless it accepts any', () => {
    expect(writeSql()).toMatchObject({ writes: true, needsServer: true });
    expect(writeSql(1, { acceptsServer: true })).toMatchObject({ writes: true, needsServer: false });
  });

  test('one moment and no right to write, if it reads', () => {
    const statements = readSql().sql.split('; ');
    expect(statements.slice(0, -1)).toEqual([
      'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
      'SET LOCAL search_path = pg_catalog, fiatrail, pg_temp',
    ]);
    expect(FACTS.exec(statements.at(-1) ?? '')?.slice(1)).toEqual(['NULL', 'NULL']);
  });
});
