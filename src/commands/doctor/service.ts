import { sandboxPath } from '../../account/paths.ts';
import { type Profile, storedOrBuiltIn } from '../../account/profile.ts';
import { encryptionKeysOf } from '../../account/profile-secrets.ts';
import { CliError } from '../../base/errors.ts';
import type { HttpResponse } from '../../base/world.ts';
import type { Reply } from '../../client/client.ts';
import { validRequest } from '../../client/request.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { ipAllowlist } from '../../contract/endpoints/allowlist.ts';
import { getPlatformPublicKey } from '../../contract/endpoints/management.ts';
import { payloadIn } from '../../crypto/sealed-box.ts';
import type { Account } from '../../engine/account.ts';
import { connect } from '../../engine/connection/connect.ts';
import { existingJournal } from '../../engine/connection/journal-location.ts';
import { clockDifference, createServiceClock } from '../../engine/connection/service-time.ts';
import { accessOf, accessText } from '../../engine/evidence/allowlist.ts';
import { entryAt } from '../../files/inspect.ts';
import { stateError } from '../../terminal/show/failures.ts';
import {
  checked,
  type Finding,
  type NamedFinding,
  ok,
  problem,
  problemOf,
  type Subject,
  skipped,
  typed,
  warning,
} from './check.ts';

/** Time limit for one read, including retries. */
const READ_MS = 10_000;

type ReadResult<E extends typeof getPlatformPublicKey | typeof ipAllowlist> =
  | { readonly data: ResponseOf<E> }
  | { readonly error: CliError };

/** The results of the two reads. */
interface Reads {
  readonly read: ReadResult<typeof getPlatformPublicKey>;
  /** Undefined if the first read got no response. */
  readonly access: ReadResult<typeof ipAllowlist> | undefined;
  /** The first raw response. */
  readonly first: HttpResponse | undefined;
  /** How far the system clock is ahead of the service's; undefined if no response said its time. */
  readonly aheadMs: number | undefined;
}

const NAMES = ['reachability', 'clock', 'key accepted', 'allowlist', 'encryption'] as const;

/** Checks the account with reads only. After a failed check (`failed`), such as that of the key, all of them are skipped. */
export async function accountChecks(subject: Subject, failed: string | undefined): Promise<NamedFinding[]> {
  const { account, profile } = subject;
  const all = (why: string) => NAMES.map((check) => ({ check, ...skipped(why) }));
  if (!profile) return all('no profile could be resolved');
  if (failed !== undefined) return all(`see ${failed}`);
  if (profile.mode === 'embedded' && !entryAt(sandboxPath(account.world)))
    return all('the sandbox is created on first use');
  const fix = typed(subject, 'status -v');
  try {
    const reads = await readAccount(subject, profile);
    const [reachable, clock, key, allowlist, encryption] = NAMES;
    const ofClock = () =>
      profile.mode === 'embedded'
        ? skipped('the embedded sandbox uses the system clock')
        : clockFinding(reads, subject);
    return await Promise.all([
      checked(reachable, () => reachabilityFinding(reads, profile, fix), fix),
      checked(clock, ofClock, fix),
      checked(key, () => keyAtService(reads, profile, fix), fix),
      checked(allowlist, () => accessFinding(reads, subject), fix),
      checked(encryption, () => encryptionFinding(reads, profile, subject), fix),
    ]);
  } catch (error) {
    const [first, ...others] = NAMES;
    return [
      { check: first, ...problemOf(stateError(error) ?? error, fix) },
      ...others.map((check) => ({ check, ...skipped(`see ${first}`) })),
    ];
  }
}

async function readAccount({ account: { world, globals, notices } }: Subject, profile: Profile): Promise<Reads> {
  let first: Reads['first'];
  const timeoutMs = Math.min(globals.timeoutMs, READ_MS);
  const serviceClock = createServiceClock(world.clock, profile.mode === 'live');
  const connection = await connect(world, profile, { ...globals, timeoutMs }, notices.progress, () => {
    const noteResponse = serviceClock.ask();
    return (response) => {
      first ??= response;
      noteResponse(response);
    };
  });
  const { client } = connection;
  try {
    const read = await attempted(client.call(validRequest(getPlatformPublicKey, {})));
    const aheadMs = serviceClock.hostAheadMs();
    if (!first) return { read, access: undefined, first, aheadMs };
    const access = await attempted(
      connection.requirePlatformKey().then(() => client.call(validRequest(ipAllowlist, { action: 'check' }))),
    );
    return { read, access, first, aheadMs };
  } finally {
    await connection.close();
  }
}

async function attempted<D>(reply: Promise<Reply<D>>): Promise<{ readonly data: D } | { readonly error: CliError }> {
  try {
    return { data: (await reply).data };
  } catch (error) {
    if (!(error instanceof CliError) || error.category === 'interrupted') throw error;
    return { error };
  }
}

const NO_RESPONSE = 'no response';

