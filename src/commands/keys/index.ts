import * as z from 'zod/mini';
import { changeProfile } from '../../account/changes.ts';
import { apiKeyFrom, fromStored, type Profile, safeBaseUrl } from '../../account/profile.ts';
import { encryptionKeysOf, privateKeyFrom, storeEncryptionKey } from '../../account/profile-secrets.ts';
import {
  type EncryptionPolicy,
  profileName,
  readProfile,
  type StoredProfile,
  type StoreSettings,
} from '../../account/stored-profile.ts';
import { openStore, requireWritable } from '../../account/stores/stores.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import {
  createSandboxKey,
  getAesKey,
  getPlatformPublicKey,
  storePublicKey,
} from '../../contract/endpoints/management.ts';
import { sealAesEnvelope } from '../../crypto/aes-envelope.ts';
import { fingerprint, publicKeyFingerprint } from '../../crypto/digest.ts';
import { isKeyText, newKeyPair, payloadIn, publicHalf } from '../../crypto/sealed-box.ts';
import type { Account } from '../../engine/account.ts';
import { connect, tryAccount } from '../../engine/connection/connect.ts';
import type { Outcome } from '../../engine/outcome.ts';
import { prepareRequest } from '../../engine/requests.ts';
import { accountLine, confirmChange } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import { missingError } from '../../terminal/parse/missing.ts';
import { onOrOff, option, switchOn } from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { acceptedPlatformKey, platformCommands, requireStored } from './platform.ts';
import { rotateCommand } from './rotate.ts';

const PRIVATE_KEY_BYTES = 1024;

const parameters = {
  encryptRequests: option(
    '--encrypt-requests <on|off>',
    'also encrypt requests, with the service’s public key',
    onOrOff,
  ),
  privateKeyStdin: switchOn('--private-key-stdin', 'read the private key of another host from standard input'),
  aesEnvelope: switchOn('--aes-envelope', 'send the public key in the older AES-GCM envelope'),
};

interface Input {
  readonly encryptRequests: boolean | undefined;
  readonly privateKeyStdin: boolean | undefined;
  readonly aesEnvelope: boolean | undefined;
}

/** Returns the private key to use: the one on standard input, the current one, or a new one. */
async function privateKeyFor(account: Account, stored: StoredProfile, input: Input, isNew: boolean): Promise<Secret> {
  const { world } = account;
  if (input.privateKeyStdin) return privateKeyFrom(await world.stdin.readAll(PRIVATE_KEY_BYTES));
  const [current] = isNew ? [] : await encryptionKeysOf(stored, world);
  return current ?? newKeyPair(world.ids.bytes(32)).privateKey;
}

/** Builds the registration: the public key, plain or in the older envelope under the account's AES key. */
async function registration(account: Account, publicKey: string, isInEnvelope: boolean | undefined) {
  if (!isInEnvelope) return { data: publicKey };
  const { data } = await account.call(getAesKey, {}, { isBeforehand: true });
  const aesKey = new Secret(data.aesKey ?? '');
  if (!isKeyText(aesKey.reveal())) {
    throw new CliError('network', 'the account’s AES key is not 64 hexadecimal digits; nothing was sent', {
      code: 'UNUSABLE_RESPONSE',
      hint: 'omit --aes-envelope; the public key is not a secret',
    });
  }
  return { ...sealAesEnvelope(JSON.stringify({ data: publicKey }), aesKey, account.world.ids.bytes(16)) };
}

/** Asks before the service learns a key: from then on, whoever lacks the private key can read nothing. Throws CliError. */
async function agreeToEncrypt(
  account: Account,
  terminal: Terminal,
  { name, encryption }: StoredProfile,
  publicKey: string,
  isNew: boolean,
) {
  const { profile } = account;
  const { globals } = terminal;
  const registered = encryption?.publicKey;
  if (globals.dryRun || registered === publicKey || (isNew && registered !== undefined)) return;
  await confirmChange(
    terminal.dialog,
    {
      summary: `encrypt the responses to profile ${name}`,
      lines: [
        accountLine(profile),
        [
          'cannot be undone',
          'the service encrypts every response to this account from then on, and has no way to stop',
        ],
        ['other hosts', 'every other host with this API key fails until it has the private key too'],
        ['public key', publicKeyFingerprint(publicKey)],
      ],
    },
    !globals.yes,
  );
}

