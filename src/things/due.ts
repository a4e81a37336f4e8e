import type { WebhookEvent } from '../contract/event-payloads.ts';
import { endsOf } from './states.ts';
import type { EventNames, EventsCome, NotedRow, Thing } from './thing.ts';

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
