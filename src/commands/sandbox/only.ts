import { CliError } from '../../base/errors.ts';
import type { Session } from '../../cli/session.ts';

/** The controls exist only in a sandbox. Throws CliError usage. */
export function requireSandbox({ profile }: Session): void {
  if (profile.mode === 'live')
    throw new CliError('usage', `profile ${profile.name} is live, and a live account has no sandbox controls`, {
      hint: 'use --profile sandbox',
    });
}
