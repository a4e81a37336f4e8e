import type { HttpRequest, OutputStream } from '../base/world.ts';
import type { SendOptions } from '../client/transport.ts';
import { controls } from '../contract/control.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints/index.ts';
import { createPathMatcher } from '../contract/paths.ts';
import { redact, secretsIn, strikeOut } from '../contract/redact.ts';
import { parseExactJson } from '../money/decimal.ts';
import { plainLine } from '../present/text.ts';

/** Prints requests and answers to stderr as they pass, with every secret hidden by the contract's own marks. */
export function traceTo(stderr: OutputStream): Required<Pick<SendOptions, 'onExchange'>> {
  const paths = createPathMatcher([...controls, ...endpoints]);
  return {
    onExchange: ({ attempt, request, response, error }) => {
      const endpoint = paths.match(request.method, new URL(request.url).pathname)?.endpoint;
      const line = error !== undefined ? `< no answer: ${wordsOf(error)}` : undefined;
      const answered = response && `< HTTP ${response.status} ${bodyText(endpoint, 'response', response.body)}`;
      const asked = `> ${request.method} ${request.url}${attempt > 1 ? ` (try ${attempt})` : ''}${request.body ? ` ${bodyText(endpoint, 'request', request.body)}` : ''}`;
      // A trace that cannot be written must not change what happens to the money.
      stderr
        .write(`${strikeOut(plainLine(line ?? answered ?? asked), secretsOf(endpoint, request))}\n`)
        .catch(() => {});
    },
  };
}

/** What the request holds that must not be seen, wherever the answer may repeat it. */
function secretsOf(endpoint: Endpoint | undefined, { headers, body }: HttpRequest): string[] {
  const key = headers['x-api-key'] ?? '';
  const inBody = endpoint && body ? secretsIn(endpoint.request(), parseExactJson(body)) : [];
  return [key, ...inBody].filter((secret) => secret !== '');
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}

/** A body with its secrets hidden; one that is no JSON, or of no known endpoint, is not shown at all. */
function bodyText(endpoint: Endpoint | undefined, side: 'request' | 'response', body: string): string {
  try {
    const value = parseExactJson(body) as { readonly data?: unknown };
    if (!endpoint) return `(${body.length} characters)`;
    if (side === 'request') return JSON.stringify(redact(endpoint.request(), value));
    return JSON.stringify({ ...value, ...('data' in value ? { data: redact(endpoint.response(), value.data) } : {}) });
  } catch {
    return `(${body.length} characters that are no JSON)`;
  }
}
