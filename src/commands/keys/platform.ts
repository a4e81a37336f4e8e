import * as z from 'zod/mini';
import { changeProfile } from '../../account/changes.ts';
import { storedOrBuiltIn } from '../../account/profile.ts';
import type { StoredProfile } from '../../account/stored-profile.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { getPlatformPublicKey } from '../../contract/endpoints/management.ts';
import { publicKeyFingerprint } from '../../crypto/digest.ts';
import { isKeyText } from '../../crypto/sealed-box.ts';
import type { Account } from '../../engine/account.ts';
import { platformKeyChanged } from '../../engine/connection/connect.ts';
import { type Outcome, outcomeOf } from '../../engine/outcome.ts';
import { endDryRun } from '../../engine/requests.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import { option } from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** Returns the stored profile to change. Throws CliError usage for a profile from the environment, which stores nothing. */
export function requireStored({ profile }: Account): StoredProfile {
  const stored = storedOrBuiltIn(profile);
  if (stored) return stored;
  throw new CliError('usage', 'an account set by FIATRAIL_BASE_URL and FIATRAIL_API_KEY cannot store keys', {
    code: 'NO_PROFILE',
    hint: advice`add a profile for it with: [fiatrail profiles add NAME --base-url URL --key-stdin]`,
  });
}

/** Reads the service's public key. Throws CliError. */
async function platformKeyNow(account: Account): Promise<string> {
  const { data } = await account.call(getPlatformPublicKey, {}, { isBeforehand: true });
  if (isKeyText(data.publicKey ?? '')) return (data.publicKey ?? '').toLowerCase();
  throw new CliError('network', 'the service’s public key is not 64 hexadecimal digits', { code: 'UNUSABLE_RESPONSE' });
}

/**
 * Returns the key to encrypt requests with; the first one seen is accepted. Throws CliError declined if the service's key has
 * changed since: an unannounced change may mean an impostor.
 */
export async function acceptedPlatformKey(account: Account, { name, encryption }: StoredProfile): Promise<string> {
  const now = await platformKeyNow(account);
  if (encryption?.platformKey === undefined || encryption.platformKey === now) return now;
  throw platformKeyChanged(name);
}

/** A fingerprint as `keys platform show` prints it, or the key itself. */
function expectedKey(text: string): string {
  if (/^SHA256:[A-Za-z\d+/]{43}$/.test(text)) return text;
  if (isKeyText(text)) return publicKeyFingerprint(text);
  throw new CliError(
    'usage',
    'invalid fingerprint; expected SHA256: and 43 characters, or the 64 hexadecimal digits of the key',
    {
      hint: advice`see the format with: [fiatrail keys platform show]`,
    },
  );
}

/** Throws CliError unless the user has compared the key: on a terminal, or by its fingerprint. */
async function agreeToKey(
  account: Account,
  terminal: Terminal,
  stored: StoredProfile,
  now: string,
  expected: string | undefined,
) {
  const found = publicKeyFingerprint(now);
  if (expected === found) return;
  if (expected !== undefined) {
    throw new CliError(
      'declined',
      `the service’s public key has the fingerprint ${found}, not ${expected}; it was not accepted`,
      {
        code: 'PLATFORM_KEY_MISMATCH',
        hint: 'ask the service for the fingerprint of its key',
      },
    );
  }
  if (!account.notices.isInteractive || terminal.globals.yes) {
    throw new CliError('usage', 'cannot accept a public key without its fingerprint', {
      code: 'FINGERPRINT_NEEDED',
      hint: 'ask the service for the fingerprint of its key, and add it with --fingerprint',
    });
  }
  const before = stored.encryption?.platformKey;
  await confirmChange(terminal.dialog, {
    summary: `accept the service’s public key for profile ${stored.name}`,
    lines: [
      ['old key', before ?? 'none'],
      ['old fingerprint', before === undefined ? 'none' : publicKeyFingerprint(before)],
      ['new key', now],
      ['new fingerprint', found],
    ],
  });
}

async function acceptKey(
  account: Account,
  terminal: Terminal,
  stored: StoredProfile,
  expected: string | undefined,
): Promise<Outcome> {
  const now = await platformKeyNow(account);
  const before = stored.encryption?.platformKey;
  endDryRun(account, { profile: stored.name, acceptedBefore: before ?? null, publicKey: now });
  if (before !== now || expected !== undefined) await agreeToKey(account, terminal, stored, now, expected);
  if (before !== now)
    await changeProfile(account.world, stored.name, (current) => {
      const base = current ?? stored;
      return { ...base, encryption: { requests: false, ...base.encryption, platformKey: now } };
    });
  return { result: { data: { publicKey: now, fingerprint: publicKeyFingerprint(now), accepted: true } } };
}

/** Shows the key with its fingerprint; `-o raw` is the response. */
async function showKey(account: Account): Promise<Outcome> {
  const reply = await account.call(getPlatformPublicKey, {});
  const { publicKey } = reply.data;
  if (!isKeyText(publicKey ?? '')) return outcomeOf(account, getPlatformPublicKey, reply);
  const accepted = account.profile.stored?.encryption?.platformKey;
  if (accepted !== undefined && accepted !== publicKey?.toLowerCase())
    await account.notices.say(`warning: this is not the key that profile ${account.profile.name} accepted`);
  const { raw } = outcomeOf(account, getPlatformPublicKey, reply).result ?? {};
  const data = { publicKey, fingerprint: publicKeyFingerprint(publicKey ?? '') };
  return { result: { data, ...(raw === undefined ? {} : { raw }) } };
}

const platformKeySchema = () => z.object({ publicKey: z.string(), fingerprint: z.string() });

const showCommand = command({
  words: ['keys', 'platform', 'show'],
  summary: 'Show the service’s public key',
  details:
    'Requests can be encrypted with this key, an X25519 key of 64 hexadecimal digits for libsodium’s crypto_box_seal. It is not a secret.',
  examples: ['fiatrail keys platform show', 'fiatrail keys platform show -o json --query fingerprint'],
  endpoints: [getPlatformPublicKey.id],
  prints: platformKeySchema,
  parameters: {},
  run: showKey,
});

const acceptCommand = command({
  words: ['keys', 'platform', 'accept'],
  summary: 'Accept the service’s public key',
  details:
    'The profile uses the key for encrypted requests from now on. If the service’s key changes, a profile that encrypts requests sends nothing (exit code 9) until the new key is accepted. Without a terminal, or with --yes, pass the expected fingerprint with --fingerprint.',
  examples: [
    'fiatrail keys platform accept',
    'fiatrail keys platform accept --fingerprint SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU',
  ],
  endpoints: [getPlatformPublicKey.id],
  prints: () => z.extend(platformKeySchema(), { accepted: z.boolean() }),
  parameters: { fingerprint: option('--fingerprint <fingerprint>', 'expected fingerprint', expectedKey) },
  run: async (account, terminal, { fingerprint }) => acceptKey(account, terminal, requireStored(account), fingerprint),
});

export const platformCommands = [showCommand, acceptCommand];
