import { expect, test } from 'vitest';
import { errorNameIn } from '../../src/client/refusals.ts';

test.each([
  [{ error: 'PENDING_TRANSACTIONS' }, 'PENDING_TRANSACTIONS'],
  [{ error: 'PENDING_TRANSACTIONS: payouts are pending' }, 'PENDING_TRANSACTIONS'],
  [{ errorCode: 'user_not_found' }, 'USER_NOT_FOUND'],
  [{ error_code: 'user-not-found', error: 'OTHER_NAME' }, 'USER_NOT_FOUND'],
  [{ code: 'INSUFFICIENT_BALANCE', response_code: '01' }, 'INSUFFICIENT_BALANCE'],
  [{ response_code: 'INVALID_QUOTE' }, 'INVALID_QUOTE'],
  [{ error: { code: 'LIMIT_EXCEEDED', message: 'too much' } }, 'LIMIT_EXCEEDED'],
  [{ errors: [{ code: 'INVALID_PIN' }] }, 'INVALID_PIN'],
  [{ data: { error: 'NO_FUNDED_WALLET' } }, 'NO_FUNDED_WALLET'],
  [{ data: { details: { error: { code: 'BVN_VALIDATION_FAILED' } } } }, 'BVN_VALIDATION_FAILED'],
  [{ message: 'IP_NOT_ALLOWED' }, 'IP_NOT_ALLOWED'],
  [{ message: 'No', errors: [{ type: 'LIMIT_EXCEEDED' }] }, 'LIMIT_EXCEEDED'],
  [{ message: 'No', data: { reason: 'LIMIT_EXCEEDED' } }, 'LIMIT_EXCEEDED'],
  [{ message: 'No', status: 'LIMIT_EXCEEDED' }, 'LIMIT_EXCEEDED'],
])('%o names the error %s', (envelope, name) => {
  expect(errorNameIn(envelope)).toBe(name);
});

test.each([
  { response_code: '01', status: 'Error', message: 'The request is not valid', error: 'amount: expected more' },
  { error: 'ERROR' },
  { status: 'Failed', type: 'user_registration' },
  { error: 'some_token_of_the_caller' },
  { error: 'The code USER_NOT_FOUND is old' },
  { error: `A_${'X'.repeat(80)}` },
  { code: '01', data: { requestId: 'A_B' } },
  { error: { error: { error: { error: { error: { error: { code: 'TOO_DEEP' } } } } } } },
  {},
  null,
])('%o names no error', (envelope) => {
  expect(errorNameIn(envelope)).toBeUndefined();
});
