import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CATEGORIES, CliError } from '../../src/base/errors.ts';
import { Secret } from '../../src/base/secret.ts';
import type { HttpRequest, HttpResponse } from '../../src/base/world.ts';
import { type Client, createClient, type Reply } from '../../src/client/client.ts';
import { uncheckedRequest, validRequest } from '../../src/client/request.ts';
import { sandboxReset } from '../../src/contract/control.ts';
import type { Endpoint, RequestOf } from '../../src/contract/endpoint.ts';
import { balanceMulti, balanceUser } from '../../src/contract/endpoints/balances.ts';
import { addBankAccount } from '../../src/contract/endpoints/banks.ts';
import { startOfframp } from '../../src/contract/endpoints/offramp.ts';
import { startOnramp } from '../../src/contract/endpoints/onramp.ts';
import { startPayout } from '../../src/contract/endpoints/payouts.ts';
import { getDetails, onboard } from '../../src/contract/endpoints/users.ts';
import { anyCharacter } from '../support/characters.ts';
import {
  droppedLine,
  html,
  json,
  refusal,
  refusedConnection,
  scriptedExactly,
  success,
  type Turn,
  tooMany,
} from '../support/exchange.ts';
import { settled, timerClock } from '../support/timers.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 5, 9) });
});

afterEach(() => {
  vi.useRealTimers();
});

const KEY = 'the-key-nobody-may-see';

function clientFor(turns: readonly Turn[], totalMs = 60_000) {
  const { exchange, requests } = scriptedExactly(...turns);
  const client = createClient({
    exchange,
    target: { baseUrl: 'https://service.test/v1', apiKey: new Secret(KEY) },
    clock: timerClock,
    totalMs,
    interrupted: new AbortController().signal,
  });
  return { client, requests };
}

const ONRAMP = { userId: 'u', amount: 500 };
const STARTED = {
  requestId: 'r-1',
  walletAddress: '0x1',
  status: 'requested',
  message: 'pay',
  autoSwapEnabled: false,
  targetAsset: 'CNGN',
  feeBreakdown: { baseAmount: 500, totalFee: 10, totalAmount: 510 },
};

/** One call of each effect. */
const CALLS = {
  read: (client: ReturnType<typeof clientFor>['client']) => client.call(validRequest(balanceMulti, {})),
  write: (client: ReturnType<typeof clientFor>['client']) =>
    client.call(validRequest(addBankAccount, { accountNumber: '0123456789', bankCode: '058' })),
  money: (client: ReturnType<typeof clientFor>['client']) => client.call(validRequest(startOnramp, ONRAMP)),
  destructive: (client: ReturnType<typeof clientFor>['client']) => client.call(validRequest(sandboxReset, {})),
} as const;
type Kind = keyof typeof CALLS;

test.each([
  ['in time', false, 1],
  ['too late', true, 0],
] as const)('a change is sent only while it may leave: %s', async (_when, isLate, count) => {
  const { client, requests } = clientFor(count === 1 ? [success(STARTED)] : []);
  const call = client.call(validRequest(startOnramp, ONRAMP), { isLate: () => isLate });
  const error = await settled(call).then(
    () => undefined,
    (thrown: CliError) => thrown,
  );
  expect({ count: requests.length, category: error?.category }).toEqual({
    count,
    category: count === 0 ? 'network' : undefined,
  });
});

test.each(['', '.', '..'])('an id that a URL would lose sends nothing: %j', async (userId) => {
  const { client, requests } = clientFor([]);
  await expect(client.call(uncheckedRequest(balanceUser, { userId }))).rejects.toMatchObject({ category: 'usage' });
  expect(requests).toEqual([]);
});

interface Ended {
  readonly reply?: Reply<unknown>;
  readonly error?: CliError;
  readonly requests: readonly HttpRequest[];
}

