import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { newHome, requireBuilt, startFiatrail } from '../support/built.ts';
import { closedPort } from '../support/loopback.ts';
import { startPostgres } from '../support/postgres.ts';

const FAULTS = Number(process.env['FIATRAIL_SOAK_INBOX_FAULTS'] ?? 6);
const PER_SECOND = 100;
const REQUESTS = 100;
const SECRET = 'a-webhook-secret';
/** In the long form, a host is suspended this often for so long that it loses what it claimed. */
const LONG_PAUSE_EVERY = 25;
const LONG_PAUSE_MS = 65_000;
/** What a target has taken is recorded within this, unless something dies or stands still. */
const RECORDED_MS = 1_000;

beforeAll(requireBuilt);

interface Taking {
  readonly number: number;
  readonly atMs: number;
}

/** A target that refuses every fifth event once, takes its time, and remembers what it took. */
async function slowTarget() {
  const takings: Taking[] = [];
  const refused = new Set<number>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', async () => {
      const { number } = (JSON.parse(body) as { data: { number: number } }).data;
      await sleep(20);
      const isRefused = number % 5 === 0 && !refused.has(number);
      refused.add(number);
      if (!isRefused) takings.push({ number, atMs: Date.now() });
      response.writeHead(isRefused ? 500 : 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, takings };
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
    const { url: target, takings } = await slowTarget();
    const account = { FIATRAIL_BASE_URL: 'http://127.0.0.1:9/v1', FIATRAIL_API_KEY: 'sandbox_0123456789' };
    const env = { ...account, FIATRAIL_WEBHOOK_SECRET: SECRET, FIATRAIL_INBOX_URL: inboxUrl };
    const hosts = await Promise.all(
      [0, 1].map(async () => {
        const [home, port] = [newHome(onTestFinished), await closedPort()];
        const argv = ['webhooks', 'listen', '--port', String(port), '--forward', target, '-q', '-o', 'ndjson'];
        const start = () => startFiatrail(home, argv, { env });
        return { home, url: `http://127.0.0.1:${port}/`, start, running: start() };
      }),
    );
    /** Starts a host again that came up while the server was away, as its supervisor would. Rejects if it ended for another reason. */
    const keepUp = async (host: (typeof hosts)[number]) => {
      const end = await Promise.race([host.running.end, sleep(1)]);
      if (end && end.code !== 5) throw new Error(`a host ended with ${end.code}: ${end.stderr}`);
      if (end) host.running = host.start();
    };
    let isSending = true;
    let isOver = false;
    onTestFinished(() => {
      isSending = false;
      isOver = true;
    });
    let sent = 0;
    /** The address in front of both: any of them may get a delivery. */
    const anyOf = () => hosts[Math.random() < 0.5 ? 0 : 1]?.url ?? '';
    const sending = (async () => {
      const waiting: Promise<void>[] = [];
      while (isSending) {
        const number = sent;
        sent += 1;
        waiting.push(
          (async () => {
            // Every seventh is sent to both at once, and what was not acknowledged is sent again, as the service would.
            if (number % 7 === 0) for (const { url } of hosts) void send(url, number);
            while (!isOver && !(await send(anyOf(), number))) await sleep(200);
          })(),
        );
        await sleep(1000 / PER_SECOND);
      }
      await Promise.all(waiting);
    })();
    await sleep(2_000);
    const untilFirstMs = Date.now();
    /** From when to when something was dead or stood still. */
    const faults: (readonly [fromMs: number, toMs: number])[] = [];
    for (let fault = 0; fault < FAULTS; fault += 1) {
      await sleep(300 + (fault % 5) * 100);
      const fromMs = Date.now();
      const host = hosts[Math.floor(fault / 3) % 2];
      if (!host) throw new Error('there is no host');
      if (fault % 3 === 0) {
        host.running.kill('SIGKILL');
        await host.running.end;
        host.running = host.start();
      } else if (fault % 3 === 1) {
        host.running.kill('SIGSTOP');
        await sleep(fault % LONG_PAUSE_EVERY === LONG_PAUSE_EVERY - 1 ? LONG_PAUSE_MS : 500);
        host.running.kill('SIGCONT');
      } else {
        await server.kill();
        await server.start();
      }
      faults.push([fromMs, Date.now()]);
      await Promise.all(hosts.map(keepUp));
    }
    await sleep(500);
    isSending = false;
    let isSent = false;
    void sending.then(() => {
      isSent = true;
    });
    while (!isSent) {
      await Promise.all(hosts.map(keepUp));
      await sleep(200);
    }
    const takenNumbers = () => new Set(takings.map(({ number }) => number));
    const deadlineMs = Date.now() + 90_000 + FAULTS * 2_000;
    while (takenNumbers().size < sent && Date.now() < deadlineMs) await sleep(100);
    const [first] = hosts;
    if (!first) throw new Error('there is no host');
    for (const { running } of hosts) running.kill('SIGINT');
    const ends = await Promise.all(hosts.map(({ running }) => running.end));
    const exported = await startFiatrail(first.home, ['webhooks', 'inbox', 'export', '-o', 'ndjson', '-q'], { env })
      .end;
    const stored = exported.stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { data: { number: number } }).data.number);
    const firsts = [...takenNumbers()];
    const ofRequest = (numbers: readonly number[], request: number) =>
      numbers.filter((each) => each % REQUESTS === request);
    const requests = Array.from({ length: REQUESTS }, (_, request) => request);
    const reordered = requests.filter(
      (request) => ofRequest(firsts, request).join() !== ofRequest(stored, request).join(),
    );
    // Only what was on its way may come again: it was taken while something died, or right before.
    const isDuringFault = ({ atMs }: Taking) =>
      faults.some(([fromMs, toMs]) => atMs >= fromMs - RECORDED_MS && atMs <= toMs + RECORDED_MS);
    const firstOf = new Map<number, Taking>();
    for (const taking of takings) if (!firstOf.has(taking.number)) firstOf.set(taking.number, taking);
    const repeated = takings.filter((taking) => firstOf.get(taking.number) !== taking);
    const unexplained = repeated.filter(({ number }) => {
      const before = firstOf.get(number);
      return before === undefined || !isDuringFault(before);
    });
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    expect({
      ...{ sent, stored: stored.length, once: new Set(stored).size, forwarded: firsts.length },
      ...{ reordered, unexplained, early: repeated.filter(({ atMs }) => atMs < untilFirstMs) },
    }).toEqual({
      ...{ sent, stored: sent, once: sent, forwarded: sent, reordered: [], unexplained: [], early: [] },
    });
  },
  600_000 + FAULTS * 10_000,
);
