import { CliError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import { changeSecret } from './changes.ts';
import { secretOf } from './profile.ts';
import type { StoredProfile } from './stored-profile.ts';

/** How long a replaced secret still counts, because deliveries signed with it may be under way. Source: inferred. */
const REPLACED_COUNTS_MS = 24 * 60 * 60_000;

/** Longer than any secret of a person; shorter ones are guessed. */
const MAX_LENGTH = 500;
const MIN_LENGTH = 8;

/** Reads a webhook secret as it was given. Throws CliError usage, which never contains it. */
export function webhookSecretFrom(text: string, from: string): Secret {
  const secret = text.replace(/\r?\n$/, '');
  if (secret.length < MIN_LENGTH || secret.length > MAX_LENGTH)
    throw invalid(`${from} has ${secret.length} characters; expected ${MIN_LENGTH} to ${MAX_LENGTH}`);
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(secret) || secret !== secret.trim())
    throw invalid(`${from} contains invisible characters`);
  return new Secret(secret);
}

const invalid = (message: string) =>
  new CliError('usage', message, { code: 'VALIDATION_ERROR', hint: 'give the secret alone, on one line' });

/** A line of the stored text: when the secret was replaced, 0 for the current one, and the secret. */
interface Line {
  readonly replacedMs: number;
  readonly secret: string;
}

const linesOf = (current: Secret | undefined): Line[] =>
  (current?.reveal().split('\n') ?? []).flatMap((line) => {
    const [, replaced, secret] = /^(\d{1,15}) (.+)$/.exec(line) ?? [];
    return secret === undefined ? [] : [{ replacedMs: Number(replaced), secret }];
  });

const textOf = (lines: readonly Line[]) =>
  new Secret(lines.map(({ replacedMs, secret }) => `${replacedMs} ${secret}`).join('\n'));

const counts = ({ replacedMs }: Line, nowMs: number) => replacedMs === 0 || nowMs - replacedMs < REPLACED_COUNTS_MS;

/** Returns the webhook secrets of a profile that count now, the current one first. Throws CliError usage if the store cannot be read. */
export async function webhookSecretsOf(stored: StoredProfile, world: World): Promise<Secret[]> {
  const lines = linesOf(await secretOf(stored, 'webhook-secrets', world));
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
  const change = (linesFrom: (lines: readonly Line[]) => readonly Line[]) =>
    changeSecret(world, stored, 'webhook-secrets', async (current) => textOf(linesFrom(linesOf(await current()))));
  let before: readonly Line[] = [];
  await change((lines) => {
    before = lines;
    const others = lines
      .filter((line) => line.secret !== secret.reveal() && counts(line, nowMs))
      .map((line) => ({ ...line, replacedMs: line.replacedMs || nowMs }));
    return [{ replacedMs: 0, secret: secret.reveal() }, ...others];
  });
  return () => change((lines) => (lines[0]?.secret === secret.reveal() ? before : lines));
}
