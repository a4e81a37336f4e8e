import { WebhookError } from './error.ts';

/** Headers in any of the forms in which servers hand them over: a `Headers`, an object, or pairs with repetitions. */
export type GivenHeaders =
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The headers of a delivery. */
interface DeliveryHeaders {
  readonly signature: string;
  readonly timestamp: string;
  /** Equal for a retry of the same delivery. It is not signed. */
  readonly id: string | undefined;
  /** Not signed; the name in the body counts. */
  readonly event: string | undefined;
  /** The service's name as it stands in the header names, in lower case. */
  readonly serviceName: string;
}

/** `x-acme-signature` */
const SIGNATURE_NAME = /^x-(.+)-signature$/;

/** Reads the headers of a delivery; `serviceName` is the name that they contain. Throws WebhookError. */
export function readHeaders(given: GivenHeaders, serviceName?: string): DeliveryHeaders {
  const headers = lowerCased(given);
  const named = serviceName?.toLowerCase() ?? onlyServiceIn(headers);
  const signature = one(headers, `x-${named}-signature`);
  const timestamp = one(headers, `x-${named}-timestamp`);
  if (signature === undefined) throw missing(`x-${named}-signature`);
  if (timestamp === undefined) throw missing(`x-${named}-timestamp`);
  return {
    ...{ signature, timestamp, serviceName: named },
    ...{ id: one(headers, 'x-webhook-id'), event: one(headers, `x-${named}-event`) },
  };
}

function lowerCased(given: GivenHeaders): ReadonlyMap<string, readonly string[]> {
  const pairs = Symbol.iterator in given ? [...given] : Object.entries(given);
  const headers = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const values = value === undefined ? [] : typeof value === 'string' ? [value] : value;
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), ...values]);
  }
  return headers;
}

/** Returns the only service whose signature and timestamp headers are there. */
function onlyServiceIn(headers: ReadonlyMap<string, unknown>): string {
  const names = [...headers.keys()].flatMap((name) => SIGNATURE_NAME.exec(name)?.[1] ?? []);
  const [only, ...others] = names.length > 1 ? names.filter((name) => headers.has(`x-${name}-timestamp`)) : names;
  if (only === undefined) throw missing('x-SERVICE-signature');
  if (others.length === 0) return only;
  throw new WebhookError(
    'AMBIGUOUS_SERVICE',
    'more than one service signed this request; say which one with the service name',
  );
}

function one(headers: ReadonlyMap<string, readonly string[]>, name: string): string | undefined {
  // A Headers object joins the values of a repeated header.
  const [value, ...more] = (headers.get(name) ?? []).flatMap((each) => each.split(', '));
  if (more.length > 0) throw new WebhookError('DOUBLED_HEADER', `the header ${name} was sent more than once`);
  return value?.trim() || undefined;
}

const missing = (name: string) => new WebhookError('MISSING_HEADER', `the header ${name} is missing`);
