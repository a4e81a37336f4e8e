import { Secret } from '../base/secret.ts';
import type { HttpRequest, HttpResponse } from '../base/world.ts';
import { type Endpoint, placeOf } from '../contract/endpoint.ts';
import type { Fault } from '../contract/faults.ts';
import { openerOf, payloadIn, seal } from '../crypto/sealed-box.ts';
import type { Call } from '../service/context.ts';

/** A request whose body was opened where it was sealed. */
export interface Received extends HttpRequest {
  /** Why a sealed body did not open. */
  readonly unopened?: string;
}

/** Its answers stay plain, or who stores a first or a wrong key could not read that it was stored. Source: inferred. */
const STAYS_PLAIN = 'management.store-public-key';

/** The key that the answers to a caller are sealed to; undefined where they stay plain. */
export function answerKey({ fintech }: Call, endpoint: Endpoint): string | undefined {
  return endpoint.area === 'control' || endpoint.id === STAYS_PLAIN ? undefined : fintech.publicKey;
}

/** Who has to wait must see for how long, whatever became of its keys. Source: inferred. */
export function staysPlain({ fault }: Fault): boolean {
  return fault === 'RATE_LIMIT_EXCEEDED';
}

/** The sealed payload of a request; undefined for a plain one, and where no body is read. */
export function sealedPayload(endpoint: Endpoint, { body }: HttpRequest): string | undefined {
  const isRead = endpoint.area !== 'control' && placeOf(endpoint) === 'body';
  return isRead && body !== undefined ? payloadIn(body) : undefined;
}

/** A request with what its payload holds as its body. One that does not open is refused later, when its caller is known. */
export async function openRequest(request: HttpRequest, payload: string, secretKey: string): Promise<Received> {
  const opened = (await openerOf([new Secret(secretKey)]))(payload);
  return 'text' in opened ? { ...request, body: opened.text } : { ...request, unopened: opened.problem };
}

/** An answer with its whole envelope sealed; status and headers stay in clear. Source: inferred. */
export async function sealAnswer(answer: HttpResponse, key: string): Promise<HttpResponse> {
  return { ...answer, body: JSON.stringify({ payload: await seal(answer.body, key) }) };
}
