import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A row of the journal file. */
export interface JournalRow {
  readonly id: string;
  readonly state: string;
  readonly endpoint: string;
  readonly summary: string;
  readonly request: string;
  readonly input_digest: string;
  readonly request_id: string | null;
  readonly detail: string | null;
  readonly once_key: string | null;
}

/** Reads the journal as another process would see it, oldest operation first. */
export function journalRows(stateDir: string): JournalRow[] {
  const path = join(stateDir, 'journal.db');
  if (!existsSync(path)) return [];
  const database = new DatabaseSync(path, { readOnly: true, timeout: 20_000 });
  try {
    const columns = 'id, state, endpoint, summary, request, input_digest, request_id, detail, once_key';
    return database.prepare(`SELECT ${columns} FROM operation ORDER BY id`).all() as unknown as JournalRow[];
  } finally {
    database.close();
  }
}
