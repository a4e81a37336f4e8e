import type { Host, Ids } from '../base/world.ts';
import { accountIds, accountIn } from './accounts.ts';
import { NO_DIGEST } from './chain.ts';
import { endOfChain, type Recording } from './entries.ts';
import type { Intent, SpendLimit } from './intent.ts';
import { keyHolder, listOperations, type Operation, type Selection } from './operations.ts';
import { isOpenIn, recordApplied } from './plan-entries.ts';
import { overLimit } from './spending.ts';
import { createOperation, PREPARED_MS, tryMove } from './transitions.ts';

/**
 * What the journal decided. `ours`: recorded; send it unless `isLate`, after which others count its
 * outcome as unknown. The others return the operation that it conflicts with.
 * `done`: the idempotency key was used for the same input, and the operation ended or was accepted. `other-input`: it was used for another
 * input. `busy`: another process is at work under the key, or on an equal intent. `unknown-outcome`: its outcome is unknown. `equal-unknown`: that of an
 * equal intent is, under whatever key. `repeated`: an equal intent without a key was recorded a short time ago. `plan-closed`: it
 * applies a plan that was rejected or withdrawn. `over-limit`: with it, a sum would be over this limit; now it is `spentMillionths`.
 */
export type Claim =
  | { readonly kind: 'ours'; readonly operationId: string; readonly isLate: () => boolean }
  | { readonly kind: 'plan-closed' }
  | { readonly kind: 'over-limit'; readonly limit: SpendLimit; readonly spentMillionths: bigint }
  | Conflict;

/** A decision inside its transaction: how long the sender is at work, and not until when. */
type Claimed =
  | Exclude<Claim, { kind: 'ours' }>
  | { readonly kind: 'ours'; readonly operationId: string; readonly busyForMs: number };

/** An operation that an intent conflicts with. */
export type Conflict = {
  readonly kind: 'done' | 'other-input' | 'busy' | 'unknown-outcome' | 'equal-unknown' | 'repeated';
  readonly operation: Operation;
};

/** How long an equal intent counts as a repetition. */
export const GUARD_MS = 10 * 60_000;

interface ClaimContext {
  readonly recording: Recording;
  digest(text: string): string;
  isBusy(operation: Operation): boolean;
}

interface Claiming extends ClaimContext {
  readonly ids: Ids;
  readonly host: Host;
}

const digestOf = ({ digest }: ClaimContext, { input }: Pick<Intent, 'input'>) =>
  input === undefined ? NO_DIGEST : digest(input);

/** Decides whether an intent may be sent, and records it if it may. Call it in a transaction. */
export async function claimIn(claiming: Claiming, intent: Intent, sendingMs?: number): Promise<Claimed> {
  const { recording, ids, host } = claiming;
  const { queries } = recording;
  const inputDigest = digestOf(claiming, intent);
  // Asked together: on a server, each answer that is waited for is a round trip.
  const [{ account, ids: accounts }] = await Promise.all([
    accountIn(recording, intent.account, ids.uuid),
    endOfChain(recording),
  ]);
  const findNext = () => conflictOf(claiming, { ...intent, accounts, inputDigest });
  // Accounts that turned out to be one may hold the same idempotency key twice: behind an abandoned operation there may be another one.
  for (let found = await findNext(); found; found = await findNext()) {
    if ('operation' in found) return found;
    await tryMove(recording, found.abandoned, 'rejected', { detail: NEVER_SENT });
  }
  if (intent.plan && !(await isOpenIn(recording, intent.plan))) return { kind: 'plan-closed' };
  const over = await overLimit(queries, accounts, intent);
  if (over) return { kind: 'over-limit', ...over };
  const id = ids.uuid();
  await createOperation(
    recording,
    {
      ...intent,
      runBy: host.user,
      processId: host.processId,
      id,
      account,
      inputDigest,
    },
    sendingMs,
  );
  if (intent.plan) await recordApplied(recording, intent.plan, id);
  return { kind: 'ours', operationId: id, busyForMs: sendingMs ?? PREPARED_MS };
}

/** Returns the operation that an intent conflicts with, and writes nothing. */
export async function findConflict(context: ClaimContext, intent: ConflictQuery): Promise<Conflict | undefined> {
  const accounts = await accountIds(context.recording.queries, intent.account);
  const found = await conflictOf(context, { ...intent, accounts, inputDigest: digestOf(context, intent) });
  return found && 'operation' in found ? found : undefined;
}

