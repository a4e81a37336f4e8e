import { type Category, CliError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { Exchange } from '../base/world.ts';
import {
  type Effect,
  type Endpoint,
  EVERYWHERE,
  effectOf,
  type RequestOf,
  type ResponseOf,
} from '../contract/endpoint.ts';
import { FAULTS } from '../contract/faults.ts';
import { bodyWithout, secretsIn, strikeOut } from '../contract/redact.ts';
import { shapeOf, unwrap } from '../contract/rows.ts';
import { type Answer, decodeAnswer, encodeRequest, type Target } from './codec.ts';
import type { ReadyRequest } from './request.ts';
import { SEALING_HINT } from './sealing.ts';
import { retryAfterSeconds, type SendOptions, type Sent, send } from './transport.ts';

/** What a call gives back when the service did what it was asked. */
export interface Reply<D> {
  readonly data: D;
  /** The answer's text. */
  readonly body: string;
  /** Fields in which the answer breaks the contract: a warning, not a failure, as long as what matters is there. */
  readonly problems: readonly string[];
}

export interface Client {
  /** Sends a request. Throws CliError as the table in base/errors.ts says. */
  call<E extends Endpoint>(request: ReadyRequest<E>, options?: CallOptions): Promise<Reply<ResponseOf<E>>>;
}

export interface CallOptions {
  /** For all tries together, where that is less than the client's own limit. */
  readonly totalMs?: number;
}

interface ClientOptions extends Omit<SendOptions, 'effect'> {
  readonly exchange: Exchange;
  readonly target: Target;
}

export function createClient({ exchange, target, ...options }: ClientOptions): Client {
  return {
    call: async (request, { totalMs = options.totalMs } = {}) => {
      const { endpoint, input } = request;
      const effect = effectOf(endpoint, input);
      const sent = await send(encodeRequest(request, target), exchange, {
        ...options,
        totalMs: Math.min(totalMs, options.totalMs),
        effect,
      });
      return replyOf(endpoint, input, sent, target.apiKey);
    },
  };
}

/** What became of a request that was sent: a reply, or throws CliError as the table in base/errors.ts says. */
export function replyOf<E extends Endpoint>(
  endpoint: E,
  input: RequestOf<E>,
  sent: Sent,
  apiKey: Secret,
): Reply<ResponseOf<E>> {
  const effect = effectOf(endpoint, input);
  if (!('response' in sent)) throw noAnswerError(effect, sent);
  const { response } = sent;
  const secrets = [apiKey.reveal(), ...secretsIn(endpoint.request(), input)];
  // The sandbox's controls show its keys on purpose.
  const body = endpoint.area === 'control' ? response.body : bodyWithout(response.body, secrets);
  const answer = decodeAnswer(endpoint, { ...response, body });
  if (answer.kind === 'success') return usable(endpoint, effect, answer);
  throw answerError(endpoint, effect, withoutSecrets(answer, secrets), retryAfterSeconds(sent.response));
}

/** Of the service's words, in characters. */
const MAX_MESSAGE = 500;

/** The service may repeat what it was sent: a key or a BVN in its words is struck out. */
function withoutSecrets<A extends Exclude<Answer, { kind: 'success' }>>(answer: A, secrets: readonly string[]): A {
  // Cleaned before it is struck out: a key with an invisible character inside reads as one all the same.
  const clean = (text: string) => strikeOut(text.replace(/[\p{Cc}\p{Cf}]+/gu, ''), secrets).slice(0, MAX_MESSAGE);
  return answer.kind === 'refused'
    ? { ...answer, message: clean(answer.message) }
    : { ...answer, reason: clean(answer.reason) };
}

/** A broken success that lacks the id of what it started or moved leaves the caller in doubt; other gaps are only strange. */
function usable<D>(
  endpoint: Endpoint,
  effect: Effect,
  { data, body, problems }: Extract<Answer<D>, { kind: 'success' }>,
): Reply<D> {
  const isForeign = effect === 'read' && hasNothingOf(endpoint, data);
  if (problems.length === 0 && !isForeign) return { data, body, problems };
  const reason = isForeign
    ? 'its answer has nothing of what was asked for'
    : `its answer breaks the contract at ${problems.slice(0, 5).join(', ')}`;
  if (effect === 'read')
    throw new CliError('network', `the service sent no usable answer: ${reason}`, { code: 'UNUSABLE_ANSWER' });
  const isFollowed = effect === 'money' || endpoint.starts !== undefined;
  if (isFollowed && requestIdOf(endpoint, data) === undefined) throw unknownOutcome(reason);
  return { data, body, problems };
}

/** No field of the contract is there: shown, that would read as "there is nothing". Most fields may be missing, one by one. */
function hasNothingOf(endpoint: Endpoint, data: unknown): boolean {
  const names = Object.keys(shapeOf(endpoint.response()) ?? {});
  return names.length > 0 && !names.some((name) => fieldOf(data, name) !== undefined);
}

const REQUEST_IDS = ['requestId', 'withdrawalId', 'tradeId', 'orderId', 'transactionHash'] as const;

/** The id by which to follow what an answer started: the field that the endpoint's contract has for it, or the object nested in it. */
export function requestIdOf(endpoint: Endpoint, data: unknown): string | undefined {
  const shape = shapeOf(endpoint.response()) ?? {};
  const { nests = '' } = endpoint;
  const nested = Object.hasOwn(shape, nests) ? shape[nests] : undefined;
  const inner = nested && shapeOf(unwrap(nested).schema);
  return idIn(shape, data) ?? (inner && idIn(inner, fieldOf(data, nests)));
}

function idIn(shape: object, data: unknown): string | undefined {
  const name = REQUEST_IDS.find((each) => Object.hasOwn(shape, each));
  const id = name && fieldOf(data, name);
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function fieldOf(data: unknown, name: string): unknown {
  return ((data ?? {}) as Record<string, unknown>)[name];
}

function noAnswerError(effect: Effect, sent: Exclude<Sent, { response: unknown }>): CliError {
  if (effect !== 'read' && sent.sent) return unknownOutcome(sent.reason);
  if (sent.noAnswer === 'interrupted') return new CliError('interrupted', 'interrupted; nothing was changed');
  const what = effect === 'read' ? 'no usable answer' : 'nothing was sent';
  return new CliError('network', `${what}: ${sent.reason}`, {
    code: sent.noAnswer === 'time' ? 'TIMEOUT' : 'NETWORK',
    hint: 'check the base URL and the connection, then run the command again',
  });
}

/** A change that was sent, and may be done or not. `next` is what to do besides looking at the account. */
export function unknownOutcome(
  reason: string,
  { httpStatus, cause, next }: { httpStatus?: number; cause?: unknown; next?: string | undefined } = {},
): CliError {
  return new CliError('unknown', `the outcome is unknown: the request was sent and no usable answer came (${reason})`, {
    code: 'OUTCOME_UNKNOWN',
    hint: ['do not run it again yet: look at the account first', next].filter(Boolean).join('; '),
    httpStatus,
    cause,
  });
}

function answerError(
  endpoint: Endpoint,
  effect: Effect,
  answer: Exclude<Answer, { kind: 'success' }>,
  retryAfter: number | undefined,
): CliError {
  const { httpStatus } = answer;
  if (httpStatus === 429) {
    const wait =
      retryAfter === undefined ? '' : `; try again in ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}`;
    return new CliError('rate-limited', `the service's rate limit is reached and nothing was done${wait}`, {
      code: 'RATE_LIMIT_EXCEEDED',
      hint: 'wait as told, or give the command more time with --timeout',
      httpStatus,
      responseCode: '04',
    });
  }
  if (answer.kind === 'unusable') return unusableError(effect, answer);
  return refusal(endpoint, answer);
}

function unusableError(
  effect: Effect,
  { httpStatus, reason, isSealed }: Extract<Answer, { kind: 'unusable' }>,
): CliError {
  const next = isSealed && SEALING_HINT;
  if (effect !== 'read') return unknownOutcome(reason, { httpStatus, next });
  const again =
    httpStatus >= 500
      ? 'the fault is the service’s: run the command again in a while'
      : 'check that the base URL is right and ends in /v1, then run the command again';
  return new CliError('network', `the service sent no usable answer: ${reason}`, {
    code: 'UNUSABLE_ANSWER',
    hint: next ?? again,
    httpStatus,
  });
}

const AUTH_HINT = 'check the API key; and see whether this address may call with: fiatrail ip check';

function refusal(
  endpoint: Endpoint,
  { httpStatus, responseCode, message }: Extract<Answer, { kind: 'refused' }>,
): CliError {
  const isAuth = httpStatus === 401 || httpStatus === 403 || responseCode === '03';
  const category: Category = isAuth ? 'auth' : 'refused';
  const declared = [...endpoint.errors, ...EVERYWHERE].filter(
    ({ fault }) => FAULTS[fault].code === responseCode && FAULTS[fault].http === httpStatus,
  );
  const general = Object.values(FAULTS).find(({ code, http }) => code === responseCode && http === httpStatus);
  const specific = declared.map(({ fault, remedy }) => remedy ?? FAULTS[fault].remedy);
  const remedies = specific.length > 0 ? [...new Set(specific)] : general ? [general.remedy] : [];
  return new CliError(category, `the service refused: ${message}`, {
    code: declared[0]?.fault ?? 'REFUSED',
    hint: remedies.join('; or ') || (isAuth ? AUTH_HINT : undefined),
    httpStatus,
    responseCode,
  });
}
