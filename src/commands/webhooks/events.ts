import * as z from 'zod/mini';
import { CliError } from '../../base/errors.ts';
import { EVENT_PAYLOADS } from '../../contract/event-payloads.ts';
import { EVENTS, eventOf } from '../../contract/events.ts';
import { fieldSchema, fieldsOf } from '../../derive/describe.ts';
import { printable } from '../../money/amount.ts';
import { paginationSchema } from '../../present/pagination.ts';
import { command } from '../../terminal/command.ts';
import { nearest } from '../../terminal/parse/nearest.ts';
import { optionalArgument, word } from '../../terminal/parse/parameters.ts';

const COLUMNS = [
  { field: 'name', title: 'Event' },
  { field: 'scope', title: 'About' },
  { field: 'means', title: 'Meaning' },
  { field: 'source', title: 'Source', isWide: true },
] as const;

const FIELDS = [
  { field: 'name', title: 'Field' },
  { field: 'type', title: 'Type' },
  { field: 'source', title: 'Source' },
  { field: 'meaning', title: 'Meaning' },
] as const;

const eventSchema = () =>
  z.object({ name: z.string(), scope: z.enum(['user', 'fintech']), source: z.string(), means: z.string() });

/** Returns an event by either of its names. Throws CliError usage. */
export function eventNamed(text: string) {
  const event = eventOf(text);
  if (event) return event;
  const near = nearest(
    text,
    EVENTS.map(({ name }) => name),
  );
  throw new CliError('usage', `unknown event "${printable(text)}"`, {
    hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'list the events with: fiatrail webhooks events',
  });
}

export const eventsCommand = command({
  words: ['webhooks', 'events'],
  summary: 'List the events of the service, or describe one with its fields',
  examples: ['fiatrail webhooks events', 'fiatrail webhooks events user.onboarded -o json'],
  endpoints: [],
  prints: () =>
    z.union([
      z.object({
        events: z.array(z.extend(eventSchema(), { otherName: z.optional(z.string()) })),
        pagination: paginationSchema(),
      }),
      z.extend(eventSchema(), { otherName: z.nullable(z.string()), fields: z.array(fieldSchema()) }),
    ]),
  isLocal: true,
  parameters: { event: optionalArgument('event', 'event to describe, such as user.onboarded', word) },
  run: async (_session, { event: name }) => {
    if (name === undefined)
      return {
        result: { data: { events: EVENTS }, lists: 'events', list: { isWhole: true }, columns: COLUMNS },
      };
    const { otherName, ...event } = eventNamed(name);
    const fields = fieldsOf(EVENT_PAYLOADS[event.name]());
    const columns = [
      { field: 'name', title: 'Event' },
      { field: 'otherName', title: 'Other name' },
      { field: 'scope', title: 'About' },
      { field: 'means', title: 'Meaning' },
      { field: 'source', title: 'Source' },
      { field: 'fields', title: 'Fields of data', columns: FIELDS },
    ];
    return { result: { data: { ...event, otherName: otherName ?? null, fields }, columns } };
  },
});
