import { CliError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { HttpRequest, HttpResponse, Unopened } from '../base/world.ts';
import { contradictingKey, countFields, responseProblems } from '../contract/check.ts';
import { type Endpoint, fieldsSentIn, pathParameters, type ResponseOf } from '../contract/endpoint.ts';
import { FAULTS } from '../contract/faults.ts';
import { PLATFORM } from '../contract/paths.ts';
import { isAbout, pagingIn, readData } from '../contract/reading/index.ts';
import { bareName, type Fields } from '../contract/reading/values.ts';
import { shapeOf } from '../contract/rows.ts';
import { printable } from '../money/amount.ts';
import { isJsonObject, isWireNumber, parseAnswer, type WireNumber, wireNumberText } from '../money/decimal.ts';
import { lookAt } from '../money/json-text.ts';
import { errorNameIn, isDefinite, isRateLimit, NOT_ALLOWED, REFUSALS, type Refused } from './refusals.ts';
import type { ReadyRequest } from './request.ts';

/**
 * What an envelope says, in whichever spelling: `response_code`, `responseCode`, `code`, `statusCode`, or a code in `status`;
 * the two digits of the service, an HTTP status, or the name of an error. Source: interface, public.
 */
interface EnvelopeReading {
  /** The code: two digits of the service's table, another text if it is in no table, undefined if there is none. */
  readonly code: string | undefined;
  /** Each of its codes, and those among them that are the service's own two digits. */
  readonly codes: readonly string[];
  readonly ownCodes: readonly string[];
  /** Whether the code is a word that is in no table. */
  readonly isCodeWord: boolean;
  /** Whether it has several codes that contradict each other: a success beside an error, or one that is in no table. */
  readonly contradicts: boolean;
  /** Whether it says in words that the request failed, or that it succeeded. */
  readonly namesFailure: boolean;
  readonly namesSuccess: boolean;
  /** Whether it has an error, or several. */
  readonly hasError: boolean;
  readonly hasMessage: boolean;
  /** Whether it says in words that the request failed, whatever its code. Without `data`, the word `failed` may be the state of the work. */
  readonly deniesSuccess: boolean;
  readonly data: unknown;
  /** The fields beside `data`, or all of them if it has none, without those of the envelope. */
  readonly topLevel: Fields;
  /** The service's message and its details, for people; read only for a response that is not a success. */
  text(): string;
}

/** Fields that have nothing but a code, and fields that may have a word instead; without case and separators. */
const CODE_FIELDS: ReadonlySet<string> = new Set(['responsecode']);

const OTHER_CODE_FIELDS: ReadonlySet<string> = new Set(['code', 'statuscode', 'status']);

/** The fields of an envelope by their name without case and separators. */
const ENVELOPE_NAMES: ReadonlyMap<string, string> = new Map(
  [
    'data',
    'message',
    'responseMessage',
    'status',
    'success',
    'error',
    'errors',
    'details',
    'reason',
    'userMessage',
    'field',
    'step',
    'code',
  ].map((name) => [bareName(name), name]),
);

/** Fields that belong to the envelope, whatever their value. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['responsecode', 'statuscode', 'responsemessage', 'success', 'error']);

/** The code of a code field whose value is none. */
const UNREADABLE = 'unreadable';

const SUCCESS = /^(success|successful|succeeded|ok|okay|true)$/i;

const FAILURE = /^(error|fail|failed|failure|false|rejected|declined)$/i;

/** Builds the HTTP request. */
export function encodeRequest({ endpoint, input }: ReadyRequest, target: Target): HttpRequest {
  const fields = Object.entries(input as Record<string, unknown>).filter(([, value]) => value !== undefined);
  const inPath = new Set(pathParameters(endpoint.path));
  const named = endpoint.isNamedAfterService
    ? endpoint.path.replace(`/${PLATFORM}/`, `/${target.serviceName ?? PLATFORM}/`)
    : endpoint.path;
  const path = named.replace(/:(\w+)/g, (_, name: string) =>
    pathSegment(String((input as Record<string, unknown>)[name])),
  );
  const rest = fields.filter(([name]) => !inPath.has(name));
  const isQuery = fieldsSentIn(endpoint) === 'query';
  const query =
    isQuery && rest.length > 0
      ? `?${new URLSearchParams(Object.fromEntries(rest.map(([name, value]) => [name, queryText(value)])))}`
      : '';
  const declared = Object.keys(shapeOf(endpoint.request()) ?? {}).filter((name) => !inPath.has(name));
  // An endpoint that declares no field, such as the list of banks, is sent no body.
  const hasBody = !isQuery && endpoint.method !== 'GET' && (declared.length > 0 || rest.length > 0);
  const base = endpoint.area === 'control' ? new URL(target.baseUrl).origin : target.baseUrl;
  return {
    method: endpoint.method,
    url: base + path + query,
    headers: {
      accept: 'application/json',
      'x-api-key': target.apiKey.reveal(),
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
    },
    body: hasBody ? JSON.stringify(Object.fromEntries(rest)) : undefined,
  };
}

/**
 * The service's code for an HTTP status. A 5xx has none: it says that something broke, not that nothing was done.
 * Source: public (code table).
 */
function codeForStatus(status: string): string {
  if (status.startsWith('2')) return '00';
  if (status === '401' || status === '403') return '03';
  if (status === '404') return '02';
  if (status === '429') return '04';
  return status.startsWith('4') ? '01' : status;
}

/** Reads an envelope. Returns undefined for JSON that is no object. */
function readEnvelope(json: unknown): EnvelopeReading | undefined {
  if (!isJsonObject(json)) return undefined;
  const envelope = withOwnNames(json);
  const { data, status, success, error, errors } = envelope;
  const { codes, ownCodes, word } = codesOf(envelope);
  const [code = word] = codes;
  const namesFailure = isWord(status, FAILURE) || isWord(success, FAILURE) || isJsonObject(error);
  return {
    code,
    codes,
    ownCodes,
    isCodeWord: codes.length === 0 && word !== undefined,
    contradicts: codes.length > 1 && codes.some((each) => each === '00' || !/^\d\d$/.test(each)),
    namesFailure,
    namesSuccess: isWord(status, SUCCESS) || isWord(success, SUCCESS),
    hasMessage: textIn(envelope['message']) !== undefined,
    hasError: Boolean(error) || (Array.isArray(errors) && errors.length > 0),
    deniesSuccess: isWord(success, FAILURE) || isWord(status, data === undefined ? /^error$/i : FAILURE),
    data,
    topLevel: Object.fromEntries(Object.entries(envelope).filter(([name, value]) => !isOwn(name, value))),
    text: () => textOf(envelope),
  };
}

/** Spells the fields of an envelope as the specification does. */
function withOwnNames(json: Fields): Fields {
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => {
      const own = ENVELOPE_NAMES.get(bareName(name)) ?? name;
      return [Object.hasOwn(json, own) ? name : own, value];
    }),
  );
}

