import { changeProfile } from '../../account/changes.ts';
import { storedOrBuiltIn } from '../../account/profile.ts';
import type { StoredProfile } from '../../account/stored-profile.ts';
import { CliError } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import { confirmChange } from '../../cli/confirm.ts';
import { endDryRun } from '../../cli/dry-run.ts';
import { switchOn } from '../../cli/parameters.ts';
import { outcomeOf, type Session } from '../../cli/session.ts';
import { getPlatformPublicKey } from '../../contract/endpoints/management.ts';
import { isKeyText } from '../../crypto/sealed-box.ts';

/** Reads the service's public key. Throws CliError. */
async function platformKeyNow(session: Session): Promise<string> {
  const { data } = await session.call(getPlatformPublicKey, {}, { isBeforehand: true });
  if (isKeyText(data.publicKey ?? '')) return (data.publicKey ?? '').toLowerCase();
  throw new CliError('network', 'the service’s public key is not 64 hexadecimal digits', { code: 'UNUSABLE_ANSWER' });
}

/**
 * Returns the key to seal requests to; the first one seen is accepted. Throws CliError declined if the service's key has
 * changed since: an unannounced change may mean an impostor.
 */
export async function acceptedPlatformKey(session: Session, { sealing }: StoredProfile): Promise<string> {
  const now = await platformKeyNow(session);
  if (sealing?.platformKey === undefined || sealing.platformKey === now) return now;
  throw new CliError('declined', 'the service’s public key is not the one this profile accepted; nothing was sent', {
    code: 'PLATFORM_KEY_CHANGED',
    hint: 'ask the service whether it changed its key, then accept it with: fiatrail keys platform --accept',
  });
}

export const platformCommand = command({
  words: ['keys', 'platform'],
  summary: 'Show or accept the service’s public key',
  details:
    'Requests can be sealed to this key, an X25519 key of 64 hexadecimal digits for libsodium’s crypto_box_seal. It is not a secret. With --accept, the profile uses it for sealed requests from now on.',
  examples: [
    'fiatrail keys platform',
    'fiatrail keys platform -o json --query publicKey',
    'fiatrail keys platform --accept',
  ],
  endpoints: [getPlatformPublicKey.id],
  parameters: { accept: switchOn('--accept', 'accept this key in place of the one accepted before') },
  run: async (session, { accept }) => {
    const stored = storedOrBuiltIn(session.profile);
    if (!accept || !stored)
      return outcomeOf(session, getPlatformPublicKey, await session.call(getPlatformPublicKey, {}));
    const now = await platformKeyNow(session);
    const before = stored.sealing?.platformKey;
    endDryRun(session, { profile: stored.name, acceptedBefore: before ?? null, publicKey: now });
    if (before !== now) {
      await confirmChange(session, {
        summary: `accept the service’s public key for profile ${stored.name}`,
        lines: [
          ['old key', before ?? 'none'],
          ['new key', now],
        ],
      });
      await changeProfile(session.world, stored.name, (kept) => {
        const base = kept ?? stored;
        return { ...base, sealing: { requests: false, ...base.sealing, platformKey: now } };
      });
    }
    return { result: { data: { publicKey: now, accepted: true } } };
  },
});
