import { fork } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { inTurn, outputOf, residentMb, timeMs } from './measure.ts';
import type { Figure, Row } from './report.ts';
import { rowsIn } from './rows-in.ts';
import { median, ratios } from './statistics.ts';
import type { Load } from './throughput.ts';
import { SECRET } from './webhook-events.ts';
import type { Order, Sent } from './webhook-load.ts';
import type { Command, Served, Workshop } from './workshop.ts';

const CONNECTIONS = 100;
const P99_LIMIT_MS = 50;
const MEMORY_LIMIT_MB = 183;
/** What a listener is to receive of what a server does that only reads bodies. */
const [PLAIN_OF_BARE, ENCRYPTED_OF_BARE] = [0.4, 0.17];
/** How many events are sent between two looks at the memory. */
const BATCH = 10_000;

/** How many webhooks are received. */
export interface WebhookSize extends Load {
  /** Plain events in each round. */
  readonly events: number;
  /** Encrypted events in each round: fewer, because encryption one takes longer than opening it. */
  readonly encryptedEvents: number;
  /** Events over which memory is watched. */
  readonly manyEvents: number;
}

/** Measures what a listener receives in a second, how soon it answers at half of that, and its memory. */
export async function* measureWebhooks(shop: Workshop, size: WebhookSize): AsyncGenerator<readonly Row[]> {
  const sender = startSender(shop.node([]));
  const bare = await shop.serve(shop.node([join(import.meta.dirname, 'bare-receiver.mjs')]));
  const plain = await startListener(shop, 'listen-plain', ENVIRONMENT);
  const events = { what: 'plain events', count: size.events, ofBare: PLAIN_OF_BARE };
  yield await measureAnswers(sender, { listener: plain, bare }, size, events);
  await shop.stop(plain);
  const { publicKey, ...account } = await encryptedAccount(shop);
  const sealed = await startListener(shop, 'listen-encrypted', account);
  const encryptedEvents = {
    what: 'encrypted events',
    count: size.encryptedEvents,
    ofBare: ENCRYPTED_OF_BARE,
    encryptedTo: publicKey,
  };
  yield await measureAnswers(sender, { listener: sealed, bare }, size, encryptedEvents);
  await Promise.all([sealed, bare].map((each) => shop.stop(each)));
  const many = await startListener(shop, 'listen-many', ENVIRONMENT);
  yield await measureMemory(sender, many, size.manyEvents);
  await shop.stop(many);
  sender.stop();
}

/** The process that sends events. */
export interface Sender {
  /** Signs events that were not sent before, and encrypts them to a public key if there is one. */
  prepare(count: number, encryptedTo?: string): Promise<void>;
  /** Sends all of them once, as fast as they are answered or at a steady rate. */
  send(urls: readonly string[], perSecond?: number): Promise<Sent>;
  stop(): void;
}

export function startSender({ env }: Command): Sender {
  const child = fork(join(import.meta.dirname, 'webhook-load.ts'), { env });
  const ask = (order: Order) =>
    new Promise<Sent>((resolve, reject) => {
      const died = (code: number | null) => reject(new Error(`webhook-load.ts ended with ${code}`));
      child.once('exit', died);
      child.once('message', ({ sent, problem }: { readonly sent?: Sent; readonly problem?: string }) => {
        child.removeListener('exit', died);
        if (problem === undefined) resolve(sent as Sent);
        else reject(new Error(problem));
      });
      child.send(order);
    });
  return {
    prepare: async (count, encryptedTo) => void (await ask({ what: 'prepare', count, encryptedTo })),
    send: (urls, perSecond) =>
      ask({ what: 'send', ports: urls.map((url) => Number(new URL(url).port)), connections: CONNECTIONS, perSecond }),
    stop: () => child.disconnect(),
  };
}

/** How a listener is told its account, and the name of that account's inbox. */
export interface Account {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly profile: string;
}

/** An account that nothing calls, because its secret is known. */
export const ENVIRONMENT: Account = {
  flags: [],
  env: { FIATRAIL_BASE_URL: 'http://127.0.0.1:9/v1', FIATRAIL_API_KEY: 'sandbox_0123456789' },
  profile: 'environment',
};

/** A stored profile with a private key. */
async function encryptedAccount(shop: Workshop): Promise<Account & { readonly publicKey: string }> {
  const profile = 'listener';
  const serve = ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '-o', 'json'];
  const served = await shop.serve(shop.fiatrail('listen-account', serve));
  timeMs(
    shop.fiatrail('listen-encrypted', ['profiles', 'add', profile, '--base-url', served.url, '--key-stdin']),
    served.apiKey,
  );
  const flags = ['--profile', profile];
  const enable = [
    'keys',
    'encryption',
    'enable',
    '--yes',
    ...flags,
    '-q',
    '-o',
    'json',
    '--query',
    'responsesEncryptedTo',
  ];
  const publicKey = JSON.parse(outputOf(shop.fiatrail('listen-encrypted', enable))) as string;
  await shop.stop(served);
  return { flags, env: {}, profile, publicKey };
}

