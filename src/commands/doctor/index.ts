import * as z from 'zod/mini';
import { sandboxPath } from '../../account/paths.ts';
import { modeForPeople, type Profile, resolveProfile, storedOrBuiltIn, storeFor } from '../../account/profile.ts';
import { encryptionKeysOf } from '../../account/profile-secrets.ts';
import { isTrusted, profileNames, readProfile, untrustedCommand } from '../../account/stored-profile.ts';
import { openStore } from '../../account/stores/stores.ts';
import { CATEGORIES, CliError, ExchangeError } from '../../base/errors.ts';
import type { HttpResponse, World } from '../../base/world.ts';
import type { Reply } from '../../client/client.ts';
import { isLoopback, type ProxyChoice, proxyFor } from '../../client/proxy.ts';
import { validRequest } from '../../client/request.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { ipAllowlist } from '../../contract/endpoints/allowlist.ts';
import { getPlatformPublicKey } from '../../contract/endpoints/management.ts';
import { fingerprint } from '../../crypto/digest.ts';
import { payloadIn } from '../../crypto/sealed-box.ts';
import type { Account } from '../../engine/account.ts';
import { connect } from '../../engine/connection/connect.ts';
import { existingJournal } from '../../engine/connection/journal-location.ts';
import { clockDifference, createServiceClock } from '../../engine/connection/service-time.ts';
import { accessOf, accessText } from '../../engine/evidence/allowlist.ts';
import { entryAt } from '../../files/inspect.ts';
import { shellWord } from '../../present/text.ts';
import { command } from '../../terminal/command.ts';
import { switchOn } from '../../terminal/parse/parameters.ts';
import { choiceOf } from '../../terminal/show/chosen-profile.ts';
import { stateError } from '../../terminal/show/failures.ts';
import type { Terminal } from '../../terminal/terminal.ts';
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
import { copyChecks, journalChecks, leftoversFinding, machineChecks, removeLeftFiles } from './machine.ts';

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
async function accountChecks(subject: Subject, failed: string | undefined): Promise<NamedFinding[]> {
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

const CONNECTION = 'check the address with: fiatrail explain';

/** Checks the connection to the service without sending a request. */
async function networkChecks({ account: { world, globals }, profile }: Subject): Promise<NamedFinding[]> {
  if (!profile || profile.mode === 'embedded') {
    const why = skipped(profile ? 'the embedded sandbox needs no network' : 'no profile could be resolved');
    return ['proxy', 'dns', 'tls'].map((check) => ({ check, ...why }));
  }
  const { baseUrl } = profile;
  const choice = () => proxyFor(baseUrl, world.env);
  const proxy = await checked('proxy', () => proxyFinding(baseUrl, choice()), 'unset HTTPS_PROXY HTTP_PROXY');
  // Do not connect past a broken proxy.
  const isBroken = proxy.state === 'problem';
  const isProxied = isBroken || choice().kind === 'proxy';
  const dns = () =>
    isProxied ? skipped('the proxy resolves the host') : dnsFinding(new URL(baseUrl), world, globals.timeoutMs);
  const tls = () => (isBroken ? skipped('see proxy') : tlsFinding(baseUrl, world, globals.timeoutMs));
  return [proxy, ...(await Promise.all([checked('dns', dns, CONNECTION), checked('tls', tls, CONNECTION)]))];
}

function proxyFinding(baseUrl: string, choice: ProxyChoice): Finding {
  if (choice.kind === 'proxy') return ok(`${choice.url.host}, from ${choice.variable}`);
  if (choice.kind === 'excepted') return ok(`none: excluded by ${choice.entry} in ${choice.variable}`);
  return ok(isLoopback(new URL(baseUrl).hostname) ? 'none: the address is on this machine' : 'none');
}

async function dnsFinding({ hostname }: URL, world: World, limitMs: number): Promise<Finding> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isLoopback(hostname)) return skipped('the address is on this machine');
  try {
    const addresses = await (await world.probe()).lookUp(host, limitMs);
    return ok(`${host} resolves to ${addresses.slice(0, 3).join(', ')}`);
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    return problem('network', `${host}: ${error.message}`, CONNECTION);
  }
}

const DAY_MS = 86_400_000;

/** Certificates are renewed well before this; one this close to expiry was probably forgotten. */
const FEW_DAYS = 14;

