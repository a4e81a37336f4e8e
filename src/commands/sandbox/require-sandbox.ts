import { CliError } from '../../base/errors.ts';
import type { Session } from '../../terminal/session.ts';

/** Throws CliError usage for a live profile, which has no sandbox controls. */
export function requireSandbox({ profile }: Session): void {
  if (profile.mode === 'live')
    throw new CliError('usage', `profile ${profile.name} is live; sandbox commands need a sandbox profile`, {
      hint: 'add --profile sandbox',
    });
}
