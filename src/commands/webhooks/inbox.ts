import * as z from 'zod/mini';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { getAesKey } from '../../contract/endpoints/management.ts';
import type { Account } from '../../engine/account.ts';
import { shownTarget } from '../../engine/connection/inbox.ts';
import { endDryRun } from '../../engine/requests.ts';
import { timeText } from '../../present/times.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import { objectOf, properties } from '../../terminal/parse/field-options.ts';
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
import type { Terminal } from '../../terminal/terminal.ts';
import { readBody } from '../../webhooks/body.ts';
import { eventIn } from '../../webhooks/event.ts';
import type { InboxEvent, InboxSelection } from '../../webhooks/inbox/events.ts';
import { type ForwardEnd, isTaken } from '../../webhooks/inbox/forwards.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import { contentOf } from '../../webhooks/inbox/received.ts';
import { summaryOf } from '../../webhooks/inbox/summary.ts';
import { sendTo } from '../../webhooks/listen/sending.ts';
import { aesKeyOf, privateKeysOf } from '../../webhooks/run/secrets.ts';
import { setAt } from './events.ts';
import {
  contentSchema,
  exportCommand,
  filterOf,
  filters,
  headersOf,
  listCommand,
  PAGE,
  withInbox,
} from './inbox-list.ts';
import { eventWithWarnings } from './offline.ts';
import { CHECK_TARGET, resigningOf, targetName, targetUrl } from './targets.ts';

/** Finds an event. Throws CliError usage. */
async function findEvent(inbox: Inbox, text: string): Promise<InboxEvent> {
  const [event, ...others] = await inbox.find(text);
  if (event && others.length === 0) return event;
  throw new CliError('usage', event ? 'more than one event matches this id' : 'the inbox has no such event', {
    hint: advice`list the events with: [fiatrail webhooks inbox list]`,
  });
}

const sentSchema = () =>
  z.object({
    id: z.int(),
    event: z.nullable(z.string()),
    to: z.string(),
    status: z.nullable(z.int()),
    problem: z.nullable(z.string()),
  });

/** `left` were not tried, because the target took none of the last ones. */
const severalSchema = () =>
  z.object({ to: z.string(), acknowledged: z.int(), rejected: z.array(sentSchema()), left: z.int() });

const sentOf = (to: string, { id: number, event }: InboxEvent, { status, problem }: ForwardEnd) => ({
  id: Number(number),
  event,
  to,
  status: status ?? null,
  problem: problem ?? null,
});

const replayCommand = command({
  words: ['webhooks', 'inbox', 'replay'],
  summary: 'Send received events to a URL again',
  details:
    'Sends the exact body and headers that arrived. If the target rejects old events, add --resign. --set changes the content and also needs --resign. Give a filter instead of an event to send all events that match, in order of arrival. Lists the events that the target does not accept, and stops after 10 in a row.',
  examples: [
    'fiatrail webhooks inbox replay 12 --target http://127.0.0.1:3000/webhooks',
    'fiatrail webhooks inbox replay 12 --target http://127.0.0.1:3000/webhooks --resign service --set amount=1',
    'fiatrail webhooks inbox replay --since 24h --event swap.completed --target http://127.0.0.1:3000/webhooks --resign service',
  ],
  endpoints: [],
  prints: () => z.union([sentSchema(), severalSchema()]),
  isLocal: true,
  parameters: {
    name: optionalArgument('event', 'number of the event, or the start of its event id or webhook id', id),
    to: required('--target <url>', 'URL that receives it', targetUrl, 'Target URL:'),
    resign: option(
      '--resign <form>',
      'sign again with FIATRAIL_FORWARD_SECRET, in the form service or standard (Standard Webhooks)',
      oneOf('service', 'standard'),
    ),
    set: properties('--set', 'field of the content to change, such as deposit.amount'),
    ...filters,
  },
  run: async (account, terminal, { name, to, resign, set, ...given }) =>
    withInbox(account, async (inbox) => {
      const { world, profile } = account;
      const isFiltered = Object.values(given).some((each) => each !== undefined && each !== false);
      if ((name === undefined) !== isFiltered)
        throw new CliError('usage', 'give either an event, or a filter such as --since or --status', {
          hint: advice`for example: [fiatrail webhooks inbox replay 12 --target URL]`,
        });
      const changes = objectOf(set);
      const resigning = resigningOf(resign, world, profile);
      if (changes && (!resigning || name === undefined))
        throw new CliError('usage', '--set needs one event and --resign: the service’s signature covers the content', {
          hint: 'add --resign service or --resign standard',
        });
      const send = (event: InboxEvent) =>
        sendTo(to, event, { exchange: world.network, clock: world.clock, resign: resigning }, world.interrupted);
      if (name === undefined)
        return replayAll(account, terminal, inbox, { to, filter: filterOf(given, terminal), send });
      const event = await findEvent(inbox, name);
      const sent = changes ? changed(event, changes) : event;
      endDryRun(account, { to, event: event.event, body: Buffer.from(sent.body).toString('utf8') });
      const end = await send(sent);
      const data = sentOf(to, event, end);
      if (isTaken(end)) return { result: { data } };
      const why = data.problem ?? `it responded with HTTP ${data.status}`;
      const error = new CliError('rejected', `the target did not acknowledge the event: ${why}`, {
        code: 'NOT_ACKNOWLEDGED',
        hint: CHECK_TARGET,
      });
      return { result: { data }, error };
    }),
});

