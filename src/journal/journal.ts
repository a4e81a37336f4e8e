import { advice } from '../base/advice.ts';
import { attempt, CliError } from '../base/errors.ts';
import type { Host } from '../base/world.ts';
import { shortHmac } from '../crypto/digest.ts';
import { DatabaseError } from '../sqlite/errors.ts';
import { accountIds, accountIn, forgetAccount, keyNameOf, knowsFintech, learnFintech, linkKeys } from './accounts.ts';
import { changeOfTables } from './altered.ts';
import { hashOfOne, NO_HASH } from './chain.ts';
import { claimIn, findConflict } from './claims.ts';
import {
  type Append,
  firstMissing,
  type Head,
  headFile,
  JOURNAL_CHANGED,
  lastHead,
  linkOf,
  type Recording,
  requireUnchanged,
  savedHeads,
  writeHead,
} from './entries.ts';
import { filesIn } from './files.ts';
import { type Baseline, type Intent, sweepOf } from './intent.ts';
import type { Journal } from './interface.ts';
import { type Memory, type Remembering, rememberingOf } from './memory.ts';
import { findOperations, listOperations, type Operation, openOperations, transitionsOf } from './operations.ts';
import { planRecords } from './plans.ts';
import { ServerError } from './postgres/errors.ts';
import {
  findRotation,
  moveRotation,
  openRotation,
  type RotationStage,
  recordRotation,
  recordsOf,
} from './rotations.ts';
import { sharedPart } from './shared.ts';
import { spentIn } from './spending.ts';
import { type Spool, spoolFiles, spoolOutcome } from './spool.ts';
import type { OperationState } from './states.ts';
import type { Queries, Row, Store } from './store.ts';
import type { EntryRow } from './tables.ts';
import { type Appended, claimRepeat, createOperation, type JournalWorld, noteSearch, tryMove } from './transitions.ts';

type ChainPart = Pick<Journal, 'id' | 'verify' | 'confirm' | 'wrong' | 'accept' | 'head' | 'requireLastLink'>;

/**
 * Whether the journal has the heads that were saved. If not, it was cut, and that must stay visible: no other head is saved. A file that
 * is not ours decides nothing here; the next command that sends money rejects it.
 */
async function hasSavedHeads(queries: Queries, files: readonly string[]): Promise<boolean> {
  const saved = attempt(() => savedHeads(files));
  return !(saved instanceof CliError) && (await firstMissing(queries, saved)) === undefined;
}

/**
 * Keeps a head. Of two processes, the slower may write the older head. That is harmless, because the journal contains every head. A
 * head that cannot be written is left out for the same reason.
 */
function saveHead(files: readonly string[], head: Head | undefined, processId: number): void {
  if (!head) return;
  for (const file of files) {
    try {
      writeHead(file, head, processId);
    } catch {
      // The transition is recorded; only the memory of it is older.
    }
  }
}

/** The codes of the errors for a damaged journal on a server, and for one that lacks entries that it had. */
const JOURNAL_DAMAGED = 'JOURNAL_DAMAGED';
const JOURNAL_CUT = 'JOURNAL_CUT';

/** Returns what checks a journal: that it is whole, and the one that it was. */
function chainPart(store: Store, { host: { processId } }: JournalWorld, memory: Remembering): ChainPart {
  return {
    id: () => store.id,
    verify: async (hash, counted) => {
      const { verifyChain } = await import('./verify.ts');
      const heads = savedHeads(memory.heads);
      return store.read((queries) => verifyChain(queries, { hash, heads }, counted));
    },
    confirm: async (account, hasIdempotencyKey) => {
      requireWritable(store);
      await memory.confirm(account, hasIdempotencyKey);
    },
    wrong: async (account) => {
      if (store.server && (await store.isReplaced())) return new ServerError('replaced', store.server.name);
      try {
        if (account) await memory.require(account);
        return undefined;
      } catch (error) {
        if (error instanceof CliError) return error;
        throw error;
      }
    },
    accept: async (account) => {
      const { verifyChain } = await import('./verify.ts');
      const { verified, last } = await store.read(async (queries) => ({
        verified: await verifyChain(queries, {}),
        last: await lastHead(queries),
      }));
      if (verified.problem) return verified;
      for (const file of memory.heads)
        if (file === headFile(store.path) || savedHeads([file]).length > 0) writeHead(file, last, processId);
      if (account) memory.accept(account);
      await store.accept();
      return verified;
    },
    head: () => store.read(lastHead),
    requireLastLink: async () => {
      try {
        // Before the transaction sees the journal: another process may add an entry meanwhile, and save it.
        const heads = savedHeads(memory.heads);
        await store.read((queries) => requireLastLink(queries, heads));
      } catch (error) {
        // Other hosts that share the journal cannot see that it lacks this host's entries.
        if (error instanceof CliError && error.code === JOURNAL_CUT) await store.distrust().catch(() => {});
        throw error;
      }
    },
  };
}