async function ended(call: Promise<Reply<unknown>>, requests: readonly HttpRequest[]): Promise<Ended> {
  try {
    return { reply: await settled(call), requests };
  } catch (error) {
    if (error instanceof CliError) return { error, requests };
    throw error;
  }
}

function calling(kind: Kind, turns: readonly Turn[], totalMs?: number): Promise<Ended> {
  const { client, requests } = clientFor(turns, totalMs);
  return ended(CALLS[kind](client), requests);
}

const exitOf = ({ error }: Ended) => (error ? CATEGORIES[error.category].exit : 0);

/** Responses that mean neither success nor rejection. */
const UNUSABLE: readonly (readonly [name: string, answer: HttpResponse])[] = [
  ['HTTP 500 with an envelope', refusal(500, '05', 'Internal error')],
  ['HTTP 502 with HTML', html(502)],
  ['HTTP 503 with an empty body', json(503, '')],
  ['HTTP 200 with an empty body', json(200, '')],
  ['HTTP 200 with a blank body', json(200, ' \n')],
  ['HTTP 200 with HTML', html(200)],
  ['HTTP 200 with HTML as application/json', json(200, '<html></html>')],
  ['HTTP 200 with truncated JSON', json(200, '{"status":"Success","response_code":"00","data":{"requ')],
  ['HTTP 200 with an array', json(200, '[]')],
  ['HTTP 200 with a string', json(200, '"Success"')],
  ['HTTP 200 with a number', json(200, '0')],
  ['HTTP 200 with null', json(200, 'null')],
  ['HTTP 200 with true', json(200, 'true')],
  ['HTTP 200 with another object', json(200, '{"ok":true}')],
  ['HTTP 200 with an unknown number as code', json(200, '{"response_code":7,"data":{"requestId":"r"}}')],
  ['HTTP 200 with an unknown word as code', json(200, '{"code":"QUEUE_FULL","data":{"requestId":"r"}}')],
  ['HTTP 200 with a three-digit code', json(200, '{"response_code":"000","data":{"requestId":"r"}}')],
  ['HTTP 200 with an unknown code', refusal(200, '07', 'no')],
  [
    'HTTP 200 with codes that contradict each other',
    json(200, '{"response_code":"00","code":"01","data":{"requestId":"r"}}'),
  ],
  ['HTTP 200 with a 5xx as code', json(200, '{"response_code":"500","message":"broken"}')],
  ['HTTP 400 with a 5xx as code', json(400, '{"response_code":"500","message":"broken"}')],
  [
    'HTTP 200 with an id that it has twice',
    json(200, '{"response_code":"00","data":{"requestId":"r","requestId":"s"}}'),
  ],
  ['HTTP 400 with a code that it has twice', json(400, '{"response_code":"01","response_code":"00"}')],
  ['HTTP 200 with data and an error', json(200, '{"error":"no","data":{"requestId":"r"}}')],
  ['HTTP 200 with data and a status that is no success', json(200, '{"status":"Failed","data":{"requestId":"r"}}')],
  ['HTTP 204', json(204, '')],
  ['HTTP 302', json(302, '', { location: 'https://elsewhere.test/v1/cngnonramp' })],
  ['HTTP 302 with an envelope', { ...success(STARTED), status: 302 }],
  ['HTTP 400 with HTML', html(400)],
  ['HTTP 400 with an empty body', json(400, '')],
  ['HTTP 401 with HTML', html(401)],
  ['HTTP 403 with HTML', html(403)],
  ['HTTP 404 with an array', json(404, '[]')],
  ['HTTP 400 with a success code', json(400, '{"response_code":"00","data":{"requestId":"r"}}')],
  ['HTTP 500 with a success code', json(500, '{"response_code":"00","data":{"requestId":"r"}}')],
  ['two JSON documents', json(200, '{"response_code":"00"}{"response_code":"00"}')],
  ['JSON nested 10,000 levels deep', json(200, '['.repeat(10_000))],
];

