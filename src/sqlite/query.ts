import type { DatabaseSync } from 'node:sqlite';
import { requireOwnDatabase, type SqlValue } from './database.ts';
import { DatabaseError, guardOf } from './errors.ts';

/** A value that a query returns. */
type QueryValue = SqlValue | Uint8Array;

/** A statement that was compiled. */
export interface CompiledQuery {
  /** As SQLite names them; two may have one name, and any text may be one. */
  readonly columns: readonly string[];
  /** Runs it. Throws SQLite's error, or DatabaseError. */
  rows(): Iterable<readonly QueryValue[]>;
}

/** A file that is only read, for SQL that someone typed. */
export interface QueryDatabase {
  /** Adds a table in memory that only this connection has, with pages of rows. Its columns are TEXT or INTEGER. */
  addTable(
    name: string,
    columns: readonly string[],
    pages: AsyncIterable<readonly (readonly SqlValue[])[]>,
  ): Promise<void>;
  /** Adds a view that only this connection has, by the statement that makes it. */
  addView(statement: string): void;
  /** Every name by which a query could read something, whether it may or not, in lower case. SQLite has more that begin with sqlite_ and pragma_. */
  readableNames(): readonly string[];
  /**
   * From here on, a query changes nothing. As a second guard, where Node has authorizers, it reads only what `mayRead` allows: a column of a
   * table, whatever view leads there. Of what `isHidden` names, it reads nulls; only if `canHide`.
   */
  seal(
    mayRead: (table: string, column: string) => boolean,
    isHidden?: (table: string, column: string) => boolean,
  ): void;
  /** Whether Node has authorizers, without which a query reads what it names. */
  readonly canHide: boolean;
  /** Compiles the first statement of a text. Throws SQLite's error, or DatabaseError. */
  compile(sql: string): CompiledQuery;
  close(): void;
}

/** How long a query waits for another process's write. */
const TIMEOUT_MS = 5_000;

/** The longest value. Where Node cannot limit what SQLite makes, what it returns is limited. */
export const MAX_VALUE_BYTES = 16 * 1024 * 1024;

/** The functions that reach beyond the database. */
export const CLOSED_FUNCTIONS = ['load_extension', 'fts3_tokenizer'];

/** Opens an existing file, which is never written. Throws DatabaseError, and CliError usage for a link or another user's file. */
export async function openForQueries(
  path: string,
  layout: { readonly version: number; readonly applicationId: number },
): Promise<QueryDatabase> {
  const { DatabaseSync, constants } = await import('node:sqlite');
  requireOwnDatabase(path);
  const guard = guardOf(path);
  const connection = guard(() => new DatabaseSync(path, { readOnly: true, timeout: TIMEOUT_MS }));
  const names = (sql: string) =>
    connection
      .prepare(sql)
      .all()
      .map((row) => String(row['name']).toLowerCase());
  try {
    guard(() => requireLayout(connection, path, layout));
    // What a query sorts stays in memory, so that nothing of it is ever in a file.
    connection.exec('PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF');
  } catch (error) {
    connection.close();
    throw error;
  }
  return {
    addTable: async (name, columns, pages) => {
      connection.exec(`BEGIN; CREATE TEMP TABLE ${name} (${columns.join(', ')}) STRICT`);
      const insert = connection.prepare(`INSERT INTO temp.${name} VALUES (${columns.map(() => '?').join(', ')})`);
      for await (const rows of pages) for (const row of rows) insert.run(...row);
      connection.exec('COMMIT');
    },
    addView: (statement) => connection.exec(statement),
    readableNames: () => [
      ...names('SELECT name FROM sqlite_schema UNION ALL SELECT name FROM sqlite_temp_schema'),
      ...names('SELECT name FROM pragma_module_list'),
    ],
    seal: (mayRead, isHidden) => {
      connection.exec('PRAGMA query_only = ON');
      limit(connection);
      const { SQLITE_DENY, SQLITE_FUNCTION, SQLITE_IGNORE, SQLITE_OK, SQLITE_READ, SQLITE_RECURSIVE, SQLITE_SELECT } =
        constants;
      connection.setAuthorizer?.((action, first, second) => {
        if (action === SQLITE_SELECT || action === SQLITE_RECURSIVE) return SQLITE_OK;
        if (action === SQLITE_FUNCTION) return CLOSED_FUNCTIONS.includes(second ?? '') ? SQLITE_DENY : SQLITE_OK;
        if (action === SQLITE_READ && second && isHidden?.(first ?? '', second)) return SQLITE_IGNORE;
        // Without a column, rows are only counted, also those of a subquery.
        return action === SQLITE_READ && (!second || mayRead(first ?? '', second)) ? SQLITE_OK : SQLITE_DENY;
      });
    },
    canHide: connection.setAuthorizer !== undefined,
    compile: (sql) => {
      const statement = guard(() => connection.prepare(sql));
      statement.setReadBigInts(true);
      statement.setReturnArrays(true);
      return {
        columns: statement.columns().map(({ name }) => name),
        *rows() {
          try {
            yield* statement.iterate() as unknown as Iterable<readonly QueryValue[]>;
          } catch (error) {
            guard(() => {
              throw error;
            });
          }
        },
      };
    },
    close: () => connection.close(),
  };
}

/** The most databases that a connection attaches, as SQLite is compiled in Node. */
const MAX_ATTACHED = 10;

/**
 * Limits what SQLite makes and opens. Without Node's limits, every place for another database is taken, so that neither ATTACH nor VACUUM INTO
 * finds one.
 */
function limit(connection: DatabaseSync): void {
  const limits: { length: number; attach: number } | undefined = connection.limits;
  if (limits) Object.assign(limits, { length: MAX_VALUE_BYTES, attach: 0 });
  else for (let count = 1; count <= MAX_ATTACHED; count++) connection.exec(`ATTACH ':memory:' AS taken_${count}`);
}

function requireLayout(
  connection: DatabaseSync,
  path: string,
  { version, applicationId }: { readonly version: number; readonly applicationId: number },
): void {
  const sql = 'SELECT application_id AS id, user_version AS version FROM pragma_application_id, pragma_user_version';
  const found = connection.prepare(sql).get() as { readonly id: number; readonly version: number };
  if (found.id !== applicationId) throw new DatabaseError('corrupt', path, undefined);
  if (found.version !== version) throw new DatabaseError(found.version > version ? 'newer' : 'older', path, undefined);
}
