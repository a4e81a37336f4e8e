import { advice } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import { hasSmallOrder, newSigningPair, PrivateKeyError, type SigningPair, signingPairOf } from '../crypto/signing.ts';
import { AmountError, type Asset, parseAmount, printable, TOKENS } from '../money/amount.ts';
import { removeStoredSecret, storeSecret } from './changes.ts';
import { type Profile, secretOf, storedOrBuiltIn, storeFor } from './profile.ts';
import type { ApprovalThreshold, StoredProfile } from './stored-profile.ts';

/** A person who signs plans. */
export interface Approver {
  readonly name: string;
  /** An Ed25519 key, 64 hexadecimal digits in lower case. */
  readonly publicKey: string;
}

/** This user as an approver of an account. */
export interface OwnApprover extends Approver {
  readonly privateKey: Secret;
}

/** Returns this user as one of an account's approvers; undefined if none of their keys is this user's. Throws CliError usage if the store cannot be read. */
export async function ownApprover(
  approvers: readonly Approver[],
  profile: Profile,
  world: World,
): Promise<OwnApprover | undefined> {
  const stored = storedOrBuiltIn(profile);
  // Without approvers, no secret is needed.
  if (!stored || approvers.length === 0) return undefined;
  const pair = await ownPair(stored, world);
  const found = approvers.find(({ publicKey }) => publicKey === pair?.publicKey);
  return pair && found && { name: found.name, publicKey: found.publicKey, privateKey: pair.privateKey };
}

async function ownPair(stored: StoredProfile, world: World): Promise<SigningPair | undefined> {
  const key = await secretOf(stored, 'approver-key', world);
  try {
    return key && (await signingPairOf(key));
  } catch (error) {
    throw error instanceof PrivateKeyError ? await damagedKey(stored, error, world) : error;
  }
}

async function damagedKey(stored: StoredProfile, cause: PrivateKeyError, world: World): Promise<CliError> {
  const { openStore } = await import('./stores/stores.ts');
  const location = (await openStore(world, storeFor(stored, 'approver-key'))).location(stored.name, 'approver-key');
  return new CliError(
    'usage',
    `this user's approver key for profile ${stored.name} in ${location} is damaged: ${cause.message}`,
    {
      cause,
      code: 'CONFIG_BROKEN',
      hint: advice`put a backup of it back; without one, remove it, make another one with [fiatrail profiles approvers add NAME --generate], and have it added in place of the old one`,
    },
  );
}

/** Returns the public key of this user; undefined if there is none. Throws CliError usage if the key is damaged or the store cannot be read. */
export async function ownPublicKey(world: World, stored: StoredProfile): Promise<string | undefined> {
  return (await ownPair(stored, world))?.publicKey;
}

/** Returns the profile that has this user's key. Throws CliError usage for an account from the environment, which keeps nothing. */
export function requireApproverProfile(profile: Profile): StoredProfile {
  const stored = storedOrBuiltIn(profile);
  if (stored) return stored;
  throw new CliError('usage', 'an account set by FIATRAIL_BASE_URL and FIATRAIL_API_KEY has no approvers', {
    code: 'NO_PROFILE',
    hint: advice`add a profile for it with: [fiatrail profiles add NAME --base-url URL --key-stdin]`,
  });
}

/** Returns the public key of this user, whose private key is made and stored if there is none. Throws CliError usage. */
export async function ensureOwnKey(world: World, stored: StoredProfile): Promise<string> {
  const found = await ownPublicKey(world, stored);
  if (found !== undefined) return found;
  const { publicKey, privateKey } = await newSigningPair(world.ids.bytes(32));
  await storeSecret(world, stored, 'approver-key', privateKey);
  return publicKey;
}

/** Deletes the private key of a public one, if this user has it. */
export async function forgetOwnKey(world: World, stored: StoredProfile, publicKey: string): Promise<void> {
  if ((await ownPublicKey(world, stored)) === publicKey) await removeStoredSecret(world, stored, 'approver-key');
}

/** Letters, digits, dots, hyphens and underscores; one person has one spelling. */
export function approverName(text: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,39}$/i.test(text)) return text;
  throw new CliError('usage', `invalid approver name "${text.slice(0, 60)}"`, {
    hint: 'use 1 to 40 letters, digits, dots, hyphens or underscores, starting with a letter or digit',
  });
}

/** Parses a public key. Throws CliError usage. */
export function approverKey(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) {
    if (!hasSmallOrder(text)) return text.toLowerCase();
    throw new CliError('usage', 'invalid public key: it is of small order, so anyone could approve with it', {
      hint: advice`give the public key that [fiatrail profiles approvers add NAME --generate] printed`,
    });
  }
  throw new CliError('usage', `invalid public key: expected 64 hexadecimal digits, got ${text.length} characters`, {
    hint: advice`give the public key that [fiatrail profiles approvers add NAME --generate] printed`,
  });
}

/** Parses an amount above which a signature is needed: `NGN 1000000`, `₦1,000,000`, `1000 USDC`. It must name its asset. Throws CliError usage. */
export function approvalThresholdsFrom(typed: string): ApprovalThreshold {
  const text = typed.trim().replace(/^(ngn|cngn|usdc|usdt)\s+(\d\S*)$/i, '$2 $1');
  const asset = assetNamedIn(text);
  try {
    if (asset === undefined) throw new AmountError('it has no asset');
    const isZero = /^(₦\s*0|0\s*[a-z]+)$/i.test(text);
    return { asset, minor: isZero ? '0' : String(parseAmount(text, asset).minor) };
  } catch (error) {
    if (!(error instanceof AmountError)) throw error;
    throw new CliError('usage', `invalid amount "${printable(typed)}": ${error.message}`, {
      code: 'VALIDATION_ERROR',
      hint: 'write it with its asset, such as "NGN 1000000" or "USDC 500"; NGN 0 means every amount',
    });
  }
}

function assetNamedIn(text: string): Asset | undefined {
  if (/₦|naira|kobo/i.test(text)) return 'NGN';
  return (['NGN', ...TOKENS] as const).find((asset) => new RegExp(`[\\d\\s]${asset}$`, 'i').test(text));
}
