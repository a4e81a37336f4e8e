import { storedOrBuiltIn } from '../../account/profile.ts';
import { CliError } from '../../base/errors.ts';
import { getAesKey, getWebhook, setWebhook } from '../../contract/endpoints/management.ts';
import { ALL_EVENTS } from '../../contract/events.ts';
import { INBOX_URL } from '../../contract/sandbox.ts';
import type { Account } from '../../engine/account.ts';
import { inboxLocationOf, openProfileInbox } from '../../engine/connection/inbox.ts';
import { ServerError } from '../../journal/postgres/errors.ts';
import { printable } from '../../money/amount.ts';
import { command } from '../../terminal/command.ts';
import { addressRange, hostAddress, hostName } from '../../terminal/parse/listening.ts';
import { duration, oneOf, option, repeated, switchOn, wholeNumber, word } from '../../terminal/parse/parameters.ts';
import { stateError } from '../../terminal/show/failures.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { change } from '../../terminal/terminal.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import { type Listener, SILENT_MS } from '../../webhooks/inbox/listener.ts';
import type { InboxLocation } from '../../webhooks/inbox/open.ts';
import type { ForwardTarget } from '../../webhooks/listen/forwarder.ts';
import { sendTo } from '../../webhooks/listen/sending.ts';
import { listenUntilStopped } from '../../webhooks/run/listening.ts';
import { LOG_FORMS, loggingAccount, noticeLine, usualForm } from '../../webhooks/run/log.ts';
import { DEFAULT_PORT } from '../../webhooks/run/served.ts';
import { eventNamed } from './events.ts';
import { COMMAND_MS, commandTarget, resigningOf, targetName, targetUrl } from './targets.ts';

/** The error of a second listener on one inbox. */
function alreadyListening({ processId, host, address }: Listener): CliError {
  return new CliError('declined', `another listener has this inbox: process ${processId} on ${host}, at ${address}`, {
    code: 'INBOX_IN_USE',
    hint: 'stop it first, or use another profile',
  });
}

/** Parses how many events in a second, a minute or an hour, as events a second. Throws CliError usage. */
const rate = (text: string): number => {
  const [, count, unit = ''] = /^([1-9]\d{0,5})\/(s|m|h)$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) / ({ s: 1, m: 60, h: 3_600 }[unit] ?? 1);
  throw new CliError('usage', `invalid rate "${printable(text)}"`, { hint: 'for example 10/s, 600/m or 1000/h' });
};

/** Parses the names of events, and where they go. Throws CliError usage. */
const route = (text: string): Route => {
  const [, names = '', target = ''] = /^([^=]*)=(.+)$/s.exec(text) ?? [];
  if (target === '')
    throw new CliError('usage', `invalid route "${printable(text)}"`, {
      hint: 'write such as swap.completed,swap.failed=http://127.0.0.1:3000/swaps',
    });
  return { events: names.split(',').map((name) => eventNamed(name).name), target: targetName(target) };
};

