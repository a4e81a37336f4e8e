import { changeProfile } from '../../account/changes.ts';
import { CliError } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';

/** Throws CliError usage for a live profile, which has no sandbox controls. */
export function requireSandbox({ profile }: Account): void {
  if (profile.mode === 'live')
    throw new CliError('usage', `profile ${profile.name} is live; sandbox commands need a sandbox profile`, {
      hint: 'add --profile sandbox',
    });
}

/** Accepts plain responses again after the data of a sandbox was replaced, and with it the key that it encrypted responses to. */
export async function acceptPlainResponses(account: Account): Promise<void> {
  const { stored } = account.profile;
  if (stored?.encryptionPolicy !== 'require') return;
  await changeProfile(account.world, stored.name, (current) => ({
    ...(current ?? stored),
    encryptionPolicy: 'accept',
  }));
  await account.notices.say(
    `warning: profile ${stored.name} accepts plain responses again; require encrypted ones with: fiatrail keys encryption enable`,
  );
}
