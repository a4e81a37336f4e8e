import type { Host } from '../base/world.ts';
import { type Database, openDatabase } from '../sqlite/database.ts';
import { accountIn, linkKeys } from './accounts.ts';
import { type Claim, claimIn, type LookedFor, lookIn } from './claims.ts';
import type { Intent } from './intent.ts';
import { findOperations, listOperations, type Operation, openOperations, type Selection } from './operations.ts';
import { ROTATION_SCHEMA, type Rotation, type RotationStage, type Rotations, rotationsIn } from './rotations.ts';
import { OPERATION_SCHEMA } from './schema.ts';
import type { OperationState } from './states.ts';
import { type Appended, createOperation, type JournalWorld, lastHash, type Recording, tryMove } from './transitions.ts';
import { moveOperations } from './upgrade.ts';
import { requireLastLink, type Verified, verifyChain } from './verify.ts';

export type { Claim } from './claims.ts';
export type { Intent } from './intent.ts';
export type { Operation } from './operations.ts';
export type { OperationState } from './states.ts';

/** The record of money, destructive and onboarding operations. Each write returns once it is flushed to disk. */
export interface Journal {
  /**
   * Records a new operation, unless the journal says that it must not be sent: its once key is taken, or the same intent
   * was recorded before. Decided and written in one transaction, so that of two processes one gets it.
   */
  claim(intent: Intent): Claim;
  /** Returns what would be in the way of an intent, and records nothing. */
  look(intent: LookedFor): Exclude<Claim, { kind: 'ours' }> | undefined;
  /** Counts all operations. */
  count(): number;
  /** Counts the operations of a profile whose outcome is unknown. */
  inDoubt(profile: string): number;
  /** Records a key rotation under an id chosen by the caller. Returns false if its account already has an open one. */
  prepareRotation(
    intent: Intent,
    rotation: Pick<Rotation, 'operationId' | 'keyPlace' | 'oldFingerprint' | 'pushes'>,
  ): boolean;
  /**
   * Moves a rotation to another stage and updates its operation in one transaction. Returns false if it is no longer at the stage
   * `from`. The sender moves it to `sending` just before it sends; false then means that another process closed the rotation.
   */
  moveRotation(operationId: string, from: RotationStage, to: RotationStage, detail?: string): boolean;
  readonly rotations: Omit<Rotations, 'insert' | 'move'>;
  /** Records that one key replaced another, so that both belong to one account. */
  linkKeys(oldFingerprint: string, newFingerprint: string): void;
  /**
   * Call just before sending. `busyForMs` is how long the sender waits for a response at most. Returns until when the request may
   * leave, in milliseconds since the epoch: after that, others count its outcome as unknown. Throws if the state does not allow it.
   */
  sent(operationId: string, busyForMs: number): number;
  /** Appends a transition. Throws if the operation's state does not allow it. */
  append(operationId: string, state: OperationState, appended?: Appended): void;
  /** Records work that was found as the operation's own. Returns false if another operation has it, or the outcome is known. */
  take(operationId: string, found: { readonly requestId: string; readonly detail: string }): boolean;
  /**
   * Appends how accepted work ended to the operation that started it, found by the service's id. Does nothing if this
   * journal does not know it, or knows the end already.
   */
  ended(work: StartedWork, state: 'settled' | 'failed', appended: Appended): void;
  /** Ends every operation whose outcome only a sandbox knew that has been reset. */
  destroyed(sandbox: Pick<Operation, 'mode' | 'profile'>): void;
  list(selection: Selection): Operation[];
  /** Returns up to three operations whose id starts with `id`. */
  find(id: string): Operation[];
  /** Returns a digest of text that does not reveal it; equal texts have equal digests in this journal. */
  digest(text: string): string;
  /** Whether another operation has this id of the service. */
  isClaimed(requestId: string, except: string): boolean;
  /** Whether an operation's process is still at work on it: it lives, and its time is not over. */
  isBusy(operation: Operation): boolean;
  /** Checks every transition. `head` is a hash that the journal must contain. */
  verify(head?: string): Verified;
  /** Returns the hash of this host's last transition. */
  head(): string;
  /** Throws CliError usage if this host's last transition does not continue the one before it. */
  requireLastLink(): void;
  close(): void;
}

/** Work that the service knows by an id, and the endpoints that may have started it. */
interface StartedWork {
  readonly profile: string;
  readonly endpoints: readonly string[];
  readonly requestId: string;
}

/** `frjr`, in ASCII. */
const JOURNAL_FILE_ID = 0x66726a72;

