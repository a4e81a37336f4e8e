import * as z from 'zod/mini';
import { changeProfile } from '../../account/changes.ts';
import type { Profile } from '../../account/profile.ts';
import { apiKeyFrom, safeBaseUrl } from '../../account/service-address.ts';
import { profileName, readProfile, type StoredProfile, type StoreSettings } from '../../account/stored-profile.ts';
import { openStore, requireWritable } from '../../account/stores/stores.ts';
import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { createSandboxKey, getAesKey } from '../../contract/endpoints/management.ts';
import { fingerprint } from '../../crypto/digest.ts';
import { connect } from '../../engine/connect.ts';
import { prepareRequest } from '../../engine/requests.ts';
import { command } from '../../terminal/command.ts';
import { option, switchOn } from '../../terminal/parse/parameters.ts';
import type { Session } from '../../terminal/session.ts';
import { enableCommand, encryptionStatusCommand, rotateEncryptionCommand } from './encryption.ts';
import { platformCommands } from './platform.ts';
import { rotateCommand } from './rotate.ts';

/** Returns the sandbox's base URL: --base-url, or that of the profile that stores the key. Throws CliError usage. */
function addressOf(at: string | undefined, current: StoredProfile | undefined): string {
  if (current && current.mode !== 'sandbox') {
    throw new CliError('usage', `profile ${current.name} is ${current.mode} and cannot use a sandbox key`, {
      hint: 'choose another name with --save',
    });
  }
  if (current?.baseUrl && at && at !== current.baseUrl) {
    throw new CliError('usage', `profile ${current.name} has a different base URL than --base-url`, {
      hint: 'omit --base-url, or choose another name with --save',
    });
  }
  const url = at ?? current?.baseUrl;
  if (url) return url;
  throw new CliError('usage', 'missing required option: --base-url <url>', {
    code: 'VALIDATION_ERROR',
    hint: 'add the base URL of the sandbox, such as --base-url https://sandbox-host/v1',
  });
}

/** The store for the key. Key commands and variables cannot be written, so they become a file. */
const storeOf = (current: StoredProfile | undefined): StoreSettings =>
  current?.store.kind === 'keyring' ? current.store : { kind: 'file' };

function requireLive({ profile }: Session): void {
  if (profile.mode === 'live') return;
  throw new CliError(
    'usage',
    `creating a sandbox key requires a live key, and profile ${profile.name} is ${profile.mode}`,
    {
      code: 'NEEDS_LIVE_KEY',
      hint: 'select a live profile with --profile; the embedded sandbox needs no key',
    },
  );
}

/** The profile at another address, which need not seal what this one seals. */
function elsewhere(profile: Profile, baseUrl: string): Profile {
  const { stored } = profile;
  return stored?.sealing === 'require'
    ? { ...profile, baseUrl, stored: { ...stored, sealing: 'accept' } }
    : { ...profile, baseUrl };
}

const sandboxKeyCommand = command({
  words: ['keys', 'sandbox', 'add'],
  summary: 'Create a sandbox key with this profile’s live key',
  details:
    'This is the only command that sends a live key to a sandbox, so check the --base-url address. The new key is saved in a profile, printed, or both. The service shows it only once.',
  examples: [
    'fiatrail keys sandbox add --profile main --base-url https://sandbox-host/v1 --save main-sandbox',
    'fiatrail keys sandbox add --profile main --save main-sandbox',
  ],
  endpoints: [createSandboxKey.id],
  prints: () =>
    z.object({
      fintechId: z.nullable(z.string()),
      createdAt: z.nullable(z.iso.datetime()),
      fingerprint: z.string(),
      savedIn: z.nullable(z.string()),
      apiKey: z.optional(z.string()),
    }),
  parameters: {
    at: option(
      '--base-url <url>',
      'base URL of the sandbox (default: that of the --save profile)',
      safeBaseUrl,
      'Base URL of the sandbox, such as https://sandbox-host/v1:',
    ),
    save: option('--save <profile>', 'profile to save the key in, created if needed', profileName),
    printKey: switchOn('--print-key', 'print the key'),
  },
  asks: ({ save }, { world }) => (save !== undefined && !readProfile(world, save) ? ['at'] : []),
  run: async (session, { at, save, printKey }) => {
    const { world, globals } = session;
    requireLive(session);
    if (save === undefined && !printKey) {
      throw new CliError('usage', 'no profile or file to store the key in, and it is shown only once', {
        code: 'VALIDATION_ERROR',
        hint: 'save the key with --save NAME, or print it with --print-key',
      });
    }
    const current = save === undefined ? undefined : readProfile(world, save);
    const baseUrl = addressOf(at, current);
    const prints = ['fintechId', 'createdAt', 'fingerprint', 'savedIn', ...(printKey ? ['apiKey'] : [])];
    const request = await prepareRequest(session, createSandboxKey, {}, { prints });
    if (save !== undefined) await requireWritable(await openStore(world, storeOf(current)), save, world.ids);
    const connection = await connect(world, elsewhere(session.profile, baseUrl), globals, session.progress);
    const { data } = await connection.client.call(request).finally(() => connection.close());
    session.activity.changed = { operationId: undefined, requestId: undefined };
    const key = apiKeyFrom(data.apiKey ?? '', 'the new key');
    if (save !== undefined) {
      const made = { name: save, mode: 'sandbox', baseUrl } as const;
      await changeProfile(world, save, (now) => ({ ...(now ?? made), store: storeOf(now) }), key);
    }
    return {
      result: {
        data: {
          fintechId: data.fintechId ?? null,
          createdAt: data.createdAt ?? null,
          fingerprint: fingerprint(key),
          savedIn: save ?? null,
          ...(printKey ? { apiKey: key.reveal() } : {}),
        },
      },
    };
  },
});

const aesCommand = command({
  words: ['keys', 'aes', 'show'],
  summary: 'Show the account’s AES key',
  details:
    'Prints only the fingerprint unless --print-key is given. The key signs webhooks if no webhook secret is set, and encrypts the older envelope. It is read from the service each time and never stored.',
  examples: ['fiatrail keys aes show', 'fiatrail keys aes show --print-key -o json --query aesKey'],
  endpoints: [getAesKey.id],
  prints: () => z.object({ fingerprint: z.string(), aesKey: z.optional(z.string()) }),
  parameters: { printKey: switchOn('--print-key', 'print the key') },
  run: async (session, { printKey }) => {
    const { data } = await session.call(getAesKey, {});
    if (!data.aesKey) {
      throw new CliError('network', 'unusable response: it contains no AES key', {
        code: 'UNUSABLE_ANSWER',
        hint: 'try again later',
      });
    }
    const key = new Secret(data.aesKey);
    return { result: { data: { fingerprint: fingerprint(key), ...(printKey ? { aesKey: key.reveal() } : {}) } } };
  },
});

export const commands = [
  rotateCommand,
  sandboxKeyCommand,
  ...platformCommands,
  aesCommand,
  encryptionStatusCommand,
  enableCommand,
  rotateEncryptionCommand,
];
