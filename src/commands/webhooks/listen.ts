import { serviceNameOf } from '../../account/service-name.ts';
import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { command } from '../../cli/command.ts';
import { confirmChange } from '../../cli/confirm.ts';
import { openProfileInbox } from '../../cli/inbox.ts';
import { oneOf, option, repeated, switchOn, wholeNumber, word } from '../../cli/parameters.ts';
import type { Session } from '../../cli/session.ts';
import { getAesKey, getWebhook, setWebhook } from '../../contract/endpoints/management.ts';
import { ALL_EVENTS } from '../../contract/events.ts';
import { INBOX_URL } from '../../contract/inbox-url.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import type { Listener } from '../../webhooks/inbox/listener.ts';
import { forwardTo } from '../../webhooks/listen/forwarder.ts';
import { type Account, createReceiver, type Receiver } from '../../webhooks/listen/receiver.ts';
import { eventNamed } from './events.ts';
import { privateKeysOf } from './offline.ts';
import { secretsOf } from './settings.ts';
import { follow } from './tail.ts';
import { resigningOf, targetUrl } from './targets.ts';

const MAX_PEM_BYTES = 64 * 1024;

interface Input {
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly allowHost?: readonly string[] | undefined;
  readonly publicUrl?: string | undefined;
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
}

/** The account whose deliveries are verified. Without a secret, the service signs with the AES key, which is read once. */
async function accountOf(session: Session): Promise<Account> {
  const secrets = await secretsOf(session);
  const serviceName = serviceNameOf(session.profile, session.world.env);
  const privateKeys = () => privateKeysOf(session);
  if (secrets.length > 0) return { secrets, serviceName, privateKeys };
  const { data } = await session.call(getAesKey, {});
  if (!data.aesKey)
    throw new CliError('usage', 'there is no webhook secret to verify with', {
      code: 'NO_SECRET',
      hint: 'store one with: fiatrail webhooks set URL --secret-stdin, or set FIATRAIL_WEBHOOK_SECRET',
    });
  await session.say('no webhook secret is stored: deliveries are verified with the account’s AES key');
  return { secrets: [], aesKey: new Secret(data.aesKey), serviceName, privateKeys };
}

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

/** Serves the listener over HTTP until it is stopped. */
async function serveUntil(session: Session, inbox: Inbox, input: Input, stopping: AbortSignal) {
  const { world } = session;
  const { host = '127.0.0.1', port = 4777, publicUrl, allowHost = [] } = input;
  const account = await accountOf(session);
  const { listen } = await import('../../webhooks/listen/server.ts');
  const receiver = createReceiver(inbox, { account, clock: world.clock, gather: setImmediate });
  const heartbeat = world.ids.uuid();
  const listening = await listen(steadyOnceBusy(receiver, world), {
    ...{ host, port, heartbeat, tls: await tlsOf(session, input) },
    allowHosts: publicUrl === undefined ? allowHost : [...allowHost, new URL(publicUrl).hostname],
    onRefused: (reason) => void session.say(`refused: ${reason}`),
  }).catch((error: { code?: unknown }) => {
    throw portProblem(`${host}:${port}`, error.code);
  });
  const beating = publicUrl === undefined ? undefined : beat(session, publicUrl, heartbeat, stopping);
  return {
    address: `${input.tlsCert ? 'https://' : 'http://'}${host}:${listening.port}`,
    close: async () => {
      await listening.close();
      await beating;
    },
  };
}

/** After this many deliveries, the heap is large enough for a busy listener. */
const BUSY_AFTER = 10_000;

/** Keeps the heap from growing on and on, once it has grown. A small one from the start would cost a fifth of the speed. */
function steadyOnceBusy({ receive }: Receiver, { steadyMemory }: Session['world']): Receiver {
  let count = 0;
  return {
    receive: (delivery) => {
      count += 1;
      if (count === BUSY_AFTER) steadyMemory();
      return receive(delivery);
    },
  };
}

async function beat({ world, say }: Session, url: string, heartbeat: string, stopping: AbortSignal): Promise<void> {
  const { watchHeartbeat } = await import('../../webhooks/listen/heartbeat.ts');
  await watchHeartbeat(url, heartbeat, { clock: world.clock, network: world.network, say }, stopping);
}

function portProblem(place: string, code: unknown): CliError {
  return new CliError('usage', `cannot listen on ${place} (${String(code ?? 'unknown error')})`, {
    code: 'PORT_UNAVAILABLE',
    hint: 'choose another port with --port; 0 picks a free one',
  });
}

