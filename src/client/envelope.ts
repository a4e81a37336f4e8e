import { FAULTS } from '../contract/faults.ts';
import { bareName, type Fields } from '../contract/reading/values.ts';
import { isJsonObject, isWireNumber, wireNumberText } from '../money/decimal.ts';

/**
 * What an envelope says, in whichever spelling: `response_code`, `responseCode`, `code`, `statusCode`, or a code in `status`;
 * the two digits of the service, an HTTP status, or the name of an error. Source: interface, public.
 */
export interface EnvelopeReading {
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

/**
 * The service's code for an HTTP status. A 5xx has none: it says that something broke, not that nothing was done.
 * Source: public (code table).
 */
export function codeForStatus(status: string): string {
  if (status.startsWith('2')) return '00';
  if (status === '401' || status === '403') return '03';
  if (status === '404') return '02';
  if (status === '429') return '04';
  return status.startsWith('4') ? '01' : status;
}

/** Reads an envelope. Returns undefined for JSON that is no object. */
export function readEnvelope(json: unknown): EnvelopeReading | undefined {
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
export const NO_REASON = 'no reason given';

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
