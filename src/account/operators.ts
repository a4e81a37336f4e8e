import { CliError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import { newSigningPair, type SigningPair, signingPairOf } from '../crypto/signing.ts';
import { changeProfile, removeStoredSecret, storeSecret } from './changes.ts';
import { type Profile, secretOf, storedOrBuiltIn } from './profile.ts';
import type { Operator, StoredProfile } from './stored-profile.ts';

/** This user as an operator of a profile. */
export interface OwnOperator extends Operator {
  readonly privateKey: Secret;
}

/** Returns the operators that a profile knows. */
export const operatorsOf = ({ stored }: Pick<Profile, 'stored'>): readonly Operator[] => stored?.operators ?? [];

/** Returns this user as an operator of a profile; undefined if the profile does not list a key of this user. Throws CliError usage if the store cannot be read. */
export async function ownOperator(profile: Profile, world: World): Promise<OwnOperator | undefined> {
  const { stored } = profile;
  // A profile without operators needs no secret.
  if (!stored || operatorsOf(profile).length === 0) return undefined;
  const pair = await ownPair(stored, world);
  const found = operatorsOf(profile).find(({ publicKey }) => publicKey === pair?.publicKey);
  return pair && found && { ...found, privateKey: pair.privateKey };
}

async function ownPair(stored: StoredProfile, world: World): Promise<SigningPair | undefined> {
  const key = await secretOf(stored, 'operator-key', world);
  return key && signingPairOf(key);
}

/** Returns the profile that operators are kept in. Throws CliError usage for an account from the environment, which keeps nothing. */
export function requireOperatorProfile(profile: Profile): StoredProfile {
  const stored = storedOrBuiltIn(profile);
  if (stored) return stored;
  throw new CliError('usage', 'an account set by FIATRAIL_BASE_URL and FIATRAIL_API_KEY has no operators', {
    code: 'NO_PROFILE',
    hint: 'add a profile for it with: fiatrail profiles add NAME --base-url URL --key-stdin',
  });
}

/** Adds an operator. Throws CliError usage if the name or the key is taken. */
export async function addOperator(world: World, stored: StoredProfile, added: Operator): Promise<StoredProfile> {
  return changeProfile(world, stored.name, (kept = stored) => {
    requireNew(kept, added);
    return { ...kept, operators: [...(kept.operators ?? []), added] };
  });
}

/** Throws CliError usage if a profile has an operator of this name or with this key. */
export function requireNew(
  { name: profile, operators = [] }: StoredProfile,
  { name, publicKey }: Partial<Operator>,
): void {
  const taken = operators.find((each) => each.name.toLowerCase() === name?.toLowerCase());
  const other = operators.find((each) => each.publicKey === publicKey);
  if (!taken && !other) return;
  const message = taken
    ? `profile ${profile} already has an operator named ${taken.name}`
    : `profile ${profile} already has this public key, as operator ${other?.name}`;
  throw new CliError('usage', message, {
    code: 'OPERATOR_EXISTS',
    hint: `see the operators with: fiatrail profiles operators list`,
  });
}

/** Makes a key pair for this user. The private key is stored before the profile lists the public one. Throws CliError usage. */
export async function generateOperator(world: World, stored: StoredProfile, name: string): Promise<Operator> {
  requireNew(stored, { name });
  const pair = await newSigningPair(world.ids.bytes(32));
  const added = { name, publicKey: pair.publicKey };
  await storeSecret(world, stored, 'operator-key', pair.privateKey);
  await addOperator(world, stored, added);
  return added;
}

/** Removes an operator, and this user's private key if it is theirs. */
export async function removeOperator(world: World, stored: StoredProfile, removed: Operator): Promise<void> {
  const pair = await ownPair(stored, world);
  await changeProfile(world, stored.name, (kept = stored) => ({
    ...kept,
    operators: (kept.operators ?? []).filter(({ publicKey }) => publicKey !== removed.publicKey),
  }));
  if (pair?.publicKey === removed.publicKey) await removeStoredSecret(world, stored, 'operator-key');
}