/** Opens the journal, creating its file on first use. Throws DatabaseError. */
export async function openJournal(path: string, world: JournalWorld): Promise<Journal> {
  const store = await openStore(path, world);
  const { clock, ids, host } = world;
  const digestKey = store.get<{ value: string }>(`SELECT value FROM setting WHERE name = 'digest-key'`)?.value ?? '';
  const recording: Recording = { store, host: host.name, now: clock.now };
  const claiming = {
    ...{ recording, ids, host },
    digest: (text: string) => ids.digest(digestKey, text),
    isBusy: (operation: Operation) => isAtWork(operation, host, clock.now()),
  };
  const move = (id: string, state: OperationState, appended: Appended) =>
    store.transaction('write', () => {
      if (!tryMove(recording, id, state, appended)) throw new Error(`operation ${id} cannot become ${state}`);
    });
  return {
    ...rotationPart(recording, world),
    ...readPart(store, host),
    claim: (intent) => store.transaction('write', () => claimIn(claiming, intent)),
    look: (intent) => lookIn(claiming, intent),
    linkKeys: (before, after) => store.transaction('write', () => linkKeys(store, before, after)),
    sent: (id, busyForMs) => {
      const busyUntil = clock.now() + busyForMs;
      move(id, 'sent', { busyUntil });
      return busyUntil;
    },
    append: (id, state, appended = {}) => move(id, state, appended),
    take: (id, found) =>
      store.transaction(
        'write',
        () => !isClaimed(store, found.requestId, id) && tryMove(recording, id, 'accepted', found),
      ),
    ended: ({ profile, endpoints, requestId }, state, appended) =>
      store.transaction('write', () => {
        for (const { operationId, endpoint } of listOperations(store, { profile, requestId, limit: 10 }))
          if (endpoints.includes(endpoint)) tryMove(recording, operationId, state, { ...appended, requestId });
      }),
    destroyed: (sandbox) =>
      store.transaction('write', () => {
        for (const id of openOperations(store, sandbox))
          tryMove(recording, id, 'resolved', { verdict: 'destroyed', detail: 'the sandbox was reset' });
      }),
    digest: claiming.digest,
    isBusy: claiming.isBusy,
    close: () => store.close(),
  };
}

function openStore(path: string, world: JournalWorld): Promise<Database> {
  const createTables = (database: Database) => {
    database.exec(OPERATION_SCHEMA);
    const key = Buffer.from(world.ids.bytes(32)).toString('base64url');
    database.run('INSERT INTO setting VALUES (?, ?)', 'digest-key', key);
  };
  return openDatabase(path, {
    synchronous: 'FULL',
    layout: {
      version: 3,
      applicationId: JOURNAL_FILE_ID,
      create: (database) => {
        createTables(database);
        database.exec(ROTATION_SCHEMA);
      },
      upgrades: {
        1: (database: Database) => database.exec(ROTATION_SCHEMA),
        2: (database: Database) => moveOperations(database, world, createTables),
      },
    },
  });
}

type RotationPart = Pick<Journal, 'prepareRotation' | 'moveRotation' | 'rotations'>;

function rotationPart(recording: Recording, { ids, host }: JournalWorld): RotationPart {
  const { store } = recording;
  const rotations = rotationsIn(store);
  return {
    rotations,
    prepareRotation: (intent, rotation) =>
      store.transaction('write', () => {
        if (rotations.openOf(intent)) return false;
        const account = accountIn(store, intent.account, ids.uuid);
        const ours = { operator: host.user, processId: host.processId };
        createOperation(recording, { ...intent, ...ours, account, id: rotation.operationId, inputDigest: '' });
        rotations.insert({ ...rotation, profile: intent.profile, baseUrl: intent.baseUrl });
        return true;
      }),
    moveRotation: (id, from, to, detail) =>
      store.transaction('write', () => {
        const isMoved = rotations.move(id, from, to);
        const state = OPERATION_AFTER[to];
        // A closed operation is not changed.
        if (isMoved && state) tryMove(recording, id, state, { detail });
        return isMoved;
      }),
  };
}

type ReadPart = Pick<
  Journal,
  'count' | 'inDoubt' | 'list' | 'find' | 'isClaimed' | 'verify' | 'head' | 'requireLastLink'
>;

function readPart(store: Database, host: Host): ReadPart {
  return {
    count: () => Number(store.get<{ count: bigint }>('SELECT count(*) AS count FROM operation')?.count ?? 0n),
    inDoubt: (profile) => {
      const sql = `SELECT count(*) AS count FROM operation WHERE profile = ? AND state IN ('sent', 'unknown')`;
      return Number(store.get<{ count: bigint }>(sql, profile)?.count ?? 0n);
    },
    list: (selection) => listOperations(store, selection),
    find: (id) => findOperations(store, id),
    isClaimed: (requestId, except) => isClaimed(store, requestId, except),
    verify: (head) => verifyChain(store, head),
    head: () => lastHash(store, host.name),
    requireLastLink: () => requireLastLink(store, host.name),
  };
}

function isClaimed(store: Database, requestId: string, except: string): boolean {
  return listOperations(store, { requestId, limit: 2 }).some(({ operationId }) => operationId !== except);
}

/** The operation's state after a rotation reaches a stage. */
const OPERATION_AFTER: Readonly<Partial<Record<RotationStage, OperationState>>> = {
  sending: 'sent',
  answered: 'accepted',
  lost: 'unknown',
  refused: 'refused',
  done: 'settled',
};

/** An operation of another host is at work until its time is over, because its process cannot be seen from here. */
function isAtWork({ state, host, processId, busyUntil }: Operation, here: Host, now: number): boolean {
  if ((state !== 'prepared' && state !== 'sent') || now > busyUntil) return false;
  return host !== here.name || here.isRunning(processId);
}