function reachabilityFinding({ first, read }: Reads, { mode, baseUrl }: Profile, fix: string): Finding {
  if (first) return ok(mode === 'embedded' ? 'the embedded sandbox responds' : `${baseUrl} responds`);
  return 'error' in read ? problemOf(read.error, fix) : problem('network', NO_RESPONSE, fix);
}

const MINUTE_MS = 60_000;

/** Responses take a while, and their Date header has whole seconds. */
const SKEW_WARNING_MS = 30_000;

/** Receivers reject webhooks older than this. Source: interface. */
const SKEW_PROBLEM_MS = 5 * MINUTE_MS;

const SET_CLOCK: Readonly<Record<string, string>> = {
  linux: 'sudo timedatectl set-ntp true',
  darwin: 'sudo sntp -sS time.apple.com',
  win32: 'w32tm /resync',
};

async function clockFinding({ first, aheadMs }: Reads, { account }: Subject): Promise<Finding> {
  if (!first) return skipped(NO_RESPONSE);
  if (aheadMs === undefined) return skipped('the response has no time');
  const detail = `the system clock is ${clockDifference(aheadMs)}`;
  const fix = SET_CLOCK[account.world.platform] ?? 'correct the system clock';
  if (Math.abs(aheadMs) > SKEW_PROBLEM_MS) return problem('usage', `${detail}; webhook verification will fail`, fix);
  if (Math.abs(aheadMs) > SKEW_WARNING_MS) return warning(detail, fix);
  const journalAheadMs = aheadMs + (await sharedAheadMs(account));
  if (Math.abs(journalAheadMs) <= SKEW_WARNING_MS) return ok('within 30 s of the service');
  return warning(
    `the clock of the journal’s server is ${clockDifference(journalAheadMs)}`,
    'correct the clock of the database server',
  );
}

/** How far the journal's clock is ahead of the system clock; 0 if it cannot be read, which another check says. */
async function sharedAheadMs(account: Account): Promise<number> {
  try {
    const journal = await existingJournal(account);
    await journal?.count();
    return journal?.aheadMs() ?? 0;
  } catch {
    return 0;
  }
}

function keyAtService({ read, first }: Reads, { stored }: Profile, fix: string): Finding {
  if (!first) return skipped(NO_RESPONSE);
  if ('data' in read) return ok('a read succeeded');
  if (stored?.encryptionPolicy === 'require' && !isEncrypted(first) && read.error.category === 'network')
    return skipped('see encryption');
  return isEncrypted(first) && read.error.category === 'network'
    ? skipped('see encryption')
    : problemOf(read.error, fix);
}

function accessFinding({ access }: Reads, subject: Subject): Finding {
  const add = typed(subject, 'ip add ADDRESS');
  if (!access) return skipped(NO_RESPONSE);
  if ('error' in access && access.error.code === 'PLATFORM_KEY_CHANGED') return skipped('see encryption');
  if ('error' in access) return problemOf(access.error, typed(subject, 'ip check'));
  const state = accessOf(access.data);
  const text = accessText(state);
  if (!state.isAllowed) return problem('auth', text, add);
  return state.total === 0 ? warning(text, add) : ok(text);
}

const isEncrypted = (first: Reads['first']) => first !== undefined && payloadIn(first.body) !== undefined;

async function encryptionFinding({ read, first }: Reads, profile: Profile, subject: Subject): Promise<Finding> {
  const { world } = subject.account;
  const stored = storedOrBuiltIn(profile);
  const { publicKey, platformKey } = stored?.encryption ?? {};
  const isRequired = stored?.encryptionPolicy === 'require';
  const keys = stored ? (await encryptionKeysOf(stored, world)).length : 0;
  const enable = typed(subject, 'keys encryption enable');
  if (publicKey !== undefined && keys === 0)
    return problem(
      'usage',
      'responses are encrypted with a key whose private key is not stored here',
      `${enable} --private-key-stdin --yes`,
    );
  if (!first) return skipped(NO_RESPONSE);
  if (isRequired && !isEncrypted(first))
    return problem(
      'network',
      'the response is not encrypted, and this profile requires it',
      typed(subject, 'keys encryption show'),
    );
  const storedKeys = `${keys} private ${keys === 1 ? 'key' : 'keys'} stored`;
  if ('error' in read)
    return isEncrypted(first)
      ? problem('network', `${read.error.message}; ${storedKeys}`, `${enable} --private-key-stdin --yes`)
      : skipped('see key accepted');
  if (platformKey !== undefined && read.data.publicKey?.toLowerCase() !== platformKey)
    return problem(
      'declined',
      'the service’s public key is not the one this profile accepted',
      typed(subject, 'keys platform accept --fingerprint FINGERPRINT'),
    );
  if (publicKey === undefined) return ok('off: responses are not encrypted');
  return isEncrypted(first)
    ? ok(`encrypted responses can be decrypted; ${storedKeys}`)
    : warning(`responses are not encrypted, although a key is registered; ${storedKeys}`, enable);
}
