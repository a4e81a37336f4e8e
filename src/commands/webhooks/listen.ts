import { storedOrBuiltIn } from '../../account/profile.ts';
import { CliError } from '../../base/errors.ts';
import type { Clock } from '../../base/world.ts';
import { getAesKey, getWebhook, setWebhook } from '../../contract/endpoints/management.ts';
import { ALL_EVENTS } from '../../contract/events.ts';
import { INBOX_URL } from '../../contract/sandbox.ts';
import { openProfileInbox } from '../../engine/inbox.ts';
import { createEventRecorder, type EventRecorder } from '../../engine/operations/event-recorder.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import { hostAddress, hostName } from '../../terminal/parse/listening.ts';
import { oneOf, option, repeated, switchOn, wholeNumber, word } from '../../terminal/parse/parameters.ts';
import type { Session } from '../../terminal/session.ts';
import type { InboxEvent } from '../../webhooks/inbox/events.ts';
import { transientProblemOf } from '../../webhooks/inbox/forwards.ts';
import type { Inbox, Listener } from '../../webhooks/inbox/inbox.ts';
import { type ForwardTarget, forwardTo, sendTo } from '../../webhooks/listen/forwarder.ts';
import { eventNamed } from './events.ts';
import { createNoticed, type Noticed } from './noticed.ts';
import { type Screen, screenFor } from './screen.ts';
import { DEFAULT_PORT, type ListenerOptions, serveUntil } from './served.ts';
import { commandTarget, resigningOf, targetUrl } from './targets.ts';

/** The error of a second listener on one inbox. */
function alreadyListening({ processId, host, address }: Listener): CliError {
  return new CliError('declined', `another listener has this inbox: process ${processId} on ${host}, at ${address}`, {
    code: 'INBOX_IN_USE',
    hint: 'stop it first, or use another profile',
  });
}

/** Directs the embedded sandbox's webhook to the inbox, and asks before it replaces another one. */
async function directToInbox(session: Session): Promise<void> {
  const { data } = await session.call(getWebhook, {});
  const isOurs = data.webhookUrl?.endsWith('.invalid/') === true;
  if (isOurs && data.enabled) return;
  if (data.webhookUrl != null && !isOurs)
    await confirmChange(session, {
      summary: `deliver the sandbox’s events to this inbox instead of ${data.webhookUrl}`,
      lines: [['now', data.webhookUrl]],
    });
  await session.call(setWebhook, { webhookUrl: INBOX_URL, enabled: true, events: [ALL_EVENTS] });
}

/** Sends the events of the embedded sandbox that are due; over the network, the service does. */
const deliver = async ({ connection }: Session, stopping: AbortSignal) => (await connection()).deliverDue?.(stopping);

/** How often the sandbox is looked at for events that are due, and the inbox for new ones. */
const LOOK_MS = 200;

async function deliverUntil(session: Session, screen: Screen, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    await deliver(session, stopping).catch((error: unknown) => screen.unwritable(transientProblemOf(error)));
    await session.world.clock.sleep(LOOK_MS, stopping).catch(() => {});
  }
}

/** How often unknown outcomes are looked for while events about such work arrive. */
const RECONCILE_EVERY_MS = 2_000;

/** Looks for unknown outcomes when events about such work arrive. Nothing that goes wrong here stops the listener. */
async function lookUntil(recorder: EventRecorder, screen: Screen, clock: Clock, stopping: AbortSignal): Promise<void> {
  let problem = '';
  while (!stopping.aborted) {
    await clock.sleep(RECONCILE_EVERY_MS, stopping).catch(() => {});
    try {
      const found = stopping.aborted ? 0 : await recorder.reconcileMentioned();
      if (found > 0)
        screen.say(
          `${found === 1 ? '1 unknown outcome' : `${found} unknown outcomes`} found by events; see: fiatrail ops list`,
        );
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== problem && !stopping.aborted) screen.say(`warning: cannot look for unknown outcomes: ${message}`);
      problem = message;
    }
  }
}

