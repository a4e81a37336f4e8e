import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { Inbox } from '../../src/webhooks/inbox/inbox.ts';
import { createMetrics } from '../../src/webhooks/listen/metrics.ts';
import { serveOperations } from '../../src/webhooks/listen/operations.ts';
import { deliveryOf, NOW_MS, onboarded, received, testInbox } from './support.ts';

const TARGET = 'exec:TOKEN=secret ./run';
const SHOWN = 'exec:./run …';

/** What is left of a disk with room. */
const PLENTY = 1_000_000_000;

/** Never too late. */
const forever = (_durationMs: number, signal: AbortSignal) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

interface Rig {
  readonly change?: (inbox: Inbox) => Partial<Inbox>;
  readonly freeBytes?: () => number | undefined;
  readonly sleep?: typeof forever;
}

async function operated({ change = () => ({}), freeBytes = () => PLENTY, sleep = forever }: Rig = {}) {
  const { inbox, clock } = await testInbox();
  const stopping = new AbortController();
  await inbox.forwardTo({ targets: [TARGET] });
  await inbox.claim('here');
  const own = { ...inbox, ...change(inbox) };
  const metrics = createMetrics({ inbox: own, targets: new Map([[TARGET, SHOWN]]), clock });
  const server = await serveOperations(
    {
      host: '127.0.0.1',
      port: 0,
      allowHosts: [],
      inbox: own,
      writer: own,
      freeBytes,
      stopping: stopping.signal,
      clock: { now: clock.now, sleep },
      bytes: randomBytes,
    },
    metrics,
  );
  onTestFinished(async () => {
    await server.close();
    await inbox.close();
  });
  const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers, method });
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };
  const keep = async (number: number, more: object = {}) =>
    await inbox.add([await received(deliveryOf({ ...onboarded(number), ...more }), clock.now())]);
  return { inbox, clock, metrics, stopping, get, keep, notStored: server.notStored };
}

test('a healthy listener says what is in its inbox and how much disk is left', async () => {
  const { get, keep } = await operated();
  await keep(1);
  const { status, type, text } = await get('/healthz');
  expect({ status, type, body: JSON.parse(text) }).toEqual({
    status: 200,
    type: 'application/json',
    body: { status: 'ok', problem: null, events: 1, quarantined: 0, dead: 0, waiting: 1, freeBytes: PLENTY },
  });
  expect(await get('/readyz')).toMatchObject({ status: 200, text: 'ready\n' });
});

const full = async () => {
  throw new Error('the disk is full');
};

test.each([
  ['cannot be written', { holds: full }, 'the disk is full'],
  ['cannot be read', { counts: full }, 'the disk is full'],
  ['has no room for the largest event', { tryRoom: full }, 'the disk is full'],
  ['is another one’s', { holds: async () => false }, 'another listener has taken the inbox'],
])('a listener whose inbox %s is neither healthy nor ready', async (_what, change, problem) => {
  const { get } = await operated({ change: () => change });
  const { status, text } = await get('/healthz');
  expect([status, JSON.parse(text)]).toMatchObject([503, { status: 'failing', problem }]);
  expect(await get('/readyz')).toMatchObject({ status: 503, text: `${problem}\n` });
});

test('the inbox is asked once a second, however often one asks', async () => {
  let touches = 0;
  const { get, clock } = await operated({
    change: (inbox) => ({
      holds: async () => {
        touches += 1;
        return await inbox.holds();
      },
    }),
  });
  for (const _each of [1, 2, 3]) await get('/healthz');
  clock.pass(1_000);
  await get('/readyz');
  expect(touches).toBe(2);
});

/** What is answered, and by /healthz with which problem. */
async function seen(get: Awaited<ReturnType<typeof operated>>['get']) {
  const [health, ready] = [await get('/healthz'), await get('/readyz')];
  const { status, problem } = JSON.parse(health.text) as { status: string; problem: string | null };
  return [health.status, status, problem, ready.status, ready.text];
}

