import { completionCachePath, completionMarkPath } from '../account/paths.ts';
import type { Profile } from '../account/profile.ts';
import { profileFile } from '../account/stored-profile.ts';
import { CliError } from '../base/errors.ts';
import { oneAtATime } from '../base/one-at-a-time.ts';
import type { World } from '../base/world.ts';
import { ANSWER_NOT_OPENED, type CallOptions, requestIdOf } from '../client/client.ts';
import { validRequest } from '../client/request.ts';
import type { CompletionEntries } from '../contract/completion-entries.ts';
import {
  consentsOf,
  type Endpoint,
  effectOf,
  type RequestWithoutConsent,
  type ResponseOf,
} from '../contract/endpoint.ts';
import { getPlatformPublicKey } from '../contract/endpoints/management.ts';
import { sha256Hex } from '../crypto/digest.ts';
import { entryAt, stampOf } from '../files/inspect.ts';
import { readPrivateFile, replaceFileUnflushed } from '../files/private-file.ts';
import type { Journal } from '../journal/interface.ts';
import type { JournalLocation } from '../journal/open.ts';
import { DatabaseError } from '../sqlite/errors.ts';
import type { Account, AccountCallOptions, AccountReply } from './account.ts';
import type { Activity } from './activity.ts';
import { connect, sendRequest } from './connect.ts';
import { journalLocationOf } from './journal-location.ts';
import type { Notices } from './notices.ts';
import { prepareRequest, warnOf } from './requests.ts';
import { type IdempotencyKeyUse, rulesOf } from './rules/account-rules.ts';
import { createServiceTime } from './service-time.ts';

type GivenAccount = Notices &
  Pick<Account, 'profile' | 'commandLine' | 'inputName' | 'progress'> & {
    /** Whether the command has an idempotency key. */
    idempotencyKey(): IdempotencyKeyUse;
    /** The journal of another account's command, which closes it. */
    readonly journal?: Account['journal'];
  };

/** Opens an account for a command. Nothing is read before it is needed. */
export function createAccount({ idempotencyKey, journal: shared, ...given }: GivenAccount): Account {
  const { world, profile, globals, progress, say } = given;
  const location = () => journalLocationOf(world, profile);
  const connection = openedOnUse(() => connect(world, profile, globals, progress, ask));
  const own = openedOnUse(() => loadJournal(given, location()));
  const journal = shared ?? own.open;
  const { ask, ...time } = createServiceTime({
    ...{ world, profile, say, journal, isShared: () => location().server !== undefined },
    read: async () => {
      // A plain dry run must work without a network.
      if (!globals.dryRun || globals.testsRules)
        await (await connection.open()).client.call(validRequest(getPlatformPublicKey, {}));
    },
  });
  const account: Account = {
    ...given,
    time,
    journal,
    activity: {},
    rules: rulesOf(() => ({ ...account, idempotencyKey: idempotencyKey() })),
    call: async (endpoint, input, options = {}) => {
      try {
        return await callOf(account, calling, endpoint, input, options);
      } catch (error) {
        if (!(error instanceof CliError) || error.code !== 'IP_BLOCKED' || options.totalMs !== undefined) throw error;
        throw await (await import('./allowlist.ts')).withOwnAddress(account, error);
      }
    },
    connection: async (endpoint) => {
      const opened = await connection.open();
      const isChecked = endpoint && endpoint.id !== getPlatformPublicKey.id && endpoint.area !== 'control';
      if (isChecked) await opened.requirePlatformKey();
      return opened;
    },
    accountNames: async () => ({
      keyFingerprint: (await connection.open()).keyFingerprint(),
      profile: profile.name,
      baseUrl: profile.baseUrl,
    }),
    ...operatorsOf(() => account),
    existingJournal: async () => (location().server || entryAt(location().path) ? journal() : undefined),
    close: async () => {
      await memory.flush();
      await connection.close();
      await own.close();
    },
  };
  const memory = createMemory(given, profile, account.accountNames);
  const calling = { remember: memory.note, inTurn: oneAtATime() };
  return account;
}

