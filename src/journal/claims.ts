import type { Host, Ids } from '../base/world.ts';
import { accountIds, accountIn } from './accounts.ts';
import type { Intent } from './intent.ts';
import { listOperations, type Operation } from './operations.ts';
import type { OperationState } from './states.ts';
import { createOperation, PREPARED_MS, type Recording, tryMove } from './transitions.ts';

/**
 * What the journal decided. `ours`: recorded; send it until `leaveByMs`, in milliseconds since the epoch, after which others count its
 * outcome as unknown. The others return the operation that is in the way.
 * `done`: the once key was used for the same input, and the operation ended or was accepted. `other-input`: it was used for another
 * input. `busy`: another process is at work under the key. `doubt`: its outcome is unknown. `repeated`: an equal intent
 * without a key was recorded a short time ago, or is in doubt.
 */
export type Claim =
  | { readonly kind: 'ours'; readonly operationId: string; readonly leaveByMs: number }
  | { readonly kind: 'done' | 'other-input' | 'busy' | 'doubt' | 'repeated'; readonly operation: Operation };

/** How long an equal intent counts as a repetition. */
export const GUARD_MS = 10 * 60_000;

interface Looking {
  readonly recording: Recording;
  digest(text: string): string;
  isBusy(operation: Operation): boolean;
}

interface Claiming extends Looking {
  readonly ids: Ids;
  readonly host: Host;
}

/** Decides whether an intent may be sent, and records it if it may. Call it in a transaction. */
export function claimIn(claiming: Claiming, intent: Intent, busyForMs?: number): Claim {
  const { recording, ids, host, digest } = claiming;
  const account = accountIn(recording.store, intent.account, ids.uuid);
  const inputDigest = digest(intent.input);
  const accounts = accountIds(recording.store, intent.account);
  const look = () => inTheWay(claiming, { ...intent, accounts, inputDigest });
  // Accounts that turned out to be one may hold the same once key twice: behind an abandoned operation there may be another one.
  for (let found = look(); found; found = look()) {
    if ('operation' in found) return found;
    tryMove(recording, found.abandoned, 'refused', { detail: NEVER_SENT });
  }
  const id = ids.uuid();
  createOperation(recording, {
    ...intent,
    ...{ operator: host.user, processId: host.processId },
    ...{ id, account, inputDigest },
  });
  const leaveByMs = recording.now() + (busyForMs ?? PREPARED_MS);
  if (busyForMs !== undefined) tryMove(recording, id, 'sent', { busyUntil: leaveByMs });
  return { kind: 'ours', operationId: id, leaveByMs };
}

/** Returns what would be in the way of an intent, and writes nothing. */
export function lookIn(looking: Looking, intent: LookedFor): Exclude<Claim, { kind: 'ours' }> | undefined {
  const { store } = looking.recording;
  const accounts = accountIds(store, intent.account);
  const found = inTheWay(looking, { ...intent, accounts, inputDigest: looking.digest(intent.input) });
  return found && 'operation' in found ? found : undefined;
}

type InTheWay = Exclude<Claim, { kind: 'ours' }> | { readonly abandoned: string };

const inTheWay = (looking: Looking, claimed: Claimed) =>
  claimed.onceKey === undefined ? repeated(looking, claimed) : holder(looking, claimed);

/** The parts of an intent that decide what is in its way. */
export type LookedFor = Pick<Intent, 'account' | 'input' | 'onceKey' | 'isGuarded' | 'isAgain'>;

type Claimed = Omit<LookedFor, 'account'> & { readonly accounts: readonly string[]; readonly inputDigest: string };

/** Returns the newest operation that holds the once key, and what that means for a second one. */
function holder({ recording, isBusy }: Looking, { accounts, onceKey, inputDigest }: Claimed): InTheWay | undefined {
  const [operation] = listOperations(recording.store, { account: accounts, onceKey, limit: 1 });
  if (!operation) return undefined;
  if (operation.inputDigest !== inputDigest) return { kind: 'other-input', operation };
  if (isBusy(operation)) return { kind: 'busy', operation };
  if (operation.state === 'prepared') return { abandoned: operation.operationId };
  const isInDoubt = operation.state === 'sent' || operation.state === 'unknown';
  return { kind: isInDoubt ? 'doubt' : 'done', operation };
}

/** The detail of an operation whose process ended between recording and sending. */
export const NEVER_SENT = 'its process ended before it was sent';

/** The states after which a repetition pays once. */
const MOVED_NOTHING: readonly OperationState[] = ['refused', 'failed'];

/** Returns an equal operation of the last minutes, or one in doubt of any age. */
function repeated(
  { recording, isBusy }: Looking,
  { accounts, inputDigest, isGuarded, isAgain }: Claimed,
): InTheWay | undefined {
  if (!isGuarded || isAgain) return undefined;
  const { store, now } = recording;
  const like = { account: accounts, inputDigest, limit: 1 };
  const recent = listOperations(store, { ...like, limit: 20, sinceMs: now() - GUARD_MS }).find((each) =>
    each.state === 'prepared' ? isBusy(each) : !MOVED_NOTHING.includes(each.state) && each.verdict !== 'not-done',
  );
  const operation = recent ?? listOperations(store, { ...like, state: 'in-doubt' })[0];
  return operation && { kind: 'repeated', operation };
}