/** A target that takes none of so many in a row takes none of the others either. */
const MOST_REFUSED = 10;
/** The longest wait that a target can ask for. */
const LONGEST_WAIT_MS = 60_000;

interface Replay {
  readonly to: string;
  readonly filter: InboxSelection;
  send(event: InboxEvent): Promise<ForwardEnd>;
}

/** Sends the events of a filter one after the other, once a person agrees. */
async function replayAll(account: Account, terminal: Terminal, inbox: Inbox, { to, filter, send }: Replay) {
  const { clock, interrupted } = account.world;
  const count = (await inbox.countByName(filter)).reduce((sum, each) => sum + each.count, 0);
  endDryRun(account, { to, events: count });
  const many = `${count} ${count === 1 ? 'event' : 'events'}`;
  if (count > 0)
    await confirmChange(terminal.dialog, {
      summary: `send ${many} again`,
      lines: [
        ['to', to],
        ['events', String(count)],
      ],
    });
  const rejected: ReturnType<typeof sentOf>[] = [];
  let [acknowledged, inARow] = [0, 0];
  // What arrives meanwhile is not sent.
  const untilId = (await inbox.extent())?.latestId ?? 0n;
  for (let after = 0n; inARow < MOST_REFUSED; ) {
    const page = (await inbox.list({ ...filter, limit: PAGE, after })).filter(({ id: number }) => number <= untilId);
    for (const event of page) {
      if (inARow === MOST_REFUSED) break;
      const end = await send(event);
      interrupted.throwIfAborted();
      after = event.id;
      [acknowledged, inARow] = isTaken(end) ? [acknowledged + 1, 0] : [acknowledged, inARow + 1];
      if (!isTaken(end)) rejected.push(sentOf(to, event, end));
      if (end.retryAfterMs !== undefined) await clock.sleep(Math.min(end.retryAfterMs, LONGEST_WAIT_MS), interrupted);
    }
    if (page.length < PAGE) break;
  }
  const data = { to, acknowledged, rejected, left: count - acknowledged - rejected.length };
  if (rejected.length === 0) return { result: { data } };
  const message = `the target did not acknowledge ${rejected.length} of ${many}`;
  return { result: { data }, error: new CliError('rejected', message, { code: 'NOT_ACKNOWLEDGED' }) };
}

/** Returns an event with some fields of its content changed; a dotted name is a path. Throws CliError usage. */
function changed(event: InboxEvent, changes: Readonly<Record<string, unknown>>): InboxEvent {
  if (event.text === null)
    throw new CliError('usage', 'this event could not be read, so nothing in it can be changed', {
      hint: advice`look at it with: [fiatrail webhooks inbox show ${String(event.id)}]`,
    });
  const body = JSON.parse(event.text) as Record<string, unknown>;
  const content = (eventIn(body)?.data ?? {}) as Record<string, unknown>;
  for (const [path, value] of Object.entries(changes)) setAt(content, path.split('.'), value);
  const text = JSON.stringify(body);
  return { ...event, body: Buffer.from(text), text };
}

const EVENT = argument(
  'event',
  'number of the event, or the start of its event id or webhook id',
  id,
  'Number or id of the event:',
);

const forwardSchema = () =>
  z.object({
    target: z.string(),
    attempts: z.int(),
    status: z.nullable(z.int()),
    problem: z.nullable(z.string()),
    state: z.enum(['waiting', 'acknowledged', 'dead']),
    dueAt: z.nullable(z.iso.datetime()),
  });

