import type { World } from '../base/world.ts';
import type { Database } from '../sqlite/database.ts';
import { FIXED_COLUMNS, hashOfOne, NO_HASH } from './chain.ts';
import type { Intent } from './intent.ts';
import { mayFollow, type OperationState, type Verdict } from './states.ts';

/** What a journal needs of the world. */
export type JournalWorld = Pick<World, 'clock' | 'ids' | 'host'>;

/** How transitions are written: by which host and when. */
export interface Recording {
  readonly store: Database;
  readonly host: string;
  now(): number;
}

/** What a transition says besides its state. A value that is left out stays as it is. */
export interface Appended {
  readonly requestId?: string | undefined;
  readonly verdict?: Verdict | undefined;
  readonly detail?: string | undefined;
  readonly result?: string | undefined;
  /** When it happened, in milliseconds since the epoch, if not now. */
  readonly at?: number | undefined;
  /** Until when the process may be at work on the operation, in milliseconds since the epoch. */
  readonly busyUntil?: number | undefined;
}

/** An intent with everything that its row needs. */
interface NewOperation extends Omit<Intent, 'account' | 'input' | 'isAgain' | 'isGuarded'> {
  readonly id: string;
  readonly account: string;
  readonly inputDigest: string;
  readonly operator: string;
  readonly processId: number;
}

/** How long a process may take from recording an intent to sending it. */
export const PREPARED_MS = 60_000;

/** Writes an operation in the state `prepared` with its first transition. Call it in a transaction. */
export function createOperation(recording: Recording, operation: NewOperation): void {
  const { store, host, now } = recording;
  const { id, kind, account, profile, mode, baseUrl, endpoint, effect, command, summary, request } = operation;
  const at = now();
  store.run(
    `INSERT INTO operation (id, kind, account, profile, mode, base_url, endpoint, effect, command, summary, request,
       input_digest, once_key, tag, operator, host, process, created_at, state, updated_at, busy_until)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'prepared', ?, ?)`,
    ...[id, kind, account, profile, mode, baseUrl, endpoint, effect, command, summary, request],
    ...[operation.inputDigest, operation.onceKey ?? null, operation.tag ?? null, operation.operator, host],
    ...[operation.processId, at, at, at + PREPARED_MS],
  );
  appendLink(recording, id, 'prepared', at, {});
}

/** Appends a transition and updates the operation. Returns false if its state does not allow it. Call it in a transaction. */
export function tryMove(recording: Recording, id: string, to: OperationState, appended: Appended): boolean {
  const { store, now } = recording;
  const row = store.get<{ state: OperationState }>('SELECT state FROM operation WHERE id = ?', id);
  if (!row || !mayFollow(row.state, to)) return false;
  const { requestId = null, verdict = null, detail = null, result = null, busyUntil = null, at = now() } = appended;
  store.run(
    `UPDATE operation SET state = ?, request_id = coalesce(?, request_id), verdict = ?, detail = ?,
       result = coalesce(?, result), updated_at = ?, busy_until = coalesce(?, busy_until) WHERE id = ?`,
    ...[to, requestId, verdict, detail, result, at, busyUntil, id],
  );
  appendLink(recording, id, to, at, appended);
  return true;
}

/** Appends a link to this host's chain. */
export function appendLink(
  { store, host }: Pick<Recording, 'store' | 'host'>,
  id: string,
  state: OperationState,
  at: number,
  { requestId = null, verdict = null, detail = null, result = null }: { [K in keyof Appended]?: Appended[K] | null },
): void {
  const sequence = nextSequence(store);
  const link = { sequence, operationId: id, host, state, at: BigInt(at), requestId, verdict, detail, result };
  const operation = state === 'prepared' ? fixedPart(store, id) : null;
  store.run(
    `INSERT INTO transition (sequence, operation_id, host, state, at, request_id, verdict, detail, result, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[sequence, id, host, state, at, requestId, verdict, detail, result],
    hashOfOne(lastHash(store, host), { ...link, operation }),
  );
}

/** Returns the hash of a host's last transition; empty if it has none. */
export function lastHash(store: Database, host: string): string {
  const sql = 'SELECT hash FROM transition WHERE host = ? ORDER BY sequence DESC LIMIT 1';
  return store.get<{ hash: string }>(sql, host)?.hash ?? NO_HASH;
}

function nextSequence(store: Database): bigint {
  return (store.get<{ last: bigint | null }>('SELECT max(sequence) AS last FROM transition')?.last ?? 0n) + 1n;
}

/** Returns the columns of an operation that never change, as the chain covers them. */
function fixedPart(store: Database, id: string): string {
  const row = store.get(`SELECT ${FIXED_COLUMNS.join(', ')} FROM operation WHERE id = ?`, id) ?? {};
  return fixedText(row);
}

export function fixedText(row: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(FIXED_COLUMNS.map((name) => (typeof row[name] === 'bigint' ? String(row[name]) : row[name])));
}
