import { advice, joined } from '../base/advice.ts';
import { type Category, CliError } from '../base/errors.ts';
import { type Effect, type Endpoint, type Refusal, refusalsOf } from '../contract/endpoint.ts';
import { FAULTS } from '../contract/faults.ts';
import { bareName } from '../contract/reading/values.ts';
import { isJsonObject } from '../money/decimal.ts';

/** How a service of this kind refuses an address, with any 4xx, any code, and in any field. Source: interface, client. */
export const NOT_ALLOWED: readonly (string | undefined)[] = ['IP_NOT_ALLOWED', 'IP_BLOCKED'];

/** The codes of the service's table that say that the request was not done. Source: public. */
export const REFUSALS: ReadonlySet<string> = new Set(['01', '02', '03', '04', '05']);

/** The code that a service also gives when it does not know what it did: its general name is that of an internal error. Source: interface. */
const UNCLEAR = '05';
const LIMITED = '04';

const INTERNAL: FaultText = 'INTERNAL_ERROR';
const RATE_LIMITED: FaultText = 'RATE_LIMIT_EXCEEDED';
type FaultText = keyof typeof FAULTS;

/** A response that calls the request refused. */
export interface Refused {
  readonly kind: 'rejected';
  readonly httpStatus: number;
  readonly responseCode: string;
  readonly message: string;
  /** Whether it proves that nothing was done. */
  readonly isDefinite: boolean;
  /** The name of the error, if the answer gives it in a field: `USER_NOT_FOUND`. */
  readonly errorName?: string;
  readonly isAddressBlocked?: true;
}

/** What an envelope says of its codes. */
interface CodesRead {
  /** Whether it says in words that the request succeeded. */
  readonly namesSuccess: boolean;
  /** Each code, also one that only follows from an HTTP status or a name. */
  readonly codes: readonly string[];
  /** Those that the service wrote as its own: two digits. */
  readonly ownCodes: readonly string[];
}

/**
 * Whether a request may be done only once, so that a refusal counts only if it is definite and a request is not repeated for anything less:
 * it moves money or cannot be undone.
 */
export const isOnlyOnce = (effect: Effect): boolean => effect === 'money' || effect === 'destructive';

/**
 * Whether an envelope under this HTTP status, a 2xx or 4xx that is no success, proves that nothing was done: the service's own code 01, 02 or 03 under a 2xx or 4xx; or its
 * 05, which is also that of an internal error, where a field names a refusal that the contract declares for this endpoint; or a
 * field that names a blocked address. Source: interface and public (the codes and names), inferred (what they prove).
 */
export function isDefinite(endpoint: Endpoint, httpStatus: number, read: CodesRead, envelope: unknown): boolean {
  if (isRateLimit(httpStatus, read, envelope)) return true;
  const { codes, ownCodes, namesSuccess } = read;
  const isStrange = codes.some((code) => code === LIMITED || !REFUSALS.has(code));
  if (namesSuccess || httpStatus === 429 || isStrange) return false;
  const { names, deciding } = namesOf(envelope);
  if (names.includes(INTERNAL)) return false;
  if (ownCodes.length === 0) return deciding.some((name) => NOT_ALLOWED.includes(name));
  if (!codes.includes(UNCLEAR)) return true;
  const rows = refusalsOf(endpoint).filter(({ code }) => code !== LIMITED);
  const declared = new Set([...NOT_ALLOWED, ...rows.flatMap(namesOfRefusal)]);
  return deciding.length > 0 && deciding.every((name) => declared.has(name));
}

/**
 * Whether an envelope is the service's own answer to too many requests: HTTP 429 with its code 04, or with the name of that in a field. Under another status, nobody
 * says what code 04 proves. Source: interface and public (the code and the name), inferred (the rest).
 */
export function isRateLimit(
  httpStatus: number,
  { codes, ownCodes, namesSuccess }: CodesRead,
  envelope: unknown,
): boolean {
  if (httpStatus !== 429 || namesSuccess || codes.some((code) => code !== LIMITED)) return false;
  const { names, deciding } = namesOf(envelope);
  if (names.includes(INTERNAL)) return false;
  return ownCodes.length > 0 || deciding.includes(RATE_LIMITED);
}

function namesOf(envelope: unknown): { readonly names: readonly string[]; readonly deciding: readonly string[] } {
  const all = [...errorNamesIn(envelope)];
  return {
    names: all.map(({ name }) => name),
    deciding: all.filter(({ isDeciding }) => isDeciding).map(({ name }) => name),
  };
}

const namesOfRefusal = ({ name, specName }: Refusal): readonly string[] => [name, specName];

/**
 * Returns the conditions of an endpoint that an answer without a name may mean, without that of a failure of the service, of which nobody
 * knows what it did.
 */
export function candidatesOf(endpoint: Endpoint, responseCode: string | undefined) {
  return refusalsOf(endpoint)
    .filter(({ code, fault }) => code === responseCode && fault !== INTERNAL)
    .map(candidateOf);
}

const candidateOf = ({ name, when, remedy }: Refusal) => ({ name, when, remedy });

const BLOCKED_HINT = advice`see the address that the service sees with: [fiatrail ip check]; then allow it with: [fiatrail ip add ADDRESS]`;

const AUTH_HINT = advice`check the API key, and check that this address is on the allowlist with: [fiatrail ip check]`;