describe.each(UNUSABLE)('%s', (_, answer) => {
  test.each(['write', 'money', 'destructive'] as const)(
    'is an unknown outcome (exit 6) of a %s request, which is sent once',
    async (kind) => {
      const end = await calling(kind, [answer]);
      expect({ category: end.error?.category, exit: exitOf(end), requests: end.requests.length }).toEqual({
        category: 'unknown',
        exit: 6,
        requests: 1,
      });
    },
  );

  test('is an unusable response to a read: exit 5', async () => {
    // A truncated response may be whole the next time. A retry of any other would change nothing.
    const isTruncated = answer.status === 200 && answer.body.startsWith('{') && !answer.body.endsWith('}');
    const attempts = answer.status >= 500 || isTruncated ? 5 : 1;
    const end = await calling(
      'read',
      Array.from({ length: attempts }, () => answer),
    );
    expect({ category: end.error?.category, exit: exitOf(end) }).toEqual({ category: 'network', exit: 5 });
  });
});

const REFUSALS: readonly (readonly [
  name: string,
  answer: HttpResponse,
  category: string,
  exit: number,
  code: string,
])[] = [
  ['HTTP 400, code 01', refusal(400, '01', 'Bad'), 'rejected', 3, 'VALIDATION_ERROR'],
  // The only condition of the endpoint with this status and code, and one that it does not have.
  ['HTTP 404, code 02', refusal(404, '02', 'Gone'), 'rejected', 3, 'USER_NOT_FOUND'],
  ['HTTP 409, code 02', refusal(409, '02', 'Gone'), 'rejected', 3, 'NOT_FOUND'],
  ['HTTP 409, code 77', refusal(409, '77', 'Strange'), 'rejected', 3, 'REJECTED'],
  ['HTTP 401, code 03', refusal(401, '03', 'Who?'), 'auth', 4, 'AUTHENTICATION_FAILED'],
  ['HTTP 403, code 03', refusal(403, '03', 'From where?'), 'auth', 4, 'IP_BLOCKED'],
  ['HTTP 401, code 01', refusal(401, '01', 'Who?'), 'auth', 4, 'AUTHENTICATION_FAILED'],
  ['HTTP 403, code 99', refusal(403, '99', 'No'), 'auth', 4, 'AUTHENTICATION_FAILED'],
  ['HTTP 400, code 03', refusal(400, '03', 'Who?'), 'auth', 4, 'AUTHENTICATION_FAILED'],
  [
    'HTTP 400, code 01, with a name',
    refusal(400, '01', 'Bad', { error: 'LIMIT_EXCEEDED' }),
    'rejected',
    3,
    'LIMIT_EXCEEDED',
  ],
  ['HTTP 400, code 05', refusal(400, '05', 'Too low'), 'rejected', 3, 'VALIDATION_ERROR'],
  ['HTTP 200, code 02', refusal(200, '02', 'Gone'), 'rejected', 3, 'USER_NOT_FOUND'],
  [
    'HTTP 403, code 03, with another name',
    refusal(403, '03', 'No', { error: 'AUTHORIZATION_FAILED' }),
    'auth',
    4,
    'IP_BLOCKED',
  ],
  ['HTTP 400, code 01, IP_NOT_ALLOWED', refusal(400, '01', 'IP_NOT_ALLOWED'), 'auth', 4, 'IP_BLOCKED'],
  // A text that has the word is about something else.
  [
    'HTTP 400, code 01, IP_BLOCKED in a text',
    refusal(400, '01', 'Bad label: IP_BLOCKED'),
    'rejected',
    3,
    'VALIDATION_ERROR',
  ],
  ['the FX spelling', json(400, '{"responseCode":"01","responseMessage":"Bad"}'), 'rejected', 3, 'VALIDATION_ERROR'],
];

