import type { Amount } from '../money/amount.ts';
import type { SqlValue } from '../sqlite/database.ts';
import { changed, factsWhere, IS_LAST, requireUnchanged, subjects } from './entries.ts';
import { type Authority, type Baseline, parseAuthority, parseBaseline } from './intent.ts';
import { type OperationKind, type OperationState, resultIn, type SearchState, type Verdict } from './states.ts';
import type { Queries } from './store.ts';
import type { EntryRow, OperationRow } from './tables.ts';

/** Where a page of the list ends: the time and the id of its last operation. */
export interface ListPosition {
  readonly createdAt: string;
  readonly operationId: string;
}

/** Which operations to list; the conditions are combined with AND. */
export interface Selection {
  readonly limit: number;
  /** `unknown-outcome`: `sent` and `unknown`. `known-outcome`: all others. `may-have-moved`: all but those after which a repetition pays once. */
  readonly state?: OperationState | 'unknown-outcome' | 'known-outcome' | 'may-have-moved' | undefined;
  readonly kind?: OperationKind | undefined;
  readonly profile?: string | undefined;
  /** An account, or every id that it has; see `accountIds`. */
  readonly account?: string | readonly string[] | undefined;
  /** Every operation that was given this idempotency key. */
  readonly givenIdempotencyKey?: string | undefined;
  /** The agent that planned it, or had it applied. */
  readonly agent?: string | undefined;
  /** Every operation that was given an idempotency key which begins so. */
  readonly keyStart?: string | undefined;
  readonly inputDigest?: string | undefined;
  readonly requestId?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly sinceMs?: number | undefined;
  /** Only operations recorded before then. */
  readonly untilMs?: number | undefined;
  /** Only operations that the list shows after this one. */
  readonly after?: ListPosition | undefined;
}

type SqlCondition = readonly [sql: string, ...values: SqlValue[]];

function stateCondition(state: Exclude<Selection['state'], undefined>): SqlCondition {
  if (state === 'unknown-outcome') return [`state IN ('sent', 'unknown')`];
  if (state === 'known-outcome') return [`state NOT IN ('sent', 'unknown')`];
  if (state === 'may-have-moved')
    return [`state NOT IN ('rejected', 'failed') AND verdict IS DISTINCT FROM 'not-done'`];
  return ['state = ?', state];
}

/** The condition that a column has one of these values. */
function oneOf(column: string, values: readonly string[]): SqlCondition {
  return values.length === 0 ? ['1 = 0'] : [`${column} IN (${values.map(() => '?').join(', ')})`, ...values];
}

/** The condition that an agent planned an operation, or had it applied. A quote in a text of JSON is escaped, so no other text reads so. */
const ofAgent = (name: string): SqlCondition => [
  `replace(authority, ?, '') <> authority`,
  `"agent":${JSON.stringify(name)}`,
];