/** A running `webhooks listen`. */
export interface Listener extends Served {
  /** The number of events on disk. */
  kept(): number;
}

export async function startListener(
  shop: Workshop,
  state: string,
  { flags, env, profile }: Account,
): Promise<Listener> {
  const port = await freePort();
  const command = shop.fiatrail(state, ['webhooks', 'listen', '--port', String(port), '-q', '-o', 'ndjson', ...flags], {
    ...env,
    FIATRAIL_WEBHOOK_SECRET: SECRET,
  });
  const inbox = join(command.env['FIATRAIL_STATE_DIR'] ?? '', `inbox-${profile}.db`);
  const served = await shop.start(command, `http://127.0.0.1:${port}/`);
  return { ...served, kept: () => rowsIn(inbox, 'event') };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}

interface Events {
  readonly what: string;
  /** In each round. */
  readonly count: number;
  /** The least share of what the bare server receives. */
  readonly ofBare: number;
  readonly encryptedTo?: string;
}

const rateOf = ({ perSecond }: Sent) => perSecond;

/** Sends events as fast as they are answered, then at half that rate. Throws if an event is not on disk. */
async function measureAnswers(
  sender: Sender,
  { listener, bare }: { readonly listener: Listener; readonly bare: Served },
  { rounds, seconds }: Load,
  { what, count, ofBare, encryptedTo }: Events,
): Promise<Row[]> {
  let expected = listener.kept();
  const send = async (to: Served, events: number, perSecond?: number) => {
    await sender.prepare(events, encryptedTo);
    if (to === listener) expected += events;
    return sender.send([to.url], perSecond);
  };
  const full = await inTurn({ listener, bare }, rounds, (to: Served) => send(to, count), 1);
  const rates = { listener: full.listener.map(rateOf), bare: full.bare.map(rateOf) };
  const perSecond = median(rates.listener);
  const half = perSecond / 2;
  const steady = await inTurn({ listener }, rounds, () => send(listener, Math.ceil(half * seconds), half), 1);
  requireKept(listener, expected);
  const busy = Math.max(...full.listener.map((sent) => sent.busy));
  const p99s = steady.listener.map(({ p99Ms }) => p99Ms);
  const limits = p99s.map(() => P99_LIMIT_MS);
  const rate = (value: number) => Math.round(value).toLocaleString('en');
  return [
    {
      name: `${what} received, verified and stored`,
      unit: '/s',
      values: rates.listener,
      against: 'bare node:http',
      beside: rates.bare,
      ratios: ratios(rates.listener, rates.bare),
      target: { is: 'at least', ratio: ofBare },
      note: `Over ${CONNECTIONS} connections, in turn with a server that only reads each body, on the same cores as the sender.`,
    },
    {
      name: `${what} received, verified and stored: p99 of the answers`,
      unit: 'ms',
      values: p99s,
      against: 'limit',
      beside: limits,
      ratios: ratios(p99s, limits),
      target: { is: 'at most', ratio: 1 },
      note: `From the time when a request was to be sent, at a steady ${rate(half)}/s: half of the ${rate(perSecond)}/s over ${CONNECTIONS} connections, in ${rounds} rounds of ${count.toLocaleString('en')} events. All were on disk. The sender was at most ${Math.round(busy * 100)}% busy.`,
    },
  ];
}

function requireKept(listener: Listener, expected: number): void {
  const kept = listener.kept();
  if (kept !== expected) throw new Error(`the inbox has ${kept} events instead of ${expected}`);
}

/** Watches the memory of a listener while it receives many events. */
async function measureMemory(sender: Sender, listener: Listener, events: number): Promise<Row[]> {
  const name = `resident memory of webhooks listen, ${events.toLocaleString('en')} events`;
  const samples: number[] = [];
  for (let sent = 0; sent < events; sent += BATCH) {
    await sender.prepare(BATCH);
    await sender.send([listener.url]);
    const now = residentMb(listener.pid, 'VmRSS');
    if (now === undefined) return [{ name, why: 'no /proc here' }];
    samples.push(now);
  }
  requireKept(listener, Math.ceil(events / BATCH) * BATCH);
  const peak = residentMb(listener.pid, 'VmHWM') ?? Number.NaN;
  const middle = samples.length / 2;
  // The first tenth is left out, because V8 still compiles and grows its heap.
  const [early, late] = [samples.slice(Math.ceil(samples.length / 10), middle), samples.slice(middle)];
  const row = (values: readonly number[], against: string, beside: readonly number[], ratio: number): Figure => ({
    name,
    unit: 'MB',
    values,
    against,
    beside,
    target: { is: 'at most', ratio },
    ratios: ratios([median(values)], [median(beside)]),
    note: `Looked at after every ${BATCH.toLocaleString('en')} events. The first row has the peak, the second the medians of both halves, without the first tenth.`,
  });
  return [row([peak], 'limit', [MEMORY_LIMIT_MB], 1), row(late, 'first half', early, 1.1)];
}
