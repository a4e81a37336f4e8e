import { isJsonObject, isWireNumber, wireNumberText } from '../money/decimal.ts';

/**
 * What an envelope says, in whichever documented spelling: `response_code`, `responseCode`, `code`, or a code in `status`;
 * the two digits of the service or an HTTP status. Source: interface, public.
 */
interface EnvelopeReading {
  /** The code: two digits of the service's table, another text if it is in no table, undefined if there is none. */
  readonly code: string | undefined;
  /** Whether it has several codes that contradict each other: a success beside an error, or one that is in no table. */
  readonly contradicts: boolean;
  readonly data: unknown;
  /** Whether it has `data`, and nothing that names it a failure. Only then can it be a success without a code. */
  readonly isPlainData: boolean;
  /** The service's message and its details, for people. */
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields that have nothing but a code, and fields that may have a word instead. */
const CODE_FIELDS = ['response_code', 'responseCode'] as const;
const OTHER_CODE_FIELDS = ['code', 'status'] as const;
/** The code of a code field whose value is none. */
const UNREADABLE = 'unreadable';

/**
 * The service's code for an HTTP status that a code field carries. A 5xx has none: it says that something broke, not that
 * nothing was done. Source: public (code table).
 */
function codeForStatus(status: string): string {
  if (status.startsWith('2')) return '00';
  if (status === '401' || status === '403') return '03';
  if (status === '404') return '02';
  if (status === '429') return '04';
  return status.startsWith('4') ? '01' : status;
}

/** Reads an envelope. Returns undefined for JSON that is no object. */
export function readEnvelope(json: unknown): EnvelopeReading | undefined {
  if (!isJsonObject(json)) return undefined;
  const envelope = json;
  const codes = new Set([
    ...CODE_FIELDS.flatMap((name) => ((envelope[name] ?? null) === null ? [] : (codeIn(envelope[name]) ?? UNREADABLE))),
    ...OTHER_CODE_FIELDS.flatMap((name) => codeIn(envelope[name]) ?? []),
  ]);
  const [code] = codes;
  const status = envelope['status'];
  const namesSuccess = status === undefined || (typeof status === 'string' && /^success$/i.test(status));
  return {
    code,
    contradicts: codes.size > 1 && [...codes].some((each) => each === '00' || !/^\d\d$/.test(each)),
    data: envelope['data'],
    isPlainData: isData(envelope['data']) && namesSuccess && !envelope['error'],
    text: textOf(envelope),
  };
}

function codeIn(value: unknown): string | undefined {
  const text = textIn(value)?.trim() ?? '';
  if (/^\d\d$/.test(text)) return text;
  return /^\d{3}$/.test(text) ? codeForStatus(text) : undefined;
}

function isData(value: unknown): boolean {
  return Array.isArray(value) || isJsonObject(value);
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

/** Returns everything that explains an answer, each text once. */
function textOf(envelope: Fields): string {
  const { data } = envelope;
  const parts = [...explanationsIn(envelope, 0), ...(isJsonObject(data) ? explanationsIn(data, 0) : [])];
  return [...new Set(parts)].join(': ') || 'no reason given';
}

const MAX_DEPTH = 4;

function explanationsIn(value: unknown, depth: number): string[] {
  const text = textIn(value);
  if (text !== undefined) return [text.trim()].filter(Boolean);
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((each) => explanationsIn(each, depth + 1));
  if (!isJsonObject(value)) return [];
  const named = EXPLANATIONS.flatMap((name) => explanationsIn(value[name], depth + 1));
  const labels = depth === 0 ? [] : LABELS.flatMap((name) => textIn(value[name]) ?? []);
  return [...labels, ...named];
}
