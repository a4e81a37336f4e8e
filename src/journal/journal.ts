import type { Host } from '../base/world.ts';
import { shortHmac } from '../crypto/sha256.ts';
import { BUSY_TIMEOUT_MS, type Database, openDatabase } from '../sqlite/database.ts';
import { DatabaseError } from '../sqlite/errors.ts';
import { accountIds, accountIn, forgetAccount, knowsFintech, learnFintech, linkKeys, namesOf } from './accounts.ts';
import { type Aside, keepAside, keptFiles } from './aside.ts';
import { backUp } from './backup.ts';
import { claimIn, lookIn } from './claims.ts';
import { exportedLines } from './export.ts';
import { keepHead, keptHead, lastHead, writeHead } from './head.ts';
import type { Journal } from './interface.ts';
import { findOperations, listOperations, type Operation, openOperations } from './operations.ts';
import { ROTATION_SCHEMA, type RotationStage, recordsOf, rotationsIn } from './rotations.ts';
import { LIST_SCHEMA, OPERATION_SCHEMA } from './schema.ts';
import type { OperationState } from './states.ts';
import { type Appended, createOperation, type JournalWorld, lastHash, type Recording, tryMove } from './transitions.ts';
import { moveOperations } from './upgrade.ts';
import { requireLastLink, verifyChain } from './verify.ts';

export type { Claim } from './claims.ts';
export type { Intent } from './intent.ts';
export type { Journal, RotationMove } from './interface.ts';
export type { Operation } from './operations.ts';
export type { OperationState } from './states.ts';

/** Runs work in a transaction that may append transitions, and keeps the head. */
type Append = <T>(work: () => T) => T;

/** `frjr`, in ASCII. */
const JOURNAL_FILE_ID = 0x66726a72;

/** How long the outcome of a request waits for another process's write, before it is kept beside the journal. */
const OUTCOME_WAIT_MS = 5_000;

/**
 * Opens the journal, creating its file on first use. Each transaction is one synchronous function, so that nothing else of this
 * process runs inside it. Throws DatabaseError.
 */
export async function openJournal(
  path: string,
  world: JournalWorld,
  outcomeWaitMs = OUTCOME_WAIT_MS,
): Promise<Journal> {
  const store = await openStore(path, world);
  const { clock, ids, host } = world;
  const digestKey = store.get<{ value: string }>(`SELECT value FROM setting WHERE name = 'digest-key'`)?.value ?? '';
  const recording: Recording = { store, host: host.name, now: clock.now };
  const claiming = {
    ...{ recording, ids, host },
    digest: (text: string) => shortHmac(digestKey, text),
    isBusy: (operation: Operation) => isAtWork(operation, host, clock.now()),
  };
  const aside = { path, unique: ids.uuid, sign: claiming.digest };
  const append: Append = (work) => {
    const result = store.transaction('write', work);
    keepHead(store, path, host.processId);
    return result;
  };
  const move = (id: string, state: OperationState, appended: Appended) =>
    append(() => {
      if (!tryMove(recording, id, state, appended)) throw new Error(`operation ${id} cannot become ${state}`);
    });
  return {
    ...rotationPart(recording, world, append),
    ...readPart(store),
    ...chainPart(store, path, world),
    ...copyPart(store, append),
    ...outcomePart({ recording, aside, append, move, waitMs: outcomeWaitMs }),
    claim: async (intent, busyForMs) => append(() => claimIn(claiming, intent, busyForMs)),
    look: async (intent) => lookIn(claiming, intent),
    learnFintech: async (names, fintech) => {
      // A read that tells nothing new must not wait for a command that writes.
      if (!knowsFintech(store, names, fintech))
        store.transaction('write', () => learnFintech(store, names, fintech, ids.uuid));
    },
    append: async (id, state, appended = {}) => move(id, state, appended),
    take: async (id, found) =>
      append(() => !isClaimed(store, found.requestId, id) && tryMove(recording, id, 'accepted', found)),
    ...endPart(recording, append),
    digest: claiming.digest,
    isBusy: claiming.isBusy,
    close: () => store.close(),
  };
}

function endPart(recording: Recording, append: Append): Pick<Journal, 'ended' | 'destroyed'> {
  const { store } = recording;
  return {
    ended: async ({ account, endpoints, requestId }, state, appended) =>
      append(() => {
        const ids = accountIds(store, account);
        for (const { operationId, endpoint } of listOperations(store, { account: ids, requestId, limit: 10 }))
          if (endpoints.includes(endpoint)) tryMove(recording, operationId, state, { ...appended, requestId });
      }),
    destroyed: async (sandbox, names) =>
      append(() => {
        for (const id of openOperations(store, { ...sandbox, accounts: accountIds(store, names) }))
          tryMove(recording, id, 'resolved', { verdict: 'destroyed', detail: 'the sandbox was reset' });
        forgetAccount(store, names);
      }),
  };
}

