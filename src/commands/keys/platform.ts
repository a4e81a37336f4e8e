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

/** The service's key to seal requests to. Throws CliError. */
async function platformKeyNow(session: Session): Promise<string> {
  const { data } = await session.call(getPlatformPublicKey, {}, { isBeforehand: true });
  if (isKeyText(data.publicKey ?? '')) return (data.publicKey ?? '').toLowerCase();
  throw new CliError('network', 'the service’s public key is not 64 hexadecimal digits', { code: 'UNUSABLE_ANSWER' });
}

/**
 * The key to seal to: as it was accepted, or as it is met for the first time. Throws CliError declined when the service has
 * another one by now: a key that changes unannounced may be somebody else's.
 */
export async function acceptedPlatformKey(session: Session, { sealing }: StoredProfile): Promise<string> {
  const now = await platformKeyNow(session);
  if (sealing?.platformKey === undefined || sealing.platformKey === now) return now;
  throw new CliError('declined', 'the public key of the service is another one than was accepted; nothing was sent', {
    code: 'PLATFORM_KEY_CHANGED',
    hint: 'ask the service whether it changed its key; then accept it with: fiatrail keys platform --accept',
  });
}

export const platformCommand = command({
  words: ['keys', 'platform'],
  summary: 'Show the public key of the service, which requests can be sealed to',
  details:
    'An X25519 key of 64 hexadecimal digits, for crypto_box_seal of libsodium. It is no secret. With --accept requests are sealed to it from now on, where they are sealed.',
  examples: [
    'fiatrail keys platform',
    'fiatrail keys platform -o json --query publicKey',
    'fiatrail keys platform --accept',
  ],
  endpoints: [getPlatformPublicKey.id],
  parameters: { accept: switchOn('--accept', 'accept it in the place of the one that was accepted before') },
  run: async (session, { accept }) => {
    const stored = storedOrBuiltIn(session.profile);
    if (!accept || !stored)
      return outcomeOf(session, getPlatformPublicKey, await session.call(getPlatformPublicKey, {}));
    const now = await platformKeyNow(session);
    const before = stored.sealing?.platformKey;
    endDryRun(session, { profile: stored.name, acceptedBefore: before ?? null, publicKey: now });
    if (before !== now) {
      await confirmChange(session, {
        summary: `accept the public key of the service for ${stored.name}`,
        lines: [
          ['until now', before ?? 'none'],
          ['from now on', now],
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
