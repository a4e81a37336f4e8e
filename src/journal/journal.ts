import type { Clock, Ids } from '../base/world.ts';
import { type Database, openDatabase } from '../sqlite/database.ts';
import { ROTATION_SCHEMA, type Rotation, type RotationStage, type Rotations, rotationsIn } from './rotations.ts';

/**
 * `prepared`: recorded, not sent. `sent`: sent, or about to be. `accepted`, `refused`: the service's definite response.
 * `unknown`: sent, without a usable response. An operation that stays `sent` belongs to a process that ended; its outcome is unknown too.
 */
export type OperationState = 'prepared' | 'sent' | 'accepted' | 'refused' | 'unknown';

/** A money or destructive request before it is sent. Contains no secret: the caller redacts the request. */
export interface Intent {
  readonly profile: string;
  readonly mode: string;
  readonly baseUrl: string;
  readonly endpoint: string;
  readonly effect: string;
  readonly command: string;
  /** A description for messages: `start an onramp of ₦5,000.00 for user …`. */
  readonly summary: string;
  readonly request: string;
}

export interface Operation extends Intent {
  readonly operationId: string;
  readonly state: OperationState;
  readonly requestId: string | null;
  readonly detail: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The record of money and destructive operations. Each write returns once it is flushed to disk. */
export interface Journal {
  /** Records a new operation and returns its id. */
  prepare(intent: Intent): string;
  /** Records a key rotation under an id chosen by the caller. Returns false if its account already has an open one. */
  prepareRotation(
    intent: Intent,
    rotation: Pick<Rotation, 'operationId' | 'keyPlace' | 'oldFingerprint' | 'pushes'>,
  ): boolean;
  /**
   * Moves a rotation to another stage and updates its operation in one transaction. Returns false if it is no longer at the stage
   * `from`. The sender moves it to `sending` just before it sends; false then means that another process closed the rotation.
   */
  moveRotation(operationId: string, from: RotationStage, to: RotationStage, detail?: string): boolean;
  readonly rotations: Omit<Rotations, 'insert' | 'move'>;
  /** Call just before sending. Like the next three, throws if the operation's state does not allow it. */
  sent(operationId: string): void;
  accepted(operationId: string, requestId: string | undefined): void;
  refused(operationId: string, detail: string): void;
  unknown(operationId: string, detail: string): void;
  /** Newest first. */
  list(limit: number): Operation[];
  /** Counts all operations. */
  count(): number;
  /** Counts the operations of an account whose outcome is unknown. */
  inDoubt(account: Pick<Intent, 'profile' | 'baseUrl'>): number;
  /** Returns up to three operations whose id starts with `id`. */
  find(id: string): Operation[];
  close(): void;
}

/** `frjr`, in ASCII. */
const JOURNAL_FILE_ID = 0x66726a72;

const SCHEMA = `
CREATE TABLE operation (
  id TEXT PRIMARY KEY, state TEXT NOT NULL CHECK (state IN ('prepared', 'sent', 'accepted', 'refused', 'unknown')),
  profile TEXT NOT NULL, mode TEXT NOT NULL, base_url TEXT NOT NULL, endpoint TEXT NOT NULL, effect TEXT NOT NULL,
  command TEXT NOT NULL, summary TEXT NOT NULL, request TEXT NOT NULL, request_id TEXT, detail TEXT,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

/** Upgrades the tables from each version to the next. */
const UPGRADES = { 1: (database: Database) => database.exec(ROTATION_SCHEMA) } as const;

interface OperationRow {
  readonly id: string;
  readonly state: OperationState;
  readonly profile: string;
  readonly mode: string;
  readonly base_url: string;
  readonly endpoint: string;
  readonly effect: string;
  readonly command: string;
  readonly summary: string;
  readonly request: string;
  readonly request_id: string | null;
  readonly detail: string | null;
  readonly created_at: bigint;
  readonly updated_at: bigint;
}

/** Opens the journal, creating its file on first use. Throws DatabaseError. */
export async function openJournal(path: string, clock: Clock, ids: Ids): Promise<Journal> {
  const store = await openDatabase(path, {
    synchronous: 'FULL',
    layout: {
      version: 2,
      applicationId: JOURNAL_FILE_ID,
      create: (database) => database.exec(SCHEMA + ROTATION_SCHEMA),
      upgrades: UPGRADES,
    },
  });
  const rotations = rotationsIn(store);
  return {
    prepare: (intent) => insert(store, clock, ids.uuid(), intent),
    prepareRotation: (intent, rotation) =>
      store.transaction('write', () => {
        if (rotations.openOf(intent)) return false;
        insert(store, clock, rotation.operationId, intent);
        rotations.insert({ ...rotation, profile: intent.profile, baseUrl: intent.baseUrl });
        return true;
      }),
    moveRotation: (id, from, to, detail = undefined) =>
      store.transaction('write', () => {
        const isMoved = rotations.move(id, from, to);
        const state = OPERATION_AFTER[to];
        // A closed operation is not changed.
        if (isMoved && state) tryMove(store, clock, id, ['prepared', 'sent', 'unknown'], state, null, detail ?? null);
        return isMoved;
      }),
    rotations,
    sent: (id) => move(store, clock, id, ['prepared'], 'sent', null, null),
    accepted: (id, requestId) => move(store, clock, id, ['sent'], 'accepted', requestId ?? null, null),
    refused: (id, detail) => move(store, clock, id, ['prepared', 'sent'], 'refused', null, detail),
    unknown: (id, detail) => move(store, clock, id, ['sent'], 'unknown', null, detail),
    list: (limit) => store.all<OperationRow>('SELECT * FROM operation ORDER BY id DESC LIMIT ?', limit).map(fromRow),
    count: () => Number(store.get<{ count: bigint }>('SELECT count(*) AS count FROM operation')?.count ?? 0n),
    inDoubt: ({ profile, baseUrl }) =>
      Number(
        store.get<{ count: bigint }>(
          `SELECT count(*) AS count FROM operation WHERE profile = ? AND base_url = ? AND state IN ('sent', 'unknown')`,
          profile,
          baseUrl,
        )?.count ?? 0n,
      ),
    find: (id) =>
      store
        .all<OperationRow>('SELECT * FROM operation WHERE substr(id, 1, ?) = ? ORDER BY id LIMIT 3', id.length, id)
        .map(fromRow),
    close: () => store.close(),
  };
}

/** The operation's state after a rotation reaches a stage. */
const OPERATION_AFTER: Readonly<Partial<Record<RotationStage, OperationState>>> = {
  sending: 'sent',
  answered: 'accepted',
  lost: 'unknown',
  refused: 'refused',
  done: 'accepted',
};

function insert(store: Database, clock: Clock, id: string, intent: Intent): string {
  const now = clock.now();
  store.run(
    `INSERT INTO operation (id, state, profile, mode, base_url, endpoint, effect, command, summary, request, created_at, updated_at)
     VALUES (?, 'prepared', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    intent.profile,
    intent.mode,
    intent.baseUrl,
    intent.endpoint,
    intent.effect,
    intent.command,
    intent.summary,
    intent.request,
    now,
    now,
  );
  return id;
}

