import { CliError } from '../base/errors.ts';
import { problemsOf, problemText } from '../contract/check.ts';
import type { Endpoint, RequestOf } from '../contract/endpoint.ts';
import type { Fields } from '../contract/reading/values.ts';
import { shapeOf, unwrap } from '../contract/rows.ts';
import { isJsonObject } from '../money/decimal.ts';

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

/** Ids that a response repeats from its request, under the same name. Source: public. */
const ECHOED_IDS = ['requestId', 'userId', 'accountId', 'orderId', 'tradeId', 'withdrawalId'] as const;

/** An id of the request, and the other one that the response has in its place. */
interface ForeignId {
  readonly name: string;
  readonly asked: string;
  readonly answered: string;
}

/**
 * Returns the first id of a response that is not the request's: the response is about something else. A field counts only if
 * the contract has it on both sides, and an id that is missing or masked counts as the same.
 */
export function foreignId(endpoint: Endpoint, input: unknown, data: unknown): ForeignId | undefined {
  const sent = shapeOf(endpoint.request()) ?? {};
  const shape = shapeOf(endpoint.response()) ?? {};
  const { nests = '' } = endpoint;
  const nested = Object.hasOwn(shape, nests) && shape[nests] ? shapeOf(unwrap(shape[nests]).schema) : undefined;
  for (const name of ECHOED_IDS) {
    if (!Object.hasOwn(sent, name)) continue;
    const asked = idIn(input, name);
    const key = otherKey(endpoint, name, input);
    if (key !== undefined) {
      const found = idAnywhere(data, key);
      if (asked !== undefined && found !== undefined && !isSame(asked, found))
        return { name: key, asked, answered: found };
      continue;
    }
    const answered =
      (Object.hasOwn(shape, name) ? idIn(data, name) : undefined) ??
      (nested && Object.hasOwn(nested, name) ? idIn((data as Fields)[nests], name) : undefined);
    if (asked !== undefined && answered !== undefined && !isSame(asked, answered)) return { name, asked, answered };
  }
  return undefined;
}

/** The other name under which a request gives the same key, such as the address of the wallet in place of the request id. */
function otherKey({ synonyms = {} }: Endpoint, name: string, input: unknown): string | undefined {
  const asked = idIn(input, name);
  return Object.keys(synonyms).find((other) => synonyms[other] === name && idIn(input, other) === asked);
}

/** The id in the data or in an object of it. */
function idAnywhere(data: unknown, name: string): string | undefined {
  if (!isJsonObject(data)) return undefined;
  return idIn(data, name) ?? Object.values(data).flatMap((each) => idIn(each, name) ?? [])[0];
}

function idIn(value: unknown, name: string): string | undefined {
  const id = typeof value === 'object' && value !== null ? (value as Fields)[name] : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Hexadecimal ids may differ in case, and a `*` stands for anything. */
function isSame(asked: string, answered: string): boolean {
  if (asked === answered || answered.includes('*')) return true;
  const isHex = /^(0x)?[\da-f-]+$/i;
  return isHex.test(asked) && isHex.test(answered) && asked.toLowerCase() === answered.toLowerCase();
}
