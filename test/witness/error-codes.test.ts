import { expect, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { Secret } from '../../src/base/secret.ts';
import { replyOf } from '../../src/client/client.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { createPathMatcher } from '../../src/contract/paths.ts';
import { SERVICE } from './answer-commands.ts';
import { type DocumentedAnswer, readAnswers } from './answers.ts';
import { answerDeviations } from './deviations.ts';
import { FURTHER_ANSWERS } from './further-answers.ts';

const paths = createPathMatcher(endpoints);

/** The error of an answer; undefined for one that is not an error. */
function errorOf({ endpoint, http, body, request = {} }: DocumentedAnswer): CliError | undefined {
  const [method = '', path = ''] = endpoint.split(' ');
  const found = paths.match(method, `/v1${path.replace(/:\w+/g, 'x')}`)?.endpoint;
  if (!found) throw new Error(`no endpoint for ${endpoint}`);
  try {
    replyOf(found, request as never, { response: { status: http, headers: {}, body } }, new Secret('a-key'));
    return undefined;
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

/** What a meaning is called, unless the answer names its error or is about something that does not exist. */
const CODE_OF: Readonly<Record<string, string>> = {
  refused: 'VALIDATION_ERROR',
  'not-found': 'NOT_FOUND',
  unauthenticated: 'AUTHENTICATION_FAILED',
  'not-allowlisted': 'IP_BLOCKED',
  'rate-limited': 'RATE_LIMIT_EXCEEDED',
};
const OTHERS: Readonly<Record<string, string>> = {
  // The answer names its condition.
  'banks-delete-pending': 'PENDING_TRANSACTIONS',
  // One condition of the endpoint has this HTTP status and this code.
  'fx-quote-no-liquidity': 'NO_LIQUIDITY',
  'swap-user-unknown': 'USER_NOT_FOUND',
  'onramp-user-unknown': 'USER_NOT_FOUND',
  'payout-account-unknown': 'BANK_ACCOUNT_NOT_FOUND',
  // Several have it.
  'offramp-no-funds': 'NOT_FOUND',
  // They do not prove that nothing was done.
  ...Object.fromEntries(answerDeviations.map(({ answer }) => [answer, 'OUTCOME_UNKNOWN'])),
};

/** The conditions that fit answers which several fit. */
const CANDIDATES: Readonly<Record<string, readonly string[]>> = {
  'offramp-no-funds': ['NO_FUNDED_WALLET', 'USER_NOT_FOUND'],
  'offramp-insufficient': ['VALIDATION_ERROR', 'INSUFFICIENT_BALANCE'],
  'fx-trade-self': ['SELF_TRADE'],
  'swap-trigger-liquidity': ['INSUFFICIENT_LIQUIDITY'],
  'payout-insufficient': ['INSUFFICIENT_BALANCE'],
  'withdraw-insufficient': ['INSUFFICIENT_BALANCE'],
  'fx-trade-quote-expired': ['VALIDATION_ERROR', 'INVALID_QUOTE', 'INSUFFICIENT_BALANCE'],
};

const refusals = readAnswers(SERVICE).filter(({ means }) => Object.hasOwn(CODE_OF, means));

test.each(refusals)('$id has the code of what it means', (answer) => {
  expect(errorOf(answer)?.code).toBe(OTHERS[answer.id] ?? CODE_OF[answer.means]);
});

test.each(Object.entries(CANDIDATES))('%s names the conditions that fit', (id, names) => {
  const [answer] = readAnswers(SERVICE).filter((each) => each.id === id);
  const candidates = (answer && errorOf(answer)?.candidates) ?? [];
  expect([...new Set(candidates.map(({ name }) => name))]).toEqual(names);
  expect(candidates.every(({ when, remedy }) => when !== '' && remedy !== '')).toBe(true);
});

test('the documented answers have refusals of every kind', () => {
  expect(new Set(refusals.map(({ means }) => means))).toEqual(new Set(Object.keys(CODE_OF)));
  expect(refusals.length).toBeGreaterThan(40);
});

test('a documented failure that names its error has that name as its code', () => {
  const [answer] = readAnswers(SERVICE).filter(({ id }) => id === 'users-onboardstatus-4xx-details');
  expect(answer && errorOf(answer)?.code).toBe('BVN_VALIDATION_FAILED');
});

test.each(FURTHER_ANSWERS.filter(({ means, exits }) => Object.hasOwn(CODE_OF, means) && !exits))(
  '$id has a code that scripts know',
  (answer) => {
    expect(errorOf(answer)?.code).toMatch(/^[A-Z]+(_[A-Z]+)+$/);
  },
);
