import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Exchange, HttpRequest } from '../../src/base/world.ts';
import { retryAfterSeconds, type SendOptions, type Sent, send } from '../../src/client/transport.ts';
import type { Effect } from '../../src/contract/endpoint.ts';
import {
  droppedLine,
  html,
  json,
  refusal,
  refusedConnection,
  scripted,
  success,
  type Turn,
  tooMany,
} from '../support/exchange.ts';
import { settled, timerClock } from '../support/timers.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 5, 9) });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const REQUEST: HttpRequest = {
  method: 'POST',
  url: 'https://service.test/v1/anything',
  headers: { 'x-api-key': 'k' },
  body: '{}',
};
const EFFECTS = ['read', 'write', 'money', 'destructive'] as const satisfies readonly Effect[];
const CHANGES = ['write', 'money', 'destructive'] as const;
const TOTAL_MS = 60_000;

interface Went {
  readonly sent: Sent;
  readonly requests: readonly HttpRequest[];
  readonly elapsedMs: number;
}

async function sendThrough(
  effect: Effect,
  turns: readonly Turn[],
  more: Partial<SendOptions & { method: string }> = {},
): Promise<Went> {
  const { exchange, requests } = scripted(...turns);
  const startMs = Date.now();
  const request = { ...REQUEST, method: more.method ?? REQUEST.method };
  const sent = await settled(
    send(request, exchange, {
      effect,
      totalMs: TOTAL_MS,
      clock: timerClock,
      interrupted: new AbortController().signal,
      ...more,
    }),
  );
  return { sent, requests, elapsedMs: Date.now() - startMs };
}

const statusOf = (sent: Sent) => ('response' in sent ? sent.response.status : undefined);

test.each(EFFECTS)('a %s request tells the network whether it is a read, at each try', async (effect) => {
  const told: unknown[] = [];
  const network: Exchange = async (_request, _signal, isRead) => {
    told.push(isRead);
    return told.length < 3 ? tooMany() : success({});
  };
  const options = { effect, totalMs: TOTAL_MS, clock: timerClock, interrupted: new AbortController().signal };
  await settled(send(REQUEST, network, options));
  const isRead = effect === 'read';
  expect(told).toEqual([isRead, isRead, isRead]);
});

/** After what a request is sent again: by a read, and by one that changes something. */
const RETRIES: readonly (readonly [name: string, turn: () => Turn, read: boolean, change: boolean])[] = [
  ['no connection', refusedConnection, true, false],
  ['a dropped line', droppedLine, true, false],
  ['HTTP 500', () => json(500, '{}'), true, false],
  ['HTTP 501', () => json(501, '{}'), true, false],
  ['HTTP 502 with HTML', () => html(502), true, false],
  ['HTTP 503', () => json(503, '{}'), true, false],
  ['HTTP 503 with Retry-After', () => json(503, '{}', { 'retry-after': '1' }), true, false],
  ['HTTP 504', () => json(504, '{}'), true, false],
  ['HTTP 599', () => json(599, '{}'), true, false],
  ['a status that is none', () => json(999, '{}'), true, false],
  ['HTTP 429', () => tooMany(), true, true],
  ['HTTP 200', () => success({}), false, false],
  ['HTTP 201', () => json(201, '{}'), false, false],
  ['HTTP 302', () => json(302, '', { location: 'https://elsewhere.test/' }), false, false],
  ['HTTP 400', () => refusal(400, '01', 'no'), false, false],
  ['HTTP 401', () => refusal(401, '03', 'no'), false, false],
  ['HTTP 403', () => refusal(403, '03', 'no'), false, false],
  ['HTTP 404', () => refusal(404, '02', 'no'), false, false],
  ['HTTP 408', () => json(408, '{}'), false, false],
  ['HTTP 409', () => refusal(409, '01', 'no'), false, false],
  ['HTTP 413 with Retry-After', () => json(413, '{}', { 'retry-after': '1' }), false, false],
  ['HTTP 418', () => json(418, '{}'), false, false],
];

describe.each(RETRIES)('after %s', (_, turn, isReadAgain, isChangeAgain) => {
  test.each(EFFECTS)('a %s request leaves five times or once', async (effect) => {
    const again = effect === 'read' ? isReadAgain : isChangeAgain;
    const { requests } = await sendThrough(effect, again ? [turn(), turn(), turn(), turn(), turn()] : [turn()]);
    expect(requests).toHaveLength(again ? 5 : 1);
  });

  test.each(['GET', 'POST', 'PUT', 'DELETE'])('and the verb %s does not matter', async (method) => {
    const reads = await sendThrough('read', isReadAgain ? [turn(), success({})] : [turn()], { method });
    const pays = await sendThrough('money', isChangeAgain ? [turn(), success({})] : [turn()], { method });
    expect({ reads: reads.requests.length, payments: pays.requests.length }).toEqual({
      reads: isReadAgain ? 2 : 1,
      payments: isChangeAgain ? 2 : 1,
    });
  });
});