export const listenCommand = command({
  words: ['webhooks', 'listen'],
  summary: 'Receive webhooks, store them in the inbox, and forward them',
  details:
    'Verifies each delivery, writes it to the inbox, and only then answers 200. Events go on to each target in the order of their request, at least once, until the URL answers 2xx or the command exits with 0. Runs until Ctrl-C; the next run forwards what is left. While it runs, other commands that --wait end as soon as the event arrives, and the journal records how operations ended. The events of the embedded sandbox come straight into the inbox; it listens on a port only if you give one.',
  examples: [
    'fiatrail webhooks listen',
    'fiatrail webhooks listen --port 4777 --forward http://127.0.0.1:3000/webhooks -o ndjson',
    'fiatrail webhooks listen --event user.onboarded --exec ./on-event.sh',
  ],
  endpoints: [getWebhook.id, setWebhook.id, getAesKey.id],
  parameters: {
    port: option('--port <port>', 'TCP port; 0 picks a free one (default 4777)', wholeNumber(0, 65_535)),
    host: option('--host <address>', 'IP address to listen on (default 127.0.0.1)', hostAddress),
    allowHost: repeated('--allow-host <name>', 'accept requests to this host name; can be repeated', hostName),
    publicUrl: option(
      '--public-url <url>',
      'URL under which the service reaches this listener; probed every minute',
      targetUrl,
    ),
    forward: repeated('--forward <url>', 'forward events to this URL; can be repeated', targetUrl),
    exec: repeated(
      '--exec <command>',
      'run this shell command for each event, with the event as JSON on standard input; can be repeated',
      word,
    ),
    events: repeated('--event <name>', 'forward only this event; can be repeated', (text) => eventNamed(text).name),
    opened: switchOn('--opened', 'forward the opened event instead of the sealed body; needs --resign'),
    resign: option(
      '--resign <form>',
      'sign again with FIATRAIL_FORWARD_SECRET, in the form service or standard (Standard Webhooks)',
      oneOf('service', 'standard'),
    ),
    tlsCert: option('--tls-cert <file>', 'certificate in PEM, to listen with TLS', word),
    tlsKey: option('--tls-key <file>', 'private key of the certificate, in PEM', word),
  },
  run: async (session, { events = [], ...input }) => {
    const { world, profile } = session;
    const targets = targetsOf(session, input);
    const inbox = await openProfileInbox(world, profile);
    try {
      const isEmbedded = profile.mode === 'embedded';
      const other = inbox.claim(isEmbedded ? 'the embedded sandbox' : `port ${input.port ?? DEFAULT_PORT}`);
      if (other) throw alreadyListening(other);
      inbox.forwardTo({
        targets: targets.map(({ name }) => name),
        events: events.length > 0 ? events : undefined,
        needsSealing: storedOrBuiltIn(profile)?.sealing === 'require',
      });
      await listenUntilStopped(session, inbox, input, targets);
      return {};
    } finally {
      released(inbox);
    }
  },
});

/** Gives the inbox to the next listener. If that cannot be written, it finds out itself that this process has ended. */
function released(inbox: Inbox): void {
  try {
    inbox.release();
  } catch (error) {
    transientProblemOf(error);
  } finally {
    inbox.close();
  }
}

interface Going {
  readonly forward?: readonly string[] | undefined;
  readonly exec?: readonly string[] | undefined;
  readonly opened?: boolean | undefined;
  readonly resign?: 'service' | 'standard' | undefined;
}

/** Where events go besides the inbox. Throws CliError usage. */
function targetsOf(
  { world, profile }: Session,
  { forward = [], exec = [], opened, resign }: Going,
): readonly ForwardTarget[] {
  const resigning = resigningOf(resign, world, profile);
  if (opened && !resigning)
    throw new CliError('usage', '--opened needs --resign: the service’s signature covers the sealed body', {
      hint: 'add --resign service or --resign standard',
    });
  const sending = { exchange: world.network, clock: world.clock, resign: resigning, isOpened: opened, isMarked: true };
  return [
    ...forward.map(
      (url): ForwardTarget => ({ name: url, send: (event, stopping) => sendTo(url, event, sending, stopping) }),
    ),
    ...exec.map((command) => commandTarget(command, world)),
  ];
}

/** The options that only a listener with a port needs. */
const listenerOptions = ({ port, host, publicUrl, tlsCert, tlsKey }: ListenerOptions) => ({
  port,
  host,
  publicUrl,
  tlsCert,
  tlsKey,
});

