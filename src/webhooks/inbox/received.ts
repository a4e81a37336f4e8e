import { eventOf } from '../../contract/events.ts';
import { nodeCrypto } from '../../crypto/digest.ts';
import { hasLongNumber, isJsonObject, parseJson } from '../../money/decimal.ts';
import type { ReadBody } from '../body.ts';
import { eventIn, type ReadEvent } from '../event.ts';

/** How the inbox marks a delivery. `unknown`: an event that the contract does not have. `encrypted`: no key has decrypted it yet. */
export type EventKind = 'event' | 'unknown' | 'encrypted' | 'unreadable';

/** Headers as they arrived: the same names in the same order. */
export type ArrivedHeaders = readonly (readonly [name: string, value: string])[];

/** A verified delivery, as the inbox stores it. */
export interface NewEvent {
  readonly kind: EventKind;
  readonly event: string | undefined;
  readonly eventId: string | undefined;
  readonly requestId: string | undefined;
  readonly userId: string | undefined;
  readonly fintechId: string | undefined;
  readonly webhookId: string | undefined;
  readonly signature: string;
  /** Equal for the same name and data, however they are written and encrypted; of what is no event, for the same body. */
  readonly contentDigest: string;
  readonly isLate: boolean;
  /** Sent in the future, by this machine's clock. */
  readonly isEarly: boolean;
  readonly isEncrypted: boolean;
  readonly headers: ArrivedHeaders;
  readonly body: Uint8Array;
  /** The event's JSON text; undefined if it could not be read. */
  readonly opened: string | undefined;
  readonly problem: string | undefined;
  readonly happenedAt: string | undefined;
  readonly sentAtMs: number;
}

type Headed = Pick<NewEvent, 'signature' | 'webhookId'>;

/** What others must not read in an inbox; the service sends none of it. */
const HIDDEN = /^(?:authorization|proxy-authorization|cookie)$/i;

const isSignature = (name: string) => /-signature$/i.test(name);

/** Writes headers as text. What has a column of its own is left out. */
export function headersText(headers: ArrivedHeaders, { signature, webhookId }: Headed): string {
  const pairs = headers.map(([name, value]) => {
    if (HIDDEN.test(name)) return [name, '***'];
    return value === (isSignature(name) ? signature : webhookId) ? [name] : [name, value];
  });
  return JSON.stringify(pairs);
}

/** Reads what `headersText` wrote. */
export function headersFrom(text: string, { signature, webhookId = '' }: Headed): ArrivedHeaders {
  const pairs = JSON.parse(text) as readonly (readonly [string, string?])[];
  return pairs.map(([name, value = isSignature(name) ? signature : webhookId]) => [name, value]);
}

/** What the body of a delivery says. */
export type Content = Pick<
  NewEvent,
  | 'kind'
  | 'event'
  | 'eventId'
  | 'requestId'
  | 'userId'
  | 'fintechId'
  | 'contentDigest'
  | 'opened'
  | 'problem'
  | 'happenedAt'
>;

/** A text as every database takes it: JSON can write a NUL, and half of a character. */
const storable = (text: string | undefined) => text?.toWellFormed().replaceAll('\0', '\u{fffd}');

/** Describes what a body says for the inbox. */
export function contentOf(read: ReadBody, body: Uint8Array): Content {
  const event = read.kind === 'event' ? read.event : undefined;
  const opened = read.kind === 'event' ? read.text : undefined;
  return {
    kind: kindOf(read),
    event: storable(event?.event),
    eventId: storable(event?.eventId),
    requestId: storable(event?.requestId),
    userId: storable(event?.userId),
    fintechId: storable(event?.fintechId),
    contentDigest: read.kind === 'event' ? digestOfRead(read) : digestOf(body),
    opened,
    problem: read.kind === 'event' ? undefined : read.problem,
    happenedAt: storable(event?.happenedAt),
  };
}

/** Returns the digest of an event's JSON text. Long numbers count with every digit. */
function digestOfText(text: string): string {
  const event = eventIn(parseJson(text));
  return event ? digestOfEvent(event) : digestOf(text);
}

const digestOfEvent = ({ event, data }: ReadEvent) =>
  digestOf(JSON.stringify([eventOf(event)?.name ?? event, sorted(data)]));

/** The same digest of what was parsed already. A text with long numbers is parsed again, because the first time lost digits. */
const digestOfRead = ({ event, text }: ReadBody & { readonly kind: 'event' }) =>
  hasLongNumber(text) ? digestOfText(text) : digestOfEvent(event);

const digestOf = (content: string | Uint8Array) => nodeCrypto().hash('sha256', content, 'base64url');

/** Returns a value with the fields of each object in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

function kindOf(read: ReadBody): EventKind {
  if (read.kind === 'event') return eventOf(read.event.event) ? 'event' : 'unknown';
  return read.kind === 'encrypted' ? 'encrypted' : 'unreadable';
}
