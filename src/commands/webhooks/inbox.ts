import * as z from 'zod/mini';
import { CliError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { getAesKey } from '../../contract/endpoints/management.ts';
import { shownTarget } from '../../engine/inbox.ts';
import { endDryRun } from '../../engine/requests.ts';
import { timeText } from '../../present/times.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import {
  argument,
  duration,
  id,
  oneOf,
  option,
  optionalArgument,
  required,
  switchOn,
} from '../../terminal/parse/parameters.ts';
import { objectOf, properties } from '../../terminal/parse/properties.ts';
import type { Session } from '../../terminal/session.ts';
import { readBody } from '../../webhooks/body.ts';
import { eventIn } from '../../webhooks/event.ts';
import type { InboxEvent } from '../../webhooks/inbox/events.ts';
import { isTaken } from '../../webhooks/inbox/forwards.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import { contentOf } from '../../webhooks/inbox/received.ts';
import { sendTo } from '../../webhooks/listen/sending.ts';
import { setAt } from './events.ts';
import { contentSchema, exportCommand, headersOf, listCommand, PAGE, summaryOf, withInbox } from './inbox-list.ts';
import { aesKeyOf, printedEvent, privateKeysOf } from './offline.ts';
import { resigningOf, targetUrl } from './targets.ts';

/** Finds an event. Throws CliError usage. */
function findEvent(inbox: Inbox, text: string): InboxEvent {
  const [event, ...others] = inbox.find(text);
  if (event && others.length === 0) return event;
  throw new CliError('usage', event ? 'more than one event matches this id' : 'the inbox has no such event', {
    hint: 'list the events with: fiatrail webhooks inbox list',
  });
}

const EVENT = argument('event', 'number of the event, or the start of its event id or webhook id', id);

const forwardSchema = () =>
  z.object({
    target: z.string(),
    attempts: z.int(),
    status: z.nullable(z.int()),
    problem: z.nullable(z.string()),
    state: z.enum(['waiting', 'acknowledged', 'dead']),
    dueAt: z.nullable(z.iso.datetime()),
  });
const sentSchema = () =>
  z.object({
    event: z.nullable(z.string()),
    to: z.string(),
    status: z.nullable(z.int()),
    problem: z.nullable(z.string()),
  });

const showCommand = command({
  words: ['webhooks', 'inbox', 'show'],
  summary: 'Show a received event with its content',
  details:
    'The headers are as they arrived. With -o raw, a file or a pipe gets the exact bytes of the body, and a terminal what it can show of them.',
  examples: ['fiatrail webhooks inbox show 12', 'fiatrail webhooks inbox show 12 -o json --query data'],
  endpoints: [],
  prints: () => z.extend(contentSchema(), { forwards: z.array(forwardSchema()) }),
  isLocal: true,
  parameters: { event: EVENT },
  run: async (session, { event: name }) =>
    withInbox(session, (inbox) => {
      const event = findEvent(inbox, name);
      const { data = null } = event.text === null ? {} : printedEvent(event.text);
      const forwards = event.forwards.map(({ target, dueAtMs, state, ...rest }) => ({
        target: shownTarget(target),
        ...rest,
        state,
        dueAt: state === 'waiting' ? new Date(dueAtMs).toISOString() : null,
      }));
      const shown = { ...summaryOf(event), data, headers: headersOf(event), forwards };
      return { result: { data: shown, raw: Buffer.from(event.body).toString('utf8'), exact: event.body } };
    }),
});

const replayCommand = command({
  words: ['webhooks', 'inbox', 'replay'],
  summary: 'Send a received event to a URL again',
  details:
    'Sends the exact body and headers that arrived. A target that checks the age needs --resign. --set changes the content, which also needs --resign.',
  examples: [
    'fiatrail webhooks inbox replay 12 --target http://127.0.0.1:3000/webhooks',
    'fiatrail webhooks inbox replay 12 --target http://127.0.0.1:3000/webhooks --resign service --set amount=1',
  ],
  endpoints: [],
  prints: () => z.extend(sentSchema(), { id: z.int() }),
  isLocal: true,
  parameters: {
    event: EVENT,
    to: required('--target <url>', 'URL that receives it', targetUrl, 'Target URL:'),
    resign: option(
      '--resign <form>',
      'sign again with FIATRAIL_FORWARD_SECRET: service or standard',
      oneOf('service', 'standard'),
    ),
    set: properties('--set', 'field of the content to change, such as deposit.amount'),
  },
  run: async (session, { event: name, to, resign, set }) =>
    withInbox(session, async (inbox) => {
      const { world, profile } = session;
      const event = findEvent(inbox, name);
      const changes = objectOf(set);
      const resigning = resigningOf(resign, world, profile);
      if (changes && !resigning)
        throw new CliError('usage', '--set needs --resign: the service’s signature covers the content', {
          hint: 'add --resign service or --resign standard',
        });
      const sent = changes ? changed(event, changes) : event;
      endDryRun(session, { to, event: event.event, body: Buffer.from(sent.body).toString('utf8') });
      const { exchange, clock } = { exchange: world.network, clock: world.clock };
      const end = await sendTo(to, sent, { exchange, clock, resign: resigning }, world.interrupted);
      const { status, problem } = end;
      const data = { id: Number(event.id), event: event.event, to, status: status ?? null, problem: problem ?? null };
      if (isTaken(end)) return { result: { data } };
      const why = problem ?? `it answered HTTP ${status}`;
      const error = new CliError('refused', `the target did not take the event: ${why}`, { code: 'NOT_TAKEN' });
      return { result: { data }, error };
    }),
});