/** Turns on encrypted responses. The private key is stored before the service learns the public key. */
async function seal(account: Account, terminal: Terminal, input: Input, isNew: boolean): Promise<Outcome> {
  const { world, profile } = account;
  const stored = requireStored(account);
  if (isNew && stored.encryption?.publicKey === undefined)
    throw new CliError('usage', `encryption is off in profile ${stored.name}, so there is no key to rotate`, {
      code: 'ENCRYPTION_OFF',
      hint: advice`turn it on with: [fiatrail keys encryption enable]`,
    });
  const requests = input.encryptRequests ?? stored.encryption?.requests ?? false;
  const privateKey = await privateKeyFor(account, stored, input, isNew);
  const publicKey = publicHalf(privateKey);
  await agreeToEncrypt(account, terminal, stored, publicKey, isNew);
  const store = async () => {
    if (account.globals.dryRun) return;
    await storeEncryptionKey(world, stored, privateKey);
    // From the registration on, responses may be encrypted.
    if (policyOf(stored) === 'off') await setPolicy(account, stored, 'accept');
  };
  // Responses may already be encrypted with this key, so store it before the reads below.
  if (input.privateKeyStdin) await store();
  const platformKey = requests ? await acceptedPlatformKey(account, stored) : stored.encryption?.platformKey;
  const request = await registration(account, publicKey, input.aesEnvelope);
  if (!input.privateKeyStdin) await store();
  await account.call(storePublicKey, request, { prints: Object.keys(encryptionSchema().shape) });
  const encryption = { publicKey, platformKey, requests };
  const changed = await changeProfile(world, profile.name, (current) => ({ ...(current ?? stored), encryption }));
  if (!(await isEncrypted(account, changed))) {
    await account.notices.say(
      'warning: responses are not encrypted, although the key is registered; plain ones are still accepted',
    );
    return { result: { data: await shown(account, changed) } };
  }
  const required = await setPolicy(account, changed, 'require');
  await account.notices.note(
    'responses are now encrypted, and plain ones are rejected; every host that uses this account needs the private key',
  );
  return { result: { data: await shown(account, required) } };
}

const policyOf = ({ encryptionPolicy = 'off' }: StoredProfile): EncryptionPolicy => encryptionPolicy;

function setPolicy(
  { world }: Account,
  stored: StoredProfile,
  encryptionPolicy: EncryptionPolicy,
): Promise<StoredProfile> {
  return changeProfile(world, stored.name, (current) => ({ ...(current ?? stored), encryptionPolicy }));
}

/** Verifies with a read that the response can be opened, and returns whether it was encrypted. Throws CliError pending. */
async function isEncrypted(account: Account, stored: StoredProfile): Promise<boolean> {
  let isLastEncrypted = false;
  try {
    await tryAccount(account, fromStored(stored, account.world), () => ({ body }) => {
      isLastEncrypted = payloadIn(body) !== undefined;
    });
    return isLastEncrypted;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError('pending', `the public key is registered, but a read with it failed: ${error.message}`, {
      code: 'ENCRYPTION_NOT_PROVEN',
      hint: advice`the private key is stored; check it with: [fiatrail keys encryption show]`,
      cause: error,
    });
  }
}

const encryptionSchema = () =>
  z.object({
    profile: z.string(),
    encryptionPolicy: z.string(),
    responsesEncryptedTo: z.nullable(z.string()),
    privateKeys: z.int(),
    requestsEncrypted: z.boolean(),
    platformKey: z.nullable(z.string()),
  });

async function shown({ world }: Account, stored: StoredProfile) {
  const { publicKey, platformKey, requests } = stored.encryption ?? { requests: false };
  return {
    profile: stored.name,
    encryptionPolicy: policyOf(stored),
    responsesEncryptedTo: publicKey ?? null,
    privateKeys: (await encryptionKeysOf(stored, world)).length,
    requestsEncrypted: requests,
    platformKey: platformKey ?? null,
  };
}

