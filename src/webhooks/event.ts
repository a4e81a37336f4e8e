/** An event as the body of a delivery says it, whatever form the body has. */
export interface ReadEvent {
  /** As the service wrote it; the contract may not know it. */
  readonly event: string;
  /** What happened. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Equal in every delivery of one event; only in the newest form. */
  readonly eventId: string | undefined;
  /** The operation that caused the event. */
  readonly requestId: string | undefined;
  /** The user whom it is about. */
  readonly userId: string | undefined;
  /** The account. */
  readonly fintechId: string | undefined;
  /** When it happened, as text. */
  readonly happenedAt: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The fields with the name and the content in each form: interface.md's, the newest public one, and two retired ones. Source:
 * interface, public, public, public.
 */
const FORMS: readonly (readonly [name: string, content: string])[] = [
  ['event', 'data'],
  ['eventType', 'payload'],
  ['notify', 'Data'],
];

/** Reads an event from parsed JSON; undefined if it is none. */
export function eventIn(json: unknown): ReadEvent | undefined {
  if (!isObject(json)) return undefined;
  // A body may have the fields of two forms; each has its own name and its own content.
  const name = firstText(json, ...FORMS.map(([each]) => each));
  const data = FORMS.map(([, each]) => json[each]).find(isObject);
  if (name === undefined || data === undefined) return undefined;
  return {
    event: name,
    data,
    eventId: firstText(json, 'eventId'),
    requestId: firstText(json, 'requestId') ?? firstText(data, 'requestId', 'depositId', 'transaction_id'),
    userId: firstText(json, 'userId') ?? firstText(data, 'userId'),
    fintechId: firstText(json, 'fintechId'),
    happenedAt: firstText(json, 'timestamp') ?? firstText(data, 'timestamp', 'Timestamp'),
  };
}

function firstText(json: Json, ...names: readonly string[]): string | undefined {
  return names.map((name) => json[name]).find((value): value is string => typeof value === 'string' && value !== '');
}