/** Returns an event with some fields of its content changed; a dotted name is a path. Throws CliError usage. */
function changed(event: InboxEvent, changes: Readonly<Record<string, unknown>>): InboxEvent {
  if (event.text === null)
    throw new CliError('usage', 'this event could not be read, so nothing in it can be changed', {
      hint: `look at it with: fiatrail webhooks inbox show ${event.id}`,
    });
  const body = JSON.parse(event.text) as Record<string, unknown>;
  const content = (eventIn(body)?.data ?? {}) as Record<string, unknown>;
  for (const [path, value] of Object.entries(changes)) setAt(content, path.split('.'), value);
  const text = JSON.stringify(body);
  return { ...event, body: Buffer.from(text), text };
}

/** Opens sealed events for which there is a key now, or one of them. Returns how many. */
async function openSealed(session: Session, inbox: Inbox, only?: InboxEvent): Promise<number> {
  const keys = await privateKeysOf(session);
  // Read once, and only if there is such a body. Without it, the events stay sealed.
  let reading: Promise<Secret | undefined> | undefined;
  const aesKey = () => {
    reading ??= aesKeyOf(session).catch(() => undefined);
    return reading;
  };
  let opened = 0;
  for (let after = 0n; ; ) {
    const page = inbox.list({ limit: PAGE, after, mark: 'sealed' });
    for (const sealed of page) {
      if (only && sealed.id !== only.id) continue;
      const read = await readBody(sealed.body, keys, aesKey);
      if (read.kind !== 'event') continue;
      inbox.open(sealed, contentOf(read, sealed.body));
      opened += 1;
    }
    if (page.length < PAGE) break;
    after = page.at(-1)?.id ?? after;
  }
  return opened;
}

/** Parses a target's name: a URL, or `exec:` and a command. Throws CliError usage. */
const targetName = (text: string): string => (text.startsWith('exec:') ? text : targetUrl(text));

const redriveCommand = command({
  words: ['webhooks', 'inbox', 'redrive'],
  summary: 'Forward dead and held events, and open sealed ones',
  details:
    'Without an argument, dead events are forwarded again, and sealed ones are opened if the profile has a key for them by now. --late also forwards events that are held because they came late or early. An event that is given is forwarded whatever it is held for: first look at it with webhooks inbox show. A running webhooks listen forwards all of them at once; otherwise the next one does.',
  examples: [
    'fiatrail webhooks inbox redrive --late',
    'fiatrail webhooks inbox redrive 12',
    'fiatrail webhooks inbox redrive --target http://127.0.0.1:3000/webhooks',
  ],
  endpoints: [getAesKey.id],
  prints: () => z.object({ redriven: z.int(), released: z.int(), opened: z.int() }),
  isLocal: true,
  parameters: {
    event: optionalArgument('event', 'only this event: its number, or the start of its event id or webhook id', id),
    to: option('--target <target>', 'only for this URL, or for exec:COMMAND', targetName),
    late: switchOn('--late', 'also events that are held because they came late or early'),
  },
  run: async (session, { event: name, to, late }) =>
    withInbox(session, async (inbox) => {
      const event = name === undefined ? undefined : findEvent(inbox, name);
      const { dead, held } = inbox.counts();
      endDryRun(session, { event: event ? Number(event.id) : null, to: to ?? null, dead, held });
      const opened = await openSealed(session, inbox, event);
      const chosen = { target: to, event: event?.id, isOffTime: late };
      return { result: { data: { ...inbox.forwards.redrive(chosen), opened } } };
    }),
});

const pruneCommand = command({
  words: ['webhooks', 'inbox', 'prune'],
  summary: 'Delete old events that need nothing more',
  details:
    'Events that are held, wait to be forwarded or are dead are kept, and so is what tells a copy of a deleted event.',
  examples: [
    'fiatrail webhooks inbox prune --older-than 90d --yes',
    'fiatrail webhooks inbox prune --older-than 30d --dry-run',
  ],
  endpoints: [],
  prints: () => z.object({ pruned: z.int(), before: z.iso.datetime() }),
  isLocal: true,
  parameters: { olderThan: required('--older-than <duration>', 'such as 90d', duration, 'Older than:') },
  run: async (session, { olderThan }) => {
    const beforeMs = session.world.clock.now() - olderThan;
    const before = new Date(beforeMs).toISOString();
    endDryRun(session, { before });
    const shown = timeText(before, session.globals) ?? before;
    await confirmChange(session, {
      summary: `delete the events received before ${shown}`,
      lines: [['before', shown]],
    });
    return withInbox(session, (inbox) => ({ result: { data: { pruned: inbox.prune(beforeMs), before } } }));
  },
});

export const inboxCommands = [listCommand, showCommand, replayCommand, redriveCommand, pruneCommand, exportCommand];
