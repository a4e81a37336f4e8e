import { CliError } from '../base/errors.ts';
import { versionOf } from '../files/versioned-file.ts';
import { safeBaseUrl } from './base-url.ts';
import { PROFILE_FILE, profileName, type StoredProfile } from './stored-profile.ts';

/** Serialises profiles for another machine. Profile files contain no secrets. */
export function writeExport(profiles: readonly StoredProfile[]): object {
  // The public key is useless elsewhere: its private half stays on this machine.
  const shared = profiles.map(({ sealing, ...profile }) => ({
    ...profile,
    ...(sealing ? { sealing: { platformKey: sealing.platformKey, requests: sealing.requests } } : {}),
  }));
  return { version: versionOf(PROFILE_FILE), profiles: shared };
}

/** Parses and validates an export. Throws CliError usage that names the first problem. */
export function parseExport(text: string, from: string): StoredProfile[] {
  const refuse = (why: string) =>
    new CliError('usage', `${from} ${why}; nothing was added`, {
      hint: 'create an export with: fiatrail profiles export',
    });
  const content = json(text);
  const { version, profiles } = (content ?? {}) as { readonly version?: unknown; readonly profiles?: unknown };
  if (!Array.isArray(profiles)) throw refuse('is not an export of profiles');
  if (version !== versionOf(PROFILE_FILE)) throw refuse('was made by another version of fiatrail');
  return profiles.map((each: unknown, index) => {
    const verdict = PROFILE_FILE.check({ ...(typeof each === 'object' ? each : {}), version });
    if ('wrong' in verdict) throw refuse(`is invalid at profiles[${index}] (${verdict.wrong})`);
    const { name, baseUrl } = verdict.value;
    return { ...verdict.value, name: profileName(name), ...(baseUrl ? { baseUrl: safeBaseUrl(baseUrl) } : {}) };
  });
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
