import type { World } from '../base/world.ts';
import type { Asset } from '../money/amount.ts';
import type { SqlValue } from '../sqlite/database.ts';
import { AMOUNT_COLUMNS, BASELINE_COLUMNS, FIXED_COLUMNS, hashOfOne, NO_HASH } from './chain.ts';
import { looksIn } from './doubt.ts';
import type { Head } from './head.ts';
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
  /** The last transition of this transaction. */
  head?: Head;
}

/** The number of the last transition of any host, and the hash of this host's last one; 0 and empty if there is none. */
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

/** Returns a function that turns text into what the database keeps of it: whole characters, and for PostgreSQL no NUL. */
const storableIn =
  ({ engine }: Queries) =>
  <T extends SqlValue>(value: T) => {
    if (typeof value !== 'string') return value;
    const text = value.toWellFormed();
    return engine === 'postgres' ? text.replaceAll('\0', '\u{FFFD}') : text;
  };

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
  const { id, account, command, moves } = operation;
  const at = queries.now();
  const states: readonly OperationState[] = sendingMs === undefined ? ['prepared'] : ['prepared', 'sent'];
  const row = {
    ...{ id, kind: operation.kind, account, profile: operation.profile, mode: operation.mode },
    ...{ base_url: operation.baseUrl, endpoint: operation.endpoint, effect: operation.effect, command },
    ...{ summary: operation.summary, request: operation.request, input_digest: operation.inputDigest },
    ...{ once_key: operation.onceKey ?? null, tag: operation.tag ?? null, operator: operation.operator, host },
    ...{ process: BigInt(operation.processId), created_at: BigInt(at), state: states.at(-1) ?? 'prepared' },
    ...{ updated_at: BigInt(at), busy_until: BigInt(at + (sendingMs ?? PREPARED_MS)) },
    ...{ asset: moves?.asset ?? null, minor: moves?.minor ?? null },
    baseline: operation.baseline === undefined ? null : JSON.stringify(operation.baseline),
  };
  const storable = storableIn(queries);
  const kept = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, storable(value)] as const));
  const columns = Object.keys(kept);
  // Sent together: on a server, each answer that is waited for is a round trip.
  await Promise.all([
    queries.run(
      `INSERT INTO operation (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      ...Object.values(kept),
    ),
    ...(moves ? [addSpent(queries, { account, command, createdAtMs: at, moves }, 1n)] : []),
    appendLinks(recording, { id, at, states, fixed: fixedText(kept) }, {}),
  ]);
}

interface MovedRow {
  readonly state: OperationState;
  readonly verdict: Verdict | null;
  readonly account: string;
  readonly command: string;
  readonly created_at: bigint;
  readonly asset: Asset | null;
  readonly minor: bigint | null;
  readonly result: string | null;
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
    'SELECT state, verdict, account, command, created_at, asset, minor, result FROM operation WHERE id = ?',
    id,
  );
  if (!row || !mayFollow(row.state, to)) return false;
  // That one of two requests was refused says nothing of the other.
  if (to === 'refused' && looksIn(row).repeatedAtMs !== undefined) return false;
  const { requestId = null, verdict = null, detail = null, result = null, busyUntil = null } = appended;
  const at = appended.at ?? queries.now();
  const storable = storableIn(queries);
  await queries.run(
    `UPDATE operation SET state = ?, request_id = coalesce(?, request_id), verdict = ?, detail = ?,
       result = coalesce(?, result), updated_at = ?, busy_until = coalesce(?, busy_until) WHERE id = ?`,
    ...[to, storable(requestId), verdict, storable(detail), storable(result), at, busyUntil, id],
  );
  const { account, command, created_at: createdAt, asset, minor } = row;
  if (asset && minor !== null && counts(row.state, row.verdict) && !counts(to, verdict)) {
    const moves = { asset, minor };
    await addSpent(queries, { account, command, createdAtMs: Number(createdAt), moves }, -1n);
  }
  await appendLinks(recording, { id, at, states: [to] }, appended);
  return true;
}

const LINK_COLUMNS = 'sequence, operation_id, host, state, at, request_id, verdict, detail, result, hash';

/** The links of one operation at one time. */
interface Links {
  readonly id: string;
  readonly at: number;
  readonly states: readonly OperationState[];
  /** What never changes of the operation, for the state `prepared`. */
  readonly fixed?: string;
}

/** Appends a link for each state to this host's chain. */
async function appendLinks(
  recording: Recording,
  { id, at, states, fixed = '' }: Links,
  appended: Appended,
): Promise<void> {
  const { queries, host } = recording;
  const { requestId = null, verdict = null, detail = null, result = null } = appended;
  let end = await endOfChain(recording);
  const values: SqlValue[] = [];
  const storable = storableIn(queries);
  for (const state of states) {
    const sequence = end.sequence + 1n;
    const said = { requestId: storable(requestId), detail: storable(detail), result: storable(result), verdict };
    const link = { sequence, operationId: id, host, state, at: BigInt(at), ...said };
    end = { sequence, hash: hashOfOne(end.hash, { ...link, operation: state === 'prepared' ? fixed : null }) };
    values.push(sequence, id, host, state, at, said.requestId, verdict, said.detail, said.result, end.hash);
  }
  recording.end = end;
  recording.head = end;
  const rows = states.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ');
  await queries.run(`INSERT INTO transition (${LINK_COLUMNS}) VALUES ${rows}`, ...values);
}

/** Returns the hash of a host's last transition; empty if it has none. */
export async function lastHash(queries: Queries, host: string): Promise<string> {
  const sql = 'SELECT hash FROM transition WHERE host = ? ORDER BY sequence DESC LIMIT 1';
  return (await queries.get<{ hash: string }>(sql, host))?.hash ?? NO_HASH;
}

/** Reads the end of the chain, unless this transaction knows it. */
export async function endOfChain(recording: Recording): Promise<ChainEnd> {
  const { queries, host } = recording;
  if (recording.end) return recording.end;
  const end = await queries.get<ChainEnd>(
    `SELECT (SELECT coalesce(max(sequence), 0) FROM transition) AS sequence,
       coalesce((SELECT hash FROM transition WHERE host = ? ORDER BY sequence DESC LIMIT 1), ?) AS hash`,
    ...[host, NO_HASH],
  );
  recording.end = end ?? { sequence: 0n, hash: NO_HASH };
  return recording.end;
}

export function fixedText(row: Readonly<Record<string, unknown>>): string {
  const has = (name: string) => row[name] !== null && row[name] !== undefined;
  const names = [
    ...FIXED_COLUMNS,
    ...(has('asset') ? AMOUNT_COLUMNS : []),
    ...(has('baseline') ? BASELINE_COLUMNS : []),
  ];
  return JSON.stringify(names.map((name) => (typeof row[name] === 'bigint' ? String(row[name]) : row[name])));
}
