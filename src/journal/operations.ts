import type { Database, SqlValue } from '../sqlite/database.ts';
import type { OperationState, Verdict } from './states.ts';

/** What an operation does: moves money, does something that cannot be undone, or onboards a user. */
export type Kind = 'money' | 'destructive' | 'onboarding';

/** An entry of the journal. Contains no secret: `request` is redacted, and what was typed is kept as a digest. */
export interface Operation {
  readonly operationId: string;
  readonly kind: Kind;
  readonly state: OperationState;
  readonly verdict: Verdict | null;
  /** A description for messages: `start an onramp of ₦5,000.00 for user …`. */
  readonly summary: string;
  readonly command: string;
  readonly profile: string;
  readonly mode: string;
  readonly baseUrl: string;
  /** The journal's own id of the account. */
  readonly account: string;
  readonly endpoint: string;
  readonly effect: string;
  readonly request: string;
  readonly inputDigest: string;
  readonly onceKey: string | null;
  /** The text that travelled with the request, by which the service's lists are searched. */
  readonly tag: string | null;
  readonly operator: string;
  readonly host: string;
  readonly processId: number;
  /** The service's id of the work. */
  readonly requestId: string | null;
  readonly detail: string | null;
  /** The service's redacted data as JSON. */
  readonly result: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Until when its process may be at work on it, in milliseconds since the epoch. */
  readonly busyUntil: number;
}

interface OperationRow {
  readonly id: string;
  readonly kind: Kind;
  readonly state: OperationState;
  readonly verdict: Verdict | null;
  readonly summary: string;
  readonly command: string;
  readonly profile: string;
  readonly mode: string;
  readonly base_url: string;
  readonly account: string;
  readonly endpoint: string;
  readonly effect: string;
  readonly request: string;
  readonly input_digest: string;
  readonly once_key: string | null;
  readonly tag: string | null;
  readonly operator: string;
  readonly host: string;
  readonly process: bigint;
  readonly request_id: string | null;
  readonly detail: string | null;
  readonly result: string | null;
  readonly created_at: bigint;
  readonly updated_at: bigint;
  readonly busy_until: bigint;
}

const iso = (timeMs: bigint) => new Date(Number(timeMs)).toISOString();

function fromRow(row: OperationRow): Operation {
  return {
    operationId: row.id,
    kind: row.kind,
    state: row.state,
    verdict: row.verdict,
    summary: row.summary,
    command: row.command,
    profile: row.profile,
    mode: row.mode,
    baseUrl: row.base_url,
    account: row.account,
    endpoint: row.endpoint,
    effect: row.effect,
    request: row.request,
    inputDigest: row.input_digest,
    onceKey: row.once_key,
    tag: row.tag,
    operator: row.operator,
    host: row.host,
    processId: Number(row.process),
    requestId: row.request_id,
    detail: row.detail,
    result: row.result,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    busyUntil: Number(row.busy_until),
  };
}

/** Which operations to list; the conditions are combined with AND. */
export interface Selection {
  readonly limit: number;
  /** `in-doubt`: `sent` and `unknown`. */
  readonly state?: OperationState | 'in-doubt' | undefined;
  readonly kind?: Kind | undefined;
  readonly profile?: string | undefined;
  /** An account, or every id that it has; see `accountIds`. */
  readonly account?: string | readonly string[] | undefined;
  /** The operation that holds this once key. */
  readonly onceKey?: string | undefined;
  readonly inputDigest?: string | undefined;
  readonly requestId?: string | undefined;
  readonly sinceMs?: number | undefined;
  /** Only operations older than this one. */
  readonly before?: string | undefined;
}

const HELD = `state <> 'refused' AND verdict IS NOT 'not-done'`;

/** Lists operations, newest first. */
export function listOperations(store: Database, selection: Selection): Operation[] {
  const { state, kind, profile, account, onceKey, inputDigest, requestId, sinceMs, before, limit } = selection;
  const conditions: readonly (readonly [sql: string, ...values: (SqlValue | undefined)[]])[] = [
    state === 'in-doubt' ? [`state IN ('sent', 'unknown')`] : ['state = ?', state],
    ['kind = ?', kind],
    ['profile = ?', profile],
    ['account IN (SELECT value FROM json_each(?))', account && JSON.stringify([account].flat())],
    [`once_key = ? AND ${HELD}`, onceKey],
    ['input_digest = ?', inputDigest],
    ['request_id = ?', requestId],
    ['created_at >= ?', sinceMs],
    ['id < ?', before],
  ];
  const used = conditions.filter(([, value], index) => value !== undefined || (index === 0 && state === 'in-doubt'));
  const where = used.length === 0 ? '' : `WHERE ${used.map(([sql]) => sql).join(' AND ')}`;
  const values = used.flatMap(([, value]) => (value === undefined ? [] : [value]));
  return store
    .all<OperationRow>(`SELECT * FROM operation ${where} ORDER BY id DESC LIMIT ?`, ...values, limit)
    .map(fromRow);
}

/** Returns the ids of the operations of a sandbox that have not ended. Every embedded profile has the same sandbox. */
export function openOperations(
  store: Database,
  { mode, profile, accounts }: Pick<Operation, 'mode' | 'profile'> & { readonly accounts: readonly string[] },
): string[] {
  const sql = `SELECT id FROM operation WHERE
    (mode = ? AND (mode = 'embedded' OR profile = ?) OR account IN (SELECT value FROM json_each(?)))
    AND (state IN ('sent', 'unknown') OR (state = 'accepted' AND kind <> 'destructive'))`;
  return store.all<{ id: string }>(sql, mode, profile, JSON.stringify(accounts)).map(({ id }) => id);
}

/** Returns up to three operations whose id starts with `id`. */
export function findOperations(store: Database, id: string): Operation[] {
  return store
    .all<OperationRow>('SELECT * FROM operation WHERE id >= ? AND id < ? ORDER BY id LIMIT 3', id, `${id}\u{10FFFF}`)
    .map(fromRow);
}
