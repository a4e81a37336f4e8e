import type { World } from '../base/world.ts';
import { insertion, type NewRow } from '../store/table.ts';
import { fixedText } from './chain.ts';
import { appendEntries, appendFacts, FACT, type Recording, storableIn, subjects } from './entries.ts';
import { type Intent, parseBaseline, type Sweep } from './intent.ts';
import type { Operation } from './operations.ts';
import { addSpent } from './spending.ts';
import {
  isOutcomeUnknown,
  mayFollow,
  type OperationState,
  resultIn,
  type SearchState,
  searchResult,
  type Verdict,
} from './states.ts';
import type { Queries } from './store.ts';
import { type ENTRY, OPERATION, type OperationRow } from './tables.ts';

/** What a journal needs of the world. */
export type JournalWorld = Pick<World, 'clock' | 'ids' | 'host'> & Partial<Pick<World, 'interrupted'>>;

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
interface NewOperation extends Omit<Intent, 'account' | 'input' | 'isAgain' | 'isGuarded' | 'mayEqual' | 'limits'> {
  readonly id: string;
  readonly account: string;
  readonly inputDigest: string;
  readonly runBy: string;
  readonly processId: number;
}

/** How long a process may take from recording an intent to sending it. */
export const PREPARED_MS = 60_000;

/** The fact that says what an operation is a part of. */
const sweepFact = (operationId: string, { total: { asset, minor }, count }: Sweep) => ({
  subject: subjects.sweep(operationId),
  value: JSON.stringify({ asset, minor: String(minor), count }),
});

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
    id,
    kind: operation.kind,
    account,
    profile: operation.profile,
    mode: operation.mode,
    base_url: operation.baseUrl,
    endpoint: operation.endpoint,
    effect: operation.effect,
    command,
    summary: operation.summary,
    request: operation.request,
    input_digest: operation.inputDigest,
    once_key: operation.idempotencyKey ?? null,
    tag: operation.tag ?? null,
    run_by: operation.runBy,
    host,
    process: BigInt(operation.processId),
    created_at: BigInt(at),
    state: states.at(-1) ?? 'prepared',
    updated_at: BigInt(at),
    busy_until: BigInt(at + (sendingMs ?? PREPARED_MS)),
    asset: moves?.asset ?? null,
    minor: moves?.minor ?? null,
    baseline: operation.baseline === undefined ? null : JSON.stringify(operation.baseline),
    authority: operation.authority === undefined ? null : JSON.stringify(operation.authority),
  } satisfies NewRow<typeof OPERATION>;
  const storable = storableIn(queries);
  const stored = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, storable(value)])) as typeof row;
  const link = { operationId: id, at, busyUntil: at + (sendingMs ?? PREPARED_MS) };
  const given = stored.once_key;
  const keyFacts =
    typeof given === 'string' ? [{ subject: subjects.idempotencyKey(account, given), value: id, state: FACT, at }] : [];
  // Sent together: on a server, each answer that is waited for is a round trip.
  await Promise.all([
    queries.run(...insertion(OPERATION, [stored])),
    ...(moves ? [addSpent(queries, { account, command, createdAtMs: at, clocks: operation.baseline, moves }, 1n)] : []),
    appendEntries(recording, [
      ...keyFacts,
      ...states.map((state) => ({ ...link, state, operation: state === 'prepared' ? fixedText(stored) : null })),
    ]),
  ]);
  if (operation.sweep) await appendFacts(recording, [sweepFact(id, operation.sweep)]);
}

/** Whether an operation counts: it moved money, or may have. */
const counts = (state: OperationState, verdict: Verdict | null): boolean =>
  state !== 'rejected' && state !== 'failed' && (verdict === null || verdict === 'completed');

/** What an operation repeats of an entry. */
type Repeated = Pick<
  NewRow<typeof ENTRY>,
  'operation_id' | 'state' | 'at' | 'request_id' | 'verdict' | 'detail' | 'result' | 'busy_until'
>;