/** Those whose code does not prove that nothing was done. */
const UNPROVEN: ReadonlySet<string> = new Set(['HTTP 409, code 77', 'HTTP 403, code 99', 'HTTP 400, code 05']);

describe.each(REFUSALS)('%s', (name, answer, category, exit, code) => {
  test.each(['money', 'destructive'] as const)(
    'rejects a %s request only if it is definite; it is sent once',
    async (kind) => {
      const end = await calling(kind, [answer]);
      const expected = UNPROVEN.has(name) ? { category: 'unknown', exit: 6 } : { category, exit };
      expect({ category: end.error?.category, exit: exitOf(end), requests: end.requests.length }).toEqual({
        ...expected,
        requests: 1,
      });
    },
  );

  test('has its code', async () => {
    expect((await calling('money', [answer])).error?.code).toBe(UNPROVEN.has(name) ? 'OUTCOME_UNKNOWN' : code);
  });

  test('names the command that allows this address if that is why', async () => {
    const { error } = await calling('read', [answer]);
    expect(error?.hint?.endsWith('fiatrail ip add ADDRESS') ?? false).toBe(code === 'IP_BLOCKED');
  });

  test.each(['read', 'write'] as const)('rejects a %s request with the same exit code', async (kind) => {
    const end = await calling(kind, [answer]);
    expect({ category: end.error?.category, exit: exitOf(end), requests: end.requests.length }).toEqual({
      category,
      exit,
      requests: 1,
    });
  });

  test('reports the status and the code', async () => {
    const { error } = await calling('money', [answer]);
    expect(error).toMatchObject({ httpStatus: answer.status, responseCode: /"(\d\d)"/.exec(answer.body)?.[1] });
  });
});

const SEQUENCES: readonly (readonly [
  name: string,
  turns: () => Turn[],
  category: string | undefined,
  requests: number,
])[] = [
  ['no connection', () => [refusedConnection()], 'network', 1],
  ['a dropped line', () => [droppedLine()], 'unknown', 1],
  ['a service that never responds', () => ['hang'], 'unknown', 1],
  ['a 429, then success', () => [tooMany(), success(STARTED)], undefined, 2],
  ['a 429, then no connection', () => [tooMany(), refusedConnection()], 'network', 2],
  ['a 429, then a dropped line', () => [tooMany(), droppedLine()], 'unknown', 2],
  ['a 429, then HTTP 500', () => [tooMany(), refusal(500, '05', 'no')], 'unknown', 2],
  ['a 429, then a rejection', () => [tooMany(), refusal(400, '01', 'no')], 'rejected', 2],
  ['a 429 with a wait of an hour', () => [tooMany({ 'retry-after': '3600' })], 'rate-limited', 1],
  ['a 429 with a wait of an hour in its body', () => [tooMany({}, { retry_after: 3600 })], 'rate-limited', 1],
  ['a 429 with HTML and a wait of an hour', () => [{ ...html(429), headers: { 'retry-after': '3600' } }], 'unknown', 1],
  ['only 429s', () => [tooMany(), tooMany()], 'rate-limited', 2],
  ['a 429, then a 429 with HTML', () => [tooMany(), html(429)], 'unknown', 2],
  ['code 04 under another status', () => [refusal(400, '04', 'no')], 'unknown', 1],
];

describe.each(SEQUENCES)('a money request and %s', (_, turns, category, count) => {
  test('has the right outcome', async () => {
    const end = await calling('money', turns());
    expect({ category: end.error?.category, requests: end.requests.length }).toEqual({ category, requests: count });
  });
});

