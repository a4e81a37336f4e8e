import type { SqlValue } from '../sqlite/database.ts';
import type { Kind, OperationState } from './states.ts';
import type { Queries } from './store.ts';

/** Where a page of the list ends: the time and the id of its last operation. */
export interface ListPosition {
  readonly createdAt: string;
  readonly operationId: string;
}

/** Which operations to list; the conditions are combined with AND. */
export interface Selection {
  readonly limit: number;
  /** `in-doubt`: `sent` and `unknown`. `not-in-doubt`: all others. `may-have-moved`: all but those after which a repetition pays once. */
  readonly state?: OperationState | 'in-doubt' | 'not-in-doubt' | 'may-have-moved' | undefined;
  readonly kind?: Kind | undefined;
  readonly profile?: string | undefined;
  /** An account, or every id that it has; see `accountIds`. */
  readonly account?: string | readonly string[] | undefined;
  /** The operation that holds this idempotency key. */
  readonly idempotencyKey?: string | undefined;
  /** Every operation that was given this idempotency key. */
  readonly givenIdempotencyKey?: string | undefined;
  readonly inputDigest?: string | undefined;
  readonly requestId?: string | undefined;
  readonly sinceMs?: number | undefined;
  /** Only operations that the list shows after this one. */
  readonly after?: ListPosition | undefined;
}

/** The operations that hold their idempotency key. As in the unique index. */
const HELD = `state <> 'refused' AND verdict IS DISTINCT FROM 'not-done'`;

type Condition = readonly [sql: string, ...values: SqlValue[]];

function stateCondition(state: Exclude<Selection['state'], undefined>): Condition {
  if (state === 'in-doubt') return [`state IN ('sent', 'unknown')`];
  if (state === 'not-in-doubt') return [`state NOT IN ('sent', 'unknown')`];
  if (state === 'may-have-moved') return [`state NOT IN ('refused', 'failed') AND verdict IS DISTINCT FROM 'not-done'`];
  return ['state = ?', state];
}

/** The condition that a column has one of these values. */
export function oneOf(column: string, values: readonly string[]): Condition {
  return values.length === 0 ? ['1 = 0'] : [`${column} IN (${values.map(() => '?').join(', ')})`, ...values];
}

/** Returns the query for a list, newest first. Each set of filters that `ops list` offers has an index in this order. */
export function listQuery(
  selection: Selection,
  engine: Queries['engine'],
): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const { state, kind, profile, account, idempotencyKey, givenIdempotencyKey, inputDigest, requestId, sinceMs, after } =
    selection;
  const one = (sql: string, value: SqlValue | undefined): Condition[] => (value === undefined ? [] : [[sql, value]]);
  const conditions = [
    ...(state === undefined ? [] : [stateCondition(state)]),
    ...one('kind = ?', kind),
    ...one('profile = ?', profile),
    ...(account === undefined ? [] : [oneOf('account', [account].flat())]),
    ...one(`once_key = ? AND ${HELD}`, idempotencyKey),
    ...one('once_key = ?', givenIdempotencyKey),
    ...one('input_digest = ?', inputDigest),
    ...one('request_id = ?', requestId),
    ...one('created_at >= ?', sinceMs),
    ...(after ? [['(created_at, id) < (?, ?)', Date.parse(after.createdAt), after.operationId] as const] : []),
  ];
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`;
  const sql = `SELECT * FROM operation ${engine === 'sqlite' ? indexFor(selection) : ''} ${where} ORDER BY created_at DESC, id DESC LIMIT ?`;
  return { sql, values: [...conditions.flatMap(([, ...values]) => values), selection.limit] };
}

/** Names the index of a list of operations in doubt, which SQLite would not choose without statistics. */
function indexFor({ state, kind, idempotencyKey, givenIdempotencyKey, requestId }: Selection): string {
  // Their outcomes become known, so they are fewer than the operations of an account, or those with an equal input.
  const isNarrow = [idempotencyKey, givenIdempotencyKey, requestId].some((value) => value !== undefined);
  if (state !== 'in-doubt' || isNarrow) return '';
  return `INDEXED BY ${kind === undefined ? 'operation_in_doubt' : 'operation_in_doubt_by_kind'}`;
}
