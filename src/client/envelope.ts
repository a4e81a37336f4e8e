import { isWireNumber, type WireNumber, wireNumberText } from '../money/decimal.ts';

/**
 * What an envelope says, in whichever documented spelling: `response_code`, `responseCode`, `code`, or a code in `status`;
 * the two digits of the service or an HTTP status. Source: interface, public.
 */
interface EnvelopeReading {
  /** The two-digit code; undefined if there is none. */
  readonly code: string | undefined;
  /** Whether it has several codes that contradict each other. */
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

/** The service's code for an HTTP status that a code field carries. Source: public (code table). */
function codeForStatus(status: string): string {
  if (status.startsWith('2')) return '00';
  if (status === '401' || status === '403') return '03';
  if (status === '404') return '02';
  if (status === '429') return '04';
  if (status.startsWith('4')) return '01';
  return status.startsWith('5') ? '05' : status;
}

/** Reads an envelope. Returns undefined for JSON that is no object. */
export function readEnvelope(json: unknown): EnvelopeReading | undefined {
  const envelope = fieldsOf(json);
  if (!envelope) return undefined;
  const codes = new Set([
    ...CODE_FIELDS.flatMap((name) => ((envelope[name] ?? null) === null ? [] : (codeIn(envelope[name]) ?? UNREADABLE))),
    ...OTHER_CODE_FIELDS.flatMap((name) => codeIn(envelope[name]) ?? []),
  ]);
  const [code] = codes;
  const status = envelope['status'];
  const namesSuccess = status === undefined || (typeof status === 'string' && /^success$/i.test(status));
  return {
    code,
    contradicts: codes.size > 1,
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
  return Array.isArray(value) || fieldsOf(value) !== undefined;
}

/** The fields of a JSON object; undefined for any other value. */
function fieldsOf(value: unknown): Fields | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value) && !isWireNumber(value);
  return isObject ? (value as Fields) : undefined;
}

/** A string or a number as text; undefined for any other value and for an empty text. */
function textIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value || undefined;
  return isWireNumber(value) ? wireNumberText(value as WireNumber) : undefined;
}

/** The names under which an error may be explained, in the order in which they are shown. Source: public, client. */
const EXPLANATIONS = ['message', 'responseMessage', 'error', 'reason', 'details', 'errors', 'userMessage'] as const;
/** The names of a short word that says which field, step or error is meant. */
const LABELS = ['status', 'field', 'step', 'code'] as const;

/** Returns everything that explains an answer, each text once. */
function textOf(envelope: Fields): string {
  const data = fieldsOf(envelope['data']);
  const { code: _, ...rest } = envelope;
  const parts = [...explanationsIn(rest, 0), ...(data ? explanationsIn(data, 0) : [])];
  return [...new Set(parts)].join(': ') || 'no reason given';
}

const MAX_DEPTH = 4;

function explanationsIn(value: unknown, depth: number): string[] {
  const text = textIn(value);
  if (text !== undefined) return [text.trim()].filter(Boolean);
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((each) => explanationsIn(each, depth + 1));
  const fields = fieldsOf(value);
  if (!fields) return [];
  const named = EXPLANATIONS.flatMap((name) => explanationsIn(fields[name], depth + 1));
  const labels = depth === 0 ? [] : LABELS.flatMap((name) => textIn(fields[name]) ?? []);
  return [...labels, ...named];
}