/** The codes of an envelope, or of its data if it has none. */
function codesOf(envelope: Fields): Codes {
  const own = codesIn(envelope);
  const { data } = envelope;
  if (own.codes.length > 0 || own.word !== undefined || !isJsonObject(data)) return own;
  const inData = Object.entries(data).filter(([name]) => CODE_FIELDS.has(bareName(name)));
  return codesIn(Object.fromEntries(inData));
}

interface Codes {
  readonly codes: readonly string[];
  /** Those that are written as two digits, and do not only follow from an HTTP status or a name. */
  readonly ownCodes: readonly string[];
  /** A word in place of a code that is in no table. */
  readonly word: string | undefined;
}

function codesIn(envelope: Fields): Codes {
  const codes = new Set<string>();
  const ownCodes = new Set<string>();
  let word: string | undefined;
  for (const [name, value] of Object.entries(envelope)) {
    const bare = bareName(name);
    if (CODE_FIELDS.has(bare) && (value ?? null) !== null) {
      const code = codeIn(value) ?? oneDigit(value);
      if (code === undefined && isErrorName(value)) word = value;
      else codes.add(code ?? UNREADABLE);
      const own = twoDigits(value) ?? oneDigit(value);
      if (own !== undefined) ownCodes.add(own);
    }
    if (!OTHER_CODE_FIELDS.has(bare)) continue;
    const isSuccess = textIn(value)?.trim() === '0' || (bare !== 'status' && isWord(value, SUCCESS));
    const code = codeIn(value) ?? (isSuccess ? '00' : undefined);
    const digits = textIn(value)?.trim() ?? '';
    if (twoDigits(value) !== undefined) ownCodes.add(digits);
    if (code !== undefined) codes.add(code);
    // In these fields, 1 may mean 01 as well as yes.
    else if (/^\d+$/.test(digits)) codes.add(digits);
    else if (bare !== 'status' && isErrorName(value)) word = value;
  }
  return { codes: [...codes], ownCodes: [...ownCodes], word };
}

