import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { fiatrail, newHome, requireBuilt } from '../support/built.ts';
import { closedPort } from '../support/loopback.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { type Attempt, type Listening, startListening, unexplained } from './forwarding-host.ts';
import type { Got } from './slow-target.ts';

const FAULTS = Number(process.env['FIATRAIL_SOAK_INBOX_FAULTS'] ?? 4);
const PER_SECOND = process.env['FIATRAIL_SOAK_INBOX_FAULTS'] === undefined ? 50 : 100;
const REQUESTS = 100;
const SECRET = 'a-webhook-secret';
/** In the long form, a host is suspended this often for so long that it loses what it claimed. */
const LONG_PAUSE_EVERY = 25;
const LONG_PAUSE_MS = 65_000;

beforeAll(requireBuilt);

/** Starts the target, and knows which of the hosts made each attempt. */
async function startTarget(hosts: readonly Host[]) {
  const attempts: Attempt[] = [];
  const target = new Worker(new URL('./slow-target.ts', import.meta.url));
  onTestFinished(async () => void (await target.terminate()));
  const url = new Promise<string>((resolve, reject) => {
    target.once('message', (message: { url: string }) => resolve(message.url));
    target.once('error', reject);
  });
  target.on('message', (got: Got | { url: string }) => {
    if ('url' in got) return;
    const by = hosts.flatMap(({ runs }) => runs).findLast((run) => run.signed(got));
    if (!by) throw new Error('nobody signed an event');
    attempts.push({ number: got.number, by, beganMs: got.beganMs, isTaken: got.isTaken });
  });
  return { url: await url, attempts };
}

/** One of the hosts, and each time that its listener ran; the last one runs now. */
interface Host {
  readonly url: string;
  readonly runs: Listening[];
  start(): void;
}

/** Sends one event once, signed anew. Returns whether it was acknowledged. */
async function send(url: string, number: number): Promise<boolean> {
  const event = { event: 'user.onboarded', eventId: `event-${number}`, requestId: `request-${number % REQUESTS}` };
  const body = JSON.stringify({ ...event, data: { number } });
  const timestamp = new Date().toISOString();
  const signature = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex');
  const signed = { 'x-service-signature': signature, 'x-service-timestamp': timestamp };
  const headers = { ...signed, 'x-webhook-id': `webhook-${number}`, 'content-type': 'application/json' };
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) });
    await response.text();
    return response.status === 200;
  } catch {
    return false;
  }
}

test(
  `two hosts that share an inbox lose, repeat and reorder nothing, whatever dies: ${FAULTS} times`,
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const inboxUrl = server.newDatabase();
    const hosts: Host[] = [];
    const { url: target, attempts } = await startTarget(hosts);
    const account = { FIATRAIL_BASE_URL: 'http://127.0.0.1:9/v1', FIATRAIL_API_KEY: 'sandbox_0123456789' };
    const env = { ...account, FIATRAIL_WEBHOOK_SECRET: SECRET, FIATRAIL_INBOX_URL: inboxUrl };
    for (const home of [newHome(onTestFinished), newHome(onTestFinished)]) {
      const port = await closedPort();
      const runs: Listening[] = [];
      const start = () => void runs.push(startListening(home, { port, target, env }));
      start();
      hosts.push({ url: `http://127.0.0.1:${port}/`, runs, start });
    }
    const sending = startSending(hosts);
    onTestFinished(sending.abandon);
    await sleep(2_000);
    for (let fault = 0; fault < FAULTS; fault += 1) {
      await sleep(300 + (fault % 5) * 100);
      await breakOne(fault, hosts, server);
      await Promise.all(hosts.map(keepUp));
    }
    await sleep(500);
    const sent = await sending.end(() => Promise.all(hosts.map(keepUp)));
    const taken = () => new Set(attempts.filter(({ isTaken }) => isTaken).map(({ number }) => number));
    const deadlineMs = Date.now() + 90_000 + FAULTS * 2_000;
    while (taken().size < sent && Date.now() < deadlineMs) await sleep(500);
    const last = hosts.map(lastOf);
    for (const { running } of last) running.kill('SIGINT');
    const ends = await Promise.all(last.map(({ running }) => running.end));
    const exported = await fiatrail(newHome(onTestFinished), ['webhooks', 'inbox', 'export', '-o', 'ndjson', '-q'], {
      env,
    });
    const stored = exported.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; data: { number: number } });
    const numbers = stored.map(({ data }) => data.number);
    const inInbox = new Map(stored.map(({ id, data }) => [data.number, id]));
    const firsts = [...taken()];
    const ofRequest = (all: readonly number[], request: number) => all.filter((each) => each % REQUESTS === request);
    const requests = Array.from({ length: REQUESTS }, (_, request) => request);
    const reordered = requests.filter(
      (request) => ofRequest(firsts, request).join() !== ofRequest(numbers, request).join(),
    );
    const repeated = attempts.filter(({ isTaken }) => isTaken).length - firsts.length;
    if (process.env['FIATRAIL_SOAK_INBOX_FAULTS'])
      console.info(`${FAULTS} faults: ${JSON.stringify({ sent, ...sending.figures(), repeated })}`);
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    const wrong = unexplained(attempts, (number) => inInbox.get(number) ?? 0);
    expect({
      sent,
      stored: numbers.length,
      once: new Set(numbers).size,
      forwarded: firsts.length,
      reordered,
      unexplained: wrong.map(({ number, beganMs }) => ({ number, beganMs })),
    }).toEqual({ sent, stored: sent, once: sent, forwarded: sent, reordered: [], unexplained: [] });
  },
  600_000 + FAULTS * 10_000,
);