describe('an error message', () => {
  test('says that nothing was sent', async () => {
    const { error } = await calling('money', [refusedConnection()]);
    expect(error?.message).toBe('nothing was sent: the connection was refused');
  });

  test('says how long the rate limit lasts', async () => {
    const { error } = await calling('money', [tooMany({ 'retry-after': '3600' })]);
    expect(error?.message).toContain('try again in 3600 seconds');
  });

  test('uses the singular for one second', async () => {
    const { client, requests } = clientFor([tooMany({ 'retry-after': '1' })], 900);
    const { error } = await ended(client.call(validRequest(startOnramp, ONRAMP)), requests);
    expect(error?.message).toMatch(/try again in 1 second$/);
  });

  test("includes the service's message for a server error", async () => {
    const { error } = await calling('write', [refusal(500, '05', 'Not now', { error: 'no provider' })]);
    expect({ category: error?.category, message: error?.message }).toEqual({
      category: 'unknown',
      message: expect.stringContaining('its response code is 05: Not now: no provider'),
    });
  });

  test.each([
    [500, 'the service has a problem'],
    [200, 'ends in /v1'],
  ])('says what to do after HTTP %i with an unusable body', async (status, hint) => {
    const { exchange } = { exchange: async () => html(status) };
    const client = createClient({
      exchange,
      target: { baseUrl: 'https://service.test/v1', apiKey: new Secret(KEY) },
      clock: timerClock,
      totalMs: 1_000,
      interrupted: new AbortController().signal,
    });
    const call = client.call(validRequest(balanceMulti, {})).catch((error: CliError) => error.hint);
    await vi.runAllTimersAsync();
    expect(await call).toContain(hint);
  });

  test('points to the allowlist for an unknown key with an unknown code', async () => {
    const { error } = await calling('read', [refusal(401, '77', 'bad key')]);
    expect({ category: error?.category, hint: error?.hint }).toEqual({
      category: 'auth',
      hint: expect.stringContaining('fiatrail ip check'),
    });
  });

  test("includes the service's message and detail", async () => {
    const { error } = await calling('money', [refusal(400, '01', 'Not valid', { error: 'amount: too small' })]);
    expect(error?.message).toBe('the service rejected the request: Not valid: amount: too small');
  });

  test.each([
    [{ error: { reason: 'why' } }, 'Not valid: why'],
    [{ data: { error: 'why' } }, 'Not valid: why'],
    [{ error: 'Not valid' }, 'Not valid'],
    [{ error: 17 }, 'Not valid: 17'],
    [{ error: { field: 'amount', reason: 'too small' } }, 'Not valid: amount: too small'],
    [{ data: { error: 'why', details: { message: 'because' } } }, 'Not valid: why: because'],
    [
      { data: { details: { status: 'failed', error: { code: 'NO', step: 'one', userMessage: 'sorry' } } } },
      'Not valid: failed: one: NO: sorry',
    ],
    [{ details: ['one', { message: 'two' }] }, 'Not valid: one: two'],
    [{ error: null, data: null }, 'Not valid'],
  ])('includes the detail of %j', async (more, words) => {
    const { error } = await calling('money', [refusal(400, '01', 'Not valid', more)]);
    expect(error?.message).toBe(`the service rejected the request: ${words}`);
  });

  test.each([
    ['HTTP 400', refusal(400, '05', 'It holds too little')],
    ['HTTP 500', refusal(500, '05', 'It holds too little')],
  ])('of a payment says with %s what code 05 may mean, and the words of the service', async (_, answer) => {
    const payout = { amount: 1_000_000, bankAccountId: 'b-1' };
    const { client, requests } = clientFor([answer]);
    const { error } = await ended(client.call(validRequest(startPayout, payout)), requests);
    expect(error).toMatchObject({
      category: 'unknown',
      code: 'OUTCOME_UNKNOWN',
      responseCode: '05',
      message: expect.stringContaining('It holds too little'),
      hint: expect.stringContaining('the service may mean: the cNGN balance of the account wallet is too low'),
      candidates: [{ name: 'INSUFFICIENT_BALANCE' }],
    });
  });

  test('is a rejection with two error codes, of which the first counts', async () => {
    const { error } = await calling('write', [json(400, '{"response_code":"05","status":400,"message":"too little"}')]);
    expect(error).toMatchObject({ category: 'rejected', responseCode: '05' });
  });

  test('says that the service gave no reason', async () => {
    const { error } = await calling('money', [json(400, '{"response_code":"01"}')]);
    expect(error?.message).toBe('the service rejected the request: no reason given');
  });

  test('truncates a long message', async () => {
    const { error } = await calling('money', [refusal(400, '01', 'x'.repeat(10_000))]);
    expect(error?.message.length).toBeLessThan(600);
  });

  test('has the hint of the fault when a code has two meanings', async () => {
    const offramp = { ...ONRAMP, accountNumber: '0123456789', bankCode: '058', ticker: 'CNGN' };
    const { client, requests } = clientFor([
      refusal(400, '01', 'The balance is too low', { error: '5 needed, 1 available' }),
    ]);
    const { error } = await ended(client.call(validRequest(startOfframp, offramp)), requests);
    expect(error).toMatchObject({ category: 'rejected', responseCode: '01', httpStatus: 400 });
    expect(error?.hint).toContain('fiatrail balances user');
  });
});

