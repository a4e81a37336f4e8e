import { CliError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import { slowHash } from '../crypto/digest.ts';
import { privateKeyProblem } from '../crypto/sealed-box.ts';
import { changeSecret } from './changes.ts';
import { type Profile, secretOf, storedOrBuiltIn } from './profile.ts';
import type { StoredProfile } from './stored-profile.ts';

/** Validates the text of a private key. Throws CliError usage, which never contains the text. */
export function privateKeyFrom(text: string): Secret {
  const key = new Secret(text.trim().toLowerCase());
  if (privateKeyProblem(key) === undefined) return key;
  throw new CliError(
    'usage',
    `invalid private key: expected 64 hexadecimal digits, got ${text.trim().length} characters`,
    {
      code: 'INVALID_PRIVATE_KEY',
      hint: 'pass the 64 hexadecimal digits of an X25519 private key on standard input',
    },
  );
}

/** Returns a profile's private keys, newest first. Throws CliError usage if the store cannot be read. */
export async function encryptionKeysOf(stored: StoredProfile, world: World): Promise<Secret[]> {
  return linesOf(await secretOf(stored, 'encryption-keys', world)).map((line) => new Secret(line));
}

const linesOf = (current: Secret | undefined) => (current?.reveal().split('\n') ?? []).filter((line) => line !== '');

/** Adds a private key in front of the stored ones, which still open older payloads. */
export async function storeEncryptionKey(world: World, stored: StoredProfile, key: Secret): Promise<void> {
  await changeSecret(world, stored, 'encryption-keys', async (current) => {
    const older = linesOf(await current()).filter((line) => line !== key.reveal());
    return new Secret([key.reveal(), ...older].join('\n'));
  });
}

/** How long a replaced secret still counts, because deliveries signed with it may be under way. Source: inferred. */
const REPLACED_COUNTS_MS = 24 * 60 * 60_000;

/** Longer than any secret of a person. */
const MAX_LENGTH = 500;
/** Shorter secrets are guessed, but the service sets no minimum. */
const MIN_SAFE_LENGTH = 8;

/** Reads a webhook secret as it was given. Throws CliError usage, which never contains it. */
export function webhookSecretFrom(text: string, from: string): Secret {
  const secret = text.replace(/\r?\n$/, '');
  if (secret.length < 1 || secret.length > MAX_LENGTH)
    throw invalid(`${from} has ${secret.length} characters; expected 1 to ${MAX_LENGTH}`);
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(secret) || secret !== secret.trim())
    throw invalid(`${from} contains invisible characters`);
  return new Secret(secret);
}

/** Whether a webhook secret is so short that others can guess it, and then sign events themselves. */
export const isShortSecret = (secret: Secret) => secret.reveal().length < MIN_SAFE_LENGTH;

const invalid = (message: string) =>
  new CliError('usage', message, { code: 'VALIDATION_ERROR', hint: 'give the secret alone, on one line' });

/** A line of the stored text: when the secret was replaced, 0 for the current one, and the secret. */
interface WebhookLine {
  readonly replacedMs: number;
  readonly secret: string;
}

const webhookLinesOf = (current: Secret | undefined): WebhookLine[] =>
  linesOf(current).flatMap((line) => {
    const [, replaced, secret] = /^(\d{1,15}) (.+)$/.exec(line) ?? [];
    return secret === undefined ? [] : [{ replacedMs: Number(replaced), secret }];
  });

const textOf = (lines: readonly WebhookLine[]) =>
  new Secret(lines.map(({ replacedMs, secret }) => `${replacedMs} ${secret}`).join('\n'));

const counts = ({ replacedMs }: WebhookLine, nowMs: number) =>
  replacedMs === 0 || nowMs - replacedMs < REPLACED_COUNTS_MS;

/** Returns the webhook secrets of a profile that count now, the current one first. Throws CliError usage if the store cannot be read. */
export async function webhookSecretsOf(stored: StoredProfile, world: World): Promise<Secret[]> {
  const lines = webhookLinesOf(await secretOf(stored, 'webhook-secrets', world));
  return lines.filter((line) => counts(line, world.clock.now())).map(({ secret }) => new Secret(secret));
}

/**
 * Makes a secret the current one; the one before it counts for another day. Returns how to undo this, for a secret that the service does
 * not accept. Nothing is undone once another secret was stored.
 */
export async function storeWebhookSecret(
  world: World,
  stored: StoredProfile,
  secret: Secret,
): Promise<() => Promise<void>> {
  const nowMs = world.clock.now();
  const change = (linesFrom: (lines: readonly WebhookLine[]) => readonly WebhookLine[]) =>
    changeSecret(world, stored, 'webhook-secrets', async (current) =>
      textOf(linesFrom(webhookLinesOf(await current()))),
    );
  let before: readonly WebhookLine[] = [];
  await change((lines) => {
    before = lines;
    const others = lines
      .filter((line) => line.secret !== secret.reveal() && counts(line, nowMs))
      .map((line) => ({ ...line, replacedMs: line.replacedMs || nowMs }));
    return [{ replacedMs: 0, secret: secret.reveal() }, ...others];
  });
  return () => change((lines) => (lines[0]?.secret === secret.reveal() ? before : lines));
}

const KEY_BYTES = 32;

/**
 * Returns what a profile recognizes secret inputs by, when they are given again: a slow hash under a random key in the profile's secret
 * store, which the first secret input creates. Undefined for an account from the environment, which stores nothing. Throws CliError usage
 * if the store fails.
 */
export async function markOfSecrets(
  world: World,
  profile: Profile,
  secrets: readonly string[],
): Promise<string | undefined> {
  const stored = storedOrBuiltIn(profile);
  return stored && slowHash(await recognitionKey(world, stored), JSON.stringify(secrets));
}

async function recognitionKey(world: World, stored: StoredProfile): Promise<Secret> {
  const storedKey = await secretOf(stored, 'recognition-key', world);
  if (storedKey) return storedKey;
  let key = new Secret(Buffer.from(world.ids.bytes(KEY_BYTES)).toString('base64url'));
  await changeSecret(world, stored, 'recognition-key', async (before) => {
    // Another command may have created one since.
    key = (await before()) ?? key;
    return key;
  });
  return key;
}