type FoundConflict = Conflict | { readonly abandoned: string } | undefined;

async function conflictOf(context: ClaimContext, claimed: ClaimQuery): Promise<FoundConflict> {
  // Asked together: on a server, each answer that is waited for is a round trip.
  const [equal, own] = await Promise.all([
    equalUnknown(context, claimed),
    claimed.idempotencyKey === undefined
      ? repeated(context, claimed)
      : holder(context, claimed, claimed.idempotencyKey),
  ]);
  return claimed.idempotencyKey === undefined ? (equal ?? own) : (own ?? equal);
}

/** The parts of an intent that decide what it conflicts with. */
export type ConflictQuery = Pick<Intent, 'account' | 'input' | 'idempotencyKey' | 'isGuarded' | 'isAgain'> &
  Partial<Pick<Intent, 'endpoint' | 'mayEqual'>>;

type ClaimQuery = Omit<ConflictQuery, 'account'> & {
  readonly accounts: readonly string[];
  readonly inputDigest: string;
};

/** Returns the operation that holds the idempotency key, and what that means for a second one. */
async function holder(
  { recording, isBusy }: ClaimContext,
  { accounts, inputDigest }: ClaimQuery,
  idempotencyKey: string,
): Promise<FoundConflict> {
  const operation = await keyHolder(recording.queries, accounts, idempotencyKey);
  if (!operation) return undefined;
  if (operation.inputDigest !== inputDigest || inputDigest === NO_DIGEST) return { kind: 'other-input', operation };
  if (isBusy(operation)) return { kind: 'busy', operation };
  if (operation.state === 'prepared') return { abandoned: operation.operationId };
  const isOutcomeUnknown = operation.state === 'sent' || operation.state === 'unknown';
  return { kind: isOutcomeUnknown ? 'unknown-outcome' : 'done', operation };
}

/** The detail of an operation whose process ended between recording and sending. */
export const NEVER_SENT = 'its process ended before it was sent';

/** More operations with an unknown outcome than an account has. */
const MOST_UNKNOWN = 10_000;

/**
 * Returns an operation whose outcome is unknown and that an intent may repeat: what was typed is equal, or what is sent moves the same. No
 * key and no flag passes it, because only its outcome says whether the intent is the second one. One that its process still works on is
 * waited for: its outcome may be known in a moment.
 */
async function equalUnknown(
  { recording, isBusy }: ClaimContext,
  { accounts, inputDigest, endpoint, isGuarded, mayEqual }: ClaimQuery,
): Promise<FoundConflict> {
  if (!isGuarded && !mayEqual) return undefined;
  const unknownOutcomes = { account: accounts, state: 'unknown-outcome', endpoint, limit: MOST_UNKNOWN } as const;
  const all = await listOperations(recording.queries, unknownOutcomes);
  const equal = all.filter(
    (each) => (each.inputDigest === inputDigest && inputDigest !== NO_DIGEST) || (mayEqual?.(each) ?? false),
  );
  const operation = equal.find((each) => !isBusy(each)) ?? equal[0];
  return operation && { kind: isBusy(operation) ? 'busy' : 'equal-unknown', operation };
}

/** Returns an equal operation of the last minutes. */
async function repeated(context: ClaimContext, wanted: ClaimQuery): Promise<FoundConflict> {
  const { accounts, inputDigest, isGuarded, isAgain } = wanted;
  if (!isGuarded || isAgain || inputDigest === NO_DIGEST) return undefined;
  const sinceMs = context.recording.queries.now() - GUARD_MS;
  const operation = await newestMoved(context, {
    account: accounts,
    inputDigest,
    limit: 1,
    state: 'may-have-moved',
    sinceMs,
  });
  return operation && { kind: 'repeated', operation };
}

/** Returns the newest operation of a selection that moved money or still may, passing over those whose process never sent them. */
async function newestMoved(
  context: ClaimContext,
  selection: Selection,
  after?: Operation,
): Promise<Operation | undefined> {
  const [operation] = await listOperations(context.recording.queries, { ...selection, after });
  if (operation?.state !== 'prepared' || context.isBusy(operation)) return operation;
  return newestMoved(context, selection, operation);
}
