import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ExchangeError } from '../../src/base/errors.ts';
import type { Exchange, HttpRequest, HttpResponse } from '../../src/base/world.ts';
import { isRateLimited } from '../../src/client/codec.ts';
import { retryAfterSeconds, type SendOptions, type Sent, send } from '../../src/client/transport.ts';
import type { Effect } from '../../src/contract/endpoint.ts';
import { startOnramp } from '../../src/contract/endpoints/onramp.ts';
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
/** Those that leave again only after the service's own 429, and once. */
const ONLY_ONCE: readonly Effect[] = ['money', 'destructive'];
const TOTAL_MS = 60_000;

interface Went {
  readonly sent: Sent;
  readonly requests: readonly HttpRequest[];
  readonly elapsedMs: number;
}

const OPTIONS = {
  totalMs: TOTAL_MS,
  clock: timerClock,
  isRateLimited: (response: HttpResponse) => isRateLimited(startOnramp, response),
};

async function sendThrough(
  effect: Effect,
  turns: readonly Turn[],
  more: Partial<SendOptions & { method: string }> = {},
): Promise<Went> {
  const { exchange, requests } = scripted(...turns);
  const startMs = Date.now();
  const request = { ...REQUEST, method: more.method ?? REQUEST.method };
  const sent = await settled(
    send(request, exchange, { ...OPTIONS, effect, interrupted: new AbortController().signal, ...more }),
  );
  return { sent, requests, elapsedMs: Date.now() - startMs };
}

const statusOf = (sent: Sent) => ('response' in sent ? sent.response.status : undefined);

