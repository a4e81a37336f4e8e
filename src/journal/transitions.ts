import type { World } from '../base/world.ts';
import type { Asset } from '../money/amount.ts';
import type { SqlValue } from '../sqlite/database.ts';
import { AMOUNT_COLUMNS, FIXED_COLUMNS, hashOfOne, NO_HASH } from './chain.ts';
import type { Intent } from './intent.ts';
import { addSpent, counts } from './spending.ts';
import { mayFollow, type OperationState, type Verdict } from './states.ts';
import type { Queries } from './store.ts';

/** What a journal needs of the world. */
export type JournalWorld = Pick<World, 'clock' | 'ids' | 'host'>;

/** How transitions are written: in which transaction, and by which host. */
export interface Recording {
  readonly queries: Queries;
  readonly host: string;
  /** The end of the chain, once this transaction has read it: nobody else writes until it ends. */
  end?: ChainEnd;
}

/** The last transition of all hosts, and the hash of this host's last one; 0 and empty if there is none. */
interface ChainEnd {
  readonly sequence: bigint;
  readonly hash: string;
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
interface NewOperation extends Omit<Intent, 'account' | 'input' | 'isAgain' | 'isGuarded' | 'limits'> {
  readonly id: string;
  readonly account: string;
  readonly inputDigest: string;
  readonly operator: string;
  readonly processId: number;
}

/** How long a process may take from recording an intent to sending it. */
export const PREPARED_MS = 60_000;

/**
 * Writes an operation in the state `prepared` with its first transition; with `sendingMs`, how long its sender is at work, as sent. Call it
 * in a transaction.
 */
export async function createOperation(
  recording: Recording,
  operation: NewOperation,
  sendingMs?: number,
): Promise<void> {
  const { queries, host } = recording;
  const { id, kind, account, profile, mode, baseUrl, endpoint, effect, command, summary, request, moves } = operation;
  const at = queries.now();
  const states: readonly OperationState[] = sendingMs === undefined ? ['prepared'] : ['prepared', 'sent'];
  await queries.run(
    `INSERT INTO operation (id, kind, account, profile, mode, base_url, endpoint, effect, command, summary, request,
       input_digest, once_key, tag, operator, host, process, created_at, state, updated_at, busy_until, asset, minor)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[id, kind, account, profile, mode, baseUrl, endpoint, effect, command, summary, request],
    ...[operation.inputDigest, operation.onceKey ?? null, operation.tag ?? null, operation.operator, host],
    ...[operation.processId, at, states.at(-1) ?? 'prepared', at, at + (sendingMs ?? PREPARED_MS)],
    ...[moves?.asset ?? null, moves?.minor ?? null],
  );
  if (moves) await addSpent(queries, { account, command, createdAtMs: at, moves }, 1n);
  await appendLinks(recording, id, at, states, {});
}

interface MovedRow {
  readonly state: OperationState;
  readonly verdict: Verdict | null;
  readonly account: string;
  readonly command: string;
  readonly created_at: bigint;
  readonly asset: Asset | null;
  readonly minor: bigint | null;
}

/** Appends a transition and updates the operation. Returns false if its state does not allow it. Call it in a transaction. */
export async function tryMove(
  recording: Recording,
  id: string,
  to: OperationState,
  appended: Appended,
): Promise<boolean> {
  const { queries } = recording;
  const row = await queries.get<MovedRow>(
    'SELECT state, verdict, account, command, created_at, asset, minor FROM operation WHERE id = ?',
    id,
  );
  if (!row || !mayFollow(row.state, to)) return false;
  const { requestId = null, verdict = null, detail = null, result = null, busyUntil = null } = appended;
  const at = appended.at ?? queries.now();
  await queries.run(
    `UPDATE operation SET state = ?, request_id = coalesce(?, request_id), verdict = ?, detail = ?,
       result = coalesce(?, result), updated_at = ?, busy_until = coalesce(?, busy_until) WHERE id = ?`,
    ...[to, requestId, verdict, detail, result, at, busyUntil, id],
  );
  const { account, command, created_at: createdAt, asset, minor } = row;
  if (asset && minor !== null && counts(row.state, row.verdict) && !counts(to, verdict)) {
    const moves = { asset, minor };
    await addSpent(queries, { account, command, createdAtMs: Number(createdAt), moves }, -1n);
  }
  await appendLinks(recording, id, at, [to], appended);
  return true;
}

const LINK_COLUMNS = 'sequence, operation_id, host, state, at, request_id, verdict, detail, result, hash';

/** Appends a link for each state to this host's chain. */
async function appendLinks(
  recording: Recording,
  id: string,
  at: number,
  states: readonly OperationState[],
  appended: Appended,
): Promise<void> {
  const { queries, host } = recording;
  const { requestId = null, verdict = null, detail = null, result = null } = appended;
  let end = recording.end ?? (await endOfChain(queries, host));
  const values: SqlValue[] = [];
  for (const state of states) {
    const sequence = end.sequence + 1n;
    const link = { sequence, operationId: id, host, state, at: BigInt(at), requestId, verdict, detail, result };
    const operation = state === 'prepared' ? await fixedPart(queries, id) : null;
    end = { sequence, hash: hashOfOne(end.hash, { ...link, operation }) };
    values.push(sequence, id, host, state, at, requestId, verdict, detail, result, end.hash);
  }
  const rows = states.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ');
  await queries.run(`INSERT INTO transition (${LINK_COLUMNS}) VALUES ${rows}`, ...values);
  recording.end = end;
}

/** Returns the hash of a host's last transition; empty if it has none. */
export async function lastHash(queries: Queries, host: string): Promise<string> {
  const sql = 'SELECT hash FROM transition WHERE host = ? ORDER BY sequence DESC LIMIT 1';
  return (await queries.get<{ hash: string }>(sql, host))?.hash ?? NO_HASH;
}

async function endOfChain(queries: Queries, host: string): Promise<ChainEnd> {
  const end = await queries.get<ChainEnd>(
    `SELECT (SELECT coalesce(max(sequence), 0) FROM transition) AS sequence,
       coalesce((SELECT hash FROM transition WHERE host = ? ORDER BY sequence DESC LIMIT 1), ?) AS hash`,
    ...[host, NO_HASH],
  );
  return end ?? { sequence: 0n, hash: NO_HASH };
}

/** Returns the columns of an operation that never change, as the chain covers them. */
async function fixedPart(queries: Queries, id: string): Promise<string> {
  return fixedText((await queries.get('SELECT * FROM operation WHERE id = ?', id)) ?? {});
}

export function fixedText(row: Readonly<Record<string, unknown>>): string {
  const names =
    row['asset'] === null || row['asset'] === undefined ? FIXED_COLUMNS : [...FIXED_COLUMNS, ...AMOUNT_COLUMNS];
  return JSON.stringify(names.map((name) => (typeof row[name] === 'bigint' ? String(row[name]) : row[name])));
}
