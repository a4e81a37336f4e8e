import * as z from 'zod/mini';
import type { Secret } from '../../base/secret.ts';
import { getAesKey } from '../../contract/endpoints/management.ts';
import type { Account } from '../../engine/account.ts';
import { shownTarget } from '../../engine/connection/inbox.ts';
import { endDryRun } from '../../engine/requests.ts';
import { timeText } from '../../present/times.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import {
  argument,
  duration,
  id,
  option,
  optionalArgument,
  required,
  switchOn,
} from '../../terminal/parse/parameters.ts';
import { readBody } from '../../webhooks/body.ts';
import type { InboxEvent } from '../../webhooks/inbox/events.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import { contentOf } from '../../webhooks/inbox/received.ts';
import { summaryOf } from '../../webhooks/inbox/summary.ts';
import { aesKeyOf, privateKeysOf } from '../../webhooks/run/secrets.ts';
import { contentSchema, exportCommand, headersOf, listCommand, PAGE, withInbox } from './inbox-list.ts';
import { eventWithWarnings } from './offline.ts';
import { findEvent, replayCommand } from './replay.ts';
import { targetName } from './targets.ts';

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

/** Opens sealed events for which there is a key now, or one of them. Returns how many. */
async function openSealed(account: Account, inbox: Inbox, only?: InboxEvent): Promise<number> {
  const keys = await privateKeysOf(account);
  // Read once, and only if there is such a body. Without it, the events stay sealed.
  let reading: Promise<Secret | undefined> | undefined;
  const aesKey = () => {
    reading ??= aesKeyOf(account).catch(() => undefined);
    return reading;
  };
  let opened = 0;
  for (let after = 0n; ; ) {
    const page = await inbox.list({ limit: PAGE, after, mark: 'sealed' });
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

const redriveCommand = command({
  words: ['webhooks', 'inbox', 'redrive'],
  summary: 'Forward dead and held events, and open sealed ones',
  details:
    'Without an argument, forwards dead events again, and opens sealed ones if the profile now has the key. --late also forwards events held because they came late or early. With an argument, forwards that event whatever the reason it is held: check it first with webhooks inbox show. A running listener forwards them at once, otherwise the next one does.',
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
  run: async (account, _terminal, { event: name, to, late }) =>
    withInbox(account, async (inbox) => {
      const event = name === undefined ? undefined : await findEvent(inbox, name);
      const { dead, held } = await inbox.counts();
      endDryRun(account, { event: event ? Number(event.id) : null, to: to ?? null, dead, held });
      const opened = await openSealed(account, inbox, event);
      const chosen = { target: to, event: event?.id, isOffTime: late };
      return { result: { data: { ...(await inbox.forwards.redrive(chosen)), opened } } };
    }),
});

const pruneCommand = command({
  words: ['webhooks', 'inbox', 'prune'],
  summary: 'Delete old events',
  details: 'Keeps events that are held, queued or dead. A later copy of a deleted event is still recognized.',
  examples: [
    'fiatrail webhooks inbox prune --older-than 90d --yes',
    'fiatrail webhooks inbox prune --older-than 30d --dry-run',
  ],
  endpoints: [],
  prints: () => z.object({ pruned: z.int(), before: z.iso.datetime() }),
  isLocal: true,
  parameters: { olderThan: required('--older-than <duration>', 'minimum age, such as 90d', duration, 'Older than:') },
  run: async (account, terminal, { olderThan }) => {
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