/** Has the row of an operation say what its last entry says. */
export async function repeatEntry(queries: Queries, entry: Repeated): Promise<void> {
  await queries.run(
    `UPDATE operation SET state = ?, request_id = coalesce(?, request_id), verdict = ?, detail = ?,
       result = coalesce(?, result), updated_at = ?, busy_until = coalesce(?, busy_until) WHERE id = ?`,
    entry.state,
    entry.request_id ?? null,
    entry.verdict ?? null,
    entry.detail ?? null,
    entry.result ?? null,
    entry.at,
    entry.busy_until ?? null,
    entry.operation_id ?? null,
  );
}

/** Appends a transition and updates the operation. Returns false if its state does not allow it. Call it in a transaction. */
export async function tryMove(
  recording: Recording,
  id: string,
  to: OperationState,
  appended: Appended,
): Promise<boolean> {
  const { queries } = recording;
  const row = await queries.get<OperationRow>('SELECT * FROM operation WHERE id = ?', id);
  if (!row || !mayFollow(row.state, to)) return false;
  const { repeatedAtMs, contradiction } = isOutcomeUnknown(row) ? resultIn(row.result).searchState : {};
  // That one of two requests was refused says nothing of the other.
  if (to === 'rejected' && repeatedAtMs !== undefined) return false;
  // Whatever the service says later of the work that it named, a person decides whether it is what was asked for.
  if (contradiction !== undefined && to !== 'unknown' && to !== 'resolved') return false;
  const { requestId = null, verdict = null, detail = null, result = null, busyUntil = null } = appended;
  const at = appended.at ?? queries.now();
  const storable = storableIn(queries);
  const stored = { verdict, requestId: storable(requestId), detail: storable(detail), result: storable(result) };
  // The row may say only what its entries say.
  await appendEntries(recording, [{ operationId: id, at, state: to, busyUntil, ...stored }]);
  const { requestId: request_id, ...others } = stored;
  await repeatEntry(queries, { operation_id: id, state: to, at, busy_until: busyUntil, request_id, ...others });
  const { account, command, created_at: createdAt, baseline, asset, minor } = row;
  if (asset && minor !== null && counts(row.state, row.verdict) && !counts(to, verdict)) {
    const moves = { asset, minor };
    const spent = {
      account,
      command,
      createdAtMs: Number(createdAt),
      clocks: baseline === null ? undefined : parseBaseline(baseline),
      moves,
    };
    await addSpent(queries, spent, -1n);
  }
  return true;
}

/** Appends that a request is sent again. Returns false if it was before, or its outcome is known. */
export async function claimRepeat(recording: Recording, id: string, busyForMs: number): Promise<boolean> {
  const found = await unknownWith(recording, id);
  if (found?.searchState.repeatedAtMs !== undefined || found?.searchState.contradiction) return false;
  // What it does may only be in the list later, so what was not there before proves nothing any more.
  const repeatedAtMs = recording.queries.now();
  const result = searchResult({ repeatedAtMs });
  const detail = 'sent again under its idempotency key';
  return found !== undefined && tryMove(recording, id, 'sent', { detail, result, busyUntil: repeatedAtMs + busyForMs });
}

/** Appends what a search found. What was noted before stays: another process may have searched at the same time. */
export async function noteSearch(recording: Recording, id: string, noted: SearchState): Promise<void> {
  const found = await unknownWith(recording, id);
  if (!found || Object.keys(noted).every((name) => name in found.searchState)) return;
  const result = searchResult({ ...noted, ...found.searchState });
  await tryMove(recording, id, 'unknown', { detail: found.detail ?? undefined, result });
}

/** Returns what was done to find an unknown outcome so far; undefined if the outcome is known. */
async function unknownWith({ queries }: Recording, id: string) {
  const row = await queries.get<Pick<Operation, 'state' | 'detail' | 'result'>>(
    'SELECT state, detail, result FROM operation WHERE id = ?',
    id,
  );
  return row?.state === 'unknown' ? { detail: row.detail, searchState: resultIn(row.result).searchState } : undefined;
}
