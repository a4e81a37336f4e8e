import * as z from 'zod/mini';
import { fromStored, storedProfileNamed, unknownProfile } from '../../account/profile.ts';
import {
  profileFile,
  type StoredProfile,
  type StoreSettings,
  UNKNOWN_POLICIES,
  unknownPolicyOf,
} from '../../account/stored-profile.ts';
import { CliError } from '../../base/errors.ts';
import { fingerprint } from '../../crypto/digest.ts';
import type { Account } from '../../engine/account.ts';
import type { Outcome } from '../../engine/outcome.ts';
import type { Column } from '../../present/result.ts';

/** Returns a profile by name; the built-in one always exists. Throws CliError usage. */
export function requireProfile(account: Account, name: string): StoredProfile {
  const found = storedProfileNamed(name, account.world);
  if (found) return found;
  throw unknownProfile(name, '', account.world);
}

const STORE_WORDS: Readonly<Record<StoreSettings['kind'], string>> = {
  file: 'file',
  keyring: 'system keychain',
  command: 'command',
  environment: 'FIATRAIL_API_KEY',
};

/** Describes where a key is stored, with its fingerprint but never the key itself. */
async function keyOf(account: Account, stored: StoredProfile) {
  if (stored.mode === 'embedded') return { store: 'stored by the sandbox', fingerprint: null, problem: null };
  const store = STORE_WORDS[stored.store.kind];
  try {
    const { key } = fromStored(stored, account.world);
    if (!key) throw new Error('a network profile must have a key');
    return { store, fingerprint: fingerprint(await key.load()), problem: null };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { store, fingerprint: null, problem: error.message };
  }
}

const COLUMNS: readonly Column[] = [
  { field: 'name', title: 'Name' },
  { field: 'mode', title: 'Mode' },
  { field: 'baseUrl', title: 'Base URL' },
  { field: 'serviceName', title: 'Service name' },
  { field: 'output', title: 'Output' },
  { field: 'timeZone', title: 'Time zone' },
  { field: 'isMasked', title: 'Masked' },
  { field: 'key.store', title: 'Key store' },
  { field: 'key.command', title: 'Command' },
  { field: 'key.fingerprint', title: 'Key fingerprint' },
  { field: 'key.problem', title: 'Key problem' },
  { field: 'encryptionPolicy', title: 'Encryption' },
  { field: 'encryption.publicKey', title: 'Responses encrypted with' },
  { field: 'encryption.platformKey', title: 'Platform key' },
  { field: 'encryption.requests', title: 'Requests encrypted' },
  { field: 'unknown', title: 'Unknown outcomes' },
  { field: 'file', title: 'File' },
];

/** The form of a printed profile. */
export const profileSchema = () =>
  z.object({
    name: z.string(),
    mode: z.enum(['embedded', 'sandbox', 'live']),
    baseUrl: z.nullable(z.string()),
    serviceName: z.nullable(z.string()),
    output: z.nullable(z.string()),
    timeZone: z.nullable(z.string()),
    isMasked: z.boolean(),
    key: z.object({
      store: z.nullable(z.string()),
      fingerprint: z.nullable(z.string()),
      problem: z.nullable(z.string()),
      command: z.nullable(z.string()),
    }),
    encryptionPolicy: z.string(),
    encryption: z.object({
      publicKey: z.nullable(z.string()),
      platformKey: z.nullable(z.string()),
      requests: z.boolean(),
    }),
    unknown: z.enum(UNKNOWN_POLICIES),
    file: z.string(),
  });

/** Returns a profile as the profiles commands print it. */
export async function profileResult(account: Account, stored: StoredProfile): Promise<Outcome> {
  const { name, mode, baseUrl, serviceName, output, timeZone, encryptionPolicy, encryption, store } = stored;
  const key = { ...(await keyOf(account, stored)), command: store.kind === 'command' ? store.command : null };
  const data = {
    name,
    mode,
    baseUrl: baseUrl ?? null,
    serviceName: serviceName ?? null,
    output: output ?? null,
    timeZone: timeZone ?? null,
    isMasked: stored.isMasked ?? false,
    key,
    encryptionPolicy: encryptionPolicy ?? 'off',
    encryption: {
      publicKey: encryption?.publicKey ?? null,
      platformKey: encryption?.platformKey ?? null,
      requests: encryption?.requests ?? false,
    },
    unknown: unknownPolicyOf({ stored }),
    file: profileFile(account.world, name),
  };
  return { result: { data, columns: COLUMNS.filter(({ field }) => valueAt(data, field) !== null) } };
}

function valueAt(data: unknown, field: string): unknown {
  return field.split('.').reduce((inner, name) => (inner as Record<string, unknown> | null)?.[name], data);
}