function codeIn(value: unknown): string | undefined {
  const text = textIn(value)?.trim() ?? '';
  if (twoDigits(value) !== undefined) return text;
  if (/^\d{3}$/.test(text)) return codeForStatus(text);
  const name = text.toUpperCase();
  return Object.hasOwn(FAULTS, name) ? FAULTS[name as keyof typeof FAULTS].code : undefined;
}

/** Whether a value is a word such as `INVALID_AMOUNT`. */
function isErrorName(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z][\w.-]{2,60}$/i.test(value);
}

function twoDigits(value: unknown): string | undefined {
  const text = textIn(value)?.trim() ?? '';
  return /^\d\d$/.test(text) ? text : undefined;
}

/** A number has no leading zero. */
function oneDigit(value: unknown): string | undefined {
  const text = textIn(value)?.trim() ?? '';
  return /^\d$/.test(text) ? `0${text}` : undefined;
}

function isWord(value: unknown, word: RegExp): boolean {
  return (typeof value === 'string' || typeof value === 'boolean') && word.test(String(value));
}

/** Whether a field is the envelope's: a `status` or `code` may also be the data's own. */
function isOwn(name: string, value: unknown): boolean {
  const bare = bareName(name);
  if (OWN_FIELDS.has(bare) || bare === 'data') return true;
  return OTHER_CODE_FIELDS.has(bare) && (codeIn(value) !== undefined || isWord(value, SUCCESS));
}

/** A string or a number as text; undefined for any other value and for an empty text. */
function textIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value || undefined;
  return isWireNumber(value) ? wireNumberText(value) : undefined;
}

/** The names under which an error may be explained, in the order in which they are shown. Source: public, client. */
const EXPLANATIONS = ['message', 'responseMessage', 'error', 'reason', 'details', 'errors', 'userMessage'] as const;

/** The names of a short word that says which field, step or error is meant. */
const LABELS = ['status', 'field', 'step', 'code'] as const;

/** Those under which a list or an object describes fields by their name. */
const BY_FIELD: ReadonlySet<string> = new Set(['error', 'details', 'errors']);

/** The text of an envelope that explains nothing. */
const NO_REASON = 'no reason given';

/** Returns everything that explains an answer, each text once. */
function textOf(envelope: Fields): string {
  const { data } = envelope;
  const parts = [...explanationsIn(envelope, 0), ...(isJsonObject(data) ? explanationsIn(data, 0) : [])];
  return [...new Set(parts)].join(': ') || NO_REASON;
}

/** How deep explanations and names are looked for. */
const MAX_DEPTH = 4;

function explanationsIn(value: unknown, depth: number): string[] {
  const text = textIn(value);
  if (text !== undefined) return [text.trim()].filter(Boolean);
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((each) => explanationsIn(each, depth + 1));
  if (!isJsonObject(value)) return [];
  const fields = withOwnNames(value);
  const named = EXPLANATIONS.flatMap((name) => {
    const found = explanationsIn(fields[name], depth + 1);
    return found.length === 0 && BY_FIELD.has(name) ? byField(fields[name], depth + 1) : found;
  });
  const labels = depth === 0 ? [] : LABELS.flatMap((name) => textIn(fields[name]) ?? []);
  return [...labels, ...named];
}

/** The texts of an object that names the fields itself: `amount must be above 0`. */
function byField(value: unknown, depth: number): string[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const texts = explanationsIn(each, depth + 1);
    return texts.length === 0 ? [] : [`${name} ${texts.join(', ')}`];
  });
}

