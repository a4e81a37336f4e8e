import type { Secret } from '../../base/secret.ts';

/**
 * A secret of a profile. `encryption-keys` are private X25519 keys of 64 hexadecimal digits, one per line, newest first.
 * `webhook-secrets` are lines of webhook-secrets.ts. `journal-password` is that of the database with the journal. `approver-key` is the
 * private Ed25519 key that this user signs plans with. `recognition-key` is a random key, under which a BVN that is given again is recognized.
 */
export type SecretName = (typeof SECRET_NAMES)[number];
export const SECRET_NAMES = [
  'api-key',
  'encryption-keys',
  'webhook-secrets',
  'journal-password',
  'approver-key',
  'recognition-key',
] as const;

type StoreKind = 'file' | 'keyring' | 'command';

/** Where the secrets of a profile are kept. */
export interface SecretStore {
  readonly kind: StoreKind;
  /** Where the secret is, for messages: a file path, `the system keychain`, the command line. Never contains a secret. */
  readonly location: (profile: string, name: SecretName) => string;
  /** Returns undefined if the store does not have the secret. Throws CliError usage if it is locked, unreadable, or its command failed. */
  read(profile: string, name: SecretName): Promise<Secret | undefined>;
  /** Returns once the secret is durable. Throws CliError usage; the previous secret is then unchanged. */
  write(profile: string, name: SecretName, secret: Secret): Promise<void>;
  remove(profile: string, name: SecretName): Promise<void>;
}
