import { sandboxEvent, sandboxEventResend, sandboxEvents } from '../../contract/control.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { listed } from '../../engine/lists/listed.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { command } from '../../terminal/command.ts';
import { choice, listOptions } from '../../terminal/list-command.ts';
import { argument, id, option, picked, word } from '../../terminal/parse/parameters.ts';
import { periodOf, periodOptions } from '../../terminal/parse/period.ts';
import { requireSandbox } from './require-sandbox.ts';

const COLUMNS = [
  { field: 'eventId', title: 'Event ID' },
  { field: 'event', title: 'Event' },
  { field: 'createdAt', title: 'When' },
  { field: 'state', title: 'Status' },
  { field: 'attempts', title: 'Attempts', align: 'right' },
  { field: 'requestId', title: 'Request', isWide: true },
  { field: 'dueAt', title: 'Next attempt', isWide: true },
] as const;

const eventId = picked('sandbox event', argument('event-id', 'event id, from sandbox events list', id, 'Which event?'));

type SandboxEvent = ResponseOf<typeof sandboxEvents>['events'][number];

const listCommand = command({
  words: ['sandbox', 'events', 'list'],
  summary: 'List the events of the sandbox, newest first, with their delivery status',
  details: 'Status none means that no webhook was subscribed to the event; see: fiatrail webhooks show',
  examples: ['fiatrail sandbox events list', 'fiatrail sandbox events list --status given-up -o json'],
  endpoints: [sandboxEvents.id],
  prints: { response: sandboxEvents },
  parameters: {
    event: option('--event <name>', 'only this event', word),
    requestId: option('--request-id <request-id>', 'only events about this request', id),
    state: choice('status', ['none', 'waiting', 'delivered', 'given-up']),
    ...periodOptions,
    ...listOptions(),
  },
  run: async (account, terminal, { event, requestId, state, ...page }) => {
    requireSandbox(account);
    return listed(
      account,
      {
        endpoint: sandboxEvents,
        columns: COLUMNS,
        request: ({ size, offset }) => ({ event, requestId, state, limit: size, offset }),
        rowsOf: ({ events }) => events,
        totalOf: ({ total }) => total,
        idOf: (row: SandboxEvent) => row.eventId,
        timeOf: (row: SandboxEvent) => row.createdAt,
      },
      page,
      periodOf(page, terminal),
    );
  },
});

const showCommand = command({
  words: ['sandbox', 'events', 'show'],
  summary: 'Show an event and every attempt to deliver it',
  examples: ['fiatrail sandbox events show EVENT_ID', 'fiatrail sandbox events show EVENT_ID -o json --query log'],
  endpoints: [sandboxEvent.id],
  prints: { response: sandboxEvent },
  parameters: { eventId },
  run: async (account, _terminal, input) => {
    requireSandbox(account);
    return outcomeOf(account, sandboxEvent, await account.call(sandboxEvent, input));
  },
});

const resendCommand = command({
  words: ['sandbox', 'events', 'resend'],
  summary: 'Deliver an event again, under the same id',
  examples: ['fiatrail sandbox events resend EVENT_ID', 'fiatrail sandbox events resend EVENT_ID -o json'],
  endpoints: [sandboxEventResend.id],
  prints: { response: sandboxEventResend },
  parameters: { eventId },
  run: async (account, _terminal, input) => {
    requireSandbox(account);
    const reply = await account.call(sandboxEventResend, input);
    return outcomeOf(account, sandboxEventResend, reply, { columns: COLUMNS });
  },
});

export const eventCommands = [listCommand, showCommand, resendCommand];
