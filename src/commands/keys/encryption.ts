import { changeProfile } from '../../account/changes.ts';
import { fromStored, storedOrBuiltIn } from '../../account/profile.ts';
import { privateKeyFrom, sealingKeysOf, storeSealingKey } from '../../account/sealing-keys.ts';
import type { SealingSettings, StoredProfile } from '../../account/stored-profile.ts';
import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { command } from '../../cli/command.ts';
import { tryAccount } from '../../cli/connect.ts';
import type { Outcome } from '../../cli/outcome.ts';
import { onOrOff, option, switchOn } from '../../cli/parameters.ts';
import type { Session } from '../../cli/session.ts';
import { getAesKey, getPlatformPublicKey, storePublicKey } from '../../contract/endpoints/management.ts';
import { sealAesEnvelope } from '../../crypto/aes-envelope.ts';
import { isKeyText, newKeyPair, publicHalf } from '../../crypto/sealed-box.ts';
import { acceptedPlatformKey } from './platform.ts';

/** The profile whose sealing a command changes. Throws CliError usage for an account of the environment, which keeps nothing. */
function keptProfile({ profile }: Session): StoredProfile {
  const stored = storedOrBuiltIn(profile);
  if (stored) return stored;
  throw new CliError('usage', 'the account of FIATRAIL_BASE_URL and FIATRAIL_API_KEY keeps no private key', {
    code: 'NO_PROFILE',
    hint: 'add a profile for it: fiatrail profiles add NAME --base-url URL --key-stdin',
  });
}

const PRIVATE_KEY_BYTES = 1024;

const parameters = {
  sealRequests: option('--seal-requests <on|off>', 'seal requests too, to the key of the service', onOrOff),
  privateKeyStdin: switchOn('--private-key-stdin', 'use the private key on standard input: another host’s'),
  aesEnvelope: switchOn('--aes-envelope', 'send the public key in the older AES-GCM envelope'),
};

interface Input {
  readonly sealRequests: boolean | undefined;
  readonly privateKeyStdin: boolean | undefined;
  readonly aesEnvelope: boolean | undefined;
}

/** The private key to use from now on: the one given, the one in use, or a new one. */
async function privateKeyFor(session: Session, stored: StoredProfile, input: Input, isNew: boolean): Promise<Secret> {
  const { world } = session;
  if (input.privateKeyStdin) return privateKeyFrom(await world.stdin.readAll(PRIVATE_KEY_BYTES));
  const [current] = isNew ? [] : await sealingKeysOf(stored, world);
  return current ?? newKeyPair(world.ids.bytes(32)).privateKey;
}

/** The public key as it is sent: plain, or in the older envelope under the account's AES key. */
async function registration(session: Session, publicKey: string, isInEnvelope: boolean | undefined) {
  if (!isInEnvelope) return { data: publicKey };
  const { data } = await session.call(getAesKey, {}, { isBeforehand: true });
  const aesKey = new Secret(data.aesKey ?? '');
  if (!isKeyText(aesKey.reveal())) {
    throw new CliError('network', 'the AES key of the account is not 64 hexadecimal digits, so nothing was sent', {
      code: 'UNUSABLE_ANSWER',
      hint: 'leave --aes-envelope out: the public key is no secret',
    });
  }
  return { ...sealAesEnvelope(JSON.stringify({ data: publicKey }), aesKey, session.world.ids.bytes(16)) };
}

/** Has answers sealed to a key of ours: its private half is kept before the service hears of the public one. */
async function seal(session: Session, input: Input, isNew: boolean): Promise<Outcome> {
  const { world, profile } = session;
  const stored = keptProfile(session);
  const requests = input.sealRequests ?? stored.sealing?.requests ?? false;
  const privateKey = await privateKeyFor(session, stored, input, isNew);
  const keep = async () => {
    if (!session.globals.dryRun) await storeSealingKey(world, stored, privateKey);
  };
  // Without a key that somebody brings, the answers to what follows may not open.
  if (input.privateKeyStdin) await keep();
  const platformKey = requests ? await acceptedPlatformKey(session, stored) : stored.sealing?.platformKey;
  const publicKey = publicHalf(privateKey);
  const request = await registration(session, publicKey, input.aesEnvelope);
  if (!input.privateKeyStdin) await keep();
  await session.call(storePublicKey, request, { prints: SHOWN });
  const sealing: SealingSettings = { publicKey, platformKey, requests };
  const changed = await changeProfile(world, profile.name, (kept) => ({ ...(kept ?? stored), sealing }));
  await prove(session, changed);
  await session.note('answers are sealed from now on; every host that calls with this account needs the private key');
  return { result: { data: await shown(session, changed) } };
}

/** A sealed answer opens, by the settings as they are now. */
async function prove({ world, globals }: Session, stored: StoredProfile): Promise<void> {
  try {
    await tryAccount(world, fromStored(stored, world), globals);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError('pending', `the public key is registered, and a read with it failed: ${error.message}`, {
      code: 'SEALING_NOT_PROVEN',
      hint: 'the private key is kept; see how it stands with: fiatrail keys encryption status',
      cause: error,
    });
  }
}

const SHOWN = ['profile', 'answersSealedTo', 'privateKeys', 'requestsSealed', 'platformKey'];

async function shown({ world }: Session, stored: StoredProfile) {
  const { publicKey, platformKey, requests } = stored.sealing ?? { requests: false };
  return {
    profile: stored.name,
    answersSealedTo: publicKey ?? null,
    privateKeys: (await sealingKeysOf(stored, world)).length,
    requestsSealed: requests,
    platformKey: platformKey ?? null,
  };
}

export const enableCommand = command({
  words: ['keys', 'encryption', 'enable'],
  summary: 'Have answers sealed to a key of this profile, and opened as they come',
  details:
    'Makes an X25519 pair, keeps the private key and registers the public one. The service knows no way back to plain answers. A key that is there already is registered again.',
  examples: [
    'fiatrail keys encryption enable',
    'fiatrail keys encryption enable --seal-requests on',
    'fiatrail keys encryption enable --private-key-stdin < key.txt',
  ],
  endpoints: [storePublicKey.id, getPlatformPublicKey.id, getAesKey.id],
  parameters,
  run: (session, input) => seal(session, input, false),
});

export const rotateEncryptionCommand = command({
  words: ['keys', 'encryption', 'rotate'],
  summary: 'Have answers sealed to a new key; the older ones are kept to open what was sealed before',
  examples: ['fiatrail keys encryption rotate'],
  endpoints: [storePublicKey.id, getPlatformPublicKey.id, getAesKey.id],
  parameters,
  run: (session, input) => seal(session, input, true),
});

export const encryptionStatusCommand = command({
  words: ['keys', 'encryption', 'status'],
  summary: 'Show what this profile seals and opens, and whether the key of the service is the one it accepted',
  examples: ['fiatrail keys encryption status', 'fiatrail keys encryption status -o json --query requestsSealed'],
  endpoints: [getPlatformPublicKey.id],
  parameters: {},
  run: async (session) => {
    const stored = keptProfile(session);
    const data = await shown(session, stored);
    try {
      const { data: answered } = await session.call(getPlatformPublicKey, {});
      const isSame = data.platformKey === null ? null : answered.publicKey?.toLowerCase() === data.platformKey;
      return { result: { data: { ...data, platformKeyUnchanged: isSame, answersOpen: true } } };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return { result: { data: { ...data, platformKeyUnchanged: null, answersOpen: false } }, error };
    }
  },
});