export const listenCommand = command({
  words: ['webhooks', 'listen'],
  summary: 'Receive webhooks, store them in the inbox, and forward them',
  details:
    'Verifies each delivery, writes it to the inbox, and only then responds with 200. Forwards events to each target at least once, until the URL responds with 2xx or the command exits with 0; events about one request stay in order. On Ctrl-C or SIGTERM, it stops accepting deliveries, finishes what is in flight, and leaves the rest queued. While it runs, other commands with --wait end as soon as the event arrives, and the journal records how operations ended. Events of the embedded sandbox go straight to the inbox; no port is opened unless you give --port.',
  examples: [
    'fiatrail webhooks listen',
    'fiatrail webhooks listen --port 4777 --forward http://127.0.0.1:3000/webhooks -o ndjson',
    'fiatrail webhooks listen --event user.onboarded --exec ./on-event.sh',
  ],
  endpoints: [getWebhook.id, setWebhook.id, getAesKey.id],
  parameters: {
    port: option('--port <port>', 'TCP port; 0 picks a free one (default 4777)', wholeNumber(0, 65_535)),
    host: option('--host <address>', 'IP address to listen on (default 127.0.0.1)', hostAddress),
    allowHost: repeated('--allow-host <name>', 'accept requests to this host name', hostName),
    trustedProxy: repeated(
      '--trusted-proxy <address>',
      'address or range of a proxy whose X-Forwarded-For is trusted',
      addressRange,
    ),
    publicUrl: option(
      '--public-url <url>',
      'URL at which the service reaches this listener; probed every minute',
      targetUrl,
    ),
    forward: repeated('--forward <url>', 'forward events to this URL', targetUrl),
    exec: repeated(
      '--exec <command>',
      'run this shell command for each event, with the event as JSON on standard input',
      word,
    ),
    route: repeated(
      '--route <event>=<target>',
      'send these events (comma-separated) to a URL or to exec:COMMAND',
      route,
    ),
    events: repeated('--event <name>', 'forward only this event', (text) => eventNamed(text).name),
    decrypted: switchOn('--decrypted', 'forward the decrypted event instead of the encrypted body; needs --resign'),
    resign: option(
      '--resign <form>',
      'sign again with FIATRAIL_FORWARD_SECRET, in the form service or standard (Standard Webhooks)',
      oneOf('service', 'standard'),
    ),
    concurrency: option(
      '--concurrency <count>',
      'maximum number of events in flight to a target (default 32)',
      wholeNumber(1, 256),
    ),
    rate: option('--rate <count>/<unit>', 'maximum rate of events to a target, such as 10/s or 600/m', rate),
    retention: option(
      '--keep <duration>',
      'delete events older than this, such as 90d, except quarantined, queued and dead ones',
      duration,
    ),
    drain: option('--drain <duration>', 'how long to wait for in-flight forwards on shutdown (default 60s)', duration),
    metricsPort: option(
      '--metrics-port <port>',
      'TCP port for /metrics, /healthz and /readyz; 0 picks a free one',
      wholeNumber(0, 65_535),
    ),
    metricsHost: option('--metrics-host <address>', 'IP address for --metrics-port (default 127.0.0.1)', hostAddress),
    log: option(
      '--log <form>',
      'log format: plain (default on a terminal), text with time and level (default elsewhere), or json',
      oneOf(...LOG_FORMS),
    ),
    tlsCert: option('--tls-cert <file>', 'certificate in PEM, to listen with TLS', word),
    tlsKey: option('--tls-key <file>', 'private key of the certificate, in PEM', word),
  },
  asNotice: (text, account, _terminal, { log }) =>
    noticeLine(LOG_FORMS.find((form) => form === log) ?? usualForm(account.world), account, text),
  run: async (account, terminal, { events = [], drain = COMMAND_MS, log, ...input }) => {
    const { world, profile } = account;
    const { quiet: isQuiet, isFormatChosen, zone } = terminal.globals;
    const targets = targetsOf(account, input);
    const inbox = await openProfileInbox(world, profile);
    try {
      const isEmbedded = profile.mode === 'embedded';
      await claimInbox(
        loggingAccount(account, log ?? usualForm(world)),
        inbox,
        isEmbedded ? 'the embedded sandbox' : `port ${input.port ?? DEFAULT_PORT}`,
      );
      await inbox.forwardTo({
        targets: targets.map(({ name }) => name),
        events: events.length > 0 ? events : undefined,
        routes: routesOf(input),
        needsEncryption: storedOrBuiltIn(profile)?.encryptionPolicy === 'require',
      });
      const shown = { log, isQuiet, isFormatChosen, zone };
      const direct = () => directToInbox(account, terminal);
      await listenUntilStopped(account, inbox, { ...input, shown, direct, drainMs: drain }, targets).catch(
        (error: unknown) => {
          throw goneOr(error, inboxLocationOf(world, profile));
        },
      );
      return {};
    } finally {
      await released(inbox);
    }
  },
});

/** Directs the embedded sandbox's webhook to the inbox, and asks before it replaces another one. */
async function directToInbox(account: Account, terminal: Terminal): Promise<void> {
  const { data } = await account.call(getWebhook, {});
  const isOurs = data.webhookUrl?.endsWith('.invalid/') === true;
  if (isOurs && data.enabled) return;
  const isReplacing = data.webhookUrl != null && !isOurs;
  await change(
    account,
    terminal,
    setWebhook,
    { webhookUrl: INBOX_URL, enabled: true, events: [ALL_EVENTS] },
    {
      summary: `deliver the sandbox’s events to this inbox instead of ${data.webhookUrl}`,
      lines: [['now', data.webhookUrl ?? 'no webhook is set']],
      needsConsent: isReplacing,
    },
  );
  // How the listener ends, long after this, says nothing of the change.
  delete account.activity.changed;
}

