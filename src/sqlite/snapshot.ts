import { closeSync, lstatSync, openSync, rmSync, type Stats } from 'node:fs';
import { BytesFileError, createPrivateFile, readPlainBytes } from '../files/plain-file.ts';
import { type Database, databaseUri, type OpenOptions } from './database.ts';
import { DatabaseError } from './errors.ts';

/** What is wrong with a snapshot file. */
export type SnapshotProblem = 'exists' | 'missing' | 'not plain' | 'foreign' | 'newer' | 'unusable';

export class SnapshotError extends Error {
  override name = 'SnapshotError';
  readonly problem: SnapshotProblem;

  constructor(problem: SnapshotProblem, cause?: unknown) {
    super(problem, { cause });
    this.problem = problem;
  }
}

/**
 * Writes a consistent copy of the database to a new file that only its owner can read, and returns its size in bytes.
 * No transaction may be open. Throws SnapshotError and leaves no file behind.
 */
export function writeSnapshot(database: Database, path: string): number {
  // Created here so that it is private from the start, and so that an existing file or link is never written to.
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    const { code } = error as { code?: unknown };
    throw new SnapshotError(code === 'EEXIST' ? 'exists' : code === 'ENOENT' ? 'missing' : 'unusable', error);
  }
  try {
    database.run('VACUUM INTO ?', path);
    return lstatSync(path).size;
  } catch (error) {
    rmSync(path, { force: true });
    throw new SnapshotError('unusable', error);
  }
}

/**
 * Replaces the content of the database with that of a snapshot in one transaction, so that other processes see either the
 * old or the new content. `finish` runs before the commit. Only rows are copied; tables and triggers do not change.
 * No transaction may be open. Throws SnapshotError and then changes nothing.
 */
function restoreSnapshot(
  database: Database,
  path: string,
  layout: Pick<OpenOptions['layout'], 'version' | 'applicationId'>,
  finish: () => void,
): void {
  requirePlainFile(path);
  attach(database, path);
  try {
    checkLayout(database, layout);
    // Tables are copied one by one, so rows may refer to rows that are not there yet.
    database.exec('PRAGMA foreign_keys = OFF');
    database.transaction('write', () => {
      copyRows(database);
      finish();
    });
  } catch (error) {
    throw error instanceof DatabaseError && error.problem === 'corrupt' ? new SnapshotError('foreign', error) : error;
  } finally {
    database.exec('PRAGMA foreign_keys = ON; DETACH snapshot');
  }
}

function requirePlainFile(path: string): void {
  let stats: Stats;
  try {
    stats = lstatSync(path);
  } catch (error) {
    throw new SnapshotError((error as { code?: unknown }).code === 'ENOENT' ? 'missing' : 'unusable', error);
  }
  if (!stats.isFile()) throw new SnapshotError('not plain');
}

/** Attaches the snapshot read-only. */
function attach(database: Database, path: string): void {
  try {
    database.run('ATTACH ? AS snapshot', databaseUri(path, 'mode=ro'));
  } catch (error) {
    const isForeign = error instanceof DatabaseError && error.problem === 'corrupt';
    throw new SnapshotError(isForeign ? 'foreign' : 'unusable', error);
  }
}

const TABLES = `SELECT name, sql FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`;

function checkLayout(
  database: Database,
  { version, applicationId }: Pick<OpenOptions['layout'], 'version' | 'applicationId'>,
): void {
  const pragma = (name: string) => Number(Object.values(database.get(`PRAGMA snapshot.${name}`) ?? {})[0] ?? 0n);
  if (pragma('application_id') !== applicationId) throw new SnapshotError('foreign');
  const found = pragma('user_version');
  if (found > version) throw new SnapshotError('newer');
  const tables = (schema: string) => JSON.stringify(database.all(TABLES.replace('main.', `${schema}.`)));
  if (found !== version || tables('snapshot') !== tables('main')) throw new SnapshotError('foreign');
}

function copyRows(database: Database): void {
  const triggers = database.all<{ name: string; sql: string }>(
    `SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger'`,
  );
  // Triggers would derive rows and totals that the snapshot already contains.
  for (const { name } of triggers) database.exec(`DROP TRIGGER main.${name}`);
  for (const { name } of database.all<{ name: string }>(TABLES))
    database.exec(`DELETE FROM main.${name}; INSERT INTO main.${name} SELECT * FROM snapshot.${name}`);
  for (const { sql } of triggers) database.exec(sql);
}

/**
 * Returns a consistent copy of the database as the bytes of a file. `unique` keeps two copies apart. No transaction may
 * be open. Undefined if it has more bytes than `maxBytes`, which are then not read. Throws SnapshotError.
 */
export function snapshotBytes(database: Database, unique: string, maxBytes: number): Uint8Array | undefined {
  const path = copyPath(database, unique);
  try {
    writeSnapshot(database, path);
    return readPlainBytes(path, maxBytes);
  } catch (error) {
    if (error instanceof BytesFileError && error.problem === 'too long') return undefined;
    throw error;
  } finally {
    removeCopy(path);
  }
}

/**
 * Replaces the content of the database with that of a snapshot, whose pieces are written to the disk as they come, as `restoreSnapshot` does.
 * Once they are all there, and before anything changes, `prepare` returns what `finish` is there. Throws SnapshotError, or what the pieces throw.
 */
export async function restorePieces(
  database: Database,
  pieces: AsyncIterable<Uint8Array>,
  unique: string,
  layout: Pick<OpenOptions['layout'], 'version' | 'applicationId'>,
  prepare: () => () => void,
): Promise<void> {
  const path = copyPath(database, unique);
  try {
    await createPrivateFile(path, pieces);
    restoreSnapshot(database, path, layout, prepare());
  } finally {
    removeCopy(path);
  }
}

/** Returns where a private copy is put, beside the database. */
function copyPath(database: Database, unique: string): string {
  const main = database.get<{ file: string }>(`SELECT file FROM pragma_database_list WHERE name = 'main'`)?.file;
  if (!main) throw new Error('a database in memory has no place for a snapshot');
  return `${main}.${unique}.snapshot`;
}

/** Removes a copy with what SQLite adds for a file in WAL mode. */
function removeCopy(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}
