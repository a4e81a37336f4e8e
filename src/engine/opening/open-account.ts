import { oneAtATime } from '../../base/calls.ts';
import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import { type CallOptions, RESPONSE_NOT_DECRYPTED, requestIdOf } from '../../client/client.ts';
import { validRequest } from '../../client/request.ts';
import {
  consentsOf,
  type Endpoint,
  effectOf,
  type RequestWithoutConsent,
  type ResponseOf,
} from '../../contract/endpoint.ts';
import { getPlatformPublicKey } from '../../contract/endpoints/management.ts';
import type { Journal } from '../../journal/interface.ts';
import type { JournalLocation } from '../../journal/open.ts';
import { DatabaseError } from '../../sqlite/errors.ts';
import type { Account, AccountCallOptions, AccountReply, Activity } from '../account.ts';
import { connect, sendRequest } from '../connection/connect.ts';
import { journalLocationOf } from '../connection/journal-location.ts';
import type { AccountOptions, Notices } from '../connection/notices.ts';
import { createServiceTime } from '../connection/service-time.ts';
import { prepareRequest, warnOf } from '../requests.ts';
import { rulesOf } from '../rules/account-rules.ts';

interface GivenAccount extends Pick<Account, 'world' | 'profile' | 'globals' | 'command' | 'notices'> {
  /** The journal of another account's command, which closes it. */
  readonly journal?: Account['journal'];
}

/** An account, and how what it opened is closed. */
export interface OpenedAccount {
  readonly account: Account;
  close(): Promise<void>;
}

/** Opens an account for a command. Nothing is read before it is needed. */
export function openAccount({
  world,
  profile,
  globals,
  command,
  notices,
  journal: shared,
}: GivenAccount): OpenedAccount {
  const location = () => journalLocationOf(world, profile);
  const connection = openedOnUse(() => connect(world, profile, globals, notices.progress, ask));
  const own = openedOnUse(() => loadJournal(world, globals, notices, location()));
  const journal = shared ?? own.open;
  const { ask, ...time } = createServiceTime({
    world,
    profile,
    journal,
    say: notices.say,
    isShared: () => location().server !== undefined,
    read: async () => {
      // A plain dry run must work without a network.
      if (!globals.dryRun || globals.testsRules)
        await (await connection.open()).client.call(validRequest(getPlatformPublicKey, {}));
    },
  });
  const account: Account = {
    world,
    profile,
    globals,
    command,
    notices,
    time,
    journal,
    activity: {},
    rules: rulesOf(() => account),
    call: async (endpoint, input, options = {}) => {
      try {
        return await callOf(account, calling, endpoint, input, options);
      } catch (error) {
        if (!(error instanceof CliError) || error.code !== 'IP_BLOCKED' || options.totalMs !== undefined) throw error;
        throw await (await import('../evidence/allowlist.ts')).withOwnAddress(account, error);
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
  };
  const calling = { inTurn: oneAtATime() };
  return {
    account,
    close: async () => {
      await connection.close();
      await own.close();
    },
  };
}

/** Opens the journal, and records the spooled outcomes. Throws DatabaseError, and CliError usage. */
async function loadJournal(
  world: World,
  globals: AccountOptions,
  { say, note, isInteractive, askCode }: Notices,
  location: JournalLocation,
): Promise<Journal> {
  world.ensurePrivateDir(location.dir);
  // An embedded sandbox moves no money, and its first command should not start another program.
  if (!location.server && location.memory)
    await (await import('../connection/state-locks.ts')).requireLocks(world, location);
  const { openJournalAt } = await import('../../journal/open.ts');
  const journal = await openJournalAt(location, world, {
    warn: (text) => say(`warning: ${text}`),
    note,
    askCode: isInteractive ? askCode : undefined,
    limitMs: globals.timeoutMs,
  }).catch(async (error) => {
    if (error instanceof DatabaseError && error.problem === 'busy' && !location.server)
      await (await import('../connection/state-locks.ts')).requireLockable(world, location);
    throw error;
  });
  for (const warning of (await journal.merge()).warnings) await say(`warning: ${warning}`);
  return journal;
}

/** The endpoints whose response says which fintech the API key belongs to. FX names its customers in another way. Source: interface. */
const NAMES_FINTECH: readonly string[] = ['wallets.get-fintech', 'fees.get'];

interface Calling {
  /** Runs reads that may not take long one after the other, so that they share a connection. */
  inTurn<T>(read: () => Promise<T>): Promise<T>;
}

/** Notes that a read failed. */
function noteUnread(activity: Activity, error: unknown): void {
  activity.unread ??= error;
  if (error instanceof CliError && error.code === RESPONSE_NOT_DECRYPTED) activity.unopened ??= error;
}

async function callOf<E extends Endpoint>(
  account: Account,
  { inTurn }: Calling,
  endpoint: E,
  input: RequestWithoutConsent<E>,
  options: AccountCallOptions,
): Promise<AccountReply<ResponseOf<E>>> {
  const { activity, globals, world } = account;
  // Types cannot tell where the endpoint is known only when the command runs.
  if (consentsOf(endpoint, input).length > 0) throw new Error(`${endpoint.id} was called without consent`);
  const request = await prepareRequest(account, endpoint, input, options);
  const isRead = effectOf(endpoint, input) === 'read';
  const { agent } = account.globals;
  if (!isRead && agent !== undefined) (await import('../sending/agent.ts')).requireControl(agent, endpoint);
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
    ? await (await import('../sending/send.ts')).sendJournaled(account, {
        endpoint,
        input,
        // Summaries stand inside sentences, so they begin with a small letter.
        summary: endpoint.summary.charAt(0).toLowerCase() + endpoint.summary.slice(1),
        guard: options.guard,
        call,
      })
    : { reply: await call(options.isLate), operationId: undefined };
  if (!isRead && !options.isRecorded) activity.changed = { operationId, requestId: requestIdOf(endpoint, reply.data) };
  else if (isRead && !globals.dryRun && NAMES_FINTECH.includes(endpoint.id)) await learnFintech(account, reply.data);
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
    const { knownFintech } = await import('../../journal/known-fintech.ts');
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