/** The error of a listener that has lost its inbox for good. Returns any other error as it is; a server that is away comes back. */
function goneOr(error: unknown, { path, server }: InboxLocation): unknown {
  const isOfInbox = error instanceof ServerError ? error.of === 'inbox' : (error as { path?: unknown })?.path === path;
  const known = stateError(error);
  if (!isOfInbox || !known || known.category === 'network') return error;
  return new CliError('declined', `the listener has lost its inbox: ${known.message}`, {
    code: 'INBOX_GONE',
    hint: server ? 'repair the database, then start it again' : known.hint,
    cause: error,
  });
}

/** How often it is looked whether another listener is alive. */
const LOOK_MS = 1_000;

/**
 * Takes the inbox. The listener that has it may have crashed, in a container whose host name says nothing here, or its process id may be another
 * program’s: it is waited for until it shows that it is alive, or has been silent for so long that it counts as gone. Rejects with CliError
 * if it is alive.
 */
async function claimInbox({ world, notices: { note } }: Account, inbox: Inbox, address: string): Promise<void> {
  const first = await inbox.claim(address);
  if (!first) return;
  await note(
    `the inbox is process ${first.processId}’s on ${first.host}; waiting to see whether it is alive, up to ${SILENT_MS / 1_000} seconds`,
  );
  for (let other: Listener | undefined = first; other; other = await inbox.claim(address)) {
    const isSame = other.startedAtMs === first.startedAtMs && other.host === first.host;
    if (!isSame || other.aliveAtMs !== first.aliveAtMs) throw alreadyListening(other);
    await world.clock.sleep(LOOK_MS, world.interrupted);
  }
}

/** Gives the inbox to the next listener. If that cannot be written, it finds out itself that this process has ended. */
async function released(inbox: Inbox): Promise<void> {
  try {
    await inbox.release();
  } catch (error) {
    // What is away or gone cannot be given back; the listener has said so.
    if (!stateError(error)) throw error;
  } finally {
    await inbox.close();
  }
}

/** Events, and where they go. */
interface Route {
  readonly events: readonly string[];
  /** A URL, or `exec:` and a command. */
  readonly target: string;
}

interface Targeting {
  readonly route?: readonly Route[] | undefined;
  readonly forward?: readonly string[] | undefined;
  readonly exec?: readonly string[] | undefined;
  readonly decrypted?: boolean | undefined;
  readonly resign?: 'service' | 'standard' | undefined;
}

/** Where events go besides the inbox. Throws CliError usage. */
function targetsOf(
  { world, profile }: Account,
  { forward = [], exec = [], route: routes = [], decrypted, resign }: Targeting,
): readonly ForwardTarget[] {
  const resigning = resigningOf(resign, world, profile);
  if (decrypted && !resigning)
    throw new CliError('usage', '--decrypted needs --resign: the service’s signature covers the encrypted body', {
      hint: 'add --resign service or --resign standard',
    });
  const sending = {
    exchange: world.network,
    clock: world.clock,
    resign: resigning,
    isOpened: decrypted,
    isMarked: true,
  };
  const names = new Set([...forward, ...exec.map((each) => EXEC + each), ...routes.map(({ target }) => target)]);
  return [...names].map(
    (name): ForwardTarget =>
      name.startsWith(EXEC)
        ? commandTarget(name.slice(EXEC.length), world)
        : { name, send: (event, cutOff, isLate) => sendTo(name, event, { ...sending, isLate }, cutOff) },
  );
}

const EXEC = 'exec:';

/** The events of the targets that get some of them only. */
function routesOf({
  forward = [],
  exec = [],
  route: routes = [],
}: Targeting): Readonly<Record<string, readonly string[]>> {
  const whole = [...forward, ...exec.map((each) => EXEC + each)];
  const some = Map.groupBy(
    routes.filter(({ target }) => !whole.includes(target)),
    ({ target }) => target,
  );
  return Object.fromEntries([...some].map(([target, each]) => [target, each.flatMap(({ events }) => events)]));
}