/** Receives, shows and forwards events until Ctrl-C. Rejects if one of these fails. */
async function listenUntilStopped(
  session: Session,
  inbox: Inbox,
  options: ListenerOptions,
  targets: readonly ForwardTarget[],
): Promise<void> {
  const { world, profile } = session;
  const failing = new AbortController();
  const stopping = AbortSignal.any([world.interrupted, failing.signal]);
  const isEmbedded = profile.mode === 'embedded';
  const screen = screenFor(session, inbox);
  const needsPort = !isEmbedded || Object.values(listenerOptions(options)).some((each) => each !== undefined);
  const served = needsPort ? await serveUntil(session, inbox, options, screen, stopping) : undefined;
  let works: readonly Promise<void>[] = [];
  try {
    if (isEmbedded) await directToInbox(session);
    await session.note(
      served
        ? `listening at ${served.address}; set it with: fiatrail webhooks set PUBLIC_URL. Press Ctrl-C to stop`
        : 'receiving the events of the embedded sandbox. Press Ctrl-C to stop',
    );
    works = startWorks(session, inbox, screen, targets, stopping);
    await Promise.all(works);
  } finally {
    // Whatever ended the first of them, the others use the inbox until they have ended too.
    failing.abort();
    await Promise.allSettled(works);
    await served?.close();
    await screen.end();
  }
}

/** Starts what goes on beside receiving, until `stopping` aborts. */
function startWorks(
  session: Session,
  inbox: Inbox,
  screen: Screen,
  targets: readonly ForwardTarget[],
  stopping: AbortSignal,
): readonly Promise<void>[] {
  const { world, profile } = session;
  const recorder = createEventRecorder(session);
  const forwarding = {
    clock: world.clock,
    gather: (flush: () => void) => void world.turn().then(flush),
    onUnrecorded: screen.unwritable,
  };
  return [
    follow(session, inbox, { screen, recorder, noticed: createNoticed(session, inbox, screen.say) }, stopping),
    lookUntil(recorder, screen, world.clock, stopping),
    ...targets.map((target) =>
      forwardTo(
        target,
        inbox.forwards,
        { ...forwarding, onForwarded: ({ event }, end) => screen.forwarded(event, target.name, end) },
        stopping,
      ),
    ),
    ...(profile.mode === 'embedded' ? [deliverUntil(session, screen, stopping)] : []),
  ];
}

/** Events printed at once. */
const AT_ONCE = 500;
/** How often the listener shows that it is alive. */
const TOUCH_EVERY = 50;

/** Shows the events that arrive, and records them in the journal, until `stopping` aborts. Throws CliError if another process takes the inbox. */
async function follow(
  session: Session,
  inbox: Inbox,
  {
    screen,
    recorder,
    noticed,
  }: { readonly screen: Screen; readonly recorder: EventRecorder; readonly noticed: Noticed },
  stopping: AbortSignal,
): Promise<void> {
  const { clock } = session.world;
  // What arrived while nothing listened.
  const known = inbox.list({ limit: AT_ONCE });
  await record(recorder, screen, known);
  let last = known[0]?.id ?? 0n;
  for (let round = 1; !stopping.aborted; round += 1) {
    const fresh = inbox.list({ limit: AT_ONCE, after: last });
    last = fresh.at(-1)?.id ?? last;
    await screen.arrived(fresh);
    await record(recorder, screen, fresh);
    noticed.look(fresh);
    await screen.refresh();
    if (round % TOUCH_EVERY === 0 && !isOurs(inbox, screen)) throw takenOver();
    if (fresh.length < AT_ONCE) await clock.sleep(LOOK_MS, stopping).catch(() => {});
  }
}

/** Shows that the listener is alive. While the inbox cannot be written, nobody else can take it either. */
function isOurs(inbox: Inbox, screen: Screen): boolean {
  try {
    return inbox.touch();
  } catch (error) {
    screen.unwritable(transientProblemOf(error));
    return true;
  }
}

async function record(recorder: EventRecorder, screen: Screen, events: readonly InboxEvent[]): Promise<void> {
  try {
    await recorder.record(events);
  } catch (error) {
    screen.say(`warning: the journal cannot learn from events: ${messageOf(error)}`);
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const takenOver = () =>
  new CliError('declined', 'another listener has taken this inbox, because this one was silent for too long', {
    code: 'INBOX_IN_USE',
    hint: 'nothing that was acknowledged is lost; look at it with: fiatrail webhooks inbox list',
  });