async function tlsOf({ world }: Session, { tlsCert, tlsKey }: Input) {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw new CliError('usage', '--tls-cert and --tls-key belong together', { hint: 'give both, as PEM files' });
  const [cert, key] = await Promise.all([
    world.readFile(tlsCert, MAX_PEM_BYTES),
    world.readFile(tlsKey, MAX_PEM_BYTES),
  ]);
  return { cert, key };
}

/** How often the embedded sandbox is looked at for events that are due. */
const LOOK_MS = 200;

async function deliverUntil(session: Session, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    await session.deliverDue(stopping);
    await session.world.clock.sleep(LOOK_MS, stopping).catch(() => {});
  }
}

export const listenCommand = command({
  words: ['webhooks', 'listen'],
  summary: 'Receive webhooks, keep them in the inbox, and forward them',
  details:
    'Verifies each delivery, writes it to the inbox, and only then answers 200. Events go on to each target in the order of their request, at least once, until it answers 2xx. Runs until Ctrl-C; what was not forwarded is forwarded by the next run. The embedded sandbox needs no port: its events come straight into the inbox.',
  examples: [
    'fiatrail webhooks listen',
    'fiatrail webhooks listen --port 4777 --forward http://127.0.0.1:3000/webhooks -o ndjson',
  ],
  endpoints: [getWebhook.id, setWebhook.id, getAesKey.id],
  parameters: {
    port: option('--port <port>', 'TCP port; 0 picks a free one (default 4777)', wholeNumber(0, 65_535)),
    host: option('--host <address>', 'IP address to listen on (default 127.0.0.1)', word),
    allowHost: repeated('--allow-host <name>', 'accept requests to this host name; can be repeated', word),
    publicUrl: option(
      '--public-url <url>',
      'URL under which the service reaches this listener; probed every minute',
      targetUrl,
    ),
    forward: repeated('--forward <url>', 'forward events to this URL; can be repeated', targetUrl),
    events: repeated('--event <name>', 'forward only this event; can be repeated', (text) => eventNamed(text).name),
    forwardLate: switchOn('--forward-late', 'also forward events that arrive more than 5 minutes after they were sent'),
    opened: switchOn('--opened', 'forward the opened event instead of the sealed body; needs --resign'),
    resign: option(
      '--resign <form>',
      'sign again with FIATRAIL_FORWARD_SECRET, in the form service or standard (Standard Webhooks)',
      oneOf('service', 'standard'),
    ),
    tlsCert: option('--tls-cert <file>', 'certificate in PEM, to listen with TLS', word),
    tlsKey: option('--tls-key <file>', 'private key of the certificate, in PEM', word),
  },
  run: async (session, { forward = [], events = [], forwardLate, opened, resign, ...input }) => {
    const { world, profile } = session;
    const resigning = resigningOf(resign, world, profile);
    if (opened && !resigning)
      throw new CliError('usage', '--opened needs --resign: the service’s signature covers the sealed body', {
        hint: 'add --resign service or --resign standard',
      });
    const inbox = await openProfileInbox(world, profile);
    const stopping = AbortSignal.any([world.interrupted]);
    try {
      const isEmbedded = profile.mode === 'embedded';
      if (isEmbedded) await directToInbox(session);
      const other = inbox.claim(isEmbedded ? 'the embedded sandbox' : `port ${input.port ?? 4777}`);
      if (other) throw alreadyListening(other);
      inbox.forwardTo({
        targets: forward,
        events: events.length > 0 ? events : undefined,
        forwardsLate: forwardLate,
      });
      const served = isEmbedded ? undefined : await serveUntil(session, inbox, input, stopping);
      await session.note(
        served
          ? `listening at ${served.address}; set it with: fiatrail webhooks set PUBLIC_URL. Press Ctrl-C to stop`
          : 'receiving the events of the embedded sandbox. Press Ctrl-C to stop',
      );
      const forwarding = forward.map((target) =>
        forwardTo(
          target,
          inbox.forwards,
          {
            ...{ exchange: world.network, clock: world.clock, resign: resigning, isOpened: opened },
            onForwarded: ({ event }, { status, problem }) =>
              void session.note(`${event.id} ${event.event ?? event.mark} to ${target}: ${status ?? problem}`),
          },
          stopping,
        ),
      );
      await Promise.all([
        follow(session, inbox, stopping),
        ...forwarding,
        ...(isEmbedded ? [deliverUntil(session, stopping)] : []),
      ]);
      await served?.close();
      return {};
    } finally {
      inbox.release();
      inbox.close();
    }
  },
});
