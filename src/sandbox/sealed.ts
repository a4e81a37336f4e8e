import { Secret } from '../base/secret.ts';
import type { HttpRequest, HttpResponse } from '../base/world.ts';
import { type Endpoint, fieldsSentIn } from '../contract/endpoint.ts';
import { openerOf, payloadIn, seal } from '../crypto/sealed-box.ts';
import { jsonAmbiguity } from '../money/json-text.ts';

/** A request as it arrived, or with its body decrypted if it was sealed. */
export interface ReceivedRequest extends HttpRequest {
  /** Why the body cannot be read. It is reported only after the caller is authenticated. */
  readonly bodyProblem?: string;
}

/** Returns the sealed payload of a request; undefined for a plain request or an endpoint without a body. */
export function sealedPayload(endpoint: Endpoint, { body }: HttpRequest): string | undefined {
  const isRead = endpoint.area !== 'control' && fieldsSentIn(endpoint) === 'body';
  return isRead && body !== undefined ? payloadIn(body) : undefined;
}

/**
 * Returns a request with its payload decrypted as the body. A payload that cannot be opened is refused later, after the
 * caller is authenticated.
 */
export async function openRequest(
  request: ReceivedRequest,
  payload: string,
  secretKey: string,
): Promise<ReceivedRequest> {
  // Another reader might open another one of two payloads.
  const ambiguity = jsonAmbiguity(request.body ?? '');
  if (ambiguity) return { ...request, bodyProblem: `body: ${ambiguity}` };
  const opened = (await openerOf([new Secret(secretKey)]))(payload);
  if ('text' in opened) return { ...request, body: opened.text };
  return { ...request, bodyProblem: `payload: the sealed body cannot be opened: ${opened.problem}` };
}

/** Seals the whole envelope of a response; status and headers stay in plain text. Source: inferred. */
export async function sealAnswer(answer: HttpResponse, key: string): Promise<HttpResponse> {
  return { ...answer, body: JSON.stringify({ payload: await seal(answer.body, key) }) };
}
