import * as z from 'zod/mini';
import { modeForPeople, type Profile, resolveProfile, storedOrBuiltIn, storeFor } from '../../account/profile.ts';
import { isTrusted, profileNames, readProfile, untrustedCommand } from '../../account/stored-profile.ts';
import { openStore } from '../../account/stores/stores.ts';
import { CATEGORIES, CliError } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { World } from '../../base/world.ts';
import { ipAllowlist } from '../../contract/endpoints/allowlist.ts';
import { getPlatformPublicKey } from '../../contract/endpoints/management.ts';
import { fingerprint } from '../../crypto/digest.ts';
import type { Account } from '../../engine/account.ts';
import { entryAt } from '../../files/inspect.ts';
import { command } from '../../terminal/command.ts';
import { changing, switchOn } from '../../terminal/parse/parameters.ts';
import { choiceOf } from '../../terminal/show/chosen-profile.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { checked, type Finding, type NamedFinding, ok, problem, type Subject, skipped, typed } from './check.ts';
import { copyChecks, journalChecks, leftoversFinding, machineChecks, removeLeftFiles } from './machine.ts';
import { networkChecks } from './network.ts';
import { accountChecks } from './service.ts';

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
  parameters: { clean: changing(switchOn('--clean', 'first remove files left by killed commands, after asking')) },
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
