import { CliError, ExchangeError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { Exchange, HttpRequest, HttpResponse } from '../base/world.ts';
import { isKeyText, openerOf, payloadIn, seal } from '../crypto/sealed-box.ts';

/** How an account seals requests and opens responses. */
export interface Sealing {
  /** The service's public key, 64 hexadecimal digits. If it is set, requests are sealed to it. */
  readonly platformKeyHex: string | undefined;
  /** Whether the service seals every response to this account, so that a plain one proves nothing. */
  readonly isRequired?: boolean;
  /** Returns the account's private keys, newest first, or undefined if it does not open sealed responses. Called only for one. */
  privateKeys(): Promise<readonly Secret[] | undefined>;
}

/**
 * Wraps an exchange: seals requests if there is a platform key, and opens sealed responses, so that callers need not know
 * about sealing. A response that cannot be opened is returned as it is, with the reason in `unreadable`; a plain one where
 * sealing is required, with `isUnsealed`.
 * Throws CliError usage for an invalid platform key. Source: public; which part of a response is sealed is inferred.
 */
export function sealedExchange(exchange: Exchange, sealing: Sealing | undefined): Exchange {
  const platformKey = sealing?.platformKeyHex;
  if (platformKey !== undefined && !isKeyText(platformKey)) {
    throw new CliError('usage', 'the service’s public key in this profile is not 64 hexadecimal digits', {
      hint: SEALING_HINT,
    });
  }
  return async (request, signal, isRead) => {
    const sent = platformKey === undefined ? request : await sealedRequest(request, platformKey);
    const response = await exchange(sent, signal, isRead);
    const payload = payloadIn(response.body);
    if (payload !== undefined) return openResponse(response, payload, sealing);
    return sealing?.isRequired && !OUTSIDE_SERVICE.test(request.url) ? { ...response, isUnsealed: true } : response;
  };
}

export const SEALING_HINT = 'check the encryption settings of this profile with: fiatrail keys encryption show';

export const PRIVATE_KEY_HINT =
  'bring the private key from a host that has it: fiatrail keys encryption enable --private-key-stdin --yes < key.txt';

/** The sandbox's control endpoints are outside /v1 and are not sealed. */
const OUTSIDE_SERVICE = /^(?!.*\/v1\/).*\/_sandbox\//;

async function sealedRequest(request: HttpRequest, platformKey: string): Promise<HttpRequest> {
  if (request.body === undefined || OUTSIDE_SERVICE.test(request.url)) return request;
  try {
    return { ...request, body: JSON.stringify({ payload: await seal(request.body, platformKey) }) };
  } catch (error) {
    throw new ExchangeError('the request could not be sealed to the service’s public key', false, error);
  }
}

async function openResponse(
  response: HttpResponse,
  payload: string,
  sealing: Sealing | undefined,
): Promise<HttpResponse> {
  const unreadable = (why: string, lacksKey = false): HttpResponse => ({
    ...response,
    unreadable: { why, lacksKey },
  });
  let keys: readonly Secret[] | undefined;
  try {
    keys = sealing ? await sealing.privateKeys() : [];
  } catch (error) {
    // The service has already processed the request, so this must not look like a failed command.
    const why = error instanceof CliError ? `: ${error.message}` : '';
    return unreadable(`this profile’s private key could not be read${why}`);
  }
  if (!keys) return unreadable('sealing is off in this profile');
  if (keys.length === 0) return unreadable('this profile has no private key', true);
  const opened = (await openerOf(keys))(payload);
  return 'text' in opened ? { ...response, body: opened.text } : unreadable(`it cannot be opened: ${opened.problem}`);
}