const enableCommand = command({
  words: ['keys', 'encryption', 'enable'],
  summary: 'Encrypt responses to a key of this profile',
  details:
    'Creates an X25519 key pair, stores the private key and registers the public key. Responses are then decrypted automatically. After the first encrypted response, plain ones are rejected. To allow them: fiatrail profiles add NAME --encryption accept. The service has no way to turn encryption off again, and every other host with the API key fails until it has the private key; so the command asks first. An existing key is registered again.',
  examples: [
    'fiatrail keys encryption enable',
    'fiatrail keys encryption enable --encrypt-requests on --yes',
    'fiatrail keys encryption enable --private-key-stdin --yes < key.txt',
  ],
  endpoints: [storePublicKey.id, getPlatformPublicKey.id, getAesKey.id],
  prints: encryptionSchema,
  parameters,
  run: (account, terminal, input) => seal(account, terminal, input, false),
});

const rotateEncryptionCommand = command({
  words: ['keys', 'encryption', 'rotate'],
  summary: 'Rotate the key that responses are encrypted to',
  details: 'Older private keys are kept to decrypt older data. Encryption must be on.',
  examples: ['fiatrail keys encryption rotate'],
  endpoints: [storePublicKey.id, getPlatformPublicKey.id, getAesKey.id],
  prints: encryptionSchema,
  parameters,
  run: (account, terminal, input) => seal(account, terminal, input, true),
});

const encryptionStatusCommand = command({
  words: ['keys', 'encryption', 'show'],
  summary: 'Show the encryption status of this profile',
  details:
    'Also checks that responses can be decrypted and that the service’s public key is the one this profile accepted.',
  examples: ['fiatrail keys encryption show', 'fiatrail keys encryption show -o json --query requestsEncrypted'],
  endpoints: [getPlatformPublicKey.id],
  prints: () =>
    z.extend(encryptionSchema(), { platformKeyUnchanged: z.nullable(z.boolean()), answersOpen: z.boolean() }),
  parameters: {},
  run: async (account) => {
    const stored = requireStored(account);
    const data = await shown(account, stored);
    try {
      const { data: platform } = await account.call(getPlatformPublicKey, {});
      const isSame = data.platformKey === null ? null : platform.publicKey?.toLowerCase() === data.platformKey;
      return { result: { data: { ...data, platformKeyUnchanged: isSame, answersOpen: true } } };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return { result: { data: { ...data, platformKeyUnchanged: null, answersOpen: false } }, error };
    }
  },
});

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
  throw missingError(['--base-url <url>'], {
    expected: 'the base URL of the sandbox',
    hint: 'for example: --base-url https://sandbox-host/v1',
  });
}

/** The store for the key. Key commands and variables cannot be written, so they become a file. */
const storeOf = (current: StoredProfile | undefined): StoreSettings =>
  current?.store.kind === 'keyring' ? current.store : { kind: 'file' };

function requireLive({ profile }: Account): void {
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

/** The profile at another address, which need not encrypt what this one encrypts. */
function elsewhere(profile: Profile, baseUrl: string): Profile {
  const { stored } = profile;
  return stored?.encryptionPolicy === 'require'
    ? { ...profile, baseUrl, stored: { ...stored, encryptionPolicy: 'accept' } }
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
  run: async (account, terminal, { at, save, printKey }) => {
    const { world } = account;
    const { globals } = terminal;
    requireLive(account);
    if (save === undefined && !printKey) {
      throw new CliError('usage', 'no profile or file to store the key in, and it is shown only once', {
        code: 'VALIDATION_ERROR',
        hint: 'save the key with --save NAME, or print it with --print-key',
      });
    }
    const current = save === undefined ? undefined : readProfile(world, save);
    const baseUrl = addressOf(at, current);
    const prints = ['fintechId', 'createdAt', 'fingerprint', 'savedIn', ...(printKey ? ['apiKey'] : [])];
    const request = await prepareRequest(account, createSandboxKey, {}, { prints });
    if (save !== undefined) await requireWritable(await openStore(world, storeOf(current)), save, world.ids);
    const connection = await connect(world, elsewhere(account.profile, baseUrl), globals, account.notices.progress);
    const { data } = await connection.client.call(request).finally(() => connection.close());
    account.activity.changed = { operationId: undefined, requestId: undefined };
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
  run: async (account, _terminal, { printKey }) => {
    const { data } = await account.call(getAesKey, {});
    if (!data.aesKey) {
      throw new CliError('network', 'unusable response: it contains no AES key', {
        code: 'UNUSABLE_RESPONSE',
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
