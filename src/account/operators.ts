import { CliError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import { newSigningPair, type SigningPair, signingPairOf } from '../crypto/signing.ts';
import { removeStoredSecret, storeSecret } from './changes.ts';
import { type Profile, secretOf, storedOrBuiltIn } from './profile.ts';
import type { StoredProfile } from './stored-profile.ts';

/** A person who signs plans. */
export interface Operator {
  readonly name: string;
  /** An Ed25519 key, 64 hexadecimal digits in lower case. */
  readonly publicKey: string;
}

/** This user as an operator of an account. */
export interface OwnOperator extends Operator {
  readonly privateKey: Secret;
}

/** Returns this user as one of an account's operators; undefined if none of their keys is this user's. Throws CliError usage if the store cannot be read. */
export async function ownOperator(
  operators: readonly Operator[],
  profile: Profile,
  world: World,
): Promise<OwnOperator | undefined> {
  const stored = storedOrBuiltIn(profile);
  // Without operators, no secret is needed.
  if (!stored || operators.length === 0) return undefined;
  const pair = await ownPair(stored, world);
  const found = operators.find(({ publicKey }) => publicKey === pair?.publicKey);
  return pair && found && { name: found.name, publicKey: found.publicKey, privateKey: pair.privateKey };
}

async function ownPair(stored: StoredProfile, world: World): Promise<SigningPair | undefined> {
  const key = await secretOf(stored, 'operator-key', world);
  return key && signingPairOf(key);
}

/** Returns the profile that has this user's key. Throws CliError usage for an account from the environment, which keeps nothing. */
export function requireOperatorProfile(profile: Profile): StoredProfile {
  const stored = storedOrBuiltIn(profile);
  if (stored) return stored;
  throw new CliError('usage', 'an account set by FIATRAIL_BASE_URL and FIATRAIL_API_KEY has no operators', {
    code: 'NO_PROFILE',
    hint: 'add a profile for it with: fiatrail profiles add NAME --base-url URL --key-stdin',
  });
}

/** Returns the public key of this user, whose private key is made and stored if there is none. Throws CliError usage. */
export async function ensureOwnKey(world: World, stored: StoredProfile): Promise<string> {
  const pair = await ownPair(stored, world);
  if (pair) return pair.publicKey;
  const { publicKey, privateKey } = await newSigningPair(world.ids.bytes(32));
  await storeSecret(world, stored, 'operator-key', privateKey);
  return publicKey;
}

/** Deletes the private key of a public one, if this user has it. */
export async function forgetOwnKey(world: World, stored: StoredProfile, publicKey: string): Promise<void> {
  if ((await ownPair(stored, world))?.publicKey === publicKey) await removeStoredSecret(world, stored, 'operator-key');
}