const showCommand = command({
  words: ['webhooks', 'inbox', 'show'],
  summary: 'Show a received event with its content',
  details:
    'Shows the headers as they arrived. -o raw prints the exact bytes of the body to a file or pipe; on a terminal, unprintable bytes are replaced.',
  examples: ['fiatrail webhooks inbox show 12', 'fiatrail webhooks inbox show 12 -o json --query data'],
  endpoints: [],
  prints: () => z.extend(contentSchema(), { forwards: z.array(forwardSchema()) }),
  isLocal: true,
  parameters: { event: EVENT },
  run: async (account, _terminal, { event: name }) =>
    withInbox(account, async (inbox) => {
      const event = await findEvent(inbox, name);
      const { data = null } = event.text === null ? {} : await eventWithWarnings(account, event.text);
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

/** Opens encrypted events for which there is a key now, or one of them. Returns how many. */
async function openSealed(account: Account, inbox: Inbox, only?: InboxEvent): Promise<number> {
  const keys = await privateKeysOf(account);
  // Read once, and only if there is such a body. Without it, the events stay encrypted.
  let reading: Promise<Secret | undefined> | undefined;
  const aesKey = () => {
    reading ??= aesKeyOf(account).catch(() => undefined);
    return reading;
  };
  let opened = 0;
  for (let after = 0n; ; ) {
    const page = await inbox.list({ limit: PAGE, after, kind: 'encrypted' });
    for (const sealed of page) {
      if (only && sealed.id !== only.id) continue;
      const read = await readBody(sealed.body, keys, aesKey);
      if (read.kind !== 'event') continue;
      await inbox.open(sealed, contentOf(read, sealed.body));
      opened += 1;
    }
    if (page.length < PAGE) break;
    after = page.at(-1)?.id ?? after;
  }
  return opened;
}

/** Why redriving an event changed nothing. */
function leftAlone({ id: number, quarantined, forwards }: InboxEvent): string {
  const hasDead = forwards.some(({ state }) => state === 'dead');
  if (hasDead || quarantined !== null) return `event ${number} is unchanged: no target takes it`;
  return `event ${number} is unchanged: it is neither dead nor quarantined`;
}

const redriveCommand = command({
  words: ['webhooks', 'inbox', 'redrive'],
  summary: 'Forward dead and quarantined events, and decrypt encrypted ones',
  details:
    'Without an argument, forwards dead events again, and decrypts encrypted ones if the profile now has the key. --late also forwards events quarantined because they came late or early. With an argument, forwards that event even if it is quarantined; check it first with: fiatrail webhooks inbox show. If no listener is running, the next one forwards them.',
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
    late: switchOn('--late', 'also events that are quarantined because they came late or early'),
  },
  run: async (account, { dialog }, { event: name, to, late }) =>
    withInbox(account, async (inbox) => {
      const event = name === undefined ? undefined : await findEvent(inbox, name);
      const { dead, quarantined } = await inbox.counts();
      endDryRun(account, { event: event ? Number(event.id) : null, to: to ?? null, dead, quarantined });
      const opened = await openSealed(account, inbox, event);
      const chosen = { target: to, event: event?.id, isOffTime: late };
      const data = { ...(await inbox.forwards.redrive(chosen)), opened };
      if (event && data.redriven + data.released + opened === 0) await dialog.say(leftAlone(event));
      return { result: { data } };
    }),
});

const waitsStill = (event: number) =>
  new CliError('rejected', `event ${event} still waits to be forwarded`, {
    code: 'EVENT_WAITS',
    hint: advice`delete it once it is forwarded or dead; see: [fiatrail webhooks inbox show ${String(event)}]`,
  });

/** Deletes one event, once a person agrees. */
const pruneEvent = (account: Account, terminal: Terminal, name: string) =>
  withInbox(account, async (inbox) => {
    const event = await findEvent(inbox, name);
    const [number, { status }] = [Number(event.id), summaryOf(event)];
    if (event.forwards.some(({ state }) => state === 'waiting')) throw waitsStill(number);
    endDryRun(account, { event: number });
    await confirmChange(terminal.dialog, {
      summary: `delete event ${number}`,
      lines: [
        ['event', event.event ?? event.kind],
        ['status', status ?? 'received'],
      ],
    });
    const isPruned = await inbox.pruneOne(event.id);
    // While someone was asked, it may have been sent on, or deleted by someone else.
    if (!isPruned && (await inbox.find(String(number))).some(({ id: found }) => found === event.id))
      throw waitsStill(number);
    return { result: { data: { pruned: isPruned ? 1 : 0, before: null } } };
  });

const pruneCommand = command({
  words: ['webhooks', 'inbox', 'prune'],
  summary: 'Delete old events, or one event',
  details:
    'With --older-than, keeps events that are quarantined, queued or dead. With an event, deletes that event, even if it is quarantined or dead. Use this for an event that must not be forwarded, such as one about another account. A later copy of a deleted event is still recognized.',
  examples: [
    'fiatrail webhooks inbox prune --older-than 90d --yes',
    'fiatrail webhooks inbox prune --older-than 30d --dry-run',
    'fiatrail webhooks inbox prune 12',
  ],
  endpoints: [],
  prints: () => z.object({ pruned: z.int(), before: z.nullable(z.iso.datetime()) }),
  isLocal: true,
  parameters: {
    event: optionalArgument('event', 'only this event: its number, or the start of its event id or webhook id', id),
    olderThan: option('--older-than <duration>', 'minimum age, such as 90d', duration),
  },
  run: async (account, terminal, { event: name, olderThan }) => {
    if (name !== undefined && olderThan === undefined) return pruneEvent(account, terminal, name);
    if (name !== undefined || olderThan === undefined)
      throw new CliError('usage', 'give either an event, or --older-than', {
        hint: advice`for example: [fiatrail webhooks inbox prune --older-than 90d]`,
      });
    const beforeMs = account.world.clock.now() - olderThan;
    const before = new Date(beforeMs).toISOString();
    endDryRun(account, { before });
    const shown = timeText(before, terminal.globals) ?? before;
    await confirmChange(terminal.dialog, {
      summary: `delete the events received before ${shown}`,
      lines: [['before', shown]],
    });
    return withInbox(account, async (inbox) => ({ result: { data: { pruned: await inbox.prune(beforeMs), before } } }));
  },
});

export const inboxCommands = [listCommand, showCommand, replayCommand, redriveCommand, pruneCommand, exportCommand];
