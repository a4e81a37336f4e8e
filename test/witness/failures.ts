import { witnessOf } from './wire.ts';
import type { WitnessEndpoint } from './witness.ts';

/** How a service says that a request failed, in every envelope under every HTTP status, and how a command may end then. */

type Effect = 'read' | 'write' | 'destructive' | 'money';

interface Envelope {
  readonly body: string;
  /** The code of the service in it. */
  readonly code?: string;
  /** Whether it names a refusal that the specification declares for the endpoint. */
  readonly isDeclared?: true;
}

const failing = (more: object): string => JSON.stringify({ status: 'Error', message: 'It did not work', ...more });
const coded = (code: string, more: object = {}): Envelope => ({
  code,
  body: failing({ response_code: code, ...more }),
});

/** The names that the specification has for refusals with code 05 of an endpoint. */
const namedFive = ({ errors = [] }: WitnessEndpoint) =>
  errors.flatMap((each) => (each.response_code === '05' && each.name !== 'INTERNAL_ERROR' ? [each.name] : []));

function envelopesOf(witness: WitnessEndpoint): Readonly<Record<string, Envelope>> {
  const [name] = namedFive(witness);
  return {
    '01': coded('01', { error: 'The request did not validate' }),
    '01 named': coded('01', { error: 'VALIDATION_ERROR' }),
    '02': coded('02', { error: 'Nothing of this kind' }),
    '02 in another spelling': { code: '02', body: JSON.stringify({ responseCode: '02', responseMessage: 'None' }) },
    '03': coded('03', { error: 'AUTHENTICATION_FAILED' }),
    '04': coded('04', { data: { retry_after: 1 } }),
    '05': coded('05', { error: 'Something broke' }),
    '05 named INTERNAL_ERROR': coded('05', { error: 'INTERNAL_ERROR' }),
    '05 of another endpoint': coded('05', { error: 'WALLET_ALREADY_REGISTERED' }),
    ...(name === undefined
      ? {}
      : {
          '05 declared': { ...coded('05', { error: name }), isDeclared: true as const },
          '05 declared in a sentence': coded('05', { error: `It ended with ${name}, or so it seems` }),
        }),
    '00 beside the word error': coded('00', { error: 'It did not work' }),
    'no code': { body: failing({ error: 'It did not work' }) },
    'success false': { body: JSON.stringify({ success: false, message: 'It did not work' }) },
    'a code that nobody knows': { body: failing({ response_code: '99' }) },
    'an object without anything': { body: '{}' },
    HTML: { body: '<html><h1>Bad Gateway</h1></html>' },
    nothing: { body: '' },
  };
}

/** The statuses whose failures are tried. */
const STATUSES: readonly number[] = [
  200,
  201,
  ...Array.from({ length: 30 }, (_, index) => 400 + index),
  500,
  501,
  502,
  503,
  504,
];

/** The exit codes that are right for a failure. */
function exitsFor(effect: Effect, http: number, { code, isDeclared }: Envelope): readonly number[] {
  if (effect === 'read')
    return http === 429 && code === '04' ? [7] : http >= 500 && code === undefined ? [5] : [3, 4, 5, 7];
  if (http >= 500) return [6];
  const otherwise = effect === 'money' ? [] : [3, 4];
  const whileLimited = http === 429 ? [6, 7] : [];
  switch (code) {
    case '01':
    case '02':
    case '03':
      return [3, 4, ...whileLimited];
    case '04':
      return http === 429 ? [7] : effect === 'money' ? [6] : [6, 7, ...otherwise];
    case '05':
      return isDeclared ? [3, 4, ...whileLimited] : [6, ...otherwise, ...(effect === 'money' ? [] : whileLimited)];
    default:
      return effect === 'money' ? [6] : [6, ...otherwise, ...whileLimited];
  }
}

export interface Failure {
  readonly kind: string;
  readonly http: number;
  readonly body: string;
  readonly exits: readonly number[];
}

/** Returns every failure of an endpoint. */
export function failuresOf(endpoint: string, effect: Effect): Failure[] {
  return Object.entries(envelopesOf(witnessOf(endpoint))).flatMap(([name, envelope]) =>
    STATUSES.map((http) => ({
      kind: `failure: ${name}`,
      http,
      body: envelope.body,
      exits: exitsFor(effect, http, envelope),
    })),
  );
}
