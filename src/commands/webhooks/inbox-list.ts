import * as z from 'zod/mini';
import { CliError } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';
import { openProfileInbox, readProfileInbox } from '../../engine/connection/inbox.ts';
import { cursorOf, listDigest, pointOf } from '../../engine/lists/cursor.ts';
import { DEFAULT_LIMIT } from '../../engine/lists/pages.ts';
import { paginationSchema } from '../../present/prints.ts';
import { command } from '../../terminal/command.ts';
import { choice, pageOptions } from '../../terminal/list-command.ts';
import { id, oneOf, option, optionalArgument, switchOn, wholeNumber } from '../../terminal/parse/parameters.ts';
import { periodOptions, type TypedPeriod, timesOf } from '../../terminal/parse/period.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { InboxEvent, InboxSelection } from '../../webhooks/inbox/events.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import { EVENT_STATES, type EventState } from '../../webhooks/inbox/states.ts';
import { summaryOf } from '../../webhooks/inbox/summary.ts';
import { eventNamed } from './events.ts';
import { printedEvent } from './offline.ts';

const STATES = Object.keys(EVENT_STATES) as [EventState, ...EventState[]];

/** The form of `summaryOf`. */
const summarySchema = () =>
  z.object({
    id: z.int(),
    event: z.nullable(z.string()),
    kind: z.string(),
    requestId: z.nullable(z.string()),
    userId: z.nullable(z.string()),
    eventId: z.nullable(z.string()),
    webhookId: z.nullable(z.string()),
    isLate: z.boolean(),
    isEarly: z.boolean(),
    isEncrypted: z.boolean(),
    problem: z.nullable(z.string()),
    happenedAt: z.nullable(z.iso.datetime()),
    copies: z.int(),
    sentAt: z.iso.datetime(),
    receivedAt: z.iso.datetime(),
    status: z.nullable(z.enum(STATES)),
    quarantined: z.nullable(z.string()),
  });

/** The headers as rows, because their names are data. */
export const headersOf = ({ headers }: InboxEvent) => headers.map(([name, value]) => ({ name, value }));

/** What the commands of the inbox print: a list, the counts by name, an event with its content, and what a target answered. */
const listedSchema = () =>
  z.object({
    events: z.array(summarySchema()),
    pagination: paginationSchema(),
    counts: z.object({ events: z.int(), waiting: z.int(), dead: z.int(), quarantined: z.int(), late: z.int() }),
  });
const countedSchema = () =>
  z.object({
    counts: z.array(z.object({ event: z.nullable(z.string()), kind: z.string(), count: z.int() })),
    pagination: paginationSchema(),
  });
export const contentSchema = () =>
  z.extend(summarySchema(), {
    data: z.unknown(),
    headers: z.array(z.object({ name: z.string(), value: z.string() })),
  });
/** Runs something on the profile's inbox, and closes it. */
export async function withInbox<T>({ world, profile }: Account, run: (inbox: Inbox) => T | Promise<T>): Promise<T> {
  const inbox = await openProfileInbox(world, profile);
  try {
    return await run(inbox);
  } finally {
    await inbox.close();
  }
}

const COLUMNS = [
  { field: 'id', title: 'No.', align: 'right' },
  { field: 'event', title: 'Event' },
  { field: 'receivedAt', title: 'Received' },
  { field: 'requestId', title: 'Request' },
  { field: 'status', title: 'Status' },
  { field: 'kind', title: 'Kind', isWide: true },
  { field: 'userId', title: 'User', isWide: true },
  { field: 'quarantined', title: 'Quarantined for', isWide: true },
  { field: 'isLate', title: 'Late', isWide: true },
  { field: 'copies', title: 'Copies', align: 'right', isWide: true },
] as const;

const COUNT_COLUMNS = [
  { field: 'event', title: 'Event' },
  { field: 'kind', title: 'Kind', isWide: true },
  { field: 'count', title: 'Count', align: 'right' },
] as const;

export const filters = {
  event: option('--event <name>', 'only this event', (text) => eventNamed(text).name),
  requestId: option('--request-id <request-id>', 'only events about this request', id),
  userId: option('--user <user-id>', 'only this user’s', id),
  forwarding: choice('status', STATES),
  kind: option(
    '--kind <kind>',
    'event, unknown, encrypted or unreadable',
    oneOf('event', 'unknown', 'encrypted', 'unreadable'),
  ),
  late: switchOn('--late', 'only events that arrived late or early'),
  ...periodOptions,
};

interface InboxFilters extends TypedPeriod {
  readonly event?: string | undefined;
  readonly requestId?: string | undefined;
  readonly userId?: string | undefined;
  readonly forwarding?: InboxSelection['forwarding'];
  readonly kind?: InboxSelection['kind'];
  readonly late?: boolean | undefined;
}

export function filterOf({ late, since, until, ...rest }: InboxFilters, terminal: Terminal): InboxSelection {
  return { ...rest, ...timesOf({ since, until }, terminal), ...(late ? { isOffTime: true } : {}) };
}

export const PAGE = 500;

/** The rest of a list, newest first. Closes the inbox. */
async function* olderThan(inbox: Inbox, filter: InboxSelection, last: InboxEvent | undefined) {
  try {
    for (let before = last?.id; before !== undefined; ) {
      const page = await inbox.list({ ...filter, limit: PAGE, before });
      yield page.map(summaryOf);
      before = page.length === PAGE ? page.at(-1)?.id : undefined;
    }
  } finally {
    await inbox.close();
  }
}

