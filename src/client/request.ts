import { CliError } from '../base/errors.ts';
import { problemsOf, problemText } from '../contract/check.ts';
import type { Endpoint, RequestOf } from '../contract/endpoint.ts';

declare const isReady: unique symbol;

/**
 * A request that may be sent. Validation happens here and nowhere else: the codec and the client accept only this type, and only
 * the two functions below make it, so no request leaves unvalidated or is validated twice. A command makes it as soon as its
 * input is known, before anyone is asked for confirmation and before the journal is written.
 */
export interface ReadyRequest<E extends Endpoint = Endpoint> {
  readonly endpoint: E;
  readonly input: RequestOf<E>;
  readonly [isReady]: true;
}

/** Throws CliError usage naming each field that breaks its rule. `nameOf` returns what the user typed a field as. */
export function validRequest<E extends Endpoint>(
  endpoint: E,
  input: RequestOf<E>,
  nameOf: (field: string) => string = (field) => field,
): ReadyRequest<E> {
  const problems = problemsOf(endpoint.request(), input);
  if (problems.length > 0) {
    const texts = problems.map(({ field, message }) => problemText({ field: nameOf(field), message }));
    throw new CliError('usage', texts.join('; '), { code: 'VALIDATION_ERROR' });
  }
  return uncheckedRequest(endpoint, input);
}

/** For `fiatrail api`, where the service itself checks the fields, and for showing a request that is not sent. */
export function uncheckedRequest<E extends Endpoint>(endpoint: E, input: RequestOf<E>): ReadyRequest<E> {
  return { endpoint, input } as ReadyRequest<E>;
}
