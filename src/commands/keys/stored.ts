import { storedOrBuiltIn } from '../../account/profile.ts';
import type { StoredProfile } from '../../account/stored-profile.ts';
import { CliError } from '../../base/errors.ts';
import type { Session } from '../../terminal/session.ts';

/** Returns the stored profile to change. Throws CliError usage for a profile from the environment, which stores nothing. */
export function requireStored({ profile }: Session): StoredProfile {
  const stored = storedOrBuiltIn(profile);
  if (stored) return stored;
  throw new CliError('usage', 'an account set by FIATRAIL_BASE_URL and FIATRAIL_API_KEY cannot store keys', {
    code: 'NO_PROFILE',
    hint: 'add a profile for it with: fiatrail profiles add NAME --base-url URL --key-stdin',
  });
}