describe('secrets', () => {
  const BVN = '22345678901';

  test('are redacted when the service repeats them', async () => {
    const words = refusal(400, '01', `BVN ${BVN} and key ${KEY}`, { error: `again ${BVN}` });
    const { client, requests } = clientFor([words]);
    const { error } = await ended(client.call(validRequest(onboard, { bvn: BVN })), requests);
    expect(error?.message).toBe(
      'the service rejected the request: BVN [redacted] and key [redacted]: again [redacted]',
    );
  });

  test('are redacted before a long message is truncated', async () => {
    const { client, requests } = clientFor([refusal(400, '01', `${'x'.repeat(490)} ${KEY}`)]);
    const { error } = await ended(client.call(validRequest(balanceMulti, {})), requests);
    expect(error?.message).not.toContain('the-key');
  });

  test('in optional fields are redacted', async () => {
    const { client, requests } = clientFor([refusal(404, '02', `no user ${BVN}`)]);
    const { error } = await ended(client.call(validRequest(getDetails, { userId: 'u', bvn: BVN })), requests);
    expect(error?.message).not.toContain(BVN);
  });

  test('never appear in an error', async () => {
    const answers = [html(500), json(200, `{"bvn":"${BVN}"}`), refusal(500, '05', BVN), json(200, BVN), success(BVN)];
    for (const answer of answers) {
      const { client, requests } = clientFor([answer]);
      const { error } = await ended(client.call(validRequest(onboard, { bvn: BVN })), requests);
      expect(JSON.stringify([error?.message, error?.hint])).not.toContain(BVN);
    }
  });

  test('are sent in the header and the body only', async () => {
    const { client, requests } = clientFor([refusal(400, '01', 'no')]);
    await ended(client.call(validRequest(onboard, { bvn: BVN })), requests);
    expect(requests[0]).toMatchObject({ headers: { 'x-api-key': KEY }, body: `{"bvn":"${BVN}"}` });
    expect(requests[0]?.url).toBe('https://service.test/v1/onboarduser');
  });
});