async function tlsFinding(baseUrl: string, world: World, limitMs: number): Promise<Finding> {
  if (!baseUrl.startsWith('https:')) return skipped('plain HTTP on this machine');
  try {
    const { distrust, validToMs, issuer } = await (await world.probe()).certificate(baseUrl, limitMs);
    if (distrust !== undefined)
      return problem('network', `the certificate issued by ${issuer} is not trusted (${distrust})`, trustFix(distrust));
    if (validToMs === undefined) return ok('trusted');
    const days = Math.floor((validToMs - world.clock.now()) / DAY_MS);
    const detail = `trusted, issued by ${issuer}, expires in ${days} days`;
    return days < FEW_DAYS ? warning(detail, 'tell the service that its certificate is about to expire') : ok(detail);
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    return problem('network', error.message, CONNECTION);
  }
}

function trustFix(code: string): string {
  if (/NOT_YET|EXPIRED/.test(code)) return 'correct the system clock; if it is right, tell the service';
  return 'if your organization issued the certificate, export NODE_EXTRA_CA_CERTS=FILE; otherwise do not use this connection';
}

/** Checks the profile and its key. `failure` is the error if no profile could be resolved. */
async function profileChecks(subject: Subject, failure: unknown): Promise<NamedFinding[]> {
  const { account, profile } = subject;
  const fix = 'fiatrail profiles list';
  return [
    await checked('profile', () => profileFinding(subject, profile, failure), fix),
    await checked('profile files', () => profileFilesFinding(account.world), fix),
    await checked('leftovers', () => leftoversFinding(account.world), 'fiatrail doctor --clean'),
    await checked('key store', () => storeFinding(account.world, profile), fix),
    await checked('key', () => keyFinding(subject), typed(subject, 'explain')),
    await checked('approver key', () => approverKeyFinding(subject), typed(subject, 'profiles approvers list')),
  ];
}

function profileFinding({ account, typedProfile }: Subject, profile: Profile | undefined, failure: unknown): Finding {
  if (!profile) throw failure;
  const { value, decidedBy } = choiceOf(account, typedProfile).decision;
  const address = profile.mode === 'embedded' ? '' : ` at ${profile.baseUrl}`;
  return ok(`${value} (${modeForPeople(profile.mode)})${address}, from ${decidedBy}`);
}

/** Checks the files of all profiles, so that a damaged one is found before it is needed. */
function profileFilesFinding(world: World): Finding {
  const names = profileNames(world);
  for (const name of names) readProfile(world, name);
  return ok(names.length === 1 ? '1 readable' : `${names.length} readable`);
}

const NO_PROFILE = 'no profile could be resolved';

async function storeFinding(world: World, profile: Profile | undefined): Promise<Finding> {
  if (!profile) return skipped(NO_PROFILE);
  if (!profile.key) return skipped('the embedded sandbox stores its own key');
  const { stored } = profile;
  const settings = stored && storeFor(stored, 'api-key');
  if (!settings || settings.kind === 'environment') return ok('FIATRAIL_API_KEY');
  if (settings.kind === 'keyring') return keyringFinding(world, stored.name);
  const location = (await openStore(world, settings)).location(stored.name, 'api-key');
  if (!isTrusted(settings)) throw untrustedCommand(stored.name);
  if (settings.kind === 'command') return ok(`the command ${location}`);
  return entryAt(location)
    ? ok(location)
    : problem('usage', `${location} does not exist`, `fiatrail profiles add ${shellWord(stored.name)} --key-stdin`);
}

const KEYRING_FIXES = {
  absent: 'npm install -g fiatrail --include=optional',
  'no-store': 'start a keychain in a D-Bus session, for example with gnome-keyring-daemon --unlock',
  locked: 'unlock it with your desktop’s keychain app',
  denied: 'allow access when the system prompts for it',
  late: 'unlock it with your desktop’s keychain app',
  failed: 'check it with your desktop’s keychain app',
} as const;

/** Probes the keychain again, ignoring the cached result. */
async function keyringFinding(world: World, name: string): Promise<Finding> {
  const { forgetKeyring, probeKeyring } = await import('../../account/stores/keyring-store.ts');
  forgetKeyring(world);
  const state = await probeKeyring(world);
  if (state === 'ok') return ok('the system keychain works');
  const file = `fiatrail profiles add ${shellWord(name)} --store file --key-stdin`;
  return problem('usage', `the system keychain cannot be used (${state})`, `${KEYRING_FIXES[state]}; or: ${file}`);
}

async function keyFinding({ profile }: Subject): Promise<Finding> {
  if (!profile) return skipped(NO_PROFILE);
  if (!profile.key) return skipped('the embedded sandbox stores its own key');
  const key = await profile.key.load();
  return ok(`${profile.mode} key, fingerprint ${fingerprint(key)}`);
}