/** Whether a read, and a request that changes something, is retried. */
const RETRIES: readonly (readonly [name: string, turn: () => Turn, read: boolean, change: boolean])[] = [
  ['no connection', refusedConnection, true, false],
  ['a dropped connection', droppedLine, true, false],
  ['HTTP 500', () => json(500, '{}'), true, false],
  ['HTTP 501', () => json(501, '{}'), true, false],
  ['HTTP 502 with HTML', () => html(502), true, false],
  ['HTTP 503', () => json(503, '{}'), true, false],
  ['HTTP 503 with Retry-After', () => json(503, '{}', { 'retry-after': '1' }), true, false],
  ['HTTP 504', () => json(504, '{}'), true, false],
  ['HTTP 599', () => json(599, '{}'), true, false],
  ['an invalid status', () => json(999, '{}'), true, false],
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

describe.each(RETRIES)('after %s', (_, turn, retriesRead, retriesChange) => {
  test.each(EFFECTS)('sends a %s request five times, twice or once', async (effect) => {
    const retries = effect === 'read' ? retriesRead : retriesChange;
    const count = retries ? (ONLY_ONCE.includes(effect) ? 2 : 5) : 1;
    const { requests } = await sendThrough(effect, Array.from({ length: count }, turn));
    expect(requests).toHaveLength(count);
  });

  test.each(['GET', 'POST', 'PUT', 'DELETE'])('does the same for %s', async (method) => {
    const reads = await sendThrough('read', retriesRead ? [turn(), success({})] : [turn()], { method });
    const pays = await sendThrough('money', retriesChange ? [turn(), success({})] : [turn()], { method });
    expect({ reads: reads.requests.length, payments: pays.requests.length }).toEqual({
      reads: retriesRead ? 2 : 1,
      payments: retriesChange ? 2 : 1,
    });
  });
});

test.each(EFFECTS)('a %s request tells the network on each attempt whether it is a read', async (effect) => {
  const flags: unknown[] = [];
  const network: Exchange = async (_request, _signal, isRead) => {
    flags.push(isRead);
    return flags.length < 2 ? tooMany() : success({});
  };
  await settled(send(REQUEST, network, { ...OPTIONS, effect, interrupted: new AbortController().signal }));
  const isRead = effect === 'read';
  expect(flags).toEqual([isRead, isRead]);
});

describe('the result', () => {
  test('of a read is the first usable response', async () => {
    const { sent, requests } = await sendThrough('read', [
      refusedConnection(),
      html(502),
      tooMany(),
      success({ a: 1 }),
    ]);
    expect({ status: statusOf(sent), requests: requests.length }).toEqual({ status: 200, requests: 4 });
  });

  test('of a read without a response has the reason', async () => {
    const turns = Array.from({ length: 5 }, droppedLine);
    const { sent } = await sendThrough('read', turns);
    expect(sent).toMatchObject({ noAnswer: 'network', reason: expect.stringContaining('connection was lost') });
  });

  test.each(CHANGES)('of a %s request after a 429 is one success', async (effect) => {
    const { sent, requests } = await sendThrough(effect, [tooMany(), success({})]);
    expect({ status: statusOf(sent), requests: requests.length }).toEqual({ status: 200, requests: 2 });
  });

  test.each(CHANGES)('of a %s request that fails after 429s is the failure, without a retry', async (effect) => {
    const { sent, requests } = await sendThrough(effect, [tooMany(), json(500, '{}')]);
    expect({ status: statusOf(sent), requests: requests.length }).toEqual({ status: 500, requests: 2 });
  });

  test.each([
    ['was not sent', refusedConnection, false],
    ['was dropped', droppedLine, true],
    ['failed for an unknown reason', () => new TypeError('unknown reason'), true],
  ] as const)('of a money request that %s', async (_, turn, isSent) => {
    const attempt = sendThrough('money', [turn()]).then(({ sent }) => sent);
    if (turn().name === 'TypeError') await expect(attempt).rejects.toThrow('unknown reason');
    else expect(await attempt).toMatchObject({ noAnswer: 'network', sent: isSent });
  });

  test('of a money request that was not sent after a 429 is that nothing was sent', async () => {
    const { sent } = await sendThrough('money', [tooMany(), refusedConnection()]);
    expect(sent).toMatchObject({ noAnswer: 'network', sent: false });
  });

  test('of a money request that was dropped after a 429 is unknown', async () => {
    const { sent } = await sendThrough('money', [tooMany(), droppedLine()]);
    expect(sent).toMatchObject({ noAnswer: 'network', sent: true });
  });

  test('comes from identical requests', async () => {
    const { requests } = await sendThrough('money', [tooMany(), success({})]);
    expect(requests).toEqual([REQUEST, REQUEST]);
  });

  test('is reported for each attempt', async () => {
    const events: string[] = [];
    const onExchange: SendOptions['onExchange'] = ({ attempt, response, error }) =>
      events.push(`${attempt} ${response ? response.status : error ? 'failed' : 'starts'}`);
    await sendThrough('read', [droppedLine(), json(503, '{}'), success({})], { onExchange });
    expect(events).toEqual(['1 starts', '1 failed', '2 starts', '2 503', '3 starts', '3 200']);
  });
});

describe('the wait', () => {
  const WAITS: readonly (readonly [name: string, turn: Turn, waitMs: number])[] = [
    ['the header', tooMany({ 'retry-after': '2' }), 2_000],
    ['the body', tooMany({}, { retry_after: 3 }), 3_000],
    ['fractions of a second in the body', tooMany({}, { retry_after: 1.2 }), 2_000],
    ['the header before the body', tooMany({ 'retry-after': '1' }, { retry_after: 30 }), 1_000],
    ['no wait', tooMany({ 'retry-after': '0' }), 0],
    ['a date', tooMany({ 'retry-after': 'Mon, 05 Jan 2026 09:00:07 GMT' }), 7_000],
    ['a date in the past', tooMany({ 'retry-after': 'Mon, 05 Jan 2026 08:00:00 GMT' }), 0],
    ['the body before a date', tooMany({ 'retry-after': 'Mon, 05 Jan 2026 09:00:07 GMT' }, { retry_after: 3 }), 3_000],
  ];

  test.each(WAITS)('after a 429 follows %s', async (_, turn, waitMs) => {
    const { elapsedMs, requests } = await sendThrough('money', [turn, success({})]);
    expect({ elapsedMs, requests: requests.length }).toEqual({ elapsedMs: waitMs, requests: 2 });
  });

  test.each([
    ['no wait', tooMany()],
    ['an invalid header', tooMany({ 'retry-after': 'soon' })],
    ['a negative wait', tooMany({}, { retry_after: -5 })],
    ['a string', tooMany({}, { retry_after: 'soon' })],
    ['HTML', html(429)],
  ] as const)('is short after a 429 with %s', async (_, turn) => {
    const { elapsedMs, requests } = await sendThrough('write', [turn, success({})]);
    expect(elapsedMs).toBeGreaterThan(0);
    expect(elapsedMs).toBeLessThanOrEqual(200);
    expect(requests).toHaveLength(2);
  });

  describe.each(EFFECTS)('of a %s request', (effect) => {
    test.each(['61', 'Mon, 05 Jan 2026 09:01:01 GMT'])('is skipped when %s is past the time limit', async (header) => {
      const { sent, elapsedMs } = await sendThrough(effect, [tooMany({ 'retry-after': header })]);
      expect({ status: statusOf(sent), elapsedMs }).toEqual({ status: 429, elapsedMs: 0 });
    });
  });

  test('is skipped when it is longer than the time left', async () => {
    const turns = [tooMany({ 'retry-after': '40' }), tooMany({ 'retry-after': '30' })];
    const { sent, elapsedMs } = await sendThrough('money', turns);
    expect({ status: statusOf(sent), elapsedMs }).toEqual({ status: 429, elapsedMs: 40_000 });
  });

  test('doubles after each failed read', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const { elapsedMs } = await sendThrough('read', Array.from({ length: 5 }, droppedLine));
    expect(elapsedMs).toBe(200 + 400 + 800 + 1600);
  });
});