const GREEN = [200, 'ok', null, 200, 'ready\n'];
const red = (problem: string) => [503, 'failing', problem, 503, `${problem}\n`];

test('room is tried with a row as large as the largest event, every 5 seconds, and each second once it fails', async () => {
  const tried: number[] = [];
  let isFull = false;
  const { get, clock, inbox } = await operated({
    change: (own) => ({
      tryRoom: async (filler) => {
        tried.push(filler.length);
        if (isFull) throw new Error('the disk is full');
        await own.tryRoom(filler);
      },
    }),
  });
  const bySecond: number[] = [];
  for (let second = 0; second < 20; second++) {
    isFull = second >= 7 && second < 13;
    bySecond.push((await get('/readyz')).status);
    clock.pass(1_000);
  }
  // The first try that fails is the one at 10 seconds; it is green again at the first second with room.
  expect(bySecond).toEqual([...Array(10).fill(200), ...Array(3).fill(503), ...Array(7).fill(200)]);
  expect(new Set(tried)).toEqual(new Set([2 * 1024 * 1024]));
  expect(tried).toHaveLength(2 + 3 + 2);
  expect((await inbox.counts()).events).toBe(0);
});

test('a listener is red for 30 seconds after an event could not be stored, and green again by itself', async () => {
  const { get, clock, notStored } = await operated();
  expect(await seen(get)).toEqual(GREEN);
  notStored();
  expect(await seen(get)).toEqual(red('an event could not be stored in the last 30 seconds'));
  clock.pass(29_999);
  expect((await get('/readyz')).status).toBe(503);
  clock.pass(1);
  expect(await seen(get)).toEqual(GREEN);
});

test('a listener with less than 16 MiB of disk is red, whatever the inbox takes', async () => {
  let left: number | undefined = 16 * 1024 * 1024 - 1;
  const { get } = await operated({ freeBytes: () => left });
  expect(await seen(get)).toEqual(red(`only ${left} bytes of the disk are left`));
  left += 1;
  expect(await seen(get)).toEqual(GREEN);
  // On a server, nobody knows.
  left = undefined;
  expect(await seen(get)).toEqual(GREEN);
  expect(JSON.parse((await get('/healthz')).text)).toMatchObject({ freeBytes: null });
});

test('a listener whose inbox takes longer than 5 seconds is red until it does not, and is asked once at a time', async () => {
  let asked = 0;
  let isOver = true;
  const stored = Promise.withResolvers<void>();
  const slow = 'storing an event takes longer than 5 seconds';
  const { get, clock } = await operated({
    change: () => ({
      tryRoom: () => {
        asked += 1;
        return stored.promise;
      },
    }),
    sleep: async (...given) => (isOver ? undefined : forever(...given)),
  });
  for (let second = 0; second < 3; second++) {
    expect(await seen(get)).toEqual(red(slow));
    clock.pass(1_000);
  }
  expect(asked).toBe(1);
  stored.resolve();
  isOver = false;
  expect(await seen(get)).toEqual(GREEN);
  expect(asked).toBe(1);
});

test('a file that was slow is noticed afterwards', async () => {
  let tookMs = 5_000;
  const { get, clock } = await operated({
    change: (inbox) => ({
      holds: async () => {
        clock.pass(tookMs);
        return await inbox.holds();
      },
    }),
  });
  expect((await get('/readyz')).status).toBe(503);
  tookMs = 4_999;
  clock.pass(1_000);
  expect((await get('/readyz')).status).toBe(200);
});

test('a listener that stops is healthy and not ready', async () => {
  const { get, stopping } = await operated();
  stopping.abort();
  expect([(await get('/healthz')).status, (await get('/readyz')).status]).toEqual([200, 503]);
});

test.each([
  ['/', {}, 'GET', 404],
  ['/metrics', {}, 'POST', 405],
  ['/metrics', {}, 'HEAD', 200],
])('%s with %j and %s is answered with %i', async (path, headers, method, status) => {
  const { get } = await operated();
  expect((await get(path, headers, method)).status).toBe(status);
});

