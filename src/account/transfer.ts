import { CliError } from '../base/errors.ts';
import { versionOf } from '../files/versioned-file.ts';
import { safeBaseUrl } from './base-url.ts';
import { PROFILE_FILE, profileName, type StoredProfile } from './stored-profile.ts';

/** Profiles as one machine gives them to another: no secret is among what is kept in a profile's file. */
export function writeExport(profiles: readonly StoredProfile[]): object {
  // What this machine's private key opens is of no use on another one.
  const shared = profiles.map(({ sealing, ...profile }) => ({
    ...profile,
    ...(sealing ? { sealing: { platformKey: sealing.platformKey, requests: sealing.requests } } : {}),
  }));
  return { version: versionOf(PROFILE_FILE), profiles: shared };
}

/** The profiles of an export, all of them sound. Throws CliError usage naming what is wrong. */
export function parseExport(text: string, from: string): StoredProfile[] {
  const refuse = (why: string) =>
    new CliError('usage', `${from} ${why}; nothing was added`, { hint: 'make it with: fiatrail profiles export' });
  const content = json(text);
  const { version, profiles } = (content ?? {}) as { readonly version?: unknown; readonly profiles?: unknown };
  if (!Array.isArray(profiles)) throw refuse('is no export of profiles');
  if (version !== versionOf(PROFILE_FILE)) throw refuse('was made by another version of fiatrail');
  return profiles.map((each: unknown, index) => {
    const verdict = PROFILE_FILE.check({ ...(typeof each === 'object' ? each : {}), version });
    if ('wrong' in verdict) throw refuse(`is damaged at profiles[${index}].${verdict.wrong}`);
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