export const listCommand = command({
  words: ['webhooks', 'inbox', 'list'],
  summary: 'List received events, newest first',
  details: 'With --count, counts the events by name.',
  examples: [
    'fiatrail webhooks inbox list',
    'fiatrail webhooks inbox list --count --since 2026-11-01',
    'fiatrail webhooks inbox list --status dead --all -o ndjson',
  ],
  endpoints: [],
  prints: () => z.union([listedSchema(), countedSchema()]),
  isLocal: true,
  parameters: {
    count: switchOn('--count', 'count the events by name'),
    ...filters,
    ...pageOptions(),
  },
  run: async (account, terminal, { count, limit, after, all, ...given }) => {
    if (!count) return listed(account, filterOf(given, terminal), { limit, after, all }, given);
    if (limit !== undefined || after !== undefined || all)
      throw new CliError('usage', '--count cannot be combined with --limit, --after or --all', {
        hint: 'choose the events to count with --event, --since or another filter',
      });
    const inbox = await readProfileInbox(account.world, account.profile);
    const counts = await inbox.countByName(filterOf(given, terminal));
    await inbox.close();
    return { result: { data: { counts }, lists: 'counts', list: { isWhole: true }, columns: COUNT_COLUMNS } };
  },
});

interface PageOptions {
  readonly limit: number | undefined;
  readonly after: string | undefined;
  readonly all: boolean;
}

async function listed(
  account: Account,
  filter: InboxSelection,
  { limit = DEFAULT_LIMIT, after, all }: PageOptions,
  given: InboxFilters,
) {
  // Open until everything is printed.
  const inbox = await readProfileInbox(account.world, account.profile);
  const { since, until, ...typed } = given;
  const list = listDigest('', 'webhooks inbox list', [typed, since?.text, until?.text]);
  const before = after === undefined ? undefined : numberAt(after, list);
  // One more than the page has, to know whether another one follows.
  const found = await inbox.list({ ...filter, limit: all ? PAGE : limit + 1, before });
  const page = all ? found : found.slice(0, limit);
  const last = page.at(-1);
  const hasMore = found.length > page.length;
  const cursor = hasMore && last ? cursorOf({ list, next: 0, total: null, last: String(last.id) }) : null;
  const data = { events: page.map(summaryOf), counts: await inbox.counts() };
  const hasRest = all && found.length === PAGE;
  const more = hasRest ? { more: olderThan(inbox, filter, last) } : {};
  if (!hasRest) await inbox.close();
  const position = { limit, offset: before === undefined ? 0 : null, hasMore, after: cursor };
  return { result: { data, lists: 'events', list: { isWhole: all, position }, columns: COLUMNS, ...more } };
}

/** Returns the number of the last event of the page before. */
function numberAt(cursor: string, list: string): bigint {
  const { last } = pointOf(cursor, list);
  return /^\d{1,15}$/.test(last ?? '') ? BigInt(last ?? '') : 0n;
}

export const exportCommand = command({
  words: ['webhooks', 'inbox', 'export'],
  summary: 'Print every received event with its content, oldest first',
  details: 'With -o ndjson, prints one JSON object per line. If bodyForm is base64, the body was not UTF-8.',
  examples: [
    'fiatrail webhooks inbox export -o ndjson',
    'fiatrail webhooks inbox export --event user.onboarded -o ndjson',
  ],
  endpoints: [],
  prints: () =>
    z.object({
      events: z.array(z.extend(contentSchema(), { body: z.string(), bodyForm: z.enum(['text', 'base64']) })),
      pagination: paginationSchema(),
    }),
  isLocal: true,
  parameters: {
    from: optionalArgument('event', 'number of the first event to print', wholeNumber(1, 1e15)),
    ...filters,
  },
  run: async (account, terminal, { from = 1, ...given }) => {
    const inbox = await readProfileInbox(account.world, account.profile);
    const filter = filterOf(given, terminal);
    const after = BigInt(from) - 1n;
    const first = await inbox.list({ ...filter, limit: PAGE, after });
    const data = { events: first.map(exported) };
    const more = first.length === PAGE ? { more: newerThan(inbox, filter, first.at(-1)) } : {};
    if (first.length < PAGE) await inbox.close();
    return { result: { data, lists: 'events', list: { isWhole: true }, ...more } };
  },
});

function exported(event: InboxEvent) {
  const { data = null } = event.text === null ? {} : printedEvent(event.text);
  const text = Buffer.from(event.body).toString('utf8');
  const isText = Buffer.from(text).equals(event.body);
  const body = isText ? text : Buffer.from(event.body).toString('base64');
  return { ...summaryOf(event), data, headers: headersOf(event), body, bodyForm: isText ? 'text' : 'base64' };
}

/** The rest of an export. Closes the inbox. */
async function* newerThan(inbox: Inbox, filter: InboxSelection, last: InboxEvent | undefined) {
  try {
    for (let after = last?.id; after !== undefined; ) {
      const page = await inbox.list({ ...filter, limit: PAGE, after });
      yield page.map(exported);
      after = page.length === PAGE ? page.at(-1)?.id : undefined;
    }
  } finally {
    await inbox.close();
  }
}
