import type * as z from 'zod/mini';
import { advice, type Hint, joined } from '../base/advice.ts';
import { CliError, type Contradiction, contradictedText, ExchangeError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { Exchange, HttpRequest, HttpResponse } from '../base/world.ts';
import { contradictionIn } from '../contract/compare.ts';
import { type Effect, type Endpoint, effectOf, type RequestOf, type ResponseOf } from '../contract/endpoint.ts';
import { redactBody, redactText, remember, secretsIn } from '../contract/redact.ts';
import { shapeOf, unwrap } from '../contract/rows.ts';
import { isKeyText, openerOf, payloadIn, seal } from '../crypto/sealed-box.ts';
import { type DecodedAnswer, decodeAnswer, encodeRequest, isRateLimited, type Target, TOO_SLOW } from './codec.ts';
import { candidatesOf, isOnlyOnce, refusal } from './refusals.ts';
import type { ReadyRequest } from './request.ts';
import { retryAfterSeconds, type SendOptions, type Sent, send } from './transport.ts';

/** The result of a successful call. */
export interface Reply<D> {
  readonly data: D;
  /** The text of the response. */
  readonly body: string;
  /** Fields that do not match the contract: a warning, as long as the fields that matter are there. */
  readonly problems: readonly string[];
  /** What in the response cannot be believed, as sentences; missing if there is nothing. */
  readonly uncertain?: readonly string[];
}

export interface Client {
  /** Sends a request. Throws CliError by the outcome (base/errors.ts). */
  call<E extends Endpoint>(request: ReadyRequest<E>, options?: CallOptions): Promise<Reply<ResponseOf<E>>>;
}

export interface CallOptions {
  /** Limit for all attempts together, if lower than the client's own. */
  readonly totalMs?: number;
  /** Whether it is too late for its first byte to leave. */
  readonly isLate?: (() => boolean) | undefined;
  /** Called before a request that may be done only once leaves again; if it throws, it does not leave. */
  readonly beforeResend?: SendOptions['beforeResend'];
  /** Takes a plain success where the profile requires encrypted ones, for a caller that trusts nothing in it. */
  readonly takesPlain?: boolean;
  /** Terms that the request only refers to, such as those of a quote: the response is compared with them too. */
  readonly terms?: Readonly<Record<string, string>> | undefined;
}

interface ClientOptions
  extends Omit<SendOptions, 'effect' | 'isRateLimited' | 'beforeResend'>,
    Pick<ReplyOptions, 'warn'> {
  readonly exchange: Exchange;
  readonly target: Target;
}

export function createClient({ exchange, target, ...options }: ClientOptions): Client {
  // A service may repeat a secret in its response to a later request.
  const known = new Set<string>();
  return {
    call: async (request, given = {}) => {
      const { totalMs = options.totalMs, isLate: isTooLate, takesPlain = false, beforeResend, terms } = given;
      const { endpoint, input } = request;
      remember(known, secretsIn(endpoint.request(), input));
      const effect = effectOf(endpoint, input);
      const limitMs = Math.min(totalMs, options.totalMs);
      const deadlineMs = options.clock.now() + limitMs;
      const encoded = encodeRequest(request, target);
      const outgoing = isTooLate ? { ...encoded, isLate: isTooLate } : encoded;
      const sent = await send(outgoing, exchange, {
        ...options,
        totalMs: limitMs,
        effect,
        beforeResend,
        isRateLimited: (response) => isRateLimited(endpoint, response),
      });
      const isLate = () => options.clock.now() >= deadlineMs;
      return replyOf(endpoint, input, sent, target.apiKey, {
        known: [...known],
        isLate,
        takesPlain,
        terms,
        ...(options.warn ? { warn: options.warn } : {}),
      });
    },
  };
}

interface ReplyOptions {
  /** Secrets of earlier requests. */
  readonly known?: readonly string[];
  /** Whether the time limit has passed. Checking a long response takes time too. */
  readonly isLate?: () => boolean;
  readonly takesPlain?: boolean;
  readonly terms?: CallOptions['terms'];
  /** Receives a sentence about a response that counts although something is wrong with it. */
  readonly warn?: (sentence: string) => void;
}

/** Turns the result of sending into a reply without the secrets that it repeats. Throws CliError by the outcome (base/errors.ts). */
export function replyOf<E extends Endpoint>(
  endpoint: E,
  input: RequestOf<E>,
  sent: Sent,
  apiKey: Secret,
  { isLate = () => false, takesPlain = false, warn = () => {}, known = [], terms = {} }: ReplyOptions = {},
): Reply<ResponseOf<E>> {
  const effect = effectOf(endpoint, input);
  if (!('response' in sent)) throw noAnswerError(effect, sent);
  const { response } = sent;
  const secrets = [apiKey.reveal(), ...known, ...secretsIn(endpoint.request(), input)];
  // The sandbox's control endpoints show its keys on purpose.
  const body = endpoint.area === 'control' ? response.body : redactBody(response.body, secrets);
  const answer = decodeAnswer(endpoint, { ...response, body }, isLate);
  if (response.isUnencrypted && !endpoint.staysPlain && !(takesPlain && answer.kind === 'success')) {
    if (!isPlainRefusal(answer, response.status))
      throw unusableError(effect, { ...UNENCRYPTED, httpStatus: response.status });
    const next = effect === 'read' ? '' : '; check the account before you send it again';
    warn(
      `this rejection is not encrypted, although the profile requires it, so it may not come from the service${next}`,
    );
  }
  if (answer.kind === 'success') {
    // A change that was accepted stays accepted.
    if (effect === 'read' && isLate()) throw unusableError(effect, { ...LATE, httpStatus: response.status });
    requireOwn(endpoint, effect, { ...terms, ...(input as object) }, answer.data);
    return usable(endpoint, effect, answer);
  }
  throw answerError(endpoint, effect, withoutSecrets(answer, secrets), retryAfterSeconds(sent.response));
}

const UNENCRYPTED = {
  kind: 'unusable',
  reason: 'it is not encrypted, and this profile requires encrypted responses',
  isEncrypted: true,
} as const;

/** Whether a plain response may count where encryption is required. The service refuses unknown callers without encryption. */
function isPlainRefusal({ kind }: DecodedAnswer, status: number): boolean {
  return status === 429 || (kind === 'rejected' && status >= 400 && status <= 499);
}

/** Throws unless a response repeats what was asked. One that says something else is not the answer to this request, or the service did something else. */
function requireOwn(endpoint: Endpoint, effect: Effect, known: Readonly<Record<string, unknown>>, data: unknown): void {
  const found = contradictionIn(endpoint, known, data);
  if (!found) return;
  const { asked, answered } = found;
  if (effect !== 'read') throw contradicted({ asked, answered, requestId: requestIdOf(endpoint, data) });
  throw new CliError(
    'network',
    `the service sent no usable response: it is not the response to this request, asked for ${asked}; the response says ${answered}`,
    {
      code: RESPONSE_OF_ANOTHER_REQUEST,
      hint: 'run the command again; if it stays so, report both values to the service',
      contradiction: found,
    },
  );
}

/** The code of a response that says something other than what was asked. */
export const RESPONSE_OF_ANOTHER_REQUEST = 'RESPONSE_OF_ANOTHER_REQUEST';

/** Returns the error for a change that the service accepted with a response that contradicts the request: what was done is unknown. */
export function contradicted(contradiction: Contradiction, next?: Hint): CliError {
  return new CliError('unknown', contradictedText(contradiction), {
    code: RESPONSE_OF_ANOTHER_REQUEST,
    hint: joined(['do not run the command again: check the account first', next], '; '),
    contradiction,
  });
}

/** Maximum length of a message from the service, in characters. */
const MAX_MESSAGE = 500;

/** Redacts secrets that the service repeats in its message, such as a key or a BVN. */
function withoutSecrets<A extends Exclude<DecodedAnswer, { kind: 'success' }>>(
  answer: A,
  secrets: readonly string[],
): A {
  // Invisible characters go first: a key with one inside would not match, but would still be readable.
  const clean = (text: string) => redactText(text.replace(/[\p{Cc}\p{Cf}]+/gu, ''), secrets).slice(0, MAX_MESSAGE);
  return answer.kind === 'rejected'
    ? { ...answer, message: clean(answer.message) }
    : { ...answer, reason: clean(answer.reason) };
}

/** Returns the reply of a success. Throws unknown outcome if the id of the work or money it started is missing; other gaps are warnings. */
function usable<D>(
  endpoint: Endpoint,
  effect: Effect,
  answer: Extract<DecodedAnswer<D>, { kind: 'success' }>,
): Reply<D> {
  const { data, body, problems, isOnlyIncomplete, uncertain } = answer;
  const reply = { data, body, problems, ...(uncertain ? { uncertain } : {}) };
  const isForeign = effect === 'read' && hasNothingOf(endpoint, data);
  // Documented answers lack fields here and there, and what a read has is worth showing.
  if (isOnlyIncomplete && !isForeign && (effect === 'read' || problems.length === 0)) return reply;
  const reason = isForeign
    ? 'it has none of the expected fields'
    : `it does not match the contract at ${problems.slice(0, 5).join(', ')}`;
  if (effect === 'read')
    throw new CliError('network', `the service sent no usable response: ${reason}`, { code: 'UNUSABLE_RESPONSE' });
  const isFollowed = effect === 'money' || endpoint.starts !== undefined;
  if (isFollowed && requestIdOf(endpoint, data) === undefined) throw acceptedWithoutId(reason, answer.httpStatus);
  return reply;
}

/** Returns the error for a change that the service accepted without an id by which it could be followed. Its operation stays open. */
function acceptedWithoutId(reason: string, httpStatus: number): CliError {
  return new CliError('unknown', `the service accepted the request, but its id is unknown (${reason})`, {
    code: 'OUTCOME_UNKNOWN',
    httpStatus,
    responseCode: '00',
  });
}

/** Whether every field of the contract is missing. Printing such a response would look like an empty result. */
function hasNothingOf(endpoint: Endpoint, data: unknown): boolean {
  const shape = shapeOf(endpoint.response()) ?? {};
  const nested = shape[endpoint.nests ?? ''];
  // What is nested is the answer, and the fields beside it are about it.
  if (nested && isPromised(nested) && (fieldOf(data, endpoint.nests ?? '') ?? null) === null) return true;
  const names = Object.keys(shape);
  return names.length > 0 && !names.some((name) => fieldOf(data, name) !== undefined);
}

function isPromised(schema: z.ZodMiniType): boolean {
  const { required, nullable } = unwrap(schema);
  return required && !nullable;
}

const REQUEST_IDS = ['requestId', 'withdrawalId', 'tradeId', 'orderId', 'transactionHash'] as const;

/** Returns the id of the work that a response started: from the contract's field for it, or from the nested object. */
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
  const outcome = effect === 'read' ? 'no usable response' : 'nothing was sent';
  return new CliError('network', `${outcome}: ${sent.reason}`, {
    code: sent.noAnswer === 'time' ? 'TIMEOUT' : 'NETWORK',
    hint: 'check the base URL and the connection, then run the command again',
  });
}

