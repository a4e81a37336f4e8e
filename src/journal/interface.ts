import type { CliError } from '../base/errors.ts';
import type { DatabaseError } from '../sqlite/errors.ts';
import type { AccountNames, Fintech } from './accounts.ts';
import type { Claim, Conflict, ConflictQuery } from './claims.ts';
import type { Head } from './entries.ts';
import type { Imported } from './import.ts';
import type { Intent, Sweep } from './intent.ts';
import type { Merged } from './merge.ts';
import type { Operation, Selection, Transition } from './operations.ts';
import type { PlanRecords } from './plans.ts';
import type { Rotation, RotationRecords, RotationStage } from './rotations.ts';
import type { Spending } from './spending.ts';
import type { OperationState, SearchState } from './states.ts';
import type { Appended } from './transitions.ts';
import type { Counted, VerifiedJournal } from './verify.ts';

/** The rules, the approvers of the account with an id, or what people accepted of a balance (`acceptedName`). */
export type SharedName = 'rules' | `approvers ${string}` | `accepted ${string}`;

/** A text that all hosts of the journal keep, as it is to be; undefined if there is to be none. */
export interface SharedChange {
  readonly name: SharedName;
  readonly text: string | undefined;
  /** As it must be now. */
  readonly before: string | undefined;
}