/**
 * Throws CliError usage if the last entry does not continue the one before it, if the tables are not those that reject what the entries do not
 * say, if the journal lacks a head that was saved, or if the operation of the last entry says anything else. The cost does not grow with the
 * journal.
 */
async function requireLastLink(queries: Queries, heads: readonly Head[]): Promise<void> {
  const [entries, tables] = await Promise.all([
    queries.all<EntryRow>('SELECT * FROM entry ORDER BY sequence DESC LIMIT 2'),
    changeOfTables(queries),
  ]);
  const [last, before] = entries;
  const row = last?.operation_id
    ? await queries.get<Row & { readonly id: string }>('SELECT * FROM operation WHERE id = ?', last.operation_id)
    : undefined;
  const isWhole = last && hashOfOne(before?.hash ?? NO_HASH, linkOf(last, row)) === last.hash;
  if (!isWhole || tables !== undefined)
    throw new CliError(
      'usage',
      `the journal of money operations was changed by something else${tables === undefined ? '' : `: ${tables}`}; nothing was sent`,
      {
        // Unknown outcomes are saved from a file alone.
        code: queries.engine === 'sqlite' ? JOURNAL_CHANGED : JOURNAL_DAMAGED,
        hint: advice`see what is wrong with: [fiatrail ops journal verify]`,
      },
    );
  if (await firstMissing(queries, heads))
    throw new CliError(
      'usage',
      'the journal of money operations is missing entries that it had before: it was cut, deleted or restored from an older copy; nothing was sent',
      {
        code: JOURNAL_CUT,
        hint: advice`put the newer file back; or compare with the service’s lists, then go on with this one: [fiatrail ops journal verify --accept]`,
      },
    );
  if (row) await requireUnchanged(queries, [row]);
}

/** How long the outcome of a request waits for another process's write, before it is spooled. */
const OUTCOME_WAIT_MS = 5_000;

export interface JournalOptions {
  readonly outcomeWaitMs?: number | undefined;
  /** What is known of the journal outside of it; undefined for an embedded sandbox, whose state is in the same folder. */
  readonly memory?: Memory | undefined;
  /** Shows a warning. */
  readonly warn?: ((text: string) => Promise<void>) | undefined;
  /** Shows a notice, which nobody needs who wants it quiet. */
  readonly note?: ((text: string) => Promise<void>) | undefined;
  /** Asks a person whether an account's first journal may be used. Throws CliError declined. Left out if nobody can be asked. */
  readonly askCode?: ((summary: string) => Promise<void>) | undefined;
}