/** Opens the journal, and records the spooled outcomes. Throws DatabaseError, and CliError usage. */
async function loadJournal(
  { world, say, note, globals, isInteractive, askCode }: Notices,
  location: JournalLocation,
): Promise<Journal> {
  world.ensurePrivateDir(location.dir);
  // An embedded sandbox moves no money, and its first command should not start another program.
  if (!location.server && location.memory) await (await import('./state-locks.ts')).requireLocks(world, location);
  const { openJournalAt } = await import('../journal/open.ts');
  const journal = await openJournalAt(location, world, {
    warn: (text) => say(`warning: ${text}`),
    note,
    askCode: isInteractive ? askCode : undefined,
    limitMs: globals.timeoutMs,
  }).catch(async (error) => {
    if (error instanceof DatabaseError && error.problem === 'busy' && !location.server)
      await (await import('./state-locks.ts')).requireLockable(world, location);
    throw error;
  });
  for (const warning of (await journal.merge()).warnings) await say(`warning: ${warning}`);
  return journal;
}

function operatorsOf(account: () => Account): Pick<Account, 'operators' | 'warnOfChanges'> {
  let isWarned = false;
  const warnOfChanges = async () => {
    if (isWarned) return;
    isWarned = true;
    const { allOperatorLists, pendingForPeople } = await import('./plans/operator-list.ts');
    for (const { pending } of await allOperatorLists(await account().existingJournal()))
      if (pending) await account().say(`warning: ${pendingForPeople(pending)}`);
  };
  return {
    warnOfChanges,
    operators: async () => {
      const { operatorListOf } = await import('./plans/operator-list.ts');
      await warnOfChanges();
      return operatorListOf(account());
    },
  };
}

/** The endpoints whose response says which fintech the API key belongs to. FX names its customers in another way. Source: interface. */
const NAMES_FINTECH: readonly string[] = ['wallets.get-fintech', 'fees.get'];

interface Calling {
  remember(endpoint: Endpoint, data: unknown): Promise<void>;
  /** Runs reads that may not take long one after the other, so that they share a connection. */
  inTurn<T>(read: () => Promise<T>): Promise<T>;
}

/** Notes that a read failed. */
function noteUnread(activity: Activity, error: unknown): void {
  activity.unread ??= error;
  if (error instanceof CliError && error.code === ANSWER_NOT_OPENED) activity.unopened ??= error;
}

async function callOf<E extends Endpoint>(
  account: Account,
  { remember, inTurn }: Calling,
  endpoint: E,
  input: RequestWithoutConsent<E>,
  options: AccountCallOptions,
): Promise<AccountReply<ResponseOf<E>>> {
  const { activity, globals, world } = account;
  // Types cannot tell where the endpoint is known only when the command runs.
  if (consentsOf(endpoint, input).length > 0) throw new Error(`${endpoint.id} was called without consent`);
  const request = await prepareRequest(account, endpoint, input, options);
  const isRead = effectOf(endpoint, input) === 'read';
  const send = (limits: CallOptions) =>
    sendRequest(account, request, { ...options, ...limits }).catch((error) => {
      noteUnread(activity, error);
      throw error;
    });
  const call = (isLate?: () => boolean) => {
    const { totalMs } = options;
    if (totalMs === undefined) return send({ isLate });
    const untilMs = world.clock.now() + totalMs;
    return inTurn(() => send({ isLate, totalMs: Math.max(1, untilMs - world.clock.now()) }));
  };
  // A verification costs money and has an end, so the journal follows it like a movement of money.
  const isFollowed = !isRead && endpoint.starts !== undefined && !options.isRecorded;
  const { reply, operationId } = isFollowed
    ? await (await import('./send.ts')).sendJournaled(account, {
        ...{ endpoint, input, summary: endpoint.summary, guard: undefined, call },
      })
    : { reply: await call(options.isLate), operationId: undefined };
  if (!isRead && !options.isRecorded) activity.changed = { operationId, requestId: requestIdOf(endpoint, reply.data) };
  else if (isRead && !globals.dryRun) {
    if (NAMES_FINTECH.includes(endpoint.id)) await learnFintech(account, reply.data);
    await remember(endpoint, reply.data);
  }
  await warnOf(account, reply, isRead);
  return { ...reply, request: input };
}

/** Opens a resource on first use, and closes it only if it was opened. */
function openedOnUse<T extends { close(): unknown }>(start: () => Promise<T>) {
  let opened: Promise<T> | undefined;
  return {
    open: () => {
      opened ??= start();
      return opened;
    },
    close: async () => {
      // A failure to open was reported to the caller that opened it.
      await opened?.then(
        (each) => each.close(),
        () => {},
      );
    },
  };
}

