import type { Database } from '../../sqlite/database.ts';
import { nameOfOld } from '../accounts.ts';
import { fixedText, hashOf, type Link, NO_HASH } from '../chain.ts';
import type { OperationState } from '../states.ts';
import type { JournalWorld } from '../transitions.ts';

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
  const append = appender(database);
  for (const row of database.all<OldRow>('SELECT * FROM old_operation ORDER BY id')) {
    database.run(
      `INSERT INTO operation SELECT id, effect, ?, profile, mode, base_url, endpoint, effect, command, summary, request, '', NULL,
         NULL, '', ?, 0, created_at, state, request_id, NULL, detail, NULL, updated_at, 0 FROM old_operation WHERE id = ?`,
      ...[accountOf(row), host.name, row.id],
    );
    const operation = fixedText(database.get('SELECT * FROM operation WHERE id = ?', row.id) ?? {}, 'earlier');
    const link = { ...NOTHING, operationId: row.id, host: host.name };
    append({ ...link, state: 'prepared', at: row.created_at, requestId: null, detail: null, operation });
    const { state, request_id: requestId, detail } = row;
    if (state !== 'prepared') append({ ...link, state, at: row.updated_at, requestId, detail, operation: null });
  }
  database.exec('DROP TABLE old_operation; PRAGMA legacy_alter_table = OFF;');
}

/** What the entries of an operation of version 2 do not say. */
const NOTHING = { verdict: null, result: null, busyUntil: null, subject: null, value: null } as const;

/** Returns a function that appends links to an empty chain of this host. */
function appender(database: Database): (link: Omit<Link, 'sequence'>) => void {
  let sequence = 0n;
  let previous = NO_HASH;
  return (link) => {
    sequence += 1n;
    previous = hashOf(previous, { ...link, sequence }, 'earlier');
    const { operationId, host, state, at, requestId, detail } = link;
    database.run(
      `INSERT INTO transition (sequence, operation_id, host, state, at, request_id, verdict, detail, result, hash)
       VALUES (?, ?, ?, ?, ?, ?, NULL, ?, NULL, ?)`,
      ...[sequence, operationId, host, state, at, requestId, detail, previous],
    );
  };
}