/** The record of money, destructive and onboarding operations. Each write resolves once it is flushed to disk. */
export interface Journal {
  /**
   * Records a new operation, unless the journal says that it must not be sent: its idempotency key is taken, or the same intent
   * was recorded before. Decided and written in one transaction, so that of two processes one gets it. With `busyForMs`, how long the sender waits for a
   * response at most, it is recorded as sent in the same transaction: call it just before sending.
   */
  claim(intent: Intent, busyForMs?: number): Promise<Claim>;
  /** Returns the operation that an intent conflicts with, and records nothing. */
  findConflict(intent: ConflictQuery): Promise<Conflict | undefined>;
  /**
   * Returns what an account spent in the day or month of a time, in millionths of a Naira or token, without what was not done or came in.
   * `nowMs` is the time that all hosts agree on; the journal's own clock counts without it.
   */
  spent(account: AccountNames, spending: Spending, nowMs?: number): Promise<bigint>;
  /** Counts all operations. */
  count(): Promise<number>;
  /** Counts the operations of a profile whose outcome is unknown. */
  unknownOutcomes(profile: string): Promise<number>;
  /** Records a key rotation under an id chosen by the caller. Returns false if its account already has an open one. */
  prepareRotation(
    intent: Intent,
    rotation: Pick<Rotation, 'operationId' | 'keyLocation' | 'oldFingerprint' | 'pushes'>,
  ): Promise<boolean>;
  /**
   * Moves a rotation to another stage and updates its operation in one transaction. Returns false if it is no longer at the stage
   * `from`. The sender moves it to `sending` just before it sends; false then means that another process closed the rotation.
   * Once the new key is known, `newFingerprint` links it to the old one in the same transaction, so that both are one account.
   */
  moveRotation(operationId: string, from: RotationStage, to: RotationStage, more?: RotationMove): Promise<boolean>;
  readonly rotations: RotationRecords;
  readonly plans: PlanRecords;
  /** Records the fintech that a key belongs to, so that all its keys are one account. */
  learnFintech(names: AccountNames, fintech: Fintech): Promise<void>;
  /** Appends a transition. Throws if the operation's state does not allow it. */
  append(operationId: string, state: OperationState, appended?: Appended): Promise<void>;
  /**
   * Records that a request with an unknown outcome is sent again under its idempotency key, which happens once. Undefined if it was sent
   * again before, or its outcome is known.
   */
  claimRepeat(operationId: string, busyForMs: number): Promise<{ readonly isLate: () => boolean } | undefined>;
  /** Records what a search for a request with an unknown outcome found, unless that was noted before. */
  noteSearch(operationId: string, noted: SearchState): Promise<void>;
  /** Records work that was found as the operation's own. Returns false if another operation has it, or the outcome is known. */
  take(operationId: string, found: { readonly requestId: string; readonly detail: string }): Promise<boolean>;
  /**
   * Appends the outcome of a request that was sent. If the journal cannot be written, spools it to a file beside the journal,
   * from where `merge` takes it. Returns where it is now; `contradicted` if the journal knows something else by now, which counts.
   * Throws if it could be written nowhere.
   */
  record(
    operationId: string,
    state: OperationState,
    response: Pick<Appended, 'requestId' | 'detail' | 'result'>,
  ): Promise<'journal' | 'spool' | 'contradicted'>;
  /** Appends the spooled outcomes. */
  merge(): Promise<Merged>;
  /**
   * Appends how accepted work ended to the operation that started it, found by the service's id. Does nothing if this
   * journal does not know it, or knows the end already.
   */
  ended(work: StartedWork, state: 'settled' | 'failed', appended: Appended): Promise<void>;
  /** Ends every operation whose outcome only a sandbox knew that has been reset. Its key belongs to a new account from then on. */
  destroyed(sandbox: Pick<Operation, 'mode' | 'profile'>, names: AccountNames): Promise<void>;
  list(selection: Selection): Promise<Operation[]>;
  /**
   * Returns the operation with this id, or else up to 20 whose id starts with it, that have it as their request id, or that were given it as
   * their idempotency key; newest first.
   */
  find(id: string): Promise<Operation[]>;
  /** Returns every transition of an operation, oldest first. */
  transitions(operationId: string): Promise<Transition[]>;
  /** Returns a digest of text that does not reveal it; equal texts have equal digests in this journal. */
  digest(text: string): string;
  /** Returns the ids that the operations of an account may have as their account. */
  accountIds(names: AccountNames): Promise<readonly string[]>;
  /** Whether another operation has this id of the service. */
  isClaimed(requestId: string, except: string): Promise<boolean>;
  /** Whether an operation's process is still at work on it: it lives, and its time is not over. */
  isBusy(operation: Operation): boolean;
  /** How far the journal's clock is ahead of this machine's, by the time of its last transaction; 0 for a file. */
  aheadMs(): number;
  /** Checks every transition. `head` is a hash that the journal must contain, besides the heads that this host saved. */
  verify(head?: string, counted?: Counted): Promise<VerifiedJournal>;
  /** Returns the id of this journal. */
  id(): string;
  /**
   * Throws CliError usage if this is not known to be the journal of an account. A person at a terminal may confirm the first one of a live
   * account. `claim` requires it too; call this before anyone agrees to a change.
   */
  confirm(account: AccountNames, hasIdempotencyKey: boolean): Promise<void>;
  /** Returns why money commands of an account stop, besides what `verify` finds: its journal is another one, or was restored. */
  wrong(account: AccountNames | undefined): Promise<CliError | DatabaseError | undefined>;
  /** Checks every transition. If they are whole, the journal as it is becomes that of the account, in place of what was remembered. */
  accept(account?: AccountNames): Promise<VerifiedJournal>;
  /** Yields the journal as lines of JSON in pages, all of one moment. */
  exported(withDigestKey: boolean): AsyncGenerator<readonly object[]>;
  /** Fills an empty journal with exported lines, all or none. One of their accounts must be among `accounts`, and one of their hashes `head`. Throws ImportError. */
  importFrom(lines: Iterable<string>, accounts: readonly AccountNames[], head?: string): Promise<Imported>;
  /** Copies the journal to a new private file, also while other processes use it. Returns its bytes. Throws CliError usage. */
  backUp(path: string): Promise<number>;
  /** Returns the last entry; undefined if there is none. */
  head(): Promise<Head | undefined>;
  /** Throws CliError usage if this host's last transition does not continue the one before it, or if the journal was cut. */
  requireLastLink(): Promise<void>;
  /** What an operation is a part of; undefined if it stands alone. Throws CliError usage. */
  sweepOf(operationId: string): Promise<Sweep | undefined>;
  /** A text that all hosts of the journal keep, as JSON; undefined if there is none. */
  shared(name: SharedName): Promise<string | undefined>;
  /** Replaces a shared text, or removes it. Returns false, and changes nothing, if it is no longer `before`. */
  setShared(name: SharedName, text: string | undefined, before: string | undefined): Promise<boolean>;
  /** Does the same with several, all or none. */
  changeShared(changes: readonly SharedChange[]): Promise<boolean>;
  /** Returns the shared texts whose names begin so, by what follows. Throws CliError usage if an entry does not continue the one before it. */
  sharedUnder(start: `accepted ${string} `): Promise<ReadonlyMap<string, string>>;
  /** Returns the lists of approvers as JSON, by the id of their account. */
  approverLists(): Promise<ReadonlyMap<string, string>>;
  /** Whether the journal has an operation of a live account, or knows whose key one has. */
  knowsLive(): Promise<boolean>;
  /** Whether this host could take away what protects a shared journal: it owns the tables. */
  isOwner(): Promise<boolean>;
  close(): Promise<void>;
}

/** What moving a rotation records besides its stage. */
export interface RotationMove {
  readonly detail?: string | undefined;
  /** The fingerprint of the key that replaces the old one. */
  readonly newFingerprint?: string | undefined;
}

/** Work that the service knows by an id, and the endpoints that may have started it. */
interface StartedWork {
  readonly account: AccountNames;
  readonly endpoints: readonly string[];
  readonly requestId: string;
}
