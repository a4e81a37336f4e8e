import { expect, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { Secret } from '../../src/base/secret.ts';
import { replyOf } from '../../src/client/client.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { createPathMatcher } from '../../src/contract/paths.ts';
import { SERVICE } from './answer-commands.ts';
import { type DocumentedAnswer, readAnswers } from './answers.ts';
import { FURTHER_ANSWERS } from './further-answers.ts';

const paths = createPathMatcher(endpoints);

/** The error code of an answer; undefined for one that is not an error. */
function codeOf({ endpoint, http, body, request = {} }: DocumentedAnswer): string | undefined {
  const [method = '', path = ''] = endpoint.split(' ');
  const found = paths.match(method, `/v1${path.replace(/:\w+/g, 'x')}`)?.endpoint;
  if (!found) throw new Error(`no endpoint for ${endpoint}`);
  try {
    replyOf(found, request as never, { response: { status: http, headers: {}, body } }, new Secret('a-key'));
    return undefined;
  } catch (error) {
    if (error instanceof CliError) return error.code;
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
  'banks-delete-pending': 'PENDING_TRANSACTIONS',
  'fx-quote-no-liquidity': 'NOT_FOUND',
  'offramp-no-funds': 'NOT_FOUND',
};

const refusals = readAnswers(SERVICE).filter(({ means }) => Object.hasOwn(CODE_OF, means));

test.each(refusals)('$id has the code of what it means', (answer) => {
  expect(codeOf(answer)).toBe(OTHERS[answer.id] ?? CODE_OF[answer.means]);
});

test('the documented answers have refusals of every kind', () => {
  expect(new Set(refusals.map(({ means }) => means))).toEqual(new Set(Object.keys(CODE_OF)));
  expect(refusals.length).toBeGreaterThan(40);
});

test('a documented failure that names its error has that name as its code', () => {
  const [answer] = readAnswers(SERVICE).filter(({ id }) => id === 'users-onboardstatus-4xx-details');
  expect(answer && codeOf(answer)).toBe('BVN_VALIDATION_FAILED');
});

test.each(FURTHER_ANSWERS.filter(({ means, exits }) => Object.hasOwn(CODE_OF, means) && !exits))(
  '$id has a code that scripts know',
  (answer) => {
    expect(codeOf(answer)).toMatch(/^[A-Z]+(_[A-Z]+)+$/);
  },
);
