import { sandboxEvent, sandboxEventResend, sandboxEvents } from '../../contract/control-events.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { command } from '../../terminal/command.ts';
import { argument, id, oneOf, option, wholeNumber, word } from '../../terminal/parse/parameters.ts';
import { requireSandbox } from './only.ts';

const COLUMNS = [
  { field: 'eventId', title: 'Event ID' },
  { field: 'event', title: 'Event' },
  { field: 'createdAt', title: 'When' },
  { field: 'state', title: 'Delivery' },
  { field: 'attempts', title: 'Attempts', align: 'right' },
  { field: 'requestId', title: 'Request', isWide: true },
  { field: 'dueAt', title: 'Next attempt', isWide: true },
] as const;

const eventId = argument('event-id', 'event id, from sandbox events list', id);

const listCommand = command({
  words: ['sandbox', 'events', 'list'],
  summary: 'List the events of the sandbox, newest first, and how their delivery stands',
  details: 'A delivery of none means that no webhook subscribed to the event when it happened; see webhooks show.',
  examples: ['fiatrail sandbox events list', 'fiatrail sandbox events list --state given-up -o json'],
  endpoints: [sandboxEvents.id],
  prints: { response: sandboxEvents },
  parameters: {
    limit: option('--limit <count>', 'maximum number of events (default 20)', wholeNumber(1, 1000)),
    offset: option('--offset <count>', 'number of newer events to leave out', wholeNumber(0, 1_000_000_000)),
    event: option('--event <name>', 'only this event', word),
    requestId: option('--request-id <request-id>', 'only events that this request caused', id),
    state: option(
      '--state <state>',
      'only none, waiting, delivered or given-up',
      oneOf('none', 'waiting', 'delivered', 'given-up'),
    ),
  },
  run: async (session, input) => {
    requireSandbox(session);
    return outcomeOf(session, sandboxEvents, await session.call(sandboxEvents, input), { columns: COLUMNS });
  },
});

const showCommand = command({
  words: ['sandbox', 'events', 'show'],
  summary: 'Show an event, and every attempt to deliver it',
  examples: ['fiatrail sandbox events show EVENT_ID', 'fiatrail sandbox events show EVENT_ID -o json --query log'],
  endpoints: [sandboxEvent.id],
  prints: { response: sandboxEvent },
  parameters: { eventId },
  run: async (session, input) => {
    requireSandbox(session);
    return outcomeOf(session, sandboxEvent, await session.call(sandboxEvent, input));
  },
});

const resendCommand = command({
  words: ['sandbox', 'events', 'resend'],
  summary: 'Deliver an event again, under the same id',
  examples: ['fiatrail sandbox events resend EVENT_ID', 'fiatrail sandbox events resend EVENT_ID -o json'],
  endpoints: [sandboxEventResend.id],
  prints: { response: sandboxEventResend },
  parameters: { eventId },
  run: async (session, input) => {
    requireSandbox(session);
    const reply = await session.call(sandboxEventResend, input);
    return outcomeOf(session, sandboxEventResend, reply, { columns: COLUMNS });
  },
});

export const eventCommands = [listCommand, showCommand, resendCommand];