/** Runs work that waits for another process's write for a while only. */
function waitingAtMost<T>(store: Database, waitMs: number, work: () => T): T {
  const wait = (ms: number) => store.exec(`PRAGMA busy_timeout = ${ms}`);
  wait(waitMs);
  try {
    return work();
  } finally {
    wait(BUSY_TIMEOUT_MS);
  }
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
      version: 4,
      applicationId: JOURNAL_FILE_ID,
      create: (database) => {
        createTables(database);
        database.exec(ROTATION_SCHEMA + LIST_SCHEMA);
      },
      upgrades: {
        1: (database: Database) => database.exec(ROTATION_SCHEMA),
        2: (database: Database) => moveOperations(database, world, createTables),
        3: (database: Database) => database.exec(LIST_SCHEMA),
      },
    },
  });
}

type RotationPart = Pick<Journal, 'prepareRotation' | 'moveRotation' | 'rotations'>;

function rotationPart(recording: Recording, { ids, host }: JournalWorld, append: Append): RotationPart {
  const { store } = recording;
  const rotations = rotationsIn(store);
  return {
    rotations: recordsOf(rotations),
    prepareRotation: async (intent, rotation) =>
      append(() => {
        if (rotations.openOf(intent)) return false;
        const account = accountIn(store, intent.account, ids.uuid);
        const ours = { operator: host.user, processId: host.processId };
        createOperation(recording, { ...intent, ...ours, account, id: rotation.operationId, inputDigest: '' });
        rotations.insert({ ...rotation, profile: intent.profile, baseUrl: intent.baseUrl });
        return true;
      }),
    moveRotation: async (id, from, to, { detail, newFingerprint } = {}) =>
      append(() => {
        const isMoved = rotations.move(id, from, to);
        const old = rotations.find(id)?.oldFingerprint;
        // Also if the stage was reached before: an earlier version moved the rotation there without linking its keys.
        if (old !== undefined && newFingerprint !== undefined) linkKeys(store, old, newFingerprint);
        const state = OPERATION_AFTER[to];
        // A closed operation is not changed.
        if (isMoved && state) tryMove(recording, id, state, { detail });
        return isMoved;
      }),
  };
}

interface OutcomeParts {
  readonly recording: Recording;
  readonly aside: Aside;
  readonly append: Append;
  readonly move: (id: string, state: OperationState, appended: Appended) => void;
  readonly waitMs: number;
}

function outcomePart({ recording, aside, append, move, waitMs }: OutcomeParts): Pick<Journal, 'record' | 'merge'> {
  const { store, now } = recording;
  return {
    record: async (id, state, appended) => {
      try {
        waitingAtMost(store, waitMs, () => move(id, state, appended));
        return 'journal';
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        keepAside(aside, { ...appended, operationId: id, state, at: now() });
        return 'beside';
      }
    },
    merge: async () => {
      const files = keptFiles(aside.path);
      if (files.length === 0) return { count: 0, warnings: [] };
      const { mergeKept } = await import('./merge.ts');
      return waitingAtMost(store, waitMs, () => mergeKept(recording, append, aside, files));
    },
  };
}

type ChainPart = Pick<Journal, 'verify' | 'accept' | 'head' | 'requireLastLink'>;

function chainPart(store: Database, path: string, { host }: JournalWorld): ChainPart {
  return {
    verify: async (hash) => verifyChain(store, { hash, kept: keptHead(path) }),
    accept: async () => {
      const verified = verifyChain(store, {});
      if (!verified.problem) writeHead(path, lastHead(store), host.processId);
      return verified;
    },
    head: async () => lastHash(store, host.name),
    requireLastLink: async () => requireLastLink(store, host.name, keptHead(path)),
  };
}

function copyPart(store: Database, append: Append): Pick<Journal, 'exported' | 'importFrom' | 'backUp'> {
  return {
    exported: function* (withDigestKey) {
      store.exec('BEGIN');
      try {
        yield* exportedLines(store, { withDigestKey });
      } finally {
        store.exec('COMMIT');
      }
    },
    importFrom: async (lines, accounts) => {
      const { ImportError, importLines } = await import('./import.ts');
      const here = new Set(accounts.flatMap(namesOf));
      return append(() =>
        importLines(store, lines, (names) => {
          if (names.length > 0 && !names.some((name) => here.has(name)))
            throw new ImportError('it is the journal of another account: no profile here has one of its keys');
        }),
      );
    },
    backUp: async (path) => backUp(store, path),
  };
}

type ReadPart = Pick<Journal, 'accountIds' | 'count' | 'inDoubt' | 'list' | 'find' | 'isClaimed'>;

function readPart(store: Database): ReadPart {
  return {
    count: async () =>
      Number(store.get<{ count: bigint }>(`SELECT count FROM tally WHERE name = 'operations'`)?.count ?? 0n),
    inDoubt: async (profile) => {
      const sql = `SELECT count(*) AS count FROM operation WHERE profile = ? AND state IN ('sent', 'unknown')`;
      return Number(store.get<{ count: bigint }>(sql, profile)?.count ?? 0n);
    },
    list: async (selection) => listOperations(store, selection),
    accountIds: async (names) => accountIds(store, names),
    find: async (id) => findOperations(store, id),
    isClaimed: async (requestId, except) => isClaimed(store, requestId, except),
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
