import type { Secret } from '../../base/secret.ts';

/** Which secret of a profile. `sealing-keys`: private X25519 keys of 64 hexadecimal digits, one a line, newest first. */
export type SecretName = (typeof SECRET_NAMES)[number];
export const SECRET_NAMES = ['api-key', 'sealing-keys'] as const;

type StoreKind = 'file' | 'keyring' | 'command';

/** Where the secrets of a profile are kept. */
export interface SecretStore {
  readonly kind: StoreKind;
  /** For people: the file's path, `the key store of the system`, the words of the command. Holds no secret. */
  readonly place: (profile: string, name: SecretName) => string;
  /** Undefined when it has none. Throws CliError usage: locked, unreadable, a command that failed. */
  read(profile: string, name: SecretName): Promise<Secret | undefined>;
  /** Returns when it is kept for good. Throws CliError usage; then what was kept before still is. */
  write(profile: string, name: SecretName, secret: Secret): Promise<void>;
  remove(profile: string, name: SecretName): Promise<void>;
}
