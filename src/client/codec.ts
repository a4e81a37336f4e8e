import { CliError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { HttpRequest, HttpResponse, Unopened } from '../base/world.ts';
import { contradictingKey, countFields, responseProblems } from '../contract/check.ts';
import { type Endpoint, fieldsSentIn, pathParameters, type ResponseOf } from '../contract/endpoint.ts';
import { PLATFORM } from '../contract/paths.ts';
import { isAbout, pagingIn, readData } from '../contract/reading/index.ts';
import { shapeOf } from '../contract/rows.ts';
import { printable } from '../money/amount.ts';
import { isJsonObject, isWireNumber, parseAnswer, type WireNumber, wireNumberText } from '../money/decimal.ts';
import { lookAt } from '../money/json-text.ts';
import { codeForStatus, type EnvelopeReading, NO_REASON, readEnvelope } from './envelope.ts';
import { errorNameIn, isDefinite, isRateLimit, NOT_ALLOWED, REFUSALS, type Refused } from './refusals.ts';
import type { ReadyRequest } from './request.ts';

/** Builds the HTTP request. */
export function encodeRequest({ endpoint, input }: ReadyRequest, target: Target): HttpRequest {
  const fields = Object.entries(input as Record<string, unknown>).filter(([, value]) => value !== undefined);
  const inPath = new Set(pathParameters(endpoint.path));
  const named = endpoint.isNamedAfterService
    ? endpoint.path.replace(`/${PLATFORM}/`, `/${target.serviceName ?? PLATFORM}/`)
    : endpoint.path;
  const path = named.replace(/:(\w+)/g, (_, name: string) =>
    pathSegment(String((input as Record<string, unknown>)[name])),
  );
  const rest = fields.filter(([name]) => !inPath.has(name));
  const isQuery = fieldsSentIn(endpoint) === 'query';
  const query =
    isQuery && rest.length > 0
      ? `?${new URLSearchParams(Object.fromEntries(rest.map(([name, value]) => [name, queryText(value)])))}`
      : '';
  const declared = Object.keys(shapeOf(endpoint.request()) ?? {}).filter((name) => !inPath.has(name));
  // An endpoint that declares no field, such as the list of banks, is sent no body.
  const hasBody = !isQuery && endpoint.method !== 'GET' && (declared.length > 0 || rest.length > 0);
  const base = endpoint.area === 'control' ? new URL(target.baseUrl).origin : target.baseUrl;
  return {
    method: endpoint.method,
    url: base + path + query,
    headers: {
      accept: 'application/json',
      'x-api-key': target.apiKey.reveal(),
      ...(target.agent === undefined ? {} : { 'user-agent': `fiatrail agent/${encodeURIComponent(target.agent)}` }),
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
    },
    body: hasBody ? JSON.stringify(Object.fromEntries(rest)) : undefined,
  };
}

/** The service's address and the account. */
export interface Target {
  /** Includes the version segment, without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
  /** The service's own name, which some paths contain. */
  readonly serviceName?: string | undefined;
  /** The agent that the request is sent for; undefined for a person or a job. */
  readonly agent?: string | undefined;
}

/** Encodes one path segment. Throws CliError usage for `.` and `..`, which URLs resolve even when encoded. */
function pathSegment(value: string): string {
  if (/^\.{0,2}$/.test(value))
    throw new CliError('usage', `invalid id "${value}"`, {
      code: 'VALIDATION_ERROR',
      hint: 'use the id as the service printed it',
    });
  return encodeURIComponent(value);
}

function queryText(value: unknown): string {
  return isWireNumber(value) ? wireNumberText(value as WireNumber) : String(value);
}

/** The meaning of a response, decided by HTTP status and response code, never by its message. */
export type DecodedAnswer<D = unknown> =
  | {
      readonly kind: 'success';
      readonly httpStatus: number;
      readonly data: D;
      readonly body: string;
      readonly problems: readonly string[];
      /** Whether all problems are missing fields: what is there can be trusted. */
      readonly isOnlyIncomplete: boolean;
      /** What in the response cannot be believed, as sentences. */
      readonly uncertain?: readonly string[];
    }
  | Refused
  | {
      readonly kind: 'unusable';
      readonly httpStatus: number;
      readonly reason: string;
      /** The service's code for a refusal, of an answer that proves none. */
      readonly responseCode?: string;
      readonly isEncrypted?: true;
      readonly unopened?: Unopened;
      readonly isLate?: true;
    };

/** Decodes a response. A success that does not match the schema is still a success; `problems` names the fields. */
export function decodeAnswer<E extends Endpoint>(
  endpoint: E,
  response: HttpResponse,
  isLate: () => boolean = () => false,
): DecodedAnswer<ResponseOf<E>> {
  const { status, body, unreadable } = response;
  if (unreadable !== undefined) {
    const reason = `its body is encrypted, but ${unreadable.why}`;
    return { kind: 'unusable', httpStatus: status, reason, isEncrypted: true, unopened: unreadable };
  }
  const unusable = (reason: string): DecodedAnswer<never> => ({ kind: 'unusable', httpStatus: status, reason });
  const { excess, fields } = lookAt(body);
  if (excess !== undefined) return unusable(excess);
  let json: unknown;
  try {
    json = parseAnswer(body);
  } catch {
    return unusable(status >= 300 && status <= 399 ? REDIRECT : describeBody(response));
  }
  const duplicateKey = countFields(json) === fields ? undefined : contradictingKey(body);
  if (duplicateKey !== undefined) return unusable(`its JSON has two different values for "${printable(duplicateKey)}"`);
  const isOk = status >= 200 && status <= 299;
  // A list alone is the data of an endpoint that lists.
  const envelope = Array.isArray(json) && isOk && endpoint.lists !== undefined ? { data: json } : json;
  const reading = readEnvelope(envelope);
  if (!reading) return unusable(NO_ENVELOPE);
  const errorName = isOk && reading.code === '00' ? undefined : errorNameIn(envelope);
  const refused = (code: string): DecodedAnswer<never> => ({
    kind: 'rejected',
    httpStatus: status,
    responseCode: code,
    message: reading.text(),
    isDefinite: isDefinite(endpoint, status, reading, envelope),
    ...(errorName === undefined ? {} : { errorName }),
    ...(NOT_ALLOWED.includes(errorName) ? { isAddressBlocked: true } : {}),
  });
  if (isRateLimit(status, reading, envelope)) return refused('04');
  const code = reading.code ?? impliedCode(endpoint, status, reading, errorName);
  if (reading.contradicts) return unusable(`its response codes contradict each other: ${reading.text()}`);
  if (code === '00' && reading.deniesSuccess) return unusable(`its code is that of a success: ${reading.text()}`);
  if (isOk && code === '00') return success(endpoint, reading, response, isLate);
  if (isOk && code !== undefined && REFUSALS.has(code)) return refused(code);
  if (status >= 400 && status <= 499 && code !== undefined && code !== '00') {
    if (/^\d\d?$/.test(code)) return refused(code.padStart(2, '0'));
    // A word that is in no table says what was wrong; the status says what kind of refusal it is.
    if (reading.isCodeWord) return refused(codeForStatus(String(status)));
  }
  if (code === undefined) return unusable(NO_ENVELOPE);
  const given = REFUSALS.has(code) ? { responseCode: code } : {};
  return { ...unusable(`its response code is ${code}: ${reading.text()}`), ...given };
}

/** Whether a response is the service's own answer to too many requests, so that nothing was done. */
export function isRateLimited(endpoint: Endpoint, response: HttpResponse): boolean {
  const answer = decodeAnswer(endpoint, response);
  return answer.kind === 'rejected' && answer.responseCode === '04' && answer.isDefinite;
}

/**
 * Returns the code of an envelope without one, if it says in another way what came of the request: data or fields of this
 * endpoint for a 2xx, words that name a failure for a 4xx. Source: public, inferred.
 */
function impliedCode(
  endpoint: Endpoint,
  status: number,
  { data, hasError, hasMessage, namesFailure, topLevel, text }: EnvelopeReading,
  errorName: string | undefined,
): string | undefined {
  if (status >= 200 && status <= 299) {
    const hasData = Array.isArray(data) || isJsonObject(data) || isAbout(endpoint, topLevel);
    return hasData && !namesFailure && !hasError ? '00' : undefined;
  }
  if (status < 400 || status > 499) return undefined;
  if (NOT_ALLOWED.includes(errorName)) return '03';
  // A 408 may come from a server on the way, after the service got the request.
  const isExplained = namesFailure || (hasError && hasMessage && status !== 408) || status === 401 || status === 403;
  return isExplained && text() !== NO_REASON ? codeForStatus(String(status)) : undefined;
}

const NO_ENVELOPE = 'its JSON does not have the envelope of the service';

function success<E extends Endpoint>(
  endpoint: E,
  reading: EnvelopeReading,
  { status, body }: HttpResponse,
  isLate: () => boolean,
): DecodedAnswer<ResponseOf<E>> {
  const uncertain = new Set<string>();
  const data = readData(endpoint, dataOf(endpoint, reading), (onUncertain) => uncertain.add(onUncertain));
  const found = responseProblems(endpoint.response(), data, isLate);
  if (found.isLate) return { kind: 'unusable', httpStatus: status, reason: TOO_SLOW, isLate: true };
  return {
    kind: 'success',
    httpStatus: status,
    data: data as ResponseOf<E>,
    body,
    problems: found.problems.map(({ field }) => field || 'data'),
    isOnlyIncomplete: found.isOnlyIncomplete,
    ...(uncertain.size > 0 ? { uncertain: [...uncertain] } : {}),
  };
}

/** Why a response that takes too long to check is unusable. */
export const TOO_SLOW = 'it could not be read and checked within the time limit';

/**
 * Returns the data of a success. Without `data`, it is the fields beside the code. One endpoint has a field of its data next
 * to `data`, and a list may have its paging fields there.
 */
function dataOf(endpoint: Endpoint, { topLevel, data }: EnvelopeReading): unknown {
  if (data === undefined || data === null) return isAbout(endpoint, topLevel) ? topLevel : {};
  const { lists, envelope } = endpoint;
  const { version } = topLevel;
  const paging = lists === undefined ? {} : pagingIn(topLevel);
  const found = Array.isArray(data) && lists !== undefined && Object.keys(paging).length > 0 ? { [lists]: data } : data;
  if (!isJsonObject(found)) return found;
  return {
    ...paging,
    ...found,
    ...(envelope === 'top-level-version' && typeof version === 'string' ? { version } : {}),
  };
}

const REDIRECT = 'it is a redirect, which would take the API key elsewhere';

function describeBody({ body, headers }: HttpResponse): string {
  if (body.trim() === '') return 'its body is empty';
  const type = headers['content-type'] ?? '';
  if (/html/i.test(type) || /^\s*</.test(body)) return 'its body is HTML, not JSON';
  return 'its body is not valid JSON';
}
