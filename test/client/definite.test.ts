import { describe, expect, test } from 'vitest';
import { decodeAnswer } from '../../src/client/codec.ts';
import { trade } from '../../src/contract/endpoints/fx-trades.ts';
import { startOfframp } from '../../src/contract/endpoints/offramp.ts';
import { startPayout } from '../../src/contract/endpoints/payouts.ts';
import { json } from '../support/exchange.ts';

function isDefinite(status: number, body: object, endpoint: Parameters<typeof decodeAnswer>[0] = startPayout) {
  const answer = decodeAnswer(endpoint, json(status, JSON.stringify(body)));
  return answer.kind === 'rejected' && answer.isDefinite;
}

const SHORT = 'INSUFFICIENT_BALANCE';
const STATUSES = [200, 201, 400, 401, 403, 404, 408, 409, 422] as const;

describe.each(STATUSES)('under HTTP %i', (status) => {
  test.each([
    { response_code: '01', message: 'No' },
    { responseCode: '02' },
    { code: '03' },
    { status: '01' },
    { response_code: 1 },
    { response_code: '01', error: 'ANY_NAME' },
    { response_code: '05', error: SHORT },
    { response_code: '05', errorCode: SHORT },
    { response_code: '05', error: { code: SHORT } },
    { response_code: '05', data: { error: SHORT } },
    { response_code: '05', error: 'VALIDATION_ERROR' },
    { response_code: '05', error: 'IP_NOT_ALLOWED' },
  ])('%j proves that nothing was done', (body) => {
    expect(isDefinite(status, body)).toBe(true);
  });

  test.each([
    { success: false, message: 'Internal error' },
    { status: 'error', message: 'No' },
    { message: 'No', errors: [{ field: 'amount' }] },
    { response_code: '05', message: 'Balance too low' },
    { response_code: '05', error: 'INTERNAL_ERROR' },
    { response_code: '05', message: SHORT },
    { response_code: '05', error: `${SHORT}: the wallet holds too little` },
    { response_code: '05', error: 'The wallet holds too little' },
    { response_code: '05', error: 'NO_FUNDED_WALLET' },
    { response_code: '05', error: 'RATE_LIMIT_EXCEEDED' },
    { response_code: '05', errorCode: SHORT, error: 'INTERNAL_ERROR' },
    { response_code: '05', errorCode: SHORT, error: 'OTHER_NAME' },
    { response_code: '05', errors: [{ code: SHORT }] },
    { response_code: '01', error: 'INTERNAL_ERROR' },
    { response_code: '01', message: 'INTERNAL_ERROR' },
    { response_code: '01', code: 'INTERNAL_ERROR' },
    { response_code: '01', code: '05' },
    { response_code: '01', code: 500 },
    { response_code: '01', code: '07' },
    { response_code: '01', code: '00' },
    { response_code: '01', success: true },
    { response_code: '01', statusCode: 429 },
    { response_code: '01', code: '04' },
    { response_code: '06' },
    { response_code: '400' },
    { code: 400, message: 'No' },
    { code: SHORT, message: 'No' },
    { response_code: 'NO_MONEY' },
    { error: 'RATE_LIMIT_EXCEEDED' },
    { response_code: '04', message: 'Slow down' },
    { response_code: '04', error: 'RATE_LIMIT_EXCEEDED' },
    { response_code: '04', error: SHORT },
    { response_code: '04', success: true },
    { response_code: '04', error: 'INTERNAL_ERROR' },
  ])('%j does not prove it', (body) => {
    expect(isDefinite(status, body)).toBe(false);
  });
});

describe.each([500, 502, 503, 504, 302, 307, 429])('HTTP %i', (status) => {
  test.each([
    { response_code: '01', message: 'No' },
    { response_code: '05', error: SHORT },
    { error: 'IP_NOT_ALLOWED' },
  ])('proves nothing with %j', (body) => {
    expect(isDefinite(status, body)).toBe(false);
  });

  test('proves that nothing was done only as the rate limit of the service', () => {
    expect(isDefinite(status, { response_code: '04' })).toBe(status === 429);
  });
});

describe('under HTTP 429', () => {
  test.each([{ response_code: '04' }, { error: 'RATE_LIMIT_EXCEEDED' }])('%j is the rate limit', (body) => {
    expect(isDefinite(429, body)).toBe(true);
  });

  test.each([
    { response_code: '04', success: true },
    { response_code: '04', status: 'Success' },
    { response_code: '04', error: 'INTERNAL_ERROR' },
    { error: 'INTERNAL_ERROR', data: { error: 'RATE_LIMIT_EXCEEDED' } },
    { response_code: '04', code: '01' },
    { response_code: '04', code: 500 },
    { message: 'RATE_LIMIT_EXCEEDED' },
    { success: false, message: 'Slow down' },
  ])('%j is not', (body) => {
    expect(isDefinite(429, body)).toBe(false);
  });
});

test('a name is declared by the endpoint that was called, also under another code', () => {
  const body = { response_code: '05', error: 'NO_FUNDED_WALLET' };
  expect([isDefinite(400, body, startOfframp), isDefinite(400, body, startPayout)]).toEqual([true, false]);
});

test('a name of ours for what the specification calls an internal error counts, and that one does not', () => {
  const named = (error: string) => isDefinite(400, { response_code: '05', error }, trade);
  expect([named('SELF_TRADE'), named('INTERNAL_ERROR')]).toEqual([true, false]);
});

describe('a blocked address without a code', () => {
  test.each([400, 401, 403, 404])('is believed under HTTP %i, where a field names it', (status) => {
    expect(isDefinite(status, { error: 'IP_NOT_ALLOWED' })).toBe(true);
  });

  test.each([
    [200, { error: 'IP_NOT_ALLOWED' }],
    [400, { message: 'IP_NOT_ALLOWED' }],
    [400, { error: 'IP_NOT_ALLOWED', code: 500 }],
    [400, { error: 'IP_NOT_ALLOWED', errorCode: 'INTERNAL_ERROR' }],
  ])('is not believed under HTTP %i with %j', (status, body) => {
    expect(isDefinite(status, body)).toBe(false);
  });
});

describe('two codes in one answer', () => {
  test.each([
    '{"response_code":"01","code":500}',
    '{"response_code":"01","code":"77x","status":"502"}',
    '{"response_code":"01","statusCode":"00"}',
    '{"response_code":"02","responseCode":"queued later"}',
  ])('that contradict each other are no rejection: %s', (body) => {
    expect(decodeAnswer(startOfframp, json(400, body))).toMatchObject({
      kind: 'unusable',
      reason: expect.stringContaining('contradict'),
    });
  });

  test.each(['{"response_code":"01","statusCode":400}', '{"response_code":"01","code":"02"}'])(
    'that both reject it are one: %s',
    (body) => {
      expect(decodeAnswer(startOfframp, json(400, body))).toMatchObject({ kind: 'rejected', responseCode: '01' });
    },
  );
});