describe.each(ONLY_ONCE)('a %s request', (effect) => {
  const again = () => vi.fn(async () => {});

  test.each([
    ['HTML', html(429)],
    ['no body', json(429, '')],
    ['no code', json(429, '{"message":"Too many requests"}')],
    ['the HTTP status as its code', json(429, '{"response_code":"429","message":"Too many requests"}')],
    ['another code', refusal(429, '01', 'no')],
    ['code 05', refusal(429, '05', 'no')],
    ['the words of a success', json(429, '{"status":"Success","response_code":"04"}')],
    ['the name of an internal error', refusal(429, '04', 'no', { error: 'INTERNAL_ERROR' })],
  ])('is not sent again after a 429 with %s, and may have been done', async (_, turn) => {
    const beforeResend = again();
    const { sent, requests } = await sendThrough(effect, [turn], { beforeResend });
    expect({ status: statusOf(sent), requests: requests.length }).toEqual({ status: 429, requests: 1 });
    expect(beforeResend).not.toHaveBeenCalled();
  });

  test.each([
    ['its code', tooMany()],
    ['its name', json(429, '{"error":"RATE_LIMIT_EXCEEDED","message":"wait"}')],
  ])('is sent once more after a 429 of the service by %s, and is recorded before', async (_, turn) => {
    const seen: string[] = [];
    const beforeResend = async () => void seen.push('recorded');
    const turns: Turn[] = [
      () => {
        seen.push('sent');
        return turn;
      },
      () => {
        seen.push('sent');
        return tooMany();
      },
    ];
    const { sent } = await sendThrough(effect, turns, { beforeResend });
    expect({ status: statusOf(sent), seen }).toEqual({ status: 429, seen: ['sent', 'recorded', 'sent'] });
  });

  test('does not leave again if that cannot be recorded', async () => {
    const beforeResend = async () => {
      throw new ExchangeError('the disk is full', false);
    };
    const { sent, requests } = await sendThrough(effect, [tooMany()], { beforeResend });
    expect({ sent, requests: requests.length }).toEqual({
      sent: { noAnswer: 'network', sent: false, reason: 'the disk is full' },
      requests: 1,
    });
  });
});

test.each(['read', 'write'] as const)('a %s request is sent again without a record', async (effect) => {
  const beforeResend = vi.fn(async () => {});
  await sendThrough(effect, [tooMany(), success({})], { beforeResend });
  expect(beforeResend).not.toHaveBeenCalled();
});

