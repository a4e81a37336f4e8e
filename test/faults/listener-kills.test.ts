import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { newHome, requireBuilt, startFiatrail } from '../support/built.ts';
import { closedPort } from '../support/loopback.ts';

const KILLS = Number(process.env['FIATRAIL_SOAK_LISTENER_KILLS'] ?? 3);
/** Enough that some are on their way at each kill; the soak sends more. */
const PER_SECOND = process.env['FIATRAIL_SOAK_LISTENER_KILLS'] ? 100 : 25;
const SECRET = 'a-webhook-secret';

beforeAll(requireBuilt);

/** A target that refuses each event the first time, and so half of what it gets, and counts what it takes by event id. */
async function halfTarget() {
  const taken = new Map<string, number>();
  const seen = new Set<string>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const { eventId } = JSON.parse(body) as { eventId: string };
      const isTaken = seen.has(eventId);
      seen.add(eventId);
      if (isTaken) taken.set(eventId, (taken.get(eventId) ?? 0) + 1);
      response.writeHead(isTaken ? 200 : 500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, taken };
}

/** Moves the clock of a process, in a script that Node loads before it. */
const MOVED_CLOCK = `
const { now } = Date;
const movedMs = Number(process.env.TEST_CLOCK_MOVED_MS);
Date.now = () => now() + movedMs;
`;
/** How far the clock of each listener is moved in turn; a step back is further than most delays. */
const MOVES_MS = [0, 240_000, -45_000, 120_000];

/** Sends one event once, signed anew at the listener's time. Returns whether the listener acknowledged it. */
async function send(url: string, number: number, movedMs: number): Promise<boolean> {
  const eventId = `event-${number}`;
  // A few requests, whose events are to keep their order.
  const body = JSON.stringify({
    event: 'user.onboarded',
    eventId,
    requestId: `request-${number % PER_SECOND}`,
    data: { number },
  });
  const timestamp = new Date(Date.now() + movedMs).toISOString();
  const signature = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex');
  const headers = {
    'x-service-signature': signature,
    'x-service-timestamp': timestamp,
    'x-webhook-id': `webhook-${number}`,
    'content-type': 'application/json',
  };
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(5_000) });
    await response.text();
    return response.status === 200;
  } catch {
    return false;
  }
}

test.each([
  ['', false],
  [', while its clock is moved back and forth', true],
])(
  `a listener killed ${KILLS} times loses nothing that it acknowledged, and forwards all of it%s`,
  async (_how, isMoved) => {
    const home = newHome(onTestFinished);
    const { url: target, taken } = await halfTarget();
    const port = await closedPort();
    const url = `http://127.0.0.1:${port}/`;
    const env = {
      FIATRAIL_BASE_URL: `http://127.0.0.1:${port}/v1`,
      FIATRAIL_API_KEY: 'sandbox_0123456789',
      FIATRAIL_WEBHOOK_SECRET: SECRET,
    };
    const preload = join(home.path, 'moved-clock.cjs');
    writeFileSync(preload, MOVED_CLOCK);
    let movedMs = 0;
    const start = (round: number) => {
      movedMs = isMoved ? (MOVES_MS[round % MOVES_MS.length] ?? 0) : 0;
      const clock = { NODE_OPTIONS: `--require ${preload}`, TEST_CLOCK_MOVED_MS: String(movedMs) };
      const argv = ['webhooks', 'listen', '--port', String(port), '--forward', target, '-q', '-o', 'ndjson'];
      return startFiatrail(home, argv, { env: { ...env, ...(isMoved ? clock : {}) } });
    };
    let isSending = true;
    let isOver = false;
    // A test that failed must not go on sending beside the next.
    onTestFinished(() => {
      isSending = false;
      isOver = true;
    });
    const acknowledged = new Set<number>();
    let sent = 0;
    const sending = (async () => {
      const waiting: Promise<void>[] = [];
      while (isSending) {
        const number = sent;
        sent += 1;
        waiting.push(
          (async () => {
            // Every seventh is sent twice at once, and what was not acknowledged is sent again, as the service would.
            if (number % 7 === 0) void send(url, number, movedMs);
            while (!isOver && !(await send(url, number, movedMs))) await sleep(200);
            if (!isOver) acknowledged.add(number);
          })(),
        );
        await sleep(1000 / PER_SECOND);
      }
      await Promise.all(waiting);
    })();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const running = start(kill);
      await sleep(400 + (kill % 5) * 150);
      running.kill('SIGKILL');
      await running.end;
    }
    const last = start(KILLS);
    await sleep(500);
    isSending = false;
    await sending;
    // Each request's events go one after the other, each a second after it was refused.
    const deadlineMs = Date.now() + 120_000 + KILLS * 2_000;
    while (taken.size < sent && Date.now() < deadlineMs) await sleep(100);
    last.kill('SIGINT');
    const { stderr, code } = await last.end;
    const exported = await startFiatrail(home, ['webhooks', 'inbox', 'export', '-o', 'ndjson', '-q'], { env }).end;
    const kept = exported.stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { eventId: string }).eventId);
    // What the target has taken may still be on its way to the inbox when the listener is stopped, and is told then.
    const complaints = stderr.split('\n').filter((line) => line !== '' && !line.includes(' info stopping: '));
    expect({ code, complaints }).toEqual({ code: 0, complaints: [] });
    expect({
      sent,
      acknowledged: acknowledged.size,
      kept: kept.length,
      once: new Set(kept).size,
      forwarded: taken.size,
    }).toEqual({
      sent,
      acknowledged: sent,
      kept: sent,
      once: sent,
      forwarded: sent,
    });
  },
  600_000 + KILLS * 10_000,
);
