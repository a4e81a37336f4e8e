import { copyFileSync, cpSync, existsSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** An operation as the journal has it. */
export interface Entry {
  readonly id: string;
  readonly state: string;
  readonly verdict: string | null;
  readonly detail: string | null;
  readonly endpoint: string;
  readonly once_key: string | null;
  readonly request_id: string | null;
  readonly input_digest: string;
  readonly process: number;
}

/** The columns of an entry. */
export const ENTRY_COLUMNS = 'id, state, verdict, detail, endpoint, once_key, request_id, input_digest, process';

/** Puts what was copied in its place. */
export type Restore = () => Promise<void>;

/** Where the journal of a rig is. */
export interface RigJournal {
  /** What tells commands where it is. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether each host has a state folder of its own. */
  readonly isShared: boolean;
  entries(stateDir: string): Promise<readonly Entry[]>;
  copy(stateDir: string): Promise<Restore>;
}

const PARTS = ['journal.db', 'journal.db-wal', 'journal.db-shm'];

/** The journal in a file of the host. */
export const FILE_JOURNAL: RigJournal = {
  env: {},
  isShared: false,
  entries: async (stateDir) => {
    const path = join(stateDir, 'journal.db');
    if (!existsSync(path)) return [];
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      // A process that was killed first of all leaves a file without tables.
      const [made] = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'operation'`).all();
      if (!made) return [];
      return database.prepare(`SELECT ${ENTRY_COLUMNS} FROM operation ORDER BY id`).all() as unknown as Entry[];
    } finally {
      database.close();
    }
  },
  copy: async (stateDir) => {
    const paths = PARTS.map((name) => join(stateDir, name));
    const there = paths.filter((path) => existsSync(path));
    const copies = there.map((path) => [path, `${dirname(stateDir)}/copied-${basename(path)}`] as const);
    for (const [path, copy] of copies) copyFileSync(path, copy);
    return async () => {
      for (const path of paths) rmSync(path, { force: true });
      for (const [path, copy] of copies) copyFileSync(copy, path);
    };
  },
};

/** Copies folders with all that is in them. */
export function copyFolders(paths: readonly string[]): Restore {
  const copies = paths.filter((path) => existsSync(path)).map((path) => [path, `${path}.copy`] as const);
  for (const [path, copy] of copies) cpSync(path, copy, { recursive: true });
  return async () => {
    for (const path of paths) rmSync(path, { recursive: true, force: true });
    for (const [path, copy] of copies) cpSync(copy, path, { recursive: true });
  };
}
