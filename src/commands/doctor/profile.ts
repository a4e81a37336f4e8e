import { modeForPeople } from '../../account/mode.ts';
import { type Profile, storeFor } from '../../account/profile.ts';
import { profileNames, readProfile } from '../../account/stored-profile.ts';
import { openStore } from '../../account/stores/stores.ts';
import type { World } from '../../base/world.ts';
import { choiceOf } from '../../cli/chosen-profile.ts';
import type { Session } from '../../cli/session.ts';
import { fingerprint } from '../../crypto/fingerprint.ts';
import { entryAt } from '../../files/inspect.ts';
import { shellWord } from '../../present/text.ts';
import { type Check, type Finding, looked, ok, problem, type Subject, skipped, typed } from './check.ts';

/** Which account is meant, and whether its key is there. `failure`: why it cannot be told. */
export async function profileChecks(subject: Subject, failure: unknown): Promise<Check[]> {
  const { session, profile } = subject;
  const fix = 'fiatrail profiles list';
  return [
    { check: 'profile', ...(await looked(() => profileFinding(session, profile, failure), fix)) },
    { check: 'profile files', ...(await looked(() => profileFilesFinding(session.world), fix)) },
    { check: 'key store', ...(await looked(() => storeFinding(session.world, profile), fix)) },
    { check: 'key', ...(await looked(() => keyFinding(subject), typed(subject, 'explain'))) },
  ];
}

function profileFinding(session: Session, profile: Profile | undefined, failure: unknown): Finding {
  if (!profile) throw failure;
  const { value, decidedBy } = choiceOf(session).decision;
  const address = profile.mode === 'embedded' ? '' : ` at ${profile.baseUrl}`;
  return ok(`${value} (${modeForPeople(profile.mode)})${address}, by ${decidedBy}`);
}

/** Those of other accounts too: each is broken until it is used. */
function profileFilesFinding(world: World): Finding {
  const names = profileNames(world);
  for (const name of names) readProfile(world, name);
  return ok(names.length === 1 ? '1 can be read' : `${names.length} can be read`);
}

const NO_ACCOUNT = 'it cannot be told which account is meant';

async function storeFinding(world: World, profile: Profile | undefined): Promise<Finding> {
  if (!profile) return skipped(NO_ACCOUNT);
  if (!profile.key) return skipped('the sandbox keeps its own key');
  const { stored } = profile;
  const settings = stored && storeFor(stored, 'api-key');
  if (!settings || settings.kind === 'environment') return ok('FIATRAIL_API_KEY');
  if (settings.kind === 'keyring') return keyringFinding(world, stored.name);
  const place = (await openStore(world, settings)).place(stored.name, 'api-key');
  if (settings.kind === 'command') return ok(`the command ${place}`);
  return entryAt(place)
    ? ok(place)
    : problem('usage', `${place} is not there`, `fiatrail profiles add ${shellWord(stored.name)} --key-stdin`);
}

const KEYRING_FIXES = {
  absent: 'npm install -g fiatrail --include=optional',
  'no-store': 'start one in a session with D-Bus, such as gnome-keyring-daemon --unlock',
  locked: 'unlock it with the program of your desktop',
  denied: 'allow fiatrail when the system asks',
  late: 'unlock it with the program of your desktop',
  failed: 'look at it with its own program',
} as const;

/** Asked again, whatever is remembered of it. */
async function keyringFinding(world: World, name: string): Promise<Finding> {
  const { forgetKeyring, probeKeyring } = await import('../../account/stores/keyring-store.ts');
  forgetKeyring(world);
  const state = await probeKeyring(world);
  if (state === 'ok') return ok('the key store of the system keeps and gives back');
  const file = `fiatrail profiles add ${shellWord(name)} --store file --key-stdin`;
  return problem(
    'usage',
    `the key store of the system cannot be used (${state})`,
    `${KEYRING_FIXES[state]}; or: ${file}`,
  );
}

async function keyFinding({ profile }: Subject): Promise<Finding> {
  if (!profile) return skipped(NO_ACCOUNT);
  if (!profile.key) return skipped('the sandbox keeps its own key');
  const key = await profile.key.load();
  return ok(`of a ${profile.mode} account, fingerprint ${fingerprint(key)}`);
}
