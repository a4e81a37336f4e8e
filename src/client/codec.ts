import { CliError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { HttpRequest, HttpResponse } from '../base/world.ts';
import { hasUnknownFigures } from '../contract/book-units.ts';
import { problemsOf } from '../contract/check.ts';
import { type Endpoint, pathParameters, placeOf, type ResponseOf } from '../contract/endpoint.ts';
import { PLATFORM } from '../contract/paths.ts';
import { readData } from '../contract/reading.ts';
import { isWireNumber, parseJson, type WireNumber, wireNumberText } from '../money/decimal.ts';
import { readEnvelope } from './envelope.ts';
import type { ReadyRequest } from './request.ts';

/** The service's address and the account. */
export interface Target {
  /** Includes the version segment, without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
  /** The service's own name, which some paths contain. */
  readonly serviceName?: string | undefined;
}

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
  const isQuery = placeOf(endpoint) === 'query';
  const query =
    isQuery && rest.length > 0
      ? `?${new URLSearchParams(Object.fromEntries(rest.map(([name, value]) => [name, queryText(value)])))}`
      : '';
  const hasBody = !isQuery && endpoint.method !== 'GET';
  const base = endpoint.area === 'control' ? new URL(target.baseUrl).origin : target.baseUrl;
  return {
    method: endpoint.method,
    url: base + path + query,
    headers: {
      accept: 'application/json',
      'x-api-key': target.apiKey.reveal(),
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
    },
    body: hasBody ? JSON.stringify(Object.fromEntries(rest)) : undefined,
  };
}

/** Encodes one path segment. Throws CliError usage for `.` and `..`, which URLs resolve even when encoded. */
function pathSegment(value: string): string {
  if (/^\.{0,2}$/.test(value))
    throw new CliError('usage', `invalid id "${value}"`, { hint: 'use the id as the service printed it' });
  return encodeURIComponent(value);
}

function queryText(value: unknown): string {
  return isWireNumber(value) ? wireNumberText(value as WireNumber) : String(value);
}

/** The meaning of a response, decided by HTTP status and response code, never by its message. */
export type Answer<D = unknown> =
  | {
      readonly kind: 'success';
      readonly data: D;
      readonly body: string;
      readonly problems: readonly string[];
      /** Whether all problems are missing fields: what is there can be trusted. */
      readonly isOnlyIncomplete: boolean;
      /** Whether it has figures whose unit it does not say. */
      readonly hasUnknownUnits: boolean;
    }
  | { readonly kind: 'refused'; readonly httpStatus: number; readonly responseCode: string; readonly message: string }
  | { readonly kind: 'unusable'; readonly httpStatus: number; readonly reason: string; readonly isSealed?: true };

/** How a service of this kind refuses an address, also with HTTP 400 and any code. Source: client. */
const NOT_ALLOWED = /\bIP_NOT_ALLOWED\b/;

/** Decodes a response. A success that does not match the schema is still a success; `problems` names the fields. */
export function decodeAnswer<E extends Endpoint>(endpoint: E, response: HttpResponse): Answer<ResponseOf<E>> {
  const { status, body, unreadable } = response;
  if (unreadable !== undefined) return { kind: 'unusable', httpStatus: status, reason: unreadable, isSealed: true };
  const unusable = (reason: string): Answer<never> => ({ kind: 'unusable', httpStatus: status, reason });
  let json: unknown;
  try {
    json = parseJson(body);
  } catch {
    return unusable(status >= 300 && status <= 399 ? REDIRECT : describeBody(response));
  }
  const envelope = readEnvelope(json);
  if (!envelope) return unusable(NO_ENVELOPE);
  const { contradicts, text, isPlainData } = envelope;
  const isClientError = status >= 400 && status <= 499;
  const code = envelope.code ?? (isClientError && NOT_ALLOWED.test(text) ? '03' : undefined);
  if (contradicts) return unusable(`its response codes contradict each other: ${text}`);
  const refused: Answer<never> = { kind: 'refused', httpStatus: status, responseCode: code ?? '', message: text };
  if (status >= 200 && status <= 299) {
    if (code === '00' || (code === undefined && isPlainData)) return success(endpoint, json as object, body);
    if (code !== undefined && REFUSALS.has(code)) return refused;
  }
  if (isClientError && code !== undefined && /^\d\d$/.test(code) && code !== '00') return refused;
  return unusable(code === undefined ? NO_ENVELOPE : `its response code is ${code}: ${text}`);
}

const NO_ENVELOPE = 'its JSON does not have the envelope of the service';
/** The codes of the service's table that say that the request was not done. Source: public. */
const REFUSALS: ReadonlySet<string> = new Set(['01', '02', '03', '04', '05']);

function success<E extends Endpoint>(endpoint: E, envelope: object, body: string): Answer<ResponseOf<E>> {
  const data = readData(endpoint, dataOf(endpoint, envelope));
  const problems = problemsOf(endpoint.response(), data);
  return {
    kind: 'success',
    data: data as ResponseOf<E>,
    body,
    problems: problems.map(({ field }) => field || 'data'),
    isOnlyIncomplete: problems.every(({ isMissing }) => isMissing),
    hasUnknownUnits: hasUnknownFigures(endpoint.response(), data),
  };
}

/** Returns the data of a success. One endpoint has a field of its data next to `data`. */
function dataOf(endpoint: Endpoint, { data, version }: { data?: unknown; version?: unknown }): unknown {
  const isBeside = endpoint.envelope === 'version-beside' && typeof version === 'string';
  return isBeside && typeof data === 'object' ? { ...data, version } : (data ?? {});
}

const REDIRECT = 'it is a redirect, which would take the API key elsewhere';

function describeBody({ body, headers }: HttpResponse): string {
  if (body.trim() === '') return 'its body is empty';
  const type = headers['content-type'] ?? '';
  if (/html/i.test(type) || /^\s*</.test(body)) return 'its body is HTML, not JSON';
  return 'its body is not valid JSON';
}