describe('what comes back', () => {
  test('a read goes on until it has an answer', async () => {
    const { sent, requests } = await sendThrough('read', [
      refusedConnection(),
      html(502),
      tooMany(),
      success({ a: 1 }),
    ]);
    expect({ status: statusOf(sent), requests: requests.length }).toEqual({ status: 200, requests: 4 });
  });

  test('a read without an answer tells why', async () => {
    const turns = Array.from({ length: 5 }, droppedLine);
    const { sent } = await sendThrough('read', turns);
    expect(sent).toMatchObject({ noAnswer: 'network', reason: expect.stringContaining('broke off') });
  });

  test.each(CHANGES)('one %s request after a 429 is one success', async (effect) => {
    const { sent, requests } = await sendThrough(effect, [tooMany(), success({})]);
    expect({ status: statusOf(sent), requests: requests.length }).toEqual({ status: 200, requests: 2 });
  });

  test.each(CHANGES)('after 429s a %s request that fails is not sent again', async (effect) => {
    const { sent, requests } = await sendThrough(effect, [tooMany(), tooMany(), json(500, '{}')]);
    expect({ status: statusOf(sent), requests: requests.length }).toEqual({ status: 500, requests: 3 });
  });

  test.each([
    ['could not leave', refusedConnection, false],
    ['was dropped', droppedLine, true],
    ['ended in a way nobody knows', () => new TypeError('who knows'), true],
  ] as const)('a money request that %s', async (_, turn, isSent) => {
    const attempt = sendThrough('money', [turn()]).then(({ sent }) => sent);
    if (turn().name === 'TypeError') await expect(attempt).rejects.toThrow('who knows');
    else expect(await attempt).toMatchObject({ noAnswer: 'network', sent: isSent });
  });

  test('a money request that could not leave after a 429 leaves nothing in doubt', async () => {
    const { sent } = await sendThrough('money', [tooMany(), refusedConnection()]);
    expect(sent).toMatchObject({ noAnswer: 'network', sent: false });
  });

  test('a money request that was dropped after a 429 is in doubt', async () => {
    const { sent } = await sendThrough('money', [tooMany(), droppedLine()]);
    expect(sent).toMatchObject({ noAnswer: 'network', sent: true });
  });

  test('the same request leaves each time', async () => {
    const { requests } = await sendThrough('money', [tooMany(), tooMany(), success({})]);
    expect(requests).toEqual([REQUEST, REQUEST, REQUEST]);
  });

  test('each try and its end are told', async () => {
    const told: string[] = [];
    const onExchange: SendOptions['onExchange'] = ({ attempt, response, error }) =>
      told.push(`${attempt} ${response ? response.status : error ? 'failed' : 'leaves'}`);
    await sendThrough('read', [droppedLine(), json(503, '{}'), success({})], { onExchange });
    expect(told).toEqual(['1 leaves', '1 failed', '2 leaves', '2 503', '3 leaves', '3 200']);
  });
});

describe('how long is waited', () => {
  const WAITS: readonly (readonly [name: string, turn: Turn, waitMs: number])[] = [
    ['the header', tooMany({ 'retry-after': '2' }), 2_000],
    ['the body', tooMany({}, { retry_after: 3 }), 3_000],
    ['a part of a second in the body', tooMany({}, { retry_after: 1.2 }), 2_000],
    ['the header before the body', tooMany({ 'retry-after': '1' }, { retry_after: 30 }), 1_000],
    ['no time at all', tooMany({ 'retry-after': '0' }), 0],
  ];

  test.each(WAITS)('after a 429 as %s says', async (_, turn, waitMs) => {
    const { elapsedMs, requests } = await sendThrough('money', [turn, success({})]);
    expect({ elapsedMs, requests: requests.length }).toEqual({ elapsedMs: waitMs, requests: 2 });
  });

  test.each([
    ['a date', tooMany({ 'retry-after': 'Mon, 05 Jan 2026 10:00:00 GMT' })],
    ['nothing', tooMany()],
    ['a wait below 0', tooMany({}, { retry_after: -5 })],
    ['words', tooMany({}, { retry_after: 'soon' })],
    ['HTML', html(429)],
  ] as const)('a little after a 429 that says %s', async (_, turn) => {
    const { elapsedMs, requests } = await sendThrough('money', [turn, success({})]);
    expect(elapsedMs).toBeGreaterThan(0);
    expect(elapsedMs).toBeLessThanOrEqual(200);
    expect(requests).toHaveLength(2);
  });

  test.each(EFFECTS)('not at all when a 429 asks a %s for more than there is', async (effect) => {
    const { sent, elapsedMs } = await sendThrough(effect, [tooMany({ 'retry-after': '61' })]);
    expect({ status: statusOf(sent), elapsedMs }).toEqual({ status: 429, elapsedMs: 0 });
  });

  test('no longer than is left after the first wait', async () => {
    const turns = [tooMany({ 'retry-after': '40' }), tooMany({ 'retry-after': '30' })];
    const { sent, elapsedMs } = await sendThrough('money', turns);
    expect({ status: statusOf(sent), elapsedMs }).toEqual({ status: 429, elapsedMs: 40_000 });
  });

  test('longer after each failed read, and never more than five seconds', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const { elapsedMs } = await sendThrough('read', Array.from({ length: 5 }, droppedLine));
    expect(elapsedMs).toBe(200 + 400 + 800 + 1600);
  });
});

