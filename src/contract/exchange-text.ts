import type { HttpRequest } from '../base/world.ts';
import { isJsonObject, parseExactJson } from '../money/decimal.ts';
import type { Endpoint } from './endpoint.ts';
import { EVENT_PAYLOADS, type EventName } from './event-payloads.ts';
import { redact, redactUnknown, redactUnknownText, secretsIn } from './redact.ts';

/** The secrets of a request, which a response may repeat anywhere. */
export function secretsOf(
  endpoint: Endpoint | undefined,
  { url, headers, body }: Pick<HttpRequest, 'url' | 'headers' | 'body'>,
): string[] {
  const sent = [jsonOf(body), Object.fromEntries(new URL(url, 'http://localhost').searchParams)];
  const found = endpoint ? sent.flatMap((each) => secretsIn(endpoint.request(), each)) : [];
  return [headers['x-api-key'] ?? '', ...found].filter((secret) => secret !== '');
}

/** A body that is not JSON has no fields. */
function jsonOf(body: string | undefined): unknown {
  try {
    return body ? parseExactJson(body) : {};
  } catch {
    return {};
  }
}

/** A body with its secrets redacted. Bodies that are not JSON, or of an unknown endpoint, are not shown. */
export function bodyText(endpoint: Endpoint | undefined, side: 'request' | 'response', body: string): string {
  try {
    const value = parseExactJson(body) as { readonly data?: unknown };
    if (!endpoint) return `(${body.length} characters)`;
    if (side === 'request') return JSON.stringify(redact(endpoint.request(), value));
    return JSON.stringify({ ...value, ...('data' in value ? { data: redact(endpoint.response(), value.data) } : {}) });
  } catch {
    return `(${body.length} characters, not JSON)`;
  }
}

/** A path and its query without secrets. */
export function pathText(endpoint: Endpoint | undefined, url: string): string {
  const [path = '', ...rest] = url.split('?');
  const shownPath = endpoint ? path : redactUnknownText(path);
  if (rest.length === 0) return shownPath;
  const query = rest.join('?');
  const fields = [...new URLSearchParams(query)];
  const shown = fields.map(([name, value]) => [name, shownField(endpoint, name, value)]);
  const isHidden = shown.some(([, value], at) => value !== fields[at]?.[1]);
  return `${shownPath}?${isHidden ? new URLSearchParams(shown as [string, string][]) : query}`;
}

function shownField(endpoint: Endpoint | undefined, name: string, value: string): string {
  const field = { [name]: value };
  const shown = endpoint ? redact(endpoint.request(), field) : redactUnknown(field);
  return String((shown as Readonly<Record<string, unknown>>)[name]);
}

/** An event without secrets: its content, or the body that was delivered with it. A text that is not JSON may be anything. */
export function eventText(name: string | null, text: string): string {
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    return redactUnknownText(text);
  }
  const payload =
    name !== null && Object.hasOwn(EVENT_PAYLOADS, name) ? EVENT_PAYLOADS[name as EventName]() : undefined;
  if (!payload || !isJsonObject(value)) return JSON.stringify(redactUnknown(value));
  const { data, ...around } = value;
  if (!isJsonObject(data)) return JSON.stringify(redact(payload, value));
  return JSON.stringify({ ...(redactUnknown(around) as object), data: redact(payload, data) });
}
