import type { Database, SqlValue } from '../sqlite/database.ts';

export type Row = Readonly<Record<string, SqlValue>>;

/**
 * Queries of one transaction. The SQL is what SQLite and PostgreSQL have in common, with `?` for each value; every integer is read
 * as bigint.
 */
export interface Queries {
  readonly engine: 'sqlite' | 'postgres';
  all<R extends object = Row>(sql: string, ...values: SqlValue[]): Promise<R[]>;
  get<R extends object = Row>(sql: string, ...values: SqlValue[]): Promise<R | undefined>;
  /** Returns the number of changed rows. */
  run(sql: string, ...values: SqlValue[]): Promise<number>;
  /** The time of the journal, in milliseconds since the epoch: a shared journal has its server's. */
  now(): number;
}

/**
 * The database of a journal. Of all processes that have it open, one writes at a time, and sees everything that was written before.
 * Its methods reject with DatabaseError.
 */
export interface Store extends Pick<Database, 'unwritable'> {
  /** The path of the files that this host keeps beside the journal; `:memory:` if there are none. */
  readonly path: string;
  /** The id of the journal, which its copies keep: 8 hexadecimal digits. */
  readonly id: string;
  /** The server's name for messages, and the path of this host's own journal; undefined for a file. */
  readonly server: { readonly name: string; readonly localPath: string } | undefined;
  /** This host's name in the journal. */
  readonly host: string;
  /** The key of the digests of what commands were given, so that whoever has only the digests cannot test guesses. */
  readonly digestKey: string;
  /** Runs work that sees one moment of the journal. */
  read<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Runs work in a transaction, which is rolled back if it throws, and flushed to disk before this resolves. */
  write<T>(work: (queries: Queries) => Promise<T>, waitMs?: number): Promise<T>;
  /** How far the journal’s clock is ahead of this machine’s, in milliseconds: that of a file is the machine’s. */
  aheadMs(): number;
  /** Copies the journal to a new private file. Returns its bytes. Throws CliError usage. */
  backUp(path: string): Promise<number>;
  /** Tells every host that the journal lacks entries, as if its server had been replaced. */
  distrust(): Promise<void>;
  /** Whether the server was replaced by one that may lack the last entries, or a backup was restored. */
  isReplaced(): Promise<boolean>;
  /** Whether this role could take away what protects the journal: it owns the tables, or is a superuser. */
  isOwner(): Promise<boolean>;
  /** Accepts the server as it is, after it was replaced by one that may lack the last entries. */
  accept(): Promise<void>;
  close(): Promise<void>;
}
