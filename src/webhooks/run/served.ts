import { serviceNameOf, storedOrBuiltIn } from '../../account/profile.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { listenProblem } from '../../base/listening.ts';
import type { Secret } from '../../base/secret.ts';
import { hostInUrl, type IpRange } from '../../contract/cidr.ts';
import { fingerprint } from '../../crypto/digest.ts';
import type { Account } from '../../engine/account.ts';
import { inboxLocationOf } from '../../engine/connection/inbox.ts';
import { openWith } from '../body.ts';
import type { Inbox } from '../inbox/inbox.ts';
import { createInboxWriter } from '../listen/inbox-writer.ts';
import type { Metrics } from '../listen/metrics.ts';
import { createReceiver, type Receiver, type ReceiverAccount } from '../listen/receiver.ts';
import { createThreadedWriter } from '../listen/writer-thread.ts';
import type { Screen } from './screen.ts';
import { aesKeyOf, privateKeysOf, secretsOf } from './secrets.ts';

export const DEFAULT_PORT = 4777;
const MAX_PEM_BYTES = 64 * 1024;

/** Where a listener is reached. */
export interface ListenerOptions {
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly allowHost?: readonly string[] | undefined;
  readonly trustedProxy?: readonly IpRange[] | undefined;
  /** Where health and numbers are served; nowhere if left out. */
  readonly metricsPort?: number | undefined;
  readonly metricsHost?: string | undefined;
  readonly publicUrl?: string | undefined;
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
}

/** How long secrets are not read again; they may be changed while the listener runs. */
const FRESH_MS = 1_000;

/** Reads the secrets that count now; `isAsked` reads them even if that was done a moment ago. */
type ReadSecrets = (isAsked?: boolean) => Promise<readonly Secret[]>;

/** Serves the listener over HTTP until it is stopped. */
export async function serveUntil(
  account: Account,
  inbox: Inbox,
  options: ListenerOptions,
  { screen, metrics, writer }: Serving,
  stopping: AbortSignal,
) {
  const { world } = account;
  const {
    host = '127.0.0.1',
    port = DEFAULT_PORT,
    publicUrl,
    allowHost = [],
    trustedProxy: trustedProxies = [],
  } = options;
  const tls = await tlsOf(account, options);
  const received = await accountOf(account, screen);
  const { listen } = await import('../listen/server.ts');
  const receiver = createReceiver(writer, { account: received, clock: world.clock, gather: setImmediate });
  const heartbeat = world.ids.uuid();
  const listening = await listen(counted(receiver, account, metrics), {
    host,
    port,
    heartbeat,
    tls,
    trustedProxies,
    allowHosts: publicUrl === undefined ? allowHost : [...allowHost, new URL(publicUrl).hostname],
    onRefused: (refusal) => {
      metrics?.rejected(refusal.kind);
      screen.refused(refusal);
    },
  }).catch((error) => {
    throw certificateProblem(listenProblem(error, host, port));
  });
  const beating = publicUrl === undefined ? undefined : beat(account, publicUrl, heartbeat, screen, stopping);
  return {
    address: `${options.tlsCert ? 'https://' : 'http://'}${hostInUrl(host)}:${listening.port}`,
    learn: createSecretsReport(account, inbox, received.secrets, screen),
    close: async () => {
      await listening.close();
      await writer.end();
      await beating;
    },
  };
}

/** Returns a reader of the account's secrets that goes on with what it knows if they cannot be read for a moment. */
function secretsReader(account: Account, first: readonly Secret[]): ReadSecrets {
  const { clock } = account.world;
  let known = { secrets: first, read: 0 };
  let readMs = clock.now();
  let reads = 0;
  return async (isAsked = false) => {
    // A clock that was set back counts as time that has passed.
    if (!isAsked && Math.abs(clock.now() - readMs) < FRESH_MS) return known.secrets;
    readMs = clock.now();
    reads += 1;
    const read = reads;
    const secrets = await secretsOf(account).catch(() => undefined);
    // A reading that began earlier may end later, and not have the secret that a rotation was told is known.
    if (secrets && read > known.read) known = { secrets, read };
    return known.secrets;
  };
}

/** A rotation waits for less than this. */
const LEARNING_MS = 30_000;

/**
 * Returns what says which secrets the listener knows, and learns the one that a rotation wants it to know before the service does. It warns if it
 * cannot.
 */
