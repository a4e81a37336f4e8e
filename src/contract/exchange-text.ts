import type { HttpRequest } from '../base/world.ts';
import { parseExactJson } from '../money/decimal.ts';
import type { Endpoint } from './endpoint.ts';
import { redact, secretsIn } from './redact.ts';

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