interface UnknownDetails {
  readonly httpStatus?: number;
  readonly responseCode?: string | undefined;
  /** The conditions that the answer may mean. */
  readonly candidates?: CliError['candidates'];
  readonly cause?: unknown;
  /** An additional hint. */
  readonly next?: Hint | undefined;
}

/** Returns the error for a change that was sent and may have been done. */
export function unknownOutcome(reason: string, { cause, next, ...details }: UnknownDetails = {}): CliError {
  return new CliError(
    'unknown',
    `the outcome is unknown: the request was sent, but no usable response arrived (${reason})`,
    {
      code: 'OUTCOME_UNKNOWN',
      hint: next,
      ...details,
      cause,
    },
  );
}

function answerError(
  endpoint: Endpoint,
  effect: Effect,
  answer: Exclude<DecodedAnswer, { kind: 'success' }>,
  retryAfter: number | undefined,
): CliError {
  const { httpStatus } = answer;
  const isRefused = answer.kind === 'rejected' && (answer.isDefinite || !isOnlyOnce(effect));
  if (isOnlyOnce(effect) && !isRefused) return unprovenError(endpoint, answer);
  if (httpStatus === 429 || (answer.kind === 'rejected' && answer.responseCode === '04')) {
    const wait =
      retryAfter === undefined ? '' : `; try again in ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}`;
    return new CliError('rate-limited', `the service's rate limit was reached; nothing was done${wait}`, {
      code: 'RATE_LIMIT_EXCEEDED',
      hint: 'wait, then run the command again, or allow it more time with --timeout',
      httpStatus,
      responseCode: '04',
    });
  }
  if (answer.kind === 'unusable') return unusableError(effect, answer);
  return refusal(endpoint, answer);
}