describe('the total time', () => {
  test.each(CHANGES)('ends a %s request that has no answer, which stays in doubt', async (effect) => {
    const { sent, elapsedMs } = await sendThrough(effect, ['hang'], { totalMs: 5_000 });
    expect(sent).toMatchObject({ noAnswer: 'time', sent: true });
    expect(elapsedMs).toBe(5_000);
  });

  test.each(CHANGES)('leaves a %s request in doubt of which nothing at all was heard', async (effect) => {
    const { sent } = await sendThrough(effect, ['deaf'], { totalMs: 5_000 });
    expect(sent).toMatchObject({ noAnswer: 'time', sent: true });
  });

  test('is shared by the tries of a read that hangs', async () => {
    const { sent, requests, elapsedMs } = await sendThrough('read', ['hang', 'hang', 'hang']);
    expect(sent).toMatchObject({ noAnswer: 'time' });
    expect({ requests: requests.length, elapsedMs }).toEqual({ requests: 3, elapsedMs: TOTAL_MS });
  });

  test('lets a read that hung have its answer at the next try', async () => {
    const { sent, requests } = await sendThrough('read', ['hang', success({})]);
    expect({ status: statusOf(sent), requests: requests.length }).toEqual({ status: 200, requests: 2 });
  });

  test('keeps the last answer when it ends in a wait', async () => {
    const { sent } = await sendThrough('read', [html(502)], { totalMs: 50 });
    expect(statusOf(sent)).toBe(502);
  });
});

describe('an interruption', () => {
  async function interruptedAfter(effect: Effect, turns: readonly Turn[], afterMs: number): Promise<Sent> {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), afterMs);
    return (await sendThrough(effect, turns, { interrupted: controller.signal })).sent;
  }

  test.each(CHANGES)('of a %s request that has left leaves it in doubt', async (effect) => {
    expect(await interruptedAfter(effect, ['hang'], 100)).toMatchObject({ noAnswer: 'interrupted', sent: true });
  });

  test('of a read is an interruption', async () => {
    expect(await interruptedAfter('read', ['hang'], 100)).toMatchObject({ noAnswer: 'interrupted' });
  });

  test.each(EFFECTS)('of a %s that waits after a 429 is one, and nothing is in doubt', async (effect) => {
    const sent = await interruptedAfter(effect, [tooMany({ 'retry-after': '10' })], 100);
    expect(sent).toMatchObject({ noAnswer: 'interrupted', sent: false });
  });

  test('of a read that waits for its next try is one', async () => {
    expect(await interruptedAfter('read', [html(502)], 10)).toMatchObject({ noAnswer: 'interrupted' });
  });
});

describe('retryAfterSeconds', () => {
  test.each([
    ['12', undefined, 12],
    ['0', undefined, 0],
    ['-1', undefined, undefined],
    ['1.5', undefined, undefined],
    ['', 7, 7],
    [undefined, 7, 7],
    [undefined, 6.1, 7],
    [undefined, '7', undefined],
    [undefined, null, undefined],
    ['soon', 7, 7],
  ] as const)('header %s and body %s give %s', (header, inBody, seconds) => {
    const response = json(
      429,
      JSON.stringify({ data: { retry_after: inBody } }),
      header === undefined ? {} : { 'retry-after': header },
    );
    expect(retryAfterSeconds(response)).toBe(seconds);
  });

  test.each(['', 'null', '[]', '"text"', '{"data":null}', '{"data":', '<html>'])('the body %s says nothing', (body) => {
    expect(retryAfterSeconds(json(429, body))).toBeUndefined();
  });
});