/** Returns the journal in a store. */
export function journalIn(store: Store, world: JournalWorld, options: JournalOptions = {}): Journal {
  const { clock, ids, host } = world;
  const { outcomeWaitMs = OUTCOME_WAIT_MS } = options;
  const { memory: known, warn = async () => {}, note = async () => {}, askCode } = options;
  const { aheadMs } = store;
  const now = () => clock.now() + aheadMs();
  const memory = rememberingOf(store, { memory: known, unique: ids.uuid, warn, note, askCode });
  const claimFor = async (claimed: Pick<Intent, 'account' | 'idempotencyKey' | 'isSetting'>) => {
    // Before anything of the account is remembered beside the journal.
    requireWritable(store);
    await memory.claim(claimed.account, claimed.idempotencyKey !== undefined, claimed.isSetting === true);
  };
  const digest = (text: string) => shortHmac(store.digestKey, text);
  /** The journal's own clock, compared with the service's at the moment of the claim. */
  const withJournalClock = ({ baseline }: Intent): Baseline | undefined =>
    baseline?.hostAheadMs === undefined ? baseline : { ...baseline, journalAheadMs: baseline.hostAheadMs + aheadMs() };
  const isBusy = (operation: Operation) => isAtWork(operation, { ...host, name: store.host }, now());
  const claiming = { ids, host, digest, isBusy };
  const spool = { path: store.path, unique: ids.uuid, sign: digest };
  const saveHeads = (head: Head | undefined) => saveHead(memory.heads, head, host.processId);
  const append: Append = async (work, waitMs) => {
    const { result, head } = await store.write(async (queries) => {
      const recording: Recording = { queries, host: store.host };
      const [isWhole, result] = await Promise.all([hasSavedHeads(queries, memory.heads), work(recording)]);
      return { result, head: isWhole ? (recording.head ?? (await lastHead(queries))) : undefined };
    }, waitMs);
    saveHeads(head);
    return result;
  };
  return {
    ...rotationPart(store, world, append, { add: memory.add, claim: claimFor }),
    ...readPart(store),
    ...chainPart(store, world, memory),
    ...copyPart(store, append),
    ...sharedPart(store, append),
    plans: planRecords(store, append),
    files: filesIn(store, world, append),
    ...outcomePart({ spool, append, now, waitMs: outcomeWaitMs }),
    claim: async (intent, busyForMs) => {
      // The time limit is this host's: a shared journal has another clock.
      const passed = stopwatch(clock);
      await claimFor(intent);
      const claim = await append((recording) =>
        claimIn({ ...claiming, recording }, { ...intent, baseline: withJournalClock(intent) }, busyForMs),
      );
      return claim.kind === 'ours' ? { ...claim, isLate: () => passed() > claim.busyForMs } : claim;
    },
    findConflict: async (intent) => {
      // What cannot be recorded is not sent, so nothing needs to be asked or read for it.
      requireWritable(store);
      return store.read((queries) => findConflict({ ...claiming, recording: { queries, host: store.host } }, intent));
    },
    learnFintech: async (names, fintech) => {
      // A read that tells nothing new must not wait for a command that writes.
      const known = await store.read(async (queries) => {
        if (!(await knowsFintech(queries, names, fintech))) return undefined;
        return { head: (await hasSavedHeads(queries, memory.heads)) ? await lastHead(queries) : undefined };
      });
      // The caller will not ask again, and a journal without this head may lack it.
      if (known) saveHeads(known.head);
      else await append((recording) => learnFintech(recording, names, fintech, ids.uuid));
    },
    append: (id, state, appended = {}) => append((recording) => move(recording, id, state, appended)),
    ...unknownOutcomePart(clock, append),
    ...endPart(append, memory),
    digest,
    isBusy,
    aheadMs,
    isOwner: () => store.isOwner(),
    close: () => store.close(),
  };
}

/** A clock that goes back by more than this was set. */
const SET_BACK_MS = 1_000;

/**
 * Returns a function that measures the milliseconds since now: the larger of wall-clock and monotonic elapsed time.
 * A wall clock that was set back says nothing, so that more may have passed than anyone waits for.
 */
function stopwatch({ now, steadyMs = now }: JournalWorld['clock']): () => number {
  const [fromMs, fromSteadyMs] = [now(), steadyMs()];
  return () => {
    const wallMs = now() - fromMs;
    return wallMs < -SET_BACK_MS ? Infinity : Math.max(wallMs, steadyMs() - fromSteadyMs);
  };
}

async function move(recording: Recording, id: string, state: OperationState, appended: Appended): Promise<void> {
  if (!(await tryMove(recording, id, state, appended))) throw new Error(`operation ${id} cannot become ${state}`);
}