/** Returns the error for a request that may be done only once, and whose answer does not prove that it was not done. */
function unprovenError(endpoint: Endpoint, answer: Exclude<DecodedAnswer, { kind: 'success' }>): CliError {
  const { responseCode, httpStatus } = answer;
  const candidates = candidatesOf(endpoint, responseCode);
  const meanings = [...new Set(candidates.map(({ when }) => when))].join('; or ');
  const mayMean = meanings === '' ? undefined : `the service may mean: ${meanings}`;
  if (answer.kind === 'rejected') {
    const reason = `HTTP ${httpStatus} does not prove that nothing was done: ${answer.message}`;
    return unknownOutcome(reason, { httpStatus, responseCode, candidates, next: mayMean });
  }
  const { isLate, isEncrypted, reason } = answer;
  const next = isEncrypted && !isLate ? ENCRYPTION_HINT : mayMean;
  return unknownOutcome(reason, { httpStatus, responseCode, candidates, next });
}

const LATE = { kind: 'unusable', reason: TOO_SLOW, isLate: true } as const;

/** The code of a read whose response is encrypted and cannot be opened, or must be encrypted and is not. */
export const RESPONSE_NOT_DECRYPTED = 'RESPONSE_NOT_DECRYPTED';

function unusableError(
  effect: Effect,
  { httpStatus, reason, isEncrypted, unopened, isLate }: Extract<DecodedAnswer, { kind: 'unusable' }>,
): CliError {
  const next = isLate ? 'allow it more time with --timeout' : isEncrypted ? ENCRYPTION_HINT : undefined;
  if (effect !== 'read') return unknownOutcome(reason, { httpStatus, next: isLate ? undefined : next });
  const retryHint =
    httpStatus >= 500
      ? 'the service has a problem: run the command again later'
      : 'check that the base URL is correct and ends in /v1, then run the command again';
  // The same request gets the same answer, until the profile has the key.
  if (unopened)
    return new CliError('usage', `the service’s response is encrypted, and ${unopened.why}`, {
      code: RESPONSE_NOT_DECRYPTED,
      hint: unopened.lacksKey ? PRIVATE_KEY_HINT : ENCRYPTION_HINT,
      httpStatus,
    });
  return new CliError('network', `the service sent no usable response: ${reason}`, {
    code: isLate ? 'TIMEOUT' : isEncrypted ? RESPONSE_NOT_DECRYPTED : 'UNUSABLE_RESPONSE',
    hint: next ?? retryHint,
    httpStatus,
  });
}