/** Returns the query for a list, newest first. Each set of filters that `ops list` offers has an index in this order. */
export function listQuery(
  selection: Selection,
  engine: Queries['engine'],
): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const { state, kind, profile, account, givenIdempotencyKey, keyStart, inputDigest, requestId, after } = selection;
  const one = (sql: string, value: SqlValue | undefined): SqlCondition[] => (value === undefined ? [] : [[sql, value]]);
  const conditions = [
    ...(state === undefined ? [] : [stateCondition(state)]),
    ...one('kind = ?', kind),
    ...one('profile = ?', profile),
    ...(account === undefined ? [] : [oneOf('account', [account].flat())]),
    ...one('once_key = ?', givenIdempotencyKey),
    ...(selection.agent === undefined ? [] : [ofAgent(selection.agent)]),
    ...(keyStart === undefined ? [] : [['once_key >= ? AND once_key < ?', keyStart, `${keyStart}\u{10FFFF}`] as const]),
    ...one('input_digest = ?', inputDigest),
    ...one('request_id = ?', requestId),
    ...one('endpoint = ?', selection.endpoint),
    ...one('created_at >= ?', selection.sinceMs),
    ...one('created_at < ?', selection.untilMs),
    ...(after ? [['(created_at, id) < (?, ?)', Date.parse(after.createdAt), after.operationId] as const] : []),
  ];
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`;
  const sql = `SELECT * FROM operation ${engine === 'sqlite' ? indexFor(selection) : ''} ${where} ORDER BY created_at DESC, id DESC LIMIT ?`;
  return { sql, values: [...conditions.flatMap(([, ...values]) => values), selection.limit] };
}

/** Names the index of a list of operations with an unknown outcome, which SQLite would not choose without statistics. */
function indexFor({ state, kind, givenIdempotencyKey, requestId }: Selection): string {
  // Their outcomes become known, so they are fewer than the operations of an account, or those with an equal input.
  const isNarrow = [givenIdempotencyKey, requestId].some((value) => value !== undefined);
  if (state !== 'unknown-outcome' || isNarrow) return '';
  return `INDEXED BY ${kind === undefined ? 'operation_unknown' : 'operation_unknown_by_kind'}`;
}

/** An entry of the journal. Contains no secret: `request` is redacted, and what was typed is kept as a digest. */
export interface Operation {
  readonly operationId: string;
  readonly kind: OperationKind;
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
  readonly idempotencyKey: string | null;
  /** The text that travelled with the request, by which the service's lists are searched. */
  readonly tag: string | null;
  readonly runBy: string;
  readonly host: string;
  readonly processId: number;
  /** The service's id of the work. */
  readonly requestId: string | null;
  readonly detail: string | null;
  /** The service's redacted data as JSON; null if none was recorded. */
  readonly result: string | null;
  /** What was done to find out how it ended. */
  readonly searchState: SearchState;
  /** What it moves; null if it moves nothing, or was recorded by a version that did not keep it. */
  readonly moves: Amount | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** What was known of the service before its request left; null if a version recorded it that did not keep it. */
  readonly baseline: Baseline | null;
  /** Who decided it, if a plan did. */
  readonly authority: Authority | null;
  /** Until when its process may be at work on it, in milliseconds since the epoch. */
  readonly busyUntil: number;
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
    idempotencyKey: row.once_key,
    tag: row.tag,
    runBy: row.run_by,
    host: row.host,
    processId: Number(row.process),
    requestId: row.request_id,
    detail: row.detail,
    ...resultIn(row.result),
    moves: row.asset === null || row.minor === null ? null : { asset: row.asset, minor: row.minor },
    baseline: row.baseline === null ? null : (parseBaseline(row.baseline) ?? null),
    authority: row.authority === null ? null : (parseAuthority(row.authority) ?? null),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    busyUntil: Number(row.busy_until),
  };
}

/** Lists operations, newest first. */
export async function listOperations(queries: Queries, selection: Selection): Promise<Operation[]> {
  const { sql, values } = listQuery(selection, queries.engine);
  return unchanged(queries, await queries.all<OperationRow>(sql, ...values));
}

/** Returns operations whose rows say what their entries say. Throws CliError usage for any other. */
async function unchanged(queries: Queries, rows: readonly OperationRow[]): Promise<Operation[]> {
  await requireUnchanged(queries, rows);
  return rows.map(fromRow);
}

/** Whether an operation still has the idempotency key that it was given. As in the unique index. */
const holdsKey = ({ state, verdict }: Operation): boolean => state !== 'rejected' && verdict !== 'not-done';

/**
 * Returns the operation of an account that holds an idempotency key; `accounts` are all ids that it has. The entries say which one was given the key
 * last: of those before it, none holds it any more. Throws CliError usage if a row of an operation says something else.
 */
export async function keyHolder(
  queries: Queries,
  accounts: readonly string[],
  key: string,
): Promise<Operation | undefined> {
  if (accounts.length === 0) return undefined;
  const subjectsOfKey = accounts.map((account) => subjects.idempotencyKey(account, key));
  const [isGiven] = oneOf('e.subject', subjectsOfKey);
  const [isOfAccount] = oneOf('account', accounts);
  // Asked together: on a server, each answer that is waited for is a round trip.
  const [facts, newest] = await Promise.all([
    factsWhere(queries, `${isGiven} AND ${IS_LAST}`, ...subjectsOfKey),
    queries.get<{ id: string; recorded: bigint | null }>(
      `SELECT id, (SELECT max(sequence) FROM entry
         WHERE subject = 'idempotency key ' || o.account || ' ' || o.once_key AND value = o.id) AS recorded
       FROM operation o WHERE once_key = ? AND ${isOfAccount} ORDER BY created_at DESC, id DESC LIMIT 1`,
      key,
      ...accounts,
    ),
  ]);
  // Also if someone edited the entry instead of the row.
  if (newest && newest.recorded === null) throw changed(`operation ${newest.id}`);
  if (facts.length === 0) return undefined;
  const [isNamed, ...ids] = oneOf(
    'id',
    facts.map(({ value }) => value ?? ''),
  );
  const rows = await queries.all<OperationRow>(
    `SELECT * FROM operation WHERE ${isNamed} ORDER BY created_at DESC, id DESC`,
    ...ids,
  );
  for (const { subject, value } of facts) {
    const row = rows.find(({ id }) => id === value);
    if (!row || subject !== subjects.idempotencyKey(row.account, row.once_key ?? ''))
      throw changed(`operation ${value}`);
  }
  return (await unchanged(queries, rows)).find(holdsKey);
}

/** Returns the ids of the operations of a sandbox that have not ended. Every embedded profile has the same sandbox. */
export async function openOperations(
  queries: Queries,
  { mode, profile, accounts }: Pick<Operation, 'mode' | 'profile'> & { readonly accounts: readonly string[] },
): Promise<string[]> {
  const [isOneOf, ...ids] = oneOf('account', accounts);
  const sql = `SELECT id FROM operation WHERE (mode = ? AND (mode = 'embedded' OR profile = ?) OR ${isOneOf})
    AND (state IN ('sent', 'unknown') OR (state = 'accepted' AND kind <> 'destructive'))`;
  return (await queries.all<{ id: string }>(sql, mode, profile, ...ids)).map(({ id }) => id);
}

/** More than a list for a person needs. */
const MOST_NAMED = 20;

/**
 * Returns up to 20 operations that have this id, or else those whose id starts with it, and those that have it as their request id or
 * were given it as their idempotency key; newest first.
 */
export async function findOperations(queries: Queries, id: string): Promise<Operation[]> {
  const named = await queries.all<OperationRow>('SELECT * FROM operation WHERE id = ?', id);
  if (named.length > 0) return unchanged(queries, named);
  const sql = `SELECT * FROM operation WHERE id IN (
      SELECT id FROM operation WHERE id >= ? AND id < ?
      UNION SELECT id FROM operation WHERE request_id = ? UNION SELECT id FROM operation WHERE once_key = ?)
    ORDER BY created_at DESC, id DESC LIMIT ${MOST_NAMED}`;
  return unchanged(queries, await queries.all<OperationRow>(sql, id, `${id}\u{10FFFF}`, id, id));
}

/** A state that an operation got. */
export interface Transition {
  readonly state: OperationState;
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly host: string;
  readonly requestId: string | null;
  readonly detail: string | null;
  /** The service's redacted data, or what was done to find out how it ended; see `resultIn`. */
  readonly result: string | null;
}

type TransitionRow = Pick<EntryRow, 'at' | 'host' | 'request_id' | 'detail' | 'result'> & Pick<Transition, 'state'>;

/** Returns every transition of an operation, oldest first. */
export async function transitionsOf(queries: Queries, operationId: string): Promise<Transition[]> {
  const sql = 'SELECT state, at, host, request_id, detail, result FROM entry WHERE operation_id = ? ORDER BY sequence';
  const rows = await queries.all<TransitionRow>(sql, operationId);
  return rows.map(({ at, request_id: requestId, ...row }) => ({ ...row, requestId, at: iso(at) }));
}