const OPEN = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8';

test.each([
  ['', PROMETHEUS],
  ['*/*', PROMETHEUS],
  ['text/plain', PROMETHEUS],
  ['application/openmetrics-text', OPEN],
  [
    'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    OPEN,
  ],
  ['text/plain;version=0.0.4;q=0.6, application/openmetrics-text;q=0.5', PROMETHEUS],
  ['application/openmetrics-text;q=0', PROMETHEUS],
])('to a scraper that accepts %j the numbers are %s', async (accept, type) => {
  const { get } = await operated();
  const answer = await get('/metrics', { accept });
  expect([answer.status, answer.type]).toEqual([200, type]);
  expect(answer.text.endsWith('# EOF\n')).toBe(type === OPEN);
});

test('the numbers tell what arrived, was rejected, waits, is quarantined or dead, and how targets took it', async () => {
  const { inbox, clock, metrics, get, keep } = await operated();
  metrics.received(false);
  metrics.received(true);
  metrics.rejected('wrong_signature');
  await keep(1);
  await keep(2, { requestId: 'request-2' });
  await inbox.add([
    await received(deliveryOf({ event: 'user.onboarded', data: {} }, { sentAtMs: NOW_MS - 301_000 }), NOW_MS),
  ]);
  clock.pass(90_000);
  const [first] = await inbox.forwards.due(TARGET, 1);
  if (first) await inbox.forwards.ended([[first, {}]]);
  metrics.forwarded(TARGET, {}, 20);
  metrics.forwarded(TARGET, { status: 503 }, 70_000);
  metrics.forwarded(TARGET, { problem: 'no response' }, 1);
  const open = (await get('/metrics', { accept: OPEN })).text;
  const { text } = await get('/metrics');
  const numbers = text.split('\n').filter((line) => line !== '' && !line.startsWith('#') && !line.includes('_bucket'));
  expect(numbers).toEqual([
    'fiatrail_deliveries_received_total{kind="new"} 1',
    'fiatrail_deliveries_received_total{kind="copy"} 1',
    'fiatrail_deliveries_rejected_total{reason="wrong_signature"} 1',
    `fiatrail_forwards_total{target="${SHOWN}",status="done"} 1`,
    `fiatrail_forwards_total{target="${SHOWN}",status="503"} 1`,
    `fiatrail_forwards_total{target="${SHOWN}",status="failed"} 1`,
    `fiatrail_forward_duration_seconds_sum{target="${SHOWN}"} 70.021`,
    `fiatrail_forward_duration_seconds_count{target="${SHOWN}"} 3`,
    'fiatrail_inbox_events 3',
    'fiatrail_inbox_quarantined_events 1',
    'fiatrail_inbox_off_time_events 1',
    'fiatrail_inbox_dead_forwards 0',
    'fiatrail_inbox_waiting_forwards 1',
    `fiatrail_inbox_oldest_waiting_seconds{target="${SHOWN}"} 90`,
  ]);
  expect(text).toContain(`fiatrail_forward_duration_seconds_bucket{le="0.025",target="${SHOWN}"} 2`);
  expect(text).not.toContain('secret');
  expect(open).toContain('# TYPE fiatrail_deliveries_received counter\n');
  expect(open).toContain('fiatrail_deliveries_received_total{kind="new"} 1\n');
});

test('a port that is taken is an error', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await new Promise((resolve) => taken.once('listening', resolve));
  const { inbox, clock } = await testInbox();
  const { port } = taken.address() as { port: number };
  const options = {
    host: '127.0.0.1',
    port,
    allowHosts: [],
    inbox,
    writer: inbox,
    freeBytes: () => 0,
    bytes: randomBytes,
    clock,
  };
  const metrics = createMetrics({ inbox, targets: new Map(), clock });
  await expect(serveOperations({ ...options, stopping: new AbortController().signal }, metrics)).rejects.toThrow(
    'EADDRINUSE',
  );
  await inbox.close();
});
