import { CliError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { HttpRequest, HttpResponse } from '../base/world.ts';
import { problemsOf } from '../contract/check.ts';
import { type Endpoint, pathParameters, placeOf, type ResponseOf } from '../contract/endpoint.ts';
import { isWireNumber, parseJson, type WireNumber, wireNumberText } from '../money/decimal.ts';
import type { ReadyRequest } from './request.ts';

/** The service's address and the account. */
export interface Target {
  /** Includes the version segment, without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
}

/** Builds the HTTP request. */
export function encodeRequest({ endpoint, input }: ReadyRequest, target: Target): HttpRequest {
  const fields = Object.entries(input as Record<string, unknown>).filter(([, value]) => value !== undefined);
  const inPath = new Set(pathParameters(endpoint.path));
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) =>
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
  | { readonly kind: 'success'; readonly data: D; readonly body: string; readonly problems: readonly string[] }
  | { readonly kind: 'refused'; readonly httpStatus: number; readonly responseCode: string; readonly message: string }
  | { readonly kind: 'unusable'; readonly httpStatus: number; readonly reason: string; readonly isSealed?: true };

interface Envelope {
  readonly response_code?: unknown;
  readonly responseCode?: unknown;
  readonly message?: unknown;
  readonly responseMessage?: unknown;
  readonly error?: unknown;
  readonly data?: unknown;
  readonly version?: unknown;
}

/** Returns the two-digit code of an envelope, or undefined for any other value. */
function codeOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const code = (value as Envelope).response_code ?? (value as Envelope).responseCode;
  return typeof code === 'string' && /^\d\d$/.test(code) ? code : undefined;
}

/** Decodes a response. A success that does not match the schema is still a success; `problems` names the fields. */
export function decodeAnswer<E extends Endpoint>(endpoint: E, response: HttpResponse): Answer<ResponseOf<E>> {
  const { status, body, unreadable } = response;
  if (unreadable !== undefined) return { kind: 'unusable', httpStatus: status, reason: unreadable, isSealed: true };
  const unusable = (reason: string): Answer<never> => ({ kind: 'unusable', httpStatus: status, reason });
  let envelope: unknown;
  try {
    envelope = parseJson(body);
  } catch {
    return unusable(status >= 300 && status <= 399 ? REDIRECT : describeBody(response));
  }
  const code = codeOf(envelope);
  if (code === undefined) return unusable('its JSON does not have the envelope of the service');
  if (status >= 200 && status <= 299 && code === '00') {
    const data = dataOf(endpoint, envelope as Envelope);
    const problems = problemsOf(endpoint.response(), data).map(({ field }) => field || 'data');
    return { kind: 'success', data: data as ResponseOf<E>, body, problems };
  }
  if (status >= 400 && status <= 499 && code !== '00') {
    return { kind: 'refused', httpStatus: status, responseCode: code, message: refusalText(envelope as Envelope) };
  }
  return unusable(`its response code is ${code}: ${refusalText(envelope as Envelope)}`);
}

/** Returns the data of a success. One endpoint has a field of its data next to `data`. */
function dataOf(endpoint: Endpoint, { data, version }: Envelope): unknown {
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

/** Returns the service's message and its detail, which may be in one of several fields. Source: interface, public. */
function refusalText(envelope: Envelope): string {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const inObject = (value: unknown) =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const message = text(envelope.message) ?? text(envelope.responseMessage);
  const detail = text(envelope.error) ?? text(inObject(envelope.error).reason) ?? text(inObject(envelope.data).error);
  const parts = [message, detail].filter((part, index, all) => part && all.indexOf(part) === index);
  return parts.length > 0 ? parts.join(': ') : 'no reason given';
}