function createSecretsReport({ world, profile }: Account, inbox: Inbox, secrets: ReadSecrets, { say }: Screen) {
  const canLearn = storedOrBuiltIn(profile) !== undefined && !world.env['FIATRAIL_WEBHOOK_SECRET'];
  let reported: string | undefined;
  let wish = { wanted: undefined as string | undefined, sinceMs: 0 };
  return async () => {
    const wanted = await inbox.wantedSecret();
    const isNew = wanted !== wish.wanted;
    if (isNew) wish = { wanted, sinceMs: world.clock.now() };
    if (reported !== undefined && (wanted === undefined || reported.includes(wanted))) return;
    // Nobody puts a secret into the store that is not there by then, and reading one may start a program.
    if (reported !== undefined && Math.abs(world.clock.now() - wish.sinceMs) > LEARNING_MS) return;
    const fingerprints = (await secrets(wanted !== undefined)).map(fingerprint);
    if (isNew && wanted !== undefined && !canLearn && !fingerprints.includes(wanted)) say(CANNOT_LEARN, WARNING);
    if (fingerprints.join() === reported) return;
    reported = fingerprints.join();
    await inbox.reportSecrets({ fingerprints, canLearn });
  };
}

const WARNING = { level: 'warning' } as const;
const CANNOT_LEARN =
  'the webhook secret is being replaced, and this listener cannot learn the new one, because its own is not in the profile’s store: restart it with the new one';

/** The account whose deliveries are verified. Without a secret, the service signs with the AES key, which is read once. */
async function accountOf(
  account: Account,
  { say }: Screen,
): Promise<ReceiverAccount & { readonly secrets: ReadSecrets }> {
  const first = await secretsOf(account);
  const serviceName = serviceNameOf(account.profile, account.world.env);
  const secrets = secretsReader(account, first);
  if (first.length > 0) return { secrets, serviceName };
  const aesKey = await aesKeyOf(account);
  if (!aesKey)
    throw new CliError('usage', 'there is no webhook secret to verify with', {
      code: 'NO_SECRET',
      hint: advice`store one with: [fiatrail webhooks set URL --secret-stdin], or set FIATRAIL_WEBHOOK_SECRET`,
    });
  say('no webhook secret is stored: deliveries are verified with the account’s AES key');
  return { secrets, aesKey, serviceName };
}

/** What a listener serves with. */
interface Serving {
  readonly screen: Screen;
  readonly metrics: Metrics | undefined;
  readonly writer: ReturnType<typeof writerFor>;
}

/** A writer on another thread, so that opening and storing events does not hold up the answers to others. */
export function writerFor({ world, profile }: Account, inbox: Inbox) {
  const privateKeys = () => privateKeysOf({ world, profile });
  const { startThread, clock } = world;
  if (!startThread) return { ...createInboxWriter(inbox, openWith(privateKeys)), end: async () => {} };
  return createThreadedWriter(() => startThread('__inbox'), {
    location: inboxLocationOf(world, profile),
    privateKeys,
    clock,
    host: world.host,
  });
}

/** After this many deliveries, the heap is large enough for a busy listener; after some more, its young generation is twice as large, and no faster. */
const BUSY_AFTER = 1_000;

/**
 * Counts deliveries. Keeps the heap from growing on and on, once it has grown: a small one from the start would cost a fifth of the speed.
 */
function counted({ receive }: Receiver, { world, profile }: Account, metrics: Metrics | undefined): Receiver {
  let count = 0;
  return {
    receive: async (delivery) => {
      count += 1;
      if (count === BUSY_AFTER) world.steadyMemory();
      const stored = await receive(delivery);
      // New events of the embedded sandbox are counted as they show in the inbox: any command may have put them there.
      if (stored.isCopy || profile.mode !== 'embedded') metrics?.received(stored.isCopy);
      return stored;
    },
  };
}

async function beat(
  { world: { clock, network } }: Account,
  url: string,
  heartbeat: string,
  screen: Screen,
  stopping: AbortSignal,
): Promise<void> {
  const { watchHeartbeat } = await import('../listen/server.ts');
  const report = (problem: string | undefined) => screen.reachable(url, problem);
  await watchHeartbeat(url, heartbeat, { clock, network, report }, stopping);
}

/** The error of a certificate that cannot be used. Returns any other error as it is. */
function certificateProblem(error: unknown): unknown {
  const { code } = error as { code?: unknown };
  if (!/^ERR_(OSSL|SSL|CRYPTO|TLS|X509)/.test(String(code))) return error;
  return new CliError(
    'usage',
    'the certificate and the private key cannot be used together, or one of them is not in PEM',
    {
      code: 'INVALID_CERTIFICATE',
      hint: 'give the certificate with --tls-cert and its unencrypted private key with --tls-key',
    },
  );
}

async function tlsOf({ world }: Account, { tlsCert, tlsKey }: ListenerOptions) {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw new CliError('usage', '--tls-cert and --tls-key belong together', { hint: 'give both, as PEM files' });
  const [cert, key] = await Promise.all([
    world.readFile(tlsCert, MAX_PEM_BYTES),
    world.readFile(tlsKey, MAX_PEM_BYTES),
  ]);
  return { cert, key };
}
