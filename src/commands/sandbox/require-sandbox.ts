import { changeProfile } from '../../account/changes.ts';
import { CliError } from '../../base/errors.ts';
import type { Session } from '../../terminal/session.ts';

/** Throws CliError usage for a live profile, which has no sandbox controls. */
export function requireSandbox({ profile }: Session): void {
  if (profile.mode === 'live')
    throw new CliError('usage', `profile ${profile.name} is live; sandbox commands need a sandbox profile`, {
      hint: 'add --profile sandbox',
    });
}

/** Accepts plain responses again after the data of a sandbox was replaced, and with it the key that it sealed responses to. */
export async function acceptPlainResponses(session: Session): Promise<void> {
  const { stored } = session.profile;
  if (stored?.sealing !== 'require') return;
  await changeProfile(session.world, stored.name, (current) => ({ ...(current ?? stored), sealing: 'accept' }));
  await session.say(
    `warning: profile ${stored.name} accepts plain responses again; require encrypted ones with: fiatrail keys encryption enable`,
  );
}
