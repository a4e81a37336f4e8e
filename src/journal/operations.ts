import type { Amount, Asset } from '../money/amount.ts';
import { type Authority, parseAuthority } from './authority.ts';
import { type Baseline, parseBaseline } from './baseline.ts';
import { resultIn, type SearchState } from './in-doubt.ts';
import { listQuery, oneOf, type Selection } from './list-query.ts';
import type { Kind, OperationState, Verdict } from './states.ts';
import type { Queries } from './store.ts';
import { requireUnchanged } from './unchanged.ts';

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
  readonly idempotencyKey: string | null;
  /** The text that travelled with the request, by which the service's lists are searched. */
  readonly tag: string | null;
  readonly operator: string;
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
  readonly asset: Asset | null;
  readonly minor: bigint | null;
  readonly baseline: string | null;
  readonly authority: string | null;
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
    operator: row.operator,
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

/** Returns up to three operations whose id starts with `id`. */
export async function findOperations(queries: Queries, id: string): Promise<Operation[]> {
  const sql = 'SELECT * FROM operation WHERE id >= ? AND id < ? ORDER BY id LIMIT 3';
  return unchanged(queries, await queries.all<OperationRow>(sql, id, `${id}\u{10FFFF}`));
}
