import { modeForPeople } from '../../account/mode.ts';
import { type Profile, storeFor } from '../../account/profile.ts';
import { isTrusted, profileNames, readProfile, untrustedCommand } from '../../account/stored-profile.ts';
import { openStore } from '../../account/stores/stores.ts';
import type { World } from '../../base/world.ts';
import { fingerprint } from '../../crypto/fingerprint.ts';
import { entryAt } from '../../files/inspect.ts';
import { shellWord } from '../../present/text.ts';
import type { Session } from '../../terminal/session.ts';
import { choiceOf } from '../../terminal/show/chosen-profile.ts';
import { type Check, type Finding, findingOf, ok, problem, type Subject, skipped, typed } from './check.ts';

/** Checks the profile and its key. `failure` is the error if no profile could be resolved. */
export async function profileChecks(subject: Subject, failure: unknown): Promise<Check[]> {
  const { session, profile } = subject;
  const fix = 'fiatrail profiles list';
  return [
    { check: 'profile', ...(await findingOf(() => profileFinding(session, profile, failure), fix)) },
    { check: 'profile files', ...(await findingOf(() => profileFilesFinding(session.world), fix)) },
    { check: 'key store', ...(await findingOf(() => storeFinding(session.world, profile), fix)) },
    { check: 'key', ...(await findingOf(() => keyFinding(subject), typed(subject, 'explain'))) },
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
  const place = (await openStore(world, settings)).place(stored.name, 'api-key');
  if (!isTrusted(settings)) throw untrustedCommand(stored.name);
  if (settings.kind === 'command') return ok(`the command ${place}`);
  return entryAt(place)
    ? ok(place)
    : problem('usage', `${place} does not exist`, `fiatrail profiles add ${shellWord(stored.name)} --key-stdin`);
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
