import type { HttpResponse, OutputStream } from '../../base/world.ts';
import type { SendOptions } from '../../client/transport.ts';
import { controls } from '../../contract/control.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { endpoints } from '../../contract/endpoints/index.ts';
import { bodyText, pathText, secretsOf } from '../../contract/exchange-text.ts';
import type { Mask } from '../../contract/mask/index.ts';
import { createPathMatcher } from '../../contract/paths.ts';
import { redactBody, redactText, remember } from '../../contract/redact.ts';
import { plainLine } from '../../present/text.ts';

/**
 * Prints requests and responses to stderr, if it is given, with the secrets that the contract marks redacted. A mask remembers what is in
 * them, so that no notice or error repeats it.
 */
export function traceTo(stderr: OutputStream | undefined, mask?: Mask): Required<Pick<SendOptions, 'onExchange'>> {
  const paths = createPathMatcher([...controls, ...endpoints]);
  // A later response may repeat them.
  const secrets = new Set<string>();
  return {
    onExchange: ({ attempt, request, response, error }) => {
      const endpoint = paths.match(request.method, new URL(request.url).pathname)?.endpoint;
      remember(secrets, secretsOf(endpoint, request));
      mask?.learn({ sent: request.body ?? '', received: response?.body ?? '' });
      if (!stderr) return;
      const shown = (name: 'url' | 'sent' | 'received', text: string) =>
        mask ? (mask.value({ [name]: text }) as Readonly<Record<string, string>>)[name] : text;
      const why = messageOf(error);
      const failed = error !== undefined ? `< no response: ${mask ? mask.text(why) : why}` : undefined;
      const received =
        response && `< HTTP ${response.status} ${shown('received', receivedText(endpoint, response, [...secrets]))}`;
      const url = shown('url', pathText(endpoint, request.url));
      const body = request.body ? ` ${shown('sent', bodyText(endpoint, 'request', request.body))}` : '';
      const sent = `> ${request.method} ${url}${attempt > 1 ? ` (attempt ${attempt})` : ''}${body}`;
      // Its values are masked, and a figure among them must not be taken for an account.
      const out = stderr.masking?.unmasked ?? stderr;
      // A trace that cannot be written must not change what the command does.
      out.write(`${redactText(plainLine(failed ?? received ?? sent), [...secrets])}\n`).catch(() => {});
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}

/** A longer body is not a line that anyone reads. */
const MAX_TRACED = 256 * 1024;

function receivedText(
  endpoint: Endpoint | undefined,
  { status, body, isUnencrypted }: HttpResponse,
  secrets: readonly string[],
): string {
  // Where encryption is required, what a plain response says is not the service's word.
  if (isUnencrypted && status < 400) return `(${body.length} characters, not encrypted)`;
  return body.length > MAX_TRACED
    ? `(${body.length} characters)`
    : bodyText(endpoint, 'response', redactBody(body, secrets));
}