/** The service's address and the account. */
export interface Target {
  /** Includes the version segment, without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
  /** The service's own name, which some paths contain. */
  readonly serviceName?: string | undefined;
}

/** Encodes one path segment. Throws CliError usage for `.` and `..`, which URLs resolve even when encoded. */
function pathSegment(value: string): string {
  if (/^\.{0,2}$/.test(value))
    throw new CliError('usage', `invalid id "${value}"`, {
      code: 'VALIDATION_ERROR',
      hint: 'use the id as the service printed it',
    });
  return encodeURIComponent(value);
}

function queryText(value: unknown): string {
  return isWireNumber(value) ? wireNumberText(value as WireNumber) : String(value);
}

/** The meaning of a response, decided by HTTP status and response code, never by its message. */
export type DecodedAnswer<D = unknown> =
  | {
      readonly kind: 'success';
      readonly httpStatus: number;
      readonly data: D;
      readonly body: string;
      readonly problems: readonly string[];
      /** Whether all problems are missing fields: what is there can be trusted. */
      readonly isOnlyIncomplete: boolean;
      /** What in the response cannot be believed, as sentences. */
      readonly uncertain?: readonly string[];
    }
  | Refused
  | {
      readonly kind: 'unusable';
      readonly httpStatus: number;
      readonly reason: string;
      /** The service's code for a refusal, of an answer that proves none. */
      readonly responseCode?: string;
      readonly isEncrypted?: true;
      readonly unopened?: Unopened;
      readonly isLate?: true;
    };

/** Decodes a response. A success that does not match the schema is still a success; `problems` names the fields. */
export function decodeAnswer<E extends Endpoint>(
  endpoint: E,
  response: HttpResponse,
  isLate: () => boolean = () => false,
): DecodedAnswer<ResponseOf<E>> {
  const { status, body, unreadable } = response;
  if (unreadable !== undefined) {
    const reason = `its body is encrypted, but ${unreadable.why}`;
    return { kind: 'unusable', httpStatus: status, reason, isEncrypted: true, unopened: unreadable };
  }
  const unusable = (reason: string): DecodedAnswer<never> => ({ kind: 'unusable', httpStatus: status, reason });
  const { excess, fields } = lookAt(body);
  if (excess !== undefined) return unusable(excess);
  let json: unknown;
  try {
    json = parseAnswer(body);
  } catch {
    return unusable(status >= 300 && status <= 399 ? REDIRECT : describeBody(response));
  }
  const duplicateKey = countFields(json) === fields ? undefined : contradictingKey(body);
  if (duplicateKey !== undefined) return unusable(`its JSON has two different values for "${printable(duplicateKey)}"`);
  const isOk = status >= 200 && status <= 299;
  // A list alone is the data of an endpoint that lists.
  const envelope = Array.isArray(json) && isOk && endpoint.lists !== undefined ? { data: json } : json;
  const reading = readEnvelope(envelope);
  if (!reading) return unusable(NO_ENVELOPE);
  const errorName = isOk && reading.code === '00' ? undefined : errorNameIn(envelope);
  const refused = (code: string): DecodedAnswer<never> => ({
    kind: 'rejected',
    httpStatus: status,
    responseCode: code,
    message: reading.text(),
    isDefinite: isDefinite(endpoint, status, reading, envelope),
    ...(errorName === undefined ? {} : { errorName }),
    ...(NOT_ALLOWED.includes(errorName) ? { isAddressBlocked: true } : {}),
  });
  if (isRateLimit(status, reading, envelope)) return refused('04');
  const code = reading.code ?? impliedCode(endpoint, status, reading, errorName);
  if (reading.contradicts) return unusable(`its response codes contradict each other: ${reading.text()}`);
  if (code === '00' && reading.deniesSuccess) return unusable(`its code is that of a success: ${reading.text()}`);
  if (isOk && code === '00') return success(endpoint, reading, response, isLate);
  if (isOk && code !== undefined && REFUSALS.has(code)) return refused(code);
  if (status >= 400 && status <= 499 && code !== undefined && code !== '00') {
    if (/^\d\d?$/.test(code)) return refused(code.padStart(2, '0'));
    // A word that is in no table says what was wrong; the status says what kind of refusal it is.
    if (reading.isCodeWord) return refused(codeForStatus(String(status)));
  }
  if (code === undefined) return unusable(NO_ENVELOPE);
  const given = REFUSALS.has(code) ? { responseCode: code } : {};
  return { ...unusable(`its response code is ${code}: ${reading.text()}`), ...given };
}