async function approverKeyFinding({ profile, account }: Subject): Promise<Finding> {
  const stored = profile && storedOrBuiltIn(profile);
  if (!stored) return skipped(profile ? 'an account from the environment has no approvers' : NO_PROFILE);
  const { ownPublicKey } = await import('../../account/approvers.ts');
  const publicKey = await ownPublicKey(account.world, stored);
  return ok(publicKey === undefined ? 'none' : `public key ${publicKey}`);
}

const COLUMNS = [
  { field: 'check', title: 'Check' },
  { field: 'state', title: 'State' },
  { field: 'detail', title: 'Detail' },
  { field: 'fix', title: 'Fix' },
] as const;

/** Runs every check; later checks depend on earlier ones. */
async function allChecks(account: Account, terminal: Terminal): Promise<NamedFinding[]> {
  let profile: Profile | undefined;
  let failure: unknown;
  try {
    profile = resolveProfile(terminal.globals.profile, account.world);
  } catch (error) {
    failure = error;
  }
  const subject: Subject = { account, profile, typedProfile: terminal.globals.profile };
  const [ofMachine, ofProfile] = [await machineChecks(subject), await profileChecks(subject, failure)];
  const isKeyThere = ofProfile.every(({ check, state }) => check !== 'key' || state !== 'problem');
  const ofNetwork = await networkChecks(subject);
  // After a failed handshake, nobody knows who would receive the key.
  const isUntrusted = ofNetwork.some(({ check, state }) => check === 'tls' && state === 'problem');
  const ofAccount = await accountChecks(subject, isUntrusted ? 'tls' : isKeyThere ? undefined : 'key');
  const isAccepted = ofAccount.some(({ check, state }) => check === 'key accepted' && state === 'ok');
  return [
    ...ofMachine,
    ...ofProfile,
    ...ofNetwork,
    ...ofAccount,
    ...(await journalChecks(subject, isAccepted)),
    ...(await copyChecks(subject)),
  ];
}

/** The error to exit with: of several problems, the one with the highest exit code. */
function errorOf(checks: readonly NamedFinding[]): CliError | undefined {
  const problems = checks.filter(({ state }) => state === 'problem');
  const [worst] = problems
    .map(({ category = 'usage' }) => category)
    .sort((one, other) => CATEGORIES[other].exit - CATEGORIES[one].exit);
  if (!worst) return undefined;
  const names = problems.map(({ check }) => check).join(', ');
  return new CliError(worst, `${problems.length === 1 ? '1 problem' : `${problems.length} problems`}: ${names}`, {
    code: 'PROBLEMS_FOUND',
    hint: problems[0]?.fix ?? undefined,
  });
}

const doctorCommand = command({
  words: ['doctor'],
  summary: 'Diagnose problems and show the command that fixes each',
  details:
    'Checks this machine, the profile, its key, the network and the account. Sends only reads. Exits with 0 if nothing is worse than a warning, otherwise with the highest exit code among the problems: 2 for this machine and its settings, 4 for the key and the allowlist, 5 for the network, 8 for an unfinished key rotation, 9 for a public key of the service that was not accepted.',
  examples: [
    'fiatrail doctor',
    'fiatrail doctor --clean',
    `fiatrail doctor --profile main -o json --query "checks[?state == 'problem'].fix"`,
  ],
  endpoints: [getPlatformPublicKey.id, ipAllowlist.id],
  prints: () =>
    z.object({
      checks: z.array(
        z.object({
          check: z.string(),
          state: z.enum(['ok', 'warning', 'problem', 'skipped']),
          detail: z.string(),
          fix: z.nullable(z.string()),
        }),
      ),
    }),
  isLocal: true,
  findsProfile: true,
  parameters: { clean: switchOn('--clean', 'first remove files left by killed commands, after asking') },
  run: async (account, terminal, { clean }) => {
    if (clean) await removeLeftFiles(account, terminal);
    const checks = await allChecks(account, terminal);
    // Interrupted checks would look like problems.
    if (account.world.interrupted.aborted) throw new CliError('interrupted', 'interrupted');
    const error = errorOf(checks);
    const data = { checks: checks.map(({ check, state, detail, fix }) => ({ check, state, detail, fix })) };
    return { result: { data, lists: 'checks', columns: COLUMNS }, ...(error ? { error } : {}) };
  },
});

export const commands = [doctorCommand];