const FIRST_WAIT_MS = 200;
/** So many events wait for their acknowledgement at most. */
const MOST_WAITING = 300;

/** Sends events at a steady rate until `end`, each until it was acknowledged. */
function startSending(hosts: readonly Host[]) {
  let [isSending, isOver, sent, waiting] = [true, false, 0, 0];
  const startedMs = Date.now();
  let endedMs = startedMs;
  /** The address in front of both: any of them may get a delivery. */
  const anyOf = () => hosts[Math.random() < 0.5 ? 0 : 1]?.url ?? '';
  const sendOne = async (number: number) => {
    // Every seventh is sent to both at once, and what was not acknowledged is sent again, as the service would.
    waiting += 1;
    if (number % 7 === 0) for (const { url } of hosts) void send(url, number);
    for (let waitMs = FIRST_WAIT_MS; !isOver && !(await send(anyOf(), number)); waitMs = Math.min(5_000, waitMs * 2))
      await sleep(waitMs);
    waiting -= 1;
  };
  const sending = (async () => {
    const all: Promise<void>[] = [];
    for (let dueMs = startedMs; isSending; dueMs += 1_000 / PER_SECOND) {
      // A busy machine is sometimes late; what hosts do not take queues up at the sender.
      while (isSending && (Date.now() < dueMs || waiting >= MOST_WAITING)) await sleep(5);
      dueMs = Math.max(dueMs, Date.now() - 1_000);
      all.push(sendOne(sent));
      sent += 1;
    }
    endedMs = Date.now();
    await Promise.all(all);
  })();
  return {
    abandon: () => {
      [isSending, isOver] = [false, true];
    },
    /** Resolves to how many were sent, once all of them were acknowledged; calls `meanwhile` until then. */
    end: async (meanwhile: () => Promise<unknown>) => {
      isSending = false;
      while ((await Promise.race([sending.then(() => 'sent'), sleep(200)])) !== 'sent') await meanwhile();
      return sent;
    },
    figures: () => ({ perSecond: Math.round((sent * 1_000) / (endedMs - startedMs)) }),
  };
}

function lastOf({ runs }: Host): Listening {
  const last = runs.at(-1);
  if (!last) throw new Error('a host never ran');
  return last;
}

/** Starts a host again that came up while the server was away, as its supervisor would. Rejects if it ended for another reason. */
async function keepUp(host: Host): Promise<void> {
  const end = await Promise.race([lastOf(host).running.end, sleep(1)]);
  if (end && end.code !== 5) throw new Error(`a host ended with ${end.code}: ${end.stderr.slice(-1_000)}`);
  if (end) host.start();
}

/** Kills a host, suspends it, or kills the server, in turn. */
async function breakOne(fault: number, hosts: readonly Host[], server: TestServer): Promise<void> {
  const host = hosts[Math.floor(fault / 3) % 2];
  if (!host) throw new Error('there is no host');
  const run = lastOf(host);
  if (fault % 3 === 0) {
    run.running.kill('SIGKILL');
    run.killedMs = Date.now();
    await run.running.end;
    host.start();
  } else if (fault % 3 === 1) {
    const fromMs = Date.now();
    run.running.kill('SIGSTOP');
    await sleep(fault % LONG_PAUSE_EVERY === LONG_PAUSE_EVERY - 1 ? LONG_PAUSE_MS : 500);
    run.running.kill('SIGCONT');
    run.pauses.push([fromMs, Date.now()]);
  } else {
    await server.kill();
    await server.start();
  }
}
