import type { WebhookEvent } from '../contract/event-payloads.ts';
import { endsOf } from './states.ts';
import type { Thing } from './thing.ts';

/** Names of events of which any one would do. */
export type EventNames = readonly WebhookEvent[];

/** What a list says of work, as far as it decides which events it should have caused. */
export interface NotedRow {
  readonly status: string;
  /** The user's permanent bank account, or the account that a deposit was paid into. */
  readonly accountNumber?: string | null | undefined;
  /** Whether the cNGN of an offramp or a payout reached the vault. */
  readonly isTransferred?: boolean;
  /** Whether the sender of a deposit has the name of the account. */
  readonly isSentByOwner?: boolean;
}

/** The events that have come about some work. */
export interface EventsCome {
  has(name: WebhookEvent): boolean;
  /** The account that a deposit was paid into; undefined if nothing says which it was. */
  readonly account: 'temporary' | 'permanent' | undefined;
  /** Whether the account may have been created before the period. */
  readonly isOldAccount: boolean;
}

/** The events that work should have caused; of each list, any one would do. */
export type Due = (row: NotedRow, come: EventsCome) => readonly (EventNames | false)[];

/** The events about a thing. */
export const eventNamesOf = ({ events }: Pick<Thing, 'events'>): EventNames => Object.keys(events) as WebhookEvent[];

const eventsWith = ({ events }: Pick<Thing, 'events'>, outcome: 'settled' | 'failed'): EventNames =>
  eventNamesOf({ events }).filter((name) => events[name]?.outcome === outcome);

/** The events of the end of a row, of which one comes last. */
export function endEventsOf(thing: Pick<Thing, 'events' | 'states'>, status: string): EventNames {
  const { done, failed } = endsOf(thing);
  if (done.includes(status)) return eventsWith(thing, 'settled');
  return failed.includes(status) ? eventsWith(thing, 'failed') : [];
}

/** The events that a row should have caused: what the record says, or the event of its end. What was cancelled causes none. */
export function eventsDue(
  thing: Pick<Thing, 'events' | 'states' | 'due'>,
  row: NotedRow,
  come: EventsCome,
): readonly EventNames[] {
  const due = thing.due?.(row, come) ?? [row.status !== 'cancelled' && endEventsOf(thing, row.status)];
  return due.filter((names) => names !== false && names.length > 0) as EventNames[];
}
