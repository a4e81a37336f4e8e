import * as z from 'zod/mini';
import { serviceNameOf } from '../../account/profile.ts';
import { privateKeyFrom, webhookSecretFrom } from '../../account/profile-secrets.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { getAesKey } from '../../contract/endpoints/management.ts';
import { EVENT_PAYLOADS, readEventData } from '../../contract/event-payloads.ts';
import { eventOf } from '../../contract/events.ts';
import type { OnUncertain } from '../../contract/reading/units.ts';
import type { Account } from '../../engine/account.ts';
import { parseExactJson } from '../../money/decimal.ts';
import { toPlain } from '../../present/plain.ts';
import { command } from '../../terminal/command.ts';
import { duration, option, repeated, switchOn, word } from '../../terminal/parse/parameters.ts';
import { readBody } from '../../webhooks/body.ts';
import { WebhookError } from '../../webhooks/error.ts';
import { eventIn } from '../../webhooks/event.ts';
import { aesKeyOf, privateKeysOf, secretsOf } from '../../webhooks/run/secrets.ts';
import { notEarly, verifyDelivery } from '../../webhooks/verify.ts';

/** A saved HTTP request. */
interface SavedMessage {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** Reads a saved HTTP request: a request line, which may be missing, header lines, an empty line, and the body. Undefined if it is none. */
function messageFrom(text: string): SavedMessage | undefined {
  const end = /\r?\n\r?\n/.exec(text);
  if (!end) return undefined;
  const lines = text.slice(0, end.index).split(/\r?\n/);
  const headerLines = /^[A-Z]+ \S+( HTTP\/[\d.]+)?$/.test(lines[0] ?? '') ? lines.slice(1) : lines;
  const headers = headerLines.map((line) => /^([\w-]+):\s*(.*)$/.exec(line));
  if (headers.length === 0 || headers.includes(null)) return undefined;
  return {
    headers: headers.flatMap((match) => (match ? [[match[1] ?? '', match[2] ?? ''] as const] : [])),
    body: text.slice(end.index + end[0].length),
  };
}

const MAX_BODY_BYTES = 16 * 1024 * 1024;

const file = option('--body <file>', 'file with the exact body; otherwise it is read from standard input', word);
const message = option(
  '--message <file>',
  'file with a saved HTTP request: headers, an empty line, and the body',
  word,
);
const MESSAGE_HINT = 'save a request as: header lines, an empty line, then the body';
const EVENT_HINT = advice`pass the exact body that arrived; see the events with: [fiatrail webhooks inbox list]`;

/** Reads a body, or a whole saved request with its headers. Throws CliError usage. */
async function messageOf(
  { world }: Account,
  { body, message: path }: { readonly body?: string | undefined; readonly message?: string | undefined },
): Promise<SavedMessage> {
  if (body !== undefined && path !== undefined)
    throw new CliError('usage', '--body and --message cannot be combined', { hint: 'a message has its own body' });
  const source = path ?? body;
  const text =
    source === undefined ? await world.stdin.readAll(MAX_BODY_BYTES) : await world.readFile(source, MAX_BODY_BYTES);
  if (path === undefined) return { headers: [], body: text };
  const saved = messageFrom(text);
  if (saved) return saved;
  throw new CliError('usage', 'the file is not a saved HTTP request', { hint: MESSAGE_HINT });
}

/** Parses `Name: value`. Throws CliError usage. */
function header(text: string): readonly [string, string] {
  const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new CliError('usage', 'invalid header; expected NAME: VALUE', { hint: 'for example -H "X-Webhook-ID: VALUE"' });
}

export const verifyCommand = command({
  words: ['webhooks', 'verify'],
  summary: 'Check the signature of a webhook delivery',
  details:
    'The secret is FIATRAIL_WEBHOOK_SECRET, or the profile’s own. The body must be the exact bytes that arrived. A saved delivery is older than the tolerance, so give --any-age for it.',
  examples: [
    'fiatrail webhooks verify --signature "$SIGNATURE" --timestamp "$TIMESTAMP" --body body.json',
    'fiatrail webhooks verify --message delivery.http --any-age -o json',
  ],
  endpoints: [],
  prints: () =>
    z.object({
      verified: z.boolean(),
      event: z.nullable(z.string()),
      webhookId: z.nullable(z.string()),
      sentAt: z.iso.datetime(),
      isLate: z.boolean(),
      serviceName: z.string(),
    }),
  isLocal: true,
  parameters: {
    signature: option('--signature <hex>', 'the signature header', word),
    timestamp: option('--timestamp <time>', 'the timestamp header, exactly as it arrived', word),
    headers: repeated('-H, --header <line>', 'another header, as NAME: VALUE', header),
    body: file,
    message,
    tolerance: option('--tolerance <duration>', 'how old a delivery may be (default 5m)', duration),
    anyAge: switchOn('--any-age', 'accept a delivery of any age if its signature is valid'),
    secretStdin: switchOn('--secret-stdin', 'read the secret from standard input; needs --body or --message'),
  },
  run: async (account, _terminal, { signature, timestamp, headers, tolerance, anyAge, secretStdin, ...source }) => {
    if (secretStdin && source.body === undefined && source.message === undefined)
      throw new CliError('usage', '--secret-stdin leaves no standard input for the body', {
        hint: 'give the body with --body FILE or --message FILE',
      });
    const secrets = secretStdin
      ? [webhookSecretFrom(await account.world.stdin.readAll(4096), 'the secret on standard input')]
      : await secretsOf(account);
    if (secrets.length === 0)
      throw new CliError('usage', 'there is no webhook secret to verify with', {
        code: 'NO_SECRET',
        hint: 'set FIATRAIL_WEBHOOK_SECRET, or give --secret-stdin',
      });
    const saved = await messageOf(account, source);
    const serviceName = serviceNameOf(account.profile, account.world.env);
    const named = serviceName ?? 'service';
    const given = [
      ...saved.headers,
      ...(headers ?? []),
      ...(signature === undefined ? [] : [[`x-${named}-signature`, signature] as const]),
      ...(timestamp === undefined ? [] : [[`x-${named}-timestamp`, timestamp] as const]),
    ];
    const body = Buffer.from(saved.body);
    const options = {
      secrets: secrets.map((each) => each.reveal()),
      toleranceMs: tolerance,
      nowMs: account.world.clock.now(),
    };
    // Header names of another service are right in a saved delivery.
    const service = saved.headers.length > 0 ? {} : { serviceName: named };
    try {
      const verified = notEarly(verifyDelivery({ headers: given, body }, { ...options, ...service }));
      if (verified.isLate && !anyAge) throw new WebhookError('TOO_OLD', 'its signature is valid, but it is too old');
      const { id, sentAtMs, isLate, serviceName: from } = verified;
      const event = eventName(saved.body);
      const data = {
        verified: true,
        event,
        webhookId: id ?? null,
        sentAt: new Date(sentAtMs).toISOString(),
        isLate,
        serviceName: from,
      };
      return { result: { data } };
    } catch (error) {
      throw asRefusal(error);
    }
  },
});

/** Returns the event's name, if the body is a plain event. */
function eventName(text: string): string | null {
  try {
    return eventIn(JSON.parse(text))?.event ?? null;
  } catch {
    return null;
  }
}

const HINTS: Readonly<Partial<Record<WebhookError['code'], string>>> = {
  INVALID_TIMESTAMP: 'give it exactly as it arrived, such as 2026-01-02T03:04:05.678Z',
  INVALID_SIGNATURE: 'give it exactly as it arrived, without a prefix',
  WRONG_SIGNATURE: 'check the secret, and that the body is exactly what arrived, byte for byte',
  TOO_OLD: 'for a saved delivery, add --any-age',
  MISSING_HEADER: 'give it with --signature, --timestamp or --header, or save the whole request for --message',
  FROM_THE_FUTURE: 'compare the clocks of both machines',
};

/** The error of a delivery that is refused. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof WebhookError)) return error;
  const hint = HINTS[error.code];
  return new CliError('rejected', `the delivery is rejected: ${error.message}`, {
    code: error.code,
    ...(hint ? { hint } : {}),
  });
}

/** Returns an event as printed: its fields, with amounts that are not in wire units. `onUncertain` is told what in it is uncertain. */
export function printedEvent(
  text: string,
  onUncertain: OnUncertain = () => {},
): { readonly event: string; readonly data: unknown } & Record<string, unknown> {
  const exact = parseExactJson(text);
  const read = eventIn(exact);
  if (!read) throw new CliError('rejected', 'the body is not an event', { code: 'NOT_AN_EVENT', hint: EVENT_HINT });
  const { event, data, eventId, requestId, userId, fintechId, happenedAt } = read;
  const known = eventOf(event);
  const around = { eventId, requestId, userId, fintechId, happenedAt };
  return {
    event,
    isKnown: known !== undefined,
    ...Object.fromEntries(Object.entries(around).map(([name, value]) => [name, value ?? null])),
    data: known ? toPlain(readEventData(known.name, data, onUncertain), EVENT_PAYLOADS[known.name]()) : toPlain(data),
  };
}

/** Returns an event as printed, and warns of what in it is uncertain. */
export async function eventWithWarnings({ notices: { say } }: Pick<Account, 'notices'>, text: string) {
  const warnings = new Set<string>();
  const event = printedEvent(text, (sentence) => warnings.add(sentence));
  for (const warning of warnings) await say(`warning: ${warning}`);
  return event;
}

export const openCommand = command({
  words: ['webhooks', 'open'],
  summary: 'Decrypt a webhook body and print its event',
  details:
    'Decrypts with the private keys of the profile, older ones too. A body in the older AES-GCM envelope is decrypted with the account’s AES key, which is read from the service or given with --private-key-stdin. Does not check the signature.',
  examples: ['fiatrail webhooks open --body body.json', 'fiatrail webhooks open --message delivery.http -o json'],
  endpoints: [getAesKey.id],
  prints: () =>
    z.object({
      event: z.string(),
      isKnown: z.boolean(),
      eventId: z.nullable(z.string()),
      requestId: z.nullable(z.string()),
      userId: z.nullable(z.string()),
      fintechId: z.nullable(z.string()),
      happenedAt: z.nullable(z.iso.datetime()),
      data: z.unknown(),
      isEncrypted: z.boolean(),
    }),
  isLocal: true,
  parameters: {
    body: file,
    message,
    privateKeyStdin: switchOn(
      '--private-key-stdin',
      'read the private key from standard input; needs --body or --message',
    ),
  },
  run: async (account, _terminal, { privateKeyStdin, ...source }) => {
    if (privateKeyStdin && source.body === undefined && source.message === undefined)
      throw new CliError('usage', '--private-key-stdin leaves no standard input for the body', {
        hint: 'give the body with --body FILE or --message FILE',
      });
    const typed = privateKeyStdin ? [privateKeyFrom(await account.world.stdin.readAll(4096))] : undefined;
    const { body } = await messageOf(account, source);
    const keys = async () => typed ?? privateKeysOf(account);
    const read = await readBody(Buffer.from(body), keys, async () => typed?.[0] ?? aesKeyOf(account));
    if (read.kind !== 'event')
      throw new CliError('rejected', read.problem, {
        code: read.kind === 'encrypted' ? 'CANNOT_BE_DECRYPTED' : 'NOT_AN_EVENT',
        hint:
          read.kind === 'encrypted' ? 'give the key that it is encrypted with, using --private-key-stdin' : EVENT_HINT,
      });
    const data = await eventWithWarnings(account, read.text);
    return { result: { data: { ...data, isEncrypted: read.isEncrypted }, raw: read.text } };
  },
});
