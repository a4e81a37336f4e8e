import type { Database } from '../sqlite/database.ts';
import { nameOfOld } from './accounts.ts';
import type { OperationState } from './states.ts';
import { appendLink, type JournalWorld } from './transitions.ts';

interface OldRow {
  readonly id: string;
  readonly state: OperationState;
  readonly profile: string;
  readonly base_url: string;
  readonly request_id: string | null;
  readonly detail: string | null;
  readonly created_at: bigint;
  readonly updated_at: bigint;
}

/**
 * Upgrades version 2: copies the operations into the new tables, with a transition for the intent and one for the state it had
 * reached. They were recorded by this host, and belong to the account of their profile and URL.
 */
export function moveOperations(
  database: Database,
  { ids, host }: JournalWorld,
  createTables: (database: Database) => void,
): void {
  // The rotations refer to the operations by name, and must go on doing so.
  database.exec('PRAGMA legacy_alter_table = ON; ALTER TABLE operation RENAME TO old_operation;');
  createTables(database);
  const accounts = new Map<string, string>();
  const accountOf = ({ profile, base_url }: OldRow) => {
    const name = nameOfOld(profile, base_url);
    const account = accounts.get(name) ?? ids.uuid();
    if (!accounts.has(name)) database.run('INSERT INTO account_name VALUES (?, ?)', name, account);
    accounts.set(name, account);
    return account;
  };
  for (const row of database.all<OldRow>('SELECT * FROM old_operation ORDER BY id')) {
    const created = Number(row.created_at);
    database.run(
      `INSERT INTO operation SELECT id, effect, ?, profile, mode, base_url, endpoint, effect, command, summary, request, '', NULL,
         NULL, '', ?, 0, created_at, state, request_id, NULL, detail, NULL, updated_at, 0 FROM old_operation WHERE id = ?`,
      ...[accountOf(row), host.name, row.id],
    );
    appendLink({ store: database, host: host.name }, row.id, 'prepared', created, {});
    const { request_id: requestId, detail } = row;
    if (row.state !== 'prepared')
      appendLink({ store: database, host: host.name }, row.id, row.state, Number(row.updated_at), {
        requestId,
        detail,
      });
  }
  database.exec('DROP TABLE old_operation; PRAGMA legacy_alter_table = OFF;');
}
