import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { World } from '../../src/base/world.ts';
import { hashOf, NO_HASH } from '../../src/journal/chain.ts';
import { linkOf } from '../../src/journal/entries.ts';
import type { EntryRow } from '../../src/journal/tables.ts';

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

/** Changes a journal as another version might have written it: its hashes fit, and no head of it is kept. */
export function rewriteJournal({ env }: Pick<World, 'env'>, change: (database: DatabaseSync) => void): void {
  const [stateDir = '', configDir = ''] = [env['FIATRAIL_STATE_DIR'], env['FIATRAIL_CONFIG_DIR']];
  const path = join(stateDir, 'journal.db');
  const database = new DatabaseSync(path);
  const triggers = database.prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`).all();
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  change(database);
  const entries = database.prepare('SELECT * FROM entry ORDER BY sequence');
  entries.setReadBigInts(true);
  const operation = database.prepare('SELECT * FROM operation WHERE id = ?');
  operation.setReadBigInts(true);
  let hash = NO_HASH;
  for (const entry of entries.all() as unknown as EntryRow[]) {
    const row = operation.get(entry.operation_id) as Parameters<typeof linkOf>[1];
    hash = hashOf(hash, linkOf(entry, row));
    database.prepare('UPDATE entry SET hash = ? WHERE sequence = ?').run(hash, entry.sequence);
  }
  for (const { sql } of triggers) database.exec(String(sql));
  database.close();
  for (const folder of [stateDir, configDir].filter(existsSync))
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
      if (file.endsWith('.head')) rmSync(join(folder, file));
}