type Move = [
  store: Database,
  clock: Clock,
  id: string,
  from: readonly OperationState[],
  to: OperationState,
  requestId: string | null,
  detail: string | null,
];

function move(...args: Move): void {
  const [, , id, , to] = args;
  if (!tryMove(...args)) throw new Error(`operation ${id} cannot become ${to}`);
}

/** Returns false if the operation is in none of the states `from`. */
function tryMove(...[store, clock, id, from, to, requestId, detail]: Move): boolean {
  const changed = store.run(
    `UPDATE operation SET state = ?, request_id = ?, detail = ?, updated_at = ? WHERE id = ? AND state IN (${from.map((state) => `'${state}'`).join(', ')})`,
    to,
    requestId,
    detail,
    clock.now(),
    id,
  );
  return changed === 1;
}

function fromRow(row: OperationRow): Operation {
  return {
    operationId: row.id,
    state: row.state,
    summary: row.summary,
    command: row.command,
    profile: row.profile,
    mode: row.mode,
    baseUrl: row.base_url,
    endpoint: row.endpoint,
    effect: row.effect,
    request: row.request,
    requestId: row.request_id,
    detail: row.detail,
    createdAt: new Date(Number(row.created_at)).toISOString(),
    updatedAt: new Date(Number(row.updated_at)).toISOString(),
  };
}