describe('a success that does not match the schema', () => {
  test('is accepted if it has its request id, with a list of the invalid fields', async () => {
    const { reply } = await calling('money', [success({ requestId: 'r-1', status: ['requested'] })]);
    expect(reply?.data).toMatchObject({ requestId: 'r-1' });
    expect(reply?.problems).toEqual(expect.arrayContaining(['status', 'walletAddress']));
  });

  test.each([
    ['no request id', { status: 'requested' }],
    ['an empty request id', { ...STARTED, requestId: '' }],
    ['a list as request id', { ...STARTED, requestId: ['r-1'] }],
    ['null as request id', { ...STARTED, requestId: null }],
    ['no data', undefined],
    ['null', null],
    ['a list of two', [STARTED, STARTED]],
    ['an empty list', []],
    ['a string', 'done'],
  ])('is an unknown outcome with %s', async (_, data) => {
    const end = await calling('money', [success(data)]);
    expect({ category: end.error?.category, requests: end.requests.length }).toEqual({
      category: 'unknown',
      requests: 1,
    });
  });

  test('is accepted for a write that starts nothing', async () => {
    const { reply } = await calling('write', [success({})]);
    expect(reply?.problems).toEqual(expect.arrayContaining(['verifiedAccountName']));
  });

  test('is an unusable response to a read', async () => {
    const end = await calling('read', [success({ totalBalance: ['17'] })]);
    expect({ category: end.error?.category, code: end.error?.code, requests: end.requests.length }).toEqual({
      category: 'network',
      code: 'UNUSABLE_RESPONSE',
      requests: 1,
    });
  });

  test.each([
    ['no fields', {}],
    ['only unknown fields', { x: 1 }],
  ])('is an unusable response to a read with %s', async (_, data) => {
    const { error } = await calling('read', [success(data)]);
    expect({ category: error?.category, code: error?.code }).toEqual({
      category: 'network',
      code: 'UNUSABLE_RESPONSE',
    });
  });

  test('keeps unknown fields', async () => {
    const { reply } = await calling('money', [success({ ...STARTED, newField: { deep: 1 } })]);
    expect({ problems: reply?.problems, data: reply?.data }).toMatchObject({
      problems: [],
      data: { newField: { deep: 1 } },
    });
  });
});

describe('invalid input', () => {
  const calling = async <E extends Endpoint>({ call }: Client, endpoint: E, input: RequestOf<E>) =>
    call(validRequest(endpoint, input));

  test.each([
    [{ userId: 'u', amount: 0 }, 'amount'],
    [{ userId: 'u', amount: -5 }, 'amount'],
    [{ userId: 'u', amount: 0.001 }, 'amount'],
    [{ userId: '', amount: 5 }, 'userId'],
    [{ userId: 'u\n', amount: 5 }, 'userId'],
    [{ userId: 'u', amount: Number.NaN }, 'amount'],
  ])('%j is not sent: exit 2', async (input, field) => {
    const { client, requests } = clientFor([]);
    const end = await ended(calling(client, startOnramp, input), requests);
    expect({ category: end.error?.category, exit: exitOf(end) }).toEqual({ category: 'usage', exit: 2 });
    expect(end.error?.message).toContain(`${field}: expected`);
  });

  test('reports the maximum length of text', async () => {
    const { client, requests } = clientFor([]);
    const input = { accountNumber: '0123456789', bankCode: '058', label: 'x'.repeat(501) };
    const { error } = await ended(calling(client, addBankAccount, input), requests);
    expect(error?.message).toBe('label: expected a string, at most 500 characters');
  });

  test('does not repeat an invalid BVN', async () => {
    const { client, requests } = clientFor([]);
    const { error } = await ended(calling(client, onboard, { bvn: '2234567890' }), requests);
    expect(error?.message).toBe('bvn: expected exactly 11 digits');
  });

  test('is sent as it is when unchecked', async () => {
    const { client, requests } = clientFor([refusal(400, '01', 'no')]);
    await ended(client.call(uncheckedRequest(startOnramp, { userId: 'u', amount: -5 })), requests);
    expect(requests[0]?.body).toBe('{"userId":"u","amount":-5}');
  });
});