type UnknownOutcomePart = Pick<Journal, 'claimRepeat' | 'noteSearch' | 'take'>;

function unknownOutcomePart(clock: JournalWorld['clock'], append: Append): UnknownOutcomePart {
  return {
    claimRepeat: async (id, busyForMs) => {
      const passed = stopwatch(clock);
      const isOurs = await append((recording) => claimRepeat(recording, id, busyForMs));
      return isOurs ? { isLate: () => passed() > busyForMs } : undefined;
    },
    noteSearch: (id, noted) => append((recording) => noteSearch(recording, id, noted)),
    take: (id, found) =>
      append(
        async (recording) =>
          !(await isClaimed(recording.queries, found.requestId, id)) && tryMove(recording, id, 'accepted', found),
      ),
  };
}

function endPart(append: Append, memory: Remembering): Pick<Journal, 'ended' | 'destroyed'> {
  return {
    ended: ({ account, endpoints, requestId }, state, appended) =>
      append(async (recording) => {
        const ids = await accountIds(recording.queries, account);
        const found = await listOperations(recording.queries, { account: ids, requestId, limit: 10 });
        for (const { operationId, endpoint } of found)
          if (endpoints.includes(endpoint)) await tryMove(recording, operationId, state, { ...appended, requestId });
      }),
    destroyed: async (sandbox, names) => {
      memory.forgetFintechs();
      await append(async (recording) => {
        const { queries } = recording;
        for (const id of await openOperations(queries, { ...sandbox, accounts: await accountIds(queries, names) }))
          await tryMove(recording, id, 'resolved', { verdict: 'destroyed', detail: 'the sandbox was reset' });
        await forgetAccount(recording, names);
      });
    },
  };
}

type RotationMethods = Pick<Journal, 'prepareRotation' | 'moveRotation' | 'rotations'>;

/** Throws DatabaseError if the journal can only be read. */
function requireWritable({ unwritable }: Store): void {
  if (unwritable) throw unwritable;
}

function rotationPart(
  store: Store,
  { ids, host }: JournalWorld,
  append: Append,
  memory: Pick<Remembering, 'add'> & { claim(intent: Intent): Promise<void> },
): RotationMethods {
  return {
    rotations: recordsOf(store, append),
    prepareRotation: async (intent, rotation) => {
      await memory.claim(intent);
      return append(async (recording) => {
        const { queries } = recording;
        if (await openRotation(queries, intent)) return false;
        const { account } = await accountIn(recording, intent.account, ids.uuid);
        const ours = { runBy: host.user, processId: host.processId };
        await createOperation(recording, { ...intent, ...ours, account, id: rotation.operationId, inputDigest: '' });
        const { profile, baseUrl } = intent;
        await recordRotation(recording, { ...rotation, profile, baseUrl, stage: 'prepared', pushed: 0 });
        return true;
      });
    },
    moveRotation: (id, from, to, { detail, newFingerprint } = {}) => {
      if (newFingerprint !== undefined) memory.add(newFingerprint);
      return append(async (recording) => {
        const { queries } = recording;
        const isMoved = await moveRotation(recording, id, from, to);
        const old = (await findRotation(queries, id))?.oldFingerprint;
        if (old !== undefined && newFingerprint !== undefined) await linkKeys(recording, old, newFingerprint);
        const state = OPERATION_AFTER[to];
        // A closed operation is not changed.
        if (isMoved && state) await tryMove(recording, id, state, { detail });
        return isMoved;
      });
    },
  };
}

interface OutcomeParts {
  readonly spool: Spool;
  readonly append: Append;
  readonly now: () => number;
  readonly waitMs: number;
}

