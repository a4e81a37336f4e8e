import { changeProfile } from '../../account/changes.ts';
import type { Session } from '../../terminal/session.ts';

/** Accepts plain responses again after the data of a sandbox was replaced, and with it the key that it sealed responses to. */
export async function acceptPlainResponses(session: Session): Promise<void> {
  const { stored } = session.profile;
  if (stored?.sealing !== 'require') return;
  await changeProfile(session.world, stored.name, (current) => ({ ...(current ?? stored), sealing: 'accept' }));
  await session.say(
    `warning: profile ${stored.name} accepts plain responses again; require encrypted ones with: fiatrail keys encryption enable`,
  );
}