/** Whether a response is the service's own answer to too many requests, so that nothing was done. */
export function isRateLimited(endpoint: Endpoint, response: HttpResponse): boolean {
  const answer = decodeAnswer(endpoint, response);
  return answer.kind === 'rejected' && answer.responseCode === '04' && answer.isDefinite;
}

/**
 * Returns the code of an envelope without one, if it says in another way what came of the request: data or fields of this
 * endpoint for a 2xx, words that name a failure for a 4xx. Source: public, inferred.
 */
function impliedCode(
  endpoint: Endpoint,
  status: number,
  { data, hasError, hasMessage, namesFailure, topLevel, text }: EnvelopeReading,
  errorName: string | undefined,
): string | undefined {
  if (status >= 200 && status <= 299) {
    const hasData = Array.isArray(data) || isJsonObject(data) || isAbout(endpoint, topLevel);
    return hasData && !namesFailure && !hasError ? '00' : undefined;
  }
  if (status < 400 || status > 499) return undefined;
  if (NOT_ALLOWED.includes(errorName)) return '03';
  // A 408 may come from a server on the way, after the service got the request.
  const isExplained = namesFailure || (hasError && hasMessage && status !== 408) || status === 401 || status === 403;
  return isExplained && text() !== NO_REASON ? codeForStatus(String(status)) : undefined;
}

const NO_ENVELOPE = 'its JSON does not have the envelope of the service';

function success<E extends Endpoint>(
  endpoint: E,
  reading: EnvelopeReading,
  { status, body }: HttpResponse,
  isLate: () => boolean,
): DecodedAnswer<ResponseOf<E>> {
  const uncertain = new Set<string>();
  const data = readData(endpoint, dataOf(endpoint, reading), (onUncertain) => uncertain.add(onUncertain));
  const found = responseProblems(endpoint.response(), data, isLate);
  if (found.isLate) return { kind: 'unusable', httpStatus: status, reason: TOO_SLOW, isLate: true };
  return {
    kind: 'success',
    httpStatus: status,
    data: data as ResponseOf<E>,
    body,
    problems: found.problems.map(({ field }) => field || 'data'),
    isOnlyIncomplete: found.isOnlyIncomplete,
    ...(uncertain.size > 0 ? { uncertain: [...uncertain] } : {}),
  };
}

/** Why a response that takes too long to check is unusable. */
export const TOO_SLOW = 'it could not be read and checked within the time limit';

/**
 * Returns the data of a success. Without `data`, it is the fields beside the code. One endpoint has a field of its data next
 * to `data`, and a list may have its paging fields there.
 */
function dataOf(endpoint: Endpoint, { topLevel, data }: EnvelopeReading): unknown {
  if (data === undefined || data === null) return isAbout(endpoint, topLevel) ? topLevel : {};
  const { lists, envelope } = endpoint;
  const { version } = topLevel;
  const paging = lists === undefined ? {} : pagingIn(topLevel);
  const found = Array.isArray(data) && lists !== undefined && Object.keys(paging).length > 0 ? { [lists]: data } : data;
  if (!isJsonObject(found)) return found;
  return {
    ...paging,
    ...found,
    ...(envelope === 'top-level-version' && typeof version === 'string' ? { version } : {}),
  };
}

const REDIRECT = 'it is a redirect, which would take the API key elsewhere';

function describeBody({ body, headers }: HttpResponse): string {
  if (body.trim() === '') return 'its body is empty';
  const type = headers['content-type'] ?? '';
  if (/html/i.test(type) || /^\s*</.test(body)) return 'its body is HTML, not JSON';
  return 'its body is not valid JSON';
}