function outcomePart({ spool, append, now, waitMs }: OutcomeParts): Pick<Journal, 'record' | 'merge'> {
  return {
    record: async (id, state, appended) => {
      try {
        const isAppended = await append((recording) => tryMove(recording, id, state, appended), waitMs);
        return isAppended ? 'journal' : 'contradicted';
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        spoolOutcome(spool, { ...appended, operationId: id, state, at: now() });
        return 'spool';
      }
    },
    merge: async () => {
      const files = spoolFiles(spool.path);
      if (files.length === 0) return { count: 0, warnings: [] };
      const { mergeSpool } = await import('./merge.ts');
      return mergeSpool((work) => append(work, waitMs), spool, files);
    },
  };
}

function copyPart(store: Store, append: Append): Pick<Journal, 'exported' | 'importFrom' | 'backUp'> {
  return {
    exported: async function* (withDigestKey) {
      const { exportedLines } = await import('./export.ts');
      yield* pagesOf(store, (queries) => exportedLines(queries, { withDigestKey }));
    },
    importFrom: async (lines, accounts, head) => {
      const { ImportError, importLines } = await import('./import.ts');
      const here = new Set(accounts.map(keyNameOf));
      const requireKnown = (names: readonly string[]) => {
        if (names.length > 0 && !names.some((name) => here.has(name)))
          throw new ImportError('it is the journal of another account: no profile here has one of its keys');
      };
      return append((recording) => importLines(recording, lines, store.digestKey, requireKnown, head));
    },
    backUp: (path) => store.backUp(path),
  };
}

/** Yields pages that are read in one transaction, as slowly as they are taken. */
async function* pagesOf<T>(store: Store, read: (queries: Queries) => AsyncGenerator<T>): AsyncGenerator<T> {
  const started = Promise.withResolvers<Queries>();
  const taken = Promise.withResolvers<void>();
  const reading = store.read((queries) => {
    started.resolve(queries);
    return taken.promise;
  });
  reading.catch(started.reject);
  try {
    yield* read(await started.promise);
  } finally {
    taken.resolve();
    await reading;
  }
}

type ReadPart = Pick<
  Journal,
  'accountIds' | 'count' | 'unknownOutcomes' | 'list' | 'find' | 'transitions' | 'isClaimed' | 'spent' | 'sweepOf'
>;

function readPart({ read }: Store): ReadPart {
  const counted = async (sql: string, ...values: string[]) => {
    const row = await read((queries) => queries.get<{ count: bigint }>(sql, ...values));
    return Number(row?.count ?? 0n);
  };
  return {
    count: () => counted(`SELECT count FROM tally WHERE name = 'operations'`),
    unknownOutcomes: (profile) =>
      counted(`SELECT count(*) AS count FROM operation WHERE profile = ? AND state IN ('sent', 'unknown')`, profile),
    list: (selection) => read((queries) => listOperations(queries, selection)),
    accountIds: (names) => read((queries) => accountIds(queries, names)),
    find: (id) => read((queries) => findOperations(queries, id)),
    transitions: (id) => read((queries) => transitionsOf(queries, id)),
    sweepOf: (id) => read((queries) => sweepOf(queries, id)),
    isClaimed: (requestId, except) => read((queries) => isClaimed(queries, requestId, except)),
    spent: (names, spending, nowMs) =>
      read(async (queries) => spentIn(queries, await accountIds(queries, names), spending, nowMs)),
  };
}

async function isClaimed(queries: Queries, requestId: string, except: string): Promise<boolean> {
  const found = await listOperations(queries, { requestId, limit: 2 });
  return found.some(({ operationId }) => operationId !== except);
}

/** The operation's state after a rotation reaches a stage. */
const OPERATION_AFTER: Readonly<Partial<Record<RotationStage, OperationState>>> = {
  sending: 'sent',
  answered: 'accepted',
  lost: 'unknown',
  rejected: 'rejected',
  done: 'settled',
};

/** An operation of another host is at work until its time is over, because its process cannot be seen from here. */
function isAtWork({ state, host, processId, busyUntil, searchState }: Operation, here: Host, now: number): boolean {
  if ((state !== 'prepared' && state !== 'sent') || now > busyUntil) return false;
  // The process that sent it again is another one than that of the operation.
  if (searchState.repeatedAtMs !== undefined) return true;
  return host !== here.name || here.isRunning(processId);
}