/** Returns the error of a request that the service rejected, with what to do next. */
export function refusal(endpoint: Endpoint, answer: Refused): CliError {
  const { httpStatus, responseCode, message, errorName, isAddressBlocked } = answer;
  const isAuth = httpStatus === 401 || httpStatus === 403 || responseCode === '03' || isAddressBlocked === true;
  const category: Category = isAuth ? 'auth' : 'rejected';
  // A refusal with the HTTP status of a success says no more than its code.
  const isSame = (http: number) => http === httpStatus || httpStatus < 300;
  const fitting = refusalsOf(endpoint).filter(({ code, http }) => code === responseCode && isSame(http));
  const named = fitting.filter((each) => errorName !== undefined && namesOfRefusal(each).includes(errorName));
  const rows = named.length > 0 ? named : fitting;
  const general = Object.values(FAULTS).find(({ code, http }) => code === responseCode && http === httpStatus);
  const remedies = new Map(
    (rows.length > 0 ? rows : general ? [general] : []).map(({ remedy }) => [`${remedy}`, remedy]),
  );
  // Next to a remedy of its own, that of the response code says nothing.
  if (general && remedies.size > 1) remedies.delete(`${general.remedy}`);
  const names = new Set(rows.map(({ name }) => name));
  const code = refusalCode(answer, isAuth, names);
  return new CliError(category, `the service rejected the request: ${message}`, {
    code,
    hint:
      code === 'IP_BLOCKED'
        ? BLOCKED_HINT
        : (joined([...remedies.values()], '; or ') ?? (isAuth ? AUTH_HINT : undefined)),
    httpStatus,
    responseCode,
    ...(errorName === undefined && !isAuth && names.size > 1 ? { candidates: rows.map(candidateOf) } : {}),
  });
}

/**
 * Returns the code of a refusal: the name that the answer gives in a field; or that of the only condition of the endpoint with its HTTP
 * status and response code; or else the general name of its response code. Texts for people are never compared.
 */
function refusalCode(
  { httpStatus, responseCode, errorName, isAddressBlocked }: Refused,
  isAuth: boolean,
  names: ReadonlySet<string>,
): string {
  if (isAddressBlocked || (httpStatus === 403 && responseCode === '03')) return 'IP_BLOCKED';
  if (isAuth) return 'AUTHENTICATION_FAILED';
  const [only] = names;
  return errorName ?? (names.size === 1 ? only : undefined) ?? GENERAL_CODES[responseCode] ?? 'REJECTED';
}

/** The service also rejects an input with 05, such as a trade against an own order. Source: interface. */
const GENERAL_CODES: Readonly<Record<string, string>> = {
  '01': 'VALIDATION_ERROR',
  '02': 'NOT_FOUND',
  '05': 'VALIDATION_ERROR',
};

/** Fields that may have the name of an error, the most specific first; without case and separators. */
const NAMED_IN = [
  'errorcode',
  'errorname',
  'code',
  'responsecode',
  'error',
  'errors',
  'details',
  'data',
  'type',
  'reason',
  'message',
  'status',
] as const;

/** Fields for programs: a name there may be written in any case. */
const FOR_PROGRAMS: ReadonlySet<string> = new Set(['errorcode', 'errorname', 'code', 'responsecode']);

/** The fields whose whole text names a refusal, and the objects in which they may stand. Source: public, inferred. */
const DECIDING: ReadonlySet<string> = new Set([...FOR_PROGRAMS, 'error']);
const AROUND_DECIDING: ReadonlySet<string> = new Set(['data', 'error']);

const MAX_LENGTH = 60;

/** How deep names are looked for. */
const MAX_DEPTH = 4;

/** A name that an answer gives. */
interface ErrorName {
  readonly name: string;
  /** Whether it is all that a field such as `errorCode`, `error`, `error.code` or `data.error` says, and no part of a sentence. */
  readonly isDeciding: boolean;
}

/** Yields every name of an error that an answer gives in a field, the most specific first. */
function* errorNamesIn(value: unknown, path: readonly string[] = []): Generator<ErrorName> {
  if (path.length > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const each of value) yield* errorNamesIn(each, [...path, '']);
    return;
  }
  if (!isJsonObject(value)) {
    if (typeof value === 'string') yield* namesAt(value, path);
    return;
  }
  const fields = new Map(Object.entries(value).map(([name, each]) => [bareName(name), each]));
  for (const name of NAMED_IN) {
    const field = fields.get(name);
    const isForPrograms = FOR_PROGRAMS.has(name) && typeof field === 'string';
    yield* errorNamesIn(isForPrograms ? field.trim().toUpperCase().replaceAll('-', '_') : field, [...path, name]);
  }
}

/**
 * Returns the name of an error that an answer gives in a field, such as `USER_NOT_FOUND` in `error`, `errorCode`, `error.code` or
 * `data.error`; undefined if it only explains itself in a sentence. Source: public (which names and fields), inferred (their order).
 */
export function errorNameIn(value: unknown): string | undefined {
  for (const { name } of errorNamesIn(value)) return name;
  return undefined;
}

/** The name that a text is, or begins with: `PENDING_TRANSACTIONS: payouts are pending`. One word, such as `ERROR`, is no name. */
function* namesAt(text: string, path: readonly string[]): Generator<ErrorName> {
  const all = text.trim();
  const [name] = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?=$|:\s)/.exec(all) ?? [];
  if (name === undefined || name.length > MAX_LENGTH) return;
  const isDeciding =
    name === all && DECIDING.has(path.at(-1) ?? '') && path.slice(0, -1).every((each) => AROUND_DECIDING.has(each));
  yield { name, isDeciding };
}
