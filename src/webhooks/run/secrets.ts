import { storedOrBuiltIn } from '../../account/profile.ts';
import { encryptionKeysOf, webhookSecretFrom, webhookSecretsOf } from '../../account/profile-secrets.ts';
import { Secret } from '../../base/secret.ts';
import { getAesKey } from '../../contract/endpoints/management.ts';
import type { Account } from '../../engine/account.ts';

/** The webhook secrets to verify with: FIATRAIL_WEBHOOK_SECRET, or those of the profile that count now. Throws CliError usage. */
export async function secretsOf({ world, profile }: Pick<Account, 'world' | 'profile'>): Promise<readonly Secret[]> {
  const variable = world.env['FIATRAIL_WEBHOOK_SECRET'];
  if (variable) return [webhookSecretFrom(variable, 'FIATRAIL_WEBHOOK_SECRET')];
  const stored = storedOrBuiltIn(profile);
  return stored ? webhookSecretsOf(stored, world) : [];
}

/** The account's AES key; undefined if it has none. Rejects with CliError. */
export async function aesKeyOf({ call }: Pick<Account, 'call'>): Promise<Secret | undefined> {
  const { aesKey } = (await call(getAesKey, {})).data;
  return aesKey ? new Secret(aesKey) : undefined;
}

/** The private keys that open the bodies of a profile. */
export async function privateKeysOf({
  world,
  profile,
}: Pick<Account, 'profile' | 'world'>): Promise<readonly Secret[]> {
  const stored = storedOrBuiltIn(profile);
  return stored ? encryptionKeysOf(stored, world) : [];
}