describe('the total time limit', () => {
  test.each(CHANGES)('ends a %s request without a response, with an unknown outcome', async (effect) => {
    const { sent, elapsedMs } = await sendThrough(effect, ['hang'], { totalMs: 5_000 });
    expect(sent).toMatchObject({ noAnswer: 'time', sent: true });
    expect(elapsedMs).toBe(5_000);
  });

  test.each(CHANGES)('ends a %s request that ignores its abort signal, with an unknown outcome', async (effect) => {
    const { sent } = await sendThrough(effect, ['deaf'], { totalMs: 5_000 });
    expect(sent).toMatchObject({ noAnswer: 'time', sent: true });
  });

  test.each(CHANGES)('is the only limit of a %s request, which is sent once', async (effect) => {
    const { requests, elapsedMs } = await sendThrough(effect, ['hang']);
    expect({ requests: requests.length, elapsedMs }).toEqual({ requests: 1, elapsedMs: TOTAL_MS });
  });

  test('covers all attempts of a read that hangs', async () => {
    const { sent, requests, elapsedMs } = await sendThrough('read', ['hang', 'hang', 'hang']);
    expect(sent).toMatchObject({ noAnswer: 'time' });
    expect({ requests: requests.length, elapsedMs }).toEqual({ requests: 3, elapsedMs: TOTAL_MS });
  });

  test('leaves time to retry a read that hung once', async () => {
    const { sent, requests } = await sendThrough('read', ['hang', success({})]);
    expect({ status: statusOf(sent), requests: requests.length }).toEqual({ status: 200, requests: 2 });
  });

  test('returns the last response when it passes during a wait', async () => {
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

  test.each(CHANGES)('of a %s request that was sent leaves an unknown outcome', async (effect) => {
    expect(await interruptedAfter(effect, ['hang'], 100)).toMatchObject({ noAnswer: 'interrupted', sent: true });
  });

  test('of a read is reported', async () => {
    expect(await interruptedAfter('read', ['hang'], 100)).toMatchObject({ noAnswer: 'interrupted' });
  });

  test.each(EFFECTS)('of a %s request during the wait after a 429 ends the wait, with nothing sent', async (effect) => {
    const sent = await interruptedAfter(effect, [tooMany({ 'retry-after': '10' })], 100);
    expect(sent).toMatchObject({ noAnswer: 'interrupted', sent: false });
  });

  test('of a read during the wait for a retry ends the wait', async () => {
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
    [undefined, '7', 7],
    [undefined, 'soon', undefined],
    [undefined, null, undefined],
    ['soon', 7, 7],
  ] as const)('reads header %s and body %s as %s', (header, inBody, seconds) => {
    const response = json(
      429,
      JSON.stringify({ data: { retry_after: inBody } }),
      header === undefined ? {} : { 'retry-after': header },
    );
    expect(retryAfterSeconds(response)).toBe(seconds);
  });

  test.each(['', 'null', '[]', '"text"', '{"data":null}', '{"data":', '<html>'])(
    'returns undefined for the body %s',
    (body) => {
      expect(retryAfterSeconds(json(429, body))).toBeUndefined();
    },
  );
});

describe('a request that is too late', () => {
  test.each(EFFECTS)('never leaves: %s', async (effect) => {
    const { exchange, requests } = scripted();
    const options = { ...OPTIONS, effect, interrupted: new AbortController().signal };
    const sent = await settled(send({ ...REQUEST, isLate: () => true }, exchange, options));
    expect({ sent, requests }).toMatchObject({ sent: { noAnswer: 'network', sent: false }, requests: [] });
  });

  test('does not leave again after it was told to wait', async () => {
    const { exchange, requests } = scripted(tooMany({ 'retry-after': '5' }));
    const late = [false, true];
    const options = { ...OPTIONS, effect: 'money' } as const;
    const request = { ...REQUEST, isLate: () => late.shift() ?? true };
    const sent = await settled(send(request, exchange, { ...options, interrupted: new AbortController().signal }));
    expect({ sent, requests: requests.length }).toMatchObject({ sent: { sent: false }, requests: 1 });
  });
});

describe('a response that ends in the middle', () => {
  const cut = json(200, '{"status":"Success","response_code":"00","data":{"requestId":"r-');

  test('is read again', async () => {
    const { sent, requests } = await sendThrough('read', [cut, success({})]);
    expect({ sent, requests: requests.length }).toMatchObject({ sent: { response: { status: 200 } }, requests: 2 });
    expect('response' in sent && sent.response.body).toBe(success({}).body);
  });

  test('is read again until the attempts are over', async () => {
    const { requests } = await sendThrough('read', [cut, cut, cut, cut, cut]);
    expect(requests).toHaveLength(5);
  });

  test.each(CHANGES)('is not sent again: %s', async (effect) => {
    const { sent, requests } = await sendThrough(effect, [cut]);
    expect({ sent, requests: requests.length }).toMatchObject({ sent: { response: cut }, requests: 1 });
  });
});
