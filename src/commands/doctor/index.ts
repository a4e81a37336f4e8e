import * as z from 'zod/mini';
import { type Profile, resolveProfile, storeFor } from '../../account/profile.ts';
import { modeForPeople } from '../../account/service-address.ts';
import { isTrusted, profileNames, readProfile, untrustedCommand } from '../../account/stored-profile.ts';
import { openStore } from '../../account/stores/stores.ts';
import { CATEGORIES, CliError, ExchangeError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import { isLoopback, type ProxyChoice, proxyFor } from '../../client/proxy.ts';
import { ipAllowlist } from '../../contract/endpoints/allowlist.ts';
import { getPlatformPublicKey } from '../../contract/endpoints/management.ts';
import { fingerprint } from '../../crypto/digest.ts';
import { entryAt } from '../../files/inspect.ts';
import { shellWord } from '../../present/text.ts';
import { command } from '../../terminal/command.ts';
import type { Session } from '../../terminal/session.ts';
import { choiceOf } from '../../terminal/show/chosen-profile.ts';
import { accountChecks } from './account.ts';
import { type Check, checked, type Finding, ok, problem, type Subject, skipped, typed, warning } from './check.ts';
import { journalChecks, machineChecks } from './machine.ts';

const CONNECTION = 'check the address with: fiatrail explain';

/** Checks the connection to the service without sending a request. */
async function networkChecks({ session: { world, globals }, profile }: Subject): Promise<Check[]> {
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
async function profileChecks(subject: Subject, failure: unknown): Promise<Check[]> {
  const { session, profile } = subject;
  const fix = 'fiatrail profiles list';
  return [
    await checked('profile', () => profileFinding(session, profile, failure), fix),
    await checked('profile files', () => profileFilesFinding(session.world), fix),
    await checked('key store', () => storeFinding(session.world, profile), fix),
    await checked('key', () => keyFinding(subject), typed(subject, 'explain')),
  ];
}

function profileFinding(session: Session, profile: Profile | undefined, failure: unknown): Finding {
  if (!profile) throw failure;
  const { value, decidedBy } = choiceOf(session).decision;
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

const COLUMNS = [
  { field: 'check', title: 'Check' },
  { field: 'state', title: 'State' },
  { field: 'detail', title: 'Detail' },
  { field: 'fix', title: 'Fix' },
] as const;

/** Runs every check; later checks depend on earlier ones. */
async function allChecks(session: Session): Promise<Check[]> {
  let profile: Profile | undefined;
  let failure: unknown;
  try {
    profile = resolveProfile(session.globals.profile, session.world);
  } catch (error) {
    failure = error;
  }
  const subject: Subject = { session, profile };
  const [ofMachine, ofProfile] = [await machineChecks(subject), await profileChecks(subject, failure)];
  const isKeyThere = ofProfile.every(({ check, state }) => check !== 'key' || state !== 'problem');
  const ofNetwork = await networkChecks(subject);
  // After a failed handshake, nobody knows who would receive the key.
  const isUntrusted = ofNetwork.some(({ check, state }) => check === 'tls' && state === 'problem');
  const ofAccount = await accountChecks(subject, isUntrusted ? 'tls' : isKeyThere ? undefined : 'key');
  const isAccepted = ofAccount.some(({ check, state }) => check === 'key accepted' && state === 'ok');
  return [...ofMachine, ...ofProfile, ...ofNetwork, ...ofAccount, ...(await journalChecks(subject, isAccepted))];
}

/** The error to exit with: of several problems, the one with the highest exit code. */
function errorOf(checks: readonly Check[]): CliError | undefined {
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
  examples: ['fiatrail doctor', `fiatrail doctor --profile main -o json --query "checks[?state == 'problem'].fix"`],
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
  parameters: {},
  run: async (session) => {
    const checks = await allChecks(session);
    // Interrupted checks would look like problems.
    if (session.world.interrupted.aborted) throw new CliError('interrupted', 'interrupted');
    const error = errorOf(checks);
    const data = { checks: checks.map(({ check, state, detail, fix }) => ({ check, state, detail, fix })) };
    return { result: { data, lists: 'checks', columns: COLUMNS }, ...(error ? { error } : {}) };
  },
});

export const commands = [doctorCommand];