/** How an account encrypts requests and opens responses. */
export interface EncryptionKeys {
  /** The service's public key, 64 hexadecimal digits. If it is set, requests are encrypted with it. */
  readonly platformKeyHex: string | undefined;
  /** Whether the service encrypts every response to this account, so that a plain one proves nothing. */
  readonly isRequired?: boolean;
  /** Returns the account's private keys, newest first, or undefined if it does not decrypt encrypted responses. Called only for one. */
  privateKeys(): Promise<readonly Secret[] | undefined>;
}

/**
 * Wraps an exchange: encrypts requests if there is a platform key, and decrypts encrypted responses, so that callers need not know
 * about encryption. A response that cannot be decrypted is returned as it is, with the reason in `unreadable`; a plain one where
 * encryption is required, with `isUnencrypted`.
 * Throws CliError usage for an invalid platform key. Source: public; which part of a response is encrypted is inferred.
 */
export function encryptedExchange(exchange: Exchange, encryptionKeys: EncryptionKeys | undefined): Exchange {
  const platformKey = encryptionKeys?.platformKeyHex;
  if (platformKey !== undefined && !isKeyText(platformKey)) {
    throw new CliError('usage', 'the service’s public key in this profile is not 64 hexadecimal digits', {
      hint: ENCRYPTION_HINT,
    });
  }
  return async (request, signal, isRead) => {
    const sent = platformKey === undefined ? request : await encryptedRequest(request, platformKey);
    const response = await exchange(sent, signal, isRead);
    const payload = payloadIn(response.body);
    if (payload !== undefined) return openResponse(response, payload, encryptionKeys);
    return encryptionKeys?.isRequired && !OUTSIDE_SERVICE.test(request.url)
      ? { ...response, isUnencrypted: true }
      : response;
  };
}

const ENCRYPTION_HINT = advice`check the encryption settings of this profile with: [fiatrail keys encryption show]`;

const PRIVATE_KEY_HINT = advice`bring the private key from a host that has it: [fiatrail keys encryption enable --private-key-stdin --yes] < key.txt; if none has, register a new one: [fiatrail keys encryption enable]`;

/** The sandbox's control endpoints are outside /v1 and are not encrypted. */
const OUTSIDE_SERVICE = /^(?!.*\/v1\/).*\/_sandbox\//;

async function encryptedRequest(request: HttpRequest, platformKey: string): Promise<HttpRequest> {
  if (request.body === undefined || OUTSIDE_SERVICE.test(request.url)) return request;
  try {
    return { ...request, body: JSON.stringify({ payload: await seal(request.body, platformKey) }) };
  } catch (error) {
    throw new ExchangeError('the request could not be encrypted with the service’s public key', false, error);
  }
}

async function openResponse(
  response: HttpResponse,
  payload: string,
  encryptionKeys: EncryptionKeys | undefined,
): Promise<HttpResponse> {
  const unreadable = (why: string, lacksKey = false): HttpResponse => ({
    ...response,
    unreadable: { why, lacksKey },
  });
  let keys: readonly Secret[] | undefined;
  try {
    keys = encryptionKeys ? await encryptionKeys.privateKeys() : [];
  } catch (error) {
    // The service has already processed the request, so this must not look like a failed command.
    const why = error instanceof CliError ? `: ${error.message}` : '';
    return unreadable(`this profile’s private key could not be read${why}`);
  }
  if (!keys) return unreadable('encryption is off in this profile');
  if (keys.length === 0) return unreadable('this profile has no private key', true);
  const opened = (await openerOf(keys))(payload);
  return 'text' in opened
    ? { ...response, body: opened.text }
    : unreadable(`it cannot be decrypted: ${opened.problem}`);
}
