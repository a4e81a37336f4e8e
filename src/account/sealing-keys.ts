import { CliError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import { privateKeyProblem } from '../crypto/sealed-box.ts';
import { changeSecret } from './changes.ts';
import { secretOf } from './profile.ts';
import type { StoredProfile } from './stored-profile.ts';

/** Validates the text of a private key. Throws CliError usage, which never contains the text. */
export function privateKeyFrom(text: string): Secret {
  const key = new Secret(text.trim().toLowerCase());
  if (privateKeyProblem(key) === undefined) return key;
  throw new CliError(
    'usage',
    `invalid private key: expected 64 hexadecimal digits, got ${text.trim().length} characters`,
    {
      code: 'INVALID_PRIVATE_KEY',
      hint: 'pass the 64 hexadecimal digits of an X25519 private key on standard input',
    },
  );
}

/** Returns a profile's private keys, newest first. Throws CliError usage if the store cannot be read. */
export async function sealingKeysOf(stored: StoredProfile, world: World): Promise<Secret[]> {
  return linesOf(await secretOf(stored, 'sealing-keys', world)).map((line) => new Secret(line));
}

const linesOf = (current: Secret | undefined) => (current?.reveal().split('\n') ?? []).filter((line) => line !== '');

/** Adds a private key in front of the stored ones, which still open older payloads. */
export async function storeSealingKey(world: World, stored: StoredProfile, key: Secret): Promise<void> {
  await changeSecret(world, stored, 'sealing-keys', async (current) => {
    const older = linesOf(await current()).filter((line) => line !== key.reveal());
    return new Secret([key.reveal(), ...older].join('\n'));
  });
}
