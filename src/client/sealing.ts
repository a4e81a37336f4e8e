import { CliError } from '../base/errors.ts';
import { ExchangeError } from '../base/exchange-error.ts';
import type { Secret } from '../base/secret.ts';
import type { Exchange, HttpRequest, HttpResponse } from '../base/world.ts';
import { isKeyText, openerOf, payloadIn, seal } from '../crypto/sealed-box.ts';

/** How an account seals. */
export interface Sealing {
  /** The service's public key, 64 hexadecimal digits; requests are sealed to it when it is there. */
  readonly platformKeyHex: string | undefined;
  /** The account's private keys, newest first. Called only when an answer is sealed. */
  privateKeys(): Promise<readonly Secret[]>;
}

/**
 * An exchange whose requests are sealed where there is a key to seal to, and whose sealed answers are opened, so that
 * nobody above it knows of sealing. An answer that does not open arrives as it is, and says why (`unreadable`).
 * Throws CliError usage for a platform key that is none. Source: public; what is sealed of an answer is inferred.
 */
export function sealedExchange(exchange: Exchange, sealing: Sealing | undefined): Exchange {
  const platformKey = sealing?.platformKeyHex;
  if (platformKey !== undefined && !isKeyText(platformKey)) {
    throw new CliError('usage', 'the service’s public key of this profile is not 64 hexadecimal digits', {
      hint: SEALING_HINT,
    });
  }
  return async (request, signal, isRead) => {
    const sent = platformKey === undefined ? request : await sealedRequest(request, platformKey);
    const answer = await exchange(sent, signal, isRead);
    const payload = payloadIn(answer.body);
    return payload === undefined ? answer : openedAnswer(answer, payload, sealing);
  };
}

/** What tells how an account seals. */
export const SEALING_HINT = 'see how this profile seals with: fiatrail keys encryption status';

/** The sandbox's controls stand beside /v1, and are not sealed. */
const OUTSIDE_SERVICE = /^(?!.*\/v1\/).*\/_sandbox\//;

async function sealedRequest(request: HttpRequest, platformKey: string): Promise<HttpRequest> {
  if (request.body === undefined || OUTSIDE_SERVICE.test(request.url)) return request;
  try {
    return { ...request, body: JSON.stringify({ payload: await seal(request.body, platformKey) }) };
  } catch (error) {
    throw new ExchangeError('the request could not be sealed to the service’s public key', false, error);
  }
}

async function openedAnswer(
  answer: HttpResponse,
  payload: string,
  sealing: Sealing | undefined,
): Promise<HttpResponse> {
  const unreadable = (why: string): HttpResponse => ({ ...answer, unreadable: `its body is sealed, and ${why}` });
  let keys: readonly Secret[];
  try {
    keys = (await sealing?.privateKeys()) ?? [];
  } catch (error) {
    // The request is done by now, so this must not pass for a failure of the command.
    const why = error instanceof CliError ? `: ${error.message}` : '';
    return unreadable(`this profile’s private key could not be read${why}`);
  }
  if (keys.length === 0) return unreadable('this profile holds no private key');
  const opened = (await openerOf(keys))(payload);
  return 'text' in opened ? { ...answer, body: opened.text } : unreadable(`does not open: ${opened.problem}`);
}