/** Collects entries for the completion cache, and writes them in batches. */
interface CompletionMemory {
  /** Notes the response of a read. */
  note(endpoint: Endpoint, data: unknown): Promise<void>;
  /** Writes what was noted. Call it when everything has been printed. Never fails. */
  flush(): Promise<void>;
}

/** A long list is written in batches of this size. */
const MAX_NOTED = 5_000;

/** Opens the memory of a command. `account` is called only if there is something to write. */
function createMemory(
  { world, globals, say }: Notices,
  profile: Profile,
  account: () => Promise<{ readonly keyFingerprint: string }>,
): CompletionMemory {
  const startedUs = world.clock.now() * 1000;
  let noted: CompletionEntries[] = [];
  let [before, count] = [0, 0];
  const flush = async () => {
    if (noted.length === 0) return;
    const [all, firstUs] = [noted, startedUs - before];
    noted = [];
    before += count;
    count = 0;
    try {
      const { keyFingerprint } = await account();
      if (isStored(world, profile, keyFingerprint, all)) return;
      const { storeEntries } = await import('../account/completion-cache.ts');
      await storeEntries(world, { keyFingerprint, profile }, all, firstUs);
      noteStored(world, profile, keyFingerprint, all);
    } catch (error) {
      if (globals.verbose) await say(`the completion cache could not be updated (${String(error)})`);
    }
  };
  return {
    note: async (endpoint, data) => {
      // Completion reads an embedded sandbox directly.
      if (profile.mode === 'embedded') return;
      const { completionEntriesIn } = await import('../contract/completion-entries.ts');
      const found = completionEntriesIn(endpoint, data);
      if (!found || (found.entries.length === 0 && found.whole.length === 0)) return;
      noted.push(found);
      count += found.entries.length;
      if (count >= MAX_NOTED) await flush();
    },
    flush,
  };
}

/** How long what was written last is not written again. */
const STORED_MS = 3_600_000;

/** Whether the completion cache has just these entries from the last write, so that it need not be opened. */
function isStored(world: World, ...written: Written): boolean {
  const [at = '', ...rest] = (readPrivateFile(completionMarkPath(world)) ?? '').split('\n');
  const ageMs = world.clock.now() - Number(at);
  return ageMs >= 0 && ageMs < STORED_MS && rest.join('\n') === markOf(world, ...written);
}

function noteStored(world: World, ...written: Written): void {
  const mark = markOf(world, ...written);
  if (mark === undefined) return;
  replaceFileUnflushed(completionMarkPath(world), `${world.clock.now()}\n${mark}`, world.ids.uuid());
}

type Written = [profile: Profile, keyFingerprint: string, entries: readonly CompletionEntries[]];

/** Identifies a write and the file after it; undefined without a file. */
function markOf(world: World, { name, baseUrl }: Profile, ...written: [string, unknown]): string | undefined {
  const stamp = stampOf(completionCachePath(world));
  const all = [name, baseUrl, stampOf(profileFile(world, name)) ?? '', ...written];
  return stamp && `${stamp}\n${sha256Hex(JSON.stringify(all))}`;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns the fintech id in a response; undefined if it has none, or one that may not be unique. */
function fintechIdIn(data: unknown): string | undefined {
  const { fintechId } = (data ?? {}) as { readonly fintechId?: unknown };
  return typeof fintechId === 'string' && UUID.test(fintechId) ? fintechId : undefined;
}

type Learning = Pick<Account, 'world' | 'profile' | 'accountNames'> & {
  journal(): Promise<Pick<Journal, 'learnFintech'>>;
};

/** Tells the journal which fintech a key belongs to, if a response says so and the journal does not know it yet. */
async function learnFintech(learning: Learning, data: unknown): Promise<void> {
  const { world, profile, accountNames, journal } = learning;
  const id = fintechIdIn(data);
  // An embedded sandbox has only one key.
  if (id === undefined || profile.mode === 'embedded') return;
  try {
    const { knownFintech } = await import('../journal/known-fintech.ts');
    const names = await accountNames();
    const fintech = { id, isLive: profile.mode === 'live' };
    const known = knownFintech(journalLocationOf(world, profile), names, fintech);
    if (known.isKnown()) return;
    await (await journal()).learnFintech(names, fintech);
    known.save(world.ids.uuid());
  } catch {
    // A journal that cannot be written does not make a read fail: until the next one, the account is known by its key only.
  }
}
