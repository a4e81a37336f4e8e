import { CliError } from '../base/errors.ts';
import { zoneName } from '../base/zone.ts';
import { migrated, versionOf } from '../files/versioned-file.ts';
import { checkedServiceName, safeBaseUrl } from './service-address.ts';
import { PROFILE_FILE, profileName, type StoredProfile, type StoreSettings } from './stored-profile.ts';

/**
 * Serialises profiles for another machine. Profile files contain no secrets. Each user says whose signatures count, so operators stay, and
 * so do the decision for a journal in each state folder and what is copied of the account.
 */
export function writeExport(profiles: readonly StoredProfile[]): object {
  const shared = profiles.map(
    ({
      encryption,
      trustedRules: _,
      operators: _operators,
      independentJournal: _journal,
      mirror: _mirror,
      ...profile
    }) => ({
      ...profile,
      store: withoutTrust(profile.store),
      ...withoutOwnKey(encryption),
    }),
  );
  return { version: versionOf(PROFILE_FILE), profiles: shared };
}

/** A mark of trust holds on the machine where the user set it. */
function withoutTrust(store: StoreSettings): StoreSettings {
  return store.kind === 'command' ? { kind: 'command', command: store.command, isShell: store.isShell } : store;
}

/** Parses and validates an export; its key commands and weaker settings are not trusted, whatever the file says. Throws CliError usage that names the first problem. */
export function parseExport(text: string, from: string): StoredProfile[] {
  const refuse = (why: string) =>
    new CliError('usage', `${from} ${why}; nothing was added`, {
      hint: 'create an export with: fiatrail profiles export',
    });
  const content = json(text);
  const { version, profiles } = (content ?? {}) as { readonly version?: unknown; readonly profiles?: unknown };
  if (!Array.isArray(profiles)) throw refuse('is not an export of profiles');
  if (!isKnownVersion(version)) throw refuse('was made by another version of fiatrail');
  return profiles.map((each: unknown, index) => {
    const verdict = PROFILE_FILE.check(migrated(typeof each === 'object' ? { ...each } : {}, version, PROFILE_FILE));
    if ('wrong' in verdict) throw refuse(`is invalid at profiles[${index}] (${verdict.wrong})`);
    return imported(verdict.value);
  });
}

/** Returns a profile of an export without what it may not decide on this machine. Throws CliError usage. */
function imported({
  sealing,
  encryption,
  trustedRules: _,
  operators: _operators,
  independentJournal: _journal,
  mirror: _mirror,
  ...profile
}: StoredProfile): StoredProfile {
  const { name, baseUrl, serviceName, timeZone, store, mode } = profile;
  if (serviceName !== undefined) checkedServiceName(serviceName);
  if (timeZone !== undefined) zoneName(timeZone);
  const url = baseUrl ? { baseUrl: safeBaseUrl(baseUrl) } : {};
  // The sandbox of this machine has other keys.
  const sealed = mode === 'embedded' ? {} : { ...(sealing ? { sealing } : {}), ...withoutOwnKey(encryption) };
  return { ...profile, name: profileName(name), store: withoutTrust(store), ...url, ...sealed };
}

/** The public key is useless elsewhere: its private half stays on the machine that made it. */
function withoutOwnKey(encryption: StoredProfile['encryption']): Pick<StoredProfile, 'encryption'> {
  return encryption ? { encryption: { platformKey: encryption.platformKey, requests: encryption.requests } } : {};
}

function isKnownVersion(version: unknown): version is number {
  return Number.isInteger(version) && Number(version) >= 1 && Number(version) <= versionOf(PROFILE_FILE);
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