/** Any response of a service: any status except 429, any body. */
const anyAnswer = fc.record({
  status: fc
    .oneof(
      fc.constantFrom(200, 201, 202, 204, 301, 302, 400, 401, 403, 404, 409, 422, 500, 502, 503),
      fc.integer({ min: 200, max: 599 }),
    )
    .filter((status) => status !== 429),
  headers: fc.constantFrom<Record<string, string>>(
    {},
    { 'content-type': 'text/html' },
    { 'content-type': 'application/json' },
  ),
  body: fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 60 }),
    fc.json({ maxDepth: 3 }),
    fc
      .record({
        response_code: fc.oneof(fc.constantFrom('00', '01', '02', '03', '05'), fc.anything({ maxDepth: 0 })),
        message: fc.anything({ maxDepth: 1 }),
        data: fc.oneof(
          fc.record({ requestId: fc.oneof(fc.string(), fc.anything({ maxDepth: 0 })) }),
          fc.anything({ maxDepth: 1 }),
        ),
        error: fc.anything({ maxDepth: 1 }),
      })
      .map((value) => JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part))),
  ),
});

function codeIn(body: string): unknown {
  try {
    const value = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value.response_code ?? value.responseCode)
      : undefined;
  } catch {
    return undefined;
  }
}

describe('any response to a money request', () => {
  test('is the only one: it is sent once, and only a 2xx or 4xx with a code of the service that is definite is a rejection', async () => {
    await fc.assert(
      fc.asyncProperty(anyAnswer, async (answer) => {
        let requests = 0;
        const client = createClient({
          exchange: async () => {
            requests += 1;
            return answer;
          },
          target: { baseUrl: 'https://service.test/v1', apiKey: new Secret(KEY) },
          clock: timerClock,
          totalMs: 60_000,
          interrupted: new AbortController().signal,
        });
        const { reply, error } = await ended(client.call(validRequest(startOnramp, ONRAMP)), []);
        const code = String(codeIn(answer.body) ?? 'none')
          .trim()
          .replace(/^(\d)$/, '0$1');
        const isClientError = answer.status >= 400 && answer.status < 500;
        const mayRefuse = /^0[1-4]$/.test(code) && (isClientError || answer.status < 300);
        const maySucceed = answer.status < 300 && /^(none|00|2\d\d)$/.test(code);
        const refusals = ['rejected', 'auth', 'rate-limited'];
        const expected = ['unknown', ...(mayRefuse ? refusals : []), ...(maySucceed ? [undefined] : [])];
        if (isClientError && /^0[1-3]$/.test(code) && error?.category === 'unknown')
          expect(error.message).toContain('contradict');
        expect(requests).toBe(1);
        expect(expected).toContain(error?.category);
        expect(reply === undefined || typeof (reply.data as { requestId?: unknown }).requestId === 'string').toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('checking a response', () => {
  /** A clock that passes the limit once the response is there. */
  function lateClient(body: string) {
    let nowMs = 0;
    const exchange = async () => {
      nowMs = 60_000;
      return json(200, body);
    };
    const clock = { ...timerClock, now: () => nowMs };
    const target = { baseUrl: 'https://service.test/v1', apiKey: new Secret(KEY) };
    return createClient({ exchange, target, clock, totalMs: 60_000, interrupted: new AbortController().signal });
  }

  test('counts toward the time limit of a read', async () => {
    const call = lateClient(success({ balances: [] }).body).call(validRequest(balanceMulti, {}));
    await expect(settled(call)).rejects.toMatchObject({
      category: 'network',
      code: 'TIMEOUT',
      message: 'the service sent no usable response: it could not be read and checked within the time limit',
    });
  });

  test('that takes long does not make an accepted change unknown', async () => {
    const call = lateClient(success(STARTED).body).call(validRequest(startOnramp, ONRAMP));
    expect((await settled(call)).data).toMatchObject({ requestId: 'r-1' });
  });

  test('stops parsing before it starts when the JSON is nested too deeply', async () => {
    const deep = `{"response_code":"00","data":{"requestId":"r-1","x":${'['.repeat(100)}${']'.repeat(100)}}}`;
    for (const [kind, exit] of [
      ['read', 5],
      ['write', 6],
      ['money', 6],
    ] as const)
      expect(exitOf(await calling(kind, [json(200, deep)]))).toBe(exit);
  });
});
